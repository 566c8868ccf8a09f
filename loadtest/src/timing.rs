//! Checks that response times do not reveal which accounts exist. The same failed sign-in and the
//! same password reset are sent for known and unknown addresses in turn. The medians are compared
//! as a ratio, because machines have different speeds.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use clap::Args;
use serde_json::json;

use crate::audit::AuditCheck;
use crate::browser::{Browser, Request, RunSettings};
use crate::crowd_plan::SeededRng;
use crate::latency::{CallKind, Percentiles, duration_ms};
use crate::report::{Report, Table};
use crate::test_run::TestRun;

/// Number of wrong passwords that one account accepts in a quarter of an hour. So each address is
/// used for that many attempts.
const TRIES_PER_EMAIL_ADDRESS: usize = 5;
/// Maximum difference between the two medians, in percent.
const MEDIAN_DIFFERENCE_MAX: f64 = 5.0;

#[derive(Args, Clone, Debug)]
pub struct TimingArgs {
    /// Address of a running demo. Without it, a demo is started.
    #[arg(long)]
    base: Option<String>,
    /// Number of attempts of each kind. Half of them use known addresses.
    #[arg(long, default_value_t = 2_000)]
    tries: usize,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[arg(long, default_value = "report.html")]
    report: PathBuf,
    #[arg(long)]
    keep: bool,
}

impl TimingArgs {
    pub fn report_file(&self) -> &PathBuf {
        &self.report
    }
}

pub async fn run_subcommand(timing: &TimingArgs) -> Result<Report> {
    let test_run = TestRun::open(timing.base.as_deref(), 0, Duration::from_secs(60)).await?;
    let outcome = compare_response_times(&test_run, timing).await;
    test_run.close(timing.keep).await?;
    outcome
}

async fn compare_response_times(test_run: &TestRun, timing: &TimingArgs) -> Result<Report> {
    let mut report = Report {
        title: "Football Doubles: what time tells".to_owned(),
        ..Report::default()
    };
    let addresses = timing.tries / 2 / TRIES_PER_EMAIL_ADDRESS;
    ensure!(addresses > 0, "too few tries to compare");
    let known = register_clubs(&test_run.site, addresses, timing.seed).await?;
    let unknown: Vec<String> = known
        .iter()
        .map(|email| email.replacen("known", "nobody", 1))
        .collect();
    report.add_fact(
        "tries of each kind",
        addresses * TRIES_PER_EMAIL_ADDRESS * 2,
    );
    let mut table = Table::new(
        "Answers (milliseconds)",
        &["", "answers", "p50", "p90", "p99", "longest"],
    );
    for (what, path, status) in [
        ("sign-in", "/api/clubs/login", 401),
        ("forgotten password", "/api/clubs/reset-password", 200),
    ] {
        let durations = measure_response_times(
            &test_run.site,
            path,
            status,
            [&known, &unknown],
            timing.seed,
        )
        .await?;
        let [of_known, of_unknown] = durations.map(Percentiles::of_sample);
        for (addresses_by_kind, figures) in [("known", of_known), ("unknown", of_unknown)] {
            let cells =
                [figures.p50, figures.p90, figures.p99, figures.most].map(|ms| format!("{ms:.2}"));
            table.add_row(
                [
                    format!("{what}, {addresses_by_kind} address"),
                    figures.count.to_string(),
                ]
                .into_iter()
                .chain(cells),
            );
        }
        let apart = (of_known.p50 / of_unknown.p50 - 1.0) * 100.0;
        report.add_fact(&format!("{what}: medians"), format!("{apart:+.2} % apart"));
        let failures = if apart.abs() > MEDIAN_DIFFERENCE_MAX {
            vec![format!("{apart:+.2} %")]
        } else {
            Vec::new()
        };
        let name = format!(
            "{what}: known and unknown addresses take as long, within {MEDIAN_DIFFERENCE_MAX} %"
        );
        report.checks.push(AuditCheck::new(
            name,
            of_known.count + of_unknown.count,
            failures,
        ));
    }
    report.tables.push(table);
    Ok(report)
}

/// Registers new clubs and returns their addresses. With these, no existing club is locked out.
async fn register_clubs(site: &Arc<RunSettings>, count: usize, seed: u64) -> Result<Vec<String>> {
    let stamp = time::OffsetDateTime::now_utc().unix_timestamp();
    let mut emails = Vec::with_capacity(count);
    for number in 0..count {
        let browser = Browser::open(Arc::clone(site), seed)?;
        let email = format!("known{number}.{stamp}@crowd.test");
        let form = json!({ "name": format!("Timing {stamp} {number}"), "email": email, "phone": "0400 000 000",
            "password": "three unrelated words" });
        let joined = browser
            .send_with_retries(CallKind::Club, &Request::post("/api/clubs/register", form))
            .await
            .context("registering")?;
        ensure!(
            joined.ok(),
            "registering: {} {}",
            joined.status,
            joined.body
        );
        emails.push(email);
    }
    Ok(emails)
}

/// Sends the calls one after the other, known and unknown addresses in random order. Returns the
/// milliseconds of all calls with known addresses, and those with unknown ones.
async fn measure_response_times(
    site: &Arc<RunSettings>,
    path: &str,
    status: u16,
    addresses_by_kind: [&[String]; 2],
    seed: u64,
) -> Result<[Vec<f64>; 2]> {
    let browser = Browser::open(Arc::clone(site), seed)?;
    let mut rng = SeededRng::new(seed, 2);
    let mut durations = [Vec::new(), Vec::new()];
    for _ in 0..TRIES_PER_EMAIL_ADDRESS {
        for (known, unknown) in addresses_by_kind[0].iter().zip(addresses_by_kind[1]) {
            let first = usize::from(rng.random_below(2) == 0);
            for kind in [first, 1 - first] {
                let email = [known, unknown][kind];
                let body = json!({ "email": email, "password": "not the password" });
                let started_at = Instant::now();
                let answer = browser
                    .send_once(CallKind::Club, &Request::post(path, body))
                    .await
                    .context("no answer")?;
                durations[kind].push(duration_ms(started_at.elapsed()));
                ensure!(
                    answer.status == status,
                    "{path}: {} {}",
                    answer.status,
                    answer.body
                );
            }
        }
    }
    Ok(durations)
}
