//! One test run: the server under test, the settings that all clients share, and the final audit
//! and report.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use tokio::sync::{Mutex, watch};
use tokio::task::JoinSet;

use crate::audit::{self, AuditCheck};
use crate::boards::{self, Board};
use crate::browser::{Browser, Request, RunSettings};
use crate::crowd;
use crate::database_audit::AnomalyCounts;
use crate::faults::KillStats;
use crate::latency::{CallKind, CallRecord, duration_ms};
use crate::report::{Report, Table, plots};
use crate::resource_usage;
use crate::server_process::ServerProcess;
use crate::transcript::BuyerTranscript;

/// Maximum number of seconds after the load until the outcome of every order is decided.
pub const FINAL_OUTCOME_SECONDS_MAX: u64 = 60;
/// Maximum number of lines in a plot.
const PLOT_LINES_MAX: usize = 8;
const PLOT_POINTS_MAX: usize = 600;

pub struct TestRun {
    pub server_process: Arc<Mutex<ServerProcess>>,
    pub site: Arc<RunSettings>,
    /// Anomalies that were open before the first purchase. The audit accepts them.
    initial_anomalies: AnomalyCounts,
}

/// What was observed during a run. The final audit needs it.
#[derive(Default)]
pub struct RunObservations {
    pub transcripts: Vec<BuyerTranscript>,
    pub boards: Vec<Board>,
    pub kill_stats: Option<KillStats>,
    /// Whether faults were also injected into the provider.
    pub provider_failed: bool,
    /// Memory of the server over time: pairs of seconds since the start of the run and megabytes.
    pub memory: Vec<(f64, f64)>,
}

impl TestRun {
    /// Starts a server, or uses the running one at `base`. Accepts only addresses of this machine.
    pub async fn open(base: Option<&str>, retries: u32, retry_timeout: Duration) -> Result<Self> {
        let server_process = match base {
            Some(base) => ServerProcess::external(base),
            None => ServerProcess::start().await?,
        };
        Self::with_server(server_process, retries, retry_timeout).await
    }

    /// Creates a run for a server that is already running.
    pub async fn with_server(
        mut server_process: ServerProcess,
        retries: u32,
        retry_timeout: Duration,
    ) -> Result<Self> {
        let host = server_process
            .base
            .trim_start_matches("http://")
            .split([':', '/'])
            .next()
            .unwrap_or_default()
            .to_owned();
        if !["127.0.0.1", "localhost", "[", "[::1]"].contains(&host.as_str()) {
            bail!(
                "{} is not this machine; a crowd is sent nowhere else",
                server_process.base
            );
        }
        server_process
            .wait_until_ready(Duration::from_secs(20))
            .await?;
        let site = RunSettings {
            base: server_process.base.clone(),
            provider: server_process.provider.clone(),
            started: Instant::now(),
            retries,
            retry_timeout,
            publishable_key: String::new(),
        };
        let publishable_key = publishable_key(&site).await?;
        let site = Arc::new(RunSettings {
            publishable_key,
            ..site
        });
        let initial_anomalies = match server_process.database_access() {
            Some(access) => crate::database_audit::count_open_anomalies(&access).await?,
            None => AnomalyCounts::new(),
        };
        Ok(Self {
            server_process: Arc::new(Mutex::new(server_process)),
            site,
            initial_anomalies,
        })
    }

    /// Stops the server if this run has started it. Removes its folder unless `keep` is set.
    pub async fn close(self, keep: bool) -> Result<()> {
        let server_process = Arc::try_unwrap(self.server_process)
            .ok()
            .context("the server process is still in use")?;
        let server_process = server_process.into_inner();
        if let (true, Some(dir)) = (keep, server_process.folder_path()) {
            println!("Kept: {}", dir.display());
        }
        server_process.stop(keep).await
    }

    /// Returns the anomalies that were open before the first purchase.
    pub fn initial_anomalies(&self) -> &AnomalyCounts {
        &self.initial_anomalies
    }

