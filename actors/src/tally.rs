//! What the engine counts of its own work, for whoever watches the machine. Counts begin with the process.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use domain::Timestamp;

/// Upper ends of the buckets, in seconds; the last one has none.
pub const BUCKETS_SECONDS: [f64; 11] = [
    0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0,
];

/// How long something took, counted in buckets.
#[derive(Debug, Default)]
pub struct Timings {
    buckets: [AtomicU64; BUCKETS_SECONDS.len() + 1],
    sum_micros: AtomicU64,
}

impl Timings {
    pub fn note(&self, took: Duration) {
        let seconds = took.as_secs_f64();
        let place = BUCKETS_SECONDS
            .iter()
            .position(|end| seconds <= *end)
            .unwrap_or(BUCKETS_SECONDS.len());
        self.buckets[place].fetch_add(1, Ordering::Relaxed);
        self.sum_micros
            .fetch_add(took.as_micros() as u64, Ordering::Relaxed);
    }

    /// Nothing was counted.
    pub fn is_none_yet(&self) -> bool {
        self.buckets
            .iter()
            .all(|bucket| bucket.load(Ordering::Relaxed) == 0)
    }

    /// How many took at most as long as each bucket's end; the last number is all of them.
    pub fn up_to(&self) -> [u64; BUCKETS_SECONDS.len() + 1] {
        let mut sum = 0;
        std::array::from_fn(|place| {
            sum += self.buckets[place].load(Ordering::Relaxed);
            sum
        })
    }

    /// All of them together.
    pub fn sum_seconds(&self) -> f64 {
        self.sum_micros.load(Ordering::Relaxed) as f64 / 1e6
    }
}

/// The engine's counters.
#[derive(Debug, Default)]
pub struct Tally {
    /// From the question to the draw to the commit that gave the tickets, whole orders.
    pub allocations: Timings,
    tickets_sold: AtomicU64,
    /// Zero: none yet.
    last_round_ms: AtomicI64,
}

impl Tally {
    /// Tickets that were sold; what is taken back later does not count down.
    pub fn tickets_sold(&self) -> u64 {
        self.tickets_sold.load(Ordering::Relaxed)
    }

    /// When the reconciler last came to the end of a round.
    pub fn last_round(&self) -> Option<Timestamp> {
        Some(Timestamp(self.last_round_ms.load(Ordering::Relaxed))).filter(|at| at.0 > 0)
    }

    pub(crate) fn sold(&self, tickets: usize) {
        self.tickets_sold
            .fetch_add(tickets as u64, Ordering::Relaxed);
    }

    pub(crate) fn round_ended(&self, at: Timestamp) {
        self.last_round_ms.store(at.0, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_bucket_holds_what_took_no_longer() {
        let timings = Timings::default();
        for ms in [5, 6, 700, 60_000] {
            timings.note(Duration::from_millis(ms));
        }
        assert_eq!(timings.up_to(), [1, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 4]);
        assert!((timings.sum_seconds() - 60.711).abs() < 1e-6);
    }
}
