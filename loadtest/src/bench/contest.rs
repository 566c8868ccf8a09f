//! Figures taken in turn, ours and another's, round by round; what counts is the middle of the ratios.

use crate::report::Table;

/// Which of two figures is the better one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    More,
    Less,
}

/// What we want to reach at least (at most, where less is better).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Goal {
    /// Only shown.
    None,
    /// Of ours by theirs.
    Ratio(f64),
    /// Of our own figure.
    Figure(f64),
}

/// One thing measured of us, and of a rival where there is one, once a round.
#[derive(Clone, Debug)]
pub struct Contest {
    pub what: String,
    pub unit: &'static str,
    pub rival: &'static str,
    pub better: Better,
    pub goal: Goal,
    rounds: Vec<(f64, Option<f64>)>,
}

impl Contest {
    pub fn new(
        what: impl Into<String>,
        unit: &'static str,
        rival: &'static str,
        better: Better,
    ) -> Self {
        Self {
            what: what.into(),
            unit,
            rival,
            better,
            goal: Goal::None,
            rounds: Vec::new(),
        }
    }

    /// Of us alone, against a figure.
    pub fn alone(what: impl Into<String>, unit: &'static str, better: Better, goal: f64) -> Self {
        Self {
            goal: Goal::Figure(goal),
            ..Self::new(what, unit, "", better)
        }
    }

    pub fn goal(self, ratio: f64) -> Self {
        Self {
            goal: Goal::Ratio(ratio),
            ..self
        }
    }

    pub fn round(&mut self, ours: f64, theirs: f64) {
        self.rounds.push((ours, Some(theirs)));
    }

    pub fn figure(&mut self, ours: f64) {
        self.rounds.push((ours, None));
    }

    /// Our figures, round by round.
    pub fn ours(&self) -> Vec<f64> {
        self.rounds.iter().map(|round| round.0).collect()
    }

    fn theirs(&self) -> Vec<f64> {
        self.rounds.iter().filter_map(|round| round.1).collect()
    }

    /// Ours by theirs in each round.
    pub fn ratios(&self) -> Vec<f64> {
        let both = self
            .rounds
            .iter()
            .filter_map(|(ours, theirs)| theirs.map(|theirs| (ours, theirs)));
        both.map(|(ours, theirs)| if theirs > 0.0 { ours / theirs } else { 0.0 })
            .collect()
    }

    /// `None`: nobody has said what to reach.
    pub fn reached(&self) -> Option<bool> {
        let (found, goal) = match self.goal {
            Goal::None => return None,
            Goal::Ratio(goal) => (median(self.ratios()), goal),
            Goal::Figure(goal) => (median(self.ours()), goal),
        };
        Some(if self.better == Better::More {
            found >= goal
        } else {
            found <= goal
        })
    }

    fn goal_shown(&self) -> String {
        let sign = if self.better == Better::More {
            "≥"
        } else {
            "≤"
        };
        match self.goal {
            Goal::None => String::new(),
            Goal::Ratio(goal) => format!("{sign} {goal} ×"),
            Goal::Figure(goal) => format!("{sign} {goal} {}", self.unit),
        }
    }
}

/// The middle of an odd number of values; of an even number, the mean of the two in the middle. Zero of none.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => 0.0,
        odd if odd % 2 == 1 => values[odd / 2],
        even => f64::midpoint(values[even / 2 - 1], values[even / 2]),
    }
}

pub fn table(contests: &[Contest]) -> Table {
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
    for contest in contests {
        let (ratios, theirs) = (contest.ratios(), contest.theirs());
        let range = if ratios.is_empty() {
            range(&contest.ours(), shown)
        } else {
            range(&ratios, hundredths)
        };
        table.row([
            contest.what.clone(),
            contest.unit.to_owned(),
            shown(median(contest.ours())),
            if theirs.is_empty() {
                String::new()
            } else {
                shown(median(theirs))
            },
            contest.rival.to_owned(),
            if ratios.is_empty() {
                String::new()
            } else {
                hundredths(median(ratios))
            },
            range,
            contest.goal_shown(),
            contest
                .reached()
                .map_or("", |reached| if reached { "met" } else { "missed" })
                .to_owned(),
        ]);
    }
    table
}

fn range(values: &[f64], shown: fn(f64) -> String) -> String {
    let (least, most) = values
        .iter()
        .fold((f64::MAX, f64::MIN), |(low, high), one| {
            (low.min(*one), high.max(*one))
        });
    if values.is_empty() {
        String::new()
    } else {
        format!("{} – {}", shown(least), shown(most))
    }
}

fn hundredths(ratio: f64) -> String {
    format!("{ratio:.2}")
}

fn shown(figure: f64) -> String {
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
    fn the_middle_ratio_decides_and_one_bad_round_does_not() {
        let mut contest = Contest::new("x", "a second", "raw", Better::More).goal(2.0);
        for (ours, theirs) in [(300.0, 100.0), (10.0, 100.0), (250.0, 100.0)] {
            contest.round(ours, theirs);
        }
        assert_eq!(
            (median(contest.ratios()), contest.reached()),
            (2.5, Some(true))
        );
        assert_eq!(
            table(&[contest]).rows[1][5..],
            ["2.50", "0.10 – 3.00", "≥ 2 ×", "met"].map(String::from)
        );
    }

    #[test]
    fn where_less_is_better_the_goal_is_a_ceiling() {
        let mut contest = Contest::new("lag", "ms", "bare", Better::Less).goal(1.1);
        contest.round(120.0, 100.0);
        assert_eq!(contest.reached(), Some(false));
        assert_eq!((median(vec![]), median(vec![1.0, 2.0])), (0.0, 1.5));
    }

    #[test]
    fn what_has_no_rival_is_held_against_a_figure() {
        let mut contest = Contest::alone("cold start", "ms", Better::Less, 2_000.0);
        contest.figure(1_500.0);
        assert_eq!(contest.reached(), Some(true));
        assert_eq!(
            table(&[contest]).rows[1][2..6],
            ["1500", "", "", ""].map(String::from)
        );
    }
}
