//! A club's home page: its name in addresses, words, colours, logo and pixel (B:162-168).

use actix_web::{HttpResponse, web};
use domain::ClubId;
use domain::club::{SLUGS_RESERVED, slug_is_valid};
use persistence::records::pages::{HomePage, Saved};
use serde_json::json;

use super::uploads::{anew, decoded, keep};
use crate::error::Problem;
use crate::form::Findings;
use crate::identity::Caller;
use crate::routes::body::Body;
use crate::state::State;
use crate::wire::club::OwnClub;
use crate::wire::desk::HomePageForm;

/// Of a logo, decoded (B:168).
const LOGO_BYTES_MAX: usize = 2 * 1024 * 1024;
const URL_CHARS_MAX: usize = 500;
const SLUG: &str = "Page name must contain only lowercase letters, numbers, and hyphens";
const LOGO: &str = "Must be a valid URL or uploaded image";
const COLOUR: &str = "Must be a valid hex color";

pub async fn save(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
    body: Body<HomePageForm>,
) -> Result<HttpResponse, Problem> {
    let club = path.parse().map(ClubId).map_err(|_| Problem::not_found())?;
    caller.must_own(club)?;
    let form = body.0;
    check(&form)?;
    let logo_url = match &form.logo_url {
        Some(text) if text.starts_with("data:") => Some(Some(logo(&state, club, text).await?)),
        Some(text) => Some(Some(text.trim().to_string()).filter(|text| !text.is_empty())),
        None => None,
    };
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
    };
    let (actor, object) = (caller.name(), format!("club:{club}"));
    let act = caller.act(&actor, Some(club), "save-home-page", &object);
    let records = state
        .records
        .by(act.entry(json!({ "slug": form.home_page_slug })));
    if records.save_home_page(club, &page).await? == Saved::SlugTaken {
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

fn check(form: &HomePageForm) -> Result<(), Problem> {
    let mut findings = Findings::default();
    if let Some(slug) = &form.home_page_slug {
        let letters = slug
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
        findings.need(
            "homePageSlug",
            letters && !SLUGS_RESERVED.contains(&slug.as_str()),
            SLUG,
        );
        findings.need(
            "homePageSlug",
            slug_is_valid(slug),
            "Page name must be between 3 and 50 characters",
        );
    }
    let between =
        |text: &str, from: usize, to: usize| (from..=to).contains(&text.trim().chars().count());
    if let Some(title) = &form.home_page_title {
        findings.need(
            "homePageTitle",
            between(title, 3, 100),
            "Title must be between 3 and 100 characters",
        );
    }
    if let Some(tagline) = &form.home_page_tagline {
        findings.need(
            "homePageTagline",
            between(tagline, 10, 200),
            "Tagline must be between 10 and 200 characters",
        );
    }
    if let Some(logo) = &form.logo_url {
        findings.need("logoUrl", is_logo(logo.trim()), LOGO);
    }
    for (field, colour) in [
        ("primaryColor", &form.primary_color),
        ("secondaryColor", &form.secondary_color),
        ("accentColor", &form.accent_color),
    ] {
        findings.need(field, colour.as_deref().is_none_or(is_colour), COLOUR);
    }
    if let Some(pixel) = form.facebook_pixel_id.as_deref().map(str::trim) {
        let digits = pixel.bytes().all(|byte| byte.is_ascii_digit());
        let fits = pixel.is_empty() || digits && (5..=20).contains(&pixel.len());
        findings.need("facebookPixelId", fits, "Pixel ID must be 5 to 20 digits");
    }
    findings.finish()
}

fn is_colour(text: &str) -> bool {
    text.len() == 7
        && text.starts_with('#')
        && text[1..].bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Nothing, a picture, a picture of ours, or somebody's address over http.
fn is_logo(text: &str) -> bool {
    let plain = |text: &str| {
        text.len() <= URL_CHARS_MAX
            && !text.contains(|c: char| c.is_whitespace() || "\"'<>\\".contains(c))
    };
    let address = text
        .strip_prefix("https://")
        .or_else(|| text.strip_prefix("http://"));
    text.is_empty()
        || text.starts_with("data:image/")
        || (text.starts_with("/uploads/") && plain(text))
        || address.is_some_and(|host| !host.is_empty() && plain(host))
}

async fn logo(state: &State, club: ClubId, text: &str) -> Result<String, Problem> {
    let wrong = |words: &str| {
        let mut findings = Findings::default();
        findings.need("logoUrl", false, words);
        findings.finish().expect_err("something was found")
    };
    let bytes = decoded(text).ok_or_else(|| wrong(LOGO))?;
    if bytes.len() > LOGO_BYTES_MAX {
        return Err(wrong(
            "Logo must be smaller than 2MB. Please choose a smaller image.",
        ));
    }
    let picture = anew(bytes)
        .await?
        .ok_or_else(|| wrong("Please upload a PNG, JPG, or SVG file."))?;
    keep(state, club, "logo", picture).await
}
