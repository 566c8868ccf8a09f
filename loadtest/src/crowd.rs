//! The whole crowd at once: everybody arrives when their plan says, and everything they were told is collected.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use indicatif::{ProgressBar, ProgressStyle};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::browser::Site;
use crate::buyer;
use crate::plan::BuyerPlan;
use crate::told::{Told, Verdict};

/// How a crowd is let in.
#[derive(Clone, Debug)]
pub struct Gate {
    /// Draw number of each index in the plans.
    pub draws: Vec<i64>,
    /// How long a buyer keeps asking for a full draw whose reservations may still lapse.
    pub keen: Duration,
    /// How many shop at the same moment.
    pub at_once: usize,
}

/// Plays every plan and waits for the last buyer to turn away.
pub async fn send(
    site: Arc<Site>,
    plans: Vec<BuyerPlan>,
    gate: Gate,
    bar: ProgressBar,
) -> Result<Vec<Told>> {
    let opened = site.now();
    let gate = Arc::new(gate);
    let room = Arc::new(Semaphore::new(gate.at_once));
    let mut tasks = JoinSet::new();
    for plan in plans {
        let (site, gate, room) = (Arc::clone(&site), Arc::clone(&gate), Arc::clone(&room));
        tasks.spawn(async move {
            let arrives = opened + Duration::from_millis(plan.arrives_ms);
            tokio::time::sleep(arrives.saturating_sub(site.now())).await;
            let _place = room.acquire_owned().await?;
            buyer::play(site, &plan, &gate.draws, gate.keen).await
        });
    }
    let mut tolds = Vec::new();
    let mut tickets = 0;
    while let Some(told) = tasks.join_next().await {
        let told = told??;
        tickets += told.tickets.len();
        bar.inc(1);
        bar.set_message(format!("{tickets} tickets shown"));
        tolds.push(told);
    }
    bar.finish();
    tolds.sort_by_key(|told| told.buyer);
    Ok(tolds)
}

/// A bar that says who is through; silent when nobody looks.
pub fn bar(name: &str, people: usize) -> ProgressBar {
    let bar = ProgressBar::new(people as u64);
    if let Ok(style) =
        ProgressStyle::with_template("{prefix:>12} {bar:40} {pos}/{len} {elapsed} {msg}")
    {
        bar.set_style(style);
    }
    bar.set_prefix(name.to_owned());
    bar
}

/// How many went away with each verdict.
pub fn verdicts(tolds: &[Told]) -> Vec<(Verdict, usize)> {
    Verdict::ALL
        .into_iter()
        .map(|verdict| {
            (
                verdict,
                tolds.iter().filter(|told| told.verdict == verdict).count(),
            )
        })
        .filter(|(_, count)| *count > 0)
        .collect()
}
