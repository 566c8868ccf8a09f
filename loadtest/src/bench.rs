//! The bench: how near the limit we are, and how far ahead of what one would write first. Everything is measured in one run, in
//! turn, so that a busy machine is busy for everybody; what counts is the middle of the ratios.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use clap::Args;
use persistence::yardstick::{Room, Yardstick};

use crate::fresh;
use crate::house::{Happened, House};
use crate::report::{Report, Table, plots};
use crate::usage::Meter;
use contest::{Contest, Goal};
use rival::Running;
use shopper::Ours;
use walls::Walls;

mod actor_boards;
mod board;
mod contest;
mod fan_out;
mod growth;
mod limit;
mod line;
mod machine;
mod notices;
mod purchases;
mod reads;
pub mod rival;
mod shopper;
mod walls;

/// Connections that write the raw rows.
const RAW_CLIENTS: u32 = 32;

#[derive(Args, Clone, Debug)]
pub struct Bench {
    /// How often everything is measured.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Purchases of one sale, a ticket each.
    #[arg(long, default_value_t = 1_690)]
    purchases: usize,
    /// How many draws a sale goes over at a time.
    #[arg(long, value_delimiter = ',', default_value = "1,20,300")]
    hot: Vec<usize>,
    /// People who buy at the same moment.
    #[arg(long, default_value_t = 64)]
    buyers: usize,
    /// How long each address is read in each round.
    #[arg(long, default_value_t = 2)]
    seconds: u64,
    /// How many boards hear of one sale.
    #[arg(long, value_delimiter = ',', default_value = "1000,5000,10000")]
    boards: Vec<usize>,
    /// Live draws of a busy house.
    #[arg(long, default_value_t = 10_000)]
    many: usize,
    /// Sold tickets of years gone by.
    #[arg(long, default_value_t = 500_000)]
    history: i64,
    /// Only these parts: purchases, notices, walls, reads, boards, both, growth, many.
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    #[arg(long, default_value = "report.html")]
    report: PathBuf,
    /// Also writes the tables as Markdown and the pictures as SVG into this folder.
    #[arg(long)]
    pages: Option<PathBuf>,
}

impl Bench {
    pub fn page(&self) -> &PathBuf {
        &self.report
    }

    fn plays(&self, part: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| only == part)
    }
}

/// What all measurements work with.
struct Place<'a> {
    bench: &'a Bench,
    house: &'a House,
    /// `127.0.0.1:port` of ours.
    ours: String,
    rival: &'a Running,
    key: String,
    database: String,
    meter: Meter,
}

impl Place<'_> {
    fn buys(&self, count: usize) -> Ours {
        Ours {
            publishable_key: self.key.clone(),
            count,
        }
    }
}

pub async fn run(bench: &Bench) -> Result<Report> {
    ensure!(
        bench.rounds > 0 && bench.hot.iter().all(|hot| *hot > 0),
        "nothing to measure"
    );
    raise_file_limit();
    let house = House::open(None, 0, Duration::from_secs(30)).await?;
    let outcome = play(&house, bench).await;
    house.close(false).await?;
    let report = outcome?;
    if let Some(folder) = &bench.pages {
        report.to_pages(folder)?;
    }
    Ok(report)
}

async fn play(house: &House, bench: &Bench) -> Result<Report> {
    let access = house
        .subject
        .lock()
        .await
        .access()
        .context("our own books")?;
    let shown = fresh::draws(&house.site, "Shown", 1)
        .await?
        .pop()
        .context("a draw to look at")?;
    let raw_draws: usize = bench.rounds * purchases::raw_draws_a_round(&bench.hot, bench.purchases);
    let yardstick = Yardstick::lay_out(&access.url, RAW_CLIENTS, raw_draws as i64).await?;
    let bodies = std::env::temp_dir().join(format!("fd-bench-{}", uuid::Uuid::new_v4().simple()));
    std::fs::create_dir_all(&bodies)?;
    let ours = house.site.base.trim_start_matches("http://").to_owned();
    let paths = reads::take_bodies(&ours, shown, &bodies).await?;
    let rival = Running::start(&access.url, &bodies).await?;
    let meter = Meter::of(&*house.subject.lock().await)?;
    let key = house.site.publishable_key.clone();
    let place = Place {
        bench,
        house,
        ours,
        rival: &rival,
        key,
        database: access.url.clone(),
        meter,
    };
    let mut report = Report {
        title: "Football Doubles: the bench".to_owned(),
        ..Report::default()
    };
    facts(&mut report, bench);
    let (contests, tables) = place
        .play_all(shown, &paths, &yardstick, &mut report)
        .await?;
    rival.stop().await?;
    yardstick.clear_away().await?;
    std::fs::remove_dir_all(&bodies)?;
    report.fact("machine afterwards", machine::load());
    report.tables.push(contest::table(&contests));
    report.tables.extend(tables);
    report.plots.extend(pictures(&contests)?);
    // A run whose audit shows a violation has no result.
    house.conclude(&Happened::default(), &mut report).await?;
    Ok(report)
}

