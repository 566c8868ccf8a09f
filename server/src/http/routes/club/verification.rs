//! Confirms a club's e-mail address by a mailed link. Only picture uploads require it; the
//! dashboard shows a reminder (decision G-18).

use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use domain::ClubId;
use persistence::link_secrets::LinkKind;
use persistence::records::clubs::Club;
use serde_json::json;

use crate::access::caller::Caller;
use crate::api::error::Problem;
use crate::api::form::trimmed;
use crate::api::registration::EmailVerified;
use crate::api::session::MailedSecret;
use crate::api::site::Message;
use crate::http::routes::body::Body;
use crate::render::mail_sender::sealed_link;
use crate::services::identity::{link_hash, parse_link_hash, random};
use crate::services::limits::accounts::LINK_AND_FORM_WINDOW;
use crate::services::limits::too_many_attempts;
use crate::state::State;

/// How long the confirmation link is valid, in seconds: a week, because volunteers read club mail
/// rarely.
const CONFIRMATION_LINK_SECONDS: i64 = 7 * 86_400;

/// Queues a mail with a new confirmation link and invalidates the older link.
///
/// # Errors
/// The database could not be written.
pub(super) async fn send_link(state: &State, club: &Club) -> Result<(), Problem> {
    let token: [u8; 32] = random();
    let now = state.clock.now();
    let hash = link_hash(&token);
    state
        .records
        .begin_email_verification(club.id, &hash, now.plus_seconds(CONFIRMATION_LINK_SECONDS))
        .await?;
    let link = format!(
        "{}/verify-email?token={}",
        state.config.public_url,
        hex::encode(token)
    );
    // The mail omits the club's name, because an unconfirmed address may belong to a stranger.
    let data = json!({ "sealedLink": sealed_link(&state.records, &club.email, &link) });
    let key = format!(
        "verify-{}-{}",
        club.id,
        state.records.link_id(LinkKind::Verification, &hash)
    );
    state
        .outbox
        .queue_mail_now(&key, "verify", None, &club.email, &data.to_string())
        .await?;
    Ok(())
}

/// Refuses uploads of a club with an unconfirmed e-mail address, because anyone can register such a
/// club, and pictures are public and cost CPU and space.
///
/// # Errors
/// 403 `email-not-confirmed`.
pub(super) async fn require_confirmed_email(state: &State, club: ClubId) -> Result<(), Problem> {
    let club = state
        .records
        .club(club)
        .await?
        .ok_or_else(Problem::not_found)?;
    if club.email_verified {
        return Ok(());
    }
    let text = "Please confirm your club's email address first. Then you can upload pictures.";
    Err(Problem::new(
        StatusCode::FORBIDDEN,
        "email-not-confirmed",
        text,
    ))
}

/// Mails another confirmation link to a club whose e-mail address is not confirmed.
///
/// # Errors
/// 429 with `Retry-After`: too many links were sent within the hour.
pub async fn resend_confirmation_link(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let id = path.parse().map(ClubId).map_err(|_| Problem::not_found())?;
    caller.require_ownership(id)?;
    let club = state
        .records
        .club(id)
        .await?
        .ok_or_else(Problem::not_found)?;
    let message = |text: &str| Message {
        message: text.to_string(),
    };
    if club.email_verified {
        return Ok(HttpResponse::Ok().json(message("This address is confirmed.")));
    }
    if !state
        .limits
        .may_mail_account_link(&state.records, &club.email, state.clock.now())
        .await?
    {
        return Err(too_many_attempts(LINK_AND_FORM_WINDOW.as_secs() as u32));
    }
    send_link(&state, &club).await?;
    Ok(HttpResponse::Accepted().json(message("We have sent you a new link.")))
}

/// Handles `POST /api/clubs/verify-email`.
pub async fn confirm_email(
    state: web::Data<State>,
    body: Body<MailedSecret>,
) -> Result<HttpResponse, Problem> {
    let refused = || Problem::bad_request("invalid-link", "This link is invalid or has expired.");
    let hash = parse_link_hash(&trimmed(body.0.token.as_deref())).ok_or_else(refused)?;
    if !state
        .records
        .finish_email_verification(&hash, state.clock.now())
        .await?
    {
        return Err(refused());
    }
    Ok(HttpResponse::Ok().json(EmailVerified { verified: true }))
}
