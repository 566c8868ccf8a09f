//! Simulates all buyers of a run at the same time. Each arrives at the planned time. All
//! transcripts are collected.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use indicatif::{ProgressBar, ProgressStyle};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::browser::RunSettings;
use crate::buyer;
use crate::crowd_plan::BuyerPlan;
use crate::transcript::{BuyerTranscript, PurchaseVerdict};

/// How buyers are admitted, and which draws they buy from.
#[derive(Clone, Debug)]
pub struct CrowdAdmission {
    /// The draw number for each draw index of the plans.
    pub draws: Vec<i64>,
    /// How long a buyer waits while a draw is full but reservations may still expire.
    pub wait_for_tickets: Duration,
    /// Maximum number of buyers who shop at the same time.
    pub at_once: usize,
}

/// Simulates the buyers of all plans, and waits for the last one.
pub async fn simulate_buyers(
    site: Arc<RunSettings>,
    plans: Vec<BuyerPlan>,
    admission: CrowdAdmission,
    bar: ProgressBar,
) -> Result<Vec<BuyerTranscript>> {
    let opened = site.elapsed();
    let admission = Arc::new(admission);
    let slots = Arc::new(Semaphore::new(admission.at_once));
    let mut tasks = JoinSet::new();
    for plan in plans {
        let (site, admission, slots) = (
            Arc::clone(&site),
            Arc::clone(&admission),
            Arc::clone(&slots),
        );
        tasks.spawn(async move {
            let arrives = opened + Duration::from_millis(plan.arrives_ms);
            tokio::time::sleep(arrives.saturating_sub(site.elapsed())).await;
            let _permit = slots.acquire_owned().await?;
            buyer::simulate_buyer(site, &plan, &admission.draws, admission.wait_for_tickets).await
        });
    }
    let mut transcripts = Vec::new();
    let mut tickets = 0;
    while let Some(transcript) = tasks.join_next().await {
        let transcript = transcript??;
        tickets += transcript.tickets.len();
        bar.inc(1);
        bar.set_message(format!("{tickets} tickets shown"));
        transcripts.push(transcript);
    }
    bar.finish();
    transcripts.sort_by_key(|transcript| transcript.buyer);
    Ok(transcripts)
}

/// Creates a progress bar. It prints nothing when there is no terminal.
pub fn progress_bar(name: &str, people: usize) -> ProgressBar {
    let bar = ProgressBar::new(people as u64);
    if let Ok(style) =
        ProgressStyle::with_template("{prefix:>12} {bar:40} {pos}/{len} {elapsed} {msg}")
    {
        bar.set_style(style);
    }
    bar.set_prefix(name.to_owned());
    bar
}

/// Returns the number of buyers for each verdict.
pub fn count_verdicts(transcripts: &[BuyerTranscript]) -> Vec<(PurchaseVerdict, usize)> {
    PurchaseVerdict::ALL
        .into_iter()
        .map(|verdict| {
            (
                verdict,
                transcripts
                    .iter()
                    .filter(|transcript| transcript.verdict == verdict)
                    .count(),
            )
        })
        .filter(|(_, count)| *count > 0)
        .collect()
}
