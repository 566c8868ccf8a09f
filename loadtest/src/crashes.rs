//! The crash loop. Buyers keep buying while the server and its Postgres are killed repeatedly.
//! After a number of kills the load stops, and everything that buyers were told is checked.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use clap::Args;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::MissedTickBehavior;

use crate::audit::{self, AuditCheck};
use crate::browser::RunSettings;
use crate::buyer;
use crate::crowd;
use crate::crowd_plan::{BuyerHabits, BuyerPlan, CrowdPlan};
use crate::draw_creation;
use crate::latency::{CallRecord, Percentiles};
use crate::report::{Report, Table};
use crate::test_run::{FINAL_OUTCOME_SECONDS_MAX, TestRun};
use crate::transcript::{BuyerTranscript, PurchaseVerdict};
use injected_faults::{CrashSchedule, CrashStats};

mod connection_faults;
mod full_disk;
mod injected_faults;

/// Number of tickets of a draw that the plan expects to sell. It is below the draw's 169, so that
/// no draw becomes full.
const EXPECTED_TICKETS_PER_DRAW: u64 = 120;
/// Expected number of tickets for each buyer.
const EXPECTED_TICKETS_PER_BUYER: u64 = 4;
/// Limit of concurrent buyers: as many as arrive in this number of seconds.
const CONCURRENT_BUYERS_SECONDS: usize = 15;
/// Maximum milliseconds until the server is ready again after it was killed.
const SERVER_READY_MS_MAX: f64 = 5_000.0;
/// Maximum milliseconds until the server is ready again after Postgres was killed.
const POSTGRES_READY_MS_MAX: f64 = 15_000.0;

#[derive(Args, Clone, Debug)]
pub struct CrashesArgs {
    /// Total number of kills. About every sixth kills Postgres, the others the server.
    #[arg(long, default_value_t = 400)]
    kills: u32,
    /// Number of kills after which the load pauses for an audit.
    #[arg(long, default_value_t = 25)]
    calm_every: u32,
    /// Seconds from readiness to the next fault, varied by a quarter. Together with the time of a
    /// restart there is a kill about every six seconds.
    #[arg(long, default_value_t = 3)]
    every: u64,
    /// Number of buyers who arrive in each second.
    #[arg(long, default_value_t = 20)]
    rate: u64,
    /// How often the disk of Postgres is filled completely after the kills.
    #[arg(long, default_value_t = 3)]
    full_disks: u32,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[arg(long, default_value = "report.html")]
    report: PathBuf,
    /// Whether to keep the server's folder after the run.
    #[arg(long)]
    keep: bool,
}

impl CrashesArgs {
    pub fn report_file(&self) -> &PathBuf {
        &self.report
    }
}

/// Sums over all rounds of the crash loop.
#[derive(Default)]
struct CrashLoopTotals {
    crash_stats: CrashStats,
    buyers: usize,
    /// Transcripts of buyers with a confirmed purchase. They are checked again at the end.
    acknowledged: Vec<BuyerTranscript>,
    checks: Vec<AuditCheck>,
    decided_after_ms: Vec<f64>,
}

impl CrashLoopTotals {
    /// Adds the checks of a round to those with the same name. Each failure gets the round's number
    /// as a prefix.
    fn add_checks(&mut self, round: u32, checks: Vec<AuditCheck>) {
        for mut check in checks {
            check
                .failures
                .iter_mut()
                .for_each(|failure| *failure = format!("round {round}: {failure}"));
            match self
                .checks
                .iter_mut()
                .find(|known| known.name == check.name)
            {
                Some(known) => {
                    known.examined += check.examined;
                    known.failures.append(&mut check.failures);
                }
                None => self.checks.push(check),
            }
        }
    }
}

pub async fn run_subcommand(crashes: &CrashesArgs) -> Result<Report> {
    ensure!(crashes.calm_every > 0 && crashes.rate > 0, "nothing to do");
    let test_run = TestRun::open(None, 1, Duration::from_secs(90)).await?;
    let outcome = run_crash_loop(&test_run, crashes).await;
    test_run.close(crashes.keep).await?;
    let mut report = outcome?;
    full_disk::test_full_disks(crashes, &mut report).await?;
    Ok(report)
}

