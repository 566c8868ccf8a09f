//! Password reset for clubs and operators: a mailed link that works once, for half an hour
//! (decisions B-14, G-6).

use actix_web::{HttpRequest, HttpResponse, web};
use persistence::link_secrets::LinkKind;
use serde_json::json;

use crate::api::error::Problem;
use crate::api::form::{required_email, trimmed};
use crate::api::session::{ForgottenPassword, NewPassword};
use crate::api::site::Message;
use crate::http::routes::body::Body;
use crate::render::mail_sender::sealed_link;
use crate::services::identity::password::{
    PASSWORD_BYTES_MAX, PASSWORD_CHARS_MIN, hash_on_blocking_thread,
};
use crate::services::identity::password_strength::{EASY_PASSWORD_MESSAGE, is_easy_to_guess};
use crate::services::identity::{client_address, link_hash, parse_link_hash, random};
use crate::state::State;

/// How long a password reset link is valid, in seconds.
const RESET_LINK_SECONDS: i64 = 30 * 60;

/// Handles a request to mail a password reset link. The response is always the same and sent before
/// the work starts, so that neither text nor timing tells which accounts exist.
pub async fn request_reset(
    request: HttpRequest,
    state: web::Data<State>,
    body: Body<ForgottenPassword>,
) -> Result<HttpResponse, Problem> {
    let email = required_email(body.0.email.as_deref())?;
    state
        .limits
        .check_form_limit(
            &state.records,
            client_address(&request, &state.config),
            state.clock.now(),
        )
        .await?;
    actix_web::rt::spawn(async move {
        if let Err(problem) = send_reset_link(&state, &email).await {
            tracing::warn!(%problem, "queueing a password reset link failed");
        }
    });
    let message = "If an account exists with this email, a reset link has been sent.";
    Ok(HttpResponse::Ok().json(Message {
        message: message.to_string(),
    }))
}

async fn send_reset_link(state: &State, email: &str) -> Result<(), Problem> {
    let token: [u8; 32] = random();
    let now = state.clock.now();
    if !state
        .limits
        .may_mail_account_link(&state.records, email, now)
        .await?
    {
        return Ok(());
    }
    let hash = link_hash(&token);
    let Some(to) = state
        .records
        .begin_password_reset(email, &hash, now.plus_seconds(RESET_LINK_SECONDS))
        .await?
    else {
        return Ok(());
    };
    let link = format!(
        "{}/reset-password?token={}",
        state.config.public_url,
        hex::encode(token)
    );
    let data =
        json!({ "name": to.name, "sealedLink": sealed_link(&state.records, &to.email, &link) });
    // The mail's deduplication key contains the hash of the link's secret, which does not reveal
    // the link.
    let key = format!("reset-{}", state.records.link_id(LinkKind::Account, &hash));
    state
        .outbox
        .queue_mail_now(&key, "reset", None, &to.email, &data.to_string())
        .await?;
    Ok(())
}

/// Sets the new password, ends every session of the account and tells its owner by mail.
pub async fn confirm_reset(
    state: web::Data<State>,
    body: Body<NewPassword>,
) -> Result<HttpResponse, Problem> {
    let Body(NewPassword {
        token,
        new_password,
    }) = body;
    if trimmed(token.as_deref()).is_empty() {
        return Err(Problem::bad_request(
            "token-required",
            "Reset token is required",
        ));
    }
    let password = new_password.unwrap_or_default();
    if password.chars().count() < PASSWORD_CHARS_MIN {
        return Err(Problem::bad_request(
            "password-too-short",
            "Password must be at least 8 characters",
        ));
    }
    if password.len() > PASSWORD_BYTES_MAX {
        return Err(Problem::bad_request(
            "password-too-long",
            "Password must be at most 128 characters",
        ));
    }
    let refused = || {
        Problem::bad_request(
            "invalid-link",
            "This password reset link is invalid or has expired.",
        )
    };
    let hash = parse_link_hash(&trimmed(token.as_deref())).ok_or_else(refused)?;
    // Look the link up before hashing: a guessed link must not cost an expensive password hash.
    let about = state
        .records
        .find_account_by_reset_link(&hash, state.clock.now())
        .await?
        .ok_or_else(refused)?;
    if is_easy_to_guess(password.clone(), about).await? {
        return Err(Problem::bad_request(
            "password-too-easy",
            EASY_PASSWORD_MESSAGE,
        ));
    }
    let password = hash_on_blocking_thread(password).await?;
    state
        .records
        .finish_password_reset(&hash, &password, state.clock.now())
        .await?
        .ok_or_else(refused)?;
    state.outbox.wake_mailer();
    state.catalogue.reload().await?;
    Ok(HttpResponse::Ok().json(Message {
        message: "Password reset successful".to_string(),
    }))
}
