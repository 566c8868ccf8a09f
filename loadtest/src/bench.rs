//! The benchmark. In the same run it measures the product and simpler implementations ("rivals")
//! alternately, so that a busy machine slows both. The result is the median of the ratios.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use baseline::BenchBaseline;
use clap::Args;
use temporary_database::TemporaryDatabase;

use crate::draw_creation;
use crate::report::{Report, Table, plots};
use crate::resource_usage::ProcessMeter;
use crate::test_run::{RunObservations, TestRun};
use comparison::{Comparison, ComparisonGoal};
use engine_only::EngineUnderTest;
use purchase_client::ProductClient;
use rival::RivalProcess;

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
mod raw_write_limit;
mod reads;
pub mod rival;
mod temporary_database;
mod webhooks;

/// Number of database connections of the benchmarks that write rows without the product.
const BASELINE_CONNECTION_COUNT: u32 = 32;

#[derive(Args, Clone, Debug)]
pub struct BenchArgs {
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
    /// Names of the parts to run: purchases, notices, walls, reads, boards, both, growth, many. By
    /// default all run.
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    #[arg(long, default_value = "report.html")]
    report: PathBuf,
    /// Folder for the results: tables as Markdown, and plots as SVG.
    #[arg(long)]
    pages: Option<PathBuf>,
}

impl BenchArgs {
    pub fn report_file(&self) -> &PathBuf {
        &self.report
    }

    fn includes_part(&self, part: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|name| name == part)
    }
}

/// The settings, servers and meters that all measurements share.
struct BenchContext<'a> {
    bench: &'a BenchArgs,
    test_run: &'a TestRun,
    /// Address of the product's server, as `127.0.0.1:port`.
    product_address: String,
    rival: &'a RivalProcess,
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

pub async fn run_subcommand(bench: &BenchArgs) -> Result<Report> {
    ensure!(
        bench.rounds > 0 && bench.hot.iter().all(|hot| *hot > 0),
        "nothing to measure"
    );
    raise_file_limit();
    let test_run = TestRun::open(None, 0, Duration::from_secs(30)).await?;
    let outcome = run_benchmarks(&test_run, bench).await;
    test_run.close(false).await?;
    let report = outcome?;
    if let Some(folder) = &bench.pages {
        report.write_markdown_pages(folder)?;
    }
    Ok(report)
}

async fn run_benchmarks(test_run: &TestRun, bench: &BenchArgs) -> Result<Report> {
    let access = test_run
        .server_process
        .lock()
        .await
        .database_access()
        .context("the server's database")?;
    let shown = draw_creation::create_test_draws(&test_run.site, "Shown", 1)
        .await?
        .pop()
        .context("no draw was created")?;
    let raw_draws: usize =
        bench.rounds * purchases::baseline_draws_per_round(&bench.hot, bench.purchases);
    let baseline =
        BenchBaseline::create(&access.url, BASELINE_CONNECTION_COUNT, raw_draws as i64).await?;
    let bodies = std::env::temp_dir().join(format!("fd-bench-{}", uuid::Uuid::new_v4().simple()));
    std::fs::create_dir_all(&bodies)?;
    let product_address = test_run.site.base.trim_start_matches("http://").to_owned();
    let paths = reads::save_product_responses(&product_address, shown, &bodies).await?;
    let rival = RivalProcess::start(&access.url, &bodies).await?;
    let meter = ProcessMeter::of_server(&*test_run.server_process.lock().await)?;
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
    add_benchmark_facts(&mut report, bench);
    let (comparisons, tables) = bench_context
        .run_selected_parts(shown, &paths, &baseline, &mut report)
        .await?;
    rival.stop().await?;
    baseline.drop_schema().await?;
    std::fs::remove_dir_all(&bodies)?;
    report.add_fact("machine afterwards", machine::load_averages());
    report
        .tables
        .push(comparison::comparison_table(&comparisons));
    report.tables.extend(tables);
    report.plots.extend(ratio_plots(&comparisons)?);
    // The run stops here if the audit finds a violation, because its results would be worthless.
    test_run
        .audit_and_report(&RunObservations::default(), &mut report)
        .await?;
    Ok(report)
}

fn add_benchmark_facts(report: &mut Report, bench: &BenchArgs) {
    report.add_fact("machine", machine::describe_machine());
    report.add_fact("machine before", machine::load_averages());
    report.add_fact(
        "build",
        if cfg!(debug_assertions) {
            "debug: no figure counts"
        } else {
            "release"
        },
    );
    report.add_fact("rounds", bench.rounds);
    report.add_fact("purchases a sale", bench.purchases);
    report.add_fact("buyers at once", bench.buyers);
}

impl BenchContext<'_> {
    async fn run_selected_parts(
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
            comparisons.extend(self.compare_reads_with_rival(paths).await?);
            comparisons.extend(self.measure_refusals().await?);
        }
        if self.bench.includes_part("purchases") {
            print_progress("purchases");
            let (found, mut took) = self.compare_purchases_with_rivals(&mut raw_free).await?;
            comparisons.extend(found);
            comparisons.extend(self.measure_simultaneous_buyers(&mut took).await?);
            tables.push(took);
        }
        if self.bench.includes_part("notices") {
            print_progress("notices");
            comparisons.extend(self.measure_webhooks().await?);
        }
        if self.bench.includes_part("walls") || self.bench.includes_part("growth") {
            print_progress("engine only");
            comparisons.extend(
                self.measure_engine_only(baseline, &mut raw_free, report)
                    .await?,
            );
        }
        if self.bench.includes_part("boards") {
            print_progress("boards");
            comparisons.extend(self.measure_fan_out(shown).await?);
        }
        if self.bench.includes_part("both") {
            print_progress("both at once");
            comparisons.extend(self.measure_sale_with_boards().await?);
        }
        if self.bench.includes_part("many") {
            print_progress("many draws");
            comparisons.extend(self.measure_many_draws().await?);
        }
        print_progress("the audit");
        Ok((comparisons, tables))
    }

    /// Measures the engine without HTTP, and audits its database.
    async fn measure_engine_only(
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
                self.compare_engine_with_baselines(&empty_engine, baseline, raw_free)
                    .await?,
            );
        }
        if self.bench.includes_part("growth") {
            comparisons.extend(
                self.compare_sales_with_and_without_history(&empty_engine, report)
                    .await?,
            );
        }
        let failures = empty_engine.find_invariant_violations().await?;
        report.checks.push(crate::audit::AuditCheck::new(
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
        let lines: Vec<plots::PlotSeries> = alike
            .filter(|comparison| comparison.goal != ComparisonGoal::None)
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
        ratio_plots.extend(plots::line_plot(title, "round", "ratio", &lines)?);
    }
    Ok(ratio_plots)
}

/// Raises the process's limit of open files, because each board needs one.
fn raise_file_limit() {
    use nix::sys::resource::{Resource, getrlimit, setrlimit};
    if let Ok((_, most)) = getrlimit(Resource::RLIMIT_NOFILE) {
        // A failure to raise the limit is ignored here, because boards then fail to connect.
        let _ = setrlimit(Resource::RLIMIT_NOFILE, most, most);
    }
}
