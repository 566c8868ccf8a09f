//! One sale to many boards, beside broadcasts that know only their frame; and boards while everybody buys.

use std::time::Duration;

use anyhow::Result;

use super::Place;
use super::board::Boards;
use super::contest::{Better, Contest};
use super::line::Line;
use super::shopper::{self, AsyncBuy, Sale, TICKETS};
use crate::fresh;
use crate::latency::Percentiles;

/// Frames of what went before have come: two of our ticks and some air.
const QUIET: Duration = Duration::from_millis(600);
/// How often each is measured while its boards are open; the middle counts.
const SHOTS: usize = 3;
const SOCKET_KB_MAX: f64 = 14.0;
/// While everybody buys.
const PER_SECOND_MIN: f64 = 2_000.0;
/// From the frame to the last board; with the tick of 100 ms before it, a quarter of a second after the commit.
const LAG_MS_MAX: f64 = 150.0;
const HOT: usize = 20;

impl Place<'_> {
    pub(super) async fn fan_out(&self, draw: i64) -> Result<Vec<Contest>> {
        let mut contests = Vec::new();
        for count in &self.bench.boards {
            let what = format!("one sale to {count} boards, first to last");
            let mut actors =
                Contest::new(&what, "ms", "bare actix-web-actors", Better::Less).goal(1.1);
            let mut bare = Contest::new(&what, "ms", "bare tokio broadcast", Better::Less);
            let mut memory = Contest::alone(
                format!("a socket, of {count}"),
                "KB",
                Better::Less,
                SOCKET_KB_MAX,
            );
            for round in 0..self.bench.rounds {
                let before = self.meter.resident_kb()?;
                let mut ours =
                    Boards::open(&self.ours, &format!("/ws?topics=draw:{draw}"), *count, true)
                        .await?;
                // Only the first time: what a process was given it keeps for the next ones.
                if round == 0 {
                    memory.figure((self.meter.resident_kb()? - before).max(0.0) / *count as f64);
                }
                let mut shots = Vec::new();
                for _ in 0..SHOTS {
                    tokio::time::sleep(QUIET).await;
                    ours.forget();
                    // A new line each time: one that is silent for some seconds is closed.
                    self.buys(1)
                        .buy(&mut Line::open(&self.ours).await?, draw)
                        .await?;
                    shots.push(ours.spread().await?);
                }
                drop(ours);
                let shown = super::contest::median(shots);
                let by_actors = self
                    .shout((&self.rival.http, "/boards"), "/call", *count)
                    .await?;
                actors.round(shown, by_actors);
                bare.round(
                    shown,
                    self.shout((&self.rival.sockets, "/"), "/shout", *count)
                        .await?,
                );
            }
            contests.extend([actors, bare, memory]);
        }
        Ok(contests)
    }

    async fn shout(&self, boards: (&str, &str), shout: &str, count: usize) -> Result<f64> {
        let mut boards = Boards::open(boards.0, boards.1, count, false).await?;
        let mut shots = Vec::new();
        for _ in 0..SHOTS {
            tokio::time::sleep(QUIET).await;
            boards.forget();
            let mut caller = Line::open(&self.rival.http).await?;
            let call = caller.post(shout, "text/plain", "", "");
            caller.ask(&call).await?;
            shots.push(boards.spread().await?);
        }
        Ok(super::contest::median(shots))
    }

    /// Everybody buys while the boards of one of the hot draws are watched.
    pub(super) async fn both_at_once(&self) -> Result<Vec<Contest>> {
        let Some(count) = self
            .bench
            .boards
            .iter()
            .copied()
            .filter(|count| *count <= 5_000)
            .max()
        else {
            return Ok(Vec::new());
        };
        let mut sales = Contest::alone(
            format!("complete purchases while {count} boards look on"),
            "a second",
            Better::More,
            PER_SECOND_MIN,
        );
        let mut lag = Contest::alone(
            format!("frame made → last of {count} boards, meanwhile: p99"),
            "ms",
            Better::Less,
            LAG_MS_MAX,
        );
        for _ in 0..self.bench.rounds {
            let some = fresh::draws(&self.house.site, "Watched", HOT).await?;
            let mut boards = Boards::open(
                &self.ours,
                &format!("/ws?topics=draw:{}", some[0]),
                count,
                true,
            )
            .await?;
            self.meter.calm().await?;
            boards.forget();
            let purchases = (some.len() * TICKETS).min(self.bench.purchases);
            let sold = shopper::sell(
                &self.ours,
                self.bench.buyers,
                Sale::new(some, HOT, purchases),
                self.buys(1),
            )
            .await?;
            tokio::time::sleep(QUIET).await;
            sales.figure(sold.per_second);
            lag.figure(Percentiles::of(boards.lags()).p99);
        }
        Ok(vec![sales, lag])
    }
}
