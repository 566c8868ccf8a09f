//! The amnesia drill: the books are restored from a backup of some minutes ago, and the provider remembers what they forgot. All
//! of it is found within two minutes, and becomes tickets or goes back.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use persistence::auditor::Auditor;
use serde_json::{Value, json};

use crate::audit::{self, Check};
use crate::browser::{Answer, Browser, Request, Site, text};
use crate::crowd::{self, Gate};
use crate::fresh;
use crate::house::{CALM_SECONDS_MAX, House};
use crate::latency::Call;
use crate::plan::{Crowd, Habits};
use crate::report::Report;
use crate::told::Told;

const FOUND_SECONDS_MAX: u64 = 120;
/// The fee on a ticket is seven whole cents. At a price whose fee has half cents, an order that is given its tickets again may owe
/// a cent more or less than was taken, because others stand before it now: a mismatch that a person closes.
const PRICE_CENTS: i64 = 200;
const LOOK_AGAIN: Duration = Duration::from_millis(500);

#[derive(Args, Clone, Debug)]
pub struct Amnesia {
    /// People who buy before the backup, and again as many after it.
    #[arg(long, default_value_t = 60)]
    buyers: usize,
    /// Seconds over which they come; ten minutes is the real drill.
    #[arg(long, default_value_t = 20)]
    seconds: u64,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[arg(long, default_value = "report.html")]
    report: PathBuf,
    #[arg(long)]
    keep: bool,
}

impl Amnesia {
    pub fn page(&self) -> &PathBuf {
        &self.report
    }

    async fn sell(&self, site: &Arc<Site>, draws: &[i64], time: u64) -> Result<Vec<Told>> {
        let crowd = Crowd {
            seed: self.seed + time,
            buyers: self.buyers,
            over_ms: self.seconds * 1_000,
            late: 0,
            most: 6,
            habits: Habits::rushed(4),
            together: vec![(0..draws.len()).collect(); draws.len()],
        };
        let gate = Gate {
            draws: draws.to_vec(),
            keen: Duration::ZERO,
            at_once: self.buyers,
        };
        let bar = crowd::bar(
            if time == 0 { "remembered" } else { "forgotten" },
            self.buyers,
        );
        let tolds = crowd::send(Arc::clone(site), crowd.plans(draws.len()), gate, bar).await?;
        let (settled, _) =
            audit::settle(site, &tolds, Duration::from_secs(CALM_SECONDS_MAX)).await?;
        let broken: Vec<String> = audit::promises(&tolds, &settled)
            .into_iter()
            .flat_map(|check| check.broken)
            .collect();
        ensure!(
            broken.is_empty(),
            "before anything was forgotten: {broken:?}"
        );
        Ok(tolds)
    }
}

pub async fn run(amnesia: &Amnesia) -> Result<Report> {
    let house = House::open(None, 0, Duration::from_secs(60)).await?;
    let outcome = play(&house, amnesia).await;
    house.close(amnesia.keep).await?;
    outcome
}

async fn play(house: &House, amnesia: &Amnesia) -> Result<Report> {
    let mut report = Report {
        title: "Football Doubles: the amnesia drill".to_owned(),
        ..Report::default()
    };
    // Room for both crowds, so that nobody who paid meets a full draw when the tickets are given again.
    let draws =
        fresh::draws_at(&house.site, "Amnesia", amnesia.buyers / 12 + 2, PRICE_CENTS).await?;
    amnesia.sell(&house.site, &draws, 0).await?;
    let file = house
        .subject
        .lock()
        .await
        .dir()
        .context("our own server")?
        .join("before.backup");
    let file = file.to_string_lossy().into_owned();
    tell(
        &house
            .subject
            .lock()
            .await
            .command(&["backup", &file])
            .await?,
    )?;
    let known = captured(house).await?;
    amnesia.sell(&house.site, &draws, 1).await?;
    let forgotten: BTreeSet<String> = captured(house).await?.difference(&known).cloned().collect();

    let mut subject = house.subject.lock().await;
    subject.end().await?;
    tell(&subject.command(&["restore", &file]).await?)?;
    subject.restart(Duration::from_secs(60)).await?;
    drop(subject);
    let began = Instant::now();
    let missed = found(house, &forgotten).await?;
    report.fact("payments taken since the backup", forgotten.len());
    report.fact(
        "found",
        format!(
            "{} in {:.1} s",
            forgotten.len() - missed.len(),
            began.elapsed().as_secs_f64()
        ),
    );
    let name = "every forgotten payment is an anomaly within two minutes";
    report
        .checks
        .push(Check::new(name, forgotten.len(), missed));
    let healed = heal(house, &forgotten).await?;
    report.fact("became tickets", healed);
    report.fact("went back", forgotten.len() - healed);
    let access = house.subject.lock().await.access();
    crate::books::examine(&house.site, access.as_ref(), house.known(), &mut report).await?;
    Ok(report)
}

