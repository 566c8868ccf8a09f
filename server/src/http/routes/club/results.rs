//! Entering a game's result and notifying the winner.

use actix_web::{HttpResponse, web};
use actors::Denied;
use domain::{Command, DrawId, GameResult, Refusal, View};
use persistence::Failure;
use persistence::records::claims::WinnerInvitation;
use persistence::records::listings::Listing;
use persistence::records::payouts::NewPayout;
use serde_json::json;

use super::winners::{Winner, find_winner, winning_ticket_list};
use super::{financials, own_draw};
use crate::access::caller::Caller;
use crate::api::error::Problem;
use crate::api::payout::{EnterResult, NotifyWinner, ResultEntered, WinnerNotified};
use crate::http::routes::body::Body;
use crate::render::mail_sender::{PLACEHOLDER_EMAIL_ENDING, sealed_link};
use crate::services::identity::{link_hash, random};
use crate::state::State;

/// How long the winner's claim link is valid, in seconds.
const CLAIM_LINK_SECONDS: i64 = 7 * 86_400;

/// Enters a draw's result and completes the draw; an active draw is closed first (decision E-5).
/// Repeating the call with the same result changes nothing.
pub async fn enter_result(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
    body: Body<EnterResult>,
) -> Result<HttpResponse, Problem> {
    let (draw, listing, _) = own_draw(&state, caller, &path).await?;
    let result = parse_result(&body.0)?;
    let (actor, object) = (caller.audit_name(), format!("draw:{draw}"));
    let act = caller.audit_action(&actor, Some(listing.club), "enter-results", &object);
    let draws = state.draws.with_audit_entry(
        act.entry(json!({ "home": result.cell.home(), "away": result.cell.away() })),
    );
    let committed = draws
        .execute(draw, Command::Complete { result }, None)
        .await;
    let view = committed
        .map_err(|denied| result_refused_problem(draw, denied))?
        .view;
    state.catalogue.reload().await?;
    settle_result(&state, &listing, draw, &view).await?;
    let facts = state.catalogue.facts();
    let now = state.clock.now();
    let listed = facts
        .listing(draw)
        .and_then(|listing| facts.to_api_draw(listing, &view, now));
    let claim = state.records.winner_claim(draw).await?;
    let (winning_tickets, revealed_at) =
        winning_ticket_list(&state, caller, listing.club, &view, claim.as_ref()).await?;
    Ok(HttpResponse::Ok().json(ResultEntered {
        winning_tickets,
        revealed_at,
        prize: view.prize.decimal(),
        draw: listed.ok_or_else(Problem::draw_not_found)?,
    }))
}

/// Builds the response for a refused result. A cancelled draw gets a text of its own, because the
/// generic "draw closed" text is written for buyers.
fn result_refused_problem(draw: DrawId, denied: Denied) -> Problem {
    match denied {
        Denied::Refused(Refusal::DrawClosed) => Problem::conflict(
            "draw-cancelled",
            "This draw was cancelled; every buyer is paid back.",
        ),
        other => Problem::command_denied(draw, other),
    }
}

/// Records the club's share (decision D-17) and mails the club, once per result.
///
/// # Errors
/// The database failed. 409 `result-undone`: the operator undid the result meanwhile, so no share
/// is recorded and no mail is sent.
pub(crate) async fn settle_result(
    state: &State,
    listing: &Listing,
    draw: DrawId,
    view: &View,
) -> Result<(), Problem> {
    let takings = financials::draw_revenue(state, listing, view).await?;
    let amount = takings.club_revenue().max(domain::Cents::ZERO);
    let share = NewPayout {
        draw,
        club: listing.club,
        kind: "club_share",
        amount,
        recipient_email: None,
        recipient_name: None,
    };
    let share = state
        .records
        .record_payout(&share)
        .await
        .map_err(|failure| match failure {
            Failure::NotFound => Problem::conflict(
                "result-undone",
                "This result has just been taken back by the operator.",
            ),
            other => other.into(),
        })?;
    if !takings.is_estimated {
        state.records.complete_club_share(share.id, amount).await?;
    }
    let facts = state.catalogue.facts();
    let (Some(club), Some(listing)) = (facts.club(listing.club), facts.listing(draw)) else {
        return Ok(());
    };
    let key = format!(
        "results-{draw}-{}",
        listing.completed_revision.unwrap_or_default()
    );
    let data = json!({ "draw": draw.0 }).to_string();
    state
        .outbox
        .queue_mail_now(&key, "results-submitted", None, &club.email, &data)
        .await?;
    Ok(())
}

