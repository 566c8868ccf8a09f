//! The benchmark. In the same run it measures the product and simpler implementations ("rivals")
//! alternately, so that a busy machine slows both. The result is the median of the ratios.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use baseline::BenchBaseline;
use clap::Args;
use temporary_database::TemporaryDatabase;

use crate::new_draws;
use crate::report::{Report, Table, plots};
use crate::test_run::{RunObservations, TestRun};
use crate::usage::ProcessMeter;
use comparison::{Comparison, Goal};
use engine_only::EngineUnderTest;
use purchase_client::ProductClient;
use rival::RunningRival;

mod actor_boards;
mod baseline;
mod board_sockets;
mod comparison;
mod engine_only;
mod fan_out;
mod growth;
mod http_connection;
mod machine;
mod purchase_client;
mod purchases;
mod raw_limit;
mod reads;
pub mod rival;
mod temporary_database;
mod webhooks;

/// Number of database connections of the benchmarks that write rows without the product.
const RAW_CLIENTS: u32 = 32;

#[derive(Args, Clone, Debug)]
pub struct Bench {
    /// How often each measurement is repeated.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Number of purchases in one measured sale. Each buys one ticket.
    #[arg(long, default_value_t = 1_690)]
    purchases: usize,
    /// Numbers of draws that are on sale at the same time. Each number is measured separately.
    #[arg(long, value_delimiter = ',', default_value = "1,20,300")]
    hot: Vec<usize>,
    /// Number of concurrent buyers.
    #[arg(long, default_value_t = 64)]
    buyers: usize,
    /// Seconds for which each page is read in each round.
    #[arg(long, default_value_t = 2)]
    seconds: u64,
    /// Numbers of boards that receive each sale. Each number is measured separately.
    #[arg(long, value_delimiter = ',', default_value = "1000,5000,10000")]
    boards: Vec<usize>,
    /// Number of live draws in the benchmark with many draws.
    #[arg(long, default_value_t = 10_000)]
    many: usize,
    /// Number of sold tickets from earlier years in the benchmark with old data.
    #[arg(long, default_value_t = 500_000)]
    history: i64,
    /// Runs only the named parts: purchases, notices, walls, reads, boards, both, growth, many.
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    #[arg(long, default_value = "report.html")]
    report: PathBuf,
    /// Folder for the results: tables as Markdown, and plots as SVG.
    #[arg(long)]
    pages: Option<PathBuf>,
}

impl Bench {
    pub fn page(&self) -> &PathBuf {
        &self.report
    }

    fn includes_part(&self, part: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|name| name == part)
    }
}

/// The settings, servers and meters that all measurements share.
struct BenchContext<'a> {
    bench: &'a Bench,
    test_run: &'a TestRun,
    /// Address of the product's server, as `127.0.0.1:port`.
    product_address: String,
    rival: &'a RunningRival,
    key: String,
    database: String,
    meter: ProcessMeter,
}

