//! A page's first paint: the whole document, drawn here so that nothing waits for a script (ux.md 2.0).

use askama::Template;
use serde_json::Value;

use crate::site::Site;

pub mod face;
pub mod offer_face;
pub use face::{ClubFace, DrawFace, Phase};
pub use offer_face::OfferFace;

/// Colour of the browser's own bar where no club's page is shown.
pub const THEME: &str = "#06382e";
pub const THEME_BOARD: &str = "#081311";

/// What search engines and share cards read.
#[derive(Clone, Debug)]
pub struct Head {
    pub title: String,
    pub description: String,
    /// Absolute. `None`: not to be indexed.
    pub canonical: Option<String>,
    /// The share card, absolute.
    pub image: Option<String>,
    pub theme: String,
}

/// What stands around every page but boards.
#[derive(Clone, Debug)]
pub struct Frame {
    pub navigation: Navigation,
    pub support_email: String,
    pub support_sms: String,
    pub maintenance: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Navigation {
    /// Sections and the way in for clubs.
    Landing,
    /// Home and help.
    Plain,
}

impl Frame {
    fn is_landing(&self) -> bool {
        self.navigation == Navigation::Landing
    }

    /// Where a tap on the text number leads.
    fn sms(&self) -> String {
        format!(
            "sms:{}",
            self.support_sms.split_whitespace().collect::<String>()
        )
    }
}

/// What the first paint shows.
pub enum Body<'a> {
    Landing {
        draws: &'a [DrawFace],
    },
    Draw(&'a DrawFace),
    Club {
        club: &'a ClubFace,
        draws: &'a [DrawFace],
    },
    Board(&'a DrawFace),
    Offer(&'a OfferFace),
    OfferBoard(&'a OfferFace),
    /// A heading and the room the page will take.
    Plain {
        heading: &'a str,
        words: &'a str,
    },
    /// A club's or the operator's: nothing is shown before somebody has signed in (decision A-14).
    Desk {
        heading: &'a str,
    },
    /// Nothing at this address.
    Missing {
        heading: &'a str,
        words: &'a str,
    },
}

#[derive(Template)]
#[template(path = "page/document.html")]
struct Document<'a> {
    head: &'a Head,
    site: &'a Site,
    scripts: Vec<&'a str>,
    styles: Vec<&'a str>,
    body: String,
    boot: String,
    payment_script: Option<&'a str>,
}

#[derive(Template)]
#[template(path = "page/landing.html")]
struct LandingPage<'a> {
    frame: &'a Frame,
    draws: &'a [DrawFace],
    nothing: (&'static str, &'static str),
}

#[derive(Template)]
#[template(path = "page/draw.html")]
struct DrawPage<'a> {
    frame: &'a Frame,
    draw: &'a DrawFace,
}

#[derive(Template)]
#[template(path = "page/club.html")]
struct ClubPage<'a> {
    frame: &'a Frame,
    club: &'a ClubFace,
    draws: &'a [DrawFace],
    nothing: (&'static str, &'static str),
}

#[derive(Template)]
#[template(path = "page/board.html")]
struct BoardPage<'a> {
    draw: &'a DrawFace,
}

#[derive(Template)]
#[template(path = "page/offer.html")]
struct OfferPage<'a> {
    frame: &'a Frame,
    offer: &'a OfferFace,
}

#[derive(Template)]
#[template(path = "page/offer_board.html")]
struct OfferBoardPage<'a> {
    offer: &'a OfferFace,
}

#[derive(Template)]
#[template(path = "page/plain.html")]
struct PlainPage<'a> {
    frame: &'a Frame,
    heading: &'a str,
    words: &'a str,
    room: Room,
}

/// What follows the words of a plain page.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Room {
    /// The page will come: how to buy without it.
    Buying,
    Desk,
    /// Ways on.
    Missing,
}

impl Body<'_> {
    fn render(&self, frame: &Frame) -> askama::Result<String> {
        match *self {
            Body::Landing { draws } => {
                let nothing = (
                    "No active draws at the moment.",
                    "Check back soon for new fundraising opportunities!",
                );
                LandingPage {
                    frame,
                    draws,
                    nothing,
                }
                .render()
            }
            Body::Draw(draw) => DrawPage { frame, draw }.render(),
            Body::Club { club, draws } => ClubPage {
                frame,
                club,
                draws,
                nothing: ("No active draws right now", ""),
            }
            .render(),
            Body::Board(draw) => BoardPage { draw }.render(),
            Body::Offer(offer) => OfferPage { frame, offer }.render(),
            Body::OfferBoard(offer) => OfferBoardPage { offer }.render(),
            Body::Plain { heading, words } => PlainPage {
                frame,
                heading,
                words,
                room: Room::Buying,
            }
            .render(),
            Body::Desk { heading } => PlainPage {
                frame,
                heading,
                words: "",
                room: Room::Desk,
            }
            .render(),
            Body::Missing { heading, words } => PlainPage {
                frame,
                heading,
                words,
                room: Room::Missing,
            }
            .render(),
        }
    }
}

/// Composes a document. `key` names the page in the build's list of chunks; `boot` is the data of React's first render.
pub fn document(
    site: &Site,
    key: &str,
    head: &Head,
    frame: &Frame,
    body: &Body<'_>,
    boot: &Value,
) -> askama::Result<String> {
    let chunks = site.chunks.get(key).map(Vec::as_slice).unwrap_or_default();
    let (styles, scripts) = chunks
        .iter()
        .map(String::as_str)
        .partition(|chunk| chunk.ends_with(".css"));
    let payment_script = boot["config"]["stripeJs"]
        .as_str()
        .filter(|address| address.starts_with('/'));
    Document {
        head,
        site,
        scripts,
        styles,
        body: body.render(frame)?,
        boot: embeddable(boot),
        payment_script,
    }
    .render()
}

/// JSON that may stand inside a script element: no `<` can end it, and no line separator can trip an old parser.
fn embeddable(boot: &Value) -> String {
    boot.to_string()
        .replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}

#[cfg(test)]
mod tests;
