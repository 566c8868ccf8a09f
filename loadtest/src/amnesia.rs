//! The amnesia drill. It restores the database from a backup that is a few minutes old, while the
//! payment provider still knows every payment.
//!
//! Each payment made after the backup must become an anomaly within two minutes. The operator then
//! either allocates its tickets or refunds it.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use persistence::auditor::Auditor;
use serde_json::{Value, json};

use crate::audit::{self, AuditCheck};
use crate::browser::{Browser, Request, RunSettings, ServerResponse, json_text_at};
use crate::crowd::{self, CrowdAdmission};
use crate::crowd_plan::{BuyerHabits, CrowdPlan};
use crate::draw_creation;
use crate::latency::CallKind;
use crate::report::Report;
use crate::test_run::{FINAL_OUTCOME_SECONDS_MAX, TestRun};
use crate::transcript::BuyerTranscript;

const ANOMALIES_FOUND_SECONDS_MAX: u64 = 120;
/// Ticket price in cents. Its platform fee is exactly seven cents. A fee with half a cent could be
/// rounded differently when tickets are allocated again in another order. That would be an amount
/// mismatch, which only a person can close.
const TICKET_PRICE_CENTS: i64 = 200;
const POLL_INTERVAL: Duration = Duration::from_millis(500);

#[derive(Args, Clone, Debug)]
pub struct AmnesiaArgs {
    /// Number of buyers before the backup, and the same number after the backup.
    #[arg(long, default_value_t = 60)]
    buyers: usize,
    /// Seconds over which each of the two groups of buyers arrives. A full drill uses ten minutes.
    #[arg(long, default_value_t = 20)]
    seconds: u64,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[arg(long, default_value = "report.html")]
    report: PathBuf,
    #[arg(long)]
    keep: bool,
}

impl AmnesiaArgs {
    pub fn report_file(&self) -> &PathBuf {
        &self.report
    }

    async fn run_buyer_crowd(
        &self,
        site: &Arc<RunSettings>,
        draws: &[i64],
        group: u64,
    ) -> Result<Vec<BuyerTranscript>> {
        let crowd = CrowdPlan {
            seed: self.seed + group,
            buyers: self.buyers,
            over_ms: self.seconds * 1_000,
            late: 0,
            most: 6,
            habits: BuyerHabits::of_rush_crowd(4),
            together: vec![(0..draws.len()).collect(); draws.len()],
        };
        let admission = CrowdAdmission {
            draws: draws.to_vec(),
            wait_for_tickets: Duration::ZERO,
            at_once: self.buyers,
        };
        let bar = crowd::progress_bar(
            if group == 0 {
                "remembered"
            } else {
                "forgotten"
            },
            self.buyers,
        );
        let transcripts = crowd::simulate_buyers(
            Arc::clone(site),
            crowd.buyer_plans(draws.len()),
            admission,
            bar,
        )
        .await?;
        let (settled, _) = audit::wait_for_final_outcomes(
            site,
            &transcripts,
            Duration::from_secs(FINAL_OUTCOME_SECONDS_MAX),
        )
        .await?;
        let failures: Vec<String> = audit::check_transcripts(&transcripts, &settled)
            .into_iter()
            .flat_map(|check| check.failures)
            .collect();
        ensure!(
            failures.is_empty(),
            "before anything was forgotten: {failures:?}"
        );
        Ok(transcripts)
    }
}

pub async fn run_subcommand(amnesia: &AmnesiaArgs) -> Result<Report> {
    let test_run = TestRun::open(None, 0, Duration::from_secs(60)).await?;
    let outcome = run_amnesia_test(&test_run, amnesia).await;
    test_run.close(amnesia.keep).await?;
    outcome
}

async fn run_amnesia_test(test_run: &TestRun, amnesia: &AmnesiaArgs) -> Result<Report> {
    let mut report = Report {
        title: "Football Doubles: the amnesia drill".to_owned(),
        ..Report::default()
    };
    // There are enough draws for both groups of buyers, because a full draw would refuse the
    // repeated allocation.
    let draws = draw_creation::create_test_draws_with_price(
        &test_run.site,
        "Amnesia",
        amnesia.buyers / 12 + 2,
        TICKET_PRICE_CENTS,
    )
    .await?;
    amnesia.run_buyer_crowd(&test_run.site, &draws, 0).await?;
    let file = test_run
        .server_process
        .lock()
        .await
        .folder_path()
        .context("the server is external")?
        .join("before.backup");
    let file = file.to_string_lossy().into_owned();
    ensure_success(
        &test_run
            .server_process
            .lock()
            .await
            .run_server_command(&["backup", &file])
            .await?,
    )?;
    let known_payments = captured_payments(test_run).await?;
    amnesia.run_buyer_crowd(&test_run.site, &draws, 1).await?;
    let forgotten: BTreeSet<String> = captured_payments(test_run)
        .await?
        .difference(&known_payments)
        .cloned()
        .collect();

    let mut server_process = test_run.server_process.lock().await;
    server_process.terminate().await?;
    ensure_success(
        &server_process
            .run_server_command(&["restore", &file])
            .await?,
    )?;
    server_process.restart(Duration::from_secs(60)).await?;
    drop(server_process);
    let started_at = Instant::now();
    let missed = wait_for_anomalies(test_run, &forgotten).await?;
    report.add_fact("payments taken since the backup", forgotten.len());
    report.add_fact(
        "found",
        format!(
            "{} in {:.1} s",
            forgotten.len() - missed.len(),
            started_at.elapsed().as_secs_f64()
        ),
    );
    let name = "every forgotten payment is an anomaly within two minutes";
    report
        .checks
        .push(AuditCheck::new(name, forgotten.len(), missed));
    let allocated = resolve_anomalies(test_run, &forgotten).await?;
    report.add_fact("became tickets", allocated);
    report.add_fact("went back", forgotten.len() - allocated);
    let access = test_run.server_process.lock().await.database_access();
    crate::database_audit::audit_database(
        &test_run.site,
        access.as_ref(),
        test_run.initial_anomalies(),
        &mut report,
    )
    .await?;
    Ok(report)
}

