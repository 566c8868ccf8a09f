//! The command `rush`: all buyers want the same draws at the same time. The server may be killed
//! meanwhile.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Args;
use tokio::sync::watch;

use crate::audit::AuditCheck;
use crate::browser::{Browser, Request, json_number_at};
use crate::crowd::{self, CrowdAdmission};
use crate::crowd_plan::{BuyerHabits, CrowdPlan};
use crate::draw_creation;
use crate::faults::{self, KillSchedule, SandboxFaults};
use crate::latency::CallKind;
use crate::provider;
use crate::report::Report;
use crate::resource_usage;
use crate::sandbox_server;
use crate::test_run::{RunObservations, TestRun};
use crate::transcript::PurchaseVerdict;

/// How long a buyer waits for a ticket of a full draw. A reservation expires after 150 seconds
/// (decision C-1), and the next holder stays until the purchase ends. So the time suffices for one
/// expiry and some restarts.
const TICKET_WAIT_MAX: Duration = Duration::from_secs(240);

#[derive(Args, Clone, Debug)]
pub struct RushArgs {
    /// Number of draws on sale.
    #[arg(long, default_value_t = 1)]
    draws: usize,
    /// Number of buyers.
    #[arg(long, default_value_t = 400)]
    buyers: usize,
    /// Maximum number of tickets that one buyer wants. Most buyers want six or fewer.
    #[arg(long, default_value_t = 20)]
    most: u32,
    /// How often each call is repeated after it was answered.
    #[arg(long, default_value_t = 3)]
    retries: u32,
    /// Percentage of buyers who open a payment and leave without paying.
    #[arg(long, default_value_t = 10)]
    abandoners: u32,
    /// Number of boards that follow the draws.
    #[arg(long, default_value_t = 50)]
    watchers: usize,
    /// Seed of all random numbers of the crowd.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Percentage of buyers who arrive in the last quarter of the time, as before a kick-off.
    /// Ignored with --kill-every, because kills should meet buyers at all times.
    #[arg(long, default_value_t = 70)]
    late: u32,
    /// Seconds over which the crowd arrives. By default all arrive at once. With --kill-every, the
    /// default is at least a minute.
    #[arg(long)]
    over: Option<u64>,
    /// Seconds between two kills of the server (SIGKILL) while people buy, varied by a quarter.
    #[arg(long)]
    kill_every: Option<u64>,
    /// Kills Postgres (SIGKILL) this many times, between kills of the server.
    #[arg(long, default_value_t = 0, requires = "kill_every")]
    kill_postgres: u32,
    /// Makes the sandbox lose, double and delay webhooks, break connections, and respond with
    /// errors.
    #[arg(long)]
    faults: bool,
    /// Runs the payment sandbox in this process, not in the server's, so that the server's memory
    /// can be measured without it.
    #[arg(long, conflicts_with = "base")]
    provider_apart: bool,
    /// Address of a running server. Without it, a server is started and stopped.
    #[arg(long)]
    base: Option<String>,
    #[arg(long, default_value = "report.html")]
    report: PathBuf,
    /// Keeps the folder of the server that was started.
    #[arg(long)]
    keep: bool,
}

impl RushArgs {
    pub fn report_file(&self) -> &PathBuf {
        &self.report
    }

    fn arrival_seconds(&self) -> u64 {
        let kill_schedule = self.kill_every.map_or(0, |every| {
            (every * u64::from(2 * self.kill_postgres + 4)).max(60)
        });
        self.over.unwrap_or(kill_schedule)
    }
}

pub async fn run_subcommand(rush: &RushArgs) -> Result<Report> {
    anyhow::ensure!(
        rush.base.is_none() || rush.kill_every.is_none(),
        "only our own server is killed: leave out --base"
    );
    let retry_timeout = Duration::from_secs(90);
    let test_run = match &rush.base {
        None if rush.provider_apart => {
            TestRun::with_server(
                sandbox_server::start_with_separate_sandbox().await?,
                rush.retries,
                retry_timeout,
            )
            .await?
        }
        base => TestRun::open(base.as_deref(), rush.retries, retry_timeout).await?,
    };
    let outcome = run_rush(&test_run, rush).await;
    test_run.close(rush.keep).await?;
    outcome
}

async fn run_rush(test_run: &TestRun, rush: &RushArgs) -> Result<Report> {
    let mut report = Report {
        title: "Football Doubles: the rush".to_owned(),
        ..Report::default()
    };
    let draws = draw_creation::create_test_draws(&test_run.site, "Rush", rush.draws).await?;
    let operator = Browser::open(Arc::clone(&test_run.site), rush.seed)?;
    if rush.faults {
        faults::set_sandbox_faults(&operator, rush.seed, SandboxFaults::all_faults()).await?;
    }
    let crowd = CrowdPlan {
        seed: rush.seed,
        buyers: rush.buyers,
        over_ms: rush.arrival_seconds() * 1000,
        late: if rush.kill_every.is_some() {
            0
        } else {
            rush.late
        },
        most: rush.most,
        habits: BuyerHabits::of_rush_crowd(rush.abandoners),
        together: vec![(0..rush.draws).collect(); rush.draws],
    };
    for (name, value) in [
        ("seed", rush.seed.to_string()),
        ("draws", draws.len().to_string()),
        (
            "buyers",
            format!("{} within {} s", rush.buyers, rush.arrival_seconds()),
        ),
        (
            "of them in its last quarter",
            format!("{} %, and what chance brings", crowd.late),
        ),
        ("every call sent again", format!("{} times", rush.retries)),
        ("boards", rush.watchers.to_string()),
    ] {
        report.add_fact(name, value);
    }
    let before = provider::fetch_ledger(&operator, &HashSet::new()).await?;
    let calls_before = provider::fetch_platform_calls(&operator).await?;
    let observed = run_buyers(test_run, rush, &crowd, &draws).await?;
    if rush.faults {
        faults::set_sandbox_faults(&operator, rush.seed, SandboxFaults::default()).await?;
    }
    report.add_fact(
        "the rush took",
        format!("{:.1} s", test_run.site.elapsed().as_secs_f64()),
    );
    report
        .checks
        .push(check_sold_out(&operator, &draws, &observed, &mut report.facts).await?);
    test_run.audit_and_report(&observed, &mut report).await?;
    let after = provider::fetch_ledger(&operator, &HashSet::new()).await?;
    report.add_calls_per_purchase(
        &calls_before,
        &provider::fetch_platform_calls(&operator).await?,
        after.payments() - before.payments(),
    );
    let intents_created = after.intents - before.intents;
    if !rush.faults {
        report
            .checks
            .push(check_one_intent_per_buyer(intents_created, &observed));
    }
    Ok(report)
}

