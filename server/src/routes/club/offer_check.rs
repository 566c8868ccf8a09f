//! Checking an offer's form, in the specified words (B:169-174).

use domain::{DrawId, Timestamp};
use persistence::records::bundles::NewBundle;

use crate::error::Problem;
use crate::fixtures::{kick_off, moment};
use crate::form::{Findings, optional, trimmed};
use crate::wire::desk::OfferForm;

const NEEDED: &str = "Please provide name, slug, and select at least one game";
/// Most games of one offer.
const GAMES_MAX: usize = 50;

/// # Errors
/// 400: everything that is wrong.
pub fn check(form: &OfferForm, is_own: impl Fn(DrawId) -> bool) -> Result<NewBundle, Problem> {
    let (name, slug) = (trimmed(&form.name), trimmed(&form.slug));
    let mut games: Vec<DrawId> = form.game_ids.iter().copied().map(DrawId).collect();
    games.sort();
    games.dedup();
    let kind = form.r#type.as_deref().unwrap_or("BUNDLE");
    let status = form.status.as_deref().unwrap_or("draft");
    let mut findings = Findings::default();
    findings.need(
        "name",
        !name.is_empty() && name.chars().count() <= 100,
        NEEDED,
    );
    findings.need("slug", !slug.is_empty(), NEEDED);
    let letters = slug
        .bytes()
        .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    findings.need(
        "slug",
        letters,
        "Slug must contain only lowercase letters, numbers, and hyphens",
    );
    findings.need(
        "slug",
        slug.len() <= 60,
        "Slug must be at most 60 characters",
    );
    findings.need(
        "type",
        ["BUNDLE", "SPECIAL"].contains(&kind),
        "An offer is a BUNDLE or a SPECIAL",
    );
    findings.need(
        "status",
        ["draft", "active"].contains(&status),
        "An offer is saved as draft or active",
    );
    findings.need(
        "gameIds",
        !games.is_empty() && games.len() <= GAMES_MAX,
        NEEDED,
    );
    match (kind, status) {
        ("SPECIAL", _) => {
            findings.need(
                "gameIds",
                games.len() == 1,
                "A Special must include exactly one game",
            );
        }
        (_, "active") => {
            findings.need(
                "gameIds",
                games.len() >= 2,
                "Select at least 2 games to activate this bundle",
            );
        }
        _ => findings.need(
            "gameIds",
            games.len() >= 2,
            "A Bundle must include at least two games",
        ),
    }
    let own = games.iter().all(|game| is_own(*game));
    findings.need(
        "gameIds",
        own,
        "A game of this offer is not one of this club's games on sale",
    );
    let tag = optional(&form.display_tag);
    let fits = |text: &Option<String>, most: usize| {
        text.as_ref()
            .is_none_or(|text| text.chars().count() <= most)
    };
    findings.need(
        "displayTag",
        fits(&tag, 200),
        "Tag must be at most 200 characters",
    );
    let copy = optional(&form.primary_copy);
    findings.need(
        "primaryCopy",
        fits(&copy, 2000),
        "Must be at most 2000 characters",
    );
    let image = optional(&form.share_image_url);
    let own_image = |url: &String| url.starts_with("/uploads/") || url.starts_with("https://");
    findings.need(
        "shareImageUrl",
        fits(&image, 500) && image.as_ref().is_none_or(own_image),
        "Must be a valid URL or uploaded image",
    );
    let start_at = when(&mut findings, "startAt", &form.start_at);
    let end_at = when(&mut findings, "endAt", &form.end_at);
    let in_order = start_at.zip(end_at).is_none_or(|(start, end)| start < end);
    findings.need("endAt", in_order, "The end must be after the start");
    findings.finish()?;
    Ok(NewBundle {
        name,
        slug,
        status: status.to_string(),
        kind: kind.to_string(),
        display_tag: tag,
        primary_copy: copy,
        share_image_url: image,
        start_at,
        end_at,
        games,
    })
}

fn when(findings: &mut Findings, field: &'static str, text: &Option<String>) -> Option<Timestamp> {
    let text = optional(text)?;
    let at = kick_off::zone("Australia/Brisbane").and_then(|zone| moment::read(&text, None, zone));
    findings.need(field, at.is_some(), "This is not a date and time");
    at
}