    /// Starts `count` boards. Each follows one draw; the draws are assigned in turn.
    pub fn start_boards(
        &self,
        draws: &[i64],
        count: usize,
        stop: &watch::Receiver<bool>,
    ) -> JoinSet<Board> {
        let mut boards = JoinSet::new();
        for draw in draws.iter().cycle().take(count) {
            boards.spawn(boards::follow_draws(
                Arc::clone(&self.site),
                vec![*draw],
                stop.clone(),
            ));
        }
        boards
    }

    /// Waits until the outcome of every payment is decided, runs all checks, and adds their results
    /// to the report.
    pub async fn audit_and_report(
        &self,
        observed: &RunObservations,
        report: &mut Report,
    ) -> Result<()> {
        let limit = Duration::from_secs(FINAL_OUTCOME_SECONDS_MAX);
        let (settled, calm) =
            audit::wait_for_final_outcomes(&self.site, &observed.transcripts, limit).await?;
        report.add_fact(
            "last order decided after",
            format!("{:.1} s", calm.as_secs_f64()),
        );
        let call_records: Vec<CallRecord> = observed
            .transcripts
            .iter()
            .flat_map(|transcript| transcript.call_records.iter().copied())
            .collect();
        report.add_verdicts(&crowd::count_verdicts(&observed.transcripts));
        if let Some(kill_stats) = &observed.kill_stats {
            report_kills(report, kill_stats);
        }
        report.add_latencies(&call_records);
        report
            .tables
            .extend(resource_usage::memory_table(&observed.memory));
        report
            .checks
            .extend(audit::check_transcripts(&observed.transcripts, &settled));
        report.checks.push(audit::check_server_errors(
            &call_records,
            observed.kill_stats.is_some() || observed.provider_failed,
        ));
        let failures = observed
            .boards
            .iter()
            .flat_map(|board| board.failures.clone())
            .collect();
        let views = observed.boards.iter().map(|board| board.views.len()).sum();
        report.checks.push(AuditCheck::new(
            "boards never went back or showed more than 169 sold",
            views,
            failures,
        ));
        let server_process = self.server_process.lock().await;
        if server_process.is_owned() {
            report
                .checks
                .push(audit::check_log(&server_process.read_log()));
        }
        let access = server_process.database_access();
        drop(server_process);
        if let Some(access) = &access {
            crate::database_audit::wait_for_payment_operations(access, limit).await?;
        }
        crate::database_audit::audit_database(
            &self.site,
            access.as_ref(),
            &self.initial_anomalies,
            report,
        )
        .await?;
        add_plots(observed, &call_records, report)
    }
}

async fn publishable_key(site: &RunSettings) -> Result<String> {
    let site = Arc::new(RunSettings {
        base: site.base.clone(),
        provider: site.provider.clone(),
        started: site.started,
        retries: 0,
        retry_timeout: site.retry_timeout,
        publishable_key: String::new(),
    });
    let browser = Browser::open(site, 0)?;
    let answer = browser
        .send_with_retries(CallKind::Club, &Request::get("/api/config"))
        .await
        .context("no answer to /api/config")?;
    let demo = answer
        .body
        .pointer("/demo")
        .and_then(serde_json::Value::as_bool)
        .unwrap_or(false);
    if !demo {
        bail!("this server is no demo; a crowd that pays with test cards is only sent to a demo");
    }
    Ok(answer.body_text_at("/publishableKey"))
}

fn report_kills(report: &mut Report, kill_stats: &KillStats) {
    report.add_fact("server killed", format!("{} times", kill_stats.server));
    report.add_fact("Postgres killed", format!("{} times", kill_stats.postgres));
    if kill_stats.stuck_after_postgres > 0 {
        report.add_fact(
            "server restarted for Postgres",
            format!("{} times", kill_stats.stuck_after_postgres),
        );
    }
    let mut table = Table::new(
        "Ready again (milliseconds)",
        &["", "times", "p50", "longest"],
    );
    for (name, sample) in [
        ("server", &kill_stats.server_ready_ms),
        ("Postgres", &kill_stats.postgres_ready_ms),
    ] {
        let figures = crate::latency::Percentiles::of_sample(sample.clone());
        table.add_row([
            name.to_owned(),
            figures.count.to_string(),
            format!("{:.0}", figures.p50),
            format!("{:.0}", figures.most),
        ]);
    }
    report.tables.push(table);
}

