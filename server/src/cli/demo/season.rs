//! Keeps an old demo usable: some draws are always on sale, and played games get a result.

use std::sync::Arc;
use std::time::Duration;

use actix_web::web;
use actors::{Clock, Draws, Engine, Payments};
use anyhow::Context;
use domain::{Command, DrawId, GameResult, Timestamp};
use persistence::records::clubs::Club;

use super::buyers;
use super::plan::{CLUBS, DRAWS, DrawPlan, OPPONENTS_OF_LATER_DRAWS};
use super::seed::{SellingClub, new_draw, round_to_five_minutes};
use crate::app::RunningServer;
use crate::http::routes::club::results;
use crate::services::catalogue::lists::{DrawList, DrawListSlice};
use crate::state::State;
use sandbox::clock::SandboxClock;

/// Interval between two checks of the draws.
const SEASON_CHECK_INTERVAL: Duration = Duration::from_secs(20);
/// Number of draws on sale below which new draws are created.
const DRAWS_ON_SALE_MIN: usize = 9;
/// Number of draws on sale after new ones were created. It exceeds `DRAWS_ON_SALE_MIN`, so that the
/// next check does not need to create more.
const DRAWS_ON_SALE_AFTER_REFILL: usize = 12;
/// Number of played games that are left without a result, so that the user can enter it.
const GAMES_LEFT_WITHOUT_RESULT: usize = 2;
const RESULT_OVERDUE_AFTER_MS: i64 = 24 * HOUR_MS;
const MINUTE_MS: i64 = 60 * 1000;
const HOUR_MS: i64 = 60 * MINUTE_MS;
/// Kick-off times of new draws, in minutes from now: from within the hour to almost a week. New
/// draws use them in turn.
const KICK_OFF_MINUTES_AHEAD: [i64; 8] = [
    45,
    5 * 60,
    20 * 60,
    28 * 60,
    50 * 60,
    75 * 60,
    100 * 60,
    150 * 60,
];

/// Checks the draws at once and then at regular intervals, until the task is aborted. Does nothing
/// once a user has moved the clock, because that user then controls the season.
pub fn start_season_updater(
    running: &RunningServer,
    clock: Arc<SandboxClock>,
) -> tokio::task::JoinHandle<()> {
    let keeper = DemoSeasonUpdater::of(running.state.clone(), &running.engine, clock.clone());
    tokio::spawn(async move {
        loop {
            if !clock.is_moved()
                && let Err(failure) = keeper.update_season().await
            {
                tracing::warn!(%failure, "demo season check failed");
            }
            tokio::time::sleep(SEASON_CHECK_INTERVAL).await;
        }
    })
}

/// Creates draws when few are on sale, and completes old games.
pub struct DemoSeasonUpdater {
    state: web::Data<State>,
    draws: Draws,
    payments: Payments,
    clock: Arc<dyn Clock>,
}

impl DemoSeasonUpdater {
    pub fn of(
        state: web::Data<State>,
        engine: &Engine,
        clock: Arc<dyn Clock>,
    ) -> DemoSeasonUpdater {
        DemoSeasonUpdater {
            state,
            draws: engine.draws.clone(),
            payments: engine.payments.clone(),
            clock,
        }
    }

    /// Creates draws when fewer than `DRAWS_ON_SALE_MIN` are on sale. Completes games that have
    /// waited for a result longer than `RESULT_OVERDUE_AFTER_MS`. A game whose result was undone is left
    /// to the operator, who undid it to enter another one.
    ///
    /// # Errors
    ///
    /// The database does not answer, or one of the demo's clubs no longer exists.
    pub async fn update_season(&self) -> anyhow::Result<()> {
        let now = self.clock.now();
        let live = self
            .state
            .catalogue
            .list_slice(DrawList::Active, DrawListSlice::default(), now)
            .len();
        if live < DRAWS_ON_SALE_MIN {
            self.put_on_sale(DRAWS_ON_SALE_AFTER_REFILL - live, now)
                .await?;
        }
        let (_, views) = self.state.catalogue.published_draws(now);
        let awaiting = views
            .iter()
            .filter(|view| view.result.is_none() && !view.deal_public && view.closes_at <= now);
        let mut awaiting: Vec<(Timestamp, DrawId)> =
            awaiting.map(|view| (view.closes_at, view.draw)).collect();
        awaiting.sort();
        let played = awaiting.len().saturating_sub(GAMES_LEFT_WITHOUT_RESULT);
        for (kick_off, draw) in awaiting.into_iter().take(played) {
            if kick_off < now.plus_ms(-RESULT_OVERDUE_AFTER_MS) {
                self.enter_invented_result(draw).await?;
            }
        }
        Ok(())
    }

