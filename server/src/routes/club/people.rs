//! A club's people: its owners ask them in, give them a role, and show them out (decision G-17).

use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use domain::ClubId;
use domain::access::Role;
use persistence::records::club_users::{Invited, NewClubUser, PEOPLE_MAX};
use persistence::records::sessions::Holder;
use serde_json::json;

use crate::error::Problem;
use crate::form::{Findings, is_email, trimmed};
use crate::identity::{Caller, link_hash, random};
use crate::post::sealed_link;
use crate::routes::body::Body;
use crate::state::State;
use crate::wire::people::{ClubUser, ClubUserForm};

/// An invitation may wait for the weekend to be over.
const INVITATION_SECONDS: i64 = 72 * 3600;
/// What stands in the place of an id for the club's own login.
const CLUB_LOGIN: i64 = 0;

pub async fn list(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let club = own(caller, &path)?;
    let login = state
        .records
        .club(club)
        .await?
        .ok_or_else(Problem::not_found)?;
    let mut people = vec![ClubUser::of_login(
        &login,
        state.records.club_login_seen(club).await?,
    )];
    let now = state.clock.now();
    people.extend(
        state
            .records
            .club_users(club)
            .await?
            .iter()
            .map(|row| ClubUser::of(row, now)),
    );
    Ok(HttpResponse::Ok().json(people))
}

/// Mails a link by which the person chooses a password; asking again mails another, and the one before opens nothing more.
///
/// # Errors
/// 409 `email-in-use`: whose it is, is not told. 409 `too-many-people`, 429.
pub async fn invite(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
    body: Body<ClubUserForm>,
) -> Result<HttpResponse, Problem> {
    let club = own(caller, &path)?;
    let (email, name, role) = check(&body.0)?;
    // Who has joined needs no mail, and is no guess at an address.
    let joined = state
        .records
        .club_users(club)
        .await?
        .into_iter()
        .find(|user| same(&user.email, &email));
    if let Some(user) = joined.filter(|user| user.joined_at.is_some()) {
        return Ok(HttpResponse::Ok().json(ClubUser::of(&user, state.clock.now())));
    }
    let at = state.clock.now();
    if !state.limits.may_invite(club.0)
        || !state.limits.may_mail(&state.records, &email, at).await?
    {
        return Err(Problem::new(
            StatusCode::TOO_MANY_REQUESTS,
            "too-many-requests",
            TOO_OFTEN,
        )
        .retry_after(3600));
    }
    let token: [u8; 32] = random();
    let hash = link_hash(&token);
    let until = at.plus_seconds(INVITATION_SECONDS);
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
        caller.name(),
        json!({ "email": new.email, "role": role.word() }),
    );
    let act = caller.act(&actor, Some(club), "invite-club-user", "club-user:");
    let user = match state
        .records
        .by(act.entry(detail))
        .invite_club_user(&new)
        .await?
    {
        Invited::New(user) | Invited::Again(user) => user,
        Invited::Joined(user) => return Ok(HttpResponse::Ok().json(ClubUser::of(&user, at))),
        Invited::Taken => return Err(Problem::conflict("email-in-use", IN_USE)),
        Invited::TooMany => {
            let words = format!("A club has at most {PEOPLE_MAX} people. Remove somebody first.");
            return Err(Problem::conflict("too-many-people", words));
        }
    };
    let link = format!(
        "{}/reset-password?invited=1&token={}",
        state.config.public_url,
        hex::encode(token)
    );
    let sealed = sealed_link(&state.records, &user.email, &link);
    let data = json!({ "name": user.name, "club": club.0, "role": user.role.word(), "sealedLink": sealed }).to_string();
    let key = format!("invite-{}", hex::encode(&hash[..8]));
    state
        .outbox
        .queue(&key, "invitation", None, &user.email, &data)
        .await?;
    Ok(HttpResponse::Ok().json(ClubUser::of(&user, at)))
}

const IN_USE: &str = "This e-mail address is already used to sign in. Please use another one.";
const TOO_OFTEN: &str = "Too many invitations. Please wait an hour and try again.";
const ROLE: &str = "Choose owner, seller or viewer";
const NAME: &str = "Name is required";

