//! Records of calls to the server with their durations, and percentiles of durations.

use std::time::Duration;

/// The kind of a call: the step of a purchase to which it belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CallKind {
    Page,
    Draw,
    Open,
    Card,
    Complete,
    Order,
    Leave,
    Club,
}

impl CallKind {
    pub const ALL: [Self; 8] = [
        Self::Page,
        Self::Draw,
        Self::Open,
        Self::Card,
        Self::Complete,
        Self::Order,
        Self::Leave,
        Self::Club,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Page => "page",
            Self::Draw => "draw",
            Self::Open => "open payment",
            Self::Card => "card (sandbox)",
            Self::Complete => "complete",
            Self::Order => "order page",
            Self::Leave => "leave checkout",
            Self::Club => "club",
        }
    }
}

/// One attempt of a call. A status of 0 means that no response came.
#[derive(Clone, Copy, Debug)]
pub struct CallRecord {
    pub call: CallKind,
    /// When the call started: the time since the start of the run.
    pub at: Duration,
    pub took: Duration,
    pub status: u16,
}

/// Percentiles of durations, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Percentiles {
    pub count: usize,
    pub p50: f64,
    pub p90: f64,
    pub p99: f64,
    pub most: f64,
}

impl Percentiles {
    /// Computes percentiles by the nearest-rank method, so that each is a measured value. All are
    /// zero for an empty sample.
    pub fn of_sample(mut sample: Vec<f64>) -> Self {
        sample.sort_by(f64::total_cmp);
        let at = |p: f64| nearest_rank(&sample, p);
        Self {
            count: sample.len(),
            p50: at(50.0),
            p90: at(90.0),
            p99: at(99.0),
            most: at(100.0),
        }
    }
}

/// Returns the smallest value of a sorted sample such that at least `p` percent of the values do
/// not exceed it.
pub fn nearest_rank(sorted: &[f64], p: f64) -> f64 {
    if sorted.is_empty() {
        return 0.0;
    }
    let nearest = (p / 100.0 * sorted.len() as f64).ceil() as usize;
    sorted[nearest.clamp(1, sorted.len()) - 1]
}

pub fn duration_ms(took: Duration) -> f64 {
    took.as_secs_f64() * 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_measured_values() {
        let figures = Percentiles::of_sample((1..=200).rev().map(f64::from).collect());
        assert_eq!(
            figures,
            Percentiles {
                count: 200,
                p50: 100.0,
                p90: 180.0,
                p99: 198.0,
                most: 200.0
            }
        );
    }

    #[test]
    fn single_value_is_every_percentile_and_empty_is_zero() {
        let one = Percentiles::of_sample(vec![7.0]);
        assert_eq!((one.p50, one.p99, one.most), (7.0, 7.0, 7.0));
        assert_eq!(Percentiles::of_sample(Vec::new()), Percentiles::default());
    }

    #[test]
    fn p99_includes_slow_values() {
        let mut sample = vec![1.0; 98];
        sample.extend([50.0, 90.0]);
        let figures = Percentiles::of_sample(sample);
        assert_eq!((figures.p50, figures.p99, figures.most), (1.0, 50.0, 90.0));
    }
}
