//! The negative control: the same house, crowd and auditors, and a line to the provider that lies. Everybody is shown their tickets
//! and nobody is charged; if the audit did not go red, the matrix would prove nothing.

use std::time::Duration;

use anyhow::Result;

use super::cell::{Cell, Phase};
use super::toxic::{Line, Toxic};
use super::{Place, judge};
use crate::audit::Check;

const CELL: Cell = Cell {
    line: Line::Provider,
    toxic: Toxic::Lies,
    phase: Phase::Rush,
};
/// What must be found broken, by the words that the audit has for it.
const PROMISES: [&str; 2] = ["whole and paid", "to the cent"];

/// Broken when the audit found nothing. The line lies until the audit is over, and the house is good for nothing afterwards.
pub async fn play(place: &Place, draw: i64, seed: u64) -> Result<Check> {
    let link = CELL.link(&place.links);
    link.poison(Some(CELL.toxic));
    let tolds = CELL.send(place, draw, seed).await?;
    let buyers = tolds.len();
    let mut checks = Vec::new();
    // Nothing of this comes to rest: it is not waited for.
    judge(place, tolds, Duration::ZERO, &mut checks).await?;
    link.poison(None);
    Ok(Check::new(
        "control: where captures are a lie, the audit finds it",
        buyers,
        missed(&checks),
    ))
}

fn missed(checks: &[Check]) -> Vec<String> {
    let is_found = |promise: &&str| {
        checks
            .iter()
            .any(|check| check.name.contains(*promise) && !check.broken.is_empty())
    };
    let missed = PROMISES.iter().filter(|promise| !is_found(promise));
    missed
        .map(|promise| format!("the line lied, and \"{promise}\" was found kept"))
        .collect()
}