fn check(form: &ClubUserForm) -> Result<(String, String, Role), Problem> {
    let (email, name, role) = (
        trimmed(&form.email),
        trimmed(&form.name),
        Role::read(&trimmed(&form.role)),
    );
    let mut findings = Findings::default();
    findings.need("email", is_email(&email), "Valid email is required");
    findings.need("name", fits(&name), NAME);
    findings.need_short("name", &name);
    findings.need("role", role.is_some(), ROLE);
    findings.finish()?;
    Ok((email, name, role.unwrap_or(Role::Viewer)))
}

/// It stands in mails.
fn fits(name: &str) -> bool {
    !name.is_empty() && !name.contains(char::is_control)
}

fn same(one: &str, other: &str) -> bool {
    one.to_lowercase() == other.to_lowercase()
}

/// Another name or role. Whoever's role changes signs in again.
///
/// # Errors
/// 409 `club-login`, `own-account`.
pub async fn change(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<(String, i64)>,
    body: Body<ClubUserForm>,
) -> Result<HttpResponse, Problem> {
    let (club, id) = member(caller, path.into_inner())?;
    let name = body.0.name.as_ref().map(|name| name.trim());
    let role = body.0.role.as_deref().map(|word| Role::read(word.trim()));
    let mut findings = Findings::default();
    findings.need("name", name.is_none_or(fits), NAME);
    findings.need_short("name", name.unwrap_or_default());
    findings.need("role", role != Some(None), ROLE);
    findings.finish()?;
    let role = role.flatten();
    let before = state
        .records
        .club_user(id)
        .await?
        .filter(|user| user.club == club)
        .ok_or_else(Problem::not_found)?;
    if role.is_some_and(|role| role != before.role) {
        must_not_be(caller, id)?;
    }
    let detail = json!({ "role": role.unwrap_or(before.role).word(), "was": before.role.word() });
    let (actor, object) = (caller.name(), format!("club-user:{id}"));
    let act = caller.act(&actor, Some(club), "change-club-user", &object);
    let changed = state
        .records
        .by(act.entry(detail))
        .change_club_user(club, id, name, role)
        .await?;
    let changed = changed.ok_or_else(Problem::not_found)?;
    Ok(HttpResponse::Ok().json(ClubUser::of(&changed, state.clock.now())))
}

/// The person is out at once: every session ends, and no link opens.
///
/// # Errors
/// 409 `club-login`, `own-account`.
pub async fn remove(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<(String, i64)>,
) -> Result<HttpResponse, Problem> {
    let (club, id) = member(caller, path.into_inner())?;
    must_not_be(caller, id)?;
    let (actor, object) = (caller.name(), format!("club-user:{id}"));
    let act = caller.act(&actor, Some(club), "remove-club-user", &object);
    let records = state.records.by(act.entry(json!({})));
    if !records
        .remove_club_user(club, id, state.clock.now())
        .await?
    {
        return Err(Problem::not_found());
    }
    Ok(HttpResponse::NoContent().finish())
}

fn own(caller: Caller, club: &str) -> Result<ClubId, Problem> {
    let club = club.parse().map(ClubId).map_err(|_| Problem::not_found())?;
    caller.must_own(club)?;
    Ok(club)
}

fn member(caller: Caller, (club, id): (String, i64)) -> Result<(ClubId, i64), Problem> {
    let club = own(caller, &club)?;
    if id == CLUB_LOGIN {
        let words =
            "The club's own login stays an owner. Its password can be reset on the login page.";
        return Err(Problem::conflict("club-login", words));
    }
    Ok((club, id))
}

/// Nobody saws at their own branch: another owner does it.
fn must_not_be(caller: Caller, id: i64) -> Result<(), Problem> {
    match caller.holder() {
        Some(Holder::Member(member)) if member.id == id => Err(Problem::conflict(
            "own-account",
            "Another owner of the club has to do this for you.",
        )),
        _ => Ok(()),
    }
}
