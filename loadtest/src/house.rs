//! The house a run takes place in: the server under doubt, what everybody shares, and the end of every run: calm, audit,
//! report.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use tokio::sync::{Mutex, watch};
use tokio::task::JoinSet;

use crate::audit::{self, Check};
use crate::books::Anomalies;
use crate::browser::{Browser, Request, Site};
use crate::crowd;
use crate::faults::Struck;
use crate::latency::{Call, Heard, millis};
use crate::report::{Report, Table, plots};
use crate::subject::Subject;
use crate::told::Told;
use crate::usage;
use crate::watcher::{self, Board};

/// Nothing may be undecided after so much calm.
pub const CALM_SECONDS_MAX: u64 = 60;
/// Lines in one picture; more would be a tangle.
const LINES_MAX: usize = 8;
const POINTS_MAX: usize = 600;

pub struct House {
    pub subject: Arc<Mutex<Subject>>,
    pub site: Arc<Site>,
    /// Anomalies that were open before anybody bought.
    known: Anomalies,
}

/// What happened in a run, before anybody judged it.
#[derive(Default)]
pub struct Happened {
    pub tolds: Vec<Told>,
    pub boards: Vec<Board>,
    pub struck: Option<Struck>,
    /// The provider was made to fail, too.
    pub provider_failed: bool,
    /// What our own server kept in memory: seconds since the run's start, megabytes.
    pub memory: Vec<(f64, f64)>,
}

impl House {
    /// Starts our own server, or finds the one at `base`. Only this machine's own addresses are visited.
    pub async fn open(base: Option<&str>, retries: u32, patience: Duration) -> Result<Self> {
        let subject = match base {
            Some(base) => Subject::elsewhere(base),
            None => Subject::start().await?,
        };
        Self::with(subject, retries, patience).await
    }

    /// The same with a server that somebody has started or found.
    pub async fn with(mut subject: Subject, retries: u32, patience: Duration) -> Result<Self> {
        let host = subject
            .base
            .trim_start_matches("http://")
            .split([':', '/'])
            .next()
            .unwrap_or_default()
            .to_owned();
        if !["127.0.0.1", "localhost", "[", "[::1]"].contains(&host.as_str()) {
            bail!(
                "{} is not this machine; a crowd is sent nowhere else",
                subject.base
            );
        }
        subject.ready(Duration::from_secs(20)).await?;
        let site = Site {
            base: subject.base.clone(),
            provider: subject.provider.clone(),
            started: Instant::now(),
            retries,
            patience,
            publishable_key: String::new(),
        };
        let publishable_key = publishable_key(&site).await?;
        let site = Arc::new(Site {
            publishable_key,
            ..site
        });
        let known = match subject.access() {
            Some(access) => crate::books::anomalies(&access).await?,
            None => Anomalies::new(),
        };
        Ok(Self {
            subject: Arc::new(Mutex::new(subject)),
            site,
            known,
        })
    }

    /// Ends our own server and removes its folder, unless it is to be kept for a look.
    pub async fn close(self, keep: bool) -> Result<()> {
        let subject = Arc::try_unwrap(self.subject)
            .ok()
            .context("somebody still holds the server")?;
        let subject = subject.into_inner();
        if let (true, Some(dir)) = (keep, subject.dir()) {
            println!("Kept: {}", dir.display());
        }
        subject.stop(keep).await
    }

    /// Anomalies that were open before anybody bought.
    pub fn known(&self) -> &Anomalies {
        &self.known
    }

    /// Puts up boards: each follows one draw, in turn.
    pub fn boards(
        &self,
        draws: &[i64],
        count: usize,
        stop: &watch::Receiver<bool>,
    ) -> JoinSet<Board> {
        let mut boards = JoinSet::new();
        for draw in draws.iter().cycle().take(count) {
            boards.spawn(watcher::follow(
                Arc::clone(&self.site),
                vec![*draw],
                stop.clone(),
            ));
        }
        boards
    }

    /// Waits for calm, asks every witness, and writes what was found into the report.
    pub async fn conclude(&self, happened: &Happened, report: &mut Report) -> Result<()> {
        let limit = Duration::from_secs(CALM_SECONDS_MAX);
        let (settled, calm) = audit::settle(&self.site, &happened.tolds, limit).await?;
        report.fact(
            "undecided in calm for",
            format!("{:.1} s", calm.as_secs_f64()),
        );
        let heard: Vec<Heard> = happened
            .tolds
            .iter()
            .flat_map(|told| told.heard.iter().copied())
            .collect();
        report.verdicts(&crowd::verdicts(&happened.tolds));
        if let Some(struck) = &happened.struck {
            blows(report, struck);
        }
        report.latencies(&heard);
        report.tables.extend(usage::memory_table(&happened.memory));
        report
            .checks
            .extend(audit::promises(&happened.tolds, &settled));
        report.checks.push(audit::no_server_errors(
            &heard,
            happened.struck.is_some() || happened.provider_failed,
        ));
        let broken = happened
            .boards
            .iter()
            .flat_map(|board| board.broken.clone())
            .collect();
        let sights = happened.boards.iter().map(|board| board.sights.len()).sum();
        report.checks.push(Check::new(
            "boards never went back, and never showed too much",
            sights,
            broken,
        ));
        let subject = self.subject.lock().await;
        if subject.is_ours() {
            report.checks.push(audit::clean_log(&subject.log()));
        }
        let access = subject.access();
        drop(subject);
        crate::books::examine(&self.site, access.as_ref(), &self.known, report).await?;
        pictures(happened, &heard, report)
    }
}