fn parse_result(body: &EnterResult) -> Result<GameResult, Problem> {
    let (Some(home), Some(away)) = (body.home_first_try_scorer, body.away_first_try_scorer) else {
        let message = "Missing information: Please select first try scorer for both teams";
        return Err(Problem::bad_request("missing-information", message));
    };
    let jersey = |number: i64| u8::try_from(number).ok();
    let result = jersey(home)
        .zip(jersey(away))
        .and_then(|(home, away)| GameResult::new(home, away));
    let out_of_range = "First try scorers are jersey numbers from 1 to 13.";
    result.ok_or_else(|| Problem::bad_request("result-out-of-range", out_of_range))
}

/// Queues the winner's mail with the one-time link to the claim page, once per ticket and result
/// (decision E-7). With `again`, queues another mail with a new link, at most once a minute.
///
/// # Errors
/// 409 `claim-used`: another mail is asked for, but the bank details were received already.
pub async fn notify_winner(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
    body: Body<NotifyWinner>,
) -> Result<HttpResponse, Problem> {
    let (draw, listing, view) = own_draw(&state, caller, &path).await?;
    let winner = find_winner(&state, &view).await?;
    let claim = state.records.winner_claim(draw).await?;
    let again = body.0.again
        && claim
            .as_ref()
            .is_some_and(|claim| claim.respond_by.is_some());
    if again && claim.is_some_and(|claim| claim.received.is_some() || claim.paid) {
        return Err(Problem::conflict(
            "claim-used",
            "The winner’s bank details have been received already.",
        ));
    }
    let mail = if again {
        WinnerMailNumber::Again
    } else {
        WinnerMailNumber::First
    };
    let Some(invitation) = claim_invitation_mail(&state, &listing, draw, &winner, mail) else {
        return Ok(HttpResponse::Ok().json(WinnerNotified {
            emails_sent: 0,
            total_winners: winner.ticket.is_some().into(),
        }));
    };
    let (actor, object) = (caller.audit_name(), format!("draw:{draw}"));
    let act = caller.audit_action(&actor, Some(listing.club), "notify-winners", &object);
    let records = state
        .records
        .with_audit_entry(act.entry(json!({ "serial": winner.serial.number(), "again": again })));
    let is_queued = records.invite_winner(&invitation).await?;
    state.outbox.wake_mailer();
    Ok(HttpResponse::Ok().json(WinnerNotified {
        // The first mail counts as sent however often it is asked for.
        emails_sent: (is_queued || !again).into(),
        total_winners: 1,
    }))
}

/// Whether a mail is the first one to the winner of a result.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WinnerMailNumber {
    First,
    Again,
}

/// Milliseconds between two mails to the same winner.
const WINNER_MAIL_INTERVAL_MS: i64 = 60_000;

/// Builds the mail that invites the winner to claim the prize; `None` if the ticket was not sold or
/// its buyer has no e-mail address.
fn claim_invitation_mail(
    state: &State,
    listing: &Listing,
    draw: DrawId,
    winner: &Winner,
    number: WinnerMailNumber,
) -> Option<WinnerInvitation> {
    let ticket = winner.ticket.as_ref()?;
    let to = ticket
        .buyer_email
        .clone()
        .filter(|email| !email.ends_with(PLACEHOLDER_EMAIL_ENDING))?;
    let token: [u8; 32] = random();
    let link = format!("{}/claim#{}", state.config.public_url, hex::encode(token));
    let now = state.clock.now();
    let respond_by = now.plus_seconds(CLAIM_LINK_SECONDS);
    let sealed = sealed_link(&state.records, &to, &link);
    let serial = winner.serial;
    let data = json!({ "draw": draw.0, "serial": serial.number(), "until": respond_by.0, "sealedLink": sealed });
    let version = listing.completed_revision.unwrap_or_default();
    let suffix = match number {
        WinnerMailNumber::First => String::new(),
        WinnerMailNumber::Again => format!(":again-{}", now.0 / WINNER_MAIL_INTERVAL_MS),
    };
    Some(WinnerInvitation {
        draw,
        serial,
        order: ticket.order,
        dedupe_key: format!("winner:{draw}:{version}:{}{suffix}", serial.number()),
        to,
        data: data.to_string(),
        token_hash: link_hash(&token),
        respond_by,
        at: now,
    })
}
