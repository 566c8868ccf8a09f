//! Purchases: complete ones with everything around them, and what the engine itself does beside other ways to write the rows.

use std::sync::Arc;
use std::time::Instant;

use anyhow::Result;
use persistence::yardstick::Yardstick;
use tokio::task::JoinSet;

use super::Place;
use super::contest::{Better, Contest};
use super::limit;
use super::line::Line;
use super::shopper::{self, RowLock, Sale, TICKETS, draws_for};
use super::walls::{self, Walls};
use crate::fresh;
use crate::latency::{Percentiles, millis};
use crate::report::Table;
use crate::usage::Cpu;

const LATENCY: [&str; 6] = ["", "answers", "p50", "p90", "p99", "longest"];
/// pretix on a machine of the same kind: 2.7 guest purchases a second, 690 ms of processor time each, 560 ms when alone
/// (design, measured elsewhere). A thousandth, a fifteen-hundredth and a tenth of that.
const PER_SECOND_MIN: f64 = 2_700.0;
const CPU_US_MAX: f64 = 460.0;
const P99_MS_MAX: f64 = 56.0;
/// Beyond so many draws at a time nobody waits for anybody anyway.
const HOT_INSIDE_MAX: usize = 20;
/// Everybody at once for one draw, and until the last has a final answer, beside the provider's own time.
const CRUSH: usize = 1_000;
const CRUSH_MS_MAX: f64 = 100.0;

