//! Rate limits: token buckets by browser session and by address (IPv6 by [`Network`]), and counters
//! of failures (decision G-13). Each node counts by itself. Limits that protect an account count
//! across all nodes (`limits/accounts.rs`).

use std::hash::Hash;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::time::{Duration, Instant};

use actix_web::http::StatusCode;
use dashmap::DashMap;
use governor::clock::{Clock as _, DefaultClock};
use governor::state::keyed::DashMapStateStore;
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};

use crate::api::error::Problem;
use crate::config::Stage;
use accounts::{
    FORMS_PER_ADDRESS_AND_HOUR, LINKS_PER_ACCOUNT_AND_HOUR, WRONG_CODES_WINDOW,
    WRONG_PASSWORDS_WINDOW,
};

pub mod accounts;
mod hold_source;
mod network;

pub use network::Network;

/// New payment intents per minute of one browser session. Changing the tickets of an existing
/// payment intent is not counted.
pub const INTENTS_PER_SESSION_AND_MINUTE: u32 = 10;
/// New payment intents per minute of one address. The people in a clubhouse share one address at
/// kick-off.
pub const INTENTS_PER_ADDRESS_AND_MINUTE: u32 = 600;
/// Interval between new payment intents of one address without a browser cookie: the lifetime of a
/// reservation. So a client without cookies reserves no more tickets than one browser may. Real
/// buyers are not affected, because the site's pages set a cookie before a purchase.
pub const INTENT_WITHOUT_COOKIE_INTERVAL: Duration =
    Duration::from_secs(domain::reservation::KEPT_SECONDS.unsigned_abs());
/// Purchase checks per minute of one browser session, or of one address without a browser cookie.
const CHECKS_PER_SESSION_AND_MINUTE: u32 = 60;
/// Purchase checks per minute of one address. The people in a clubhouse share one address.
const CHECKS_PER_ADDRESS_AND_MINUTE: u32 = 1_200;
/// Browser diagnostics per minute of one address (decision B-23).
const LOGS_PER_ADDRESS_AND_MINUTE: u32 = 30;
/// Confirmation mails per hour that are sent again for one order (decision C-17).
const RESENDS_PER_ORDER_AND_HOUR: u32 = 3;
/// Completion calls per minute of one address that prove no access to their order (decision M-1). A
/// browser that lost its cookie makes a few such calls.
pub const UNPROVEN_PER_ADDRESS_AND_MINUTE: u32 = 30;
/// Requests with a winner's claim link per minute of one address.
const CLAIMS_PER_ADDRESS_AND_MINUTE: u32 = 20;
/// Invitation mails per hour of one club.
const INVITATIONS_PER_CLUB_AND_HOUR: u32 = 30;
/// Declined payments of one browser session, or of one card in any session, in 10 minutes.
const DECLINES_MAX: u32 = 5;
const DECLINES_WINDOW: Duration = Duration::from_secs(10 * 60);

/// New sockets per second of the whole server. If 20,000 sockets are lost at once, all of them can
/// reconnect within half a minute (reliability.md, F56).
const SOCKETS_PER_SECOND: u32 = 700;
/// Open sockets of one address. The people in a clubhouse, or the customers of a mobile carrier,
/// share one address.
pub const SOCKETS_PER_ADDRESS_MAX: usize = 1_000;

type TokenBuckets<K> = RateLimiter<K, DashMapStateStore<K>, DefaultClock>;

/// All rate limits of this node.
pub struct Limits {
    stage: Stage,
    clock: DefaultClock,
    intents_by_session: TokenBuckets<[u8; 16]>,
    intents_by_address: TokenBuckets<Network>,
    intents_without_cookie: TokenBuckets<Network>,
    checks_by_session: TokenBuckets<[u8; 16]>,
    checks_by_address: TokenBuckets<Network>,
    checks_without_cookie: TokenBuckets<Network>,
    logs_by_address: TokenBuckets<Network>,
    sockets: DefaultDirectRateLimiter,
    resends_by_order: TokenBuckets<u128>,
    forms_by_address: TokenBuckets<Network>,
    claims_by_address: TokenBuckets<Network>,
    unproven_by_address: TokenBuckets<Network>,
    links_by_account: TokenBuckets<String>,
    invitations_by_club: TokenBuckets<i64>,
    ticket_links_by_account: TokenBuckets<String>,
    wrong_passwords: FailureCounters<String>,
    wrong_codes: FailureCounters<String>,
    known_addresses: FailureCounters<String>,
    declines: FailureCounters<[u8; 16]>,
    declines_by_card: FailureCounters<String>,
}

