//! Audits the database: checks its invariants, and compares its sums with the provider's, to the
//! cent.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use persistence::auditor::Auditor;
use persistence::{Postgres, Sealer};

use crate::audit::AuditCheck;
use crate::browser::{Browser, Request, RunSettings};
use crate::latency::CallKind;
use crate::provider::{self, AccountBalance};
use crate::report::{Report, Table, format_dollars};

/// The database URL for the audit, and the key that decrypts the deals.
#[derive(Clone, Debug)]
pub struct DatabaseAccess {
    pub url: String,
    pub seal_key: Option<String>,
}

impl DatabaseAccess {
    /// Reads the sealing key from the demo's data folder.
    pub fn new(url: String, data: &Path) -> Self {
        let seal_key = std::fs::read_to_string(data.join("seal.key"))
            .ok()
            .map(|key| key.trim().to_owned());
        Self { url, seal_key }
    }
}

/// Number of open anomalies of each kind, except tickets whose buyer left no address. The demo
/// starts with examples of anomalies for the operator's console.
pub type AnomalyCounts = Vec<(String, i64)>;

pub async fn count_open_anomalies(access: &DatabaseAccess) -> Result<AnomalyCounts> {
    let auditor = Auditor::open(&access.url)
        .await
        .context("opening the database")?;
    Ok(auditor.count_unexpected_anomalies_by_kind().await?)
}

/// Waits until no payment operation is overdue, for at most `limit`. A season moves the clock by
/// days, so a new operation looks overdue until the worker has tried it. An operation that is still
/// overdue afterwards is a finding of the audit.
pub async fn wait_for_payment_operations(access: &DatabaseAccess, limit: Duration) -> Result<()> {
    let started = Instant::now();
    let auditor = Auditor::open(&access.url)
        .await
        .context("opening the database")?;
    while auditor.count_overdue_operations().await? > 0 && started.elapsed() < limit {
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    Ok(())
}

/// Audits database and provider, and adds the results to the report. `known` are the anomalies that
/// were open before the run.
pub async fn audit_database(
    site: &Arc<RunSettings>,
    access: Option<&DatabaseAccess>,
    known: &AnomalyCounts,
    report: &mut Report,
) -> Result<()> {
    let browser = Browser::open(Arc::clone(site), 0)?;
    report.checks.push(check_integrity(&browser).await?);
    let Some(access) = access else { return Ok(()) };
    let auditor = Auditor::open(&access.url)
        .await
        .context("opening the database")?;
    let draws = auditor.draw_totals().await?;
    let differs = draws
        .iter()
        .filter(|draw| draw.tickets != draw.sold || !(0..=169).contains(&(draw.sold + draw.held)));
    let differs = differs.map(|draw| {
        format!(
            "FD-{}: {} tickets, {} sold, {} held",
            draw.draw, draw.tickets, draw.sold, draw.held
        )
    });
    report.checks.push(AuditCheck::new(
        "each draw has as many tickets as it says, at most 169",
        draws.len(),
        differs.collect(),
    ));
    let undecided = auditor.paid_orders_in_progress().await?;
    let lines = undecided
        .iter()
        .map(|(order, state, age)| format!("order {order} is {state} since {age} s"))
        .collect();
    report.checks.push(AuditCheck::new(
        "no authorised order is undecided",
        undecided.len(),
        lines,
    ));
    let anomalies = auditor.count_unexpected_anomalies_by_kind().await?;
    let lines = anomalies
        .iter()
        .filter(|anomaly| !known.contains(anomaly))
        .map(|anomaly| format!("{anomaly:?}, before {known:?}"));
    report.checks.push(AuditCheck::new(
        "no anomaly was raised",
        anomalies.len(),
        lines.collect(),
    ));
    let Some(key) = &access.seal_key else {
        return Ok(());
    };
    let sealer = Sealer::from_hex(key).context("the sealing key cannot be read")?;
    let store = Postgres::connect(&access.url, sealer)
        .await
        .context("opening the database")?;
    let rows = store.violations().await?;
    let lines = rows
        .into_iter()
        .map(|row| format!("{}: {}", row.invariant, row.object))
        .collect();
    report.checks.push(AuditCheck::new(
        "every invariant has zero rows, read from the database",
        draws.len(),
        lines,
    ));
    compare_account_balances(
        &browser,
        &store,
        &auditor.payments_without_order().await?,
        report,
    )
    .await
}

/// Asks the server for its own check of the invariants. It must report no violation.
async fn check_integrity(browser: &Browser) -> Result<AuditCheck> {
    let path = "/api/health/integrity";
    let answer = browser
        .send_with_retries(CallKind::Club, &Request::get(path))
        .await
        .context("no answer from the integrity check")?;
    let rows = answer
        .body
        .get("violations")
        .and_then(|rows| rows.as_array())
        .cloned()
        .unwrap_or_default();
    let mut failures: Vec<String> = rows.iter().map(ToString::to_string).collect();
    if !answer.ok() && failures.is_empty() {
        failures.push(format!(
            "{path} answered {}: {}",
            answer.status, answer.body
        ));
    }
    Ok(AuditCheck::new(
        "the server itself finds every invariant at zero rows",
        1,
        failures,
    ))
}

/// Compares captured amounts, fees and refunds of each account between the database and the
/// sandbox. `strays` are payments without an order that have an open anomaly.
async fn compare_account_balances(
    browser: &Browser,
    store: &Postgres,
    strays: &HashSet<String>,
    report: &mut Report,
) -> Result<()> {
    let mut both: BTreeMap<String, (AccountBalance, AccountBalance)> = BTreeMap::new();
    for balance in store.account_totals().await? {
        both.entry(balance.account.0).or_default().0 = AccountBalance {
            captured: balance.captured.0,
            application_fees: balance.application_fees.0 - balance.application_fees_refunded.0,
            refunded: balance.refunded.0,
            payments: balance.payments,
        };
    }
    let ledger = provider::fetch_ledger(browser, strays).await?;
    let hanging = (ledger.authorised > 0)
        .then(|| format!("{} authorisations hang at the sandbox", ledger.authorised));
    report.checks.push(AuditCheck::new(
        "nothing authorised hangs at the sandbox",
        1,
        hanging.into_iter().collect(),
    ));
    for (account, provider_balance) in ledger.accounts {
        both.entry(account).or_default().1 = provider_balance;
    }
    both.retain(|_, (ours, provider_balance)| {
        *ours != AccountBalance::default() || *provider_balance != AccountBalance::default()
    });
    let head = [
        "",
        "payments",
        "taken",
        "platform fee",
        "refunded",
        "sandbox: taken",
        "fee",
        "refunded",
    ];
    let mut table = Table::new("The database and the sandbox", &head);
    let mut failures = Vec::new();
    for (account, (ours, provider_balance)) in &both {
        table.add_row([
            account.clone(),
            ours.payments.to_string(),
            format_dollars(ours.captured),
            format_dollars(ours.application_fees),
            format_dollars(ours.refunded),
            format_dollars(provider_balance.captured),
            format_dollars(provider_balance.application_fees),
            format_dollars(provider_balance.refunded),
        ]);
        if ours != provider_balance {
            failures.push(format!(
                "{account}: database {ours:?}, sandbox {provider_balance:?}"
            ));
        }
    }
    report.tables.push(table);
    report.checks.push(AuditCheck::new(
        "the database equals the sandbox to the cent",
        both.len(),
        failures,
    ));
    Ok(())
}
