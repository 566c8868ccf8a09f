//! The unpaid orders of each browser, as this node remembers them. A browser has at most one order
//! for a set of draws, and at most 100 reserved tickets (decisions C-2, M-7).

use std::collections::BTreeMap;
use std::sync::Arc;

use dashmap::DashMap;
use domain::reservation::{ACTUAL_RESERVATION_SECONDS, SHOWN_RESERVATION_SECONDS};
use domain::{DrawId, OrderId, Timestamp};
use sha2::{Digest, Sha256};
use tokio::sync::{Mutex, OwnedMutexGuard};

use crate::services::identity::Browser;

/// Maximum tickets that one browser may have reserved, over all its orders (decision M-7).
pub const RESERVED_TICKETS_PER_BROWSER_MAX: u16 = 100;
/// Seconds after which an idle browser is removed from memory. Its orders stay in the database.
const BROWSER_IDLE_SECONDS_MAX: i64 = 3600;
/// How long this node remembers, in seconds, that a browser gave the two consents of a purchase
/// before it opened an order.
const CONSENT_REMEMBERED_SECONDS: i64 = 1800;
/// How long this node remembers, in seconds, that a browser has paid: as long as the browser keeps
/// its cookie.
const PAID_BROWSER_REMEMBERED_SECONDS: i64 = 30 * 86_400;

/// The requested number of tickets by draw, ascending by draw.
pub type RequestedTickets = BTreeMap<DrawId, u16>;

/// An order that a browser opened, as this node remembers it.
#[derive(Clone, Debug)]
pub struct TrackedOrder {
    pub order: OrderId,
    pub counts: RequestedTickets,
    /// Number of this order among the browser's successive orders for the same draws.
    pub generation: u32,
    /// The client's idempotency key of this purchase attempt; `None` when the client sent none.
    pub attempt: Option<String>,
    /// When the reservation ends: the time shown to the buyer plus a grace period.
    pub reserved_until: Timestamp,
    /// Whether the order was paid or abandoned. A finished order reserves no tickets.
    pub is_finished: bool,
}

impl TrackedOrder {
    /// Whether the order may still have reserved tickets.
    fn is_live(&self, now: Timestamp) -> bool {
        !self.is_finished && now < self.reserved_until
    }
}

/// What this node remembers of one browser.
#[derive(Default)]
struct BrowserOrders {
    orders: Vec<TrackedOrder>,
    /// Attempts to open an order whose outcome is unknown: in progress, failed, or aborted by the
    /// client. Each may hold its tickets reserved until the stored time.
    unsettled: Vec<(RequestedTickets, Timestamp)>,
    /// Locked by the request that opens or resizes an order, so that the browser's requests run one
    /// at a time.
    turn: Arc<Mutex<()>>,
    consented_at: Option<Timestamp>,
    paid_at: Option<Timestamp>,
    seen_at: Option<Timestamp>,
}

/// The open orders of all browsers of this node.
#[derive(Default)]
pub struct OpenOrders(DashMap<Browser, BrowserOrders>);

/// The plan for opening an order: which order to use and which other orders to abandon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckoutPlan {
    /// The generation, the number among the browser's successive orders for these draws, at which
    /// the database lookup starts.
    pub generation: u32,
    /// Whether a new payment intent is created, because no unpaid order is known for these draws.
    pub is_new: bool,
    /// Other unpaid orders with one of these draws. These are abandoned, because a browser has one
    /// reservation per draw.
    pub abandon: Vec<OrderId>,
    /// Number of tickets reserved by the browser's other orders that are not abandoned.
    pub reserved_elsewhere: u16,
}

/// Computes the idempotency key under which the database stores a browser's n-th order for these
/// draws. The key is derived from the random id in the browser's cookie, so other clients cannot
/// compute it.
pub fn client_key(
    browser: &Browser,
    draws: impl Iterator<Item = DrawId>,
    generation: u32,
) -> String {
    let mut digest = Sha256::new_with_prefix(browser.0);
    for draw in draws {
        digest.update(draw.0.to_be_bytes());
    }
    format!("{}-{generation}", hex::encode(&digest.finalize()[..16]))
}

/// Whether `browser` opened the order that is stored under `client_key`, because only that
/// browser's id yields the key.
pub fn is_opened_by(
    browser: &Browser,
    client_key: &str,
    draws: impl Iterator<Item = DrawId>,
) -> bool {
    let generation = client_key
        .rsplit_once('-')
        .and_then(|(_, generation)| generation.parse().ok());
    generation.is_some_and(|generation| self::client_key(browser, draws, generation) == client_key)
}