impl Limits {
    pub fn new(stage: Stage) -> Limits {
        Limits {
            stage,
            clock: DefaultClock::default(),
            intents_by_session: TokenBuckets::dashmap(per_minute(INTENTS_PER_SESSION_AND_MINUTE)),
            intents_by_address: TokenBuckets::dashmap(per_minute(INTENTS_PER_ADDRESS_AND_MINUTE)),
            intents_without_cookie: TokenBuckets::dashmap(once_in(INTENT_WITHOUT_COOKIE_INTERVAL)),
            checks_by_session: TokenBuckets::dashmap(per_minute(CHECKS_PER_SESSION_AND_MINUTE)),
            checks_by_address: TokenBuckets::dashmap(per_minute(CHECKS_PER_ADDRESS_AND_MINUTE)),
            checks_without_cookie: TokenBuckets::dashmap(per_minute(CHECKS_PER_SESSION_AND_MINUTE)),
            logs_by_address: TokenBuckets::dashmap(per_minute(LOGS_PER_ADDRESS_AND_MINUTE)),
            sockets: RateLimiter::direct(Quota::per_second(positive(SOCKETS_PER_SECOND))),
            resends_by_order: TokenBuckets::dashmap(Quota::per_hour(positive(
                RESENDS_PER_ORDER_AND_HOUR,
            ))),
            forms_by_address: TokenBuckets::dashmap(Quota::per_hour(positive(
                FORMS_PER_ADDRESS_AND_HOUR,
            ))),
            claims_by_address: TokenBuckets::dashmap(per_minute(CLAIMS_PER_ADDRESS_AND_MINUTE)),
            unproven_by_address: TokenBuckets::dashmap(per_minute(UNPROVEN_PER_ADDRESS_AND_MINUTE)),
            links_by_account: TokenBuckets::dashmap(Quota::per_hour(positive(
                LINKS_PER_ACCOUNT_AND_HOUR,
            ))),
            invitations_by_club: TokenBuckets::dashmap(Quota::per_hour(positive(
                INVITATIONS_PER_CLUB_AND_HOUR,
            ))),
            ticket_links_by_account: TokenBuckets::dashmap(Quota::per_hour(positive(
                LINKS_PER_ACCOUNT_AND_HOUR,
            ))),
            wrong_passwords: FailureCounters::new(WRONG_PASSWORDS_WINDOW),
            wrong_codes: FailureCounters::new(WRONG_CODES_WINDOW),
            known_addresses: FailureCounters::new(accounts::AN_HOUR),
            declines: FailureCounters::new(DECLINES_WINDOW),
            declines_by_card: FailureCounters::new(DECLINES_WINDOW),
        }
    }

    /// Counts a new payment intent of a browser session and an address, and refuses it above the
    /// limit. `session` is `None` for a request without a browser cookie.
    ///
    /// # Errors
    ///
    /// 429 with `Retry-After`.
    pub fn check_new_intent(
        &self,
        session: Option<&[u8; 16]>,
        address: IpAddr,
    ) -> Result<(), Problem> {
        match session {
            Some(session) if self.declines.count(session) >= DECLINES_MAX => {
                return Err(too_many(DECLINES_WINDOW.as_secs() as u32));
            }
            Some(session) => self.consume(&self.intents_by_session, session)?,
            None if self.is_exempt(address) => {}
            None => self.consume(&self.intents_without_cookie, &address.into())?,
        }
        if self.is_exempt(address) {
            Ok(())
        } else {
            self.consume(&self.intents_by_address, &address.into())
        }
    }

    /// Counts a purchase check, and refuses it above the limit. `session` is `None` for a request
    /// without a browser cookie.
    ///
    /// # Errors
    ///
    /// 429 with `Retry-After`.
    pub fn check_purchase_limit(
        &self,
        session: Option<&[u8; 16]>,
        address: IpAddr,
    ) -> Result<(), Problem> {
        match session {
            Some(session) => self.consume(&self.checks_by_session, session)?,
            None if self.is_exempt(address) => {}
            None => self.consume(&self.checks_without_cookie, &address.into())?,
        }
        if self.is_exempt(address) {
            Ok(())
        } else {
            self.consume(&self.checks_by_address, &address.into())
        }
    }

    /// Counts a new socket, and refuses it above a limit: new sockets per second of the server, and
    /// open sockets of one address. `open` is the address's current number.
    ///
    /// # Errors
    ///
    /// 429 for the address, 503 for the server, both with `Retry-After`.
    pub fn check_new_socket(&self, address: IpAddr, open: usize) -> Result<(), Problem> {
        if self.is_exempt(address) {
            return Ok(());
        }
        if open >= SOCKETS_PER_ADDRESS_MAX {
            return Err(too_many(30));
        }
        self.sockets.check().map_err(|_| Problem::unavailable())
    }

