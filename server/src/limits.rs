//! How often anyone may ask: token buckets by browser session and by address (of IPv6 by [`Network`]), and counters of failures
//! (decision G-13). Each node has its own; what protects an account holds on all of them together (`limits/accounts.rs`).

use std::hash::Hash;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::time::{Duration, Instant};

use actix_web::http::StatusCode;
use dashmap::DashMap;
use governor::clock::{Clock as _, DefaultClock};
use governor::state::keyed::DashMapStateStore;
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};

use crate::config::Stage;
use crate::error::Problem;
use accounts::{
    FORMS_PER_ADDRESS_AND_HOUR, LINKS_PER_ACCOUNT_AND_HOUR, WRONG_CODES_WINDOW,
    WRONG_PASSWORDS_WINDOW,
};

pub mod accounts;
mod network;

pub use network::Network;

/// New payment intents of one browser session a minute; resizing one is free.
pub const INTENTS_PER_SESSION_AND_MINUTE: u32 = 10;
/// New payment intents of one address a minute: a clubhouse shares one at kick-off.
pub const INTENTS_PER_ADDRESS_AND_MINUTE: u32 = 600;
/// New payment intents of one address that bring no cookie of ours: one for as long as a reservation lasts, so that who keeps
/// no cookie reserves no more than one browser may. Our own pages always set one before.
pub const INTENTS_OF_STRANGERS_EVERY: Duration =
    Duration::from_secs(domain::reservation::KEPT_SECONDS.unsigned_abs());
/// Browser diagnostics of one address a minute (decision B-23).
const LOGS_PER_ADDRESS_AND_MINUTE: u32 = 30;
/// Repeated confirmation mails of one order an hour (decision C-17).
const RESENDS_PER_ORDER_AND_HOUR: u32 = 3;
/// Looks at winners' links of one address a minute.
const CLAIMS_PER_ADDRESS_AND_MINUTE: u32 = 20;
/// Invitations that one club's owners mail an hour.
const INVITATIONS_PER_CLUB_AND_HOUR: u32 = 30;
/// Declines of one browser session, or of one card in whatever session, in 10 minutes.
const DECLINES_MAX: u32 = 5;
const DECLINES_WINDOW: Duration = Duration::from_secs(10 * 60);

/// New sockets of the whole server a second: 20,000 that lost theirs at once are back within half a minute (reliability.md, F56).
const SOCKETS_PER_SECOND: u32 = 700;
/// Open sockets of one address: a clubhouse, or a phone company's customers, share one.
pub const SOCKETS_PER_ADDRESS_MAX: usize = 1_000;

type Bucket<K> = RateLimiter<K, DashMapStateStore<K>, DefaultClock>;

pub struct Limits {
    stage: Stage,
    clock: DefaultClock,
    intents_by_session: Bucket<[u8; 16]>,
    intents_by_address: Bucket<Network>,
    intents_of_strangers: Bucket<Network>,
    logs_by_address: Bucket<Network>,
    sockets: DefaultDirectRateLimiter,
    resends_by_order: Bucket<u128>,
    forms_by_address: Bucket<Network>,
    claims_by_address: Bucket<Network>,
    links_by_account: Bucket<String>,
    invitations_by_club: Bucket<i64>,
    ticket_links_by_account: Bucket<String>,
    wrong_passwords: Failures<String>,
    wrong_codes: Failures<String>,
    declines: Failures<[u8; 16]>,
    declines_by_card: Failures<String>,
}

