//! Which unpaid orders each browser has: one for a draw or a cart at a time, at most 50 tickets reserved (decision C-2).

use std::collections::BTreeMap;

use dashmap::DashMap;
use domain::reservation::{KEPT_SECONDS, SHOWN_SECONDS};
use domain::{DrawId, OrderId, Timestamp};
use sha2::{Digest, Sha256};

use crate::identity::Browser;

/// Tickets one browser may have reserved at a time, over all its orders.
pub const RESERVED_PER_BROWSER_MAX: u16 = 50;
/// A browser that has not bought for so long is forgotten; the books still know its orders.
const FORGOTTEN_AFTER_SECONDS: i64 = 3600;
/// How long a confirmed age and agreement waits for its order.
const CONSENT_WAITS_SECONDS: i64 = 1800;

/// Which draws, ascending, and how many tickets of each.
pub type Counts = BTreeMap<DrawId, u16>;

/// One order a browser opened.
#[derive(Clone, Debug)]
pub struct Known {
    pub order: OrderId,
    pub counts: Counts,
    /// Which of the browser's orders for the same draws it is.
    pub generation: u32,
    /// The client's own key for the attempt, if it gave one.
    pub attempt: Option<String>,
    /// When its reservation ends, the grace after the shown end included.
    pub kept_until: Timestamp,
    /// Its tickets are bought, or it was given up: nothing is reserved for it.
    pub over: bool,
}

#[derive(Default)]
struct Shelf {
    orders: Vec<Known>,
    /// What is being opened just now: it counts before anybody knows its order, so that calls at once do not add up.
    opening: Vec<(u64, Counts)>,
    openings: u64,
    consented_at: Option<Timestamp>,
    seen_at: Option<Timestamp>,
}

#[derive(Default)]
pub struct OpenOrders(DashMap<Browser, Shelf>);

/// What to do before an order is opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Where to begin looking in the books.
    pub generation: u32,
    /// Nothing unpaid is known for these draws: this call makes a new payment intent.
    pub is_new: bool,
    /// Other unpaid orders that have one of these draws: a browser has one live reservation for a draw.
    pub give_up: Vec<OrderId>,
    /// Tickets reserved by what stays.
    pub reserved_elsewhere: u16,
}

/// The books' key of a browser's n-th order for some draws. Nobody can guess it without the browser's cookie.
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

/// Whether an order is the browser's own: its key can only have been made from this browser's cookie.
pub fn is_own(browser: &Browser, client_key: &str, draws: impl Iterator<Item = DrawId>) -> bool {
    let generation = client_key
        .rsplit_once('-')
        .and_then(|(_, generation)| generation.parse().ok());
    generation.is_some_and(|generation| self::client_key(browser, draws, generation) == client_key)
}

/// An order is being opened for a browser, until this is dropped.
pub struct Opening<'a> {
    orders: &'a OpenOrders,
    browser: Browser,
    number: u64,
}

impl Drop for Opening<'_> {
    fn drop(&mut self) {
        if let Some(mut shelf) = self.orders.0.get_mut(&self.browser) {
            shelf.opening.retain(|(number, _)| *number != self.number);
        }
    }
}

impl Shelf {
    fn plan(&self, counts: &Counts, now: Timestamp) -> Plan {
        let same = |known: &&Known| known.counts.keys().eq(counts.keys());
        let live = |known: &&Known| !known.over && now < known.kept_until;
        let overlaps = |other: &Counts| other.keys().any(|draw| counts.contains_key(draw));
        let others: Vec<&Known> = self
            .orders
            .iter()
            .filter(live)
            .filter(|known| !same(known))
            .collect();
        let current = self.orders.iter().rev().find(same);
        let kept = others
            .iter()
            .map(|known| &known.counts)
            .chain(self.opening.iter().map(|(_, counts)| counts));
        Plan {
            generation: current.map_or(0, |known| known.generation),
            is_new: current.is_none_or(|known| known.over || now >= known.kept_until),
            give_up: others
                .iter()
                .filter(|known| overlaps(&known.counts))
                .map(|known| known.order)
                .collect(),
            reserved_elsewhere: kept
                .filter(|other| !overlaps(other))
                .flat_map(Counts::values)
                .sum(),
        }
    }
}

