//! What a page shows, looked up once for the first paint and for React alike.

use domain::{ClubId, DrawId};
use serde_json::{Map, Value, json};

use super::address::{Page, Shows};
use crate::catalogue::lists::{List, Part};
use crate::error::Problem;
use crate::offer::{Offer, Standing};
use crate::render::card::{self, Card};
use crate::render::page::{Body, ClubFace, DrawFace, OfferFace};
use crate::routes::buyer::clubs::meta_of;
use crate::routes::buyer::orders;
use crate::routes::machine::{cards, widgets};
use crate::state::State;
use crate::wire;

/// What a page is about.
pub enum Shown {
    Landing(Vec<DrawFace>),
    Draw(Box<DrawFace>),
    Board(Box<DrawFace>),
    Club(Box<ClubFace>, Vec<DrawFace>),
    Offer(Box<OfferFace>),
    OfferBoard(Box<OfferFace>),
    Plain(String, String),
    Desk(String),
    Missing(&'static str, &'static str),
}

pub const PAGE_NOT_FOUND: Shown = Shown::Missing(
    "Page Not Found",
    "There is nothing at this address. It may have moved, or the link may be cut short.",
);
const DRAW_NOT_FOUND: Shown = Shown::Missing(
    "Draw Not Found",
    "The draw you're looking for doesn't exist or may have been removed.",
);
const OFFER_NOT_FOUND: Shown = Shown::Missing(
    "Special Offer Not Found",
    "This offer has ended, or the link may be cut short.",
);

/// The page's data. `boot` is what React's first render reads.
///
/// # Errors
/// The books could not be read.
pub async fn look_up(
    state: &State,
    page: &Page<'_>,
    boot: &mut Map<String, Value>,
) -> Result<Shown, Problem> {
    match page.address.shows {
        Shows::Offer | Shows::OfferBoard => offer(state, page, boot).await,
        Shows::Landing => {
            let draws = lists(state, None);
            let faces = faces(state, &draws);
            boot.insert("draws".into(), json!(draws));
            Ok(Shown::Landing(faces))
        }
        Shows::Draw | Shows::Verify | Shows::Checkout | Shows::Board => {
            let Some(draw) = draw(state, page.draw()).await else {
                return Ok(DRAW_NOT_FOUND);
            };
            let face = DrawFace::new(&draw, state.clock.now());
            boot.insert("draw".into(), json!(draw));
            if page.address.shows == Shows::Board {
                boot.insert(
                    "widget".into(),
                    json!(widgets::of_draw(state, page.draw()).await?),
                );
            }
            Ok(match page.address.shows {
                Shows::Draw => Shown::Draw(Box::new(face)),
                Shows::Board => Shown::Board(Box::new(face)),
                Shows::Verify => Shown::Plain(format!("Verify draw {}", page.draw()), face.title()),
                _ => {
                    let words = format!(
                        "{}. Random ticket numbers are assigned after payment.",
                        face.title()
                    );
                    Shown::Plain(page.address.heading.to_string(), words)
                }
            })
        }
        Shows::Club => club(state, page.word("slug"), boot).await,
        Shows::Order => match orders::by_token(state, page.word("token")).await? {
            Some(record) => {
                boot.insert(
                    "order".into(),
                    json!(orders::present(state, &record).await?),
                );
                Ok(Shown::Plain(
                    page.address.heading.to_string(),
                    String::new(),
                ))
            }
            None => Ok(PAGE_NOT_FOUND),
        },
        Shows::Plain | Shows::Claim => Ok(Shown::Plain(
            page.address.heading.to_string(),
            String::new(),
        )),
        Shows::Desk => Ok(Shown::Desk(page.address.heading.to_string())),
        // An archived club still signs in, to read (decision H-3).
        Shows::ClubDesk => Ok(
            match state.catalogue.facts().club_by_slug(page.word("slug")) {
                Some(_) => Shown::Desk(page.address.heading.to_string()),
                None => PAGE_NOT_FOUND,
            },
        ),
        Shows::ToOffer | Shows::ToDraw | Shows::ToCheckout => Ok(PAGE_NOT_FOUND),
    }
}

async fn draw(state: &State, id: DrawId) -> Option<wire::draw::Draw> {
    let (facts, listing, view) = state.catalogue.draw(id).await?;
    let club = facts.club(listing.club)?;
    Some(
        facts
            .wire(&listing, &view, state.clock.now())?
            .alone(&listing, club),
    )
}

