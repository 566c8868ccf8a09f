//! An offer as buyers meet it: what it holds, and whether it may be bought now (A:107, A:176, decision H-4).

use std::sync::Arc;

use domain::order::{self, Wanted};
use domain::{Cents, Status, SurchargeMode, TICKETS, Timestamp, View};
use persistence::Failure;
use persistence::records::bundles::Bundle;
use persistence::records::clubs::Club;
use persistence::records::listings::Listing;

use crate::catalogue::Facts;
use crate::state::State;

/// An offer with its games, ascending by kick-off. Never a draft, never archived.
pub struct Offer {
    pub bundle: Bundle,
    pub club: Arc<Club>,
    pub facts: Arc<Facts>,
    pub games: Vec<(Arc<Listing>, View)>,
    pub standing: Standing,
    /// What one ticket of each game costs a buyer: the card fee is in it where it is passed on (decisions D-6, H-8).
    pub total: Cents,
}

/// What an offer is for the person looking at it now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Its time has not come.
    Scheduled,
    OnSale,
    /// One of its games has begun or is not sold any more.
    Closed,
    /// Its own time is over.
    Ended,
}

impl Offer {
    /// A club's offers that anyone may know of, newest first.
    ///
    /// # Errors
    /// The books could not be read.
    pub async fn of_club(state: &State, club: &Arc<Club>) -> Result<Vec<Offer>, Failure> {
        let mut offers = Vec::new();
        for bundle in state.records.bundles(club.id).await? {
            offers.extend(Offer::new(state, club, bundle).await);
        }
        Ok(offers)
    }

    /// One offer by the slugs of its club and its own; `None` for one that nobody may see: unknown, a draft, archived, of a
    /// club without a page.
    ///
    /// # Errors
    /// The books could not be read.
    pub async fn find(state: &State, club: &str, slug: &str) -> Result<Option<Offer>, Failure> {
        let facts = state.catalogue.facts();
        let Some(club) = facts
            .club_by_slug(club)
            .filter(|club| !club.archived && club.page_enabled)
        else {
            return Ok(None);
        };
        if slug.contains(char::is_control) {
            return Ok(None);
        }
        match state.records.bundle_by_slug(club.id, slug).await? {
            Some(bundle) => Ok(Offer::new(state, club, bundle).await),
            None => Ok(None),
        }
    }

    async fn new(state: &State, club: &Arc<Club>, bundle: Bundle) -> Option<Offer> {
        if !matches!(bundle.status.as_str(), "active" | "locked" | "closed") {
            return None;
        }
        let mut games = Vec::with_capacity(bundle.games.len());
        for game in &bundle.games {
            let (_, listing, view) = state.catalogue.draw(*game).await?;
            games.push((listing, view));
        }
        games.sort_by_key(|(_, view)| (view.closes_at, view.draw));
        let standing = standing(&bundle, &games, state.clock.now());
        let facts = state.catalogue.facts();
        let total = total(&games, facts.surcharge_mode(state.config.fees.surcharge));
        Some(Offer {
            bundle,
            club: club.clone(),
            facts,
            games,
            standing,
            total,
        })
    }

    /// Whether lists show it (A:176).
    pub fn is_on_sale(&self) -> bool {
        self.standing == Standing::OnSale
    }

    /// The first kick-off among its games: from then on nothing of it is sold (decision H-6).
    pub fn closes_at(&self) -> Option<Timestamp> {
        self.games.first().map(|(_, view)| view.closes_at)
    }

    /// One ticket of each game (decision H-8).
    pub fn price(&self) -> Cents {
        self.games.iter().map(|(_, view)| view.price).sum()
    }

    /// What there is to win; a game that was called off has none.
    pub fn prize(&self) -> Cents {
        self.games
            .iter()
            .filter(|(_, view)| view.status != Status::Cancelled)
            .map(|(_, view)| view.prize)
            .sum()
    }

    pub fn sold(&self) -> u16 {
        self.games.iter().map(|(_, view)| view.sold).sum()
    }

    pub fn cap(&self) -> u16 {
        TICKETS * u16::try_from(self.games.len()).unwrap_or(u16::MAX)
    }

    /// How often it can be had: as often as its rarest game.
    pub fn available(&self) -> u16 {
        self.games
            .iter()
            .map(|(_, view)| view.free())
            .min()
            .unwrap_or(0)
    }

    /// The game that is sold out, if one is (decision H-9).
    pub fn sold_out(&self) -> Option<String> {
        let (listing, _) = self.games.iter().find(|(_, view)| view.free() == 0)?;
        Some(format!("{} v {}", listing.home_team, listing.away_team))
    }

    /// `/club/sharks/specials/finals`.
    pub fn path(&self) -> String {
        format!("/club/{}/specials/{}", self.club.slug, self.bundle.slug)
    }
}

fn total(games: &[(Arc<Listing>, View)], mode: SurchargeMode) -> Cents {
    let one = |(listing, view): &(Arc<Listing>, View)| Wanted {
        draw: view.draw,
        count: 1,
        unit_price: view.price,
        passes_card_fee: listing.pass_card_fee,
    };
    let wanted: Vec<Wanted> = games.iter().map(one).collect();
    order::price(&wanted, mode)
        .iter()
        .map(|line| line.subtotal() + line.card_fee)
        .sum()
}

fn standing(bundle: &Bundle, games: &[(Arc<Listing>, View)], now: Timestamp) -> Standing {
    let over =
        |(_, view): &(Arc<Listing>, View)| view.status != Status::Active || now >= view.closes_at;
    let opens_later = |(listing, _): &(Arc<Listing>, View)| {
        listing.opens_at.is_some_and(|opens_at| now < opens_at)
    };
    if bundle.end_at.is_some_and(|end_at| now >= end_at) {
        Standing::Ended
    } else if bundle.status == "closed" || games.is_empty() || games.iter().any(over) {
        Standing::Closed
    } else if bundle.start_at.is_some_and(|start_at| now < start_at)
        || games.iter().any(opens_later)
    {
        Standing::Scheduled
    } else {
        Standing::OnSale
    }
}
