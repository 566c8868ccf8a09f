//! Renders the HTML of pages on the server, so that a visitor sees the contents before scripts have
//! loaded (ux.md 2.0).

use askama::Template;
use serde_json::Value;

use crate::render::web_build::WebBuild;

pub mod first_paint;
pub mod offer_first_paint;
pub use first_paint::{ClubTexts, DrawPhase, DrawTexts};
pub use offer_first_paint::OfferTexts;

/// Colour of the browser's address bar on pages that belong to no club.
pub const THEME_COLOUR: &str = "#06382e";
pub const BOARD_THEME_COLOUR: &str = "#081311";

/// The canonical paths of the pages that show a payment form as soon as React has rendered them.
/// Other pages load the payment library when a buyer opens a form, or never.
const PAYMENT_FORM_PAGES: [&str; 4] = [
    "/draw/{n}",
    "/checkout/{n}",
    "/cart/checkout",
    "/apple-pay-redirect",
];

/// The metadata in a page's `<head>`, for search engines and share cards.
#[derive(Clone, Debug)]
pub struct PageHead {
    pub title: String,
    pub description: String,
    /// Absolute canonical URL; `None` for a page that must not be indexed.
    pub canonical: Option<String>,
    /// Absolute URL of the share card; `None` if the page has none.
    pub image: Option<String>,
    pub theme: String,
}

/// The header and footer of every page except boards.
#[derive(Clone, Debug)]
pub struct PageLayout {
    pub navigation: HeaderLinks,
    pub support_email: String,
    pub support_sms: String,
    pub maintenance: bool,
}

/// The links in a page's header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeaderLinks {
    /// Links to the sections and to the club login.
    Landing,
    /// Links to home and help.
    Plain,
}

impl PageLayout {
    fn is_landing(&self) -> bool {
        self.navigation == HeaderLinks::Landing
    }

    /// Returns the `sms:` link to the support's phone number for text messages.
    fn support_sms_link(&self) -> String {
        format!(
            "sms:{}",
            self.support_sms.split_whitespace().collect::<String>()
        )
    }
}

/// The data of a page's HTML body, by kind of page.
pub enum PageBody<'a> {
    Landing {
        draws: &'a [DrawTexts],
    },
    Draw(&'a DrawTexts),
    Club {
        club: &'a ClubTexts,
        draws: &'a [DrawTexts],
    },
    Board(&'a DrawTexts),
    Offer(&'a OfferTexts),
    OfferBoard(&'a OfferTexts),
    /// A heading and a placeholder until React has loaded the page.
    Plain {
        heading: &'a str,
        words: &'a str,
    },
    /// A page of a club or an operator: an empty shell that loads its data after sign-in (decision
    ///
    AppShell {
        heading: &'a str,
    },
    /// The 404 page, for a URL path without a page.
    Missing {
        heading: &'a str,
        words: &'a str,
    },
}

#[derive(Template)]
#[template(path = "page/document.html")]
struct DocumentTemplate<'a> {
    head: &'a PageHead,
    site: &'a WebBuild,
    critical_css_part: &'a str,
    scripts: Vec<&'a str>,
    styles: Vec<&'a str>,
    body: String,
    boot: String,
    payment_script: Option<&'a str>,
}

#[derive(Template)]
#[template(path = "page/landing.html")]
struct LandingPage<'a> {
    frame: &'a PageLayout,
    draws: &'a [DrawTexts],
    /// The draw in the hero: the one on sale with the biggest prize.
    featured: Option<&'a DrawTexts>,
    nothing: (&'static str, &'static str),
}

#[derive(Template)]
#[template(path = "page/draw.html")]
struct DrawPage<'a> {
    frame: &'a PageLayout,
    draw: &'a DrawTexts,
}

#[derive(Template)]
#[template(path = "page/club.html")]
struct ClubPage<'a> {
    frame: &'a PageLayout,
    club: &'a ClubTexts,
    draws: &'a [DrawTexts],
    nothing: (&'static str, &'static str),
}

#[derive(Template)]
#[template(path = "page/board.html")]
struct BoardPage<'a> {
    draw: &'a DrawTexts,
}