impl BrowserOrders {
    fn has_paid(&self, now: Timestamp) -> bool {
        self.paid_at
            .is_some_and(|at| now < at.plus_seconds(PAID_BROWSER_REMEMBERED_SECONDS))
    }

    fn plan_checkout(&self, counts: &RequestedTickets, now: Timestamp) -> CheckoutPlan {
        let same = |tracked: &&TrackedOrder| tracked.counts.keys().eq(counts.keys());
        let overlaps =
            |other: &RequestedTickets| other.keys().any(|draw| counts.contains_key(draw));
        let (overlapping, elsewhere): (Vec<_>, Vec<_>) = self
            .orders
            .iter()
            .filter(|tracked| tracked.is_live(now) && !same(tracked))
            .partition(|tracked| overlaps(&tracked.counts));
        let current = self.orders.iter().rev().find(same);
        // Do not count an unsettled opening for the same draws, because it is of the same order.
        let unsettled_elsewhere = self
            .unsettled
            .iter()
            .filter(|(other, until)| now < *until && !other.keys().eq(counts.keys()))
            .map(|(other, _)| other);
        CheckoutPlan {
            generation: current.map_or(0, |tracked| tracked.generation),
            is_new: current
                .is_none_or(|tracked| tracked.is_finished || now >= tracked.reserved_until),
            abandon: overlapping.iter().map(|tracked| tracked.order).collect(),
            reserved_elsewhere: elsewhere
                .iter()
                .map(|tracked| &tracked.counts)
                .chain(unsettled_elsewhere)
                .flat_map(RequestedTickets::values)
                .sum(),
        }
    }

    /// Removes the unsettled openings for the draws of `counts`, and all openings whose
    /// reservations would have ended.
    fn remove_unsettled_openings(&mut self, counts: &RequestedTickets, now: Timestamp) {
        self.unsettled
            .retain(|(other, until)| now < *until && !other.keys().eq(counts.keys()));
    }
}

impl OpenOrders {
    /// Waits until no other request of the browser opens or resizes an order, and locks out further
    /// requests until the guard is dropped. The tickets tracked here thus equal the reserved ones.
    pub async fn lock_browser(&self, browser: &Browser) -> OwnedMutexGuard<()> {
        let turn = self.0.entry(*browser).or_default().turn.clone();
        turn.lock_owned().await
    }

    /// Plans the opening of an order. The caller must hold the lock of [`Self::lock_browser`].
    pub fn plan_checkout(
        &self,
        browser: &Browser,
        counts: &RequestedTickets,
        now: Timestamp,
    ) -> CheckoutPlan {
        let mut browser_orders = self.0.entry(*browser).or_default();
        browser_orders.seen_at = Some(now);
        browser_orders.plan_checkout(counts, now)
    }

    /// Records that a request begins to open an order. Its tickets count as reserved until the
    /// order is recorded as opened or refused, or until a reservation would have ended.
    pub fn record_order_opening_started(
        &self,
        browser: &Browser,
        counts: &RequestedTickets,
        now: Timestamp,
    ) {
        let mut browser_orders = self.0.entry(*browser).or_default();
        browser_orders
            .unsettled
            .push((counts.clone(), now.plus_seconds(ACTUAL_RESERVATION_SECONDS)));
    }

    /// Forgets the opening of an order that was refused, because it left the reservations
    /// unchanged.
    pub fn record_order_opening_refused(
        &self,
        browser: &Browser,
        counts: &RequestedTickets,
        now: Timestamp,
    ) {
        if let Some(mut browser_orders) = self.0.get_mut(browser) {
            browser_orders.remove_unsettled_openings(counts, now);
        }
    }

    /// Whether this node remembers an order, a consent or a payment of the browser.
    pub fn remembers_browser(&self, browser: &Browser) -> bool {
        self.0.contains_key(browser)
    }

    /// Returns the browser's newest order for exactly these draws.
    pub fn newest_order_for_draws(
        &self,
        browser: &Browser,
        counts: &RequestedTickets,
    ) -> Option<TrackedOrder> {
        let browser_orders = self.0.get(browser)?;
        browser_orders
            .orders
            .iter()
            .rev()
            .find(|tracked| tracked.counts.keys().eq(counts.keys()))
            .cloned()
    }

