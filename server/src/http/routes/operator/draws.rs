//! Lists all draws, and handles the operator's actions: close expired draws, undo a result, cancel
//! a draw.

use actix_web::{HttpResponse, web};
use domain::{Cents, Command, DrawId, Status};
use serde_json::json;

use super::required_reason;
use crate::access::caller::Caller;
use crate::api::console::draw::{
    Cancellation, ClubReminded, ConsoleDraw, DrawsClosed, RefundsSoFar, ResultUndone,
};
use crate::api::console::order::Reason;
use crate::api::draw::{Draw, shown_status};
use crate::api::error::Problem;
use crate::http::routes::body::Body;
use crate::http::routes::buyer::draw_number;
use crate::http::routes::club::reminders::GAME_OVER_AFTER_SECONDS;
use crate::state::State;

/// Lists all draws, newest kick-off first, including test draws and archived ones.
pub async fn list(state: web::Data<State>) -> Result<HttpResponse, Problem> {
    let (facts, now) = (state.catalogue.facts(), state.clock.now());
    let mut shown = Vec::new();
    for row in state.records.list_draw_figures().await? {
        let Some((_, listing, view)) = state.catalogue.draw(domain::DrawId(row.id)).await else {
            continue;
        };
        let Some(club) = facts.club(listing.club) else {
            continue;
        };
        let draw = Draw::for_list(&listing, club, &view, facts.winner_sold(&view, now), now);
        shown.push((view.closes_at, ConsoleDraw::new(draw, &row)));
    }
    shown.sort_by_key(|(kick_off, draw)| std::cmp::Reverse((*kick_off, draw.draw.id)));
    Ok(HttpResponse::Ok().json(shown.into_iter().map(|(_, draw)| draw).collect::<Vec<_>>()))
}

/// Closes every draw whose kick-off has passed (decision E-2).
pub async fn close_expired_draws(
    state: web::Data<State>,
    caller: Caller,
) -> Result<HttpResponse, Problem> {
    let now = state.clock.now();
    let expired = |view: &domain::View| view.status == Status::Active && now >= view.closes_at;
    let (actor, mut closed) = (caller.audit_name(), 0);
    for view in state.draws.views().into_iter().filter(expired) {
        let object = format!("draw:{}", view.draw);
        let entry = caller
            .audit_action(&actor, None, "close-expired-draw", &object)
            .entry(json!({}));
        let after = state
            .draws
            .with_audit_entry(entry)
            .execute(view.draw, Command::Tick, None)
            .await;
        let after = after.map_err(|denied| Problem::command_denied(view.draw, denied))?;
        closed += usize::from(after.view.status != Status::Active);
    }
    let message = match closed {
        0 => "No expired draws to close.".to_string(),
        1 => "Closed 1 expired draw.".to_string(),
        many => format!("Closed {many} expired draws."),
    };
    Ok(HttpResponse::Ok().json(DrawsClosed { message, closed }))
}

/// Mails the club that a draw's result is due, at most once an hour.
///
/// # Errors
/// 409 `result-not-due`: the draw has a result, is cancelled, or its game is not over.
pub async fn remind_club_of_result(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let draw = draw_number(&path)?;
    let (facts, listing, view) = state
        .catalogue
        .draw(draw)
        .await
        .ok_or_else(Problem::draw_not_found)?;
    let now = state.clock.now();
    if shown_status(&view, now) != "closed"
        || now < view.closes_at.plus_seconds(GAME_OVER_AFTER_SECONDS)
    {
        return Err(Problem::conflict(
            "result-not-due",
            "No result of this draw is due.",
        ));
    }
    let club = facts
        .club(listing.club)
        .ok_or_else(Problem::draw_not_found)?;
    let (actor, object) = (caller.audit_name(), format!("draw:{draw}"));
    let entry = caller
        .audit_action(&actor, Some(listing.club), "remind-result", &object)
        .entry(json!({}));
    let sent = state
        .records
        .queue_result_reminder(draw, &club.email, now, entry)
        .await?;
    state.outbox.wake_mailer();
    let message = if sent {
        format!("{} was reminded by e-mail.", club.name)
    } else {
        format!("{} was reminded within the last hour.", club.name)
    };
    Ok(HttpResponse::Ok().json(ClubReminded { sent, message }))
}

