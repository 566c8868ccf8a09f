//! A buyer's own order, by its secret token (decision B-9), and its confirmation once more.

use actix_web::{HttpResponse, web};
use domain::{Cell, DrawId, OrderState, PaymentIntentId, Serial, Status, View};
use persistence::books::OrderRecord;
use persistence::records::listings::Listing;

use crate::error::{Problem, reason_shown};
use crate::post::NOBODY;
use crate::routes::body::Body;
use crate::state::State;
use crate::wire::draw::status_shown;
use crate::wire::instant::rfc3339;
use crate::wire::order::{Order, OrderLine, OrderTicket, Refund, masked};
use crate::wire::purchase::Purchase;
use crate::wire::site::Said;

pub async fn show(
    state: web::Data<State>,
    token: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let record = by_token(&state, &token)
        .await?
        .ok_or_else(Problem::not_found)?;
    Ok(HttpResponse::Ok().json(present(&state, &record).await?))
}

/// The order of a token; what is not 32 hexadecimal digits is nobody's.
///
/// # Errors
/// The books could not be read.
pub async fn by_token(state: &State, token: &str) -> Result<Option<OrderRecord>, Problem> {
    if token.len() != 32 || !token.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Ok(None);
    }
    Ok(state.payments.order_by_token(&token.to_lowercase()).await?)
}

/// # Errors
/// The books could not be read, or a draw cannot tell its owner's pairs now.
pub async fn present(state: &State, record: &OrderRecord) -> Result<Order, Problem> {
    let order = &record.order;
    let facts = state.catalogue.facts();
    let club = facts.club(order.club).ok_or_else(Problem::unavailable)?;
    let mut lines = Vec::with_capacity(order.lines.len());
    for line in &order.lines {
        lines.push(present_line(state, record, line).await?);
    }
    let (status, refund) = standing(state, record).await?;
    let reason = match refund {
        None => record.reason.as_deref().map(reason_shown),
        Some(_) => reason_of_refund(&lines),
    };
    Ok(Order {
        state: state_word(order.state),
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
            .filter(|email| !email.ends_with(NOBODY))
            .map(masked),
        purchased_at: record.captured_at.or(record.authorised_at).map(rfc3339),
        reason,
        refund,
        lines,
    })
}

async fn present_line(
    state: &State,
    record: &OrderRecord,
    line: &domain::Line,
) -> Result<OrderLine, Problem> {
    let (_, listing, view) = state
        .catalogue
        .draw(line.draw)
        .await
        .ok_or_else(Problem::unavailable)?;
    let serials = record
        .tickets
        .iter()
        .find(|(draw, _)| *draw == line.draw)
        .map_or(&[][..], |(_, serials)| serials);
    let cells = match serials {
        [] => Vec::new(),
        serials => state
            .draws
            .cells(line.draw, serials)
            .await
            .map_err(|denied| Problem::denied(line.draw, denied))?,
    };
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
        status: status_shown(view, now),
        ticket_count: line.count,
        ticket_price: line.unit_price.decimal(),
        current_prize: view.prize.decimal(),
        tickets_sold: view.sold,
        tickets: cells
            .into_iter()
            .map(|(serial, cell)| own_ticket(line.draw, serial, cell, winner))
            .collect(),
    }
}

fn own_ticket(draw: DrawId, serial: Serial, cell: Cell, winner: Option<Serial>) -> OrderTicket {
    OrderTicket {
        ticket_number: serial.number(),
        serial_number: serial.label(draw),
        home_number: cell.home(),
        away_number: cell.away(),
        is_winner: winner.map(|winner| winner == serial),
    }
}

/// A refund's own reason is the operator's word; a buyer is told of a game that is off.
fn reason_of_refund(lines: &[OrderLine]) -> Option<String> {
    lines
        .iter()
        .any(|line| line.status == "cancelled")
        .then(|| "The draw was cancelled.".to_string())
}

/// The order's state in the words of the purchase calls, and what goes back or went.
async fn standing(
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
        OrderState::Void if state.records.is_refunded(record.order.id).await? => {
            ("refunded", refund("succeeded"))
        }
        OrderState::Void => ("refunding", refund("pending")),
        OrderState::Anomaly => ("processing", None),
    })
}

fn state_word(state: OrderState) -> &'static str {
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

/// Sends the confirmation once more, to the stored address only; always the same answer, at most three an hour (C-17).
pub async fn resend(
    state: web::Data<State>,
    body: Body<Purchase>,
) -> Result<HttpResponse, Problem> {
    if let Some(id) = body.0.payment_intent_id {
        let record = state
            .payments
            .order_by_payment_intent(&PaymentIntentId(id))
            .await?;
        if let Some(record) = record.filter(|record| record.order.state == OrderState::Captured) {
            queue_again(&state, &record).await?;
        }
    }
    let message = "If we know this payment, its confirmation is on the way again.".to_string();
    Ok(HttpResponse::Ok().json(Said { message }))
}

async fn queue_again(state: &State, record: &OrderRecord) -> Result<(), Problem> {
    let order = record.order.id;
    let Some(to) = record
        .buyer
        .email
        .as_deref()
        .filter(|_| state.limits.may_resend(order.0))
    else {
        return Ok(());
    };
    let now = state.clock.now();
    let dedupe_key = format!("resend:{order}:{}", now.0);
    state
        .outbox
        .queue(&dedupe_key, "resend", Some(order), to, "{}")
        .await?;
    Ok(())
}
