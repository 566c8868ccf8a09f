//! Builds the API object of an order for its buyer.

use domain::{Cell, DrawId, OrderState, Serial, Status, View};
use persistence::records::listings::Listing;
use persistence::stores::OrderRecord;

use crate::access::order_access::OwnOrder;
use crate::api::draw::shown_status;
use crate::api::error::{Problem, not_charged_text};
use crate::api::order::{Order, OrderLine, OrderTicket, Refund, masked_email};
use crate::api::time_format::rfc3339;
use crate::render::mail_sender::PLACEHOLDER_EMAIL_ENDING;
use crate::state::State;

/// Builds the API object of an order for its buyer, with the number pairs of its tickets.
///
/// # Errors
/// The database could not be read, or the owner of a draw cannot answer now.
pub async fn order_for_buyer(state: &State, own: &OwnOrder) -> Result<Order, Problem> {
    let record = own.record();
    let order = &record.order;
    let facts = state.catalogue.facts();
    let club = facts.club(order.club).ok_or_else(Problem::unavailable)?;
    let mut lines = Vec::with_capacity(order.lines.len());
    for line in &order.lines {
        lines.push(present_order_line(state, own, line).await?);
    }
    let (status, refund) = order_status_and_refund(state, record).await?;
    let reason = match refund {
        None => record
            .reason
            .as_ref()
            .map(|reason| not_charged_text(reason.cause())),
        Some(_) => buyer_refund_reason(&lines),
    };
    Ok(Order {
        state: order_state_text(order.state),
        status,
        payment_intent_id: order.payment_intent.as_ref().map(|id| id.0.clone()),
        order_token: record.token.clone(),
        amount: order.total().0,
        subtotal: order
            .lines
            .iter()
            .map(domain::Line::subtotal)
            .sum::<domain::Cents>()
            .decimal(),
        card_fee: order
            .lines
            .iter()
            .map(|line| line.card_fee)
            .sum::<domain::Cents>()
            .decimal(),
        club_name: club.name.clone(),
        club_slug: club.slug.clone(),
        buyer_name: record.buyer.name.clone(),
        buyer_email_masked: record
            .buyer
            .email
            .as_deref()
            .filter(|email| !email.ends_with(PLACEHOLDER_EMAIL_ENDING))
            .map(masked_email),
        purchased_at: record.captured_at.or(record.authorised_at).map(rfc3339),
        reason,
        refund,
        lines,
    })
}

async fn present_order_line(
    state: &State,
    own: &OwnOrder,
    line: &domain::Line,
) -> Result<OrderLine, Problem> {
    let (_, listing, view) = state
        .catalogue
        .draw(line.draw)
        .await
        .ok_or_else(Problem::unavailable)?;
    let cells = own.number_pairs(state, line.draw).await?;
    Ok(order_line(&listing, &view, line, cells, state.clock.now()))
}

fn order_line(
    listing: &Listing,
    view: &View,
    line: &domain::Line,
    cells: Vec<(Serial, Cell)>,
    now: domain::Timestamp,
) -> OrderLine {
    let winner = view
        .result
        .filter(|_| view.status == Status::Completed)
        .map(|(_, winner)| winner);
    OrderLine {
        draw_number: line.draw.0,
        home_team: listing.home_team.clone(),
        away_team: listing.away_team.clone(),
        league: listing.league.clone(),
        game_date: rfc3339(view.closes_at),
        timezone: listing.zone.clone(),
        status: shown_status(view, now),
        ticket_count: line.count,
        ticket_price: line.unit_price.decimal(),
        current_prize: view.prize.decimal(),
        tickets_sold: view.sold,
        tickets: cells
            .into_iter()
            .map(|(serial, cell)| buyer_ticket(line.draw, serial, cell, winner))
            .collect(),
    }
}

fn buyer_ticket(draw: DrawId, serial: Serial, cell: Cell, winner: Option<Serial>) -> OrderTicket {
    OrderTicket {
        ticket_number: serial.number(),
        serial_number: serial.label(draw),
        home_number: cell.home(),
        away_number: cell.away(),
        is_winner: winner.map(|winner| winner == serial),
    }
}

/// Returns the reason of a refund for the buyer: that a draw was cancelled. Other stored reasons
/// are written for the operator and are not shown.
fn buyer_refund_reason(lines: &[OrderLine]) -> Option<String> {
    lines
        .iter()
        .any(|line| line.status == "cancelled")
        .then(|| "The draw was cancelled.".to_string())
}

/// Returns the status of an order and its refund. The status has the values that the responses to a
/// purchase use.
async fn order_status_and_refund(
    state: &State,
    record: &OrderRecord,
) -> Result<(&'static str, Option<Refund>), Problem> {
    let refund = |state| {
        Some(Refund {
            state,
            amount: record.order.total().decimal(),
        })
    };
    Ok(match record.order.state {
        OrderState::Quoted => ("requires_payment_method", None),
        OrderState::Allocated => ("processing", None),
        OrderState::Captured => ("succeeded", None),
        OrderState::Rejecting | OrderState::Released => ("not_charged", None),
        OrderState::Void if record.captured_at.is_none() => ("not_charged", None),
        OrderState::Void => match state
            .records
            .refund_state(record.order.id)
            .await?
            .as_deref()
        {
            Some("succeeded") => ("refunded", refund("succeeded")),
            Some("failed") => ("refund_failed", refund("failed")),
            _ => ("refunding", refund("pending")),
        },
        OrderState::Anomaly => ("processing", None),
    })
}

fn order_state_text(state: OrderState) -> &'static str {
    match state {
        OrderState::Quoted => "quoted",
        OrderState::Allocated => "allocated",
        OrderState::Captured => "captured",
        OrderState::Rejecting => "rejecting",
        OrderState::Released => "released",
        OrderState::Void => "void",
        OrderState::Anomaly => "anomaly",
    }
}
