//! What grows: ten thousand live draws, and years of sold tickets behind them.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use persistence::yardstick::Room;

use super::Place;
use super::contest::{Better, Contest};
use super::shopper::{self, Sale, draws_for};
use super::walls::{self, Walls};
use crate::fresh;
use crate::report::Report;
use crate::usage::Meter;

const DRAW_KB_MAX: f64 = 8.0;
const READY_MS_MAX: f64 = 2_000.0;
/// A purchase may cost a tenth more.
const FLAT: f64 = 0.9;
const HOT: usize = 20;

impl Place<'_> {
    /// Purchases inside our walls in a young house and in an old and busy one, in turn.
    pub(super) async fn growth(&self, young: &Walls, report: &mut Report) -> Result<Vec<Contest>> {
        let room = Room::beside(&self.database, "bench_old").await?;
        let (old, foreman) = Walls::raise(&room).await?;
        old.draws(1).await?;
        let began = Instant::now();
        let history = room.grow_old(self.bench.history).await?;
        old.draws(self.bench.many).await?;
        report.fact(
            "years of history made in",
            format!("{:.0} s", began.elapsed().as_secs_f64()),
        );
        let what = format!(
            "inside our walls with {} live draws and {history} sold tickets behind",
            self.bench.many
        );
        let mut contest =
            Contest::new(what, "a second", "the same, young", Better::More).goal(FLAT);
        let wanted = draws_for(HOT, self.bench.purchases);
        for _ in 0..self.bench.rounds {
            let mut figures = Vec::new();
            for house in [&old, young] {
                let sale = Sale::new(house.draws(wanted).await?, HOT, self.bench.purchases);
                let house = std::sync::Arc::new(house.clone());
                let purchase = move |draw| {
                    let house = house.clone();
                    async move { house.purchase(draw).await }
                };
                figures.push(walls::sell(self.bench.buyers, sale, purchase).await?);
            }
            contest.round(figures[0], figures[1]);
        }
        foreman.stop().await?;
        room.clear_away().await?;
        Ok(vec![contest])
    }

    /// The whole server with many live draws: what each keeps in memory, how soon it is ready after it was killed, and what a
    /// purchase costs then beside what it did with few draws, just before.
    pub(super) async fn many_draws(&mut self) -> Result<Vec<Contest>> {
        let many = self.bench.many;
        let wanted = draws_for(HOT, self.bench.purchases);
        self.meter.calm().await?;
        let before = self.restarted().await?.1;
        let mut with_few = Vec::new();
        for _ in 0..self.bench.rounds {
            let few = fresh::draws(&self.house.site, "Few", wanted).await?;
            with_few.push(self.cost(few).await?);
        }
        let mut draws = fresh::draws(&self.house.site, "Growth", many).await?;
        let mut ready = Contest::alone(
            format!("ready again after a kill, {many} live draws"),
            "ms",
            Better::Less,
            READY_MS_MAX,
        );
        let mut memory = Contest::alone("a live draw", "KB", Better::Less, DRAW_KB_MAX);
        let mut cost = Contest::new(
            format!("processor time of a complete purchase, {many} live draws"),
            "µs",
            "with few",
            Better::Less,
        )
        .goal(1.1);
        for cost_with_few in with_few {
            let (took, after) = self.restarted().await?;
            ready.figure(took.as_secs_f64() * 1000.0);
            memory.figure((after - before).max(0.0) / many as f64);
            let some = draws.drain(..wanted.min(draws.len())).collect();
            cost.round(self.cost(some).await?, cost_with_few);
        }
        Ok(vec![ready, memory, cost])
    }

    /// Microseconds of processor time a complete purchase, of one sale of these draws.
    async fn cost(&self, draws: Vec<i64>) -> Result<f64> {
        let before = self.meter.cpu()?;
        let sale = Sale::new(draws, HOT, self.bench.purchases);
        shopper::sell(&self.ours, self.bench.buyers, sale, self.buys(1)).await?;
        self.meter.calm().await?;
        Ok(self.meter.cpu()?.since(before).all() as f64 * 1000.0 / self.bench.purchases as f64)
    }

    /// Kills the server, waits until it is ready, and then until it is calm: how long the first took, and the kilobytes it keeps.
    async fn restarted(&mut self) -> Result<(Duration, f64)> {
        let mut subject = self.house.subject.lock().await;
        subject.kill().await?;
        let took = subject
            .restart(Duration::from_secs(120))
            .await
            .context("with so many draws")?;
        self.meter = Meter::of(&subject)?;
        drop(subject);
        self.meter.calm().await?;
        Ok((took, self.meter.resident_kb()?))
    }
}
