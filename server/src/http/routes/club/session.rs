//! Signing in and out. Clubs, their users and operators share one login (decisions B-3, G-17).

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use domain::ClubId;
use domain::access::Role;
use persistence::records::club_users::ClubUser;
use persistence::records::sessions::{Session, SessionHolder};
use serde_json::json;

use crate::access::caller::{Caller, SessionChoice, record_reauthentication, sign_in, sign_out};
use crate::api::error::Problem;
use crate::api::session::{Login, PasswordProof, Reauthenticated, User, Whoami};
use crate::api::time_format::rfc3339;
use crate::http::routes::body::Body;
use crate::services::identity::client_address;
use crate::services::identity::password::{PASSWORD_BYTES_MAX, verify_password};
use crate::services::identity::second_factor::IDENTITY_PROOF_LIFETIME_MS;
use crate::state::State;

/// Handles `POST /api/clubs/login`.
pub async fn login(
    request: HttpRequest,
    state: web::Data<State>,
    body: Body<Login>,
) -> Result<HttpResponse, Problem> {
    let Body(Login {
        email,
        password,
        stay_signed_in,
    }) = body;
    let from = client_address(&request, &state.config);
    let guess = state
        .limits
        .begin_sign_in(&email, from)?
        .count_on_all_nodes(&state.records, state.clock.now())
        .await?;
    if password.is_empty() || password.len() > PASSWORD_BYTES_MAX {
        return Err(invalid_credentials());
    }
    let (holder, hash) = state.records.credentials(&email).await?.unzip();
    // The log contains the account's id, never its e-mail address.
    let (account, address) = (holder.map(SessionHolder::name), from.to_string());
    // Checking an unknown e-mail address takes as long as checking a wrong password, and gets the
    // same response.
    if !verify_password(password, hash).await? {
        tracing::warn!(account, address, "sign-in refused");
        return Err(invalid_credentials());
    }
    tracing::info!(account, address, "signed in");
    let holder = holder.ok_or_else(invalid_credentials)?;
    guess.mark_correct().await;
    let choice = if stay_signed_in {
        SessionChoice::StaySignedIn
    } else {
        SessionChoice::Standard
    };
    let cookie = sign_in(&request, &state, holder, false, choice).await?;
    let mut user = signed_in_user(&state, holder).await?;
    user.second_factor = second_factor_state(&state, holder, false).await?;
    Ok(HttpResponse::Ok().cookie(cookie).json(user))
}

/// Returns the state of an operator's second factor: `enrol`, `required` or `done`. `None` for a
/// club.
async fn second_factor_state(
    state: &State,
    holder: SessionHolder,
    proven: bool,
) -> Result<Option<&'static str>, Problem> {
    let SessionHolder::Admin(id) = holder else {
        return Ok(None);
    };
    let enrolled = state
        .records
        .second_factor(id)
        .await?
        .is_some_and(|factor| factor.enrolled);
    Ok(Some(match (proven, enrolled) {
        (true, _) => "done",
        (false, true) => "required",
        (false, false) => "enrol",
    }))
}

fn invalid_credentials() -> Problem {
    Problem::new(
        StatusCode::UNAUTHORIZED,
        "invalid-credentials",
        "Invalid credentials",
    )
}

/// Checks the password again. The session then counts as recently proven for ten minutes. Every
/// attempt within the rate limit is written to the audit log.
///
/// # Errors
/// 400 `wrong-password`, 429. 403 for an operator, who confirms with a second-factor code instead.
pub async fn reauthenticate(
    request: HttpRequest,
    state: web::Data<State>,
    caller: Caller,
    body: Body<PasswordProof>,
) -> Result<HttpResponse, Problem> {
    let holder = caller.holder().ok_or_else(Problem::unauthenticated)?;
    if matches!(holder, SessionHolder::Admin(_)) {
        let sentence = "The operator confirms with a code of the authenticator.";
        return Err(Problem::new(StatusCode::FORBIDDEN, "forbidden", sentence));
    }
    let is_right = is_password_right(&state, holder, body.0).await?;
    let (actor, club) = (caller.audit_name(), holder.club());
    let object = club.map_or_else(String::new, |club| format!("club:{club}"));
    let act = caller.audit_action(&actor, club, "reauthenticate", &object);
    state
        .records
        .record_audit_entry(act, &json!({ "accepted": is_right }))
        .await?;
    if !is_right {
        return Err(wrong_password_problem());
    }
    record_reauthentication(&request, &state).await?;
    let until = rfc3339(state.clock.now().plus_ms(IDENTITY_PROOF_LIFETIME_MS));
    Ok(HttpResponse::Ok().json(Reauthenticated {
        reauthenticated_until: until,
    }))
}

