//! Builds the `<head>` of a page for search engines and share cards.

use domain::TICKETS;

use super::page_content::PageContent;
use crate::api::club::TAGLINE;
use crate::render::page::{self, PageHead};
use crate::render::page_address::{Page, PageKind};

/// Builds the title, description, canonical URL, image and theme colour of a page.
pub fn build_page_head(
    public_url: &str,
    page_found: Option<&Page<'_>>,
    content: &PageContent,
    image: Option<String>,
) -> PageHead {
    // Must equal the title that `web/src/shared/ui/page-title.ts` sets, so that the title does not
    // change when React starts.
    let with_site_name = |words: &str| format!("{words} – Football Doubles");
    let (title, description) = match content {
        PageContent::Landing(_) => ("Football Doubles".to_string(), TAGLINE.to_string()),
        PageContent::Draw(face) | PageContent::Board(face) => {
            (with_site_name(&face.title()), face.summary())
        }
        PageContent::Offer(face) | PageContent::OfferBoard(face) => {
            (with_site_name(&face.name), face.summary())
        }
        PageContent::Club(face, _) => (with_site_name(&face.title), face.tagline.clone()),
        PageContent::Plain(heading, _) | PageContent::AppShell(heading) => (
            with_site_name(heading),
            format!("{TICKETS} tickets, one winning pair of jersey numbers. {TAGLINE}"),
        ),
        PageContent::Missing(heading, words) => (with_site_name(heading), words.to_string()),
    };
    let theme = match content {
        PageContent::Board(_) | PageContent::OfferBoard(_) => page::BOARD_THEME_COLOUR.to_string(),
        PageContent::Club(face, _) => face.primary.clone(),
        _ => page::THEME_COLOUR.to_string(),
    };
    let canonical = page_found
        .filter(|page| page.can_be_indexed())
        .map(|page| format!("{public_url}{}", canonical_path(page, content)));
    PageHead {
        title,
        description,
        canonical,
        image,
        theme,
    }
}

/// Returns the canonical path of a page, with aliases and former slugs replaced (decision A-16).
fn canonical_path(page: &Page<'_>, content: &PageContent) -> String {
    let slug = match content {
        PageContent::Club(face, _) => face.slug.clone(),
        PageContent::Offer(face) => face.club_slug.clone(),
        _ => page.variable("slug").to_lowercase(),
    };
    match page.address.shows {
        PageKind::Draw => format!("/draw/{}", page.draw()),
        PageKind::Verify => format!("/verify/{}", page.draw()),
        PageKind::Club => format!("/club/{slug}"),
        PageKind::Offer => format!(
            "/club/{slug}/specials/{}",
            canonical_offer_slug(page, content)
        ),
        _ => "/".to_string(),
    }
}

fn canonical_offer_slug(page: &Page<'_>, content: &PageContent) -> String {
    match content {
        PageContent::Offer(face) => face.slug.clone(),
        _ => page.variable("bundle").to_lowercase(),
    }
}