/// An expired one is gone, a closed one says so (A:105, A:107).
async fn offer(
    state: &State,
    page: &Page<'_>,
    boot: &mut Map<String, Value>,
) -> Result<Shown, Problem> {
    let found = Offer::find(state, page.word("slug"), page.word("bundle")).await?;
    let Some(offer) = found.filter(|offer| offer.standing != Standing::Ended) else {
        return Ok(OFFER_NOT_FOUND);
    };
    let picture = card::address_of_offer(&state.config.public_url, &offer);
    let face = Box::new(OfferFace::new(&offer, picture, state.clock.now()));
    boot.insert(
        "offer".into(),
        json!(wire::special::PublicOffer::new(state, &offer)),
    );
    boot.insert("clubMeta".into(), json!(meta_of(&offer.club)));
    if page.address.shows == Shows::OfferBoard {
        boot.insert("widget".into(), json!(widgets::of_offer(state, &offer)));
        return Ok(Shown::OfferBoard(face));
    }
    Ok(Shown::Offer(face))
}

/// The picture that goes with a link to a page (decision B-21).
///
/// # Errors
/// The books could not be read.
pub async fn share_card(state: &State, page: &Page<'_>) -> Result<Option<String>, Problem> {
    let site = &state.config.public_url;
    let facts = state.catalogue.facts();
    Ok(match page.address.shows {
        Shows::Landing => Some(card::address(site, "site", &Card::of_site())),
        Shows::Draw | Shows::Verify => {
            let card = cards::of_draw(state, page.draw()).await;
            card.map(|card| card::address(site, &format!("draw/{}", page.draw()), &card))
        }
        Shows::Club => facts.club_by_slug(page.word("slug")).map(|club| {
            card::address(
                site,
                &format!("club/{}", club.slug),
                &Card::of_club(club, &facts),
            )
        }),
        Shows::Offer => {
            let offer = Offer::find(state, page.word("slug"), page.word("bundle")).await?;
            offer.map(|offer| card::address_of_offer(site, &offer))
        }
        _ => None,
    })
}

async fn club(state: &State, slug: &str, boot: &mut Map<String, Value>) -> Result<Shown, Problem> {
    let facts = state.catalogue.facts();
    let found = facts
        .club_by_slug(slug)
        .filter(|club| !club.archived && club.page_enabled);
    let Some(row) = found else {
        return Ok(PAGE_NOT_FOUND);
    };
    let part = Part {
        club: Some(row.id),
        ..Part::default()
    };
    let now = state.clock.now();
    let active = state.catalogue.part(List::Active, part, now);
    let completed = state.catalogue.part(List::Completed, part, now);
    let faces = faces(state, &active);
    let club = wire::club::Club::new(row, slug).with_draws(active, completed);
    let face = Box::new(ClubFace::new(&club));
    boot.insert("club".into(), json!(club));
    let offers = Offer::of_club(state, row).await?;
    let on_sale = offers.iter().filter(|offer| offer.is_on_sale());
    let on_sale: Vec<_> = on_sale
        .map(|offer| wire::special::PublicOffer::new(state, offer))
        .collect();
    boot.insert("offers".into(), json!(on_sale));
    Ok(Shown::Club(face, faces))
}

/// On sale, waiting, and completed: what the landing page shows.
fn lists(state: &State, club: Option<ClubId>) -> Vec<wire::draw::Draw> {
    /// Completed draws in the page itself; who scrolls further asks.
    const COMPLETED_MAX: usize = 60;
    let now = state.clock.now();
    let part = Part {
        club,
        ..Part::default()
    };
    let recent = Part {
        limit: Some(COMPLETED_MAX),
        ..part
    };
    let mut draws = state.catalogue.part(List::Active, part, now);
    draws.extend(state.catalogue.part(List::Awaiting, part, now));
    draws.extend(state.catalogue.part(List::Completed, recent, now));
    draws
}

fn faces(state: &State, draws: &[wire::draw::Draw]) -> Vec<DrawFace> {
    let now = state.clock.now();
    draws
        .iter()
        .filter(|draw| draw.status == "active")
        .map(|draw| DrawFace::new(draw, now))
        .collect()
}

impl Shown {
    pub fn body(&self) -> Body<'_> {
        match self {
            Shown::Landing(draws) => Body::Landing { draws },
            Shown::Draw(face) => Body::Draw(face),
            Shown::Board(face) => Body::Board(face),
            Shown::Offer(face) => Body::Offer(face),
            Shown::OfferBoard(face) => Body::OfferBoard(face),
            Shown::Club(club, draws) => Body::Club { club, draws },
            Shown::Plain(heading, words) => Body::Plain { heading, words },
            Shown::Desk(heading) => Body::Desk { heading },
            Shown::Missing(heading, words) => Body::Missing { heading, words },
        }
    }
}
