//! What is only read, beside an actix that answers the very bytes, prepared; and the answer "none left", beside a greeting.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use persistence::auditor::Auditor;
use tokio::task::JoinSet;

use super::contest::{Better, Contest};
use super::line::Line;
use super::{Place, purchases, rival, shopper};
use crate::fresh;

/// Connections that read.
const READERS: usize = 64;

/// What our addresses answer, byte for byte, for the rival to answer too. Gives name and path of each.
pub async fn take_bodies(
    ours: &str,
    draw: i64,
    folder: &std::path::Path,
) -> Result<Vec<(&'static str, String)>> {
    let paths = vec![
        ("active", "/api/draws/active".to_owned()),
        ("page", format!("/draw/{draw}")),
        ("tickets", format!("/api/draws/{draw}/tickets")),
    ];
    let mut line = Line::open(ours).await?;
    for (name, path) in &paths {
        let request = line.get(path);
        let reply = line.ask(&request).await?;
        ensure!(reply.status == 200, "{path} answered {}", reply.status);
        std::fs::write(folder.join(name), reply.body)?;
    }
    let frame = super::board::first_frame(ours, &format!("/ws?topics=draw:{draw}")).await?;
    std::fs::write(folder.join(rival::FRAME), frame)?;
    Ok(paths)
}

impl Place<'_> {
    pub(super) async fn reads(&self, paths: &[(&'static str, String)]) -> Result<Vec<Contest>> {
        let mut contests = Vec::new();
        for (name, path) in paths {
            let shown = path.split('/').map(|part| {
                if part.parse::<i64>().is_ok() {
                    "{n}"
                } else {
                    part
                }
            });
            let what = format!("GET {}", shown.collect::<Vec<_>>().join("/"));
            let mut contest = Contest::new(
                what,
                "a second",
                "actix, the same bytes prepared",
                Better::More,
            )
            .goal(0.95);
            for _ in 0..self.bench.rounds {
                let ours = self
                    .ask_again_and_again(&self.ours, |line| line.get(path), 200)
                    .await?;
                let theirs = self
                    .ask_again_and_again(
                        &self.rival.http,
                        |line| line.get(&format!("/{name}")),
                        200,
                    )
                    .await?;
                contest.round(ours, theirs);
            }
            contests.push(contest);
        }
        Ok(contests)
    }

    /// Somebody wants a ticket of a draw that has none; also how many transactions of the books a thousand refusals cost.
    pub(super) async fn refusals(&self) -> Result<Vec<Contest>> {
        let draw = fresh::draws(&self.house.site, "Full", 1)
            .await?
            .pop()
            .context("a draw to sell out")?;
        let sold = shopper::sell(
            &self.ours,
            self.bench.buyers,
            purchases::whole_draw(draw),
            self.buys(1),
        )
        .await?;
        ensure!(
            sold.took_ms.len() == shopper::TICKETS,
            "the draw is not sold out"
        );
        let (path, body) = self.buys(1).wish(draw);
        let auditor = Auditor::open(&self.database).await?;
        let mut contest = Contest::new(
            "refusals on a sold-out draw",
            "a second",
            "actix, a greeting",
            Better::More,
        )
        .goal(0.7);
        let mut commits = Contest::alone(
            "transactions of the books in 1,000 refusals",
            "",
            Better::Less,
            1.0,
        );
        for _ in 0..self.bench.rounds {
            self.meter.calm().await?;
            // What goes on all the time is not the refusals': counted first, while nobody asks.
            let seconds = Duration::from_secs(self.bench.seconds.max(2));
            let idle = auditor.transactions().await?;
            tokio::time::sleep(seconds).await;
            let (before, began) = (auditor.transactions().await?, Instant::now());
            let idle = (before - idle) as f64 / seconds.as_secs_f64();
            let ours = self
                .ask_again_and_again(
                    &self.ours,
                    |line| line.post(path, "application/json", "", &body),
                    409,
                )
                .await?;
            let answers = ours * began.elapsed().as_secs_f64();
            let others = idle * began.elapsed().as_secs_f64();
            commits.figure(
                ((auditor.transactions().await? - before) as f64 - others).max(0.0) * 1000.0
                    / answers,
            );
            contest.round(
                ours,
                self.ask_again_and_again(&self.rival.http, |line| line.get("/hello"), 200)
                    .await?,
            );
        }
        Ok(vec![contest, commits])
    }

    /// How many answers a second one request gets from many lines.
    async fn ask_again_and_again(
        &self,
        authority: &str,
        request: impl Fn(&Line) -> Vec<u8>,
        status: u16,
    ) -> Result<f64> {
        let seconds = Duration::from_secs(self.bench.seconds);
        let mut readers = JoinSet::new();
        let mut lines = Vec::with_capacity(READERS);
        for _ in 0..READERS {
            lines.push(Line::open(authority).await?);
        }
        let began = Instant::now();
        for mut line in lines {
            let request = request(&line);
            readers.spawn(async move {
                let mut answers = 0_usize;
                while began.elapsed() < seconds {
                    let answered = line.ask(&request).await?.status;
                    ensure!(answered == status, "answered {answered}, not {status}");
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
}