fn add_plots(
    observed: &RunObservations,
    call_records: &[CallRecord],
    report: &mut Report,
) -> Result<()> {
    let decided = |transcript: &BuyerTranscript| {
        Some(duration_ms(
            transcript
                .decided_at?
                .saturating_sub(transcript.authorised_at?),
        ))
    };
    let decided: Vec<f64> = observed.transcripts.iter().filter_map(decided).collect();
    let lag = boards::measure_lag(&observed.boards, &observed.transcripts);
    report.add_wait_table(decided.clone(), &lag);

    let mut sold = boards::sold_over_time(&observed.boards);
    sold.sort_by_key(|(_, points)| std::cmp::Reverse(points.len()));
    sold.truncate(PLOT_LINES_MAX);
    sold.sort_by_key(|(draw, _)| *draw);
    let sold = sold.into_iter().map(|(draw, points)| {
        (
            format!("FD-{draw}"),
            plots::thin_points(points, PLOT_POINTS_MAX),
        )
    });
    let sold: Vec<plots::PlotSeries> = sold.collect();
    let took = |call: CallKind| {
        let answered = call_records
            .iter()
            .filter(move |record| record.call == call && record.status > 0);
        plots::cumulative_series(
            call.name(),
            answered.map(|record| duration_ms(record.took)).collect(),
        )
    };
    let mut latencies: Vec<plots::PlotSeries> = [
        CallKind::Page,
        CallKind::Draw,
        CallKind::Open,
        CallKind::Card,
        CallKind::Complete,
    ]
    .into_iter()
    .map(took)
    .collect();
    latencies.push(plots::cumulative_series(
        "card authorised → buyer knows",
        decided,
    ));
    let lags = [
        plots::cumulative_series("buyer knows → board shows it", lag.behind_buyer),
        plots::cumulative_series("first board → every board", lag.behind_first_board),
        plots::cumulative_series("frame made → frame there", lag.frame_delay),
    ];
    let memory = plots::thin_points(observed.memory.clone(), PLOT_POINTS_MAX);
    let all = [
        plots::line_plot(
            "Sold over time",
            "seconds since the start",
            "tickets sold",
            &sold,
        )?,
        plots::line_plot(
            "Answers over time",
            "seconds since the start",
            "calls a second",
            &calls_by_second(call_records),
        )?,
        plots::line_plot(
            "Memory",
            "seconds since the start",
            "MB",
            &[("server".to_owned(), memory)],
        )?,
        plots::line_plot(
            "Latency",
            "milliseconds",
            "percent of the answers",
            &latencies,
        )?,
        plots::line_plot(
            "Fan-out lag",
            "milliseconds",
            "percent of the sightings",
            &lags,
        )?,
    ];
    report.plots.extend(all.into_iter().flatten());
    Ok(())
}

/// Returns two series by second: the number of responses, and the number of calls without a
/// response or with a 503.
fn calls_by_second(call_records: &[CallRecord]) -> [plots::PlotSeries; 2] {
    let count = |wanted: fn(&&CallRecord) -> bool| {
        let mut seconds = vec![
            0.0;
            call_records
                .iter()
                .map(|record| record.at.as_secs() as usize + 1)
                .max()
                .unwrap_or(0)
        ];
        for record in call_records.iter().filter(wanted) {
            seconds[record.at.as_secs() as usize] += 1.0;
        }
        seconds
            .into_iter()
            .enumerate()
            .map(|(second, count)| (second as f64, count))
            .collect()
    };
    let (answered, away) = (
        count(|record| !matches!(record.status, 0 | 503)),
        count(|record| matches!(record.status, 0 | 503)),
    );
    [
        ("answered".to_owned(), answered),
        ("no answer, or asked to retry".to_owned(), away),
    ]
}
