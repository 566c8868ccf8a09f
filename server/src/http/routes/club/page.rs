//! Saves a club's home page: slug, texts, colours, logo and Facebook pixel.

use actix_web::{HttpResponse, web};
use domain::club::{SLUGS_RESERVED, slug_is_valid};
use domain::{Cents, ClubId};
use persistence::records::clubs::{ClubGoal, Sponsor};
use persistence::records::pages::{HomePage, SavePageOutcome};
use serde_json::json;

use super::own_club_id;
use super::uploads::{decode_base64, store_picture};
use super::verification::require_confirmed_email;
use crate::access::caller::Caller;
use crate::api::club::OwnClub;
use crate::api::club_admin::HomePageForm;
use crate::api::error::Problem;
use crate::api::form::{FormErrors, normalised_picture_url};
use crate::http::routes::body::Body;
use crate::state::State;

/// Maximum size of a decoded logo, in bytes.
const LOGO_BYTES_MAX: usize = 2 * 1024 * 1024;
/// Maximum size of an uploaded photo or sponsor's logo, in bytes.
const STORY_PICTURE_BYTES_MAX: usize = 2 * 1024 * 1024;
/// Maximum size of a stored photo, in bytes. It is the largest picture of the club's page, which
/// loads on phones. The web page scales a photo down before it sends it.
const STORED_PHOTO_BYTES_MAX: usize = 400 * 1024;
/// Maximum size of a sponsor's stored logo, in bytes.
const STORED_SPONSOR_BYTES_MAX: usize = 300 * 1024;
const GOAL_AMOUNTS: std::ops::RangeInclusive<Cents> = Cents(10_000)..=Cents(100_000_000);
const SLUG_ERROR: &str = "Page name must contain only lowercase letters, numbers, and hyphens";
const LOGO_ERROR: &str = "Must be a valid URL or uploaded image";
const COLOUR_ERROR: &str = "Must be a valid hex color";

/// Handles `PATCH /api/clubs/{club}/home-page`.
pub async fn save(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
    body: Body<HomePageForm>,
) -> Result<HttpResponse, Problem> {
    let club = own_club_id(caller, &path)?;
    let form = body.0;
    check_home_page(&form)?;
    let logo_url = match &form.logo_url {
        Some(text) if text.starts_with("data:") => {
            Some(Some(store_logo(&state, club, text).await?))
        }
        Some(text) => Some(normalised_picture_url(text.trim()).map(with_tls)),
        None => None,
    };
    let photo_url = story_picture(&state, club, PHOTO, form.photo_url.as_deref()).await?;
    let sponsor_logo =
        story_picture(&state, club, SPONSOR, form.sponsor_logo_url.as_deref()).await?;
    let pixel = form
        .facebook_pixel_id
        .as_ref()
        .map(|id| Some(id.trim().to_string()).filter(|id| !id.is_empty()));
    let page = HomePage {
        slug: form.home_page_slug.clone(),
        title: form
            .home_page_title
            .as_ref()
            .map(|title| title.trim().to_string()),
        tagline: form
            .home_page_tagline
            .as_ref()
            .map(|tagline| tagline.trim().to_string()),
        logo_url,
        colors: [form.primary_color, form.secondary_color, form.accent_color]
            .map(|colour| colour.map(|colour| colour.to_lowercase())),
        enabled: form.home_page_enabled,
        facebook_pixel_id: pixel,
        goal: form.goal_text.as_deref().map(str::trim).map(|text| {
            form.goal_amount
                .filter(|_| !text.is_empty())
                .map(|amount| ClubGoal {
                    text: text.to_string(),
                    amount,
                })
        }),
        photo_url,
        sponsor: form.sponsor_name.as_deref().map(str::trim).map(|name| {
            (!name.is_empty()).then(|| Sponsor {
                name: name.to_string(),
                logo_url: sponsor_logo.flatten(),
            })
        }),
    };
    let (actor, object) = (caller.audit_name(), format!("club:{club}"));
    let act = caller.audit_action(&actor, Some(club), "save-home-page", &object);
    let records = state
        .records
        .with_audit_entry(act.entry(json!({ "slug": form.home_page_slug })));
    if records.save_home_page(club, &page).await? == SavePageOutcome::SlugTaken {
        return Err(Problem::conflict(
            "slug-taken",
            "This page name is already taken.",
        ));
    }
    state.catalogue.reload().await?;
    let facts = state.catalogue.facts();
    let saved = facts.club(club).ok_or_else(Problem::not_found)?;
    Ok(HttpResponse::Ok().json(OwnClub::from(&**saved)))
}