/// Undoes a draw's result (decision E-6). Before kick-off the draw then sells tickets again.
///
/// # Errors
/// 409 `payout-completed` or `not-completed`; 400 without a reason, or when the typed draw number
/// differs.
pub async fn undo_draw_result(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
    body: Body<Reason>,
) -> Result<HttpResponse, Problem> {
    let draw = draw_confirmed_by_number(&path, &body.0)?;
    let reason = required_reason(&body.0, "Give a reason for undoing the results.")?;
    let (_, listing, before) = state
        .catalogue
        .draw(draw)
        .await
        .ok_or_else(Problem::draw_not_found)?;
    let (payouts_before, corrections_before) = state
        .records
        .count_payouts_and_mails_affected_by_undo(draw)
        .await?;
    let result = before
        .result
        .map(|(result, _)| [result.cell.home(), result.cell.away()]);
    let (actor, object) = (caller.audit_name(), format!("draw:{draw}"));
    let act = caller.audit_action(&actor, Some(listing.club), "undo-results", &object);
    let draws = state
        .draws
        .with_audit_entry(act.entry(json!({ "reason": reason, "before": result })));
    let undone = draws
        .undo_draw_result(draw)
        .await
        .map_err(|denied| cancellation_refused_problem(draw, denied))?;
    // Send the correction mail that the undo queued for a winner who was notified before.
    state.outbox.wake_mailer();
    state.catalogue.reload().await?;
    let (payouts_after, corrections_after) = state
        .records
        .count_payouts_and_mails_affected_by_undo(draw)
        .await?;
    let new_status = shown_status(&undone.view, state.clock.now());
    Ok(HttpResponse::Ok().json(ResultUndone {
        new_status,
        corrections_sent: corrections_after - corrections_before,
        payouts_cleared: payouts_before - payouts_after,
    }))
}

/// Responds with the refunds that cancelling the draw would cause, or with the progress of a
/// running cancellation.
pub async fn show_cancellation(
    state: web::Data<State>,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    Ok(HttpResponse::Ok().json(cancellation_progress(&state, draw_number(&path)?).await?))
}

/// Cancels the draw and refunds every buyer, including the platform fee (decision E-9). A repeated
/// call returns the progress.
///
/// # Errors
/// 409 `draw-completed`: undo the result first.
pub async fn cancel(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
    body: Body<Reason>,
) -> Result<HttpResponse, Problem> {
    let draw = draw_confirmed_by_number(&path, &body.0)?;
    let reason = required_reason(&body.0, "Give a reason for cancelling the draw.")?;
    let (_, listing, view) = state
        .catalogue
        .draw(draw)
        .await
        .ok_or_else(Problem::draw_not_found)?;
    if view.status == Status::Completed {
        return Err(Problem::conflict("draw-completed", DRAW_HAS_RESULT_ERROR));
    }
    let (actor, object) = (caller.audit_name(), format!("draw:{draw}"));
    let act = caller.audit_action(&actor, Some(listing.club), "cancel-draw", &object);
    let payments = state.payments.with_audit_entry(
        act.entry(json!({ "reason": reason, "before": shown_status(&view, state.clock.now()) })),
    );
    payments
        .cancel_draw(draw, &reason)
        .await
        .map_err(|denied| Problem::command_denied(draw, denied))?;
    // Send the mail to the club that the cancellation queued.
    state.outbox.wake_mailer();
    state.catalogue.reload().await?;
    Ok(HttpResponse::Ok().json(cancellation_progress(&state, draw).await?))
}

const DRAW_HAS_RESULT_ERROR: &str = "This draw has a result. Undo the result first.";

async fn cancellation_progress(state: &State, draw: DrawId) -> Result<Cancellation, Problem> {
    let (_, _, view) = state
        .catalogue
        .draw(draw)
        .await
        .ok_or_else(Problem::draw_not_found)?;
    let row = state.records.cancellation_totals(draw).await?;
    Ok(Cancellation {
        draw_number: draw.0,
        status: shown_status(&view, state.clock.now()),
        orders: row.orders,
        tickets: row.tickets,
        refund_total: Cents(row.refund_cents).decimal(),
        platform_fee_returned: Cents(row.fee_cents).decimal(),
        refunds: RefundsSoFar {
            pending: row.pending,
            succeeded: row.succeeded,
            failed: row.failed,
        },
        why_not: (view.status == Status::Completed).then_some(DRAW_HAS_RESULT_ERROR),
    })
}

/// Checks that the operator typed the draw's number as confirmation, and returns the number.
fn draw_confirmed_by_number(path: &web::Path<String>, form: &Reason) -> Result<DrawId, Problem> {
    let draw = draw_number(path)?;
    if form.draw_number == Some(draw.0) {
        return Ok(draw);
    }
    Err(Problem::bad_request(
        "draw-number-mismatch",
        "Type the draw number to confirm.",
    ))
}

fn cancellation_refused_problem(draw: DrawId, denied: actors::Denied) -> Problem {
    match denied {
        actors::Denied::Refused(domain::Refusal::PaidOut) => Problem::conflict(
            "payout-completed",
            "A payout of this draw is completed, so its result stands.",
        ),
        other => Problem::command_denied(draw, other),
    }
}
