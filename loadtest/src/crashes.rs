//! The crash loop: people buy all the time while the server and its Postgres are killed again and again; after every so many
//! kills there is a calm, and then everybody who was told something is asked whether it is so.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use clap::Args;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::MissedTickBehavior;

use crate::audit::{self, Check};
use crate::browser::Site;
use crate::buyer;
use crate::crowd;
use crate::fresh;
use crate::house::{CALM_SECONDS_MAX, House};
use crate::latency::{Heard, Percentiles};
use crate::plan::{BuyerPlan, Crowd, Habits};
use crate::report::{Report, Table};
use crate::told::{Told, Verdict};
use blows::{Plan, Struck};

mod blows;
mod disk;

/// Tickets of one draw that the crowd can count on before it is nearly full.
const TICKETS_USED: u64 = 120;
/// What an average buyer takes.
const TICKETS_EACH: u64 = 4;
/// Nobody comes while so many seconds' worth of people are still inside.
const INSIDE_SECONDS: usize = 15;
/// How soon everything is to stand again.
const SERVER_GOAL_MS: f64 = 5_000.0;
const POSTGRES_GOAL_MS: f64 = 15_000.0;

#[derive(Args, Clone, Debug)]
pub struct Crashes {
    /// Kills in all; about one in six is Postgres'.
    #[arg(long, default_value_t = 400)]
    kills: u32,
    /// After so many kills there is a calm and an audit.
    #[arg(long, default_value_t = 25)]
    calm_every: u32,
    /// Seconds from standing again to the next blow, give or take a quarter: a kill about every six seconds, with what it takes
    /// to stand again.
    #[arg(long, default_value_t = 3)]
    every: u64,
    /// People who come each second.
    #[arg(long, default_value_t = 20)]
    rate: u64,
    /// How often Postgres' disk is filled to the last byte afterwards.
    #[arg(long, default_value_t = 3)]
    full_disks: u32,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[arg(long, default_value = "report.html")]
    report: PathBuf,
    /// Keep the server's folder for a look.
    #[arg(long)]
    keep: bool,
}

impl Crashes {
    pub fn page(&self) -> &PathBuf {
        &self.report
    }
}

/// What the whole loop came to.
#[derive(Default)]
struct Sum {
    struck: Struck,
    buyers: usize,
    /// What buyers were shown, kept to the end.
    acknowledged: Vec<Told>,
    checks: Vec<Check>,
    decided_after: Vec<f64>,
}

impl Sum {
    /// The same check of another round is one line with the round's number.
    fn add(&mut self, round: u32, checks: Vec<Check>) {
        for mut check in checks {
            check
                .broken
                .iter_mut()
                .for_each(|broken| *broken = format!("round {round}: {broken}"));
            match self
                .checks
                .iter_mut()
                .find(|known| known.name == check.name)
            {
                Some(known) => {
                    known.looked_at += check.looked_at;
                    known.broken.append(&mut check.broken);
                }
                None => self.checks.push(check),
            }
        }
    }
}

pub async fn run(crashes: &Crashes) -> Result<Report> {
    ensure!(crashes.calm_every > 0 && crashes.rate > 0, "nothing to do");
    let house = House::open(None, 1, Duration::from_secs(90)).await?;
    let outcome = play(&house, crashes).await;
    house.close(crashes.keep).await?;
    let mut report = outcome?;
    disk::fill(crashes, &mut report).await?;
    Ok(report)
}

async fn play(house: &House, crashes: &Crashes) -> Result<Report> {
    let mut sum = Sum::default();
    let mut round = 0;
    while sum.struck.kills() < crashes.kills {
        round += 1;
        let kills = crashes.calm_every.min(crashes.kills - sum.struck.kills());
        let tolds = storm(house, crashes, round, kills, &mut sum.struck).await?;
        calm(house, round, tolds, &mut sum).await?;
        println!(
            "{} of {} kills, {} acknowledged, {} broken",
            sum.struck.kills(),
            crashes.kills,
            sum.acknowledged.len(),
            sum.checks
                .iter()
                .map(|check| check.broken.len())
                .sum::<usize>()
        );
    }
    // What was acknowledged in the first round is there after the last.
    let (settled, _) = audit::settle(
        &house.site,
        &sum.acknowledged,
        Duration::from_secs(CALM_SECONDS_MAX),
    )
    .await?;
    let still = audit::promises(&sum.acknowledged, &settled);
    sum.checks
        .extend(still.into_iter().take(1).map(|check| Check {
            name: format!("at the end, {}", check.name),
            ..check
        }));
    Ok(sum.tell(crashes))
}

/// People come at their rate until the hand has struck so often; then everybody there finishes.
async fn storm(
    house: &House,
    crashes: &Crashes,
    round: u32,
    kills: u32,
    struck: &mut Struck,
) -> Result<Vec<Told>> {
    let seconds = u64::from(kills) * (crashes.every + 6);
    let draws = (crashes.rate * seconds * TICKETS_EACH).div_ceil(TICKETS_USED) as usize;
    let draws = fresh::draws(&house.site, &format!("Crash {round}"), draws).await?;
    let crowd = Crowd {
        seed: crashes.seed + u64::from(round),
        buyers: (crashes.rate * seconds * 4) as usize,
        over_ms: 0,
        late: 0,
        most: 8,
        habits: Habits::rushed(4),
        together: vec![(0..draws.len()).collect(); draws.len()],
    };
    let (stop, stopping) = watch::channel(false);
    let people = tokio::spawn(come(
        Arc::clone(&house.site),
        crowd.plans(draws.len()),
        draws,
        crashes.rate,
        stopping,
    ));
    let plan = Plan {
        kills,
        every: Duration::from_secs(crashes.every),
        seed: crashes.seed + u64::from(round),
    };
    let result = blows::strike(&house.subject, plan, struck).await;
    stop.send_replace(true);
    let tolds = people.await?;
    result?;
    tolds
}

