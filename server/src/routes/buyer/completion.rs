//! Finishing a purchase: every call ends in the one idempotent `fulfil` (rule 2, decision C-4).

use actix_web::{HttpRequest, HttpResponse, web};
use actors::{FulfilStatus, Fulfilled};
use domain::{DrawId, OrderState, PaymentIntentId};
use persistence::books::OrderRecord;

use super::payments::buyer::adds_to;
use super::payments::{amount_changed, draws_of, wanted};
use crate::error::{Problem, reason_shown};
use crate::identity::{Browser, address};
use crate::open_orders::is_own;
use crate::routes::body::Body;
use crate::state::State;
use crate::terms;
use crate::wire::purchase::{Purchase, PurchaseAnswer, TicketBought};

/// The card form's call: no consents in its body (they came with `validate-purchase`, decision C-12).
pub async fn card(
    state: web::Data<State>,
    browser: Browser,
    body: Body<Purchase>,
) -> Result<HttpResponse, Problem> {
    let record = order_of(&state, &browser, &body.0).await?;
    finish(&state, &browser, record, &body.0).await
}

/// The checkout page's, the wallet's and the beacon's call: both boxes must be ticked.
pub async fn purchase(
    request: HttpRequest,
    state: web::Data<State>,
    browser: Browser,
    body: Body<Purchase>,
) -> Result<HttpResponse, Problem> {
    check_consents(&body.0)?;
    let record = order_of(&state, &browser, &body.0).await?;
    store_consents(&request, &state, &record).await?;
    finish(&state, &browser, record, &body.0).await
}

/// # Errors
/// 400 with the specified words (A:207).
pub fn check_consents(body: &Purchase) -> Result<(), Problem> {
    if body.age_confirmation != Some(true) {
        return Err(Problem::bad_request("age-unconfirmed", AGE));
    }
    if body.terms_agreement != Some(true) {
        return Err(Problem::bad_request("terms-not-agreed", TERMS));
    }
    Ok(())
}

/// Before anything is charged: the tickets of who mistypes an address would reach nobody. A wallet's buyer types none, and is
/// asked for one afterwards (decision C-11).
///
/// # Errors
/// 400.
pub fn check_email(body: &Purchase) -> Result<(), Problem> {
    if body.has_unreadable_email() {
        Err(Problem::bad_request("email-invalid", NO_ADDRESS))
    } else {
        Ok(())
    }
}

pub const NO_ADDRESS: &str = "Valid email address is required";
pub const AGE: &str = "You must be over 18 to purchase tickets";
pub const TERMS: &str = "You must agree to the terms and conditions";

/// Stored with time, address and version; the first time counts.
///
/// # Errors
/// The books could not be written.
pub async fn store_consents(
    request: &HttpRequest,
    state: &State,
    record: &OrderRecord,
) -> Result<(), Problem> {
    if record.consent_at.is_none() {
        let ip = address(request, &state.config).to_string();
        state
            .payments
            .consented(record.order.id, &ip, terms::SALE.agreed())
            .await?;
    }
    Ok(())
}

/// The order a body speaks of: by its payment intent, else the browser's own order for these draws.
async fn order_of(
    state: &State,
    browser: &Browser,
    body: &Purchase,
) -> Result<OrderRecord, Problem> {
    let unknown = || Problem::from(actors::PaymentFailure::OrderUnknown);
    if let Some(id) = body
        .payment_intent_id
        .as_deref()
        .filter(|id| !id.is_empty())
    {
        return state
            .payments
            .order_by_payment_intent(&PaymentIntentId(id.to_string()))
            .await?
            .ok_or_else(unknown);
    }
    let counts = wanted::either(body)?;
    let known = state
        .open_orders
        .current(browser, &counts)
        .ok_or_else(unknown)?;
    state.payments.order(known.order).await?.ok_or_else(unknown)
}