    /// Enters an invented result for a draw. Then settles it like a result that a club enters:
    /// records the club's share and mails the club.
    async fn enter_invented_result(&self, draw: DrawId) -> anyhow::Result<()> {
        let outcome = self
            .draws
            .execute(
                draw,
                Command::Complete {
                    result: invented_result(draw),
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
        let settled = results::settle_result(&self.state, &listing, draw, &outcome.view).await;
        settled.map_err(|problem| anyhow::anyhow!("{problem}"))
    }

    async fn put_on_sale(&self, count: usize, now: Timestamp) -> anyhow::Result<()> {
        let clubs = self.state.records.clubs().await?;
        let sellers = CLUBS
            .iter()
            .map(|plan| find_seller(&clubs, plan.slug))
            .collect::<anyhow::Result<Vec<SellingClub>>>()?;
        let turn = self.state.records.listings().await?.len();
        let plans: Vec<(DrawPlan, Timestamp)> = (turn..turn + count)
            .map(|turn| plan_new_draw(turn, now))
            .collect();
        let new: Vec<_> = plans
            .iter()
            .map(|(plan, kick_off)| new_draw(plan, &sellers[plan.club], *kick_off))
            .collect();
        let ids = self.state.records.create_draws(&new).await?;
        self.state.catalogue.reload().await?;
        let mut planned_orders = Vec::new();
        for ((plan, _), id) in plans.iter().zip(&ids) {
            self.draws.wake(*id).await?;
            planned_orders.extend(buyers::planned_orders(&sellers[plan.club], *id, plan));
        }
        buyers::place_orders(&self.payments, planned_orders).await
    }
}

/// Plans the new draw with number `turn`. The draw copies a seeded draw, with another opponent and
/// half of the sold tickets.
fn plan_new_draw(turn: usize, now: Timestamp) -> (DrawPlan, Timestamp) {
    let model = &DRAWS[turn % DRAWS.len()];
    let plan = DrawPlan {
        away: OPPONENTS_OF_LATER_DRAWS[turn % OPPONENTS_OF_LATER_DRAWS.len()],
        sold: model.sold / 2,
        club: turn % CLUBS.len(),
        ..*model
    };
    (
        plan,
        round_to_five_minutes(
            now.plus_ms(KICK_OFF_MINUTES_AHEAD[turn % KICK_OFF_MINUTES_AHEAD.len()] * MINUTE_MS),
        ),
    )
}

fn find_seller(clubs: &[Club], slug: &str) -> anyhow::Result<SellingClub> {
    let club = clubs
        .iter()
        .find(|club| club.slug == slug)
        .with_context(|| format!("the demo's club {slug} is gone"))?;
    let account = club
        .account
        .clone()
        .with_context(|| format!("the demo's club {slug} has no account"))?;
    Ok(SellingClub {
        club: club.id,
        account,
    })
}

/// Computes a result from the draw's id alone, so that a repeated call gives the same result.
fn invented_result(draw: DrawId) -> GameResult {
    let (home, away) = (draw.0 * 7 % 13 + 1, draw.0 * 5 % 13 + 1);
    GameResult::new(home as u8, away as u8).expect("both within 1…13")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_draws_kick_off_later_and_have_free_tickets() {
        let now = Timestamp(1_795_165_800_000);
        for turn in 0..100 {
            let (plan, kick_off) = plan_new_draw(turn, now);
            assert!(kick_off > now && plan.sold < 169);
        }
    }
}
