//! How often each frequent fault happens in a simulated world.

use super::random_amount;
use crate::simulation::plan::{MINUTE, SECOND};
use crate::simulation::random_stream::RandomStream;

/// The rate of each fault in the fault phase, per thousand. Fields with the suffix `_ms` are
/// durations in milliseconds.
#[derive(Clone, Debug, Default)]
pub struct FaultRates {
    // Database faults follow. A commit is not written, and the caller is told so.
    pub not_written: u64,
    /// A commit was written but its answer is lost.
    pub written_unknown: u64,
    pub unwritten_unknown: u64,
    pub unread: u64,
    pub books_slow_ms: u64,
    // Provider faults follow.
    // The provider answers 429 or refuses the connection.
    pub unavailable: u64,
    pub timeout_before: u64,
    pub timeout_after: u64,
    /// A server error that the provider stores under the idempotency key: first without, then with
    /// the effect.
    pub cached_error: u64,
    pub cached_error_after: u64,
    pub provider_slow_ms: u64,
    /// Length of a provider outage around the first kick-off, in milliseconds.
    pub outage_ms: u64,
    pub notice_lost: u64,
    pub notice_doubled: u64,
    /// A webhook is up to 15 minutes late, so that later ones overtake it.
    pub notice_late: u64,
    // Faults of buyers, banks and browsers follow. The card is declined.
    pub declined: u64,
    pub challenged: u64,
    pub challenge_ms: u64,
    pub call_lost: u64,
    pub beacon_lost: u64,
    pub tab_closed: u64,
    pub double_click: u64,
    pub resized: u64,
    pub left: u64,
    /// The buyer is shown a different amount than the order's.
    pub surprised: u64,
    pub server_confirms: u64,
    // Mail faults follow. The mail server rejects mails.
    pub post_shut: u64,
}

impl FaultRates {
    pub fn of(random: &RandomStream) -> FaultRates {
        FaultRates {
            not_written: random_amount(random, 100),
            written_unknown: random_amount(random, 100),
            unwritten_unknown: random_amount(random, 50),
            unread: random_amount(random, 50),
            books_slow_ms: random_amount(random, 30),
            unavailable: random_amount(random, 200),
            timeout_before: random_amount(random, 150),
            timeout_after: random_amount(random, 150),
            cached_error: random_amount(random, 100),
            cached_error_after: random_amount(random, 50),
            provider_slow_ms: *random.one_of(&[0, 300, 1_500, 20_000]),
            outage_ms: if random.below(4) == 0 {
                random.between(20 * SECOND, 3 * MINUTE)
            } else {
                0
            },
            declined: random_amount(random, 300),
            challenged: random_amount(random, 600),
            challenge_ms: random.between(10 * SECOND, 400 * SECOND),
            notice_lost: random_amount(random, 600),
            notice_doubled: random_amount(random, 500),
            notice_late: random_amount(random, 400),
            call_lost: random_amount(random, 600),
            beacon_lost: random_amount(random, 600),
            tab_closed: random_amount(random, 400),
            double_click: random_amount(random, 500),
            resized: random_amount(random, 300),
            left: random_amount(random, 200),
            surprised: random_amount(random, 50),
            server_confirms: random_amount(random, 500),
            post_shut: random_amount(random, 300),
        }
    }
}
