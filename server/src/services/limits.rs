//! Rate limits: token buckets by browser session and by IP address (IPv6 by [`Network`]), and
//! counters of failures (decision G-13). Each node counts by itself. Limits that protect an account
//! count across all nodes (`limits/accounts.rs`).

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
    FORMS_PER_ADDRESS_AND_HOUR, LINK_MAILS_PER_ACCOUNT_AND_HOUR, WRONG_CODES_WINDOW,
    WRONG_PASSWORDS_WINDOW,
};

pub mod accounts;
mod hold_source;
mod network;

pub use network::Network;

/// Maximum new payment intents per minute of one browser session. Changing the tickets of an
/// existing payment intent is not counted.
pub const INTENTS_PER_SESSION_AND_MINUTE: u32 = 10;
/// Maximum new payment intents per minute of one IP address. The limit is high, because all people
/// in a clubhouse share one address.
pub const INTENTS_PER_ADDRESS_AND_MINUTE: u32 = 600;
/// Minimum time between new payment intents of one IP address without a browser cookie: the
/// lifetime of a reservation. A client without cookies then reserves no more tickets than one
/// browser may. Real buyers are not affected, because the site's pages set a cookie before a
/// purchase.
pub const INTENT_WITHOUT_COOKIE_INTERVAL: Duration =
    Duration::from_secs(domain::reservation::ACTUAL_RESERVATION_SECONDS.unsigned_abs());
/// Maximum purchase checks per minute of one browser session, or of one IP address without a
/// browser cookie.
const PURCHASE_CHECKS_PER_SESSION_AND_MINUTE: u32 = 60;
/// Maximum purchase checks per minute of one IP address. The limit is high, because all people in a
/// clubhouse share one address.
const PURCHASE_CHECKS_PER_ADDRESS_AND_MINUTE: u32 = 1_200;
/// Maximum diagnostic reports by browsers per minute of one IP address (decision B-23).
const DIAGNOSTICS_PER_ADDRESS_AND_MINUTE: u32 = 30;
/// How often per hour the confirmation mail of one order may be sent again (decision C-17).
const RESENDS_PER_ORDER_AND_HOUR: u32 = 3;
/// Maximum completion calls per minute of one IP address that do not prove access to their order
/// (decision M-1). A browser that lost its cookie makes a few such calls.
pub const UNPROVEN_ORDER_CALLS_PER_ADDRESS_AND_MINUTE: u32 = 30;
/// Maximum requests with a winner's claim link per minute of one IP address.
const CLAIMS_PER_ADDRESS_AND_MINUTE: u32 = 20;
/// Maximum invitation mails per hour of one club.
const INVITATIONS_PER_CLUB_AND_HOUR: u32 = 30;
/// Maximum declined payments in 10 minutes of one browser session, or of one card in any session.
const CARD_DECLINES_MAX: u32 = 5;
const CARD_DECLINES_WINDOW: Duration = Duration::from_secs(10 * 60);

