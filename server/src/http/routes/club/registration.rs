//! Registration of a club while the platform allows it, else the waitlist (decisions I-6, H-1).

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use domain::club::slug_from_name;
use persistence::Failure;
use persistence::records::clubs::{Club, NewClub};
use persistence::records::sessions::SessionHolder;
use serde::Deserialize;
use serde_json::json;

use super::session::signed_in_user;
use super::verification;
use crate::access::caller::{SessionChoice, sign_in};
use crate::api::error::Problem;
use crate::api::form::{FormErrors, trimmed, trimmed_or_none};
use crate::api::registration::{RegistrationSwitch, SlugPreview, WaitlistJoined};
use crate::api::session::{Registration, WaitlistForm};
use crate::http::routes::body::Body;
use crate::services::identity::client_address;
use crate::services::identity::password::{
    PASSWORD_BYTES_MAX, PASSWORD_CHARS_MIN, hash_on_blocking_thread,
};
use crate::services::identity::password_strength::{EASY_PASSWORD_MESSAGE, is_easy_to_guess};
use crate::state::State;
use crate::text::contact_format::{is_email, is_phone};

/// Maximum number of slugs that are tried to find a free one.
const SLUG_TRIES_MAX: u32 = 1000;
const DAY_MS: i64 = 86_400_000;

/// Responds with whether clubs may register themselves. True unless the operator switched
/// registration off.
pub async fn show_registration_status(state: web::Data<State>) -> HttpResponse {
    HttpResponse::Ok().json(RegistrationSwitch {
        enabled: state.catalogue.facts().registration_is_open(),
    })
}

/// Handles `POST /api/clubs/register`.
pub async fn register(
    request: HttpRequest,
    state: web::Data<State>,
    body: Body<Registration>,
) -> Result<HttpResponse, Problem> {
    if !state.catalogue.facts().registration_is_open() {
        let closed = "Club registration is not open at the moment.";
        return Err(Problem::new(
            StatusCode::FORBIDDEN,
            "registration-off",
            closed,
        ));
    }
    check_registration(&body.0)?;
    state
        .limits
        .check_form_limit(
            &state.records,
            client_address(&request, &state.config),
            state.clock.now(),
        )
        .await?;
    let email = trimmed(body.0.email.as_deref());
    let name = trimmed(body.0.name.as_deref());
    check_password_strength(&body.0, &name, &email).await?;
    let guess = state
        .limits
        .begin_registration(client_address(&request, &state.config))?;
    let guess = guess
        .count_on_all_nodes(&state.records, state.clock.now())
        .await?;
    // Remove an earlier club with this e-mail address that was never confirmed, so that it does not
    // block the real owner of the address.
    if state.records.remove_unconfirmed_club(&email).await? {
        state.catalogue.reload().await?;
    }
    if email_is_used(&state, &email).await? {
        return Err(refuse_taken_email(&state, &email).await?);
    }
    let new = NewClub {
        name,
        password_hash: hash_on_blocking_thread(body.0.password.clone().unwrap_or_default()).await?,
        location: trimmed_or_none(body.0.location.as_deref()),
        phone: trimmed_or_none(body.0.phone.as_deref()),
        email,
        ..NewClub::default()
    };
    let club = create_with_free_slug(&state, new).await?;
    guess.mark_correct().await;
    state.catalogue.reload().await?;
    verification::send_link(&state, &club).await?;
    let holder = SessionHolder::Club(club.id);
    let cookie = sign_in(&request, &state, holder, false, SessionChoice::Standard).await?;
    Ok(HttpResponse::Created()
        .cookie(cookie)
        .json(signed_in_user(&state, holder).await?))
}

fn check_registration(form: &Registration) -> Result<(), Problem> {
    let (name, phone) = (
        trimmed(form.name.as_deref()),
        trimmed(form.phone.as_deref()),
    );
    let password = form.password.as_deref().unwrap_or_default();
    let mut findings = FormErrors::default();
    findings.require("name", !name.is_empty(), "Club name is required");
    findings.require_short_name("name", &name);
    findings.require(
        "email",
        is_email(&trimmed(form.email.as_deref())),
        "Valid email is required",
    );
    findings.require("phone", !phone.is_empty(), "Phone is required");
    findings.require("phone", is_phone(&phone), "Phone must be a phone number");
    let long_enough = password.chars().count() >= PASSWORD_CHARS_MIN;
    findings.require(
        "password",
        long_enough,
        "Password must be at least 8 characters",
    );
    findings.require(
        "password",
        password.len() <= PASSWORD_BYTES_MAX,
        "Password must be at most 128 characters",
    );
    findings.require_short_name("location", &trimmed(form.location.as_deref()));
    findings.into_result()
}

