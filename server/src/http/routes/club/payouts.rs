//! Payouts of a completed draw: list, record and settle. A payout here is only a record of a
//! payment made elsewhere; the server moves no money (decision B-4).

use actix_web::{HttpResponse, web};
use domain::{DrawId, Refusal, View};
use persistence::Failure;
use persistence::records::payouts::{NewPayout, Payout as PayoutRecord, PrizePaidMail};
use persistence::records::tickets::SoldTicket;
use serde_json::json;

use super::own_draw;
use super::winners::{PRIZE_PAID_ERROR, WINNING_TICKET_UNSOLD_ERROR, find_winner, winner_address};
use crate::access::caller::Caller;
use crate::api::error::Problem;
use crate::api::payout::{PAYOUT_UNDO_SECONDS, Payout, RecordPayout, SettlePayout};
use crate::http::routes::body::Body;
use crate::state::State;

/// Maximum characters of a payout's note.
const NOTE_CHARS_MAX: usize = 500;

/// Handles `GET /api/draws/{draw}/payouts`.
pub async fn list(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let (draw, listing, view) = own_draw(&state, caller, &path).await?;
    require_completed_draw(draw, &view)?;
    let payouts = state.records.payouts(draw).await?;
    let knows = caller.may_see_buyers(listing.club);
    let shown = |payout: Payout| {
        if knows {
            payout
        } else {
            Payout {
                recipient_name: None,
                recipient_email: None,
                note: None,
                failure_reason: None,
                ..payout
            }
        }
    };
    Ok(HttpResponse::Ok().json(
        payouts
            .iter()
            .map(Payout::from)
            .map(shown)
            .collect::<Vec<_>>(),
    ))
}

/// Records that the prize is due to the winner. A repeated call returns the same payout.
pub async fn record_payout(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
    body: Body<RecordPayout>,
) -> Result<HttpResponse, Problem> {
    let (draw, listing, view) = own_draw(&state, caller, &path).await?;
    if body.0.r#type != "winner" {
        return Err(Problem::bad_request(
            "bad-type",
            "Only a winner's payout can be recorded.",
        ));
    }
    let ticket = ticket_due_prize(&state, draw, &view).await?;
    let new = NewPayout {
        draw,
        club: listing.club,
        kind: "winner",
        amount: view.prize,
        recipient_email: ticket.buyer_email.as_deref(),
        recipient_name: ticket.buyer_name.as_deref(),
    };
    let (actor, object) = (caller.audit_name(), format!("draw:{draw}"));
    let act = caller.audit_action(&actor, Some(listing.club), "record-payout", &object);
    let records = state
        .records
        .with_audit_entry(act.entry(json!({ "type": "winner", "amount": new.amount.decimal() })));
    let payout = records
        .record_payout(&new)
        .await
        .map_err(|failure| match failure {
            // The draw has no result any more, because the operator undid it meanwhile.
            Failure::NotFound => Problem::command_refused(draw, Refusal::NotCompleted),
            other => other.into(),
        })?;
    Ok(HttpResponse::Ok().json(Payout::from(&payout)))
}

/// Marks a payout as completed or failed: `{status: "completed" | "failed", note}`. `pending` undoes
/// a payout to a winner that was completed within the last 24 hours.
pub async fn settle_payout(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
    body: Body<SettlePayout>,
) -> Result<HttpResponse, Problem> {
    let id = path.parse().map_err(|_| Problem::not_found())?;
    let payout = state
        .records
        .payout(id)
        .await?
        .ok_or_else(Problem::not_found)?;
    caller.require_ownership(payout.club)?;
    let status = body.0.status.as_str();
    if status == "pending" {
        return undo_payout(&state, caller, &payout).await;
    }
    if !["completed", "failed"].contains(&status) {
        return Err(Problem::bad_request(
            "bad-status",
            "A payout becomes completed or failed.",
        ));
    }
    // Only completing a winner's payout needs a check. A payout can always be marked as failed.
    if payout.kind == "winner" && status == "completed" && payout.status == "pending" {
        let (_, _, view) = state
            .catalogue
            .draw(payout.draw)
            .await
            .ok_or_else(Problem::draw_not_found)?;
        ticket_due_prize(&state, payout.draw, &view).await?;
    }
    let note: Option<String> = body
        .0
        .note
        .as_ref()
        .map(|note| note.trim().chars().take(NOTE_CHARS_MAX).collect());
    let (actor, object) = (caller.audit_name(), format!("draw:{}", payout.draw));
    let act = caller.audit_action(&actor, Some(payout.club), "settle-payout", &object);
    let detail = json!({ "payout": id, "status": status, "amount": payout.amount.decimal() });
    // Write no audit entry if the payout is settled already, because a repeated call changes
    // nothing.
    let records = if payout.status == "pending" {
        state.records.with_audit_entry(act.entry(detail))
    } else {
        state.records.clone()
    };
    let settled = records.settle_payout(id, status, note.as_deref()).await?;
    let settled = settled.ok_or_else(|| Problem::conflict("payout-settled", PRIZE_PAID_ERROR))?;
    if settled.kind == "winner" && settled.status == "completed" {
        state
            .records
            .record_claim_paid(settled.draw, state.clock.now())
            .await?;
        queue_prize_paid_mail(&state, &settled).await?;
    }
    Ok(HttpResponse::Ok().json(Payout::from(&settled)))
}