/// Checks the password of the signed-in account.
///
/// # Errors
/// 429 after five wrong passwords: the password is not compared.
pub(super) async fn is_password_right(
    state: &State,
    holder: SessionHolder,
    body: PasswordProof,
) -> Result<bool, Problem> {
    let hash = password_hash(state, holder).await?;
    let guess = state
        .limits
        .begin_password_confirmation(holder)?
        .count_on_all_nodes(&state.records, state.clock.now())
        .await?;
    let password = body.password.unwrap_or_default();
    if password.len() > PASSWORD_BYTES_MAX || !verify_password(password, hash).await? {
        return Ok(false);
    }
    guess.mark_correct().await;
    Ok(true)
}

/// Builds the 400 response for a wrong password. Not 401, because the session stays valid.
pub(super) fn wrong_password_problem() -> Problem {
    Problem::bad_request("wrong-password", "Invalid credentials")
}

/// Reads the password hash of the signed-in account.
async fn password_hash(state: &State, holder: SessionHolder) -> Result<Option<String>, Problem> {
    let email = match holder {
        SessionHolder::Club(club) => state.records.club(club).await?.map(|club| club.email),
        SessionHolder::Member(member) => state
            .records
            .club_user(member.id)
            .await?
            .map(|member| member.email),
        SessionHolder::Admin(admin) => state.records.admin(admin).await?.map(|admin| admin.email),
    };
    let email = email.ok_or_else(Problem::unauthenticated)?;
    let known = state
        .records
        .credentials(&email)
        .await?
        .filter(|(found, _)| *found == holder);
    Ok(known.map(|(_, hash)| hash))
}

/// Deletes the session and the cookie. Always 204 (decision B-2).
pub async fn logout(
    request: HttpRequest,
    state: web::Data<State>,
) -> Result<HttpResponse, Problem> {
    let removal = sign_out(&request, &state).await?;
    Ok(HttpResponse::NoContent().cookie(removal).finish())
}

/// Handles `GET /api/admin/whoami`.
pub async fn whoami(state: web::Data<State>, caller: Caller) -> Result<HttpResponse, Problem> {
    let session = caller.session.ok_or_else(Problem::unauthenticated)?;
    Ok(HttpResponse::Ok().json(describe_session(&state, session).await?))
}

/// Builds the description of a signed-in session, also of an operator's session that still lacks
/// the second factor.
pub(in crate::http::routes) async fn describe_session(
    state: &State,
    session: Session,
) -> Result<Whoami, Problem> {
    let mut user = signed_in_user(state, session.holder).await?;
    let second_factor =
        second_factor_state(state, session.holder, session.proven_at.is_some()).await?;
    user.second_factor = second_factor;
    let role = if user.is_admin {
        "super-admin"
    } else {
        "club-admin"
    };
    let fresh = session
        .proven_at
        .map(|at| at.plus_ms(IDENTITY_PROOF_LIFETIME_MS))
        .filter(|until| *until > state.clock.now());
    Ok(Whoami {
        role,
        club_slug: user.club_slug.clone(),
        user,
        second_factor,
        reauthenticated_until: fresh.map(rfc3339),
        session_ends_at: rfc3339(session.ends_at),
    })
}

/// Builds the API object of the signed-in user. For users of a club the `id` is the club's id
/// (decision G-17).
pub(super) async fn signed_in_user(state: &State, holder: SessionHolder) -> Result<User, Problem> {
    match holder {
        SessionHolder::Admin(id) => {
            let admin = state
                .records
                .admin(id)
                .await?
                .ok_or_else(Problem::unauthenticated)?;
            Ok(User {
                id,
                email: admin.email,
                name: admin.name,
                is_admin: true,
                club_slug: None,
                role: None,
                member_name: None,
                member_email: None,
                email_verified: true,
                archived: false,
                second_factor: None,
            })
        }
        SessionHolder::Club(club) => club_user(state, club, None).await,
        SessionHolder::Member(member) => {
            let found = state
                .records
                .club_user(member.id)
                .await?
                .ok_or_else(Problem::unauthenticated)?;
            club_user(state, member.club, Some(found)).await
        }
    }
}

async fn club_user(state: &State, id: ClubId, member: Option<ClubUser>) -> Result<User, Problem> {
    let club = state
        .records
        .club(id)
        .await?
        .ok_or_else(Problem::unauthenticated)?;
    let role = member.as_ref().map_or(Role::Owner, |member| member.role);
    let (member_name, member_email) = member.map(|member| (member.name, member.email)).unzip();
    Ok(User {
        id: id.0,
        email: club.email,
        name: club.name,
        is_admin: false,
        club_slug: Some(club.slug),
        role: Some(role.name()),
        member_name,
        member_email,
        email_verified: club.email_verified,
        archived: club.archived,
        second_factor: None,
    })
}
