//! The bench: how near the limit we are, and how far ahead of what one would write first. Everything is measured in one run, in
//! turn, so that a busy machine is busy for everybody; what counts is the middle of the ratios.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use clap::Args;
use persistence::yardstick::Yardstick;
use tokio::task::JoinSet;

use crate::fresh;
use crate::house::{Happened, House};
use crate::latency::Percentiles;
use crate::report::{Report, Table, plots};
use board::Boards;
use contest::{Better, Contest};
use line::Line;
use rival::Running;
use shopper::{Ours, RowLock, Sale, draws_for};

mod board;
mod contest;
mod line;
pub mod rival;
mod shopper;

/// Connections that write the raw rows.
const RAW_CLIENTS: usize = 32;
/// Connections that read.
const READERS: usize = 64;
/// Frames of the sale before have come, two of our ticks and some air.
const QUIET: Duration = Duration::from_millis(600);

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
    #[arg(long, value_delimiter = ',', default_value = "1000,5000")]
    boards: Vec<usize>,
    #[arg(long, default_value = "report.html")]
    report: PathBuf,
}

impl Bench {
    pub fn page(&self) -> &PathBuf {
        &self.report
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
}

pub async fn run(bench: &Bench) -> Result<Report> {
    ensure!(bench.rounds > 0 && bench.hot.iter().all(|hot| *hot > 0), "nothing to measure");
    raise_file_limit();
    let house = House::open(None, 0, Duration::from_secs(30)).await?;
    let outcome = play(&house, bench).await;
    house.close(false).await?;
    outcome
}

async fn play(house: &House, bench: &Bench) -> Result<Report> {
    let access = house.subject.lock().await.access().context("our own books")?;
    let per_round: usize = bench.hot.iter().map(|hot| draws_for(*hot, bench.purchases)).sum();
    let mut draws = fresh::draws(&house.site, "Bench", per_round * bench.rounds + 1).await?;
    let shown = draws.pop().context("a draw to look at")?;
    let yardstick = Yardstick::lay_out(&access.url, RAW_CLIENTS as u32, 2 * draws.len() as i64).await?;
    let bodies = std::env::temp_dir().join(format!("fd-bench-{}", uuid::Uuid::new_v4().simple()));
    std::fs::create_dir_all(&bodies)?;
    let ours = house.site.base.trim_start_matches("http://").to_owned();
    let paths = take_bodies(&ours, shown, &bodies).await?;
    let rival = Running::start(&access.url, &bodies).await?;
    let key = house.site.publishable_key.clone();
    let place = Place { bench, house, ours, rival: &rival, key };
    let mut report = Report { title: "Football Doubles: the bench".to_owned(), ..Report::default() };
    facts(&mut report, bench);
    let (mut contests, took) = place.purchases(&draws, &yardstick).await?;
    contests.extend(place.reads(&paths).await?);
    contests.extend(place.fan_out(shown).await?);
    rival.stop().await?;
    yardstick.clear_away().await?;
    std::fs::remove_dir_all(&bodies)?;
    report.tables.push(contest::table(&contests));
    report.tables.push(took);
    report.plots.extend(picture(&contests)?);
    // A run whose audit shows a violation has no result.
    house.conclude(&Happened::default(), &mut report).await?;
    Ok(report)
}

fn facts(report: &mut Report, bench: &Bench) {
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    report.fact("cores, shared by everybody", cores);
    report.fact("build", if cfg!(debug_assertions) { "debug: no figure counts" } else { "release" });
    report.fact("rounds", bench.rounds);
    report.fact("purchases a sale", bench.purchases);
    report.fact("buyers at once", bench.buyers);
}

/// What our addresses answer, byte for byte, for the rival to answer too. Gives name and path of each.
async fn take_bodies(ours: &str, draw: i64, folder: &std::path::Path) -> Result<Vec<(&'static str, String)>> {
    let paths = vec![
        ("active", "/api/draws/active".to_owned()),
        ("page", format!("/draw/{draw}")),
        ("tickets", format!("/api/draws/{draw}/tickets")),
    ];
    let mut line = Line::open(ours).await?;
    let frame = (rival::FRAME, format!("/api/draws/{draw}"));
    for (name, path) in paths.iter().chain([&frame]) {
        let request = line.get(path);
        let reply = line.ask(&request).await?;
        ensure!(reply.status == 200, "{path} answered {}", reply.status);
        std::fs::write(folder.join(name), reply.body)?;
    }
    Ok(paths)
}

impl Place<'_> {
    /// Durable purchases, ours complete with the sandbox's part, beside the same rows alone and beside a row lock.
    async fn purchases(&self, draws: &[i64], yardstick: &Yardstick) -> Result<(Vec<Contest>, Table)> {
        let (mut contests, mut took) = (Vec::new(), Table::new("Purchases (milliseconds)", &LATENCY));
        let (mut free, mut raw_free) = (draws.iter().copied(), 1..);
        for hot in &self.bench.hot {
            let wanted = draws_for(*hot, self.bench.purchases);
            let what = format!("purchases, {hot} draws at a time");
            let mut raw = Contest::new(&what, "a second", "the same rows, raw", Better::More);
            let mut locked = Contest::new(&what, "a second", "row lock, no provider", Better::More);
            if *hot == 1 {
                locked = locked.goal(10.0);
            } else if *hot == 20 {
                locked = locked.goal(5.0);
            }
            let mut all = Vec::new();
            for _ in 0..self.bench.rounds {
                let buyers = self.bench.buyers;
                let sale = |draws: Vec<i64>| Sale::new(draws, *hot, self.bench.purchases);
                let ours = Ours { publishable_key: self.key.clone() };
                let ours = shopper::sell(&self.ours, buyers, sale(free.by_ref().take(wanted).collect()), ours).await?;
                let rows = raw_sale(yardstick, buyers, sale(raw_free.by_ref().take(wanted).collect())).await?;
                let lock = sale(raw_free.by_ref().take(wanted).collect());
                let lock = shopper::sell(&self.rival.http, buyers, lock, RowLock).await?;
                raw.round(ours.per_second, rows);
                locked.round(ours.per_second, lock.per_second);
                all.extend(ours.took_ms);
            }
            let Percentiles { count, p50, p90, p99, most } = Percentiles::of(all);
            let figures = [p50, p90, p99, most].map(|ms| format!("{ms:.1}"));
            took.row([what, count.to_string()].into_iter().chain(figures));
            contests.extend([raw, locked]);
        }
        Ok((contests, took))
    }

