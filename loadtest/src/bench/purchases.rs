//! Measures complete purchases over HTTP. Also measures purchases by the engine alone, compared
//! with other ways to write the same rows.

use std::sync::Arc;
use std::time::Instant;

use anyhow::Result;
use tokio::task::JoinSet;

use super::BenchContext;
use super::baseline::BenchBaseline;
use super::comparison::{BetterDirection, Comparison};
use super::engine_only::{self, EngineUnderTest};
use super::http_connection::HttpConnection;
use super::purchase_client::{self, RowLockClient, Sale, TICKETS_PER_DRAW, draws_needed};
use super::raw_write_limit;
use crate::draw_creation;
use crate::latency::{Percentiles, duration_ms};
use crate::report::Table;
use crate::resource_usage::CpuTime;

const LATENCY_HEADINGS: [&str; 6] = ["", "answers", "p50", "p90", "p99", "longest"];
/// Goals derived from the ticket shop pretix, measured elsewhere on a similar machine: 2.7 guest
/// purchases per second, 690 ms of processor time for each, and 560 ms of latency for a single
/// buyer. The goals are 1,000 times the rate, a 1,500th of the processor time and a tenth of the
/// latency.
const PURCHASES_PER_SECOND_MIN: f64 = 2_700.0;
const PURCHASE_CPU_US_MAX: f64 = 460.0;
const PURCHASE_P99_MS_MAX: f64 = 56.0;
/// Maximum number of draws for which rivals are compared. With more draws, purchases hardly wait
/// for each other.
const DRAWS_COMPARED_WITH_RIVALS_MAX: usize = 20;
/// Number of simultaneous buyers of one draw.
const SIMULTANEOUS_BUYER_COUNT: usize = 1_000;
/// Maximum milliseconds until the last of the simultaneous buyers has a final answer, without the
/// provider's time.
const LAST_ANSWER_MS_MAX: f64 = 100.0;

