//! The winner's claim page. The secret link mailed to the winner gives access; no login is needed.
//! Bank details can be submitted once, within seven days.

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use persistence::records::audit::AuditAction;
use persistence::records::bank_changes::BankChange;
use persistence::records::claims::{ClaimOutcome, WinnerClaim as ClaimRecord};
use serde_json::json;

use super::winners::{
    PRIZE_PAID_ERROR, check_bank_details, find_winner, payout_status, winner_address,
};
use crate::api::claim::{BankDetails, Claim, MaskedBankDetails};
use crate::api::error::Problem;
use crate::api::form::trimmed;
use crate::api::session::MailedSecret;
use crate::api::time_format::rfc3339;
use crate::http::routes::body::Body;
use crate::services::identity::{client_address, parse_link_hash};
use crate::state::State;

/// Responds with the winner's claim page data.
pub async fn show(
    request: HttpRequest,
    state: web::Data<State>,
    body: Body<MailedSecret>,
) -> Result<HttpResponse, Problem> {
    state
        .limits
        .check_claim_limit(client_address(&request, &state.config))?;
    let claim = find_claim(&state, body.0.token.as_deref()).await?;
    Ok(HttpResponse::Ok().json(claim_page(&state, &claim).await?))
}

/// Stores the bank details that the winner submits with the claim link.
pub async fn submit_bank_details(
    request: HttpRequest,
    state: web::Data<State>,
    body: Body<BankDetails>,
) -> Result<HttpResponse, Problem> {
    state
        .limits
        .check_claim_limit(client_address(&request, &state.config))?;
    let claim = find_claim(&state, body.0.token.as_deref()).await?;
    if claim.paid {
        return Err(Problem::conflict("payout-settled", PRIZE_PAID_ERROR));
    }
    let bank = check_bank_details(&body.0)?;
    let (_, listing, view) = state
        .catalogue
        .draw(claim.draw)
        .await
        .ok_or_else(unknown_claim_problem)?;
    let winner = find_winner(&state, &view)
        .await
        .map_err(|_| unknown_claim_problem())?;
    // Refuse the link if its ticket is not the winning one any more, because the result was undone
    // and entered anew.
    let ticket = winner
        .ticket
        .filter(|ticket| ticket.serial.number() == claim.serial)
        .ok_or_else(unknown_claim_problem)?;
    let (draw, at, by) = (claim.draw, state.clock.now(), "winner".to_string());
    let object = format!("draw:{draw}");
    let ip = Some(client_address(&request, &state.config));
    let act = AuditAction {
        actor: &by,
        club: Some(listing.club),
        action: "answer-claim",
        object: &object,
        ip,
    };
    let records = state.records.with_audit_entry(act.entry(json!({})));
    let change = BankChange {
        draw,
        serial: winner.serial,
        bank,
        by: by.clone(),
        winner: winner_address(&ticket),
        at,
    };
    match records.store_winner_details(&claim, &change).await? {
        ClaimOutcome::Kept => {}
        ClaimOutcome::Before => {
            return Err(Problem::conflict(
                "claim-used",
                "Your details have been received already.",
            ));
        }
        ClaimOutcome::TooLate => {
            let message = "The 7 days to respond have passed. Please contact the club.";
            return Err(Problem::new(StatusCode::GONE, "claim-expired", message));
        }
    }
    state.outbox.wake_mailer();
    notify_club(&state, &claim).await?;
    let claim = find_claim(&state, body.0.token.as_deref()).await?;
    Ok(HttpResponse::Ok().json(claim_page(&state, &claim).await?))
}

/// Tells the club that bank details were received. The mail does not contain them.
async fn notify_club(state: &State, claim: &ClaimRecord) -> Result<(), Problem> {
    let (facts, listing, _) = state
        .catalogue
        .draw(claim.draw)
        .await
        .ok_or_else(unknown_claim_problem)?;
    let Some(club) = facts.club(listing.club) else {
        return Ok(());
    };
    let data = json!({ "draw": claim.draw.0, "serial": claim.serial }).to_string();
    let key = format!(
        "winner-details-{}-{}",
        claim.draw,
        claim.respond_by.map_or(0, |at| at.0)
    );
    state
        .outbox
        .queue_mail_now(&key, "winner-details", None, &club.email, &data)
        .await?;
    Ok(())
}

async fn find_claim(state: &State, token: Option<&str>) -> Result<ClaimRecord, Problem> {
    let hash = parse_link_hash(&trimmed(token)).ok_or_else(unknown_claim_problem)?;
    state
        .records
        .winner_claim_by_token(&hash)
        .await?
        .ok_or_else(unknown_claim_problem)
}

fn unknown_claim_problem() -> Problem {
    Problem::new(
        StatusCode::NOT_FOUND,
        "claim-unknown",
        "This link is invalid or has expired.",
    )
}

async fn claim_page(state: &State, claim: &ClaimRecord) -> Result<Claim, Problem> {
    let (facts, listing, view) = state
        .catalogue
        .draw(claim.draw)
        .await
        .ok_or_else(unknown_claim_problem)?;
    let club = facts.club(listing.club).ok_or_else(unknown_claim_problem)?;
    let winner = find_winner(state, &view)
        .await
        .map_err(|_| unknown_claim_problem())?;
    // Refuse the link if its ticket is not the winning one any more, because the result was undone
    // and entered anew.
    let ticket = winner
        .ticket
        .filter(|ticket| ticket.serial.number() == claim.serial)
        .ok_or_else(unknown_claim_problem)?;
    let expired = claim
        .respond_by
        .is_none_or(|until| state.clock.now() >= until);
    let claim_state = match payout_status(state, claim.draw, Some(claim)).await? {
        "completed" => "completed",
        "details_received" => "received",
        _ if expired => "expired",
        _ => "open",
    };
    let bank = match claim.received {
        Some(_) => state.records.bank_details(claim.draw).await?,
        None => None,
    };
    Ok(Claim {
        state: claim_state,
        draw_number: claim.draw.0,
        serial_number: winner.serial.label(claim.draw),
        home_team: listing.home_team.clone(),
        away_team: listing.away_team.clone(),
        league: listing.league.clone(),
        game_date: rfc3339(view.closes_at),
        timezone: listing.zone.clone(),
        home_number: winner.result.cell.home(),
        away_number: winner.result.cell.away(),
        prize: view.prize.decimal(),
        winner_name: ticket.buyer_name.unwrap_or_default(),
        club_name: club.name.clone(),
        club_slug: club.slug.clone(),
        contact_name: listing.contact_name.clone(),
        contact_phone: listing.contact_phone.clone(),
        respond_by: claim.respond_by.map(rfc3339),
        bank: bank.and_then(|bank| MaskedBankDetails::from_claim(claim, &bank, None)),
    })
}
