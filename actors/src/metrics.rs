//! Counters and histograms of the engine's work since the process started.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use domain::{ForeignPaymentKind, Timestamp};

/// Upper bounds of the histogram buckets, in seconds. One more bucket has no upper bound.
pub const HISTOGRAM_BOUNDS_SECONDS: [f64; 11] = [
    0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0,
];

/// A histogram of durations with the buckets of [`HISTOGRAM_BOUNDS_SECONDS`].
#[derive(Debug, Default)]
pub struct DurationHistogram {
    buckets: [AtomicU64; HISTOGRAM_BOUNDS_SECONDS.len() + 1],
    sum_micros: AtomicU64,
}

impl DurationHistogram {
    /// Adds a duration.
    pub fn record_duration(&self, took: Duration) {
        let seconds = took.as_secs_f64();
        let bucket = HISTOGRAM_BOUNDS_SECONDS
            .iter()
            .position(|upper_bound| seconds <= *upper_bound)
            .unwrap_or(HISTOGRAM_BOUNDS_SECONDS.len());
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

    /// Returns for each bucket the number of durations up to its upper bound. The last number is
    /// the total.
    pub fn cumulative_counts(&self) -> [u64; HISTOGRAM_BOUNDS_SECONDS.len() + 1] {
        let mut sum = 0;
        std::array::from_fn(|bucket| {
            sum += self.buckets[bucket].load(Ordering::Relaxed);
            sum
        })
    }

    /// Returns the sum of all durations, in seconds.
    pub fn sum_of_durations_seconds(&self) -> f64 {
        self.sum_micros.load(Ordering::Relaxed) as f64 / 1e6
    }
}

/// The metrics of one engine.
#[derive(Debug, Default)]
pub struct EngineMetrics {
    /// Duration of an order's allocation, from the first command to a draw until the last commit.
    pub allocations: DurationHistogram,
    tickets_sold: AtomicU64,
    /// Payments of others that were seen, in the order of [`ForeignPaymentKind::ALL`].
    foreign_payments: [AtomicU64; ForeignPaymentKind::ALL.len()],
    unknown_account_events: AtomicU64,
    /// When the reconciler last ended a pass, in milliseconds since 1970. A node that is not the
    /// oldest skips the work of a pass but records its end. Zero: never.
    last_pass_ms: AtomicI64,
}

impl EngineMetrics {
    /// Returns the number of tickets sold. Refunded tickets are not subtracted.
    pub fn tickets_sold(&self) -> u64 {
        self.tickets_sold.load(Ordering::Relaxed)
    }

    /// Returns how often payments that are not this platform's were seen and left alone. A payment
    /// counts each time that a webhook event or a list of payments shows it.
    pub fn foreign_payments(&self) -> [(ForeignPaymentKind, u64); ForeignPaymentKind::ALL.len()] {
        ForeignPaymentKind::ALL.map(|kind| {
            (
                kind,
                self.foreign_payment_count(kind).load(Ordering::Relaxed),
            )
        })
    }

    /// Returns the number of webhook events of accounts that no club has.
    pub fn unknown_account_events(&self) -> u64 {
        self.unknown_account_events.load(Ordering::Relaxed)
    }

    /// Returns when the reconciler last ended a pass. `None`: never.
    pub fn last_reconciler_pass_at(&self) -> Option<Timestamp> {
        Some(Timestamp(self.last_pass_ms.load(Ordering::Relaxed))).filter(|at| at.0 > 0)
    }

    pub(crate) fn add_tickets_sold(&self, tickets: usize) {
        self.tickets_sold
            .fetch_add(tickets as u64, Ordering::Relaxed);
    }

    pub(crate) fn count_foreign_payment(&self, kind: ForeignPaymentKind) {
        self.foreign_payment_count(kind)
            .fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn count_unknown_account_event(&self) {
        self.unknown_account_events.fetch_add(1, Ordering::Relaxed);
    }

    fn foreign_payment_count(&self, kind: ForeignPaymentKind) -> &AtomicU64 {
        &self.foreign_payments[kind as usize]
    }

    pub(crate) fn record_reconciler_pass_end(&self, at: Timestamp) {
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
            timings.record_duration(Duration::from_millis(ms));
        }
        assert_eq!(
            timings.cumulative_counts(),
            [1, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 4]
        );
        assert!((timings.sum_of_durations_seconds() - 60.711).abs() < 1e-6);
    }
}
