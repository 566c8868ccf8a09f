//! What tickets cost, from our own rows and nothing a browser says (decision C-3).

use std::sync::Arc;

use actix_web::http::StatusCode;
use domain::order::{Wanted, price as price_lines};
use domain::{AccountId, Cents, DrawId, Line, Refusal, Status, TICKETS, Timestamp, View};
use persistence::records::clubs::Club;
use persistence::records::listings::Listing;

use crate::catalogue::Facts;
use crate::error::Problem;
use crate::open_orders::Counts;
use crate::state::State;

/// The least the provider charges by card (decision C-23).
const CHARGE_MIN: Cents = Cents(50);

/// A priced wish.
pub struct Quote {
    pub club: Arc<Club>,
    pub account: AccountId,
    /// Ascending by draw.
    pub lines: Vec<Line>,
    /// The first kick-off.
    pub closes_at: Timestamp,
    /// A draw that has sold too many already, whatever becomes of what others have reserved; and how many it has not sold.
    pub too_few: Option<(DrawId, u16)>,
}

impl Quote {
    pub fn total(&self) -> Cents {
        self.lines
            .iter()
            .map(|line| line.subtotal() + line.card_fee)
            .sum()
    }
}

/// # Errors
/// 404 unknown draw, 409 closed, 400 mixed clubs or below the minimum charge, 403 a club that cannot take payments yet.
pub async fn price(state: &State, counts: &Counts) -> Result<Quote, Problem> {
    let mut found = Vec::with_capacity(counts.len());
    for draw in counts.keys() {
        found.push(
            state
                .catalogue
                .draw(*draw)
                .await
                .ok_or_else(Problem::draw_not_found)?,
        );
    }
    price_found(state, counts, found)
}

/// The same of one draw, from memory alone: `None` where somebody would have to be woken, or where there is nothing to sell.
pub fn price_now(state: &State, counts: &Counts) -> Option<Quote> {
    let found: Option<Vec<Found>> = counts
        .keys()
        .map(|draw| state.catalogue.draw_now(*draw))
        .collect();
    price_found(state, counts, found?).ok()
}

/// A draw as of now.
type Found = (Arc<Facts>, Arc<Listing>, View);

/// `found`: what is known of each of the wanted draws, in their order.
fn price_found(state: &State, counts: &Counts, found: Vec<Found>) -> Result<Quote, Problem> {
    let now = state.clock.now();
    let mut wanted = Vec::with_capacity(counts.len());
    let mut club: Option<Arc<Club>> = None;
    let (mut closes_at, mut too_few) = (Timestamp(i64::MAX), None);
    for ((draw, count), (facts, listing, view)) in counts.iter().zip(found) {
        check_on_sale(*draw, &view, listing.opens_at, now)?;
        let of_draw = facts
            .club(listing.club)
            .ok_or_else(Problem::draw_not_found)?;
        if club.as_ref().is_some_and(|club| club.id != of_draw.id) {
            return Err(Problem::bad_request(
                "mixed-clubs",
                "All tickets of a cart must be for games of the same club.",
            ));
        }
        club = Some(of_draw.clone());
        closes_at = closes_at.min(view.closes_at);
        let free = TICKETS.saturating_sub(view.sold);
        too_few = too_few.or((*count > free).then_some((*draw, free)));
        // As the draw says and shows it: forbidding the passing on reaches a running draw at its next edit (decision D-14).
        let passes_card_fee = listing.pass_card_fee;
        wanted.push(Wanted {
            draw: *draw,
            count: *count,
            unit_price: view.price,
            passes_card_fee,
        });
    }
    let club = club.ok_or_else(Problem::draw_not_found)?;
    let account = account_of(&club)?;
    let mode = surcharge(state, &state.catalogue.facts());
    let quote = Quote {
        club,
        account,
        lines: price_lines(&wanted, mode),
        closes_at,
        too_few,
    };
    if quote.total() < CHARGE_MIN {
        let message = format!("The total must be at least {CHARGE_MIN} to pay by card.");
        return Err(Problem::bad_request("below-minimum", message));
    }
    Ok(quote)
}

fn surcharge(state: &State, facts: &Facts) -> domain::SurchargeMode {
    facts.surcharge_mode(state.config.fees.surcharge)
}

fn check_on_sale(
    draw: DrawId,
    view: &View,
    opens_at: Option<Timestamp>,
    now: Timestamp,
) -> Result<(), Problem> {
    if view.status != Status::Active || now >= view.closes_at {
        return Err(Problem::refused(draw, Refusal::DrawClosed));
    }
    match opens_at {
        Some(opens_at) if now < opens_at => Err(Problem::refused(draw, Refusal::DrawNotOpen)),
        _ => Ok(()),
    }
}

/// Where a club's buyers pay (decisions C-24, E-16).
fn account_of(club: &Club) -> Result<AccountId, Problem> {
    // Its running draws finish and pay; nothing new is begun (decision H-3).
    if club.archived {
        let words = "This club is not selling tickets at the moment.";
        return Err(Problem::conflict("club-not-selling", words));
    }
    club.account
        .clone()
        .filter(|_| club.connected)
        .ok_or_else(unready)
}

/// The club is not set up with the provider, or not any more.
pub fn unready() -> Problem {
    Problem::new(
        StatusCode::FORBIDDEN,
        "setup-required",
        "This club cannot take payments yet.",
    )
    .with("setupRequired", true)
}
