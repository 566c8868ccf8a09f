//! Measures the cost of growth: ten thousand live draws, and tickets sold over years.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::BenchContext;
use super::comparison::{BetterDirection, Comparison};
use super::engine_only::{self, EngineUnderTest};
use super::purchase_client::{self, Sale, draws_needed};
use super::temporary_database::TemporaryDatabase;
use crate::draw_creation;
use crate::report::Report;
use crate::resource_usage::ProcessMeter;

const MEMORY_PER_LIVE_DRAW_KB_MAX: f64 = 8.0;
const RESTART_READY_MS_MAX: f64 = 2_000.0;
/// Minimum ratio of the purchase rates: with much data, a purchase may take about a tenth longer.
const PURCHASE_RATE_RATIO_MIN: f64 = 0.9;
const DRAWS_ON_SALE: usize = 20;

impl BenchContext<'_> {
    /// Compares purchases by the engine on an empty database with purchases on a database with many
    /// draws and old tickets.
    pub(super) async fn compare_sales_with_and_without_history(
        &self,
        empty_engine: &EngineUnderTest,
        report: &mut Report,
    ) -> Result<Vec<Comparison>> {
        let scratch_database = TemporaryDatabase::create(&self.database, "bench_old").await?;
        let (old, engine_handle) = EngineUnderTest::start(&scratch_database).await?;
        old.create_draws_on_sale(1).await?;
        let started_at = Instant::now();
        let history = scratch_database.insert_history(self.bench.history).await?;
        old.create_draws_on_sale(self.bench.many).await?;
        report.add_fact(
            "years of history made in",
            format!("{:.0} s", started_at.elapsed().as_secs_f64()),
        );
        let what = format!(
            "engine only, with {} live draws and {history} sold tickets behind",
            self.bench.many
        );
        let mut comparison = Comparison::new(
            what,
            "a second",
            "the same, empty database",
            BetterDirection::Higher,
        )
        .with_ratio_goal(PURCHASE_RATE_RATIO_MIN);
        let draw_count = draws_needed(DRAWS_ON_SALE, self.bench.purchases);
        for _ in 0..self.bench.rounds {
            let mut figures = Vec::new();
            for engine in [&old, empty_engine] {
                let sale = Sale::new(
                    engine.create_draws_on_sale(draw_count).await?,
                    DRAWS_ON_SALE,
                    self.bench.purchases,
                );
                let engine = std::sync::Arc::new(engine.clone());
                let purchase = move |draw| {
                    let engine = engine.clone();
                    async move { engine.purchase_ticket(draw).await }
                };
                figures.push(engine_only::run_sale(self.bench.buyers, sale, purchase).await?);
            }
            comparison.add_round(figures[0], figures[1]);
        }
        engine_handle.stop().await?;
        scratch_database.drop_database().await?;
        Ok(vec![comparison])
    }

    /// Measures the whole server with many live draws: the memory for each draw, the time until
    /// ready after a kill, and the processor time of a purchase compared with few draws.
    pub(super) async fn measure_many_draws(&mut self) -> Result<Vec<Comparison>> {
        let many = self.bench.many;
        let draw_count = draws_needed(DRAWS_ON_SALE, self.bench.purchases);
        self.meter.wait_until_idle().await?;
        let before = self.restart_server().await?.1;
        let mut with_few = Vec::new();
        for _ in 0..self.bench.rounds {
            let few =
                draw_creation::create_test_draws(&self.test_run.site, "Few", draw_count).await?;
            with_few.push(self.purchase_cpu_us(few).await?);
        }
        let mut draws =
            draw_creation::create_test_draws(&self.test_run.site, "Growth", many).await?;
        let mut ready = Comparison::with_fixed_goal(
            format!("ready again after a kill, {many} live draws"),
            "ms",
            BetterDirection::Lower,
            RESTART_READY_MS_MAX,
        );
        let mut memory = Comparison::with_fixed_goal(
            "a live draw",
            "KB",
            BetterDirection::Lower,
            MEMORY_PER_LIVE_DRAW_KB_MAX,
        );
        let mut cost = Comparison::new(
            format!("processor time of a complete purchase, {many} live draws"),
            "µs",
            "with few",
            BetterDirection::Lower,
        )
        .with_ratio_goal(1.1);
        for cost_with_few in with_few {
            let (took, after) = self.restart_server().await?;
            ready.add_product_figure(took.as_secs_f64() * 1000.0);
            memory.add_product_figure((after - before).max(0.0) / many as f64);
            let some = draws.drain(..draw_count.min(draws.len())).collect();
            cost.add_round(self.purchase_cpu_us(some).await?, cost_with_few);
        }
        Ok(vec![ready, memory, cost])
    }

    /// Returns the processor time of one complete purchase in microseconds, as the average over a
    /// sale in these draws.
    async fn purchase_cpu_us(&self, draws: Vec<i64>) -> Result<f64> {
        let before = self.meter.cpu_time()?;
        let sale = Sale::new(draws, DRAWS_ON_SALE, self.bench.purchases);
        purchase_client::run_sale(
            &self.product_address,
            self.bench.buyers,
            sale,
            self.product_client(1),
        )
        .await?;
        self.meter.wait_until_idle().await?;
        Ok(
            self.meter.cpu_time()?.since(before).total_ms() as f64 * 1000.0
                / self.bench.purchases as f64,
        )
    }

    /// Kills and restarts the server. Returns the time until the server is ready, and its memory in
    /// kilobytes once it is idle.
    async fn restart_server(&mut self) -> Result<(Duration, f64)> {
        let mut server_process = self.test_run.server_process.lock().await;
        server_process.kill().await?;
        let took = server_process
            .restart(Duration::from_secs(120))
            .await
            .context("with so many draws")?;
        self.meter = ProcessMeter::of_server(&server_process)?;
        drop(server_process);
        self.meter.wait_until_idle().await?;
        Ok((took, self.meter.resident_kb()?))
    }
}
