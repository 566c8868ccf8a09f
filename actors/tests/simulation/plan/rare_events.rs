//! How often each rare event happens in a simulated world.

use super::zero_or_random_up_to;
use crate::simulation::plan::{MINUTE_MS, SECOND_MS};
use crate::simulation::random_stream::RandomStream;

/// Number of occurrences of each rare event in one simulation.
#[derive(Clone, Debug, Default)]
pub struct RareEvents {
    // Faults of processes. A process is killed, and another starts.
    pub crashes: u64,
    /// A process hangs, another takes over, and the first resumes.
    pub hangs: u64,
    /// A process is cut off from the database, another takes over, and the first reconnects.
    pub partitions: u64,
    /// Two processes serve at the same time, as during a rolling deployment.
    pub deploys: u64,
    /// A draw is claimed by a node that then does nothing with it.
    pub claims_stolen: u64,
    /// Largest error of a process's clock in milliseconds.
    pub skew_ms: u64,
    /// The clock of a running process is changed.
    pub clocks_set: u64,
    // Actions of clubs and operators. Kick-off is moved to another time.
    pub kick_offs_moved: u64,
    /// Kick-off is moved to the current moment.
    pub kick_offs_now: u64,
    pub prices_edited: u64,
    /// A result is entered early or on time. Half of the results are undone later.
    pub results: u64,
    pub games_cancelled: u64,
    pub refunds: u64,
    /// An operator handles an open anomaly: resolves it, allocates tickets, refunds, or scans.
    pub repairs: u64,
    // Actions outside this system. A payment is captured, refunded, disputed or expired in the
    // provider's dashboard.
    pub external_changes: u64,
    pub disputes: u64,
    /// A payment of another account names an order of this system.
    pub forgeries: u64,
}

impl RareEvents {
    pub fn random(random: &RandomStream) -> RareEvents {
        let now_and_then = |one_in: u64, most: u64| {
            if random.below(one_in) == 0 {
                random.between(1, most)
            } else {
                0
            }
        };
        RareEvents {
            crashes: zero_or_random_up_to(random, 10),
            hangs: zero_or_random_up_to(random, 2),
            partitions: zero_or_random_up_to(random, 2),
            deploys: zero_or_random_up_to(random, 2),
            claims_stolen: zero_or_random_up_to(random, 4),
            skew_ms: *random.one_of(&[0, 0, 500, 10 * SECOND_MS, 10 * MINUTE_MS]),
            clocks_set: now_and_then(4, 3),
            kick_offs_moved: zero_or_random_up_to(random, 3),
            kick_offs_now: now_and_then(8, 1),
            prices_edited: zero_or_random_up_to(random, 3),
            results: now_and_then(3, 2),
            games_cancelled: now_and_then(8, 1),
            refunds: zero_or_random_up_to(random, 5),
            repairs: now_and_then(3, 4),
            external_changes: now_and_then(4, 3),
            disputes: now_and_then(8, 2),
            forgeries: now_and_then(8, 2),
        }
    }
}