fn check_home_page(form: &HomePageForm) -> Result<(), Problem> {
    let mut findings = FormErrors::default();
    if let Some(slug) = &form.home_page_slug {
        let letters = slug
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
        findings.require("homePageSlug", letters, SLUG_ERROR);
        findings.require(
            "homePageSlug",
            !SLUGS_RESERVED.contains(&slug.as_str()),
            "This page name is reserved. Please choose another one.",
        );
        findings.require(
            "homePageSlug",
            slug_is_valid(slug),
            "Page name must be between 3 and 50 characters",
        );
    }
    let length_between =
        |text: &str, from: usize, to: usize| (from..=to).contains(&text.trim().chars().count());
    if let Some(title) = &form.home_page_title {
        findings.require(
            "homePageTitle",
            length_between(title, 3, 100),
            "Title must be between 3 and 100 characters",
        );
    }
    if let Some(tagline) = &form.home_page_tagline {
        findings.require(
            "homePageTagline",
            length_between(tagline, 10, 200),
            "Tagline must be between 10 and 200 characters",
        );
    }
    if let Some(logo) = &form.logo_url {
        findings.require("logoUrl", is_valid_logo(logo.trim()), LOGO_ERROR);
    }
    for (field, colour) in [
        ("primaryColor", &form.primary_color),
        ("secondaryColor", &form.secondary_color),
        ("accentColor", &form.accent_color),
    ] {
        findings.require(
            field,
            colour.as_deref().is_none_or(is_valid_colour),
            COLOUR_ERROR,
        );
    }
    if let Some(pixel) = form.facebook_pixel_id.as_deref().map(str::trim) {
        let digits = pixel.bytes().all(|byte| byte.is_ascii_digit());
        let fits = pixel.is_empty() || digits && (5..=20).contains(&pixel.len());
        findings.require("facebookPixelId", fits, "Pixel ID must be 5 to 20 digits");
    }
    check_story(&mut findings, form);
    findings.into_result()
}

/// Checks the goal and the sponsor. Both are sent whole: the goal's text with its amount, and the
/// sponsor's name with its logo.
fn check_story(findings: &mut FormErrors, form: &HomePageForm) {
    let length = |text: &Option<String>| {
        text.as_deref()
            .map_or(0, |text| text.trim().chars().count())
    };
    let goal = length(&form.goal_text);
    findings.require(
        "goalText",
        goal == 0 || (3..=80).contains(&goal),
        "The goal must be between 3 and 80 characters",
    );
    findings.require(
        "goalAmount",
        goal == 0
            || form
                .goal_amount
                .is_some_and(|amount| GOAL_AMOUNTS.contains(&amount)),
        "The goal must be between $100 and $1,000,000",
    );
    let sponsor = length(&form.sponsor_name);
    findings.require(
        "sponsorName",
        sponsor == 0 || (2..=40).contains(&sponsor),
        "The sponsor’s name must be between 2 and 40 characters",
    );
    findings.require(
        "sponsorName",
        sponsor > 0 || length(&form.sponsor_logo_url) == 0,
        "Please name the sponsor whose logo this is",
    );
}

