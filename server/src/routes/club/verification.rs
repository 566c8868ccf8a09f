//! A club's address is its reader's: a mailed link says so. Nothing waits for it; the dashboard reminds (decision G-18).

use actix_web::{HttpResponse, web};
use domain::ClubId;
use persistence::records::clubs::Club;
use serde_json::json;

use crate::error::Problem;
use crate::form::trimmed;
use crate::identity::{Caller, link_hash, link_hash_of, random};
use crate::limits::accounts::AN_HOUR;
use crate::limits::too_many;
use crate::post::sealed_link;
use crate::routes::body::Body;
use crate::state::State;
use crate::wire::joining::EmailVerified;
use crate::wire::session::Proof;
use crate::wire::site::Said;

/// A week: volunteers read their club's mail on Thursdays.
const LINK_SECONDS: i64 = 7 * 86_400;

/// Queues the mail with a fresh link; an older one no longer opens anything.
///
/// # Errors
/// The books could not be written.
pub(super) async fn send(state: &State, club: &Club) -> Result<(), Problem> {
    let token: [u8; 32] = random();
    let now = state.clock.now();
    let hash = link_hash(&token);
    state
        .records
        .begin_verification(club.id, &hash, now.plus_seconds(LINK_SECONDS))
        .await?;
    let link = format!(
        "{}/verify-email?token={}",
        state.config.public_url,
        hex::encode(token)
    );
    let data =
        json!({ "name": club.name, "sealedLink": sealed_link(&state.records, &club.email, &link) });
    let key = format!("verify-{}-{}", club.id, hex::encode(&hash[..8]));
    state
        .outbox
        .queue(&key, "verify", None, &club.email, &data.to_string())
        .await?;
    Ok(())
}

/// Another link for a club whose address is not confirmed yet.
///
/// # Errors
/// 429 with `Retry-After`: as many as this went out within the hour.
pub async fn again(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let id = path.parse().map(ClubId).map_err(|_| Problem::not_found())?;
    caller.must_own(id)?;
    let club = state
        .records
        .club(id)
        .await?
        .ok_or_else(Problem::not_found)?;
    let said = |words: &str| Said {
        message: words.to_string(),
    };
    if club.email_verified {
        return Ok(HttpResponse::Ok().json(said("This address is confirmed.")));
    }
    if !state
        .limits
        .may_mail(&state.records, &club.email, state.clock.now())
        .await?
    {
        return Err(too_many(AN_HOUR.as_secs() as u32));
    }
    send(&state, &club).await?;
    Ok(HttpResponse::Accepted().json(said("We have sent you a new link.")))
}

pub async fn confirm(state: web::Data<State>, body: Body<Proof>) -> Result<HttpResponse, Problem> {
    let refused = || Problem::bad_request("invalid-link", "This link is invalid or has expired.");
    let hash = link_hash_of(&trimmed(&body.0.token)).ok_or_else(refused)?;
    if !state
        .records
        .finish_verification(&hash, state.clock.now())
        .await?
    {
        return Err(refused());
    }
    Ok(HttpResponse::Ok().json(EmailVerified { verified: true }))
}
