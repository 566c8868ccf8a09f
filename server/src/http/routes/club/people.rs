//! The users of a club. Owners invite them, change their role and remove them (decision G-17).

use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use domain::ClubId;
use domain::access::Role;
use persistence::link_secrets::LinkKind;
use persistence::records::club_users::{CLUB_MEMBERS_MAX, InvitationOutcome, NewClubUser};
use persistence::records::sessions::SessionHolder;
use serde_json::json;

use super::own_club_id;
use crate::access::caller::Caller;
use crate::api::club_users::{ClubUser, ClubUserForm};
use crate::api::error::Problem;
use crate::api::form::{FormErrors, trimmed};
use crate::http::routes::body::Body;
use crate::render::mail_sender::sealed_link;
use crate::services::identity::{link_hash, random};
use crate::state::State;
use crate::text::contact_format::is_email;

/// How long an invitation is valid: 72 hours, so that it survives a weekend.
const INVITATION_LIFETIME_SECONDS: i64 = 72 * 3600;
/// User id in the API that stands for the club's own login instead of a user.
const CLUB_LOGIN_USER_ID: i64 = 0;

/// Handles `GET /api/clubs/{club}/users`.
pub async fn list(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let club = own_club_id(caller, &path)?;
    let login = state
        .records
        .club(club)
        .await?
        .ok_or_else(Problem::not_found)?;
    let mut people = vec![ClubUser::from_club_login(
        &login,
        state.records.club_login_last_used(club).await?,
    )];
    let now = state.clock.now();
    people.extend(
        state
            .records
            .club_users(club)
            .await?
            .iter()
            .map(|row| ClubUser::from_record(row, now)),
    );
    Ok(HttpResponse::Ok().json(people))
}

/// Mails an invitation link with which the user chooses a password. Inviting again mails a new link
/// and invalidates the old one.
///
/// # Errors
/// 403 `email-unconfirmed`: the club's own e-mail address is not confirmed. 409 `email-in-use`,
/// without saying who uses the e-mail address. 409 `too-many-people`. 429.
pub async fn invite(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
    body: Body<ClubUserForm>,
) -> Result<HttpResponse, Problem> {
    let club = own_club_id(caller, &path)?;
    let (email, name, role) = check_user_form(&body.0)?;
    // For a user of this club who has joined already, no mail is sent and no rate limit is used up.
    let joined = state
        .records
        .club_users(club)
        .await?
        .into_iter()
        .find(|user| is_same_email(&user.email, &email));
    if let Some(user) = joined.filter(|user| user.joined_at.is_some()) {
        return Ok(HttpResponse::Ok().json(ClubUser::from_record(&user, state.clock.now())));
    }
    let login = state
        .records
        .club(club)
        .await?
        .ok_or_else(Problem::not_found)?;
    if !login.email_verified {
        return Err(Problem::new(
            StatusCode::FORBIDDEN,
            "email-unconfirmed",
            EMAIL_UNCONFIRMED_ERROR,
        ));
    }
    let at = state.clock.now();
    if !state.limits.may_invite(club.0)
        || !state
            .limits
            .may_mail_account_link(&state.records, &email, at)
            .await?
    {
        return Err(Problem::new(
            StatusCode::TOO_MANY_REQUESTS,
            "too-many-requests",
            TOO_MANY_INVITATIONS_ERROR,
        )
        .retry_after(3600));
    }
    let guess = state
        .limits
        .begin_invitation(club)?
        .count_on_all_nodes(&state.records, at)
        .await?;
    let token: [u8; 32] = random();
    let hash = link_hash(&token);
    let until = at.plus_seconds(INVITATION_LIFETIME_SECONDS);
    let new = NewClubUser {
        club,
        email,
        name,
        role,
        token_hash: hash,
        at,
        until,
    };
    let (actor, detail) = (
        caller.audit_name(),
        json!({ "email": new.email, "role": role.name() }),
    );
    let act = caller.audit_action(&actor, Some(club), "invite-club-user", "club-user:");
    let user = match state
        .records
        .with_audit_entry(act.entry(detail))
        .invite_club_user(&new)
        .await?
    {
        InvitationOutcome::New(user) | InvitationOutcome::Again(user) => user,
        InvitationOutcome::Joined(user) => {
            guess.mark_correct().await;
            return Ok(HttpResponse::Ok().json(ClubUser::from_record(&user, at)));
        }
        InvitationOutcome::Taken => {
            return Err(Problem::conflict("email-in-use", EMAIL_IN_USE_ERROR));
        }
        InvitationOutcome::TooMany => {
            guess.mark_correct().await;
            let message =
                format!("A club has at most {CLUB_MEMBERS_MAX} people. Remove somebody first.");
            return Err(Problem::conflict("too-many-people", message));
        }
    };
    guess.mark_correct().await;
    let link = format!(
        "{}/reset-password?invited=1&token={}",
        state.config.public_url,
        hex::encode(token)
    );
    let sealed = sealed_link(&state.records, &user.email, &link);
    let data = json!({ "name": user.name, "club": club.0, "role": user.role.name(), "sealedLink": sealed }).to_string();
    let key = format!("invite-{}", state.records.link_id(LinkKind::Account, &hash));
    state
        .outbox
        .queue_mail_now(&key, "invitation", None, &user.email, &data)
        .await?;
    Ok(HttpResponse::Ok().json(ClubUser::from_record(&user, at)))
}