impl BenchContext<'_> {
    /// Compares complete purchases with the rival's handler, which locks a row but calls no
    /// provider and sends no mail.
    pub(super) async fn compare_purchases_with_rivals(
        &self,
        raw_free: &mut impl Iterator<Item = i64>,
    ) -> Result<(Vec<Comparison>, Table)> {
        let (mut comparisons, mut latency_table) = (
            Vec::new(),
            Table::new("Complete purchases (milliseconds)", &LATENCY_HEADINGS),
        );
        for hot in &self.bench.hot {
            let draw_count = draws_needed(*hot, self.bench.purchases);
            let what = format!("complete purchases, {hot} draws at a time");
            let mut each = Comparison::with_fixed_goal(
                &what,
                "a second",
                BetterDirection::Higher,
                PURCHASES_PER_SECOND_MIN,
            );
            let mut slow = Comparison::with_fixed_goal(
                format!("{what}: p99"),
                "ms",
                BetterDirection::Lower,
                PURCHASE_P99_MS_MAX,
            );
            let mut cpu = Comparison::with_fixed_goal(
                format!("{what}: processor time each"),
                "µs",
                BetterDirection::Lower,
                PURCHASE_CPU_US_MAX,
            );
            let mut postgres = Comparison::new(
                format!("{what}: Postgres' part of it"),
                "µs",
                "",
                BetterDirection::Lower,
            );
            let mut locked = Comparison::new(
                &what,
                "a second",
                "row lock, no provider, no mail",
                BetterDirection::Higher,
            );
            let mut all = Vec::new();
            let mut draws = draw_creation::create_test_draws(
                &self.test_run.site,
                &format!("Hot {hot}"),
                draw_count * self.bench.rounds,
            )
            .await?;
            for _ in 0..self.bench.rounds {
                let sale = |draws: Vec<i64>| Sale::new(draws, *hot, self.bench.purchases);
                self.meter.wait_until_idle().await?;
                let before = self.meter.cpu_time()?;
                let some = sale(draws.drain(..draw_count).collect());
                let ours = purchase_client::run_sale(
                    &self.product_address,
                    self.bench.buyers,
                    some,
                    self.product_client(1),
                )
                .await?;
                // Mails and webhooks are still processed after the last response. Their processor
                // time counts as part of the purchases.
                self.meter.wait_until_idle().await?;
                let used = self.meter.cpu_time()?.since(before);
                let lock = sale(raw_free.by_ref().take(draw_count).collect());
                let lock = purchase_client::run_sale(
                    &self.rival.http,
                    self.bench.buyers,
                    lock,
                    RowLockClient,
                )
                .await?;
                each.add_product_figure(ours.per_second);
                slow.add_product_figure(Percentiles::of_sample(ours.took_ms.clone()).p99);
                cpu.add_product_figure(cpu_us_per_purchase(used, self.bench.purchases));
                postgres.add_product_figure(
                    used.postgres as f64 * 1000.0 / self.bench.purchases as f64,
                );
                locked.add_round(ours.per_second, lock.per_second);
                all.extend(ours.took_ms);
            }
            latency_table.add_row(latency_row(what, all));
            comparisons.extend([each, slow, cpu, postgres, locked]);
        }
        Ok((comparisons, latency_table))
    }

    /// Measures a thousand simultaneous buyers of one draw until each has a final answer. The
    /// result is compared with the provider's own time for as many payments as the draw has
    /// tickets.
    pub(super) async fn measure_simultaneous_buyers(
        &self,
        latency_table: &mut Table,
    ) -> Result<[Comparison; 2]> {
        let what = format!(
            "{SIMULTANEOUS_BUYER_COUNT} buyers at once for {TICKETS_PER_DRAW} tickets: the last answer"
        );
        let mut whole = Comparison::new(&what, "ms", "the provider alone", BetterDirection::Lower);
        let mut own = Comparison::with_fixed_goal(
            format!("{what}, less the provider's time"),
            "ms",
            BetterDirection::Lower,
            LAST_ANSWER_MS_MAX,
        );
        let (mut bought_ms, mut refused_ms) = (Vec::new(), Vec::new());
        for draw in
            draw_creation::create_test_draws(&self.test_run.site, "Crush", self.bench.rounds)
                .await?
        {
            let product_client = self.product_client(1);
            let answers = self
                .run_concurrently(
                    &self.product_address,
                    SIMULTANEOUS_BUYER_COUNT,
                    |mut connection| {
                        let product_client = product_client.clone();
                        async move { product_client.try_purchase(&mut connection, draw).await }
                    },
                )
                .await?;
            let (bought, refused): (Vec<_>, Vec<_>) =
                answers.into_iter().partition(|(bought, _)| *bought);
            bought_ms.extend(bought.iter().map(|(_, ms)| ms));
            refused_ms.extend(refused.iter().map(|(_, ms)| ms));
            let paid = self
                .run_concurrently(&self.rival.http, TICKETS_PER_DRAW, |mut connection| {
                    let product_client = product_client.clone();
                    async move { product_client.pay_at_provider(&mut connection).await }
                })
                .await?;
            let (ours, providers) = (
                last_answer_ms(bought.iter().chain(&refused)),
                last_answer_ms(&paid),
            );
            whole.add_round(ours, providers);
            own.add_product_figure(ours - providers);
        }
        latency_table.add_row(latency_row(
            format!("{SIMULTANEOUS_BUYER_COUNT} at once: bought"),
            bought_ms,
        ));
        latency_table.add_row(latency_row(
            format!("{SIMULTANEOUS_BUYER_COUNT} at once: refused because none is left"),
            refused_ms,
        ));
        Ok([whole, own])
    }

    /// Starts `act` on `buyers` connections at the same moment. Returns each result with its
    /// duration in milliseconds.
    async fn run_concurrently<A, F>(
        &self,
        authority: &str,
        buyers: usize,
        act: impl Fn(HttpConnection) -> F,
    ) -> Result<Vec<(A, f64)>>
    where
        A: Send + 'static,
        F: Future<Output = Result<A>> + Send + 'static,
    {
        // The wait comes before the connections open, because the server closes a connection that
        // is idle for some seconds.
        self.meter.wait_until_idle().await?;
        let mut connections = Vec::with_capacity(buyers);
        for _ in 0..buyers {
            connections.push(HttpConnection::open(authority).await?);
        }
        let started_at = Instant::now();
        let mut acting = JoinSet::new();
        for connection in connections {
            let acts = act(connection);
            acting
                .spawn(async move { anyhow::Ok((acts.await?, duration_ms(started_at.elapsed()))) });
        }
        let mut answers = Vec::with_capacity(buyers);
        while let Some(answer) = acting.join_next().await {
            answers.push(answer??);
        }
        Ok(answers)
    }

    /// Compares the engine, without HTTP and without a provider, with other ways to write the same
    /// rows.
    pub(super) async fn compare_engine_with_baselines(
        &self,
        engine: &EngineUnderTest,
        baseline: &BenchBaseline,
        raw_free: &mut impl Iterator<Item = i64>,
    ) -> Result<Vec<Comparison>> {
        let mut comparisons = Vec::new();
        for hot in self
            .bench
            .hot
            .iter()
            .filter(|hot| **hot <= DRAWS_COMPARED_WITH_RIVALS_MAX)
        {
            let what = format!("engine only, {hot} draws at a time");
            let comparison = |rival, one: f64, many: f64| {
                Comparison::new(&what, "a second", rival, BetterDirection::Higher)
                    .with_ratio_goal(if *hot == 1 { one } else { many })
            };
            let mut locked = comparison("row lock", 10.0, 5.0);
            let mut skipping = comparison("SKIP LOCKED", 4.0, 3.0);
            let mut raw = comparison("one purchase a transaction", 3.0, 3.0);
            let mut cost = Comparison::new(
                format!("{what}: processor time"),
                "µs",
                "one purchase a transaction",
                BetterDirection::Lower,
            );
            let mut together = comparison("64 purchases a transaction", 0.6, 0.6);
            let mut lowest = Comparison::new(
                format!("{what}: processor time"),
                "µs",
                "64 purchases a transaction",
                BetterDirection::Lower,
            );
            let meter = self.meter.of_this_process();
            let (askers, purchases) = (self.bench.buyers, self.bench.purchases);
            let draw_count = draws_needed(*hot, purchases);
            for _ in 0..self.bench.rounds {
                let sale = |draws: Vec<i64>| Sale::new(draws, *hot, purchases);
                let rows =
                    |free: &mut dyn Iterator<Item = i64>| sale(free.take(draw_count).collect());
                let own = sale(engine.create_draws_on_sale(draw_count).await?);
                let ours = Arc::new(engine.clone());
                let before = meter.cpu_time()?;
                let ours = engine_only::run_sale(askers, own, move |draw| {
                    purchase_with_engine(ours.clone(), draw)
                })
                .await?;
                meter.wait_until_idle().await?;
                let our_cost = meter.cpu_time()?.since(before);
                let rival = baseline.clone();
                locked.add_round(
                    ours,
                    engine_only::run_sale(askers, rows(raw_free), move |draw| {
                        row_lock_purchase(rival.clone(), draw)
                    })
                    .await?,
                );
                let rival = baseline.clone();
                skipping.add_round(
                    ours,
                    engine_only::run_sale(askers, rows(raw_free), move |draw| {
                        skip_locked_purchase(rival.clone(), draw)
                    })
                    .await?,
                );
                let (rival, before) = (baseline.clone(), meter.cpu_time()?);
                raw.add_round(
                    ours,
                    engine_only::run_sale(askers, rows(raw_free), move |draw| {
                        three_statement_purchase(rival.clone(), draw)
                    })
                    .await?,
                );
                let raw_cost = meter.cpu_time()?.since(before);
                cost.add_round(
                    cpu_us_per_purchase(our_cost, purchases),
                    cpu_us_per_purchase(raw_cost, purchases),
                );
                let before = meter.cpu_time()?;
                together.add_round(
                    ours,
                    raw_write_limit::write_sale_rows(baseline, rows(raw_free)).await?,
                );
                let least_cost = meter.cpu_time()?.since(before);
                lowest.add_round(
                    cpu_us_per_purchase(our_cost, purchases),
                    cpu_us_per_purchase(least_cost, purchases),
                );
            }
            comparisons.extend([locked, skipping, raw, cost, together, lowest]);
        }
        Ok(comparisons)
    }
}