fn tell(output: &std::process::Output) -> Result<()> {
    let said = [&output.stdout, &output.stderr]
        .map(|bytes| String::from_utf8_lossy(bytes).into_owned())
        .concat();
    ensure!(output.status.success(), "the command failed:\n{said}");
    Ok(())
}

/// Every payment that the provider has taken.
async fn captured(house: &House) -> Result<BTreeSet<String>> {
    let browser = Browser::open(Arc::clone(&house.site), 0)?;
    let ledger = browser
        .ask(Call::Club, &Request::get("/sandbox/ledger?detail=1"))
        .await
        .context("no ledger")?;
    let captured = ledger.body["captured"]
        .as_array()
        .context("no list of payments")?;
    Ok(captured
        .iter()
        .map(|payment| text(payment, "/paymentIntent"))
        .collect())
}

/// Waits until each is found; gives those that are not.
async fn found(house: &House, forgotten: &BTreeSet<String>) -> Result<Vec<String>> {
    let access = house
        .subject
        .lock()
        .await
        .access()
        .context("our own books")?;
    let auditor = Auditor::open(&access.url).await?;
    let began = Instant::now();
    loop {
        let strays = auditor.strays().await?;
        let missed: Vec<String> = forgotten
            .iter()
            .filter(|payment| !strays.contains(*payment))
            .cloned()
            .collect();
        if missed.is_empty() || began.elapsed().as_secs() > FOUND_SECONDS_MAX {
            return Ok(missed);
        }
        tokio::time::sleep(LOOK_AGAIN).await;
    }
}

/// The operator gives two of three their tickets and the third their money. Says how many became tickets.
async fn heal(house: &House, forgotten: &BTreeSet<String>) -> Result<usize> {
    let operator = Browser::open(Arc::clone(&house.site), 0)?;
    let login = json!({ "email": "operator@demo.test", "password": "demo-password" });
    expect(
        operator
            .ask(Call::Club, &Request::post("/api/clubs/login", login))
            .await,
        "logging in",
    )?;
    let code = expect(
        operator
            .ask(Call::Club, &Request::get("/sandbox/operator-code.json"))
            .await,
        "a code",
    )?;
    let code = json!({ "code": text(&code, "/code") });
    expect(
        operator
            .ask(Call::Club, &Request::post("/api/admin/totp/verify", code))
            .await,
        "the code",
    )?;
    let open = expect(
        operator
            .ask(Call::Club, &Request::get("/api/admin/payment-anomalies"))
            .await,
        "the anomalies",
    )?;
    let anomaly_of = |payment: &str| {
        let mut rows = open.as_array().into_iter().flatten();
        rows.find(|row| row["paymentIntentId"] == payment)
            .map(|row| text(row, "/id"))
    };
    let mut healed = 0;
    for (number, payment) in forgotten.iter().enumerate() {
        if number % 3 == 2 {
            let id = anomaly_of(payment)
                .with_context(|| format!("{payment} is not in the operator's list"))?;
            let path = format!("/api/admin/payment-anomalies/{id}/refund");
            let body = json!({ "reason": "Forgotten, and given back" });
            expect(
                operator.ask(Call::Club, &Request::post(path, body)).await,
                "giving back",
            )?;
            continue;
        }
        let body = json!({ "paymentIntentId": payment, "customerName": "Jo Lost", "customerEmail": "jo@crowd.test",
            "customerPhone": "0400000000" });
        expect(
            operator
                .ask(
                    Call::Club,
                    &Request::post("/api/admin/payment-anomalies/resolve", body),
                )
                .await,
            "allocating",
        )?;
        healed += 1;
    }
    Ok(healed)
}

fn expect(answer: Option<Answer>, doing: &str) -> Result<Value> {
    let answer = answer.with_context(|| format!("{doing}: no answer"))?;
    if !answer.ok() {
        bail!("{doing}: {} {}", answer.status, answer.body);
    }
    Ok(answer.body)
}