    /// Returns the number of tickets of a draw that this browser has reserved.
    pub fn reserved_tickets(&self, browser: &Browser, draw: DrawId, now: Timestamp) -> u16 {
        let browser_orders = self.0.get(browser);
        let orders = browser_orders
            .as_ref()
            .map_or(&[][..], |browser_orders| &browser_orders.orders);
        let live = orders.iter().filter(|tracked| tracked.is_live(now));
        live.filter_map(|tracked| tracked.counts.get(&draw)).sum()
    }

    /// Returns the number of tickets that some of the browser's orders have reserved.
    pub fn reserved_by_orders(&self, browser: &Browser, orders: &[OrderId], now: Timestamp) -> u16 {
        let browser_orders = self.0.get(browser);
        let tracked = browser_orders
            .as_ref()
            .map_or(&[][..], |browser_orders| &browser_orders.orders);
        tracked
            .iter()
            .filter(|tracked| orders.contains(&tracked.order) && tracked.is_live(now))
            .flat_map(|tracked| tracked.counts.values())
            .sum()
    }

    /// Records that an order was opened, and forgets its unsettled opening.
    pub fn record_opened_order(&self, browser: &Browser, tracked: TrackedOrder, now: Timestamp) {
        let mut browser_orders = self.0.entry(*browser).or_default();
        browser_orders.orders.retain(|old| {
            old.order != tracked.order
                && now < old.reserved_until.plus_seconds(BROWSER_IDLE_SECONDS_MAX)
        });
        browser_orders.remove_unsettled_openings(&tracked.counts, now);
        browser_orders.orders.push(tracked);
        browser_orders.seen_at = Some(now);
    }

    /// Returns the browser that opened an order. `None` after a restart or when the browser was
    /// idle for an hour.
    pub fn browser_of(&self, order: OrderId) -> Option<Browser> {
        let has = |browser_orders: &BrowserOrders| {
            browser_orders
                .orders
                .iter()
                .any(|tracked| tracked.order == order)
        };
        self.0
            .iter()
            .find(|entry| has(entry.value()))
            .map(|entry| *entry.key())
    }

    /// Marks an order as finished, so that it counts as reserving no tickets.
    pub fn mark_finished(&self, browser: &Browser, order: OrderId) {
        if let Some(mut browser_orders) = self.0.get_mut(browser) {
            browser_orders
                .orders
                .iter_mut()
                .filter(|tracked| tracked.order == order)
                .for_each(|tracked| tracked.is_finished = true);
        }
    }

    /// Remembers that the browser paid for an order that it opened itself.
    pub fn record_paid_order(&self, browser: &Browser, order: OrderId, now: Timestamp) {
        self.0.entry(*browser).or_default().paid_at = Some(now);
        self.mark_finished(browser, order);
    }

    /// Whether the browser has paid on this node before. Such a browser has a quota of unpaid
    /// tickets of its own, instead of sharing its network's quota.
    pub fn has_paid(&self, browser: &Browser, now: Timestamp) -> bool {
        self.0
            .get(browser)
            .is_some_and(|browser_orders| browser_orders.has_paid(now))
    }

    /// Records the new end of a reservation that was extended. `shown_until` is the end that the
    /// buyer sees.
    pub fn record_reservation_extended(
        &self,
        browser: &Browser,
        order: OrderId,
        shown_until: Timestamp,
    ) {
        if let Some(mut browser_orders) = self.0.get_mut(browser) {
            for tracked in browser_orders
                .orders
                .iter_mut()
                .filter(|tracked| tracked.order == order)
            {
                tracked.reserved_until = shown_until
                    .plus_seconds(ACTUAL_RESERVATION_SECONDS - SHOWN_RESERVATION_SECONDS);
            }
        }
    }

    /// Remembers that the browser gave the two consents of a purchase before the order exists
    /// (decision C-12).
    pub fn record_consents(&self, browser: &Browser, now: Timestamp) {
        let mut browser_orders = self.0.entry(*browser).or_default();
        (browser_orders.consented_at, browser_orders.seen_at) = (Some(now), Some(now));
    }

    /// Whether the browser gave the two consents of a purchase within the last 30 minutes.
    pub fn has_consented(&self, browser: &Browser, now: Timestamp) -> bool {
        let consented_at = self
            .0
            .get(browser)
            .and_then(|browser_orders| browser_orders.consented_at);
        consented_at.is_some_and(|at| now < at.plus_seconds(CONSENT_REMEMBERED_SECONDS))
    }

