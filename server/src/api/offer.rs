//! An offer as the public reads it.

use serde::Serialize;
use utoipa::ToSchema;

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
    /// The offer's tag in full length; pages shorten it to 90 characters (decision H-12).
    pub display_tag: Option<String>,
    pub primary_copy: Option<String>,
    /// URL of the picture that the club uploaded, else of a generated share card (decision H-11).
    pub share_image_url: String,
    pub club_id: i64,
    pub club_slug: String,
    pub club_name: String,
    pub games: Vec<PublicOfferGame>,
    pub draw_ids: Vec<i64>,
    pub start_at: Option<String>,
    pub end_at: Option<String>,
    /// The earliest kick-off of the offer's games.
    pub closes_at: Option<String>,
    /// Price of one ticket of each game, in dollars.
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
    /// When sales of this game close: at kick-off, or at an earlier end of sales (decision H-6).
    pub sales_close_at: Option<String>,
    pub status: &'static str,
    pub current_prize: String,
    pub tickets_sold: u16,
    pub tickets_available: u16,
}