impl Place<'_> {
    /// Complete purchases, beside a handler with a row lock that asks no provider and sends no mail.
    pub(super) async fn purchases(
        &self,
        raw_free: &mut impl Iterator<Item = i64>,
    ) -> Result<(Vec<Contest>, Table)> {
        let (mut contests, mut took) = (
            Vec::new(),
            Table::new("Complete purchases (milliseconds)", &LATENCY),
        );
        for hot in &self.bench.hot {
            let wanted = draws_for(*hot, self.bench.purchases);
            let what = format!("complete purchases, {hot} draws at a time");
            let mut each = Contest::alone(&what, "a second", Better::More, PER_SECOND_MIN);
            let mut slow = Contest::alone(format!("{what}: p99"), "ms", Better::Less, P99_MS_MAX);
            let mut cpu = Contest::alone(
                format!("{what}: processor time each"),
                "µs",
                Better::Less,
                CPU_US_MAX,
            );
            let mut postgres = Contest::new(
                format!("{what}: Postgres' part of it"),
                "µs",
                "",
                Better::Less,
            );
            let mut locked = Contest::new(
                &what,
                "a second",
                "row lock, no provider, no mail",
                Better::More,
            );
            let mut all = Vec::new();
            let mut draws = fresh::draws(
                &self.house.site,
                &format!("Hot {hot}"),
                wanted * self.bench.rounds,
            )
            .await?;
            for _ in 0..self.bench.rounds {
                let sale = |draws: Vec<i64>| Sale::new(draws, *hot, self.bench.purchases);
                self.meter.calm().await?;
                let before = self.meter.cpu()?;
                let some = sale(draws.drain(..wanted).collect());
                let ours = shopper::sell(&self.ours, self.bench.buyers, some, self.buys(1)).await?;
                // Mails and notices go on behind the answers; they are part of it.
                self.meter.calm().await?;
                let used = self.meter.cpu()?.since(before);
                let lock = sale(raw_free.by_ref().take(wanted).collect());
                let lock =
                    shopper::sell(&self.rival.http, self.bench.buyers, lock, RowLock).await?;
                each.figure(ours.per_second);
                slow.figure(Percentiles::of(ours.took_ms.clone()).p99);
                cpu.figure(each_us(used, self.bench.purchases));
                postgres.figure(used.postgres as f64 * 1000.0 / self.bench.purchases as f64);
                locked.round(ours.per_second, lock.per_second);
                all.extend(ours.took_ms);
            }
            took.row(row(what, all));
            contests.extend([each, slow, cpu, postgres, locked]);
        }
        Ok((contests, took))
    }

    /// A thousand buyers at the same moment for one draw: until each has a final answer. Beside it what the provider takes for as
    /// many payments as there are tickets, all at once and with nobody else to serve.
    pub(super) async fn crush(&self, took: &mut Table) -> Result<[Contest; 2]> {
        let what = format!("{CRUSH} buyers at once for {TICKETS} tickets: the last answer");
        let mut whole = Contest::new(&what, "ms", "the provider alone", Better::Less);
        let mut own = Contest::alone(
            format!("{what}, less the provider's time"),
            "ms",
            Better::Less,
            CRUSH_MS_MAX,
        );
        let (mut bought_ms, mut refused_ms) = (Vec::new(), Vec::new());
        for draw in fresh::draws(&self.house.site, "Crush", self.bench.rounds).await? {
            let buys = self.buys(1);
            let answers = self
                .at_once(&self.ours, CRUSH, |mut line| {
                    let buys = buys.clone();
                    async move { buys.try_to_buy(&mut line, draw).await }
                })
                .await?;
            let (bought, refused): (Vec<_>, Vec<_>) =
                answers.into_iter().partition(|(bought, _)| *bought);
            bought_ms.extend(bought.iter().map(|(_, ms)| ms));
            refused_ms.extend(refused.iter().map(|(_, ms)| ms));
            let paid = self
                .at_once(&self.rival.http, TICKETS, |mut line| {
                    let buys = buys.clone();
                    async move { buys.only_pay(&mut line).await }
                })
                .await?;
            let (ours, providers) = (last(bought.iter().chain(&refused)), last(&paid));
            whole.round(ours, providers);
            own.figure(ours - providers);
        }
        took.row(row(format!("{CRUSH} at once: bought"), bought_ms));
        took.row(row(
            format!("{CRUSH} at once: told that none is left"),
            refused_ms,
        ));
        Ok([whole, own])
    }

    /// So many people, each with a line of their own, begin at the same moment: what each came to, and after how many milliseconds.
    async fn at_once<A, F>(
        &self,
        place: &str,
        people: usize,
        act: impl Fn(Line) -> F,
    ) -> Result<Vec<(A, f64)>>
    where
        A: Send + 'static,
        F: Future<Output = Result<A>> + Send + 'static,
    {
        // Calm first: a line that says nothing for some seconds is closed.
        self.meter.calm().await?;
        let mut lines = Vec::with_capacity(people);
        for _ in 0..people {
            lines.push(Line::open(place).await?);
        }
        let began = Instant::now();
        let mut acting = JoinSet::new();
        for line in lines {
            let acts = act(line);
            acting.spawn(async move { anyhow::Ok((acts.await?, millis(began.elapsed()))) });
        }
        let mut answers = Vec::with_capacity(people);
        while let Some(answer) = acting.join_next().await {
            answers.push(answer??);
        }
        Ok(answers)
    }

    /// The engine without HTTP and provider, beside the same rows written in other ways by as many askers.
    pub(super) async fn inside(
        &self,
        walls: &Walls,
        yardstick: &Yardstick,
        raw_free: &mut impl Iterator<Item = i64>,
    ) -> Result<Vec<Contest>> {
        let mut contests = Vec::new();
        for hot in self.bench.hot.iter().filter(|hot| **hot <= HOT_INSIDE_MAX) {
            let what = format!("inside our walls, {hot} draws at a time");
            let contest = |rival, one: f64, many: f64| {
                Contest::new(&what, "a second", rival, Better::More).goal(if *hot == 1 {
                    one
                } else {
                    many
                })
            };
            let mut locked = contest("row lock", 10.0, 5.0);
            let mut skipping = contest("SKIP LOCKED", 4.0, 3.0);
            let mut raw = contest("one purchase a transaction", 3.0, 3.0);
            let mut cost = Contest::new(
                format!("{what}: processor time"),
                "µs",
                "one purchase a transaction",
                Better::Less,
            );
            let mut together = contest("64 purchases a transaction", 0.6, 0.6);
            let mut least = Contest::new(
                format!("{what}: processor time"),
                "µs",
                "64 purchases a transaction",
                Better::Less,
            );
            let meter = self.meter.of_this_process();
            let (askers, purchases) = (self.bench.buyers, self.bench.purchases);
            let wanted = draws_for(*hot, purchases);
            for _ in 0..self.bench.rounds {
                let sale = |draws: Vec<i64>| Sale::new(draws, *hot, purchases);
                let rows = |free: &mut dyn Iterator<Item = i64>| sale(free.take(wanted).collect());
                let own = sale(walls.draws(wanted).await?);
                let ours = Arc::new(walls.clone());
                let before = meter.cpu()?;
                let ours =
                    walls::sell(askers, own, move |draw| purchase(ours.clone(), draw)).await?;
                meter.calm().await?;
                let our_cost = meter.cpu()?.since(before);
                let rival = yardstick.clone();
                locked.round(
                    ours,
                    walls::sell(askers, rows(raw_free), move |draw| {
                        by_lock(rival.clone(), draw)
                    })
                    .await?,
                );
                let rival = yardstick.clone();
                skipping.round(
                    ours,
                    walls::sell(askers, rows(raw_free), move |draw| {
                        by_skipping(rival.clone(), draw)
                    })
                    .await?,
                );
                let (rival, before) = (yardstick.clone(), meter.cpu()?);
                raw.round(
                    ours,
                    walls::sell(askers, rows(raw_free), move |draw| {
                        by_itself(rival.clone(), draw)
                    })
                    .await?,
                );
                let raw_cost = meter.cpu()?.since(before);
                cost.round(each_us(our_cost, purchases), each_us(raw_cost, purchases));
                let before = meter.cpu()?;
                together.round(ours, limit::write(yardstick, rows(raw_free)).await?);
                let least_cost = meter.cpu()?.since(before);
                least.round(each_us(our_cost, purchases), each_us(least_cost, purchases));
            }
            contests.extend([locked, skipping, raw, cost, together, least]);
        }
        Ok(contests)
    }
}