impl OpenOrders {
    /// What to do before opening, with what other calls of this browser are opening at this moment.
    pub fn begin(&self, browser: &Browser, counts: &Counts, now: Timestamp) -> (Plan, Opening<'_>) {
        let mut shelf = self.0.entry(*browser).or_default();
        let plan = shelf.plan(counts, now);
        shelf.openings += 1;
        let number = shelf.openings;
        shelf.opening.push((number, counts.clone()));
        shelf.seen_at = Some(now);
        (
            plan,
            Opening {
                orders: self,
                browser: *browser,
                number,
            },
        )
    }

    /// Whether anything is known of a browser: an order, or a consent that waits for one.
    pub fn knows(&self, browser: &Browser) -> bool {
        self.0.contains_key(browser)
    }

    /// The newest order of a browser for exactly these draws.
    pub fn current(&self, browser: &Browser, counts: &Counts) -> Option<Known> {
        let shelf = self.0.get(browser)?;
        shelf
            .orders
            .iter()
            .rev()
            .find(|known| known.counts.keys().eq(counts.keys()))
            .cloned()
    }

    /// Tickets of a draw that are kept for this browser.
    pub fn reserved(&self, browser: &Browser, draw: DrawId, now: Timestamp) -> u16 {
        let shelf = self.0.get(browser);
        let orders = shelf.as_ref().map_or(&[][..], |shelf| &shelf.orders);
        let live = orders
            .iter()
            .filter(|known| !known.over && now < known.kept_until);
        live.filter_map(|known| known.counts.get(&draw)).sum()
    }

    pub fn opened(&self, browser: &Browser, known: Known, now: Timestamp) {
        let mut shelf = self.0.entry(*browser).or_default();
        shelf.orders.retain(|old| {
            old.order != known.order && now < old.kept_until.plus_seconds(FORGOTTEN_AFTER_SECONDS)
        });
        shelf.orders.push(known);
        shelf.seen_at = Some(now);
    }

    /// Whose unpaid order it is; `None` after a restart, or when the browser has been quiet for long.
    pub fn browser_of(&self, order: OrderId) -> Option<Browser> {
        let has = |shelf: &Shelf| shelf.orders.iter().any(|known| known.order == order);
        self.0
            .iter()
            .find(|entry| has(entry.value()))
            .map(|entry| *entry.key())
    }

    /// An order came to its end: nothing is reserved for it any more.
    pub fn over(&self, browser: &Browser, order: OrderId) {
        if let Some(mut shelf) = self.0.get_mut(browser) {
            shelf
                .orders
                .iter_mut()
                .filter(|known| known.order == order)
                .for_each(|known| known.over = true);
        }
    }

    /// "Keep my tickets" moved the end.
    pub fn extended(&self, browser: &Browser, order: OrderId, shown_until: Timestamp) {
        if let Some(mut shelf) = self.0.get_mut(browser) {
            for known in shelf.orders.iter_mut().filter(|known| known.order == order) {
                known.kept_until = shown_until.plus_seconds(KEPT_SECONDS - SHOWN_SECONDS);
            }
        }
    }

    /// Age and terms were confirmed before there was an order (decision C-12).
    pub fn consented(&self, browser: &Browser, now: Timestamp) {
        let mut shelf = self.0.entry(*browser).or_default();
        (shelf.consented_at, shelf.seen_at) = (Some(now), Some(now));
    }

    pub fn has_consented(&self, browser: &Browser, now: Timestamp) -> bool {
        let consented_at = self.0.get(browser).and_then(|shelf| shelf.consented_at);
        consented_at.is_some_and(|at| now < at.plus_seconds(CONSENT_WAITS_SECONDS))
    }

