//! Checks an offer form and reports errors with the specified texts.

use domain::{DrawId, Timestamp};
use persistence::records::bundles::NewBundle;

use crate::api::club_admin::OfferForm;
use crate::api::error::Problem;
use crate::api::form::{FormErrors, normalised_picture_url, trimmed, trimmed_or_none};
use crate::services::fixtures::{kick_off, kick_off_parser};

const REQUIRED_FIELDS_ERROR: &str = "Please provide name, slug, and select at least one game";
/// Maximum number of games in one offer.
const OFFER_GAMES_MAX: usize = 50;

/// Checks the form of an offer. `is_own` tells whether a draw belongs to the club and is on sale.
///
/// # Errors
/// 400 with every error of the form.
pub fn check_offer_form(
    form: &OfferForm,
    is_own: impl Fn(DrawId) -> bool,
) -> Result<NewBundle, Problem> {
    let (name, slug) = (trimmed(form.name.as_deref()), trimmed(form.slug.as_deref()));
    let mut games: Vec<DrawId> = form.game_ids.iter().copied().map(DrawId).collect();
    games.sort();
    games.dedup();
    let kind = form.r#type.as_deref().unwrap_or("BUNDLE");
    let status = form.status.as_deref().unwrap_or("draft");
    let mut findings = FormErrors::default();
    findings.require("name", !name.is_empty(), REQUIRED_FIELDS_ERROR);
    findings.require_short_name("name", &name);
    findings.require("slug", !slug.is_empty(), REQUIRED_FIELDS_ERROR);
    let letters = slug
        .bytes()
        .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    findings.require(
        "slug",
        letters,
        "Slug must contain only lowercase letters, numbers, and hyphens",
    );
    findings.require(
        "slug",
        slug.len() <= 60,
        "Slug must be at most 60 characters",
    );
    findings.require(
        "type",
        ["BUNDLE", "SPECIAL"].contains(&kind),
        "An offer is a BUNDLE or a SPECIAL",
    );
    findings.require(
        "status",
        ["draft", "active"].contains(&status),
        "An offer is saved as draft or active",
    );
    findings.require("gameIds", !games.is_empty(), REQUIRED_FIELDS_ERROR);
    findings.require(
        "gameIds",
        games.len() <= OFFER_GAMES_MAX,
        "An offer includes at most 50 games",
    );
    match (kind, status) {
        ("SPECIAL", _) => {
            findings.require(
                "gameIds",
                games.len() == 1,
                "A Special must include exactly one game",
            );
        }
        (_, "active") => {
            findings.require(
                "gameIds",
                games.len() >= 2,
                "Select at least 2 games to activate this bundle",
            );
        }
        _ => findings.require(
            "gameIds",
            games.len() >= 2,
            "A Bundle must include at least two games",
        ),
    }
    let own = games.iter().all(|game| is_own(*game));
    findings.require(
        "gameIds",
        own,
        "A game of this offer is not one of this club's games on sale",
    );
    let tag = trimmed_or_none(form.display_tag.as_deref());
    let fits =
        |text: Option<&str>, most: usize| text.is_none_or(|text| text.chars().count() <= most);
    findings.require(
        "displayTag",
        fits(tag.as_deref(), 200),
        "Tag must be at most 200 characters",
    );
    let copy = trimmed_or_none(form.primary_copy.as_deref());
    findings.require(
        "primaryCopy",
        fits(copy.as_deref(), 2000),
        "Must be at most 2000 characters",
    );
    let image = trimmed_or_none(form.share_image_url.as_deref());
    let address = image.as_deref().map(|image| {
        normalised_picture_url(image).filter(|address| !address.starts_with("http://"))
    });
    findings.require(
        "shareImageUrl",
        address != Some(None),
        "Must be a valid URL or uploaded image",
    );
    let start_at = check_date_time(&mut findings, "startAt", form.start_at.as_deref());
    let end_at = check_date_time(&mut findings, "endAt", form.end_at.as_deref());
    let in_order = start_at.zip(end_at).is_none_or(|(start, end)| start < end);
    findings.require("endAt", in_order, "The end must be after the start");
    findings.into_result()?;
    Ok(NewBundle {
        name,
        slug,
        status: status.to_string(),
        kind: kind.to_string(),
        display_tag: tag,
        primary_copy: copy,
        share_image_url: address.flatten(),
        start_at,
        end_at,
        games,
    })
}

fn check_date_time(
    findings: &mut FormErrors,
    field: &'static str,
    text: Option<&str>,
) -> Option<Timestamp> {
    let text = trimmed_or_none(text)?;
    let at = kick_off::find_zone("Australia/Brisbane")
        .and_then(|zone| kick_off_parser::parse(&text, None, zone));
    findings.require(field, at.is_some(), "This is not a date and time");
    at
}
