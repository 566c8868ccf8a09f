//! Showing the second factor: enrolling an authenticator, finishing a sign-in with a code, and proving it again.

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use persistence::records::admins::Admin;
use persistence::records::sessions::{Holder, Session};
use serde_json::json;

use crate::error::Problem;
use crate::identity::second_factor::{FRESH_MS, Shown, authenticator, fresh_secret, take};
use crate::identity::{Caller, prove, sign_in};
use crate::render::qr;
use crate::routes::body::Body;
use crate::routes::club::session::describe;
use crate::state::State;
use crate::wire::instant::rfc3339;
use crate::wire::session::{Code, Enrolment, Reauthenticated};

/// The secret to feed an authenticator with: the same until a code of it is shown.
///
/// # Errors
/// 409 `already-enrolled`.
pub async fn enrol(state: web::Data<State>, caller: Caller) -> Result<HttpResponse, Problem> {
    let admin = operator(&state, caller).await?;
    state
        .records
        .begin_second_factor(admin.id, &fresh_secret())
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
    let drawing = qr::svg(&uri).ok_or_else(Problem::unavailable)?;
    let qr_data_url = format!("data:image/svg+xml;base64,{}", STANDARD.encode(drawing));
    Ok(HttpResponse::Ok().json(Enrolment {
        secret: totp.secret().to_base32(),
        uri,
        qr_data_url,
    }))
}

/// Finishes a sign-in: a new, whole session takes the place of the half one.
pub async fn verify(
    request: HttpRequest,
    state: web::Data<State>,
    caller: Caller,
    body: Body<Code>,
) -> Result<HttpResponse, Problem> {
    let admin = operator(&state, caller).await?;
    shown(&state, &admin, body.0).await?;
    let holder = Holder::Admin(admin.id);
    let cookie = sign_in(&request, &state, holder, true).await?;
    let now = state.clock.now();
    let ends_at = caller.session.map_or(now, |session| session.ends_at);
    audit(&state, caller, "sign-in", &admin).await?;
    let whoami = describe(
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

/// Shows a code again, for what cannot be taken back.
pub async fn reauthenticate(
    request: HttpRequest,
    state: web::Data<State>,
    caller: Caller,
    body: Body<Code>,
) -> Result<HttpResponse, Problem> {
    let admin = operator(&state, caller).await?;
    shown(&state, &admin, body.0).await?;
    prove(&request, &state).await?;
    let until = rfc3339(state.clock.now().plus_ms(FRESH_MS));
    Ok(HttpResponse::Ok().json(Reauthenticated {
        reauthenticated_until: until,
    }))
}

async fn operator(state: &State, caller: Caller) -> Result<Admin, Problem> {
    let Some(Holder::Admin(id)) = caller.holder() else {
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

/// Takes a code; guessing ends after five in ten minutes.
async fn shown(state: &State, admin: &Admin, code: Code) -> Result<(), Problem> {
    let now = state.clock.now();
    let guess = state
        .limits
        .showing_code(admin.id)?
        .on_all_nodes(&state.records, now)
        .await?;
    let code = code.code.unwrap_or_default();
    match take(&state.records, admin, &code, now).await? {
        Shown::Right => {
            guess.was_right().await;
            Ok(())
        }
        Shown::Used => {
            guess.was_right().await;
            Err(Problem::unauthorized(
                "code-used",
                "That code was used already. Wait for the next one.",
            ))
        }
        Shown::Wrong => {
            let sentence = "That code is not right. Codes change every 30 seconds.";
            Err(Problem::unauthorized("wrong-code", sentence))
        }
    }
}

async fn audit(state: &State, caller: Caller, action: &str, admin: &Admin) -> Result<(), Problem> {
    let (actor, object) = (caller.name(), format!("admin:{}", admin.id));
    Ok(state
        .records
        .audit(caller.act(&actor, None, action, &object), &json!({}))
        .await?)
}
