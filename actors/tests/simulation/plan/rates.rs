//! What goes wrong now and then.

use super::some;
use crate::simulation::chance::Chance;
use crate::simulation::plan::{MINUTE, SECOND};

/// How often each thing goes wrong, per thousand, while it is not calm.
#[derive(Clone, Debug, Default)]
pub struct Rates {
    // The books.
    pub not_written: u64,
    /// The answer to a commit that was made is lost.
    pub written_unknown: u64,
    pub unwritten_unknown: u64,
    pub unread: u64,
    pub books_slow_ms: u64,
    // The provider.
    /// 429 or connection refused.
    pub unavailable: u64,
    pub timeout_before: u64,
    pub timeout_after: u64,
    /// A server error that it remembers under the key: without the effect, or in spite of it.
    pub cached_error: u64,
    pub cached_error_after: u64,
    pub provider_slow_ms: u64,
    /// It is away for so long around the first kick-off.
    pub outage_ms: u64,
    pub notice_lost: u64,
    pub notice_doubled: u64,
    /// Up to a quarter of an hour, so that later ones come first.
    pub notice_late: u64,
    // The buyer, the bank and the browser.
    pub declined: u64,
    pub challenged: u64,
    pub challenge_ms: u64,
    pub call_lost: u64,
    pub beacon_lost: u64,
    pub tab_closed: u64,
    pub double_click: u64,
    pub resized: u64,
    pub left: u64,
    /// The buyer was shown another amount than the order's.
    pub surprised: u64,
    pub server_confirms: u64,
    // The post.
    pub post_shut: u64,
}

impl Rates {
    pub fn of(chance: &Chance) -> Rates {
        Rates {
            not_written: some(chance, 100),
            written_unknown: some(chance, 100),
            unwritten_unknown: some(chance, 50),
            unread: some(chance, 50),
            books_slow_ms: some(chance, 30),
            unavailable: some(chance, 200),
            timeout_before: some(chance, 150),
            timeout_after: some(chance, 150),
            cached_error: some(chance, 100),
            cached_error_after: some(chance, 50),
            provider_slow_ms: *chance.one_of(&[0, 300, 1_500, 20_000]),
            outage_ms: if chance.below(4) == 0 {
                chance.between(20 * SECOND, 3 * MINUTE)
            } else {
                0
            },
            declined: some(chance, 300),
            challenged: some(chance, 600),
            challenge_ms: chance.between(10 * SECOND, 400 * SECOND),
            notice_lost: some(chance, 600),
            notice_doubled: some(chance, 500),
            notice_late: some(chance, 400),
            call_lost: some(chance, 600),
            beacon_lost: some(chance, 600),
            tab_closed: some(chance, 400),
            double_click: some(chance, 500),
            resized: some(chance, 300),
            left: some(chance, 200),
            surprised: some(chance, 50),
            server_confirms: some(chance, 500),
            post_shut: some(chance, 300),
        }
    }
}