    /// Counts a declined card for the browser session, if known, and for Stripe's card fingerprint.
    /// Returns whether one of the two counts reached the limit, after which the session may open no
    /// payment for some minutes. In the demo all buyers share the test cards, so cards are not
    /// counted.
    pub fn count_decline(&self, session: Option<&[u8; 16]>, card: Option<&str>) -> bool {
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

    /// Whether an address may send another diagnostic this minute.
    pub fn may_log(&self, address: IpAddr) -> bool {
        self.logs_by_address.check_key(&address.into()).is_ok()
    }

    /// Whether an order's confirmation may be sent again this hour.
    pub fn may_resend(&self, order: u128) -> bool {
        self.resends_by_order.check_key(&order).is_ok()
    }

    /// Counts a request with a winner's link, and refuses it above the limit. The link's 256 random
    /// bits cannot be guessed; the limit makes guessing pointless.
    ///
    /// # Errors
    ///
    /// 429 with `Retry-After`.
    pub fn check_claim_limit(&self, address: IpAddr) -> Result<(), Problem> {
        if self.is_exempt(address) {
            Ok(())
        } else {
            self.consume(&self.claims_by_address, &address.into())
        }
    }

    /// Counts a request that names an order without proof of being its buyer, and refuses it above
    /// the limit.
    ///
    /// # Errors
    ///
    /// 429 with `Retry-After`.
    pub fn check_unproven_limit(&self, address: IpAddr) -> Result<(), Problem> {
        if self.is_exempt(address) {
            Ok(())
        } else {
            self.consume(&self.unproven_by_address, &address.into())
        }
    }

    /// Whether a club may invite one more person this hour. Invitations must not be used to probe
    /// addresses or to flood a mailbox.
    pub fn may_invite(&self, club: i64) -> bool {
        self.invitations_by_club.check_key(&club).is_ok()
    }

    /// Removes counters that were not used recently, to free memory. Called every minute.
    pub fn sweep(&self) {
        self.intents_by_session.retain_recent();
        self.intents_by_address.retain_recent();
        self.intents_without_cookie.retain_recent();
        self.checks_by_session.retain_recent();
        self.checks_by_address.retain_recent();
        self.checks_without_cookie.retain_recent();
        self.logs_by_address.retain_recent();
        self.resends_by_order.retain_recent();
        self.forms_by_address.retain_recent();
        self.claims_by_address.retain_recent();
        self.unproven_by_address.retain_recent();
        self.links_by_account.retain_recent();
        self.invitations_by_club.retain_recent();
        self.ticket_links_by_account.retain_recent();
        self.wrong_passwords.sweep();
        self.wrong_codes.sweep();
        self.known_addresses.sweep();
        self.declines.sweep();
        self.declines_by_card.sweep();
    }

    /// Whether an address is not limited: the demo's own machine, from which simulated buyers and
    /// tests send their requests.
    fn is_exempt(&self, address: IpAddr) -> bool {
        self.stage == Stage::Demo && address.is_loopback()
    }

    fn consume<K: Hash + Eq + Clone>(
        &self,
        bucket: &TokenBuckets<K>,
        key: &K,
    ) -> Result<(), Problem> {
        bucket.check_key(key).map_err(|rejected| {
            too_many(rejected.wait_time_from(self.clock.now()).as_secs() as u32 + 1)
        })
    }
}

/// Builds the 429 response with `Retry-After`.
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

/// Builds a quota of one request per period.
fn once_in(period: Duration) -> Quota {
    Quota::with_period(period)
        .unwrap_or(per_minute(1))
        .allow_burst(NonZeroU32::MIN)
}

fn positive(count: u32) -> NonZeroU32 {
    NonZeroU32::new(count).unwrap_or(NonZeroU32::MIN)
}

/// Number of failures of each key within a fixed time window.
struct FailureCounters<K: Hash + Eq> {
    window: Duration,
    counts: DashMap<K, (Instant, u32)>,
}

impl<K: Hash + Eq + Clone> FailureCounters<K> {
    fn new(window: Duration) -> FailureCounters<K> {
        FailureCounters {
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

    /// Adds one failure to a key and returns the key's count.
    fn add(&self, key: K) -> u32 {
        let mut entry = self.counts.entry(key).or_insert((Instant::now(), 0));
        if entry.0.elapsed() >= self.window {
            *entry = (Instant::now(), 0);
        }
        entry.1 += 1;
        entry.1
    }

    /// Adds one failure to a key and returns `true`, unless the count has reached `max`. Check and
    /// increment are atomic.
    fn add_below(&self, key: &K, max: u32) -> bool {
        let mut entry = self
            .counts
            .entry(key.clone())
            .or_insert((Instant::now(), 0));
        if entry.0.elapsed() >= self.window {
            *entry = (Instant::now(), 0);
        }
        let has_room = entry.1 < max;
        entry.1 += u32::from(has_room);
        has_room
    }

    fn take_back(&self, key: &K) {
        if let Some(mut entry) = self.counts.get_mut(key) {
            entry.1 = entry.1.saturating_sub(1);
        }
    }

    fn sweep(&self) {
        self.counts
            .retain(|_, (start, _)| start.elapsed() < self.window);
    }
}

#[cfg(test)]
mod tests;
