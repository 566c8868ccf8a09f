//! Signing in and out: one door for clubs, their people and operators (decisions B-3, G-17).

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use domain::ClubId;
use domain::access::Role;
use persistence::records::club_users::ClubUser;
use persistence::records::sessions::{Holder, Session};

use crate::error::Problem;
use crate::identity::password::{PASSWORD_BYTES_MAX, verify};
use crate::identity::second_factor::FRESH_MS;
use crate::identity::{Caller, address, sign_in, sign_out};
use crate::routes::body::Body;
use crate::state::State;
use crate::wire::instant::rfc3339;
use crate::wire::session::{Login, User, Whoami};

pub async fn login(
    request: HttpRequest,
    state: web::Data<State>,
    body: Body<Login>,
) -> Result<HttpResponse, Problem> {
    let Body(Login { email, password }) = body;
    let from = address(&request, &state.config);
    let guess = state
        .limits
        .sign_in(&email, from)?
        .on_all_nodes(&state.records, state.clock.now())
        .await?;
    if password.is_empty() || password.len() > PASSWORD_BYTES_MAX {
        return Err(wrong());
    }
    let (holder, hash) = state.records.credentials(&email).await?.unzip();
    // In the log an account goes by its number, never by its address.
    let (account, address) = (holder.map(Holder::name), from.to_string());
    // Somebody unknown takes as long and reads the same.
    if !verify(password, hash).await? {
        tracing::warn!(account, address, "a sign-in was refused");
        return Err(wrong());
    }
    tracing::info!(account, address, "somebody signed in");
    let holder = holder.ok_or_else(wrong)?;
    guess.was_right().await;
    let cookie = sign_in(&request, &state, holder, false).await?;
    let mut user = user(&state, holder).await?;
    user.second_factor = second_factor(&state, holder, false).await?;
    Ok(HttpResponse::Ok().cookie(cookie).json(user))
}

/// How far an operator has come: `enrol`, `required`, `done`. A club has none.
async fn second_factor(
    state: &State,
    holder: Holder,
    proven: bool,
) -> Result<Option<&'static str>, Problem> {
    let Holder::Admin(id) = holder else {
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

fn wrong() -> Problem {
    Problem::new(
        StatusCode::UNAUTHORIZED,
        "invalid-credentials",
        "Invalid credentials",
    )
}

/// Deletes the session and the cookie; 204 whoever asks (decision B-2).
pub async fn logout(
    request: HttpRequest,
    state: web::Data<State>,
) -> Result<HttpResponse, Problem> {
    let removal = sign_out(&request, &state).await?;
    Ok(HttpResponse::NoContent().cookie(removal).finish())
}

pub async fn whoami(state: web::Data<State>, caller: Caller) -> Result<HttpResponse, Problem> {
    let session = caller.session.ok_or_else(Problem::unauthenticated)?;
    Ok(HttpResponse::Ok().json(describe(&state, session).await?))
}

/// Who a session is, half or whole.
pub(in crate::routes) async fn describe(
    state: &State,
    session: Session,
) -> Result<Whoami, Problem> {
    let mut user = user(state, session.holder).await?;
    let second_factor = second_factor(state, session.holder, session.proven_at.is_some()).await?;
    user.second_factor = second_factor;
    let role = if user.is_admin {
        "super-admin"
    } else {
        "club-admin"
    };
    let fresh = session
        .proven_at
        .map(|at| at.plus_ms(FRESH_MS))
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

/// For a club, and each of its people, the id is the club's (decision G-17).
pub(super) async fn user(state: &State, holder: Holder) -> Result<User, Problem> {
    match holder {
        Holder::Admin(id) => {
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
        Holder::Club(club) => of_club(state, club, None).await,
        Holder::Member(member) => {
            let found = state
                .records
                .club_user(member.id)
                .await?
                .ok_or_else(Problem::unauthenticated)?;
            of_club(state, member.club, Some(found)).await
        }
    }
}

async fn of_club(state: &State, id: ClubId, member: Option<ClubUser>) -> Result<User, Problem> {
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
        role: Some(role.word()),
        member_name,
        member_email,
        email_verified: club.email_verified,
        archived: club.archived,
        second_factor: None,
    })
}