async fn purchase_with_engine(engine: Arc<EngineUnderTest>, draw: i64) -> Result<()> {
    engine.purchase_ticket(draw).await
}

async fn row_lock_purchase(baseline: BenchBaseline, draw: i64) -> Result<()> {
    ensure_purchase_written(baseline.purchase_with_row_lock(draw).await?)
}

async fn skip_locked_purchase(baseline: BenchBaseline, draw: i64) -> Result<()> {
    ensure_purchase_written(baseline.purchase_with_skip_locked(draw).await?)
}

async fn three_statement_purchase(baseline: BenchBaseline, draw: i64) -> Result<()> {
    ensure_purchase_written(baseline.purchase_in_three_statements(draw).await?)
}

fn ensure_purchase_written(written: bool) -> Result<()> {
    anyhow::ensure!(written, "a draw of the baseline was full");
    Ok(())
}

fn last_answer_ms<'a, A: 'a>(answers: impl IntoIterator<Item = &'a (A, f64)>) -> f64 {
    answers.into_iter().map(|(_, ms)| *ms).fold(0.0, f64::max)
}

/// Returns the average processor time of one purchase in microseconds: that of the measured process
/// and of Postgres.
fn cpu_us_per_purchase(spent: CpuTime, purchases: usize) -> f64 {
    spent.total_ms() as f64 * 1000.0 / purchases as f64
}

fn latency_row(what: String, sample: Vec<f64>) -> Vec<String> {
    let Percentiles {
        count,
        p50,
        p90,
        p99,
        most,
    } = Percentiles::of_sample(sample);
    [what, count.to_string()]
        .into_iter()
        .chain([p50, p90, p99, most].map(|ms| format!("{ms:.1}")))
        .collect()
}

/// Returns how many baseline draws one round needs.
pub fn baseline_draws_per_round(hot: &[usize], purchases: usize) -> usize {
    let rivals = |hot: usize| {
        if hot <= DRAWS_COMPARED_WITH_RIVALS_MAX {
            5
        } else {
            1
        }
    };
    hot.iter()
        .map(|hot| draws_needed(*hot, purchases) * rivals(*hot))
        .sum()
}

/// Returns a sale of all tickets of one draw.
pub fn sale_of_whole_draw(draw: i64) -> Arc<Sale> {
    Sale::new(vec![draw], 1, TICKETS_PER_DRAW)
}