#[derive(Template)]
#[template(path = "page/offer.html")]
struct OfferPage<'a> {
    frame: &'a PageLayout,
    offer: &'a OfferTexts,
}

#[derive(Template)]
#[template(path = "page/offer_board.html")]
struct OfferBoardPage<'a> {
    offer: &'a OfferTexts,
}

#[derive(Template)]
#[template(path = "page/plain.html")]
struct PlainPage<'a> {
    frame: &'a PageLayout,
    heading: &'a str,
    words: &'a str,
    extra: PlainPageExtra,
}

/// What a plain page shows after its text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PlainPageExtra {
    /// A placeholder, and instructions for browsers without scripts how to buy.
    Buying,
    /// A placeholder until React has loaded a page that needs a sign-in.
    AppShell,
    /// Links to other pages.
    Missing,
}

impl PageBody<'_> {
    /// Returns the key of the page's own part of the critical CSS.
    fn critical_css_part(&self) -> Option<&'static str> {
        match self {
            PageBody::Landing { .. } => Some("landing"),
            PageBody::Draw(_) => Some("draw"),
            PageBody::Club { .. } => Some("club"),
            PageBody::Offer(_) => Some("offer"),
            PageBody::Board(_)
            | PageBody::OfferBoard(_)
            | PageBody::Plain { .. }
            | PageBody::AppShell { .. }
            | PageBody::Missing { .. } => None,
        }
    }

    fn render(&self, frame: &PageLayout) -> askama::Result<String> {
        match *self {
            PageBody::Landing { draws } => {
                let nothing = (
                    "No active draws at the moment.",
                    "Check back soon for new fundraising opportunities!",
                );
                LandingPage {
                    frame,
                    draws,
                    featured: DrawTexts::with_biggest_prize(draws),
                    nothing,
                }
                .render()
            }
            PageBody::Draw(draw) => DrawPage { frame, draw }.render(),
            PageBody::Club { club, draws } => ClubPage {
                frame,
                club,
                draws,
                nothing: ("No active draws right now", ""),
            }
            .render(),
            PageBody::Board(draw) => BoardPage { draw }.render(),
            PageBody::Offer(offer) => OfferPage { frame, offer }.render(),
            PageBody::OfferBoard(offer) => OfferBoardPage { offer }.render(),
            PageBody::Plain { heading, words } => PlainPage {
                frame,
                heading,
                words,
                extra: PlainPageExtra::Buying,
            }
            .render(),
            PageBody::AppShell { heading } => PlainPage {
                frame,
                heading,
                words: "",
                extra: PlainPageExtra::AppShell,
            }
            .render(),
            PageBody::Missing { heading, words } => PlainPage {
                frame,
                heading,
                words,
                extra: PlainPageExtra::Missing,
            }
            .render(),
        }
    }
}

/// Renders the HTML document of a page. `key` is the page's name in the build's list of script
/// chunks. `boot` is the data from which React renders the page first.
pub fn render_document(
    site: &WebBuild,
    key: &str,
    head: &PageHead,
    frame: &PageLayout,
    body: &PageBody<'_>,
    boot: &Value,
) -> askama::Result<String> {
    let chunks = site.chunks.get(key).map(Vec::as_slice).unwrap_or_default();
    let (styles, scripts) = chunks
        .iter()
        .map(String::as_str)
        .partition(|chunk| chunk.ends_with(".css"));
    let payment_script = boot["config"]["stripeJs"]
        .as_str()
        .filter(|address| address.starts_with('/') && PAYMENT_FORM_PAGES.contains(&key));
    let critical_css_part = body
        .critical_css_part()
        .and_then(|part| site.critical_css_by_part.get(part))
        .map_or("", String::as_str);
    DocumentTemplate {
        head,
        site,
        critical_css_part,
        scripts,
        styles,
        body: body.render(frame)?,
        boot: script_safe_json(boot),
        payment_script,
    }
    .render()
}

/// Returns JSON that is safe inside a script element: `<` and the Unicode line separators are
/// escaped.
fn script_safe_json(boot: &Value) -> String {
    boot.to_string()
        .replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}

#[cfg(test)]
mod tests;