impl Limits {
    pub fn new(stage: Stage) -> Limits {
        Limits {
            stage,
            clock: DefaultClock::default(),
            intents_by_session: Bucket::dashmap(per_minute(INTENTS_PER_SESSION_AND_MINUTE)),
            intents_by_address: Bucket::dashmap(per_minute(INTENTS_PER_ADDRESS_AND_MINUTE)),
            intents_of_strangers: Bucket::dashmap(once_in(INTENTS_OF_STRANGERS_EVERY)),
            logs_by_address: Bucket::dashmap(per_minute(LOGS_PER_ADDRESS_AND_MINUTE)),
            sockets: RateLimiter::direct(Quota::per_second(positive(SOCKETS_PER_SECOND))),
            resends_by_order: Bucket::dashmap(Quota::per_hour(positive(
                RESENDS_PER_ORDER_AND_HOUR,
            ))),
            forms_by_address: Bucket::dashmap(Quota::per_hour(positive(
                FORMS_PER_ADDRESS_AND_HOUR,
            ))),
            claims_by_address: Bucket::dashmap(per_minute(CLAIMS_PER_ADDRESS_AND_MINUTE)),
            links_by_account: Bucket::dashmap(Quota::per_hour(positive(
                LINKS_PER_ACCOUNT_AND_HOUR,
            ))),
            invitations_by_club: Bucket::dashmap(Quota::per_hour(positive(
                INVITATIONS_PER_CLUB_AND_HOUR,
            ))),
            ticket_links_by_account: Bucket::dashmap(Quota::per_hour(positive(
                LINKS_PER_ACCOUNT_AND_HOUR,
            ))),
            wrong_passwords: Failures::new(WRONG_PASSWORDS_WINDOW),
            wrong_codes: Failures::new(WRONG_CODES_WINDOW),
            declines: Failures::new(DECLINES_WINDOW),
            declines_by_card: Failures::new(DECLINES_WINDOW),
        }
    }

    /// A new payment intent for a browser session at an address; `None` for who brought no cookie.
    ///
    /// # Errors
    /// 429 with `Retry-After`.
    pub fn new_intent(&self, session: Option<&[u8; 16]>, address: IpAddr) -> Result<(), Problem> {
        match session {
            Some(session) if self.declines.count(session) >= DECLINES_MAX => {
                return Err(too_many(DECLINES_WINDOW.as_secs() as u32));
            }
            Some(session) => self.take(&self.intents_by_session, session)?,
            None if self.exempt(address) => {}
            None => self.take(&self.intents_of_strangers, &address.into())?,
        }
        if self.exempt(address) {
            Ok(())
        } else {
            self.take(&self.intents_by_address, &address.into())
        }
    }

    /// A socket may be opened: the whole server takes only so many a second, and one address keeps only so many (`open`).
    ///
    /// # Errors
    /// 429 for the address, 503 for the server, both with `Retry-After`.
    pub fn new_socket(&self, address: IpAddr, open: usize) -> Result<(), Problem> {
        if self.exempt(address) {
            return Ok(());
        }
        if open >= SOCKETS_PER_ADDRESS_MAX {
            return Err(too_many(30));
        }
        self.sockets.check().map_err(|_| Problem::unavailable())
    }

    /// A card was declined, in a session if it is known; the card by the provider's name for it. Whether it was once too often
    /// for one of them: then the session opens nothing more for a while. The demo's cards are the same for everybody.
    pub fn declined(&self, session: Option<&[u8; 16]>, card: Option<&str>) -> bool {
        let card = card
            .filter(|_| self.stage == Stage::Production)
            .map(str::to_string);
        let of_card = card.map_or(0, |card| self.declines_by_card.add(card));
        let of_session = session.map_or(0, |session| self.declines.add(*session));
        if of_card >= DECLINES_MAX
            && let Some(session) = session
        {
            (of_session..DECLINES_MAX).for_each(|_| _ = self.declines.add(*session));
        }
        of_card.max(of_session) >= DECLINES_MAX
    }

    /// Whether diagnostics of an address are still taken this minute.
    pub fn may_log(&self, address: IpAddr) -> bool {
        self.logs_by_address.check_key(&address.into()).is_ok()
    }

    /// Whether an order's confirmation may be sent once more this hour.
    pub fn may_resend(&self, order: u128) -> bool {
        self.resends_by_order.check_key(&order).is_ok()
    }

