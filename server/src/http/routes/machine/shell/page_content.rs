//! Reads the data of a page once, for the server-rendered content and for React.

use domain::{ClubId, DrawId};
use serde_json::{Map, Value, json};

use crate::access::order_access::OwnOrder;
use crate::access::order_view;
use crate::api;
use crate::api::error::Problem;
use crate::http::routes::buyer::clubs::club_page_metadata;
use crate::http::routes::buyer::offers;
use crate::http::routes::machine::{cards, widgets};
use crate::render::page::{ClubTexts, DrawTexts, OfferTexts, PageBody};
use crate::render::page_address::{Page, PageKind};
use crate::render::share_card::{self, ShareCard};
use crate::services::catalogue::lists::{DrawList, DrawListSlice};
use crate::services::offer::OfferStatus;
use crate::state::State;

/// The data that a page's server-rendered content shows.
pub enum PageContent {
    Landing(Vec<DrawTexts>),
    Draw(Box<DrawTexts>),
    Board(Box<DrawTexts>),
    Club(Box<ClubTexts>, Vec<DrawTexts>),
    Offer(Box<OfferTexts>),
    OfferBoard(Box<OfferTexts>),
    Plain(String, String),
    AppShell(String),
    Missing(&'static str, &'static str),
}

pub const PAGE_NOT_FOUND: PageContent = PageContent::Missing(
    "Page Not Found",
    "There is nothing at this address. It may have moved, or the link may be cut short.",
);
const DRAW_NOT_FOUND: PageContent = PageContent::Missing(
    "Draw Not Found",
    "The draw you're looking for doesn't exist or may have been removed.",
);
const OFFER_NOT_FOUND: PageContent = PageContent::Missing(
    "Special Offer Not Found",
    "This offer has ended, or the link may be cut short.",
);

/// Reads the content of a page, and fills `boot` with the data for React's first render.
///
/// # Errors
/// The database could not be read.
pub async fn read_page_content(
    state: &State,
    page: &Page<'_>,
    boot: &mut Map<String, Value>,
) -> Result<PageContent, Problem> {
    match page.address.shows {
        PageKind::Offer | PageKind::OfferBoard => offer_content(state, page, boot).await,
        PageKind::Landing => {
            let draws = landing_page_draws(state, None);
            let first_paint_draws = first_paint_draws(state, &draws);
            boot.insert("draws".into(), json!(draws));
            Ok(PageContent::Landing(first_paint_draws))
        }
        PageKind::Draw | PageKind::Verify | PageKind::Checkout | PageKind::Board => {
            let Some(draw) = read_draw(state, page.draw()).await else {
                return Ok(DRAW_NOT_FOUND);
            };
            let face = DrawTexts::new(&draw, state.clock.now());
            boot.insert("draw".into(), json!(draw));
            if page.address.shows == PageKind::Board {
                boot.insert(
                    "widget".into(),
                    json!(widgets::draw_widget(state, page.draw()).await?),
                );
            }
            Ok(match page.address.shows {
                PageKind::Draw => PageContent::Draw(Box::new(face)),
                PageKind::Board => PageContent::Board(Box::new(face)),
                PageKind::Verify => {
                    PageContent::Plain(format!("Verify draw {}", page.draw()), face.title())
                }
                _ => {
                    let words = format!(
                        "{}. Random ticket numbers are assigned after payment.",
                        face.title()
                    );
                    PageContent::Plain(page.address.heading.to_string(), words)
                }
            })
        }
        PageKind::Club => club_content(state, page.variable("slug"), boot).await,
        PageKind::Order => match OwnOrder::of_token(state, page.variable("token")).await? {
            Some(own) => {
                boot.insert(
                    "order".into(),
                    json!(order_view::order_for_buyer(state, &own).await?),
                );
                Ok(PageContent::Plain(
                    page.address.heading.to_string(),
                    String::new(),
                ))
            }
            None => Ok(PAGE_NOT_FOUND),
        },
        #[cfg(feature = "demo")]
        PageKind::DemoOnly => Ok(PageContent::Plain(
            page.address.heading.to_string(),
            String::new(),
        )),
        PageKind::Plain | PageKind::Claim => Ok(PageContent::Plain(
            page.address.heading.to_string(),
            String::new(),
        )),
        PageKind::AppShell => Ok(PageContent::AppShell(page.address.heading.to_string())),
        // An archived club's pages exist, because its users may still sign in to read (decision
        // H-3).
        PageKind::ClubAppShell => Ok(
            match state.catalogue.facts().club_by_slug(page.variable("slug")) {
                Some(_) => PageContent::AppShell(page.address.heading.to_string()),
                None => PAGE_NOT_FOUND,
            },
        ),
        PageKind::ToOffer | PageKind::ToDraw | PageKind::ToCheckout => Ok(PAGE_NOT_FOUND),
    }
}

async fn read_draw(state: &State, id: DrawId) -> Option<api::draw::Draw> {
    let (facts, listing, view) = state.catalogue.draw(id).await?;
    let club = facts.club(listing.club)?;
    Some(
        facts
            .to_api_draw(&listing, &view, state.clock.now())?
            .with_page_fields(&listing, club),
    )
}