async fn run_buyers(
    test_run: &TestRun,
    rush: &RushArgs,
    crowd: &CrowdPlan,
    draws: &[i64],
) -> Result<RunObservations> {
    let (stop, stop_receiver) = watch::channel(false);
    let (calm_sender, calm_receiver) = watch::channel(false);
    let boards = test_run.start_boards(draws, rush.watchers, &calm_receiver);
    let killing = rush.kill_every.map(|every| {
        let kill_schedule = KillSchedule {
            every: Duration::from_secs(every),
            postgres: rush.kill_postgres,
            seed: rush.seed,
        };
        tokio::spawn(faults::kill_processes_repeatedly(
            Arc::clone(&test_run.server_process),
            kill_schedule,
            stop_receiver,
        ))
    });
    let memory = tokio::spawn(resource_usage::record_memory(
        Arc::clone(&test_run.server_process),
        test_run.site.started,
        calm_receiver.clone(),
    ));
    let admission = CrowdAdmission {
        draws: draws.to_vec(),
        wait_for_tickets: TICKET_WAIT_MAX + Duration::from_secs(rush.arrival_seconds()),
        at_once: rush.buyers.max(1),
    };
    let bar = crowd::progress_bar("buyers", rush.buyers);
    let transcripts = crowd::simulate_buyers(
        Arc::clone(&test_run.site),
        crowd.buyer_plans(draws.len()),
        admission,
        bar,
    )
    .await;
    stop.send_replace(true);
    let kill_stats = match killing {
        Some(killing) => Some(killing.await??),
        None => None,
    };
    // Lets boards receive the last sale. The pause exceeds two publish intervals of the server.
    tokio::time::sleep(Duration::from_millis(500)).await;
    calm_sender.send_replace(true);
    let (boards, memory) = (boards.join_all().await, memory.await?);
    Ok(RunObservations {
        transcripts: transcripts?,
        boards,
        kill_stats,
        provider_failed: rush.faults,
        memory,
    })
}

/// Checks that the server said "sold out" only about full draws, and that no buyer had to give up
/// waiting. Adds the number of sold tickets to `facts`.
async fn check_sold_out(
    browser: &Browser,
    draws: &[i64],
    observed: &RunObservations,
    facts: &mut Vec<(String, String)>,
) -> Result<AuditCheck> {
    let mut failures = Vec::new();
    let turned_away = |verdict| {
        observed
            .transcripts
            .iter()
            .filter(|transcript| transcript.verdict == verdict)
            .count()
    };
    let (told_sold_out, gave_up) = (
        turned_away(PurchaseVerdict::SoldOut),
        turned_away(PurchaseVerdict::GaveUp),
    );
    let mut left = 0;
    for draw in draws {
        let answer = browser
            .send_with_retries(CallKind::Draw, &Request::get(format!("/api/draws/{draw}")))
            .await
            .context("no draw")?;
        let sold =
            json_number_at(&answer.body, "/ticketsSold").context("a draw without ticketsSold")?;
        left += 169 - sold;
    }
    let all = 169 * draws.len() as i64;
    facts.push(("sold".to_owned(), format!("{} of {all}", all - left)));
    if told_sold_out > 0 && draws.len() == 1 && left > 0 {
        failures.push(format!(
            "{told_sold_out} buyers were told that it is sold out, and {left} tickets are left"
        ));
    }
    if gave_up > 0 {
        failures.push(format!(
            "{gave_up} buyers waited for reservations that should have lapsed"
        ));
    }
    Ok(AuditCheck::new(
        "sold out means 169 of 169, and what lapses is sold again",
        told_sold_out + gave_up,
        failures,
    ))
}

/// Checks that every payment intent at the provider was given to a buyer. With faults there may be
/// others, because a stored 500 forces the server to use a new idempotency key.
fn check_one_intent_per_buyer(intents_created: i64, observed: &RunObservations) -> AuditCheck {
    let intents_given: HashSet<&str> = observed
        .transcripts
        .iter()
        .flat_map(|transcript| &transcript.payments)
        .map(|payment| payment.intent.as_str())
        .collect();
    let failures = (intents_created != intents_given.len() as i64).then(|| {
        format!(
            "{intents_created} payment intents were made at the provider, buyers were given {}",
            intents_given.len()
        )
    });
    AuditCheck::new(
        "the provider made one payment intent a buyer",
        intents_given.len(),
        failures.into_iter().collect(),
    )
}
