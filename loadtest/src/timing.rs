//! Whether time tells who has an account: the same wrong sign-in, and the same forgotten password, for addresses that are known
//! and for addresses that nobody has, in turn. Their medians are compared as a ratio, because machines differ.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use clap::Args;
use serde_json::json;

use crate::audit::Check;
use crate::browser::{Browser, Request, Site};
use crate::house::House;
use crate::latency::{Call, Percentiles, millis};
use crate::plan::Dice;
use crate::report::{Report, Table};

/// Wrong passwords that one account takes in a quarter of an hour: each address is asked so often and no more.
const TRIES_PER_ADDRESS: usize = 5;
/// How far apart the medians may be, in percent.
const APART_MAX: f64 = 5.0;

#[derive(Args, Clone, Debug)]
pub struct Timing {
    /// A running demo; without it one is started.
    #[arg(long)]
    base: Option<String>,
    /// Tries of each kind, half of them with addresses that have an account.
    #[arg(long, default_value_t = 2_000)]
    tries: usize,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[arg(long, default_value = "report.html")]
    report: PathBuf,
    #[arg(long)]
    keep: bool,
}

impl Timing {
    pub fn page(&self) -> &PathBuf {
        &self.report
    }
}

pub async fn run(timing: &Timing) -> Result<Report> {
    let house = House::open(timing.base.as_deref(), 0, Duration::from_secs(60)).await?;
    let outcome = play(&house, timing).await;
    house.close(timing.keep).await?;
    outcome
}

async fn play(house: &House, timing: &Timing) -> Result<Report> {
    let mut report = Report {
        title: "Football Doubles: what time tells".to_owned(),
        ..Report::default()
    };
    let addresses = timing.tries / 2 / TRIES_PER_ADDRESS;
    ensure!(addresses > 0, "too few tries to compare");
    let known = register(&house.site, addresses, timing.seed).await?;
    let unknown: Vec<String> = known
        .iter()
        .map(|email| email.replacen("known", "nobody", 1))
        .collect();
    report.fact("tries of each kind", addresses * TRIES_PER_ADDRESS * 2);
    let mut table = Table::new(
        "Answers (milliseconds)",
        &["", "answers", "p50", "p90", "p99", "longest"],
    );
    for (what, path, status) in [
        ("sign-in", "/api/clubs/login", 401),
        ("forgotten password", "/api/clubs/reset-password", 200),
    ] {
        let took = measure(&house.site, path, status, [&known, &unknown], timing.seed).await?;
        let [of_known, of_unknown] = took.map(Percentiles::of);
        for (who, figures) in [("known", of_known), ("unknown", of_unknown)] {
            let cells =
                [figures.p50, figures.p90, figures.p99, figures.most].map(|ms| format!("{ms:.2}"));
            table.row(
                [format!("{what}, {who} address"), figures.count.to_string()]
                    .into_iter()
                    .chain(cells),
            );
        }
        let apart = (of_known.p50 / of_unknown.p50 - 1.0) * 100.0;
        report.fact(&format!("{what}: medians"), format!("{apart:+.2} % apart"));
        let broken = if apart.abs() > APART_MAX {
            vec![format!("{apart:+.2} %")]
        } else {
            Vec::new()
        };
        let name =
            format!("{what}: known and unknown addresses take as long, within {APART_MAX} %");
        report
            .checks
            .push(Check::new(name, of_known.count + of_unknown.count, broken));
    }
    report.tables.push(table);
    Ok(report)
}

/// Clubs of our own, so that no real one is locked out for a while.
async fn register(site: &Arc<Site>, count: usize, seed: u64) -> Result<Vec<String>> {
    let stamp = time::OffsetDateTime::now_utc().unix_timestamp();
    let mut emails = Vec::with_capacity(count);
    for number in 0..count {
        let browser = Browser::open(Arc::clone(site), seed)?;
        let email = format!("known{number}.{stamp}@crowd.test");
        let form = json!({ "name": format!("Timing {stamp} {number}"), "email": email, "phone": "0400 000 000",
            "password": "three unrelated words" });
        let joined = browser
            .ask(Call::Club, &Request::post("/api/clubs/register", form))
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

/// One call after the other, which of the two kinds comes first by chance; how many milliseconds each took.
async fn measure(
    site: &Arc<Site>,
    path: &str,
    status: u16,
    who: [&[String]; 2],
    seed: u64,
) -> Result<[Vec<f64>; 2]> {
    let browser = Browser::open(Arc::clone(site), seed)?;
    let mut dice = Dice::of(seed, 2);
    let mut took = [Vec::new(), Vec::new()];
    for _ in 0..TRIES_PER_ADDRESS {
        for (known, unknown) in who[0].iter().zip(who[1]) {
            let first = usize::from(dice.below(2) == 0);
            for kind in [first, 1 - first] {
                let email = [known, unknown][kind];
                let body = json!({ "email": email, "password": "not the password" });
                let began = Instant::now();
                let answer = browser
                    .once(Call::Club, &Request::post(path, body))
                    .await
                    .context("no answer")?;
                took[kind].push(millis(began.elapsed()));
                ensure!(
                    answer.status == status,
                    "{path}: {} {}",
                    answer.status,
                    answer.body
                );
            }
        }
    }
    Ok(took)
}