fn ensure_success(output: &std::process::Output) -> Result<()> {
    let output_text = [&output.stdout, &output.stderr]
        .map(|bytes| String::from_utf8_lossy(bytes).into_owned())
        .concat();
    ensure!(
        output.status.success(),
        "the command failed:\n{output_text}"
    );
    Ok(())
}

/// Returns the ids of all payments that the provider captured.
async fn captured_payments(test_run: &TestRun) -> Result<BTreeSet<String>> {
    let browser = Browser::open(Arc::clone(&test_run.site), 0)?;
    let ledger = browser
        .send_with_retries(CallKind::Club, &Request::get("/sandbox/ledger?detail=1"))
        .await
        .context("no ledger")?;
    let captured = ledger.body["captured"]
        .as_array()
        .context("no list of payments")?;
    Ok(captured
        .iter()
        .map(|payment| json_text_at(payment, "/paymentIntent"))
        .collect())
}

/// Polls until every payment that the backup lacks is an anomaly, for at most
/// `ANOMALIES_FOUND_SECONDS_MAX`. Returns the payments that are still not reported.
async fn wait_for_anomalies(
    test_run: &TestRun,
    forgotten: &BTreeSet<String>,
) -> Result<Vec<String>> {
    let access = test_run
        .server_process
        .lock()
        .await
        .database_access()
        .context("the server's database")?;
    let auditor = Auditor::open(&access.url).await?;
    let started_at = Instant::now();
    loop {
        let strays = auditor.payments_without_order().await?;
        let missed: Vec<String> = forgotten
            .iter()
            .filter(|payment| !strays.contains(*payment))
            .cloned()
            .collect();
        if missed.is_empty() || started_at.elapsed().as_secs() > ANOMALIES_FOUND_SECONDS_MAX {
            return Ok(missed);
        }
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}

/// Resolves the anomalies as the operator would: two of three get their tickets, the third is
/// refunded. Returns how many payments got tickets.
async fn resolve_anomalies(test_run: &TestRun, forgotten: &BTreeSet<String>) -> Result<usize> {
    let operator = Browser::open(Arc::clone(&test_run.site), 0)?;
    let login = json!({ "email": "operator@demo.test", "password": "demo-password" });
    expect_success(
        operator
            .send_with_retries(CallKind::Club, &Request::post("/api/clubs/login", login))
            .await,
        "logging in",
    )?;
    let code = expect_success(
        operator
            .send_with_retries(CallKind::Club, &Request::get("/sandbox/operator-code.json"))
            .await,
        "a code",
    )?;
    let code = json!({ "code": json_text_at(&code, "/code") });
    expect_success(
        operator
            .send_with_retries(
                CallKind::Club,
                &Request::post("/api/admin/totp/verify", code),
            )
            .await,
        "the code",
    )?;
    let open = expect_success(
        operator
            .send_with_retries(
                CallKind::Club,
                &Request::get("/api/admin/payment-anomalies"),
            )
            .await,
        "the anomalies",
    )?;
    let anomaly_of = |payment: &str| {
        let mut rows = open.as_array().into_iter().flatten();
        rows.find(|row| row["paymentIntentId"] == payment)
            .map(|row| json_text_at(row, "/id"))
    };
    let mut allocated = 0;
    for (number, payment) in forgotten.iter().enumerate() {
        if number % 3 == 2 {
            let id = anomaly_of(payment)
                .with_context(|| format!("{payment} is not in the operator's list"))?;
            let path = format!("/api/admin/payment-anomalies/{id}/refund");
            let body = json!({ "reason": "Forgotten, and given back" });
            expect_success(
                operator
                    .send_with_retries(CallKind::Club, &Request::post(path, body))
                    .await,
                "giving back",
            )?;
            continue;
        }
        let body = json!({ "paymentIntentId": payment, "customerName": "Jo Lost", "customerEmail": "jo@crowd.test",
            "customerPhone": "0400000000" });
        expect_success(
            operator
                .send_with_retries(
                    CallKind::Club,
                    &Request::post("/api/admin/payment-anomalies/resolve", body),
                )
                .await,
            "allocating",
        )?;
        allocated += 1;
    }
    Ok(allocated)
}

fn expect_success(answer: Option<ServerResponse>, doing: &str) -> Result<Value> {
    let answer = answer.with_context(|| format!("{doing}: no answer"))?;
    if !answer.ok() {
        bail!("{doing}: {} {}", answer.status, answer.body);
    }
    Ok(answer.body)
}