/// Maximum new sockets per second of this node. If 20,000 sockets are lost at once, all of them can
/// reconnect within half a minute (reliability.md, F56).
const SOCKETS_PER_SECOND: u32 = 700;
/// Maximum open sockets of one IP address. The limit is high, because the people in a clubhouse,
/// or the customers of a mobile carrier, share one address.
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
            intents_without_cookie: TokenBuckets::dashmap(one_request_per(
                INTENT_WITHOUT_COOKIE_INTERVAL,
            )),
            checks_by_session: TokenBuckets::dashmap(per_minute(
                PURCHASE_CHECKS_PER_SESSION_AND_MINUTE,
            )),
            checks_by_address: TokenBuckets::dashmap(per_minute(
                PURCHASE_CHECKS_PER_ADDRESS_AND_MINUTE,
            )),
            checks_without_cookie: TokenBuckets::dashmap(per_minute(
                PURCHASE_CHECKS_PER_SESSION_AND_MINUTE,
            )),
            logs_by_address: TokenBuckets::dashmap(per_minute(DIAGNOSTICS_PER_ADDRESS_AND_MINUTE)),
            sockets: RateLimiter::direct(Quota::per_second(non_zero(SOCKETS_PER_SECOND))),
            resends_by_order: TokenBuckets::dashmap(Quota::per_hour(non_zero(
                RESENDS_PER_ORDER_AND_HOUR,
            ))),
            forms_by_address: TokenBuckets::dashmap(Quota::per_hour(non_zero(
                FORMS_PER_ADDRESS_AND_HOUR,
            ))),
            claims_by_address: TokenBuckets::dashmap(per_minute(CLAIMS_PER_ADDRESS_AND_MINUTE)),
            unproven_by_address: TokenBuckets::dashmap(per_minute(
                UNPROVEN_ORDER_CALLS_PER_ADDRESS_AND_MINUTE,
            )),
            links_by_account: TokenBuckets::dashmap(Quota::per_hour(non_zero(
                LINK_MAILS_PER_ACCOUNT_AND_HOUR,
            ))),
            invitations_by_club: TokenBuckets::dashmap(Quota::per_hour(non_zero(
                INVITATIONS_PER_CLUB_AND_HOUR,
            ))),
            ticket_links_by_account: TokenBuckets::dashmap(Quota::per_hour(non_zero(
                LINK_MAILS_PER_ACCOUNT_AND_HOUR,
            ))),
            wrong_passwords: FailureCounters::new(WRONG_PASSWORDS_WINDOW),
            wrong_codes: FailureCounters::new(WRONG_CODES_WINDOW),
            known_addresses: FailureCounters::new(accounts::LINK_AND_FORM_WINDOW),
            declines: FailureCounters::new(CARD_DECLINES_WINDOW),
            declines_by_card: FailureCounters::new(CARD_DECLINES_WINDOW),
        }
    }

    /// Counts a new payment intent of a browser session and an IP address, and refuses it above the
    /// limit of either. `session` is `None` for a request without a browser cookie.
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
            Some(session) if self.declines.failures_of(session) >= CARD_DECLINES_MAX => {
                return Err(too_many_attempts(CARD_DECLINES_WINDOW.as_secs() as u32));
            }
            Some(session) => self.take_token(&self.intents_by_session, session)?,
            None if self.is_exempt(address) => {}
            None => self.take_token(&self.intents_without_cookie, &address.into())?,
        }
        if self.is_exempt(address) {
            Ok(())
        } else {
            self.take_token(&self.intents_by_address, &address.into())
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
            Some(session) => self.take_token(&self.checks_by_session, session)?,
            None if self.is_exempt(address) => {}
            None => self.take_token(&self.checks_without_cookie, &address.into())?,
        }
        if self.is_exempt(address) {
            Ok(())
        } else {
            self.take_token(&self.checks_by_address, &address.into())
        }
    }

    /// Counts a new socket, and refuses it above a limit: new sockets per second of this node, or
    /// open sockets of the caller's network, of which `open` is the current number.
    ///
    /// # Errors
    ///
    /// 429 above the limit of the network, 503 above the limit of the node, both with
    /// `Retry-After`.
    pub fn check_new_socket(&self, address: IpAddr, open: usize) -> Result<(), Problem> {
        if self.is_exempt(address) {
            return Ok(());
        }
        if open >= SOCKETS_PER_ADDRESS_MAX {
            return Err(too_many_attempts(30));
        }
        self.sockets.check().map_err(|_| Problem::unavailable())
    }

    /// Counts a declined payment for the browser session, if known, and for the card by Stripe's
    /// fingerprint. Returns whether one of the two counts reached the limit. The session may then
    /// open no payment for some minutes. The demo does not count by card, because all buyers share
    /// the test cards.
    pub fn count_decline(&self, session: Option<&[u8; 16]>, card: Option<&str>) -> bool {
        let card = card
            .filter(|_| self.stage == Stage::Production)
            .map(str::to_string);
        let of_card = card.map_or(0, |card| self.declines_by_card.add_failure(card));
        let of_session = session.map_or(0, |session| self.declines.add_failure(*session));
        if of_card >= CARD_DECLINES_MAX
            && let Some(session) = session
        {
            (of_session..CARD_DECLINES_MAX).for_each(|_| _ = self.declines.add_failure(*session));
        }
        of_card.max(of_session) >= CARD_DECLINES_MAX
    }

    /// Counts a browser's diagnostic report; `false` if its IP address has sent too many this
    /// minute.
    pub fn may_send_diagnostic(&self, address: IpAddr) -> bool {
        self.logs_by_address.check_key(&address.into()).is_ok()
    }

    /// Counts a repeated confirmation mail of an order; `false` if too many were sent this hour.
    pub fn may_resend_confirmation(&self, order: u128) -> bool {
        self.resends_by_order.check_key(&order).is_ok()
    }

    /// Counts a request with a winner's claim link, and refuses it above the limit. The link's 256
    /// random bits cannot be guessed in any case; the limit is a second defence.
    ///
    /// # Errors
    ///
    /// 429 with `Retry-After`.
    pub fn check_claim_limit(&self, address: IpAddr) -> Result<(), Problem> {
        if self.is_exempt(address) {
            Ok(())
        } else {
            self.take_token(&self.claims_by_address, &address.into())
        }
    }

    /// Counts a request that names an order without proof of being its buyer, and refuses it above
    /// the limit.
    ///
    /// # Errors
    ///
    /// 429 with `Retry-After`.
    pub fn check_unproven_order_call_limit(&self, address: IpAddr) -> Result<(), Problem> {
        if self.is_exempt(address) {
            Ok(())
        } else {
            self.take_token(&self.unproven_by_address, &address.into())
        }
    }

    /// Counts an invitation by a club; `false` if the club sent too many this hour. A club must not
    /// use invitations to flood a mailbox, or to find out which addresses have an account.
    pub fn may_invite(&self, club: i64) -> bool {
        self.invitations_by_club.check_key(&club).is_ok()
    }

    /// Removes the counters that no longer limit anything, to free memory. Called every minute.
    pub fn remove_idle_counters(&self) {
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
        self.wrong_passwords.remove_expired();
        self.wrong_codes.remove_expired();
        self.known_addresses.remove_expired();
        self.declines.remove_expired();
        self.declines_by_card.remove_expired();
    }

    /// Whether an IP address is exempt from limits: in the demo the own machine, from which
    /// simulated buyers and tests send their requests.
    fn is_exempt(&self, address: IpAddr) -> bool {
        self.stage == Stage::Demo && address.is_loopback()
    }

    fn take_token<K: Hash + Eq + Clone>(
        &self,
        bucket: &TokenBuckets<K>,
        key: &K,
    ) -> Result<(), Problem> {
        bucket.check_key(key).map_err(|rejected| {
            too_many_attempts(rejected.wait_time_from(self.clock.now()).as_secs() as u32 + 1)
        })
    }
}

