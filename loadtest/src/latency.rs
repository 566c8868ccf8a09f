//! What was heard and how long it took, and the figures a person wants from it.

use std::time::Duration;

/// Which step of a purchase a call was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Call {
    Page,
    Draw,
    Open,
    Card,
    Finish,
    Order,
    Leave,
    Club,
}

impl Call {
    pub const ALL: [Self; 8] = [
        Self::Page,
        Self::Draw,
        Self::Open,
        Self::Card,
        Self::Finish,
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
            Self::Finish => "complete",
            Self::Order => "order page",
            Self::Leave => "leave checkout",
            Self::Club => "club",
        }
    }
}

/// One try of one call. Status 0 means that no answer came.
#[derive(Clone, Copy, Debug)]
pub struct Heard {
    pub call: Call,
    /// Since the run's start.
    pub at: Duration,
    pub took: Duration,
    pub status: u16,
}

/// Percentiles in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Percentiles {
    pub count: usize,
    pub p50: f64,
    pub p90: f64,
    pub p99: f64,
    pub most: f64,
}

impl Percentiles {
    /// Nearest-rank percentiles: each figure is one that was really measured. All zero when nothing was.
    pub fn of(mut sample: Vec<f64>) -> Self {
        sample.sort_by(f64::total_cmp);
        let at = |p: f64| rank(&sample, p);
        Self {
            count: sample.len(),
            p50: at(50.0),
            p90: at(90.0),
            p99: at(99.0),
            most: at(100.0),
        }
    }
}

/// The smallest measured value that at least `p` percent of the sorted sample do not exceed.
pub fn rank(sorted: &[f64], p: f64) -> f64 {
    if sorted.is_empty() {
        return 0.0;
    }
    let nearest = (p / 100.0 * sorted.len() as f64).ceil() as usize;
    sorted[nearest.clamp(1, sorted.len()) - 1]
}

pub fn millis(took: Duration) -> f64 {
    took.as_secs_f64() * 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_the_nearest_measured_values() {
        let figures = Percentiles::of((1..=200).rev().map(f64::from).collect());
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
    fn one_value_is_every_percentile_and_nothing_is_zero() {
        let one = Percentiles::of(vec![7.0]);
        assert_eq!((one.p50, one.p99, one.most), (7.0, 7.0, 7.0));
        assert_eq!(Percentiles::of(Vec::new()), Percentiles::default());
    }

    #[test]
    fn the_tail_is_not_rounded_away() {
        let mut sample = vec![1.0; 98];
        sample.extend([50.0, 90.0]);
        let figures = Percentiles::of(sample);
        assert_eq!((figures.p50, figures.p99, figures.most), (1.0, 50.0, 90.0));
    }
}
