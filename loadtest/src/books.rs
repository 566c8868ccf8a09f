//! The books themselves: the invariants, and our figures against the provider's, to the cent.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Args;
use persistence::auditor::Auditor;
use persistence::{Postgres, Sealer};
use serde::Deserialize;

use crate::audit::Check;
use crate::browser::{Browser, Request, Site};
use crate::house::House;
use crate::latency::Call;
use crate::provider::{self, Holding};
use crate::report::{Report, Table, dollars};

#[derive(Args, Clone, Debug)]
pub struct Audit {
    /// The data folder of the running demo: its sign says where it listens and where its books are.
    #[arg(long, default_value = ".data")]
    data: PathBuf,
    /// Another running demo; its books are then only looked into with `--database`.
    #[arg(long)]
    base: Option<String>,
    /// The books, as `postgres://…`.
    #[arg(long)]
    database: Option<String>,
}

/// What a running demo hangs out in its data folder for the commands beside it.
#[derive(Deserialize)]
struct Sign {
    address: String,
    database: String,
}

/// How an auditor gets at the books: the database, and the key that opens the sealed deals.
#[derive(Clone, Debug)]
pub struct Access {
    pub url: String,
    pub seal_key: Option<String>,
}

impl Access {
    /// The key lies beside the database, in the demo's data folder.
    pub fn new(url: String, data: &Path) -> Self {
        let seal_key = std::fs::read_to_string(data.join("seal.key"))
            .ok()
            .map(|key| key.trim().to_owned());
        Self { url, seal_key }
    }
}

impl Audit {
    /// Where the demo is, and its books if they can be reached.
    fn place(&self) -> Result<(String, Option<Access>)> {
        let access = |url: &String| Access::new(url.clone(), &self.data);
        if let Some(base) = &self.base {
            return Ok((base.clone(), self.database.as_ref().map(access)));
        }
        let file = self.data.join("running.json");
        let sign = std::fs::read_to_string(&file)
            .with_context(|| format!("no demo runs on {}", self.data.display()))?;
        let sign: Sign =
            serde_json::from_str(&sign).with_context(|| format!("reading {}", file.display()))?;
        let base = if sign.address.contains("://") {
            sign.address
        } else {
            format!("http://{}", sign.address)
        };
        Ok((
            base,
            Some(access(self.database.as_ref().unwrap_or(&sign.database))),
        ))
    }
}

pub async fn run(audit: &Audit) -> Result<Report> {
    let (base, access) = audit.place()?;
    let house = House::open(Some(&base), 0, Duration::from_secs(10)).await?;
    let mut report = Report {
        title: "Football Doubles: the audit".to_owned(),
        ..Report::default()
    };
    // Nobody knows what was reported before: it is shown, and no fault of this look.
    let known = match &access {
        Some(access) => anomalies(access).await?,
        None => Vec::new(),
    };
    for (kind, count) in &known {
        report.fact(&format!("open anomalies: {kind}"), count);
    }
    examine(&house.site, access.as_ref(), &known, &mut report).await?;
    Ok(report)
}

/// How many anomalies of each kind are open, but for buyers who left no address. The demo begins with one of each, for the
/// operator's console.
pub type Anomalies = Vec<(String, i64)>;

pub async fn anomalies(access: &Access) -> Result<Anomalies> {
    let auditor = Auditor::open(&access.url)
        .await
        .context("opening the books")?;
    Ok(auditor.went_wrong().await?)
}