    /// Removes idle browsers from memory.
    pub fn remove_idle_browsers(&self, now: Timestamp) {
        self.0.retain(|_, browser_orders| {
            // Remove browsers without an order, opening, consent or payment, so that mere visitors
            // take no memory.
            let holds = !browser_orders.orders.is_empty()
                || !browser_orders.unsettled.is_empty()
                || browser_orders.consented_at.is_some();
            // Keep an entry whose lock is held. A new entry would have another lock, so two
            // requests of one browser could run at once.
            let is_opening = Arc::strong_count(&browser_orders.turn) > 1;
            let ends = browser_orders
                .orders
                .iter()
                .map(|tracked| tracked.reserved_until)
                .chain(browser_orders.seen_at);
            is_opening
                || browser_orders.has_paid(now)
                || holds
                    && ends
                        .max()
                        .is_some_and(|end| now < end.plus_seconds(BROWSER_IDLE_SECONDS_MAX))
        });
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    const NOW: Timestamp = Timestamp(1_000_000);
    const BROWSER: Browser = Browser([7; 16]);

    fn requested_tickets(list: &[(i64, u16)]) -> RequestedTickets {
        list.iter()
            .map(|(draw, count)| (DrawId(*draw), *count))
            .collect()
    }

    fn tracked_order(order: u128, list: &[(i64, u16)]) -> TrackedOrder {
        TrackedOrder {
            order: OrderId(order),
            counts: requested_tickets(list),
            generation: 0,
            attempt: None,
            reserved_until: NOW.plus_seconds(150),
            is_finished: false,
        }
    }

    #[test]
    fn browser_has_one_open_order_per_draw() {
        let orders = OpenOrders::default();
        orders.record_opened_order(&BROWSER, tracked_order(1, &[(1001, 2)]), NOW);
        let again = orders.plan_checkout(&BROWSER, &requested_tickets(&[(1001, 5)]), NOW);
        assert_eq!(
            again,
            CheckoutPlan {
                generation: 0,
                is_new: false,
                abandon: vec![],
                reserved_elsewhere: 0
            }
        );
        let cart = orders.plan_checkout(&BROWSER, &requested_tickets(&[(1001, 1), (1002, 1)]), NOW);
        assert_eq!(
            cart,
            CheckoutPlan {
                generation: 0,
                is_new: true,
                abandon: vec![OrderId(1)],
                reserved_elsewhere: 0
            }
        );
        let other = orders.plan_checkout(&BROWSER, &requested_tickets(&[(1003, 1)]), NOW);
        assert_eq!(
            other,
            CheckoutPlan {
                generation: 0,
                is_new: true,
                abandon: vec![],
                reserved_elsewhere: 2
            }
        );
        let stranger =
            orders.plan_checkout(&Browser([8; 16]), &requested_tickets(&[(1001, 5)]), NOW);
        assert_eq!(
            stranger,
            CheckoutPlan {
                generation: 0,
                is_new: true,
                abandon: vec![],
                reserved_elsewhere: 0
            }
        );
    }

    #[test]
    fn browser_that_paid_is_remembered_for_thirty_days() {
        let orders = OpenOrders::default();
        orders.record_opened_order(&BROWSER, tracked_order(1, &[(1001, 50)]), NOW);
        assert!(!orders.has_paid(&BROWSER, NOW));
        orders.record_paid_order(&BROWSER, OrderId(1), NOW);
        assert_eq!(
            orders.reserved_tickets(&BROWSER, DrawId(1001), NOW),
            0,
            "the order is over"
        );
        let last = NOW.plus_seconds(PAID_BROWSER_REMEMBERED_SECONDS - 1);
        orders.remove_idle_browsers(last);
        assert!(orders.has_paid(&BROWSER, last));
        assert!(!orders.has_paid(&Browser([8; 16]), last));
        orders.remove_idle_browsers(last.plus_seconds(1));
        assert!(!orders.has_paid(&BROWSER, last.plus_seconds(1)));
        assert!(
            !orders.remembers_browser(&BROWSER),
            "the browser is forgotten"
        );
    }

    #[actix_web::test]
    async fn browser_opens_one_order_at_a_time() {
        let orders = OpenOrders::default();
        let first = orders.lock_browser(&BROWSER).await;
        let mut second = Box::pin(orders.lock_browser(&BROWSER));
        assert!((&mut second).now_or_never().is_none(), "the first is held");
        assert!(
            orders
                .lock_browser(&Browser([8; 16]))
                .now_or_never()
                .is_some()
        );
        orders.remove_idle_browsers(NOW.plus_seconds(2 * BROWSER_IDLE_SECONDS_MAX));
        assert!(
            orders.lock_browser(&BROWSER).now_or_never().is_none(),
            "a sweep forgets no held turn"
        );
        drop(first);
        assert!(second.now_or_never().is_some());
        orders.remove_idle_browsers(NOW.plus_seconds(2 * BROWSER_IDLE_SECONDS_MAX));
        assert!(!orders.remembers_browser(&BROWSER));
    }

    #[test]
    fn unsettled_opening_counts_until_its_reservation_would_end() {
        let orders = OpenOrders::default();
        let elsewhere = |list: &[(i64, u16)], now| {
            orders
                .plan_checkout(&BROWSER, &requested_tickets(list), now)
                .reserved_elsewhere
        };
        orders.record_order_opening_started(&BROWSER, &requested_tickets(&[(1001, 50)]), NOW);
        assert_eq!(elsewhere(&[(1002, 50)], NOW), 50);
        assert_eq!(elsewhere(&[(1001, 50)], NOW), 0, "the same order");
        assert_eq!(
            elsewhere(&[(1001, 1), (1002, 1)], NOW),
            50,
            "another order, which does not replace the first"
        );
        let end = NOW.plus_seconds(ACTUAL_RESERVATION_SECONDS);
        assert_eq!(elsewhere(&[(1002, 50)], end), 0);
        orders.record_order_opening_refused(&BROWSER, &requested_tickets(&[(1001, 7)]), NOW);
        assert_eq!(elsewhere(&[(1002, 50)], NOW), 0, "it was refused");
        orders.record_order_opening_started(&BROWSER, &requested_tickets(&[(1001, 50)]), NOW);
        orders.record_opened_order(&BROWSER, tracked_order(1, &[(1001, 20)]), NOW);
        assert_eq!(elsewhere(&[(1002, 50)], NOW), 20, "it is known now");
    }

    #[test]
    fn finished_or_expired_order_reserves_nothing() {
        let orders = OpenOrders::default();
        orders.record_opened_order(&BROWSER, tracked_order(1, &[(1001, 50)]), NOW);
        orders.mark_finished(&BROWSER, OrderId(1));
        assert_eq!(
            orders
                .plan_checkout(&BROWSER, &requested_tickets(&[(1002, 1)]), NOW)
                .reserved_elsewhere,
            0
        );
        orders.record_opened_order(&BROWSER, tracked_order(2, &[(1003, 50)]), NOW);
        assert_eq!(
            orders
                .plan_checkout(&BROWSER, &requested_tickets(&[(1002, 1)]), NOW)
                .reserved_elsewhere,
            50
        );
        assert_eq!(
            orders
                .plan_checkout(
                    &BROWSER,
                    &requested_tickets(&[(1002, 1)]),
                    NOW.plus_seconds(150)
                )
                .reserved_elsewhere,
            0
        );
    }

    #[test]
    fn order_that_is_not_abandoned_still_reserves_its_tickets() {
        let orders = OpenOrders::default();
        orders.record_opened_order(&BROWSER, tracked_order(1, &[(1001, 50), (1002, 30)]), NOW);
        orders.record_opened_order(&BROWSER, tracked_order(2, &[(1001, 10), (1003, 5)]), NOW);
        orders.record_opened_order(&BROWSER, tracked_order(3, &[(1004, 1)]), NOW);
        let plan = orders.plan_checkout(&BROWSER, &requested_tickets(&[(1001, 50)]), NOW);
        assert_eq!(plan.abandon, [OrderId(1), OrderId(2)]);
        assert_eq!(plan.reserved_elsewhere, 1);
        orders.mark_finished(&BROWSER, OrderId(2));
        let still_reserved = |at| orders.reserved_by_orders(&BROWSER, &plan.abandon, at);
        assert_eq!(still_reserved(NOW), 80, "the buyer is paying the first");
        assert_eq!(still_reserved(NOW.plus_seconds(150)), 0);
    }

    #[test]
    fn client_key_proves_the_browser() {
        let draws = || [DrawId(1001), DrawId(1002)].into_iter();
        let key = client_key(&BROWSER, draws(), 3);
        assert!(is_opened_by(&BROWSER, &key, draws()));
        assert!(!is_opened_by(&Browser([8; 16]), &key, draws()));
        assert!(!is_opened_by(&BROWSER, &key, [DrawId(1001)].into_iter()));
        assert!(!is_opened_by(&BROWSER, "nonsense", draws()));
    }
}
