//! The negative control: the same crowd over the same bad lines, before a house that has lost a guard. If nobody were wronged there,
//! the matrix would prove nothing.

use anyhow::Result;
use persistence::disturbance::Disturbance;

use super::Place;
use super::cell::{Cell, Phase};
use super::toxic::{Line, Toxic};
use crate::audit::Check;

/// Answers are lost, and requests come twice: exactly what the order's key is for.
const CELLS: [Cell; 2] = [
    Cell { line: Line::Browser, toxic: Toxic::ResetAfter, phase: Phase::Rush },
    Cell { line: Line::Browser, toxic: Toxic::Doubled, phase: Phase::Rush },
];

/// Plays it in a house of its own; broken when nothing was broken.
pub async fn play(seed: u64) -> Result<Check> {
    let place = Place::open(seed).await?;
    let outcome = unguarded(&place, seed).await;
    place.close().await?;
    let missed = outcome?;
    let asleep = (missed == 0).then(|| "the books knew no order again, and nobody noticed".to_owned());
    let name = format!("control: without the order's key the same lines break promises ({missed} broken)");
    Ok(Check::new(name, CELLS.len(), asleep.into_iter().collect()))
}

/// How many promises were broken.
async fn unguarded(place: &Place, seed: u64) -> Result<usize> {
    Disturbance::of(&place.embedded.url())?.forget_clients().await?;
    let report = super::play(place, &CELLS, seed).await?;
    let kept = "one payment intent a buyer";
    Ok(report.checks.iter().filter(|check| check.name.contains(kept)).map(|check| check.broken.len()).sum())
}
