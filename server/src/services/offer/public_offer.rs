//! Builds the public API object of an offer.

use std::sync::Arc;

use domain::{Timestamp, View};
use persistence::records::listings::Listing;

use super::{Offer, OfferStatus};
use crate::api::draw::shown_status;
use crate::api::offer::{PublicOffer, PublicOfferGame};
use crate::api::time_format::rfc3339;

impl Offer {
    /// Builds the public API object of the offer. `share_image_url` is the URL of its uploaded
    /// picture, or of its generated share card.
    pub fn public_offer(&self, share_image_url: String, now: Timestamp) -> PublicOffer {
        let bundle = &self.bundle;
        let status = match self.sale_status {
            OfferStatus::OnSale => bundle.status.clone(),
            OfferStatus::Scheduled => "scheduled".to_string(),
            OfferStatus::Closed | OfferStatus::Ended => "closed".to_string(),
        };
        let unavailable_reason = match self.sale_status {
            OfferStatus::Closed | OfferStatus::Ended => Some("Bundle closed".to_string()),
            OfferStatus::Scheduled => Some("Ticket sales have not opened yet.".to_string()),
            OfferStatus::OnSale => self
                .sold_out_game()
                .map(|game| format!("{game} is sold out.")),
        };
        PublicOffer {
            id: bundle.id,
            name: bundle.name.clone(),
            slug: bundle.slug.clone(),
            r#type: bundle.kind.clone(),
            status,
            display_tag: bundle.display_tag.clone(),
            primary_copy: bundle.primary_copy.clone(),
            share_image_url,
            club_id: self.club.id.0,
            club_slug: self.club.slug.clone(),
            club_name: self.club.name.clone(),
            games: public_offer_games(self, now),
            draw_ids: self.games.iter().map(|(_, view)| view.draw.0).collect(),
            start_at: bundle.start_at.map(rfc3339),
            end_at: bundle.end_at.map(rfc3339),
            closes_at: self.closes_at().map(rfc3339),
            total_price: self.price().decimal(),
            available: self.available(),
            sellable: unavailable_reason.is_none(),
            unavailable_reason,
        }
    }
}

fn public_offer_games(offer: &Offer, now: Timestamp) -> Vec<PublicOfferGame> {
    let game = |(listing, view): &(Arc<Listing>, View)| PublicOfferGame {
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
        status: shown_status(view, now),
        current_prize: view.prize.decimal(),
        tickets_sold: view.sold,
        tickets_available: view.free(),
    };
    offer.games.iter().map(game).collect()
}
