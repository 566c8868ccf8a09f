//! A forgotten password, for clubs and operators alike: a mailed link that works once, for half an hour (decisions B-14, G-6).

use actix_web::{HttpRequest, HttpResponse, web};
use serde_json::json;

use crate::error::Problem;
use crate::form::{asked_address, trimmed};
use crate::identity::password::{PASSWORD_BYTES_MAX, PASSWORD_CHARS_MIN, hashed};
use crate::identity::weakness::{EASY, is_easy};
use crate::identity::{address, link_hash, link_hash_of, random};
use crate::post::sealed_link;
use crate::routes::body::Body;
use crate::state::State;
use crate::wire::session::{ForgottenPassword, NewPassword};
use crate::wire::site::Said;

/// How long a link opens something.
const LINK_SECONDS: i64 = 30 * 60;

/// Answers the same at once, whoever asks for whomever: what follows happens behind the answer, so that neither words nor
/// time tell which addresses have an account.
pub async fn ask(
    request: HttpRequest,
    state: web::Data<State>,
    body: Body<ForgottenPassword>,
) -> Result<HttpResponse, Problem> {
    let email = asked_address(&body.0.email)?;
    state
        .limits
        .fills_form(
            &state.records,
            address(&request, &state.config),
            state.clock.now(),
        )
        .await?;
    actix_web::rt::spawn(async move {
        if let Err(problem) = send(&state, &email).await {
            tracing::warn!(%problem, "a reset link was not queued");
        }
    });
    let words = "If an account exists with this email, a reset link has been sent.";
    Ok(HttpResponse::Ok().json(Said {
        message: words.to_string(),
    }))
}

async fn send(state: &State, email: &str) -> Result<(), Problem> {
    let token: [u8; 32] = random();
    let now = state.clock.now();
    if !state.limits.may_mail(&state.records, email, now).await? {
        return Ok(());
    }
    let hash = link_hash(&token);
    let Some(to) = state
        .records
        .begin_reset(email, &hash, now.plus_seconds(LINK_SECONDS))
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
    // The hash names the link in the outbox without telling it.
    let key = format!("reset-{}", hex::encode(&hash[..8]));
    state
        .outbox
        .queue(&key, "reset", None, &to.email, &data.to_string())
        .await?;
    Ok(())
}

/// The new password; every browser that was signed in is signed out, and a mail says so.
pub async fn confirm(
    state: web::Data<State>,
    body: Body<NewPassword>,
) -> Result<HttpResponse, Problem> {
    let Body(NewPassword {
        token,
        new_password,
    }) = body;
    if trimmed(&token).is_empty() {
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
    let hash = link_hash_of(&trimmed(&token)).ok_or_else(refused)?;
    // Guessing links must not cost us a hash each.
    let about = state
        .records
        .reset_is_for(&hash, state.clock.now())
        .await?
        .ok_or_else(refused)?;
    if is_easy(password.clone(), about).await? {
        return Err(Problem::bad_request("password-too-easy", EASY));
    }
    let password = hashed(password).await?;
    state
        .records
        .finish_reset(&hash, &password, state.clock.now())
        .await?
        .ok_or_else(refused)?;
    state.outbox.nudge();
    state.catalogue.reload().await?;
    Ok(HttpResponse::Ok().json(Said {
        message: "Password reset successful".to_string(),
    }))
}