/// Returns the content of an offer's page. An ended offer gives the 404 page; a closed offer is
/// shown as closed.
async fn offer_content(
    state: &State,
    page: &Page<'_>,
    boot: &mut Map<String, Value>,
) -> Result<PageContent, Problem> {
    let found = state
        .offers()
        .find(page.variable("slug"), page.variable("bundle"))
        .await?;
    let Some(offer) = found.filter(|offer| offer.sale_status != OfferStatus::Ended) else {
        return Ok(OFFER_NOT_FOUND);
    };
    let picture = share_card::offer_image_url(&state.config.public_url, &offer);
    let face = Box::new(OfferTexts::new(&offer, picture, state.clock.now()));
    boot.insert("offer".into(), json!(offers::public_offer(state, &offer)));
    boot.insert("clubMeta".into(), json!(club_page_metadata(&offer.club)));
    if page.address.shows == PageKind::OfferBoard {
        boot.insert("widget".into(), json!(widgets::offer_widget(state, &offer)));
        return Ok(PageContent::OfferBoard(face));
    }
    Ok(PageContent::Offer(face))
}

/// Returns the URL of a page's share image (decision B-21); `None` if it has none.
///
/// # Errors
/// The database could not be read.
pub async fn share_image_url(state: &State, page: &Page<'_>) -> Result<Option<String>, Problem> {
    let site = &state.config.public_url;
    let facts = state.catalogue.facts();
    Ok(match page.address.shows {
        PageKind::Landing => Some(share_card::share_card_url(
            site,
            "site",
            &ShareCard::of_site(),
        )),
        PageKind::Draw | PageKind::Verify => {
            let card = cards::share_card_of_draw(state, page.draw()).await;
            card.map(|card| {
                share_card::share_card_url(site, &format!("draw/{}", page.draw()), &card)
            })
        }
        PageKind::Club => facts.club_by_slug(page.variable("slug")).map(|club| {
            share_card::share_card_url(
                site,
                &format!("club/{}", club.slug),
                &ShareCard::of_club(club, &facts),
            )
        }),
        PageKind::Offer => {
            let offer = state
                .offers()
                .find(page.variable("slug"), page.variable("bundle"))
                .await?;
            offer.map(|offer| share_card::offer_image_url(site, &offer))
        }
        _ => None,
    })
}

async fn club_content(
    state: &State,
    slug: &str,
    boot: &mut Map<String, Value>,
) -> Result<PageContent, Problem> {
    let facts = state.catalogue.facts();
    let found = facts
        .club_by_slug(slug)
        .filter(|club| !club.archived && club.page_enabled);
    let Some(row) = found else {
        return Ok(PAGE_NOT_FOUND);
    };
    let part = DrawListSlice {
        club: Some(row.id),
        ..DrawListSlice::default()
    };
    let now = state.clock.now();
    let active = state.catalogue.list_slice(DrawList::Active, part, now);
    let completed = state.catalogue.list_slice(DrawList::Completed, part, now);
    let first_paint_draws = first_paint_draws(state, &active);
    let club = api::club::Club::new(row, slug)
        .with_raised(facts.raised_so_far(row.id, now))
        .with_draws(active, completed);
    let face = Box::new(ClubTexts::new(&club));
    boot.insert("club".into(), json!(club));
    let club_offers = state.offers().of_club(row).await?;
    let on_sale = club_offers.iter().filter(|offer| offer.is_on_sale());
    let on_sale: Vec<_> = on_sale
        .map(|offer| offers::public_offer(state, offer))
        .collect();
    boot.insert("offers".into(), json!(on_sale));
    Ok(PageContent::Club(face, first_paint_draws))
}

/// Returns the draws of the landing page: on sale, awaiting results and completed.
fn landing_page_draws(state: &State, club: Option<ClubId>) -> Vec<api::draw::Draw> {
    /// Maximum completed draws in the HTML document. A page that gets this many requests the whole
    /// list (`BOOT_LIST_DRAWS_MAX` in `use-live.ts`).
    const COMPLETED_DRAWS_MAX: usize = 60;
    let now = state.clock.now();
    let part = DrawListSlice {
        club,
        ..DrawListSlice::default()
    };
    let recent = DrawListSlice {
        limit: Some(COMPLETED_DRAWS_MAX),
        ..part
    };
    let mut draws = state.catalogue.list_slice(DrawList::Active, part, now);
    draws.extend(state.catalogue.list_slice(DrawList::Awaiting, part, now));
    draws.extend(state.catalogue.list_slice(DrawList::Completed, recent, now));
    draws
}

fn first_paint_draws(state: &State, draws: &[api::draw::Draw]) -> Vec<DrawTexts> {
    let now = state.clock.now();
    draws
        .iter()
        .filter(|draw| draw.status == "active")
        .map(|draw| DrawTexts::new(draw, now))
        .collect()
}

impl PageContent {
    /// Returns the data for the HTML template.
    pub fn template_body(&self) -> PageBody<'_> {
        match self {
            PageContent::Landing(draws) => PageBody::Landing { draws },
            PageContent::Draw(face) => PageBody::Draw(face),
            PageContent::Board(face) => PageBody::Board(face),
            PageContent::Offer(face) => PageBody::Offer(face),
            PageContent::OfferBoard(face) => PageBody::OfferBoard(face),
            PageContent::Club(club, draws) => PageBody::Club { club, draws },
            PageContent::Plain(heading, words) => PageBody::Plain { heading, words },
            PageContent::AppShell(heading) => PageBody::AppShell { heading },
            PageContent::Missing(heading, words) => PageBody::Missing { heading, words },
        }
    }
}
