//! The operator's second factor: enrolling an authenticator app, finishing a sign-in with a code,
//! and entering a code again for irreversible actions.

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use persistence::records::admins::Admin;
use persistence::records::sessions::{Session, SessionHolder};
use serde_json::json;

use crate::access::caller::{Caller, SessionChoice, record_reauthentication, sign_in};
use crate::api::error::Problem;
use crate::api::session::{Enrolment, Reauthenticated, SecondFactorCode};
use crate::api::time_format::rfc3339;
use crate::http::routes::body::Body;
use crate::http::routes::club::session::describe_session;
use crate::render::qr;
use crate::services::identity::second_factor::{
    CodeCheckResult, IDENTITY_PROOF_LIFETIME_MS, authenticator, check_and_consume_code,
    generate_secret,
};
use crate::state::State;

/// Responds with the secret for an authenticator app. It stays the same until a code is verified.
///
/// # Errors
/// 409 `already-enrolled`.
pub async fn enrol_authenticator(
    state: web::Data<State>,
    caller: Caller,
) -> Result<HttpResponse, Problem> {
    let admin = signed_in_operator(&state, caller).await?;
    state
        .records
        .begin_second_factor(admin.id, &generate_secret())
        .await?;
    let factor = state
        .records
        .second_factor(admin.id)
        .await?
        .ok_or_else(Problem::unavailable)?;
    if factor.enrolled {
        return Err(Problem::conflict(
            "already-enrolled",
            "An authenticator is set up already.",
        ));
    }
    let totp = authenticator(&factor.secret, &admin.email)?;
    let uri = totp.to_url().map_err(|_| Problem::unavailable())?;
    let drawing = qr::svg(&uri, qr::QuietZone::Drawn).ok_or_else(Problem::unavailable)?;
    let qr_data_url = format!("data:image/svg+xml;base64,{}", STANDARD.encode(drawing));
    Ok(HttpResponse::Ok().json(Enrolment {
        secret: totp.secret().to_base32(),
        uri,
        qr_data_url,
    }))
}

/// Finishes a sign-in with a code: a full session replaces the session that had only the password.
pub async fn finish_sign_in(
    request: HttpRequest,
    state: web::Data<State>,
    caller: Caller,
    body: Body<SecondFactorCode>,
) -> Result<HttpResponse, Problem> {
    let admin = signed_in_operator(&state, caller).await?;
    verify_code(&state, &admin, body.0).await?;
    let holder = SessionHolder::Admin(admin.id);
    let cookie = sign_in(&request, &state, holder, true, SessionChoice::Standard).await?;
    let now = state.clock.now();
    let ends_at = caller.session.map_or(now, |session| session.ends_at);
    audit_second_factor(&state, caller, "sign-in", &admin).await?;
    let whoami = describe_session(
        &state,
        Session {
            holder,
            proven_at: Some(now),
            ends_at,
        },
    )
    .await?;
    Ok(HttpResponse::Ok().cookie(cookie).json(whoami))
}

/// Verifies a code in a full session, which allows irreversible actions for ten minutes.
pub async fn reauthenticate(
    request: HttpRequest,
    state: web::Data<State>,
    caller: Caller,
    body: Body<SecondFactorCode>,
) -> Result<HttpResponse, Problem> {
    let admin = signed_in_operator(&state, caller).await?;
    verify_code(&state, &admin, body.0).await?;
    record_reauthentication(&request, &state).await?;
    let until = rfc3339(state.clock.now().plus_ms(IDENTITY_PROOF_LIFETIME_MS));
    Ok(HttpResponse::Ok().json(Reauthenticated {
        reauthenticated_until: until,
    }))
}

async fn signed_in_operator(state: &State, caller: Caller) -> Result<Admin, Problem> {
    let Some(SessionHolder::Admin(id)) = caller.holder() else {
        return Err(Problem::new(
            StatusCode::FORBIDDEN,
            "forbidden",
            "This is for the platform operator.",
        ));
    };
    state
        .records
        .admin(id)
        .await?
        .ok_or_else(Problem::unauthenticated)
}

/// Verifies an operator's code, and refuses further codes after five wrong ones in ten minutes.
async fn verify_code(state: &State, admin: &Admin, code: SecondFactorCode) -> Result<(), Problem> {
    let now = state.clock.now();
    let guess = state
        .limits
        .begin_code_check(admin.id)?
        .count_on_all_nodes(&state.records, now)
        .await?;
    let code = code.code.unwrap_or_default();
    match check_and_consume_code(&state.records, admin, &code, now).await? {
        CodeCheckResult::Right => {
            guess.mark_correct().await;
            Ok(())
        }
        CodeCheckResult::Used => {
            guess.mark_correct().await;
            Err(Problem::unauthorized(
                "code-used",
                "That code was used already. Wait for the next one.",
            ))
        }
        CodeCheckResult::Wrong => {
            let sentence = "That code is not right. Codes change every 30 seconds.";
            Err(Problem::unauthorized("wrong-code", sentence))
        }
    }
}

async fn audit_second_factor(
    state: &State,
    caller: Caller,
    action: &str,
    admin: &Admin,
) -> Result<(), Problem> {
    let (actor, object) = (caller.audit_name(), format!("admin:{}", admin.id));
    Ok(state
        .records
        .record_audit_entry(
            caller.audit_action(&actor, None, action, &object),
            &json!({}),
        )
        .await?)
}