async fn run_crash_loop(test_run: &TestRun, crashes: &CrashesArgs) -> Result<Report> {
    let mut totals = CrashLoopTotals::default();
    let mut round = 0;
    while totals.crash_stats.kill_count() < crashes.kills {
        round += 1;
        let kills = crashes
            .calm_every
            .min(crashes.kills - totals.crash_stats.kill_count());
        let transcripts =
            run_crash_round(test_run, crashes, round, kills, &mut totals.crash_stats).await?;
        audit_round(test_run, round, transcripts, &mut totals).await?;
        println!(
            "{} of {} kills, {} acknowledged, {} broken",
            totals.crash_stats.kill_count(),
            crashes.kills,
            totals.acknowledged.len(),
            totals
                .checks
                .iter()
                .map(|check| check.failures.len())
                .sum::<usize>()
        );
    }
    // Even the purchases that were confirmed in the first round must exist after the last.
    let (settled, _) = audit::wait_for_final_outcomes(
        &test_run.site,
        &totals.acknowledged,
        Duration::from_secs(FINAL_OUTCOME_SECONDS_MAX),
    )
    .await?;
    let still = audit::check_transcripts(&totals.acknowledged, &settled);
    totals
        .checks
        .extend(still.into_iter().take(1).map(|check| AuditCheck {
            name: format!("at the end, {}", check.name),
            ..check
        }));
    Ok(totals.into_report(crashes))
}

/// Lets buyers arrive at the given rate until all faults of this round were injected. Then waits
/// until the last buyer has finished.
async fn run_crash_round(
    test_run: &TestRun,
    crashes: &CrashesArgs,
    round: u32,
    kills: u32,
    crash_stats: &mut CrashStats,
) -> Result<Vec<BuyerTranscript>> {
    let seconds = u64::from(kills) * (crashes.every + 6);
    let draws = (crashes.rate * seconds * EXPECTED_TICKETS_PER_BUYER)
        .div_ceil(EXPECTED_TICKETS_PER_DRAW) as usize;
    let draws =
        draw_creation::create_test_draws(&test_run.site, &format!("Crash {round}"), draws).await?;
    let crowd = CrowdPlan {
        seed: crashes.seed + u64::from(round),
        buyers: (crashes.rate * seconds * 4) as usize,
        over_ms: 0,
        late: 0,
        most: 8,
        habits: BuyerHabits::of_rush_crowd(4),
        together: vec![(0..draws.len()).collect(); draws.len()],
    };
    let (stop, stop_receiver) = watch::channel(false);
    let buyer_tasks = tokio::spawn(run_buyer_crowd(
        Arc::clone(&test_run.site),
        crowd.buyer_plans(draws.len()),
        draws,
        crashes.rate,
        stop_receiver,
    ));
    let plan = CrashSchedule {
        kills,
        every: Duration::from_secs(crashes.every),
        seed: crashes.seed + u64::from(round),
    };
    let result = injected_faults::inject_faults(&test_run.server_process, plan, crash_stats).await;
    stop.send_replace(true);
    let transcripts = buyer_tasks.await?;
    result?;
    transcripts
}

async fn run_buyer_crowd(
    site: Arc<RunSettings>,
    plans: Vec<BuyerPlan>,
    draws: Vec<i64>,
    rate: u64,
    mut stop_receiver: watch::Receiver<bool>,
) -> Result<Vec<BuyerTranscript>> {
    let draws = Arc::new(draws);
    let mut tick = tokio::time::interval(Duration::from_micros(1_000_000 / rate));
    tick.set_missed_tick_behavior(MissedTickBehavior::Skip);
    let (mut buyer_tasks, mut transcripts) = (JoinSet::new(), Vec::new());
    for plan in plans {
        tokio::select! {
            biased;
            _ = stop_receiver.wait_for(|stop| *stop) => break,
            _ = tick.tick() => {}
        }
        // While too many buyers are active, none arrive. Otherwise buyers on a slow machine would
        // only wait for each other.
        while buyer_tasks.len() >= CONCURRENT_BUYERS_SECONDS * rate as usize
            && let Some(transcript) = buyer_tasks.join_next().await
        {
            transcripts.push(transcript??);
        }
        let (site, draws) = (Arc::clone(&site), Arc::clone(&draws));
        buyer_tasks
            .spawn(async move { buyer::simulate_buyer(site, &plan, &draws, Duration::ZERO).await });
    }
    while let Some(transcript) = buyer_tasks.join_next().await {
        transcripts.push(transcript??);
    }
    Ok(transcripts)
}

