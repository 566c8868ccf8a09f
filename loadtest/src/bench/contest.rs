//! Figures taken in turn, ours and another's, round by round; what counts is the middle of the ratios.

use crate::report::Table;

/// Which of two figures is the better one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    More,
    Less,
}

/// One thing measured of us and of a rival, once a round.
#[derive(Clone, Debug)]
pub struct Contest {
    pub what: String,
    pub unit: &'static str,
    pub rival: &'static str,
    pub better: Better,
    /// What we want to reach at least (at most, where less is better); `None`: it is only shown.
    pub goal: Option<f64>,
    rounds: Vec<(f64, f64)>,
}

impl Contest {
    pub fn new(what: impl Into<String>, unit: &'static str, rival: &'static str, better: Better) -> Self {
        Self { what: what.into(), unit, rival, better, goal: None, rounds: Vec::new() }
    }

    pub fn goal(self, goal: f64) -> Self {
        Self { goal: Some(goal), ..self }
    }

    pub fn round(&mut self, ours: f64, theirs: f64) {
        self.rounds.push((ours, theirs));
    }

    /// Ours by theirs in each round.
    pub fn ratios(&self) -> Vec<f64> {
        self.rounds.iter().map(|(ours, theirs)| if *theirs > 0.0 { ours / theirs } else { 0.0 }).collect()
    }

    /// `None`: nobody has said what to reach.
    pub fn reached(&self) -> Option<bool> {
        let ratio = median(self.ratios());
        self.goal.map(|goal| if self.better == Better::More { ratio >= goal } else { ratio <= goal })
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
    let mut table = Table::new("Medians", &["", "unit", "ours", "beside", "", "ratio", "from – to", "goal"]);
    for contest in contests {
        let side = |pick: fn(&(f64, f64)) -> f64| shown(median(contest.rounds.iter().map(pick).collect()));
        let ratios = contest.ratios();
        let (least, most) = ratios.iter().fold((f64::MAX, f64::MIN), |(low, high), r| (low.min(*r), high.max(*r)));
        let sign = if contest.better == Better::More { "≥" } else { "≤" };
        let goal = contest.goal.map_or(String::new(), |goal| {
            format!("{sign} {goal} {}", if contest.reached() == Some(true) { "reached" } else { "not yet" })
        });
        table.row([
            contest.what.clone(),
            contest.unit.to_owned(),
            side(|round| round.0),
            side(|round| round.1),
            contest.rival.to_owned(),
            format!("{:.2}", median(ratios.clone())),
            if ratios.is_empty() { String::new() } else { format!("{least:.2} – {most:.2}") },
            goal,
        ]);
    }
    table
}

fn shown(figure: f64) -> String {
    if figure >= 100.0 { format!("{figure:.0}") } else { format!("{figure:.1}") }
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
        assert_eq!((median(contest.ratios()), contest.reached()), (2.5, Some(true)));
        assert_eq!(table(&[contest]).rows[1][5..7], ["2.50".to_owned(), "0.10 – 3.00".to_owned()]);
    }

    #[test]
    fn where_less_is_better_the_goal_is_a_ceiling() {
        let mut contest = Contest::new("lag", "ms", "bare", Better::Less).goal(1.1);
        contest.round(120.0, 100.0);
        assert_eq!(contest.reached(), Some(false));
        assert_eq!((median(vec![]), median(vec![1.0, 2.0])), (0.0, 1.5));
    }
}