async fn publishable_key(site: &Site) -> Result<String> {
    let site = Arc::new(Site {
        base: site.base.clone(),
        provider: site.provider.clone(),
        started: site.started,
        retries: 0,
        patience: site.patience,
        publishable_key: String::new(),
    });
    let browser = Browser::open(site, 0)?;
    let answer = browser
        .ask(Call::Club, &Request::get("/api/config"))
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
    Ok(answer.text("/publishableKey"))
}

fn blows(report: &mut Report, struck: &Struck) {
    report.fact("server killed", format!("{} times", struck.server));
    report.fact("Postgres killed", format!("{} times", struck.postgres));
    if struck.stuck_after_postgres > 0 {
        report.fact(
            "server restarted for Postgres",
            format!("{} times", struck.stuck_after_postgres),
        );
    }
    let mut table = Table::new(
        "Standing again (milliseconds)",
        &["", "times", "p50", "longest"],
    );
    for (name, sample) in [
        ("server", &struck.server_ready_ms),
        ("Postgres", &struck.postgres_ready_ms),
    ] {
        let figures = crate::latency::Percentiles::of(sample.clone());
        table.row([
            name.to_owned(),
            figures.count.to_string(),
            format!("{:.0}", figures.p50),
            format!("{:.0}", figures.most),
        ]);
    }
    report.tables.push(table);
}

fn pictures(happened: &Happened, heard: &[Heard], report: &mut Report) -> Result<()> {
    let decided = |told: &Told| Some(millis(told.decided_at?.saturating_sub(told.authorised_at?)));
    let decided: Vec<f64> = happened.tolds.iter().filter_map(decided).collect();
    let lag = watcher::lag(&happened.boards, &happened.tolds);
    report.lags(decided.clone(), &lag);

    let mut sold = watcher::sold_over_time(&happened.boards);
    sold.sort_by_key(|(_, points)| std::cmp::Reverse(points.len()));
    sold.truncate(LINES_MAX);
    sold.sort_by_key(|(draw, _)| *draw);
    let sold = sold
        .into_iter()
        .map(|(draw, points)| (format!("FD-{draw}"), plots::thinned(points, POINTS_MAX)));
    let sold: Vec<plots::Line> = sold.collect();
    let took = |call: Call| {
        let answered = heard
            .iter()
            .filter(move |heard| heard.call == call && heard.status > 0);
        plots::cumulative(
            call.name(),
            answered.map(|heard| millis(heard.took)).collect(),
        )
    };
    let mut latencies: Vec<plots::Line> =
        [Call::Page, Call::Draw, Call::Open, Call::Card, Call::Finish]
            .into_iter()
            .map(took)
            .collect();
    latencies.push(plots::cumulative("card authorised → buyer knows", decided));
    let lags = [
        plots::cumulative("buyer knows → board shows it", lag.behind_buyer),
        plots::cumulative("first board → every board", lag.behind_first_board),
        plots::cumulative("frame made → frame there", lag.on_the_way),
    ];
    let memory = plots::thinned(happened.memory.clone(), POINTS_MAX);
    let all = [
        plots::lines(
            "Sold over time",
            "seconds since the start",
            "tickets sold",
            &sold,
        )?,
        plots::lines(
            "Answers over time",
            "seconds since the start",
            "calls a second",
            &by_second(heard),
        )?,
        plots::lines(
            "Memory",
            "seconds since the start",
            "MB",
            &[("server".to_owned(), memory)],
        )?,
        plots::lines(
            "Latency",
            "milliseconds",
            "percent of the answers",
            &latencies,
        )?,
        plots::lines(
            "Fan-out lag",
            "milliseconds",
            "percent of the sightings",
            &lags,
        )?,
    ];
    report.plots.extend(all.into_iter().flatten());
    Ok(())
}

/// How many calls a second were answered, and how many met silence or a plea to come back (a killed server).
fn by_second(heard: &[Heard]) -> [plots::Line; 2] {
    let count = |wanted: fn(&&Heard) -> bool| {
        let mut seconds = vec![
            0.0;
            heard
                .iter()
                .map(|heard| heard.at.as_secs() as usize + 1)
                .max()
                .unwrap_or(0)
        ];
        for heard in heard.iter().filter(wanted) {
            seconds[heard.at.as_secs() as usize] += 1.0;
        }
        seconds
            .into_iter()
            .enumerate()
            .map(|(second, count)| (second as f64, count))
            .collect()
    };
    let (answered, away) = (
        count(|heard| !matches!(heard.status, 0 | 503)),
        count(|heard| matches!(heard.status, 0 | 503)),
    );
    [
        ("answered".to_owned(), answered),
        ("no answer, or asked to come back".to_owned(), away),
    ]
}
