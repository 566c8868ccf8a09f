//! What search engines and share cards read of a page.

use domain::TICKETS;

use super::address::{Page, Shows};
use super::shown::Shown;
use crate::render::page::{self, Head};
use crate::wire::club::TAGLINE;

pub fn head(
    public_url: &str,
    asked: Option<&Page<'_>>,
    shown: &Shown,
    image: Option<String>,
) -> Head {
    // As `web/src/shared/ui/page-title.ts` writes it a moment later: a window's title does not change while its page wakes up.
    let titled = |words: &str| format!("{words} – Football Doubles");
    let (title, description) = match shown {
        Shown::Landing(_) => ("Football Doubles".to_string(), TAGLINE.to_string()),
        Shown::Draw(face) | Shown::Board(face) => (titled(&face.title()), face.summary()),
        Shown::Offer(face) | Shown::OfferBoard(face) => (titled(&face.name), face.summary()),
        Shown::Club(face, _) => (titled(&face.title), face.tagline.clone()),
        Shown::Plain(heading, _) | Shown::Desk(heading) => (
            titled(heading),
            format!("{TICKETS} tickets, one winning pair of jersey numbers. {TAGLINE}"),
        ),
        Shown::Missing(heading, words) => (titled(heading), words.to_string()),
    };
    let theme = match shown {
        Shown::Board(_) | Shown::OfferBoard(_) => page::THEME_BOARD.to_string(),
        Shown::Club(face, _) => face.primary.clone(),
        _ => page::THEME.to_string(),
    };
    let canonical = asked
        .filter(|page| page.is_found())
        .map(|page| format!("{public_url}{}", path(page, shown)));
    Head {
        title,
        description,
        canonical,
        image,
        theme,
    }
}

/// A page's own path: aliases and former slugs are not to be found beside it (decision A-16).
fn path(page: &Page<'_>, shown: &Shown) -> String {
    let slug = match shown {
        Shown::Club(face, _) => face.slug.clone(),
        Shown::Offer(face) => face.club_slug.clone(),
        _ => page.word("slug").to_lowercase(),
    };
    match page.address.shows {
        Shows::Draw => format!("/draw/{}", page.draw()),
        Shows::Verify => format!("/verify/{}", page.draw()),
        Shows::Club => format!("/club/{slug}"),
        Shows::Offer => format!("/club/{slug}/specials/{}", offer_slug(page, shown)),
        _ => "/".to_string(),
    }
}

fn offer_slug(page: &Page<'_>, shown: &Shown) -> String {
    match shown {
        Shown::Offer(face) => face.slug.clone(),
        _ => page.word("bundle").to_lowercase(),
    }
}