    /// Somebody at an address opens a winner's link: nobody guesses 256 bits, and nobody need try.
    ///
    /// # Errors
    /// 429 with `Retry-After`.
    pub fn claiming(&self, address: IpAddr) -> Result<(), Problem> {
        if self.exempt(address) {
            Ok(())
        } else {
            self.take(&self.claims_by_address, &address.into())
        }
    }

    /// Whether a club may ask one more person in this hour: it is no tool to try addresses, or to fill somebody's mailbox.
    pub fn may_invite(&self, club: i64) -> bool {
        self.invitations_by_club.check_key(&club).is_ok()
    }

    /// Forgets who has been quiet: called every minute.
    pub fn sweep(&self) {
        self.intents_by_session.retain_recent();
        self.intents_by_address.retain_recent();
        self.intents_of_strangers.retain_recent();
        self.logs_by_address.retain_recent();
        self.resends_by_order.retain_recent();
        self.forms_by_address.retain_recent();
        self.claims_by_address.retain_recent();
        self.links_by_account.retain_recent();
        self.invitations_by_club.retain_recent();
        self.ticket_links_by_account.retain_recent();
        self.wrong_passwords.sweep();
        self.wrong_codes.sweep();
        self.declines.sweep();
        self.declines_by_card.sweep();
    }

    /// The demo's crowd and its tests all come from this machine.
    fn exempt(&self, address: IpAddr) -> bool {
        self.stage == Stage::Demo && address.is_loopback()
    }

    fn take<K: Hash + Eq + Clone>(&self, bucket: &Bucket<K>, key: &K) -> Result<(), Problem> {
        bucket
            .check_key(key)
            .map_err(|full| too_many(full.wait_time_from(self.clock.now()).as_secs() as u32 + 1))
    }
}

/// What whoever asks too often reads.
pub fn too_many(retry_after_seconds: u32) -> Problem {
    Problem::new(
        StatusCode::TOO_MANY_REQUESTS,
        "too-many-requests",
        "Too many attempts. Please wait a moment and try again.",
    )
    .retry_after(retry_after_seconds)
}

fn per_minute(count: u32) -> Quota {
    Quota::per_minute(positive(count))
}

/// Once, and once more each time the period has passed.
fn once_in(period: Duration) -> Quota {
    Quota::with_period(period)
        .unwrap_or(per_minute(1))
        .allow_burst(NonZeroU32::MIN)
}

fn positive(count: u32) -> NonZeroU32 {
    NonZeroU32::new(count).unwrap_or(NonZeroU32::MIN)
}

/// Failures of a key since its window began.
struct Failures<K: Hash + Eq> {
    window: Duration,
    counts: DashMap<K, (Instant, u32)>,
}

impl<K: Hash + Eq + Clone> Failures<K> {
    fn new(window: Duration) -> Failures<K> {
        Failures {
            window,
            counts: DashMap::new(),
        }
    }

    fn count(&self, key: &K) -> u32 {
        self.counts
            .get(key)
            .filter(|entry| entry.0.elapsed() < self.window)
            .map_or(0, |entry| entry.1)
    }

    /// How many there are now.
    fn add(&self, key: K) -> u32 {
        let mut entry = self.counts.entry(key).or_insert((Instant::now(), 0));
        if entry.0.elapsed() >= self.window {
            *entry = (Instant::now(), 0);
        }
        entry.1 += 1;
        entry.1
    }

    /// One more, unless there are so many; looking and counting are one step.
    fn add_below(&self, key: &K, max: u32) -> bool {
        let mut entry = self
            .counts
            .entry(key.clone())
            .or_insert((Instant::now(), 0));
        if entry.0.elapsed() >= self.window {
            *entry = (Instant::now(), 0);
        }
        let room = entry.1 < max;
        entry.1 += u32::from(room);
        room
    }

    fn take_back(&self, key: &K) {
        if let Some(mut entry) = self.counts.get_mut(key) {
            entry.1 = entry.1.saturating_sub(1);
        }
    }

    fn sweep(&self) {
        self.counts
            .retain(|_, (since, _)| since.elapsed() < self.window);
    }
}

#[cfg(test)]
mod tests;