    pub fn sweep(&self, now: Timestamp) {
        self.0.retain(|_, shelf| {
            // Who only asked left nothing to remember: a crowd of strangers takes no memory.
            let holds = !shelf.orders.is_empty()
                || !shelf.opening.is_empty()
                || shelf.consented_at.is_some();
            let ends = shelf
                .orders
                .iter()
                .map(|known| known.kept_until)
                .chain(shelf.seen_at);
            holds
                && ends
                    .max()
                    .is_some_and(|end| now < end.plus_seconds(FORGOTTEN_AFTER_SECONDS))
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp(1_000_000);
    const BROWSER: Browser = Browser([7; 16]);

    fn plan(orders: &OpenOrders, browser: &Browser, counts: &Counts, now: Timestamp) -> Plan {
        orders.begin(browser, counts, now).0
    }

    fn counts(list: &[(i64, u16)]) -> Counts {
        list.iter()
            .map(|(draw, count)| (DrawId(*draw), *count))
            .collect()
    }

    fn known(order: u128, list: &[(i64, u16)]) -> Known {
        Known {
            order: OrderId(order),
            counts: counts(list),
            generation: 0,
            attempt: None,
            kept_until: NOW.plus_seconds(150),
            over: false,
        }
    }

    #[test]
    fn a_browser_has_one_live_order_for_a_draw() {
        let orders = OpenOrders::default();
        orders.opened(&BROWSER, known(1, &[(1001, 2)]), NOW);
        let again = plan(&orders, &BROWSER, &counts(&[(1001, 5)]), NOW);
        assert_eq!(
            again,
            Plan {
                generation: 0,
                is_new: false,
                give_up: vec![],
                reserved_elsewhere: 0
            }
        );
        let cart = plan(&orders, &BROWSER, &counts(&[(1001, 1), (1002, 1)]), NOW);
        assert_eq!(
            cart,
            Plan {
                generation: 0,
                is_new: true,
                give_up: vec![OrderId(1)],
                reserved_elsewhere: 0
            }
        );
        let other = plan(&orders, &BROWSER, &counts(&[(1003, 1)]), NOW);
        assert_eq!(
            other,
            Plan {
                generation: 0,
                is_new: true,
                give_up: vec![],
                reserved_elsewhere: 2
            }
        );
        let stranger = plan(&orders, &Browser([8; 16]), &counts(&[(1001, 5)]), NOW);
        assert_eq!(
            stranger,
            Plan {
                generation: 0,
                is_new: true,
                give_up: vec![],
                reserved_elsewhere: 0
            }
        );
    }

    #[test]
    fn calls_at_once_do_not_add_up() {
        let orders = OpenOrders::default();
        let (first, opening) = orders.begin(&BROWSER, &counts(&[(1001, 50)]), NOW);
        assert_eq!(first.reserved_elsewhere, 0);
        assert_eq!(
            orders
                .begin(&BROWSER, &counts(&[(1002, 50)]), NOW)
                .0
                .reserved_elsewhere,
            50
        );
        assert_eq!(
            orders
                .begin(&BROWSER, &counts(&[(1001, 50)]), NOW)
                .0
                .reserved_elsewhere,
            0,
            "the same order"
        );
        drop(opening);
        assert_eq!(
            orders
                .begin(&BROWSER, &counts(&[(1002, 50)]), NOW)
                .0
                .reserved_elsewhere,
            0,
            "it came to nothing"
        );
    }

    #[test]
    fn what_is_bought_or_overdue_reserves_nothing() {
        let orders = OpenOrders::default();
        orders.opened(&BROWSER, known(1, &[(1001, 50)]), NOW);
        orders.over(&BROWSER, OrderId(1));
        assert_eq!(
            plan(&orders, &BROWSER, &counts(&[(1002, 1)]), NOW).reserved_elsewhere,
            0
        );
        orders.opened(&BROWSER, known(2, &[(1003, 50)]), NOW);
        assert_eq!(
            plan(&orders, &BROWSER, &counts(&[(1002, 1)]), NOW).reserved_elsewhere,
            50
        );
        assert_eq!(
            plan(
                &orders,
                &BROWSER,
                &counts(&[(1002, 1)]),
                NOW.plus_seconds(150)
            )
            .reserved_elsewhere,
            0
        );
    }

    #[test]
    fn an_orders_key_is_the_browsers_own() {
        let draws = || [DrawId(1001), DrawId(1002)].into_iter();
        let key = client_key(&BROWSER, draws(), 3);
        assert!(is_own(&BROWSER, &key, draws()));
        assert!(!is_own(&Browser([8; 16]), &key, draws()));
        assert!(!is_own(&BROWSER, &key, [DrawId(1001)].into_iter()));
        assert!(!is_own(&BROWSER, "nonsense", draws()));
    }
}
