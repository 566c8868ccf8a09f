//! Prices requested tickets from the database, never from values that the browser sends (decision
//! C-3).

use std::sync::Arc;

use actix_web::http::StatusCode;
use domain::order::{LineRequest, price_lines};
use domain::{AccountId, Cents, DrawId, Line, Refusal, Status, TICKETS, Timestamp, View};
use persistence::records::clubs::Club;
use persistence::records::listings::Listing;

use crate::api::error::Problem;
use crate::services::catalogue::CatalogueFacts;
use crate::services::open_orders::RequestedTickets;
use crate::state::State;

/// Minimum amount that Stripe charges to a card (decision C-23).
pub const CHARGE_MIN: Cents = Cents(50);

/// The price of the requested tickets, and the Stripe account that the buyer pays to.
pub struct Quote {
    pub club: Arc<Club>,
    pub account: AccountId,
    /// One line per draw, ascending by draw number.
    pub lines: Vec<Line>,
    /// The earliest kick-off of the draws.
    pub closes_at: Timestamp,
    /// A draw with fewer unsold tickets than requested, and the number of its unsold tickets;
    /// `None` if every draw has enough.
    pub too_few: Option<(DrawId, u16)>,
}

impl Quote {
    /// Returns the amount that the buyer pays, in cents.
    pub fn total(&self) -> Cents {
        self.lines
            .iter()
            .map(|line| line.subtotal() + line.card_fee)
            .sum()
    }
}

/// Prices the requested tickets.
///
/// # Errors
/// 404: unknown draw. 409: closed draw. 400: draws of several clubs, or below the smallest charge.
/// 403: the club cannot take payments yet.
pub async fn price(state: &State, tickets: &RequestedTickets) -> Result<Quote, Problem> {
    let mut draws = Vec::with_capacity(tickets.len());
    for draw in tickets.keys() {
        draws.push(
            state
                .catalogue
                .draw(*draw)
                .await
                .ok_or_else(Problem::draw_not_found)?,
        );
    }
    price_draws(state, tickets, draws)
}

/// Prices the requested tickets from memory only. `None` when a draw's actor would have to start,
/// or when the tickets cannot be bought.
pub fn price_from_memory(state: &State, tickets: &RequestedTickets) -> Option<Quote> {
    let draws: Option<Vec<DrawState>> = tickets
        .keys()
        .map(|draw| state.catalogue.draw_from_memory(*draw))
        .collect();
    price_draws(state, tickets, draws?).ok()
}

/// What is needed to price one draw: the catalogue's facts, the draw's listing and its current view.
type DrawState = (Arc<CatalogueFacts>, Arc<Listing>, View);

/// Prices the requested tickets. `draws` holds the state of each requested draw, in the same order
/// as `tickets`.
fn price_draws(
    state: &State,
    tickets: &RequestedTickets,
    draws: Vec<DrawState>,
) -> Result<Quote, Problem> {
    let now = state.clock.now();
    let mut requested_lines = Vec::with_capacity(tickets.len());
    let mut club: Option<Arc<Club>> = None;
    let (mut closes_at, mut too_few) = (Timestamp(i64::MAX), None);
    for ((draw, count), (facts, listing, view)) in tickets.iter().zip(draws) {
        check_on_sale(*draw, &view, listing.opens_at, now)?;
        let club_of_draw = facts
            .club(listing.club)
            .ok_or_else(Problem::draw_not_found)?;
        if club.as_ref().is_some_and(|club| club.id != club_of_draw.id) {
            return Err(Problem::bad_request(
                "mixed-clubs",
                "All tickets of a cart must be for games of the same club.",
            ));
        }
        club = Some(club_of_draw.clone());
        closes_at = closes_at.min(view.closes_at);
        let free = TICKETS.saturating_sub(view.sold);
        too_few = too_few.or((*count > free).then_some((*draw, free)));
        // Use the draw's setting even if passing the fee on is forbidden now, because a running
        // draw changes only with its next edit (decision D-14).
        let passes_card_fee = listing.pass_card_fee;
        requested_lines.push(LineRequest {
            draw: *draw,
            count: *count,
            unit_price: view.price,
            passes_card_fee,
        });
    }
    let club = club.ok_or_else(Problem::draw_not_found)?;
    let account = payee_account(&club)?;
    let mode = current_surcharge_mode(state, &state.catalogue.facts());
    let quote = Quote {
        club,
        account,
        lines: price_lines(&requested_lines, mode),
        closes_at,
        too_few,
    };
    if quote.total() < CHARGE_MIN {
        let message = format!("The total must be at least {CHARGE_MIN} to pay by card.");
        return Err(Problem::bad_request("below-minimum", message));
    }
    Ok(quote)
}

fn current_surcharge_mode(state: &State, facts: &CatalogueFacts) -> domain::SurchargeMode {
    facts.surcharge_mode(state.config.fees.surcharge)
}

fn check_on_sale(
    draw: DrawId,
    view: &View,
    opens_at: Option<Timestamp>,
    now: Timestamp,
) -> Result<(), Problem> {
    if view.status != Status::Active || now >= view.closes_at {
        return Err(Problem::command_refused(draw, Refusal::DrawClosed));
    }
    match opens_at {
        Some(opens_at) if now < opens_at => {
            Err(Problem::command_refused(draw, Refusal::DrawNotOpen))
        }
        _ => Ok(()),
    }
}

/// Returns the Stripe account that the club's buyers pay to (decisions C-24, E-16).
fn payee_account(club: &Club) -> Result<AccountId, Problem> {
    // Refuse a new payment to an archived club, whose running draws still finish (decision H-3).
    if club.archived {
        let text = "This club is not selling tickets at the moment.";
        return Err(Problem::conflict("club-not-selling", text));
    }
    club.account
        .clone()
        .filter(|_| club.connected)
        .ok_or_else(club_not_ready_problem)
}

/// Builds the 403 response: the club's Stripe account is not ready to take payments.
pub fn club_not_ready_problem() -> Problem {
    Problem::new(
        StatusCode::FORBIDDEN,
        "setup-required",
        "This club cannot take payments yet.",
    )
    .with_field("setupRequired", true)
}
