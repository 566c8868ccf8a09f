//! Compares values of the product with values of a rival, measured alternately in rounds. The
//! result is the median of the ratios.

use crate::report::Table;

/// Whether higher or lower values are better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BetterDirection {
    Higher,
    Lower,
}

/// The goal of a comparison: a minimum, or a maximum if lower values are better.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ComparisonGoal {
    /// No goal. The value is only shown.
    None,
    /// A goal for the ratio of the product's value to the rival's.
    Ratio(f64),
    /// A goal for the product's value itself.
    Figure(f64),
}

/// A quantity that is measured once in each round, for the product and, if there is one, for a
/// rival.
#[derive(Clone, Debug)]
pub struct Comparison {
    pub what: String,
    pub unit: &'static str,
    pub rival: &'static str,
    pub better: BetterDirection,
    pub goal: ComparisonGoal,
    rounds: Vec<(f64, Option<f64>)>,
}

impl Comparison {
    pub fn new(
        what: impl Into<String>,
        unit: &'static str,
        rival: &'static str,
        better: BetterDirection,
    ) -> Self {
        Self {
            what: what.into(),
            unit,
            rival,
            better,
            goal: ComparisonGoal::None,
            rounds: Vec::new(),
        }
    }

    /// Creates a comparison of the product's value with a fixed goal, without a rival.
    pub fn with_fixed_goal(
        what: impl Into<String>,
        unit: &'static str,
        better: BetterDirection,
        goal: f64,
    ) -> Self {
        Self {
            goal: ComparisonGoal::Figure(goal),
            ..Self::new(what, unit, "", better)
        }
    }

    pub fn with_ratio_goal(self, ratio: f64) -> Self {
        Self {
            goal: ComparisonGoal::Ratio(ratio),
            ..self
        }
    }

    pub fn add_round(&mut self, product: f64, rival_figure: f64) {
        self.rounds.push((product, Some(rival_figure)));
    }

    pub fn add_product_figure(&mut self, product: f64) {
        self.rounds.push((product, None));
    }

    /// Returns the product's value in each round.
    pub fn product_figures(&self) -> Vec<f64> {
        self.rounds.iter().map(|round| round.0).collect()
    }

    fn rival_figures(&self) -> Vec<f64> {
        self.rounds.iter().filter_map(|round| round.1).collect()
    }

    /// Returns the ratio of the product's value to the rival's, for each round.
    pub fn ratios(&self) -> Vec<f64> {
        let both = self
            .rounds
            .iter()
            .filter_map(|(product, rival)| rival.map(|rival| (product, rival)));
        both.map(|(product, rival_figure)| {
            if rival_figure > 0.0 {
                product / rival_figure
            } else {
                0.0
            }
        })
        .collect()
    }

    /// Returns whether the goal is reached, or `None` when there is no goal.
    pub fn is_goal_reached(&self) -> Option<bool> {
        let (figure, goal) = match self.goal {
            ComparisonGoal::None => return None,
            ComparisonGoal::Ratio(goal) => (median(self.ratios()), goal),
            ComparisonGoal::Figure(goal) => (median(self.product_figures()), goal),
        };
        Some(if self.better == BetterDirection::Higher {
            figure >= goal
        } else {
            figure <= goal
        })
    }

    fn format_goal(&self) -> String {
        let sign = if self.better == BetterDirection::Higher {
            "≥"
        } else {
            "≤"
        };
        match self.goal {
            ComparisonGoal::None => String::new(),
            ComparisonGoal::Ratio(goal) => format!("{sign} {goal} ×"),
            ComparisonGoal::Figure(goal) => format!("{sign} {goal} {}", self.unit),
        }
    }
}

/// Returns the median of the values, or zero if there are none.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => 0.0,
        odd if odd % 2 == 1 => values[odd / 2],
        even => f64::midpoint(values[even / 2 - 1], values[even / 2]),
    }
}

pub fn comparison_table(comparisons: &[Comparison]) -> Table {
    let mut table = Table::new(
        "Medians",
        &[
            "",
            "unit",
            "ours",
            "beside",
            "",
            "ratio",
            "from – to",
            "goal",
            "",
        ],
    );
    for comparison in comparisons {
        let (ratios, rival_figure) = (comparison.ratios(), comparison.rival_figures());
        let range = if ratios.is_empty() {
            format_range(&comparison.product_figures(), format_figure)
        } else {
            format_range(&ratios, format_ratio)
        };
        table.add_row([
            comparison.what.clone(),
            comparison.unit.to_owned(),
            format_figure(median(comparison.product_figures())),
            if rival_figure.is_empty() {
                String::new()
            } else {
                format_figure(median(rival_figure))
            },
            comparison.rival.to_owned(),
            if ratios.is_empty() {
                String::new()
            } else {
                format_ratio(median(ratios))
            },
            range,
            comparison.format_goal(),
            comparison
                .is_goal_reached()
                .map_or(
                    "",
                    |is_goal_reached| if is_goal_reached { "met" } else { "missed" },
                )
                .to_owned(),
        ]);
    }
    table
}

fn format_range(values: &[f64], format_figure: fn(f64) -> String) -> String {
    let (least, most) = values
        .iter()
        .fold((f64::MAX, f64::MIN), |(low, high), one| {
            (low.min(*one), high.max(*one))
        });
    if values.is_empty() {
        String::new()
    } else {
        format!("{} – {}", format_figure(least), format_figure(most))
    }
}

fn format_ratio(ratio: f64) -> String {
    format!("{ratio:.2}")
}

fn format_figure(figure: f64) -> String {
    if figure >= 100.0 {
        format!("{figure:.0}")
    } else {
        format!("{figure:.1}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn median_ratio_ignores_one_bad_round() {
        let mut comparison =
            Comparison::new("x", "a second", "raw", BetterDirection::Higher).with_ratio_goal(2.0);
        for (product, rival_figure) in [(300.0, 100.0), (10.0, 100.0), (250.0, 100.0)] {
            comparison.add_round(product, rival_figure);
        }
        assert_eq!(
            (median(comparison.ratios()), comparison.is_goal_reached()),
            (2.5, Some(true))
        );
        assert_eq!(
            comparison_table(&[comparison]).rows[1][5..],
            ["2.50", "0.10 – 3.00", "≥ 2 ×", "met"].map(String::from)
        );
    }

    #[test]
    fn goal_is_a_maximum_where_less_is_better() {
        let mut comparison =
            Comparison::new("lag", "ms", "bare", BetterDirection::Lower).with_ratio_goal(1.1);
        comparison.add_round(120.0, 100.0);
        assert_eq!(comparison.is_goal_reached(), Some(false));
        assert_eq!((median(vec![]), median(vec![1.0, 2.0])), (0.0, 1.5));
    }

    #[test]
    fn comparison_without_rival_uses_fixed_goal() {
        let mut comparison =
            Comparison::with_fixed_goal("cold start", "ms", BetterDirection::Lower, 2_000.0);
        comparison.add_product_figure(1_500.0);
        assert_eq!(comparison.is_goal_reached(), Some(true));
        assert_eq!(
            comparison_table(&[comparison]).rows[1][2..6],
            ["1500", "", "", ""].map(String::from)
        );
    }
}
