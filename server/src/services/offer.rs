//! Loads the public offers of clubs with their games, price and sale status (decision H-4).

use std::sync::Arc;

use domain::order::{self, LineRequest};
use domain::{Cents, Status, SurchargeMode, TICKETS, Timestamp, View};
use persistence::Failure;
use persistence::records::Records;
use persistence::records::bundles::Bundle;
use persistence::records::clubs::Club;
use persistence::records::listings::Listing;

use crate::services::catalogue::{Catalogue, CatalogueFacts};

mod public_offer;

/// A public offer with its games, in order of kick-off. Drafts and archived offers are never
/// loaded.
pub struct Offer {
    pub bundle: Bundle,
    pub club: Arc<Club>,
    pub facts: Arc<CatalogueFacts>,
    pub games: Vec<(Arc<Listing>, View)>,
    pub sale_status: OfferStatus,
    /// Price of one ticket of each game together, with the card fee where a draw passes the fee on
    /// (decisions D-6, H-8).
    pub total: Cents,
}

/// The current sale status of an offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OfferStatus {
    /// The offer's start time, or the sale start of one of its games, is in the future.
    Scheduled,
    OnSale,
    /// One of the offer's games has begun or is no longer on sale.
    Closed,
    /// The offer's end time has passed.
    Ended,
}

/// Reads offers from the database and the catalogue.
#[derive(Clone, Copy)]
pub struct Offers<'a> {
    pub records: &'a Records,
    pub catalogue: &'a Catalogue,
    /// The configured surcharge mode, used while the operator has set none.
    pub surcharge: SurchargeMode,
    pub now: Timestamp,
}

impl Offers<'_> {
    /// Loads a club's public offers, newest first.
    ///
    /// # Errors
    /// The database could not be read.
    pub async fn of_club(&self, club: &Arc<Club>) -> Result<Vec<Offer>, Failure> {
        let mut offers = Vec::new();
        for bundle in self.records.bundles(club.id).await? {
            offers.extend(self.load(club, bundle).await);
        }
        Ok(offers)
    }

    /// Finds a public offer by its club's slug and the offer's slug.
    ///
    /// `None` when the offer is not public: unknown, a draft, archived, or of a club without a
    /// page.
    ///
    /// # Errors
    /// The database could not be read.
    pub async fn find(&self, club: &str, slug: &str) -> Result<Option<Offer>, Failure> {
        let facts = self.catalogue.facts();
        let Some(club) = facts
            .club_by_slug(club)
            .filter(|club| !club.archived && club.page_enabled)
        else {
            return Ok(None);
        };
        if slug.contains(char::is_control) {
            return Ok(None);
        }
        match self.records.bundle_by_slug(club.id, slug).await? {
            Some(bundle) => Ok(self.load(club, bundle).await),
            None => Ok(None),
        }
    }

    async fn load(&self, club: &Arc<Club>, bundle: Bundle) -> Option<Offer> {
        if !matches!(bundle.status.as_str(), "active" | "locked" | "closed") {
            return None;
        }
        let mut games = Vec::with_capacity(bundle.games.len());
        for game in &bundle.games {
            let (_, listing, view) = self.catalogue.draw(*game).await?;
            games.push((listing, view));
        }
        games.sort_by_key(|(_, view)| (view.closes_at, view.draw));
        let sale_status = offer_status(&bundle, &games, self.now);
        let facts = self.catalogue.facts();
        let total = total_price(&games, facts.surcharge_mode(self.surcharge));
        Some(Offer {
            bundle,
            club: club.clone(),
            facts,
            games,
            sale_status,
            total,
        })
    }
}

impl Offer {
    /// Whether the offer is on sale, and so appears in lists.
    pub fn is_on_sale(&self) -> bool {
        self.sale_status == OfferStatus::OnSale
    }

    /// Returns the earliest kick-off of the offer's games. The offer is not sold after this time
    /// (decision H-6).
    pub fn closes_at(&self) -> Option<Timestamp> {
        self.games.first().map(|(_, view)| view.closes_at)
    }

    /// Returns the price of one ticket of each game together, without card fees (decision H-8).
    pub fn price(&self) -> Cents {
        self.games.iter().map(|(_, view)| view.price).sum()
    }

    /// Returns the sum of the games' prizes. A cancelled game has no prize.
    pub fn prize(&self) -> Cents {
        self.games
            .iter()
            .filter(|(_, view)| view.status != Status::Cancelled)
            .map(|(_, view)| view.prize)
            .sum()
    }

    /// Returns the number of sold tickets of all games together.
    pub fn sold(&self) -> u16 {
        self.games.iter().map(|(_, view)| view.sold).sum()
    }

    /// Returns the number of tickets, sold or not, of all games together.
    pub fn ticket_count(&self) -> u16 {
        TICKETS * u16::try_from(self.games.len()).unwrap_or(u16::MAX)
    }

    /// Returns how often the offer can still be bought: the number of free tickets of the game that
    /// has the fewest.
    pub fn available(&self) -> u16 {
        self.games
            .iter()
            .map(|(_, view)| view.free())
            .min()
            .unwrap_or(0)
    }

    /// Returns the name of a sold-out game; `None` if all games have tickets left (decision H-9).
    pub fn sold_out_game(&self) -> Option<String> {
        let (listing, _) = self.games.iter().find(|(_, view)| view.free() == 0)?;
        Some(format!("{} v {}", listing.home_team, listing.away_team))
    }

    /// Returns the URL path of the offer's page, such as `/club/sharks/specials/finals`.
    pub fn path(&self) -> String {
        format!("/club/{}/specials/{}", self.club.slug, self.bundle.slug)
    }
}

fn total_price(games: &[(Arc<Listing>, View)], mode: SurchargeMode) -> Cents {
    let one_ticket = |(listing, view): &(Arc<Listing>, View)| LineRequest {
        draw: view.draw,
        count: 1,
        unit_price: view.price,
        passes_card_fee: listing.pass_card_fee,
    };
    let requested: Vec<LineRequest> = games.iter().map(one_ticket).collect();
    order::price_lines(&requested, mode)
        .iter()
        .map(|line| line.subtotal() + line.card_fee)
        .sum()
}

fn offer_status(bundle: &Bundle, games: &[(Arc<Listing>, View)], now: Timestamp) -> OfferStatus {
    let is_over =
        |(_, view): &(Arc<Listing>, View)| view.status != Status::Active || now >= view.closes_at;
    let opens_later = |(listing, _): &(Arc<Listing>, View)| {
        listing.opens_at.is_some_and(|opens_at| now < opens_at)
    };
    if bundle.end_at.is_some_and(|end_at| now >= end_at) {
        OfferStatus::Ended
    } else if bundle.status == "closed" || games.is_empty() || games.iter().any(is_over) {
        OfferStatus::Closed
    } else if bundle.start_at.is_some_and(|start_at| now < start_at)
        || games.iter().any(opens_later)
    {
        OfferStatus::Scheduled
    } else {
        OfferStatus::OnSale
    }
}