async fn purchase(walls: Arc<Walls>, draw: i64) -> Result<()> {
    walls.purchase(draw).await
}

async fn by_lock(yardstick: Yardstick, draw: i64) -> Result<()> {
    wrote(yardstick.locked(draw).await?)
}

async fn by_skipping(yardstick: Yardstick, draw: i64) -> Result<()> {
    wrote(yardstick.skipping(draw).await?)
}

async fn by_itself(yardstick: Yardstick, draw: i64) -> Result<()> {
    wrote(yardstick.raw(draw).await?)
}

fn wrote(written: bool) -> Result<()> {
    anyhow::ensure!(written, "a draw of the yardstick was full");
    Ok(())
}

fn last<'a, A: 'a>(answers: impl IntoIterator<Item = &'a (A, f64)>) -> f64 {
    answers.into_iter().map(|(_, ms)| *ms).fold(0.0, f64::max)
}

/// Of the asking process and of Postgres, for one purchase.
fn each_us(spent: Cpu, purchases: usize) -> f64 {
    spent.all() as f64 * 1000.0 / purchases as f64
}

fn row(what: String, sample: Vec<f64>) -> Vec<String> {
    let Percentiles {
        count,
        p50,
        p90,
        p99,
        most,
    } = Percentiles::of(sample);
    [what, count.to_string()]
        .into_iter()
        .chain([p50, p90, p99, most].map(|ms| format!("{ms:.1}")))
        .collect()
}

/// So many of the yardstick's own draws; the rivals inside the walls sell only where few draws are hot.
pub fn raw_draws_a_round(hot: &[usize], purchases: usize) -> usize {
    let rivals = |hot: usize| if hot <= HOT_INSIDE_MAX { 5 } else { 1 };
    hot.iter()
        .map(|hot| draws_for(*hot, purchases) * rivals(*hot))
        .sum()
}

/// A sale of a single draw, whole: it is sold out afterwards.
pub fn whole_draw(draw: i64) -> Arc<Sale> {
    Sale::new(vec![draw], 1, TICKETS)
}
