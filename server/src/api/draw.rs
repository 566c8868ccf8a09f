//! A draw as the public reads it.

use domain::{Status, Timestamp, View};
use persistence::records::clubs::Club;
use persistence::records::listings::Listing;
use serde::Serialize;
use utoipa::ToSchema;

use super::time_format::{local_time, rfc3339};

/// A draw, in lists and on its page. `id` and `drawNumber` are the same number (decision A-1).
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Draw {
    pub id: i64,
    pub draw_number: i64,
    /// Serial number of the draw, such as `FD-1042` (decision E-19).
    pub serial_number: String,
    pub league: Option<String>,
    pub home_team: String,
    pub away_team: String,
    pub club_id: i64,
    pub club_slug: String,
    pub club_name: String,
    pub club_primary_color: String,
    pub club_accent_color: String,
    pub club_logo_url: Option<String>,
    /// Kick-off, RFC 3339 in UTC.
    pub game_date: String,
    /// IANA name of the draw's time zone.
    pub timezone: String,
    /// Time of kick-off in the draw's time zone, `19:10:00`.
    pub game_time: String,
    pub opens_at: Option<String>,
    /// Ticket price in dollars, `5.00` (decision D-16).
    pub ticket_price: String,
    pub tickets_sold: u16,
    pub tickets_held: u16,
    pub tickets_available: u16,
    /// `active`, `closed`, `completed` or `cancelled`. An active draw after kick-off is shown as
    /// closed (decision E-2).
    pub status: &'static str,
    pub prize_percentage: u8,
    pub round_up_prize: bool,
    pub pass_stripe_fees: bool,
    pub archived: bool,
    pub home_first_try_scorer: Option<u8>,
    pub away_first_try_scorer: Option<u8>,
    /// Serial number of the winning ticket, such as `FD-1042-007`. Null before completion and
    /// kick-off, because with the result it discloses the ticket's number pair (decision E-6).
    pub winning_ticket_serial: Option<String>,
    pub winning_ticket_sold: Option<bool>,
    pub current_prize: String,
    pub max_prize: String,
    /// SHA-256 of the deal's seed, in hexadecimal (decision K-1).
    pub commitment: String,
    pub revision: u64,
    /// The contact for buyers (decision E-18). Public lists of draws omit it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub contact_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub contact_phone: Option<String>,
    /// The club's Stripe account, which Stripe.js needs (decision C-24). Public lists of draws omit
    /// it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub connected_account_id: Option<String>,
    /// Whether the club may start new payments (decisions B-13, H-3). A running payment still
    /// completes. Public lists of draws omit it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub club_selling: Option<bool>,
}

impl Draw {
    /// Builds a draw for a list.
    pub fn for_list(
        listing: &Listing,
        club: &Club,
        view: &View,
        winner_sold: Option<bool>,
        now: Timestamp,
    ) -> Draw {
        let result = view.result;
        Draw {
            id: view.draw.0,
            draw_number: view.draw.0,
            serial_number: format!("FD-{}", view.draw),
            league: listing.league.clone(),
            home_team: listing.home_team.clone(),
            away_team: listing.away_team.clone(),
            club_id: club.id.0,
            club_slug: club.slug.clone(),
            club_name: club.name.clone(),
            club_primary_color: club.primary_color.clone(),
            club_accent_color: club.accent_color.clone(),
            club_logo_url: club.logo_url.clone(),
            game_date: rfc3339(view.closes_at),
            timezone: listing.zone.clone(),
            game_time: local_time(view.closes_at, &listing.zone),
            opens_at: listing.opens_at.map(rfc3339),
            ticket_price: view.price.decimal(),
            tickets_sold: view.sold,
            tickets_held: view.held,
            tickets_available: view.free(),
            status: shown_status(view, now),
            prize_percentage: listing.prize_percentage,
            round_up_prize: listing.round_up_prize,
            pass_stripe_fees: listing.pass_card_fee,
            archived: listing.archived,
            home_first_try_scorer: result.map(|(result, _)| result.cell.home()),
            away_first_try_scorer: result.map(|(result, _)| result.cell.away()),
            winning_ticket_serial: shown_winning_serial(view, now),
            winning_ticket_sold: winner_sold,
            current_prize: view.prize.decimal(),
            max_prize: view.prize_max.decimal(),
            commitment: hex::encode(&listing.commitment),
            revision: view.revision,
            contact_name: None,
            contact_phone: None,
            connected_account_id: None,
            club_selling: None,
        }
    }

    /// Adds the fields that public lists of draws omit.
    #[must_use]
    pub fn with_page_fields(mut self, listing: &Listing, club: &Club) -> Draw {
        self.contact_name.clone_from(&listing.contact_name);
        self.contact_phone.clone_from(&listing.contact_phone);
        self.connected_account_id = club.account.as_ref().map(|account| account.0.clone());
        self.club_selling = Some(club.is_selling());
        self
    }
}

/// The fields of a draw that change with sales, sent over the WebSocket.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DrawNow {
    pub draw_number: i64,
    pub status: &'static str,
    pub tickets_sold: u16,
    pub tickets_held: u16,
    pub tickets_available: u16,
    pub current_prize: String,
    pub prize_pool_cents: i64,
    pub max_prize: String,
    pub game_date: String,
    pub home_first_try_scorer: Option<u8>,
    pub away_first_try_scorer: Option<u8>,
    pub winning_ticket_serial: Option<String>,
    pub winning_ticket_sold: Option<bool>,
}

impl DrawNow {
    pub fn new(view: &View, winner_sold: Option<bool>, now: Timestamp) -> DrawNow {
        DrawNow {
            draw_number: view.draw.0,
            status: shown_status(view, now),
            tickets_sold: view.sold,
            tickets_held: view.held,
            tickets_available: view.free(),
            current_prize: view.prize.decimal(),
            prize_pool_cents: view.prize.0,
            max_prize: view.prize_max.decimal(),
            game_date: rfc3339(view.closes_at),
            home_first_try_scorer: view.result.map(|(result, _)| result.cell.home()),
            away_first_try_scorer: view.result.map(|(result, _)| result.cell.away()),
            winning_ticket_serial: shown_winning_serial(view, now),
            winning_ticket_sold: winner_sold,
        }
    }
}

/// Returns the shown status: after kick-off a draw counts as closed, even if its actor has not
/// closed it yet.
pub fn shown_status(view: &View, now: Timestamp) -> &'static str {
    match view.status {
        Status::Active if now < view.closes_at => "active",
        Status::Active | Status::Closed => "closed",
        Status::Completed => "completed",
        Status::Cancelled => "cancelled",
    }
}

fn shown_winning_serial(view: &View, now: Timestamp) -> Option<String> {
    view.public_result(now)
        .map(|(_, serial)| serial.label(view.draw))
}
