//! The winner's own page: the mailed link is the key, works once, and for seven days (B:263).

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use persistence::records::claims::{Claim as Row, Told};
use serde_json::json;

use super::winners::{PAID, check, status, winner};
use crate::error::Problem;
use crate::form::trimmed;
use crate::identity::{address, link_hash_of};
use crate::routes::body::Body;
use crate::state::State;
use crate::wire::claim::{BankTold, Claim};
use crate::wire::instant::rfc3339;
use crate::wire::session::Proof;

pub async fn look(
    request: HttpRequest,
    state: web::Data<State>,
    body: Body<Proof>,
) -> Result<HttpResponse, Problem> {
    state.limits.claiming(address(&request, &state.config))?;
    let claim = find(&state, &body.0.token).await?;
    Ok(HttpResponse::Ok().json(page(&state, &claim).await?))
}

pub async fn tell(
    request: HttpRequest,
    state: web::Data<State>,
    body: Body<BankTold>,
) -> Result<HttpResponse, Problem> {
    state.limits.claiming(address(&request, &state.config))?;
    let claim = find(&state, &body.0.token).await?;
    if claim.paid {
        return Err(Problem::conflict("payout-settled", PAID));
    }
    let bank = check(&body.0)?;
    let now = state.clock.now();
    match state.records.winner_told(&claim, &bank, now).await? {
        Told::Kept => {}
        Told::Before => {
            return Err(Problem::conflict(
                "claim-used",
                "Your details have been received already.",
            ));
        }
        Told::TooLate => {
            let words = "The 7 days to respond have passed. Please contact the club.";
            return Err(Problem::new(StatusCode::GONE, "claim-expired", words));
        }
    }
    tell_club(&state, &claim).await?;
    let claim = find(&state, &body.0.token).await?;
    Ok(HttpResponse::Ok().json(page(&state, &claim).await?))
}

/// The club learns that details are there, never which.
async fn tell_club(state: &State, claim: &Row) -> Result<(), Problem> {
    let (facts, listing, _) = state.catalogue.draw(claim.draw).await.ok_or_else(unknown)?;
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
        .queue(&key, "winner-details", None, &club.email, &data)
        .await?;
    Ok(())
}

async fn find(state: &State, token: &Option<String>) -> Result<Row, Problem> {
    let hash = link_hash_of(&trimmed(token)).ok_or_else(unknown)?;
    state
        .records
        .claim_by_token(&hash)
        .await?
        .ok_or_else(unknown)
}

fn unknown() -> Problem {
    Problem::new(
        StatusCode::NOT_FOUND,
        "claim-unknown",
        "This link is invalid or has expired.",
    )
}

async fn page(state: &State, claim: &Row) -> Result<Claim, Problem> {
    let (facts, listing, view) = state.catalogue.draw(claim.draw).await.ok_or_else(unknown)?;
    let club = facts.club(listing.club).ok_or_else(unknown)?;
    let winner = winner(state, &view).await.map_err(|_| unknown())?;
    // The result was taken back and another ticket won: the old link opens nothing.
    let ticket = winner
        .ticket
        .filter(|ticket| ticket.serial.number() == claim.serial)
        .ok_or_else(unknown)?;
    let expired = claim
        .respond_by
        .is_none_or(|until| state.clock.now() >= until);
    let told = match status(state, claim.draw, Some(claim)).await? {
        "completed" => "completed",
        "details_received" => "received",
        _ if expired => "expired",
        _ => "open",
    };
    Ok(Claim {
        state: told,
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
    })
}
