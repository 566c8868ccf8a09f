//! What happens once or twice in a world, if at all.

use super::some;
use crate::simulation::chance::Chance;
use crate::simulation::plan::{MINUTE, SECOND};

/// How often each rare thing happens in the whole run.
#[derive(Clone, Debug, Default)]
pub struct Fates {
    // Processes.
    pub crashes: u64,
    /// The process hangs, another takes over, and the first wakes again.
    pub hangs: u64,
    /// The process cannot reach the books, another takes over, and the first reaches them again.
    pub partitions: u64,
    /// Two processes at once, as in a rolling deploy.
    pub deploys: u64,
    /// A draw is claimed by somebody who then does nothing with it.
    pub thefts: u64,
    /// How far a process's clock may be off, and how often it is set while the process runs.
    pub skew_ms: u64,
    pub clocks_set: u64,
    // Clubs and operators.
    pub kick_offs_moved: u64,
    /// Kick-off is moved to this very moment.
    pub closed_now: u64,
    pub prices_edited: u64,
    /// Early or in time; half of them are taken back.
    pub results: u64,
    pub games_off: u64,
    pub refunds: u64,
    /// An operator works through what is open: marks it resolved, gives tickets, gives money back, scans.
    pub repairs: u64,
    // Strangers.
    /// Somebody captures, refunds, disputes or lets expire at the provider, past us.
    pub meddling: u64,
    pub disputes: u64,
    /// A payment of another account that names an order of ours.
    pub forgeries: u64,
}

impl Fates {
    pub fn of(chance: &Chance) -> Fates {
        let now_and_then = |one_in: u64, most: u64| {
            if chance.below(one_in) == 0 {
                chance.between(1, most)
            } else {
                0
            }
        };
        Fates {
            crashes: some(chance, 10),
            hangs: some(chance, 2),
            partitions: some(chance, 2),
            deploys: some(chance, 2),
            thefts: some(chance, 4),
            skew_ms: *chance.one_of(&[0, 0, 500, 10 * SECOND, 10 * MINUTE]),
            clocks_set: now_and_then(4, 3),
            kick_offs_moved: some(chance, 3),
            closed_now: now_and_then(8, 1),
            prices_edited: some(chance, 3),
            results: now_and_then(3, 2),
            games_off: now_and_then(8, 1),
            refunds: some(chance, 5),
            repairs: now_and_then(3, 4),
            meddling: now_and_then(4, 3),
            disputes: now_and_then(8, 2),
            forgeries: now_and_then(8, 2),
        }
    }
}
