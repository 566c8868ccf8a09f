//! Keeps the demo alive: however old its data are, there is always something on sale, and games do not wait for ever.

use std::sync::Arc;
use std::time::Duration;

use actix_web::web;
use actors::{Clock, Draws, Engine, Payments};
use anyhow::Context;
use domain::{Command, DrawId, GameResult, Timestamp};
use persistence::records::clubs::Club;

use super::crowd;
use super::plan::{CLUBS, DRAWS, DrawPlan, LATER_OPPONENTS};
use super::seed::{Seller, new_draw, round};
use crate::app::Running;
use crate::catalogue::lists::{List, Part};
use crate::routes::club::results;
use crate::state::State;

/// How often it looks.
const LOOK: Duration = Duration::from_secs(20);
/// Draws on sale, never fewer.
const LIVE_MIN: usize = 9;
/// How many it then puts on sale, so that it need not come back at once.
const LIVE_AGAIN: usize = 12;
/// Games that wait for their result as long as somebody may want to enter it.
const AWAITING_KEPT: usize = 2;
const PATIENCE_MS: i64 = 24 * HOUR_MS;
const MINUTE_MS: i64 = 60 * 1000;
const HOUR_MS: i64 = 60 * MINUTE_MS;
/// Kick-offs of new draws, in minutes from now, in turn: from one within the hour to one most of a week away.
const MINUTES_AHEAD: [i64; 8] = [
    45,
    5 * 60,
    20 * 60,
    28 * 60,
    50 * 60,
    75 * 60,
    100 * 60,
    150 * 60,
];

/// Looks at once and then every now and then, until aborted.
pub fn keep(running: &Running, clock: Arc<dyn Clock>) -> tokio::task::JoinHandle<()> {
    let keeper = Keeper::of(running.state.clone(), &running.engine, clock);
    tokio::spawn(async move {
        loop {
            if let Err(failure) = keeper.look().await {
                tracing::warn!(%failure, "the season could not be kept going");
            }
            tokio::time::sleep(LOOK).await;
        }
    })
}

/// Who looks.
pub struct Keeper {
    state: web::Data<State>,
    draws: Draws,
    payments: Payments,
    clock: Arc<dyn Clock>,
}

impl Keeper {
    pub fn of(state: web::Data<State>, engine: &Engine, clock: Arc<dyn Clock>) -> Keeper {
        Keeper {
            state,
            draws: engine.draws.clone(),
            payments: engine.payments.clone(),
            clock,
        }
    }

    /// Puts draws on sale when too few are left, and plays games that have waited for too long.
    ///
    /// # Errors
    /// The books do not answer, or somebody has taken the demo's clubs away.
    pub async fn look(&self) -> anyhow::Result<()> {
        let now = self.clock.now();
        let live = self
            .state
            .catalogue
            .part(List::Active, Part::default(), now)
            .len();
        if live < LIVE_MIN {
            self.put_on_sale(LIVE_AGAIN - live, now).await?;
        }
        let (_, views) = self.state.catalogue.listed(now);
        let awaiting = views
            .iter()
            .filter(|view| view.result.is_none() && view.closes_at <= now);
        let mut awaiting: Vec<(Timestamp, DrawId)> =
            awaiting.map(|view| (view.closes_at, view.draw)).collect();
        awaiting.sort();
        let played = awaiting.len().saturating_sub(AWAITING_KEPT);
        for (kick_off, draw) in awaiting.into_iter().take(played) {
            if kick_off < now.plus_ms(-PATIENCE_MS) {
                self.complete(draw).await?;
            }
        }
        Ok(())
    }

    /// With everything that follows when a club enters a result.
    async fn complete(&self, draw: DrawId) -> anyhow::Result<()> {
        let done = self
            .draws
            .execute(
                draw,
                Command::Complete {
                    result: result_of(draw),
                },
                None,
            )
            .await?;
        self.state.catalogue.reload().await?;
        let facts = self.state.catalogue.facts();
        let listing = facts
            .listing(draw)
            .with_context(|| format!("draw {draw} is listed"))?
            .clone();
        let settled = results::settle(&self.state, &listing, draw, &done.view).await;
        settled.map_err(|problem| anyhow::anyhow!("{problem}"))
    }

    async fn put_on_sale(&self, count: usize, now: Timestamp) -> anyhow::Result<()> {
        let clubs = self.state.records.clubs().await?;
        let sellers = CLUBS
            .iter()
            .map(|plan| seller(&clubs, plan.slug))
            .collect::<anyhow::Result<Vec<Seller>>>()?;
        let turn = self.state.records.listings().await?.len();
        let plans: Vec<(DrawPlan, Timestamp)> = (turn..turn + count)
            .map(|turn| planned(turn, now))
            .collect();
        let new: Vec<_> = plans
            .iter()
            .map(|(plan, kick_off)| new_draw(plan, &sellers[plan.club], *kick_off))
            .collect();
        let ids = self.state.records.create_draws(&new).await?;
        self.state.catalogue.reload().await?;
        let mut wishes = Vec::new();
        for ((plan, _), id) in plans.iter().zip(&ids) {
            self.draws.wake(*id).await?;
            wishes.extend(crowd::wishes(&sellers[plan.club], *id, plan));
        }
        crowd::buy(&self.payments, wishes).await
    }
}

/// The `turn`-th draw ever: like one of the first season, against somebody else, a little less sold.
fn planned(turn: usize, now: Timestamp) -> (DrawPlan, Timestamp) {
    let model = &DRAWS[turn % DRAWS.len()];
    let plan = DrawPlan {
        away: LATER_OPPONENTS[turn % LATER_OPPONENTS.len()],
        sold: model.sold / 2,
        club: turn % CLUBS.len(),
        ..*model
    };
    (
        plan,
        round(now.plus_ms(MINUTES_AHEAD[turn % MINUTES_AHEAD.len()] * MINUTE_MS)),
    )
}

fn seller(clubs: &[Club], slug: &str) -> anyhow::Result<Seller> {
    let club = clubs
        .iter()
        .find(|club| club.slug == slug)
        .with_context(|| format!("the demo's club {slug} is gone"))?;
    let account = club
        .account
        .clone()
        .with_context(|| format!("the demo's club {slug} has no account"))?;
    Ok(Seller {
        club: club.id,
        account,
    })
}

/// Some result, the same each time one asks.
fn result_of(draw: DrawId) -> GameResult {
    let (home, away) = (draw.0 * 7 % 13 + 1, draw.0 * 5 % 13 + 1);
    GameResult::new(home as u8, away as u8).expect("both within 1…13")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_draws_kick_off_ahead_and_have_room() {
        let now = Timestamp(1_795_165_800_000);
        for turn in 0..100 {
            let (plan, kick_off) = planned(turn, now);
            assert!(kick_off > now && plan.sold < 169);
        }
    }
}