/// A picture of the club's story, with its limits.
struct StoryPicture {
    field: &'static str,
    purpose: &'static str,
    stored_bytes_max: usize,
}

const PHOTO: &StoryPicture = &StoryPicture {
    field: "photoUrl",
    purpose: "photo",
    stored_bytes_max: STORED_PHOTO_BYTES_MAX,
};
const SPONSOR: &StoryPicture = &StoryPicture {
    field: "sponsorLogoUrl",
    purpose: "sponsor",
    stored_bytes_max: STORED_SPONSOR_BYTES_MAX,
};

/// Returns the URL of a picture of the club's story. Stores a picture that was sent as `data:` URL.
/// `None` leaves the field unchanged; `Some(None)` clears it. A picture of another site is refused,
/// because that site would learn who visits the club's page.
async fn story_picture(
    state: &State,
    club: ClubId,
    picture: &StoryPicture,
    text: Option<&str>,
) -> Result<Option<Option<String>>, Problem> {
    let Some(text) = text.map(str::trim) else {
        return Ok(None);
    };
    if text.is_empty() {
        return Ok(Some(None));
    }
    let own = format!("/uploads/{}-{club}-", picture.purpose);
    if text.starts_with(&own) {
        let stored = normalised_picture_url(text);
        return stored
            .map(|url| Some(Some(url)))
            .ok_or_else(|| field_error(picture.field, LOGO_ERROR));
    }
    if !text.starts_with("data:image/") {
        return Err(field_error(picture.field, "Please upload a picture"));
    }
    let wrong = |message: &str| field_error(picture.field, message);
    require_confirmed_email(state, club).await?;
    let bytes = decode_base64(text).ok_or_else(|| wrong(LOGO_ERROR))?;
    let too_large = "The picture is too large. Please choose a smaller one.";
    if bytes.len() > STORY_PICTURE_BYTES_MAX {
        return Err(wrong(too_large));
    }
    let rendered = state
        .renderer
        .render(&bytes)
        .await?
        .ok_or_else(|| wrong("Please upload a PNG or JPG file."))?;
    if rendered.bytes.len() > picture.stored_bytes_max {
        return Err(wrong(too_large));
    }
    let url = store_picture(state, club, picture.purpose, rendered).await?;
    Ok(Some(Some(url)))
}

/// Returns the error of one field of the form.
fn field_error(field: &'static str, message: &str) -> Problem {
    let mut findings = FormErrors::default();
    findings.require(field, false, message);
    findings.into_problem()
}

fn is_valid_colour(text: &str) -> bool {
    text.len() == 7
        && text.starts_with('#')
        && text[1..].bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Whether the logo is empty, a picture as `data:` URL, an uploaded picture of this site or a web
/// address.
fn is_valid_logo(text: &str) -> bool {
    text.is_empty() || text.starts_with("data:image/") || normalised_picture_url(text).is_some()
}

/// Replaces `http:` by `https:`. The specification accepts both, but the pages' content security
/// policy allows pictures over TLS only.
fn with_tls(address: String) -> String {
    match address.strip_prefix("http://") {
        Some(rest) => format!("https://{rest}"),
        None => address,
    }
}

/// Stores a logo that was sent as `data:` URL and returns its URL path.
async fn store_logo(state: &State, club: ClubId, text: &str) -> Result<String, Problem> {
    let wrong = |words: &str| field_error("logoUrl", words);
    require_confirmed_email(state, club).await?;
    let bytes = decode_base64(text).ok_or_else(|| wrong(LOGO_ERROR))?;
    if bytes.len() > LOGO_BYTES_MAX {
        return Err(wrong(
            "Logo must be smaller than 2MB. Please choose a smaller image.",
        ));
    }
    let picture = state
        .renderer
        .render(&bytes)
        .await?
        .ok_or_else(|| wrong("Please upload a PNG, JPG, or SVG file."))?;
    store_picture(state, club, "logo", picture).await
}