/// Fills in the buyer, fulfils, answers.
///
/// # Errors
/// Whatever the buyer has to know.
pub async fn finish(
    state: &State,
    browser: &Browser,
    record: OrderRecord,
    body: &Purchase,
) -> Result<HttpResponse, Problem> {
    let amount = record.order.total();
    let surprised = body
        .expected_amount
        .is_some_and(|expected| expected != amount);
    if surprised && record.order.state == OrderState::Quoted {
        let status = state.payments.turn_down(record.order.id).await?;
        // Whatever was decided a moment before stands: the buyer authorised that very amount.
        if matches!(
            status,
            FulfilStatus::NotCharged { .. } | FulfilStatus::Waiting
        ) {
            state.open_orders.over(browser, record.order.id);
            return Err(amount_changed(amount));
        }
    }
    let buyer = body.buyer_details();
    if adds_to(&record.buyer, &buyer) {
        state.payments.fill_buyer(record.order.id, &buyer).await?;
        // Another door may have finished the order before anybody knew where to write to.
        if record.order.state == OrderState::Captured {
            state.outbox.nudge();
        }
    }
    let id = record
        .order
        .payment_intent
        .clone()
        .ok_or_else(Problem::unavailable)?;
    let fulfilled = state.payments.fulfil(&id).await?;
    state.live.order_moved(&record.token);
    let own = is_own(browser, &record.client_key, draws_of(&record))
        || body.order_token.as_ref() == Some(&record.token);
    if matches!(
        fulfilled.status,
        FulfilStatus::Succeeded | FulfilStatus::NotCharged { .. } | FulfilStatus::Refunding
    ) {
        state.open_orders.over(browser, record.order.id);
    }
    answer(state, fulfilled, own).await
}

async fn answer(state: &State, fulfilled: Fulfilled, own: bool) -> Result<HttpResponse, Problem> {
    let Fulfilled { record, status } = fulfilled;
    let (status, message) = match status {
        FulfilStatus::Succeeded => ("succeeded", None),
        FulfilStatus::Waiting => (
            "requires_payment_method",
            Some("The payment is not complete yet."),
        ),
        FulfilStatus::Processing => (
            "processing",
            Some("We are confirming your payment. Your tickets will follow by e-mail."),
        ),
        FulfilStatus::NotCharged { reason } => return Err(not_charged(&reason)),
        FulfilStatus::Refunding => return Err(refunding()),
    };
    let success = status == "succeeded";
    let tickets = if success && own {
        tickets(state, &record).await?
    } else {
        Vec::new()
    };
    Ok(HttpResponse::Ok().json(PurchaseAnswer {
        success,
        status,
        payment_intent_id: record.order.payment_intent.map(|id| id.0),
        order_token: own.then_some(record.token),
        tickets,
        message: message.map(str::to_string),
        client_secret: None,
    }))
}

/// The buyer's own tickets, pairs included (decision F-4).
async fn tickets(state: &State, record: &OrderRecord) -> Result<Vec<TicketBought>, Problem> {
    let mut tickets = Vec::new();
    for (draw, serials) in &record.tickets {
        let cells = state
            .draws
            .cells(*draw, serials)
            .await
            .map_err(|denied| Problem::denied(*draw, denied))?;
        tickets.extend(
            cells
                .into_iter()
                .map(|(serial, cell)| bought(*draw, serial, cell)),
        );
    }
    Ok(tickets)
}

fn bought(draw: DrawId, serial: domain::Serial, cell: domain::Cell) -> TicketBought {
    TicketBought {
        ticket_number: serial.number(),
        serial_number: serial.label(draw),
        draw_number: draw.0,
        home_number: cell.home(),
        away_number: cell.away(),
    }
}

/// The reason in the buyer's words, and that no money was taken.
fn not_charged(reason: &str) -> Problem {
    let message = format!(
        "{} You have not been charged.",
        stopped(reason_shown(reason))
    );
    Problem::conflict("not-charged", message)
        .with("success", false)
        .with("status", "not_charged")
}

/// A sentence with its full stop.
fn stopped(sentence: String) -> String {
    if sentence.ends_with(['.', '!', '?']) {
        sentence
    } else {
        sentence + "."
    }
}

fn refunding() -> Problem {
    Problem::conflict(
        "refunding",
        "Your tickets could not be issued and your payment is being refunded.",
    )
    .with("success", false)
    .with("status", "refunding")
}
