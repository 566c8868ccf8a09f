//! Periodic work for clubs: reminder mails to clubs and buyers, follow-up of results, and erasure of expired personal
//! data.

use domain::{Cents, DrawId, Timestamp};
use persistence::Failure;
use persistence::records::erasure::ORDERS_PER_ERASURE_MAX;
use serde_json::json;

use super::results;
use crate::api::time_format::rfc3339;
use crate::services::draw_revenue::DrawRevenue;
use crate::state::State;

/// Seconds after kick-off at which a game is certainly over, so that its result is due.
pub const GAME_OVER_AFTER_SECONDS: i64 = 2 * 3600;
/// Maximum age in seconds of a game or a registration for which the club is still reminded.
const REMINDER_AGE_SECONDS_MAX: i64 = 7 * 86_400;
/// Seconds after registration at which a club is reminded to connect its Stripe account.
const CONNECT_REMINDER_AFTER_SECONDS: i64 = 86_400;

/// Age in seconds at which a club that never confirmed its e-mail address is removed. The
/// confirmation link is valid for the same time.
const UNCONFIRMED_CLUB_LIFETIME_SECONDS: i64 = 7 * 86_400;

/// Maximum erasure steps in one run of the periodic tasks. A step is one draw or a few hundred
/// orders.
const ERASURE_STEPS_MAX: usize = 20;

/// Does the periodic work for clubs; runs once a minute. Each mail has a deduplication key, so that
/// it is sent only once.
pub async fn run_periodic_club_tasks(state: &State) {
    let now = state.clock.now();
    if let Err(failure) = send_reminders(state, now).await {
        tracing::warn!(%failure, "sending reminders failed, will retry");
    }
    if let Err(failure) = erase_expired_data(state, now).await {
        tracing::warn!(%failure, "erasing expired personal data failed, will retry");
    }
}

async fn send_reminders(state: &State, now: Timestamp) -> Result<(), Failure> {
    queue_due_result_reminders(state, now).await?;
    queue_connect_reminders(state, now).await?;
    complete_interrupted_result_settlements(state).await?;
    settle_club_shares(state).await?;
    if state.records.queue_due_reminders(now).await? > 0 {
        state.outbox.wake_mailer();
    }
    Ok(())
}

/// Records club shares and queues result mails that are missing, because a server may have stopped
/// after storing a result.
async fn complete_interrupted_result_settlements(state: &State) -> Result<(), Failure> {
    for draw in state.records.draws_without_club_share().await? {
        let Some((_, listing, view)) = state.catalogue.draw(draw).await else {
            continue;
        };
        if let Err(problem) = results::settle_result(state, &listing, draw, &view).await {
            tracing::warn!(draw.id = draw.0, %problem, "settling a result failed, will retry");
        }
    }
    Ok(())
}

/// Removes clubs that never confirmed their e-mail address. Erases buyers some months after the
/// game (decision F-8), and bank details 90 days after the payout (decision F-7).
async fn erase_expired_data(state: &State, now: Timestamp) -> Result<(), Failure> {
    let unconfirmed = state
        .records
        .remove_unconfirmed_clubs(now.plus_seconds(-UNCONFIRMED_CLUB_LIFETIME_SECONDS))
        .await?;
    if unconfirmed > 0 {
        state.catalogue.reload().await?;
        tracing::info!(
            clubs = unconfirmed,
            "removed clubs that never confirmed their address"
        );
    }
    let (mut after, mut orders) = (DrawId(0), 0);
    for _ in 0..ERASURE_STEPS_MAX {
        let Some(step) = state
            .records
            .erase_buyers(after, state.config.buyer_details_kept_months, now)
            .await?
        else {
            break;
        };
        orders += step.orders;
        // If a step erased its maximum number of orders, its draw may have more, so the next step
        // starts at that draw again.
        after = if step.orders < ORDERS_PER_ERASURE_MAX as u64 {
            step.draw
        } else {
            after
        };
    }
    if orders > 0 {
        tracing::info!(orders, "erased the buyers of old games");
    }
    let emptied = state.records.purge_expired_bank_details(now).await?;
    if emptied > 0 {
        tracing::info!(emptied, "erased bank details of old payouts");
    }
    Ok(())
}

/// Marks club shares as paid out once Stripe's fees are known. No transfer is needed, because
/// charges are made on the club's own account (decisions C-24, D-17).
async fn settle_club_shares(state: &State) -> Result<(), Failure> {
    for (id, draw) in state.records.pending_club_shares().await? {
        let Some((facts, listing, view)) = state.catalogue.draw(draw).await else {
            continue;
        };
        let sums = state.records.draw_financials(draw).await?;
        let winner_sold = facts.winner_sold(&view, state.clock.now());
        let takings = DrawRevenue::new(&listing, &view, winner_sold, &sums);
        if !takings.is_estimated {
            state
                .records
                .complete_club_share(id, takings.club_revenue().max(Cents::ZERO))
                .await?;
        }
    }
    Ok(())
}

async fn queue_due_result_reminders(state: &State, now: Timestamp) -> Result<(), Failure> {
    let facts = state.catalogue.facts();
    for (listing, view) in state.catalogue.draws_without_result(&facts, now) {
        let ago = (now.0 - view.closes_at.0) / 1000;
        let Some(club) = facts
            .club(listing.club)
            .filter(|_| (GAME_OVER_AFTER_SECONDS..REMINDER_AGE_SECONDS_MAX).contains(&ago))
        else {
            continue;
        };
        let key = format!("results-due-{}-{}", view.draw, rfc3339(view.closes_at));
        let data = json!({ "draw": view.draw.0 }).to_string();
        state
            .outbox
            .queue_mail_now(&key, "results-due", None, &club.email, &data)
            .await?;
    }
    Ok(())
}

async fn queue_connect_reminders(state: &State, now: Timestamp) -> Result<(), Failure> {
    let facts = state.catalogue.facts();
    for club in facts
        .clubs()
        .filter(|club| !club.archived && !club.connected)
    {
        let age = (now.0 - club.created_at.0) / 1000;
        if (CONNECT_REMINDER_AFTER_SECONDS..REMINDER_AGE_SECONDS_MAX).contains(&age) {
            let key = format!("connect-{}", club.id);
            let data = json!({ "club": club.id.0 }).to_string();
            state
                .outbox
                .queue_mail_now(&key, "connect-incomplete", None, &club.email, &data)
                .await?;
        }
    }
    Ok(())
}
