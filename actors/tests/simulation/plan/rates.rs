//! How often each frequent fault happens in a simulated world.

use super::zero_or_random_up_to;
use crate::simulation::plan::{MINUTE_MS, SECOND_MS};
use crate::simulation::random_stream::RandomStream;

/// The rate of each fault in the fault phase, per thousand. Fields with the suffix `_ms` are
/// durations in milliseconds.
#[derive(Clone, Debug, Default)]
pub struct FaultRates {
    // Database faults. A commit is not written, and the caller is told so.
    pub not_written: u64,
    /// A commit was written but its answer is lost.
    pub written_unknown: u64,
    pub unwritten_unknown: u64,
    pub read_failed: u64,
    pub database_slow_ms: u64,
    // Provider faults. The provider answers 429 or refuses the connection.
    pub unavailable: u64,
    pub timeout_before: u64,
    pub timeout_after: u64,
    /// The provider stores a server error under the idempotency key, and the request has no effect.
    pub cached_error: u64,
    /// The provider stores a server error under the idempotency key, although the request had its
    /// effect.
    pub cached_error_after: u64,
    pub provider_slow_ms: u64,
    /// Length of a provider outage around the first kick-off, in milliseconds.
    pub outage_ms: u64,
    pub webhook_lost: u64,
    pub webhook_doubled: u64,
    /// A webhook is up to 15 minutes late, so that later ones overtake it.
    pub webhook_late: u64,
    // Faults of buyers, banks and browsers. The card is declined.
    pub declined: u64,
    pub challenged: u64,
    pub challenge_ms: u64,
    pub call_lost: u64,
    pub beacon_lost: u64,
    pub tab_closed: u64,
    pub double_click: u64,
    pub resized: u64,
    pub order_abandoned: u64,
    /// The buyer is shown a different amount than the order's.
    pub amount_changed: u64,
    pub server_confirms: u64,
    // Mail faults. The mail server rejects mails.
    pub mail_server_down: u64,
}

impl FaultRates {
    pub fn random(random: &RandomStream) -> FaultRates {
        FaultRates {
            not_written: zero_or_random_up_to(random, 100),
            written_unknown: zero_or_random_up_to(random, 100),
            unwritten_unknown: zero_or_random_up_to(random, 50),
            read_failed: zero_or_random_up_to(random, 50),
            database_slow_ms: zero_or_random_up_to(random, 30),
            unavailable: zero_or_random_up_to(random, 200),
            timeout_before: zero_or_random_up_to(random, 150),
            timeout_after: zero_or_random_up_to(random, 150),
            cached_error: zero_or_random_up_to(random, 100),
            cached_error_after: zero_or_random_up_to(random, 50),
            provider_slow_ms: *random.one_of(&[0, 300, 1_500, 20_000]),
            outage_ms: if random.below(4) == 0 {
                random.between(20 * SECOND_MS, 3 * MINUTE_MS)
            } else {
                0
            },
            declined: zero_or_random_up_to(random, 300),
            challenged: zero_or_random_up_to(random, 600),
            challenge_ms: random.between(10 * SECOND_MS, 400 * SECOND_MS),
            webhook_lost: zero_or_random_up_to(random, 600),
            webhook_doubled: zero_or_random_up_to(random, 500),
            webhook_late: zero_or_random_up_to(random, 400),
            call_lost: zero_or_random_up_to(random, 600),
            beacon_lost: zero_or_random_up_to(random, 600),
            tab_closed: zero_or_random_up_to(random, 400),
            double_click: zero_or_random_up_to(random, 500),
            resized: zero_or_random_up_to(random, 300),
            order_abandoned: zero_or_random_up_to(random, 200),
            amount_changed: zero_or_random_up_to(random, 50),
            server_confirms: zero_or_random_up_to(random, 500),
            mail_server_down: zero_or_random_up_to(random, 300),
        }
    }
}