/// Looks into the books and at the provider's, and writes what it finds into the report. `known`: anomalies that were open
/// before the run.
pub async fn examine(
    site: &Arc<Site>,
    access: Option<&Access>,
    known: &Anomalies,
    report: &mut Report,
) -> Result<()> {
    let browser = Browser::open(Arc::clone(site), 0)?;
    report.checks.push(integrity(&browser).await?);
    let Some(access) = access else { return Ok(()) };
    let auditor = Auditor::open(&access.url)
        .await
        .context("opening the books")?;
    let draws = auditor.draws().await?;
    let differs = draws
        .iter()
        .filter(|draw| draw.tickets != draw.sold || !(0..=169).contains(&(draw.sold + draw.held)));
    let differs = differs.map(|draw| {
        format!(
            "FD-{}: {} tickets, {} sold, {} held",
            draw.draw, draw.tickets, draw.sold, draw.held
        )
    });
    report.checks.push(Check::new(
        "each draw has as many tickets as it says, at most 169",
        draws.len(),
        differs.collect(),
    ));
    let undecided = auditor.undecided().await?;
    let lines = undecided
        .iter()
        .map(|(order, state, age)| format!("order {order} is {state} since {age} s"))
        .collect();
    report.checks.push(Check::new(
        "no authorised order is undecided",
        undecided.len(),
        lines,
    ));
    let anomalies = auditor.went_wrong().await?;
    let lines = anomalies
        .iter()
        .filter(|found| !known.contains(found))
        .map(|found| format!("{found:?}, before {known:?}"));
    report.checks.push(Check::new(
        "no anomaly was raised",
        anomalies.len(),
        lines.collect(),
    ));
    let Some(key) = &access.seal_key else {
        return Ok(());
    };
    let sealer = Sealer::from_hex(key).context("the sealing key cannot be read")?;
    let books = Postgres::connect(&access.url, sealer)
        .await
        .context("opening the books")?;
    let rows = books.violations().await?;
    let lines = rows
        .into_iter()
        .map(|row| format!("{}: {}", row.invariant, row.object))
        .collect();
    report.checks.push(Check::new(
        "every invariant has zero rows, read from the books",
        draws.len(),
        lines,
    ));
    money(&browser, &books, &auditor.strays().await?, report).await
}

/// The server's own look at its invariants: no rows expected.
async fn integrity(browser: &Browser) -> Result<Check> {
    let path = "/api/health/integrity";
    let answer = browser
        .ask(Call::Club, &Request::get(path))
        .await
        .context("no answer from the integrity check")?;
    let rows = answer
        .body
        .get("violations")
        .and_then(|rows| rows.as_array())
        .cloned()
        .unwrap_or_default();
    let mut broken: Vec<String> = rows.iter().map(ToString::to_string).collect();
    if !answer.ok() && broken.is_empty() {
        broken.push(format!(
            "{path} answered {}: {}",
            answer.status, answer.body
        ));
    }
    Ok(Check::new(
        "the server itself finds every invariant at zero rows",
        1,
        broken,
    ))
}

/// Account by account: what our books say was taken, kept as fee and given back, and what the sandbox says. `strays`: payments
/// that no order holds and an open anomaly is about; a person is on them.
async fn money(
    browser: &Browser,
    books: &Postgres,
    strays: &HashSet<String>,
    report: &mut Report,
) -> Result<()> {
    let mut both: BTreeMap<String, (Holding, Holding)> = BTreeMap::new();
    for ours in books.account_totals().await? {
        both.entry(ours.account.0).or_default().0 = Holding {
            captured: ours.captured.0,
            application_fees: ours.application_fees.0 - ours.application_fees_refunded.0,
            refunded: ours.refunded.0,
            payments: ours.payments,
        };
    }
    let ledger = provider::ledger(browser, strays).await?;
    let hanging = (ledger.authorised > 0)
        .then(|| format!("{} authorisations hang at the sandbox", ledger.authorised));
    report.checks.push(Check::new(
        "nothing authorised hangs at the sandbox",
        1,
        hanging.into_iter().collect(),
    ));
    for (account, theirs) in ledger.accounts {
        both.entry(account).or_default().1 = theirs;
    }
    both.retain(|_, (ours, theirs)| *ours != Holding::default() || *theirs != Holding::default());
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
    let mut table = Table::new("Our books and the sandbox's", &head);
    let mut broken = Vec::new();
    for (account, (ours, theirs)) in &both {
        table.row([
            account.clone(),
            ours.payments.to_string(),
            dollars(ours.captured),
            dollars(ours.application_fees),
            dollars(ours.refunded),
            dollars(theirs.captured),
            dollars(theirs.application_fees),
            dollars(theirs.refunded),
        ]);
        if ours != theirs {
            broken.push(format!(
                "{account}: ours {ours:?}, the sandbox's {theirs:?}"
            ));
        }
    }
    report.tables.push(table);
    report.checks.push(Check::new(
        "our books equal the sandbox's to the cent",
        both.len(),
        broken,
    ));
    Ok(())
}