async fn come(
    site: Arc<Site>,
    plans: Vec<BuyerPlan>,
    draws: Vec<i64>,
    rate: u64,
    mut stopping: watch::Receiver<bool>,
) -> Result<Vec<Told>> {
    let draws = Arc::new(draws);
    let mut tick = tokio::time::interval(Duration::from_micros(1_000_000 / rate));
    tick.set_missed_tick_behavior(MissedTickBehavior::Skip);
    let (mut people, mut tolds) = (JoinSet::new(), Vec::new());
    for plan in plans {
        tokio::select! {
            biased;
            _ = stopping.wait_for(|stop| *stop) => break,
            _ = tick.tick() => {}
        }
        // A machine that is too slow for them gets fewer, not a crowd that only waits for itself.
        while people.len() >= INSIDE_SECONDS * rate as usize
            && let Some(told) = people.join_next().await
        {
            tolds.push(told??);
        }
        let (site, draws) = (Arc::clone(&site), Arc::clone(&draws));
        people.spawn(async move { buyer::play(site, &plan, &draws, Duration::ZERO).await });
    }
    while let Some(told) = people.join_next().await {
        tolds.push(told??);
    }
    Ok(tolds)
}

async fn calm(house: &House, round: u32, tolds: Vec<Told>, sum: &mut Sum) -> Result<()> {
    house
        .subject
        .lock()
        .await
        .ready(Duration::from_secs(60))
        .await?;
    let (settled, took) =
        audit::settle(&house.site, &tolds, Duration::from_secs(CALM_SECONDS_MAX)).await?;
    sum.decided_after.push(took.as_secs_f64() * 1000.0);
    let heard: Vec<Heard> = tolds
        .iter()
        .flat_map(|told| told.heard.iter().copied())
        .collect();
    let mut checks = audit::promises(&tolds, &settled);
    checks.push(audit::no_server_errors(&heard, true));
    let mut books = Report::default();
    let access = house
        .subject
        .lock()
        .await
        .access()
        .context("our own books")?;
    crate::books::examine(&house.site, Some(&access), house.known(), &mut books).await?;
    checks.extend(books.checks);
    // A run takes most of an hour; whoever looks in is not to wait for its end.
    checks.iter().for_each(|check| {
        check
            .broken
            .iter()
            .for_each(|broken| println!("broken: {}: {broken}", check.name))
    });
    sum.add(round, checks);
    sum.buyers += tolds.len();
    let bought = tolds
        .into_iter()
        .filter(|told| told.verdict == Verdict::Bought);
    sum.acknowledged.extend(bought.map(|told| Told {
        heard: Vec::new(),
        ..told
    }));
    Ok(())
}

impl Sum {
    fn tell(self, crashes: &Crashes) -> Report {
        let mut report = Report {
            title: "Football Doubles: the crash loop".to_owned(),
            ..Report::default()
        };
        let count = |name: &str| -> usize {
            self.checks
                .iter()
                .filter(|check| check.name.contains(name))
                .map(|check| check.broken.len())
                .sum()
        };
        let all: usize = self.checks.iter().map(|check| check.broken.len()).sum();
        let (lost, stuck) = (count("acknowledged purchase"), count("decided"));
        for (name, value) in [
            ("seed", crashes.seed.to_string()),
            (
                "kills",
                format!(
                    "{} ({} of Postgres)",
                    self.struck.kills(),
                    self.struck.postgres
                ),
            ),
            ("storms beside", self.struck.storms()),
            ("buyers", self.buyers.to_string()),
            (
                "acknowledged purchases",
                self.acknowledged.len().to_string(),
            ),
            ("lost", lost.to_string()),
            ("stuck", stuck.to_string()),
            ("violations", (all - lost - stuck).to_string()),
        ] {
            report.fact(name, value);
        }
        let head = ["", "times", "p50", "p99", "longest", "goal for p99"];
        let mut table = Table::new("Standing again (milliseconds)", &head);
        for (name, sample, goal) in [
            (
                "server after kill -9",
                self.struck.server_ready_ms,
                SERVER_GOAL_MS,
            ),
            (
                "Postgres after its death",
                self.struck.postgres_ready_ms,
                POSTGRES_GOAL_MS,
            ),
            (
                "after a storm",
                self.struck.storm_ready_ms,
                POSTGRES_GOAL_MS,
            ),
            (
                "every order decided",
                self.decided_after,
                CALM_SECONDS_MAX as f64 * 1000.0,
            ),
        ] {
            let figures = Percentiles::of(sample);
            let shown =
                [figures.p50, figures.p99, figures.most, goal].map(|value| format!("{value:.0}"));
            table.row(
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

/// Some people buy while something else goes on; what they were told.
async fn some_buy(
    site: &Arc<Site>,
    name: &str,
    seed: u64,
    buyers: usize,
    over: Duration,
) -> Result<Vec<Told>> {
    let draws = fresh::draws(site, name, buyers / 20 + 1).await?;
    let crowd = Crowd {
        seed,
        buyers,
        over_ms: u64::try_from(over.as_millis())?,
        late: 0,
        most: 8,
        habits: Habits::rushed(4),
        together: vec![(0..draws.len()).collect(); draws.len()],
    };
    let gate = crowd::Gate {
        draws: draws.clone(),
        keen: Duration::ZERO,
        at_once: buyers,
    };
    crowd::send(
        Arc::clone(site),
        crowd.plans(draws.len()),
        gate,
        crowd::bar(name, buyers),
    )
    .await
}

/// How long something took, in milliseconds.
fn since(began: Instant) -> f64 {
    crate::latency::millis(began.elapsed())
}