const EMAIL_UNCONFIRMED_ERROR: &str =
    "Confirm your club's e-mail address first: we have sent you a link.";
const EMAIL_IN_USE_ERROR: &str =
    "This e-mail address is already used to sign in. Please use another one.";
const TOO_MANY_INVITATIONS_ERROR: &str = "Too many invitations. Please wait an hour and try again.";
const ROLE_ERROR: &str = "Choose owner, seller or viewer";
const NAME_ERROR: &str = "Name is required";

fn check_user_form(form: &ClubUserForm) -> Result<(String, String, Role), Problem> {
    let (email, name, role) = (
        trimmed(form.email.as_deref()),
        trimmed(form.name.as_deref()),
        Role::from_name(&trimmed(form.role.as_deref())),
    );
    let mut findings = FormErrors::default();
    findings.require("email", is_email(&email), "Valid email is required");
    findings.require("name", is_valid_name(&name), NAME_ERROR);
    findings.require_short_name("name", &name);
    findings.require("role", role.is_some(), ROLE_ERROR);
    findings.into_result()?;
    Ok((email, name, role.unwrap_or(Role::Viewer)))
}

/// Whether a user's name is valid: not empty and without control characters, because the name
/// appears in mails.
fn is_valid_name(name: &str) -> bool {
    !name.is_empty() && !name.contains(char::is_control)
}

fn is_same_email(one: &str, other: &str) -> bool {
    one.to_lowercase() == other.to_lowercase()
}

/// Changes a user's name or role. A changed role ends the user's sessions.
///
/// # Errors
/// 409 `club-login` or `own-account`.
pub async fn change(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<(String, i64)>,
    body: Body<ClubUserForm>,
) -> Result<HttpResponse, Problem> {
    let (club, id) = parse_member_path(caller, path.into_inner())?;
    let name = body.0.name.as_ref().map(|name| name.trim());
    let role = body
        .0
        .role
        .as_deref()
        .map(|word| Role::from_name(word.trim()));
    let mut findings = FormErrors::default();
    findings.require("name", name.is_none_or(is_valid_name), NAME_ERROR);
    findings.require_short_name("name", name.unwrap_or_default());
    findings.require("role", role != Some(None), ROLE_ERROR);
    findings.into_result()?;
    let role = role.flatten();
    let before = state
        .records
        .club_user(id)
        .await?
        .filter(|user| user.club == club)
        .ok_or_else(Problem::not_found)?;
    if role.is_some_and(|role| role != before.role) {
        refuse_own_account(caller, id)?;
    }
    let detail = json!({ "role": role.unwrap_or(before.role).name(), "was": before.role.name() });
    let (actor, object) = (caller.audit_name(), format!("club-user:{id}"));
    let act = caller.audit_action(&actor, Some(club), "change-club-user", &object);
    let changed = state
        .records
        .with_audit_entry(act.entry(detail))
        .change_club_user(club, id, name, role)
        .await?;
    let changed = changed.ok_or_else(Problem::not_found)?;
    Ok(HttpResponse::Ok().json(ClubUser::from_record(&changed, state.clock.now())))
}

/// Removes a user at once: ends every session and invalidates every link.
///
/// # Errors
/// 409 `club-login` or `own-account`.
pub async fn remove(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<(String, i64)>,
) -> Result<HttpResponse, Problem> {
    let (club, id) = parse_member_path(caller, path.into_inner())?;
    refuse_own_account(caller, id)?;
    let (actor, object) = (caller.audit_name(), format!("club-user:{id}"));
    let act = caller.audit_action(&actor, Some(club), "remove-club-user", &object);
    let records = state.records.with_audit_entry(act.entry(json!({})));
    if !records
        .remove_club_user(club, id, state.clock.now())
        .await?
    {
        return Err(Problem::not_found());
    }
    Ok(HttpResponse::NoContent().finish())
}

fn parse_member_path(caller: Caller, (club, id): (String, i64)) -> Result<(ClubId, i64), Problem> {
    let club = own_club_id(caller, &club)?;
    if id == CLUB_LOGIN_USER_ID {
        let message =
            "The club's own login stays an owner. Its password can be reset on the login page.";
        return Err(Problem::conflict("club-login", message));
    }
    Ok((club, id))
}

/// Refuses a change of the caller's own account: owners cannot remove or demote themselves.
fn refuse_own_account(caller: Caller, id: i64) -> Result<(), Problem> {
    match caller.holder() {
        Some(SessionHolder::Member(member)) if member.id == id => Err(Problem::conflict(
            "own-account",
            "Another owner of the club has to do this for you.",
        )),
        _ => Ok(()),
    }
}
