//! Counters and histograms of the engine's work since the process started.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use domain::Timestamp;

/// Upper bounds of the histogram buckets, in seconds. One more bucket has no upper bound.
pub const BUCKETS_SECONDS: [f64; 11] = [
    0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0,
];

/// A histogram of durations.
#[derive(Debug, Default)]
pub struct DurationHistogram {
    buckets: [AtomicU64; BUCKETS_SECONDS.len() + 1],
    sum_micros: AtomicU64,
}

impl DurationHistogram {
    /// Adds a duration.
    pub fn record(&self, took: Duration) {
        let seconds = took.as_secs_f64();
        let bucket = BUCKETS_SECONDS
            .iter()
            .position(|upper_bound| seconds <= *upper_bound)
            .unwrap_or(BUCKETS_SECONDS.len());
        self.buckets[bucket].fetch_add(1, Ordering::Relaxed);
        self.sum_micros
            .fetch_add(took.as_micros() as u64, Ordering::Relaxed);
    }

    /// Whether the histogram is empty.
    pub fn is_empty_histogram(&self) -> bool {
        self.buckets
            .iter()
            .all(|bucket| bucket.load(Ordering::Relaxed) == 0)
    }

    /// Returns the cumulative counts: durations up to each bucket's upper bound. The last count is
    /// the total.
    pub fn cumulative_counts(&self) -> [u64; BUCKETS_SECONDS.len() + 1] {
        let mut sum = 0;
        std::array::from_fn(|bucket| {
            sum += self.buckets[bucket].load(Ordering::Relaxed);
            sum
        })
    }

    /// Returns the sum of all durations, in seconds.
    pub fn total_seconds(&self) -> f64 {
        self.sum_micros.load(Ordering::Relaxed) as f64 / 1e6
    }
}

/// The metrics of one engine.
#[derive(Debug, Default)]
pub struct EngineMetrics {
    /// Duration of an order's allocation: from the first command to a draw to the last commit.
    pub allocations: DurationHistogram,
    tickets_sold: AtomicU64,
    /// Milliseconds since 1970. Zero: no pass has ended yet.
    last_pass_ms: AtomicI64,
}

impl EngineMetrics {
    /// Returns how many tickets were sold. Refunded tickets are not subtracted.
    pub fn tickets_sold(&self) -> u64 {
        self.tickets_sold.load(Ordering::Relaxed)
    }

    /// Returns when the reconciler last ended a pass.
    pub fn last_pass_at(&self) -> Option<Timestamp> {
        Some(Timestamp(self.last_pass_ms.load(Ordering::Relaxed))).filter(|at| at.0 > 0)
    }

    pub(crate) fn add_tickets_sold(&self, tickets: usize) {
        self.tickets_sold
            .fetch_add(tickets as u64, Ordering::Relaxed);
    }

    pub(crate) fn record_pass_end(&self, at: Timestamp) {
        self.last_pass_ms.store(at.0, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn histogram_counts_durations_up_to_each_bound() {
        let timings = DurationHistogram::default();
        for ms in [5, 6, 700, 60_000] {
            timings.record(Duration::from_millis(ms));
        }
        assert_eq!(
            timings.cumulative_counts(),
            [1, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 4]
        );
        assert!((timings.total_seconds() - 60.711).abs() < 1e-6);
    }
}
