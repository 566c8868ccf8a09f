//! A club joins: by itself while the platform's switch is on, else by asking to be told (decisions I-6, H-1).

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use domain::club::slug_from_name;
use persistence::Failure;
use persistence::records::clubs::{Club, NewClub};
use persistence::records::sessions::Holder;
use serde::Deserialize;
use serde_json::json;

use super::session::user;
use super::verification;
use crate::error::Problem;
use crate::form::{Findings, is_email, is_phone, optional, trimmed};
use crate::identity::password::{PASSWORD_BYTES_MAX, PASSWORD_CHARS_MIN, hashed};
use crate::identity::weakness::{EASY, is_easy};
use crate::identity::{address, sign_in};
use crate::routes::body::Body;
use crate::state::State;
use crate::wire::joining::{RegistrationSwitch, SlugPreview, Waitlisted};
use crate::wire::session::{Registration, Waiting};

/// Slugs tried until a free one is found.
const SLUG_TRIES_MAX: u32 = 1000;

/// Whether clubs may register by themselves: yes when nothing is said (B:188).
pub async fn switch(state: web::Data<State>) -> HttpResponse {
    HttpResponse::Ok().json(RegistrationSwitch {
        enabled: state.catalogue.facts().registration_is_open(),
    })
}

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
    check(&body.0)?;
    state
        .limits
        .fills_form(
            &state.records,
            address(&request, &state.config),
            state.clock.now(),
        )
        .await?;
    let email = trimmed(&body.0.email);
    if is_known(&state, &email).await? {
        return Err(taken());
    }
    let name = trimmed(&body.0.name);
    must_be_hard_to_guess(&body.0, &name, &email).await?;
    let new = NewClub {
        name,
        password_hash: hashed(body.0.password.clone().unwrap_or_default()).await?,
        location: optional(&body.0.location),
        phone: optional(&body.0.phone),
        email,
        ..NewClub::default()
    };
    let club = create(&state, new).await?;
    state.catalogue.reload().await?;
    verification::send(&state, &club).await?;
    let holder = Holder::Club(club.id);
    let cookie = sign_in(&request, &state, holder, false).await?;
    Ok(HttpResponse::Created()
        .cookie(cookie)
        .json(user(&state, holder).await?))
}

fn check(form: &Registration) -> Result<(), Problem> {
    let (name, phone) = (trimmed(&form.name), trimmed(&form.phone));
    let password = form.password.as_deref().unwrap_or_default();
    let mut findings = Findings::default();
    findings.need("name", !name.is_empty(), "Club name is required");
    findings.need_short("name", &name);
    findings.need(
        "email",
        is_email(&trimmed(&form.email)),
        "Valid email is required",
    );
    findings.need("phone", !phone.is_empty(), "Phone is required");
    findings.need("phone", is_phone(&phone), "Phone must be a phone number");
    let long_enough = password.chars().count() >= PASSWORD_CHARS_MIN;
    findings.need(
        "password",
        long_enough,
        "Password must be at least 8 characters",
    );
    findings.need(
        "password",
        password.len() <= PASSWORD_BYTES_MAX,
        "Password must be at most 128 characters",
    );
    findings.need_short("location", &trimmed(&form.location));
    findings.finish()
}

async fn must_be_hard_to_guess(
    form: &Registration,
    name: &str,
    email: &str,
) -> Result<(), Problem> {
    let about = [name, &slug_from_name(name), email]
        .map(str::to_string)
        .to_vec();
    let mut findings = Findings::default();
    findings.need(
        "password",
        !is_easy(form.password.clone().unwrap_or_default(), about).await?,
        EASY,
    );
    findings.finish()
}

/// An operator's address, or that of another club's member, cannot be a club's: one door serves all (decisions B-3, G-17).
async fn is_known(state: &State, email: &str) -> Result<bool, Problem> {
    Ok(state.records.address_is_taken(email).await?)
}

fn taken() -> Problem {
    Problem::conflict(
        "email-taken",
        "This email already has an account. Log in, or reset your password.",
    )
}

/// Under the first free slug its name gives: `name`, `name-2`, `name-3` … (decision H-1). The database has the last word, so
/// that two clubs of one name that register at once both get one.
async fn create(state: &State, mut new: NewClub) -> Result<Club, Problem> {
    let start = slug_from_name(&new.name);
    for number in 1..=SLUG_TRIES_MAX {
        new.slug = numbered(&start, number);
        if state.catalogue.facts().club_by_slug(&new.slug).is_some() {
            continue;
        }
        match state.records.create_club(&new).await {
            Ok(club) => return Ok(club),
            Err(Failure::NotWritten(_)) if is_known(state, &new.email).await? => {
                return Err(taken());
            }
            Err(Failure::NotWritten(_)) => state.catalogue.reload().await?,
            Err(failure) => return Err(failure.into()),
        }
    }
    Err(Problem::unavailable())
}

fn numbered(start: &str, number: u32) -> String {
    match number {
        1 => start.to_string(),
        _ => format!("{start}-{number}"),
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub struct Named {
    name: String,
}

/// The slug a club of this name would get now: shown while the form is filled in.
pub async fn slug_preview(state: web::Data<State>, named: web::Query<Named>) -> HttpResponse {
    let start = slug_from_name(&named.name);
    let facts = state.catalogue.facts();
    let mut slugs = (1..=SLUG_TRIES_MAX).map(|number| numbered(&start, number));
    let free = slugs
        .find(|slug| facts.club_by_slug(slug).is_none())
        .unwrap_or(start);
    HttpResponse::Ok().json(SlugPreview { slug: free })
}

/// Keeps who asked to join, and says so by mail.
pub async fn wait(
    request: HttpRequest,
    state: web::Data<State>,
    body: Body<Waiting>,
) -> Result<HttpResponse, Problem> {
    let club = trimmed(&body.0.club_name);
    let name = trimmed(&body.0.contact_name);
    let email = trimmed(&body.0.contact_email);
    let phone = trimmed(&body.0.contact_phone);
    let mut findings = Findings::default();
    findings.need("clubName", !club.is_empty(), "Club name is required");
    findings.need_short("clubName", &club);
    findings.need("contactName", !name.is_empty(), "Contact name is required");
    findings.need_short("contactName", &name);
    findings.need("contactEmail", is_email(&email), "Valid email is required");
    findings.need(
        "contactPhone",
        !phone.is_empty(),
        "Contact phone is required",
    );
    findings.need(
        "contactPhone",
        is_phone(&phone),
        "Contact phone must be a phone number",
    );
    findings.finish()?;
    state
        .limits
        .fills_form(
            &state.records,
            address(&request, &state.config),
            state.clock.now(),
        )
        .await?;
    let id = state
        .records
        .join_waitlist(&club, &name, &email, &phone)
        .await?;
    let data = json!({ "name": name }).to_string();
    let key = format!("waitlist-{}", email.to_lowercase());
    state
        .outbox
        .queue(&key, "waitlist", None, &email, &data)
        .await?;
    Ok(HttpResponse::Created().json(Waitlisted { success: true, id }))
}