async fn audit_round(
    test_run: &TestRun,
    round: u32,
    transcripts: Vec<BuyerTranscript>,
    totals: &mut CrashLoopTotals,
) -> Result<()> {
    test_run
        .server_process
        .lock()
        .await
        .wait_until_ready(Duration::from_secs(60))
        .await?;
    let (settled, took) = audit::wait_for_final_outcomes(
        &test_run.site,
        &transcripts,
        Duration::from_secs(FINAL_OUTCOME_SECONDS_MAX),
    )
    .await?;
    totals.decided_after_ms.push(took.as_secs_f64() * 1000.0);
    let call_records: Vec<CallRecord> = transcripts
        .iter()
        .flat_map(|transcript| transcript.call_records.iter().copied())
        .collect();
    let mut checks = audit::check_transcripts(&transcripts, &settled);
    checks.push(audit::check_server_errors(&call_records, true));
    let mut database_report = Report::default();
    let access = test_run
        .server_process
        .lock()
        .await
        .database_access()
        .context("the server's database")?;
    crate::database_audit::audit_database(
        &test_run.site,
        Some(&access),
        test_run.initial_anomalies(),
        &mut database_report,
    )
    .await?;
    checks.extend(database_report.checks);
    // A run takes most of an hour, so failures are printed at once.
    for check in &checks {
        for failure in &check.failures {
            println!("failed: {}: {failure}", check.name);
        }
    }
    totals.add_checks(round, checks);
    totals.buyers += transcripts.len();
    let bought = transcripts
        .into_iter()
        .filter(|transcript| transcript.verdict == PurchaseVerdict::Bought);
    totals
        .acknowledged
        .extend(bought.map(|transcript| BuyerTranscript {
            call_records: Vec::new(),
            ..transcript
        }));
    Ok(())
}

impl CrashLoopTotals {
    fn into_report(self, crashes: &CrashesArgs) -> Report {
        let mut report = Report {
            title: "Football Doubles: the crash loop".to_owned(),
            ..Report::default()
        };
        let count = |name: &str| -> usize {
            self.checks
                .iter()
                .filter(|check| check.name.contains(name))
                .map(|check| check.failures.len())
                .sum()
        };
        let all: usize = self.checks.iter().map(|check| check.failures.len()).sum();
        let (lost, stuck) = (count("acknowledged purchase"), count("decided"));
        for (name, value) in [
            ("seed", crashes.seed.to_string()),
            (
                "kills",
                format!(
                    "{} ({} of Postgres)",
                    self.crash_stats.kill_count(),
                    self.crash_stats.postgres
                ),
            ),
            ("disturbances", self.crash_stats.describe_other_faults()),
            ("buyers", self.buyers.to_string()),
            (
                "acknowledged purchases",
                self.acknowledged.len().to_string(),
            ),
            ("lost", lost.to_string()),
            ("stuck", stuck.to_string()),
            ("violations", (all - lost - stuck).to_string()),
        ] {
            report.add_fact(name, value);
        }
        let head = ["", "times", "p50", "p99", "longest", "goal for p99"];
        let mut table = Table::new("Ready again (milliseconds)", &head);
        for (name, sample, goal) in [
            (
                "server after kill -9",
                self.crash_stats.server_ready_ms,
                SERVER_READY_MS_MAX,
            ),
            (
                "Postgres after its death",
                self.crash_stats.postgres_ready_ms,
                POSTGRES_READY_MS_MAX,
            ),
            (
                "after a disturbance",
                self.crash_stats.disturbance_ready_ms,
                POSTGRES_READY_MS_MAX,
            ),
            (
                "every order decided",
                self.decided_after_ms,
                FINAL_OUTCOME_SECONDS_MAX as f64 * 1000.0,
            ),
        ] {
            let figures = Percentiles::of_sample(sample);
            let shown =
                [figures.p50, figures.p99, figures.most, goal].map(|value| format!("{value:.0}"));
            table.add_row(
                [
                    vec![name.to_owned(), figures.count.to_string()],
                    shown.to_vec(),
                ]
                .concat(),
            );
        }
        report.tables.push(table);
        report.checks = self.checks;
        report
    }
}

/// Lets a small crowd of buyers shop while a fault is active. Returns their transcripts.
async fn run_small_buyer_crowd(
    site: &Arc<RunSettings>,
    name: &str,
    seed: u64,
    buyers: usize,
    over: Duration,
) -> Result<Vec<BuyerTranscript>> {
    let draws = draw_creation::create_test_draws(site, name, buyers / 20 + 1).await?;
    let crowd = CrowdPlan {
        seed,
        buyers,
        over_ms: u64::try_from(over.as_millis())?,
        late: 0,
        most: 8,
        habits: BuyerHabits::of_rush_crowd(4),
        together: vec![(0..draws.len()).collect(); draws.len()],
    };
    let admission = crowd::CrowdAdmission {
        draws: draws.clone(),
        wait_for_tickets: Duration::ZERO,
        at_once: buyers,
    };
    crowd::simulate_buyers(
        Arc::clone(site),
        crowd.buyer_plans(draws.len()),
        admission,
        crowd::progress_bar(name, buyers),
    )
    .await
}

/// Returns the milliseconds since `started_at`.
fn ms_since(started_at: Instant) -> f64 {
    crate::latency::duration_ms(started_at.elapsed())
}