async fn check_password_strength(
    form: &Registration,
    name: &str,
    email: &str,
) -> Result<(), Problem> {
    let about = [name, &slug_from_name(name), email]
        .map(str::to_string)
        .to_vec();
    let mut findings = FormErrors::default();
    findings.require(
        "password",
        !is_easy_to_guess(form.password.clone().unwrap_or_default(), about).await?,
        EASY_PASSWORD_MESSAGE,
    );
    findings.into_result()
}

/// Whether any account uses this e-mail address. Clubs, their users and operators share one login
/// form, so addresses are unique over all (decisions B-3, G-17).
async fn email_is_used(state: &State, email: &str) -> Result<bool, Problem> {
    Ok(state.records.is_email_taken(email).await?)
}

/// Builds the refusal of an e-mail address that has an account already. Also mails the account's
/// owner, at most once a day; the mail contains nothing from the form.
///
/// # Errors
/// The mail could not be queued.
async fn refuse_taken_email(state: &State, email: &str) -> Result<Problem, Problem> {
    let email = email.to_lowercase();
    let key = format!(
        "registration-refused-{email}-{}",
        state.clock.now().0 / DAY_MS
    );
    state
        .outbox
        .queue_mail_now(&key, "registration-refused", None, &email, "{}")
        .await?;
    Ok(Problem::conflict(
        "email-taken",
        "This email already has an account. Log in, or reset your password.",
    ))
}

/// Creates the club with the first free slug of its name: `name`, `name-2`, `name-3` and so on
/// (decision H-1).
///
/// The database's unique constraint decides whether a slug is free, so two clubs with one name can
/// register at the same time.
async fn create_with_free_slug(state: &State, mut new: NewClub) -> Result<Club, Problem> {
    let start = slug_from_name(&new.name);
    for number in 1..=SLUG_TRIES_MAX {
        new.slug = numbered_slug(&start, number);
        if state.catalogue.facts().club_by_slug(&new.slug).is_some() {
            continue;
        }
        match state.records.create_club(&new).await {
            Ok(club) => return Ok(club),
            Err(Failure::NotWritten(_)) if email_is_used(state, &new.email).await? => {
                return Err(refuse_taken_email(state, &new.email).await?);
            }
            Err(Failure::NotWritten(_)) => state.catalogue.reload().await?,
            Err(failure) => return Err(failure.into()),
        }
    }
    Err(Problem::unavailable())
}

fn numbered_slug(start: &str, number: u32) -> String {
    match number {
        1 => start.to_string(),
        _ => format!("{start}-{number}"),
    }
}

/// Query parameters of the slug preview.
#[derive(Default, Deserialize)]
#[serde(default)]
pub struct SlugPreviewQuery {
    name: String,
}

/// Responds with the slug that a club with this name would get now, as a preview in the form.
pub async fn preview_slug(
    state: web::Data<State>,
    query: web::Query<SlugPreviewQuery>,
) -> HttpResponse {
    let start = slug_from_name(&query.name);
    let facts = state.catalogue.facts();
    let mut slugs = (1..=SLUG_TRIES_MAX).map(|number| numbered_slug(&start, number));
    let free = slugs
        .find(|slug| facts.club_by_slug(slug).is_none())
        .unwrap_or(start);
    HttpResponse::Ok().json(SlugPreview { slug: free })
}

/// Adds a club to the waitlist and confirms it by mail.
pub async fn join_waitlist(
    request: HttpRequest,
    state: web::Data<State>,
    body: Body<WaitlistForm>,
) -> Result<HttpResponse, Problem> {
    let club = trimmed(body.0.club_name.as_deref());
    let name = trimmed(body.0.contact_name.as_deref());
    let email = trimmed(body.0.contact_email.as_deref());
    let phone = trimmed(body.0.contact_phone.as_deref());
    let mut findings = FormErrors::default();
    findings.require("clubName", !club.is_empty(), "Club name is required");
    findings.require_short_name("clubName", &club);
    findings.require("contactName", !name.is_empty(), "Contact name is required");
    findings.require_short_name("contactName", &name);
    findings.require("contactEmail", is_email(&email), "Valid email is required");
    findings.require(
        "contactPhone",
        !phone.is_empty(),
        "Contact phone is required",
    );
    findings.require(
        "contactPhone",
        is_phone(&phone),
        "Contact phone must be a phone number",
    );
    findings.into_result()?;
    state
        .limits
        .check_form_limit(
            &state.records,
            client_address(&request, &state.config),
            state.clock.now(),
        )
        .await?;
    let id = state
        .records
        .join_waitlist(&club, &name, &email, &phone)
        .await?;
    // The mail contains nothing from the form, because the e-mail address may belong to another
    // person.
    let data = json!({}).to_string();
    let key = format!("waitlist-{}", email.to_lowercase());
    state
        .outbox
        .queue_mail_now(&key, "waitlist", None, &email, &data)
        .await?;
    Ok(HttpResponse::Created().json(WaitlistJoined { success: true, id }))
}