impl BenchContext<'_> {
    fn product_client(&self, count: usize) -> ProductClient {
        ProductClient {
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
    let test_run = TestRun::open(None, 0, Duration::from_secs(30)).await?;
    let outcome = play(&test_run, bench).await;
    test_run.close(false).await?;
    let report = outcome?;
    if let Some(folder) = &bench.pages {
        report.to_pages(folder)?;
    }
    Ok(report)
}

async fn play(test_run: &TestRun, bench: &Bench) -> Result<Report> {
    let access = test_run
        .server_process
        .lock()
        .await
        .access()
        .context("the server's database")?;
    let shown = new_draws::draws(&test_run.site, "Shown", 1)
        .await?
        .pop()
        .context("no draw was created")?;
    let raw_draws: usize = bench.rounds * purchases::raw_draws_a_round(&bench.hot, bench.purchases);
    let baseline = BenchBaseline::create(&access.url, RAW_CLIENTS, raw_draws as i64).await?;
    let bodies = std::env::temp_dir().join(format!("fd-bench-{}", uuid::Uuid::new_v4().simple()));
    std::fs::create_dir_all(&bodies)?;
    let product_address = test_run.site.base.trim_start_matches("http://").to_owned();
    let paths = reads::store_responses(&product_address, shown, &bodies).await?;
    let rival = RunningRival::start(&access.url, &bodies).await?;
    let meter = ProcessMeter::of(&*test_run.server_process.lock().await)?;
    let key = test_run.site.publishable_key.clone();
    let bench_context = BenchContext {
        bench,
        test_run,
        product_address,
        rival: &rival,
        key,
        database: access.url.clone(),
        meter,
    };
    let mut report = Report {
        title: "Football Doubles: the bench".to_owned(),
        ..Report::default()
    };
    add_facts(&mut report, bench);
    let (comparisons, tables) = bench_context
        .play_all(shown, &paths, &baseline, &mut report)
        .await?;
    rival.stop().await?;
    baseline.drop_schema().await?;
    std::fs::remove_dir_all(&bodies)?;
    report.fact("machine afterwards", machine::load());
    report.tables.push(comparison::table(&comparisons));
    report.tables.extend(tables);
    report.plots.extend(ratio_plots(&comparisons)?);
    // The run stops here if the audit finds a violation, because its results would be worthless.
    test_run
        .conclude(&RunObservations::default(), &mut report)
        .await?;
    Ok(report)
}

fn add_facts(report: &mut Report, bench: &Bench) {
    report.fact("machine", machine::description());
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

impl BenchContext<'_> {
    async fn play_all(
        mut self,
        shown: i64,
        paths: &[(&'static str, String)],
        baseline: &BenchBaseline,
        report: &mut Report,
    ) -> Result<(Vec<Comparison>, Vec<Table>)> {
        let (mut comparisons, mut tables, mut raw_free) = (Vec::new(), Vec::new(), 1..);
        let started_at = Instant::now();
        let print_progress =
            |part: &str| eprintln!("[{:>4.0} s] {part}", started_at.elapsed().as_secs_f64());
        if self.bench.includes_part("reads") {
            // Reads are measured first, because later parts add draws to the list of active draws,
            // which would then be larger.
            print_progress("reads and refusals");
            comparisons.extend(self.reads(paths).await?);
            comparisons.extend(self.refusals().await?);
        }
        if self.bench.includes_part("purchases") {
            print_progress("purchases");
            let (found, mut took) = self.purchases(&mut raw_free).await?;
            comparisons.extend(found);
            comparisons.extend(self.simultaneous_buyers(&mut took).await?);
            tables.push(took);
        }
        if self.bench.includes_part("notices") {
            print_progress("notices");
            comparisons.extend(self.webhooks().await?);
        }
        if self.bench.includes_part("walls") || self.bench.includes_part("growth") {
            print_progress("engine only");
            comparisons.extend(self.engine_only(baseline, &mut raw_free, report).await?);
        }
        if self.bench.includes_part("boards") {
            print_progress("boards");
            comparisons.extend(self.fan_out(shown).await?);
        }
        if self.bench.includes_part("both") {
            print_progress("both at once");
            comparisons.extend(self.both_at_once().await?);
        }
        if self.bench.includes_part("many") {
            print_progress("many draws");
            comparisons.extend(self.many_draws().await?);
        }
        print_progress("the audit");
        Ok((comparisons, tables))
    }

    /// Measures the engine without HTTP, and audits its database.
    async fn engine_only(
        &self,
        baseline: &BenchBaseline,
        raw_free: &mut impl Iterator<Item = i64>,
        report: &mut Report,
    ) -> Result<Vec<Comparison>> {
        let scratch_database = TemporaryDatabase::create(&self.database, "bench_young").await?;
        let (empty_engine, engine_handle) = EngineUnderTest::start(&scratch_database).await?;
        let mut comparisons = Vec::new();
        if self.bench.includes_part("walls") {
            comparisons.extend(
                self.compare_engine(&empty_engine, baseline, raw_free)
                    .await?,
            );
        }
        if self.bench.includes_part("growth") {
            comparisons.extend(self.growth(&empty_engine, report).await?);
        }
        let failures = empty_engine.violations().await?;
        report.checks.push(crate::audit::Check::new(
            "the database of the engine-only measurements",
            1,
            failures,
        ));
        engine_handle.stop().await?;
        scratch_database.drop_database().await?;
        Ok(comparisons)
    }
}

/// Plots the ratios of the product to the rival for each round. Each unit of measurement has one
/// plot.
fn ratio_plots(comparisons: &[Comparison]) -> Result<Vec<String>> {
    let all = [
        ("Purchases and reads: product to rival", "a second"),
        ("Boards: product to rival, less is better", "ms"),
    ];
    let mut ratio_plots = Vec::new();
    for (title, unit) in all {
        let alike = comparisons
            .iter()
            .filter(|comparison| comparison.unit == unit && !comparison.ratios().is_empty());
        let lines: Vec<plots::Series> = alike
            .filter(|comparison| comparison.goal != Goal::None)
            .map(|comparison| {
                let ratios = comparison.ratios().into_iter().enumerate();
                let points = ratios
                    .map(|(round, ratio)| (round as f64 + 1.0, ratio))
                    .collect();
                (
                    format!("{} / {}", comparison.what, comparison.rival),
                    points,
                )
            })
            .collect();
        ratio_plots.extend(plots::lines(title, "round", "ratio", &lines)?);
    }
    Ok(ratio_plots)
}

/// Raises the process's limit of open files, because each board needs one.
fn raise_file_limit() {
    use nix::sys::resource::{Resource, getrlimit, setrlimit};
    if let Ok((_, most)) = getrlimit(Resource::RLIMIT_NOFILE) {
        // A failure is ignored here, because it would show when boards cannot connect.
        let _ = setrlimit(Resource::RLIMIT_NOFILE, most, most);
    }
}
