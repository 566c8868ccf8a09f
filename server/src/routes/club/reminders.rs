//! What a club is told without asking: results are due, the account is not connected. And what is forgotten in time.

use domain::{Cents, DrawId, Timestamp};
use persistence::Failure;
use persistence::records::erasure::AT_ONCE;
use serde_json::json;

use super::results;
use crate::state::State;
use crate::takings::Takings;
use crate::wire::instant::rfc3339;

/// A game is over, whatever became of extra time.
const GAME_SECONDS: i64 = 2 * 3600;
/// Nobody is reminded of what is longer ago.
const PAST_SECONDS: i64 = 7 * 86_400;
/// A new club has a day to find the button by itself.
const CONNECT_AFTER_SECONDS: i64 = 86_400;

/// Steps of erasing buyers' details in one sweep: so many draws, or so many hundred orders.
const STEPS_MAX: usize = 20;

/// Once a minute. Each mail goes once: its key says what it is about.
pub async fn sweep(state: &State) {
    let now = state.clock.now();
    if let Err(failure) = look(state, now).await {
        tracing::warn!(%failure, "clubs could not be reminded, and will be");
    }
    if let Err(failure) = forget(state, now).await {
        tracing::warn!(%failure, "what is to be forgotten could not be, and will be tried again");
    }
}

async fn look(state: &State, now: Timestamp) -> Result<(), Failure> {
    results_due(state, now).await?;
    connect_incomplete(state, now).await?;
    follow_up(state).await?;
    settle_shares(state).await
}

/// Whoever entered a result may have lost the server before it came to the share and the mail; nobody enters it again.
async fn follow_up(state: &State) -> Result<(), Failure> {
    for draw in state.records.shares_missing().await? {
        let Some((_, listing, view)) = state.catalogue.draw(draw).await else {
            continue;
        };
        if let Err(problem) = results::settle(state, &listing, draw, &view).await {
            tracing::warn!(draw.id = draw.0, %problem, "what follows from a result waits for the next sweep");
        }
    }
    Ok(())
}

/// Who bought, some months after the game (decision F-8); where prizes went, 90 days after they were paid (F-7).
async fn forget(state: &State, now: Timestamp) -> Result<(), Failure> {
    let (mut after, mut orders) = (DrawId(0), 0);
    for _ in 0..STEPS_MAX {
        let Some(step) = state
            .records
            .erase_buyers(after, state.config.buyers_kept_months, now)
            .await?
        else {
            break;
        };
        orders += step.orders;
        // A full step is followed by another of the same draw.
        after = if step.orders < AT_ONCE as u64 {
            step.draw
        } else {
            after
        };
    }
    if orders > 0 {
        tracing::info!(orders, "the buyers of games long over are erased");
    }
    let emptied = state.records.purge_claims(now).await?;
    if emptied > 0 {
        tracing::info!(emptied, "bank details that have served are emptied");
    }
    Ok(())
}

/// A charge is the club's own, so its share is there as soon as the provider's figures are (decisions C-24, D-17).
async fn settle_shares(state: &State) -> Result<(), Failure> {
    for (id, draw) in state.records.shares_pending().await? {
        let Some((facts, _, view)) = state.catalogue.draw(draw).await else {
            continue;
        };
        let sums = state.records.draw_financials(draw).await?;
        let takings = Takings::new(&view, facts.winner_sold(&view, state.clock.now()), &sums);
        if !takings.is_estimated {
            state
                .records
                .complete_share(id, takings.club_revenue().max(Cents::ZERO))
                .await?;
        }
    }
    Ok(())
}

async fn results_due(state: &State, now: Timestamp) -> Result<(), Failure> {
    let facts = state.catalogue.facts();
    for (listing, view) in state.catalogue.without_result(&facts, now) {
        let ago = (now.0 - view.closes_at.0) / 1000;
        let Some(club) = facts
            .club(listing.club)
            .filter(|_| (GAME_SECONDS..PAST_SECONDS).contains(&ago))
        else {
            continue;
        };
        let key = format!("results-due-{}-{}", view.draw, rfc3339(view.closes_at));
        let data = json!({ "draw": view.draw.0 }).to_string();
        state
            .outbox
            .queue(&key, "results-due", None, &club.email, &data)
            .await?;
    }
    Ok(())
}

async fn connect_incomplete(state: &State, now: Timestamp) -> Result<(), Failure> {
    let facts = state.catalogue.facts();
    for club in facts
        .clubs()
        .filter(|club| !club.archived && !club.connected)
    {
        let age = (now.0 - club.created_at.0) / 1000;
        if (CONNECT_AFTER_SECONDS..PAST_SECONDS).contains(&age) {
            let key = format!("connect-{}", club.id);
            let data = json!({ "name": club.name, "club": club.id.0 }).to_string();
            state
                .outbox
                .queue(&key, "connect-incomplete", None, &club.email, &data)
                .await?;
        }
    }
    Ok(())
}