/// Seconds between the payment and the mail to the winner, in which the club can undo a mistake
/// without a mail.
const PRIZE_PAID_MAIL_DELAY_SECONDS: i64 = 10 * 60;

/// Queues the mail that tells the winner about the payment, with the last digits of the account.
/// Queues none when the winner left no e-mail address.
async fn queue_prize_paid_mail(state: &State, payout: &PayoutRecord) -> Result<(), Problem> {
    let (_, _, view) = state
        .catalogue
        .draw(payout.draw)
        .await
        .ok_or_else(Problem::draw_not_found)?;
    let winner = find_winner(state, &view).await?.ticket;
    let Some(winner) = winner.as_ref().and_then(winner_address) else {
        return Ok(());
    };
    let bank = state.records.bank_details(payout.draw).await?;
    let data = json!({ "draw": payout.draw.0, "account": bank.map(|bank| bank.masked_number()) });
    let mail = PrizePaidMail {
        payout: payout.id,
        order: winner.order,
        to: winner.email,
        data: data.to_string(),
        due: state
            .clock
            .now()
            .plus_seconds(PRIZE_PAID_MAIL_DELAY_SECONDS),
    };
    Ok(state.records.queue_prize_paid_mail(&mail).await?)
}

/// Sets a payout back to pending that was marked as completed by mistake.
///
/// # Errors
/// 409 `payout-settled`: the payout is not a completed payout to a winner, or was completed more
/// than 24 hours ago.
async fn undo_payout(
    state: &State,
    caller: Caller,
    payout: &PayoutRecord,
) -> Result<HttpResponse, Problem> {
    let (actor, object) = (caller.audit_name(), format!("draw:{}", payout.draw));
    let act = caller.audit_action(&actor, Some(payout.club), "undo-payout", &object);
    let detail = json!({ "payout": payout.id, "amount": payout.amount.decimal() });
    let since = state.clock.now().plus_seconds(-PAYOUT_UNDO_SECONDS);
    let reopened = state
        .records
        .with_audit_entry(act.entry(detail))
        .reopen_payout(payout.id, since)
        .await?;
    let reopened = reopened.ok_or_else(|| {
        Problem::conflict(
            "payout-settled",
            "This payout can be undone only within 24 hours after it was marked as paid.",
        )
    })?;
    state.outbox.wake_mailer();
    Ok(HttpResponse::Ok().json(Payout::from(&reopened)))
}

/// Returns the winning ticket if a prize is due for it.
///
/// No prize is due when the ticket was not sold or was refunded, or while the buyer's bank disputes
/// the payment (decision C-25).
async fn ticket_due_prize(state: &State, draw: DrawId, view: &View) -> Result<SoldTicket, Problem> {
    let ticket = find_winner(state, view).await?.ticket;
    let ticket =
        ticket.ok_or_else(|| Problem::conflict("winner-unsold", WINNING_TICKET_UNSOLD_ERROR))?;
    if !state.records.is_winner_payment_disputed(draw).await? {
        return Ok(ticket);
    }
    let message = "The winner's payment is disputed by the buyer's bank. The prize can be paid once that is resolved.";
    Err(Problem::conflict("winner-disputed", message))
}

fn require_completed_draw(draw: DrawId, view: &View) -> Result<(), Problem> {
    match view.result {
        Some(_) => Ok(()),
        None => Err(Problem::command_refused(draw, Refusal::NotCompleted)),
    }
}