fn facts(report: &mut Report, bench: &Bench) {
    report.fact("machine", machine::described());
    report.fact("machine before", machine::load());
    report.fact(
        "build",
        if cfg!(debug_assertions) {
            "debug: no figure counts"
        } else {
            "release"
        },
    );
    report.fact("rounds", bench.rounds);
    report.fact("purchases a sale", bench.purchases);
    report.fact("buyers at once", bench.buyers);
}

impl Place<'_> {
    async fn play_all(
        mut self,
        shown: i64,
        paths: &[(&'static str, String)],
        yardstick: &Yardstick,
        report: &mut Report,
    ) -> Result<(Vec<Contest>, Vec<Table>)> {
        let (mut contests, mut tables, mut raw_free) = (Vec::new(), Vec::new(), 1..);
        let began = Instant::now();
        let says = |part: &str| eprintln!("[{:>4.0} s] {part}", began.elapsed().as_secs_f64());
        if self.bench.plays("reads") {
            // First: a list of all the draws that the other parts make for themselves is nobody's.
            says("reads and refusals");
            contests.extend(self.reads(paths).await?);
            contests.extend(self.refusals().await?);
        }
        if self.bench.plays("purchases") {
            says("purchases");
            let (found, mut took) = self.purchases(&mut raw_free).await?;
            contests.extend(found);
            contests.extend(self.crush(&mut took).await?);
            tables.push(took);
        }
        if self.bench.plays("notices") {
            says("notices");
            contests.extend(self.notices().await?);
        }
        if self.bench.plays("walls") || self.bench.plays("growth") {
            says("inside our walls");
            contests.extend(self.walls(yardstick, &mut raw_free, report).await?);
        }
        if self.bench.plays("boards") {
            says("boards");
            contests.extend(self.fan_out(shown).await?);
        }
        if self.bench.plays("both") {
            says("both at once");
            contests.extend(self.both_at_once().await?);
        }
        if self.bench.plays("many") {
            says("many draws");
            contests.extend(self.many_draws().await?);
        }
        says("the audit");
        Ok((contests, tables))
    }

    /// What needs an engine of its own; its books are audited, too.
    async fn walls(
        &self,
        yardstick: &Yardstick,
        raw_free: &mut impl Iterator<Item = i64>,
        report: &mut Report,
    ) -> Result<Vec<Contest>> {
        let room = Room::beside(&self.database, "bench_young").await?;
        let (young, foreman) = Walls::raise(&room).await?;
        let mut contests = Vec::new();
        if self.bench.plays("walls") {
            contests.extend(self.inside(&young, yardstick, raw_free).await?);
        }
        if self.bench.plays("growth") {
            contests.extend(self.growth(&young, report).await?);
        }
        let broken = young.violations().await?;
        report.checks.push(crate::audit::Check::new(
            "the engine's own books inside the walls",
            1,
            broken,
        ));
        foreman.stop().await?;
        room.clear_away().await?;
        Ok(contests)
    }
}

/// Ours by the rival's, round by round, one picture for each kind of figure.
fn pictures(contests: &[Contest]) -> Result<Vec<String>> {
    let all = [
        ("Purchases and reads: ours by the rival's", "a second"),
        ("Boards: ours by the rival's, less is better", "ms"),
    ];
    let mut pictures = Vec::new();
    for (title, unit) in all {
        let alike = contests
            .iter()
            .filter(|contest| contest.unit == unit && !contest.ratios().is_empty());
        let lines: Vec<plots::Line> = alike
            .filter(|contest| contest.goal != Goal::None)
            .map(|contest| {
                let ratios = contest.ratios().into_iter().enumerate();
                let points = ratios
                    .map(|(round, ratio)| (round as f64 + 1.0, ratio))
                    .collect();
                (format!("{} / {}", contest.what, contest.rival), points)
            })
            .collect();
        pictures.extend(plots::lines(title, "round", "ratio", &lines)?);
    }
    Ok(pictures)
}

/// Boards by the thousand are files by the thousand.
fn raise_file_limit() {
    use nix::sys::resource::{Resource, getrlimit, setrlimit};
    if let Ok((_, most)) = getrlimit(Resource::RLIMIT_NOFILE) {
        // What the system does not allow shows when the boards are opened.
        let _ = setrlimit(Resource::RLIMIT_NOFILE, most, most);
    }
}
