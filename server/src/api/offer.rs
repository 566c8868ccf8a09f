//! An offer as the public reads it.

use serde::Serialize;
use utoipa::ToSchema;

use super::draw::status_shown;
use super::instant::rfc3339;
use crate::services::offer::{Offer, OfferStatus};
use crate::state::State;

/// A public offer. The club's editor reads `OwnOffer` instead.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PublicOffer {
    pub id: i64,
    pub name: String,
    pub slug: String,
    /// `BUNDLE` or `SPECIAL`.
    pub r#type: String,
    /// `active`, `locked` (has sales, still on sale), `scheduled` or `closed`.
    pub status: String,
    /// The full text; pages shorten it to 90 characters (decision H-12).
    pub display_tag: Option<String>,
    pub primary_copy: Option<String>,
    /// The club's own picture, else a generated card (decision H-11).
    pub share_image_url: String,
    pub club_id: i64,
    pub club_slug: String,
    pub club_name: String,
    pub games: Vec<PublicOfferGame>,
    pub draw_ids: Vec<i64>,
    pub start_at: Option<String>,
    pub end_at: Option<String>,
    /// The first kick-off of its games.
    pub closes_at: Option<String>,
    /// One ticket of each game.
    pub total_price: String,
    pub available: u16,
    pub sellable: bool,
    /// Why the offer cannot be bought: `Bundle closed`, or the game that is sold out (decision
    /// H-9).
    pub unavailable_reason: Option<String>,
}

/// A game of an offer.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PublicOfferGame {
    pub id: i64,
    pub draw_number: i64,
    pub home_team: String,
    pub away_team: String,
    pub league: Option<String>,
    pub game_date: String,
    pub timezone: String,
    pub ticket_price: String,
    pub pass_stripe_fees: bool,
    /// Kick-off, unless sales end before it (decision H-6).
    pub sales_close_at: Option<String>,
    pub status: &'static str,
    pub current_prize: String,
    pub tickets_sold: u16,
    pub tickets_available: u16,
}

impl PublicOffer {
    pub fn new(state: &State, offer: &Offer) -> PublicOffer {
        let bundle = &offer.bundle;
        let status = match offer.standing {
            OfferStatus::OnSale => bundle.status.clone(),
            OfferStatus::Scheduled => "scheduled".to_string(),
            OfferStatus::Closed | OfferStatus::Ended => "closed".to_string(),
        };
        let unavailable_reason = match offer.standing {
            OfferStatus::Closed | OfferStatus::Ended => Some("Bundle closed".to_string()),
            OfferStatus::Scheduled => Some("Ticket sales have not opened yet.".to_string()),
            OfferStatus::OnSale => offer.sold_out().map(|game| format!("{game} is sold out.")),
        };
        PublicOffer {
            id: bundle.id,
            name: bundle.name.clone(),
            slug: bundle.slug.clone(),
            r#type: bundle.kind.clone(),
            status,
            display_tag: bundle.display_tag.clone(),
            primary_copy: bundle.primary_copy.clone(),
            share_image_url: crate::render::card::address_of_offer(&state.config.public_url, offer),
            club_id: offer.club.id.0,
            club_slug: offer.club.slug.clone(),
            club_name: offer.club.name.clone(),
            games: games(state, offer),
            draw_ids: offer.games.iter().map(|(_, view)| view.draw.0).collect(),
            start_at: bundle.start_at.map(rfc3339),
            end_at: bundle.end_at.map(rfc3339),
            closes_at: offer.closes_at().map(rfc3339),
            total_price: offer.price().decimal(),
            available: offer.available(),
            sellable: unavailable_reason.is_none(),
            unavailable_reason,
        }
    }
}

fn games(state: &State, offer: &Offer) -> Vec<PublicOfferGame> {
    let now = state.clock.now();
    let game = |(listing, view): &(
        std::sync::Arc<persistence::records::listings::Listing>,
        domain::View,
    )| PublicOfferGame {
        id: view.draw.0,
        draw_number: view.draw.0,
        home_team: listing.home_team.clone(),
        away_team: listing.away_team.clone(),
        league: listing.league.clone(),
        game_date: rfc3339(view.closes_at),
        timezone: listing.zone.clone(),
        ticket_price: view.price.decimal(),
        pass_stripe_fees: listing.pass_card_fee,
        sales_close_at: None,
        status: status_shown(view, now),
        current_prize: view.prize.decimal(),
        tickets_sold: view.sold,
        tickets_available: view.free(),
    };
    offer.games.iter().map(game).collect()
}