    /// Our addresses beside an actix that answers the very bytes, prepared.
    async fn reads(&self, paths: &[(&'static str, String)]) -> Result<Vec<Contest>> {
        let mut contests = Vec::new();
        for (name, path) in paths {
            let mut contest = Contest::new(format!("GET {path}"), "a second", "actix, prepared bytes", Better::More);
            contest = contest.goal(0.95);
            for _ in 0..self.bench.rounds {
                let seconds = Duration::from_secs(self.bench.seconds);
                let ours = read(&self.ours, path, seconds).await?;
                contest.round(ours, read(&self.rival.http, &format!("/{name}"), seconds).await?);
            }
            contests.push(contest);
        }
        Ok(contests)
    }

    /// One sale to many boards: from the first that shows it to the last; and what a socket costs to hold.
    async fn fan_out(&self, draw: i64) -> Result<Vec<Contest>> {
        let (mut contests, mut shopper) = (Vec::new(), Line::open(&self.ours).await?);
        let mut caller = Line::open(&self.rival.http).await?;
        let ours_pid = self.house.subject.lock().await.pid();
        for count in &self.bench.boards {
            let what = format!("one sale to {count} boards, first to last");
            let mut spread = Contest::new(what, "ms", "bare broadcast", Better::Less).goal(1.1);
            let mut memory = Contest::new(format!("a socket, of {count}"), "KB", "bare broadcast", Better::Less);
            let (before, rival_before) = (resident_kb(ours_pid)?, resident_kb(self.rival.pid())?);
            let mut ours = Boards::open(&self.ours, &format!("/ws?topics=draw:{draw}"), *count, true).await?;
            let mut bare = Boards::open(&self.rival.sockets, "/", *count, false).await?;
            let each = |after: f64, before: f64| (after - before).max(0.0) / *count as f64;
            memory.round(each(resident_kb(ours_pid)?, before), each(resident_kb(self.rival.pid())?, rival_before));
            for _ in 0..self.bench.rounds {
                ours.forget();
                let buy = Ours { publishable_key: self.key.clone() };
                shopper::AsyncBuy::buy(&buy, &mut shopper, draw).await?;
                let shown = ours.spread().await?;
                tokio::time::sleep(QUIET).await;
                bare.forget();
                let shout = caller.post("/shout", "text/plain", "", "");
                caller.ask(&shout).await?;
                spread.round(shown, bare.spread().await?);
            }
            contests.extend([spread, memory]);
        }
        Ok(contests)
    }
}

const LATENCY: [&str; 6] = ["", "purchases", "p50", "p90", "p99", "longest"];

/// The rows alone, by clients that do nothing else: purchases a second.
async fn raw_sale(yardstick: &Yardstick, buyers: usize, sale: std::sync::Arc<Sale>) -> Result<f64> {
    let (began, mut clients) = (Instant::now(), JoinSet::new());
    for _ in 0..buyers.min(RAW_CLIENTS) {
        let (yardstick, sale) = (yardstick.clone(), sale.clone());
        clients.spawn(async move {
            let mut written = 0_usize;
            while let Some(draw) = sale.next() {
                ensure!(yardstick.raw(draw).await?, "a draw of the yardstick was full");
                written += 1;
            }
            Ok(written)
        });
    }
    let mut written = 0;
    while let Some(client) = clients.join_next().await {
        written += client??;
    }
    Ok(written as f64 / began.elapsed().as_secs_f64())
}

/// How many answers a second one address gives to many readers.
async fn read(authority: &str, path: &str, seconds: Duration) -> Result<f64> {
    let mut readers = JoinSet::new();
    let began = Instant::now();
    for _ in 0..READERS {
        let (mut line, path) = (Line::open(authority).await?, path.to_owned());
        readers.spawn(async move {
            let request = line.get(&path);
            let mut answers = 0_usize;
            while began.elapsed() < seconds {
                ensure!(line.ask(&request).await?.status == 200, "{path} was not answered");
                answers += 1;
            }
            Ok(answers)
        });
    }
    let mut answers = 0;
    while let Some(reader) = readers.join_next().await {
        answers += reader??;
    }
    Ok(answers as f64 / began.elapsed().as_secs_f64())
}

/// What a process keeps in memory.
fn resident_kb(pid: Option<u32>) -> Result<f64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", pid.context("a process")?))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("no VmRSS")?;
    Ok(line.trim().trim_end_matches(" kB").parse()?)
}

fn picture(contests: &[Contest]) -> Result<Option<String>> {
    let lines: Vec<plots::Line> = contests
        .iter()
        .filter(|contest| contest.unit == "a second")
        .map(|contest| {
            let points = contest.ratios().into_iter().enumerate().map(|(round, ratio)| (round as f64 + 1.0, ratio));
            (format!("{} / {}", contest.what, contest.rival), points.collect())
        })
        .collect();
    plots::lines("Ours by the rival's, round by round", "round", "ratio", &lines)
}

/// Boards by the thousand are files by the thousand.
fn raise_file_limit() {
    use nix::sys::resource::{Resource, getrlimit, setrlimit};
    if let Ok((_, most)) = getrlimit(Resource::RLIMIT_NOFILE) {
        // What the system does not allow shows when the boards are opened.
        let _ = setrlimit(Resource::RLIMIT_NOFILE, most, most);
    }
}