/// Builds the 429 response with `Retry-After`.
pub fn too_many_attempts(retry_after_seconds: u32) -> Problem {
    Problem::new(
        StatusCode::TOO_MANY_REQUESTS,
        "too-many-requests",
        "Too many attempts. Please wait a moment and try again.",
    )
    .retry_after(retry_after_seconds)
}

fn per_minute(count: u32) -> Quota {
    Quota::per_minute(non_zero(count))
}

/// Builds a quota of one request per period.
fn one_request_per(period: Duration) -> Quota {
    Quota::with_period(period)
        .unwrap_or(per_minute(1))
        .allow_burst(NonZeroU32::MIN)
}

fn non_zero(count: u32) -> NonZeroU32 {
    NonZeroU32::new(count).unwrap_or(NonZeroU32::MIN)
}

/// Counts failures by key. A key's count starts again when its time window has ended.
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

    fn failures_of(&self, key: &K) -> u32 {
        self.counts
            .get(key)
            .filter(|entry| entry.0.elapsed() < self.window)
            .map_or(0, |entry| entry.1)
    }

    /// Adds one failure to a key and returns the key's number of failures in the window.
    fn add_failure(&self, key: K) -> u32 {
        let mut entry = self.counts.entry(key).or_insert((Instant::now(), 0));
        if entry.0.elapsed() >= self.window {
            *entry = (Instant::now(), 0);
        }
        entry.1 += 1;
        entry.1
    }

    /// Adds one failure to a key and returns `true`; returns `false` if the key already has `max`
    /// failures. Check and increment are atomic, so concurrent calls cannot exceed `max`.
    fn increment_below(&self, key: &K, max: u32) -> bool {
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

    fn remove_one(&self, key: &K) {
        if let Some(mut entry) = self.counts.get_mut(key) {
            entry.1 = entry.1.saturating_sub(1);
        }
    }

    fn remove_expired(&self) {
        self.counts
            .retain(|_, (start, _)| start.elapsed() < self.window);
    }
}

#[cfg(test)]
mod tests;
