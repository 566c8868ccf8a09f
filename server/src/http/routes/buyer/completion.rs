//! Completes a purchase. Every entry point calls the one idempotent function `fulfil` (decision
//! C-4).

use actix_web::{HttpRequest, HttpResponse, web};
use actors::{FulfilStatus, FulfilmentResult};
use domain::{DrawId, OrderEndCause, OrderState, PaymentIntentId};
use persistence::stores::OrderRecord;

use crate::access::order_access::{OrderAccess, OwnOrder};
use crate::api::error::{Problem, not_charged_text};
use crate::api::purchase::{BoughtTicket, Purchase, PurchaseResult};
use crate::checkout::{amount_changed_problem, requested_tickets};
use crate::http::routes::body::Body;
use crate::services::identity::{Browser, client_address};
use crate::state::State;

/// Handles `POST /api/complete-card-payment` of the card form. The body has no consents, because
/// the buyer gave them with `validate-purchase` (decision C-12).
pub async fn complete_card_payment(
    request: HttpRequest,
    state: web::Data<State>,
    browser: Browser,
    body: Body<Purchase>,
) -> Result<HttpResponse, Problem> {
    match find_order(&request, &state, &browser, &body.0).await? {
        OrderAccess::Own(own) => finish_purchase(&state, &browser, *own, &body.0).await,
        OrderAccess::Unproven(record) => fulfil_without_proof(&state, &record).await,
    }
}

/// Handles `POST /api/purchase-tickets` and `/api/purchase-cart` of the checkout page, a wallet or
/// a beacon (a request that a closing page sends). Both consents are required.
pub async fn complete_purchase(
    request: HttpRequest,
    state: web::Data<State>,
    browser: Browser,
    body: Body<Purchase>,
) -> Result<HttpResponse, Problem> {
    check_consents(&body.0)?;
    match find_order(&request, &state, &browser, &body.0).await? {
        OrderAccess::Own(own) => {
            own.store_consents(&state, client_address(&request, &state.config))
                .await?;
            finish_purchase(&state, &browser, *own, &body.0).await
        }
        OrderAccess::Unproven(record) => fulfil_without_proof(&state, &record).await,
    }
}

/// Checks that the buyer confirmed the age and agreed to the terms.
///
/// # Errors
/// 400 with the specified texts (section A:207 of the specification).
pub fn check_consents(body: &Purchase) -> Result<(), Problem> {
    if body.age_confirmation != Some(true) {
        return Err(Problem::bad_request("age-unconfirmed", AGE_ERROR));
    }
    if body.terms_agreement != Some(true) {
        return Err(Problem::bad_request("terms-not-agreed", TERMS_ERROR));
    }
    Ok(())
}

/// Checks the buyer's e-mail address before the payment is charged, because tickets cannot be sent
/// to an invalid address.
///
/// A wallet sends no e-mail address; the buyer is asked for one afterwards (decision C-11).
///
/// # Errors
/// 400.
pub fn check_email(body: &Purchase) -> Result<(), Problem> {
    if body.has_undeliverable_email() {
        Err(Problem::bad_request("email-invalid", EMAIL_ERROR))
    } else {
        Ok(())
    }
}

pub const EMAIL_ERROR: &str = "Valid email address is required";
pub const AGE_ERROR: &str = "You must be over 18 to purchase tickets";
pub const TERMS_ERROR: &str = "You must agree to the terms and conditions";

/// Finds the order of the payment intent in the body. Without a payment intent, finds the browser's
/// newest order for the draws in the body.
async fn find_order(
    request: &HttpRequest,
    state: &State,
    browser: &Browser,
    body: &Purchase,
) -> Result<OrderAccess, Problem> {
    let unknown = || Problem::from(actors::PaymentFailure::OrderUnknown);
    let record = if let Some(id) = body
        .payment_intent_id
        .as_deref()
        .filter(|id| !id.is_empty())
    {
        state
            .payments
            .order_by_payment_intent(&PaymentIntentId(id.to_string()))
            .await?
    } else {
        let tickets = requested_tickets::parse_single_or_cart(body)?;
        let tracked = state
            .open_orders
            .newest_order_for_draws(browser, &tickets)
            .ok_or_else(unknown)?;
        state.payments.order(tracked.order).await?
    };
    let access = record.map(|record| OrderAccess::of(record, browser, body));
    if !matches!(access, Some(OrderAccess::Own(_))) {
        state
            .limits
            .check_unproven_order_call_limit(client_address(request, &state.config))?;
    }
    access.ok_or_else(unknown)
}

/// Fulfils an order for a caller without a proof of being its buyer. This is harmless, because
/// `fulfil` is idempotent and checks the payment at Stripe.
///
/// The answer holds the status only: no token, tickets or personal data (decision M-1).
async fn fulfil_without_proof(
    state: &State,
    record: &OrderRecord,
) -> Result<HttpResponse, Problem> {
    let id = record
        .order
        .payment_intent
        .clone()
        .ok_or_else(Problem::unavailable)?;
    let fulfilled = state.payments.fulfil(&id).await?;
    state.live.mark_order_changed(&record.token);
    purchase_response(state, fulfilled, None).await
}

/// Stores the buyer's details, fulfils the order and builds the answer.
///
/// # Errors
/// Why the purchase did not finish, written for the buyer.
pub async fn finish_purchase(
    state: &State,
    browser: &Browser,
    mut own: OwnOrder,
    body: &Purchase,
) -> Result<HttpResponse, Problem> {
    let amount = own.record().order.total();
    let amount_differs = body
        .expected_amount
        .is_some_and(|expected| expected != amount);
    if amount_differs && own.record().order.state == OrderState::Quoted {
        let status = own.reject_changed_amount(state).await?;
        // If the payment is authorised already, a changed total is ignored, because the buyer
        // authorised exactly the order's amount.
        if matches!(
            status,
            FulfilStatus::NotCharged { .. } | FulfilStatus::Waiting
        ) {
            state.open_orders.mark_finished(browser, own.id());
            return Err(amount_changed_problem(amount));
        }
    }
    let accepted = own.fill_buyer(state, &body.buyer_details()).await?;
    let id = own
        .record()
        .order
        .payment_intent
        .clone()
        .ok_or_else(Problem::unavailable)?;
    let fulfilled = state.payments.fulfil(&id).await?;
    state.live.mark_order_changed(&own.record().token);
    match fulfilled.status {
        // Only the browser that opened the order counts as having paid, because a buyer may have
        // passed the order's token on.
        FulfilStatus::Succeeded if own.is_of_this_browser() => {
            state
                .open_orders
                .record_paid_order(browser, own.id(), state.clock.now());
        }
        FulfilStatus::Succeeded | FulfilStatus::NotCharged { .. } | FulfilStatus::Refunding => {
            state.open_orders.mark_finished(browser, own.id());
        }
        FulfilStatus::Waiting | FulfilStatus::Processing => {}
    }
    if !accepted && own.has_token_proof() && fulfilled.status == FulfilStatus::Succeeded {
        return Err(Problem::conflict(
            "contact-closed",
            CONTACT_DETAILS_CLOSED_ERROR,
        ));
    }
    purchase_response(state, fulfilled, Some(own)).await
}

/// Error text for contact details that arrive after the result is known. They are refused, because
/// another holder of the order's token could claim a winning ticket (decision M-1).
const CONTACT_DETAILS_CLOSED_ERROR: &str = "The result of this game is known, so contact details can no longer be added here. Please contact support.";

async fn purchase_response(
    state: &State,
    fulfilled: FulfilmentResult,
    own: Option<OwnOrder>,
) -> Result<HttpResponse, Problem> {
    let FulfilmentResult { record, status } = fulfilled;
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
        FulfilStatus::NotCharged { reason } => return Err(not_charged_problem(reason.cause())),
        FulfilStatus::Refunding => return Err(refunding_problem()),
    };
    let payment_intent_id = record.order.payment_intent.as_ref().map(|id| id.0.clone());
    let own = own.map(|own| own.with_newer_record(record));
    let tickets = match &own {
        Some(own) => read_bought_tickets(state, own).await?,
        None => Vec::new(),
    };
    Ok(HttpResponse::Ok().json(PurchaseResult {
        success: status == "succeeded",
        status,
        payment_intent_id,
        order_token: own.as_ref().and_then(OwnOrder::disclosable_token),
        tickets,
        message: message.map(str::to_string),
        client_secret: None,
    }))
}

/// Reads the order's tickets with their number pairs, which the buyer may see (decision F-4).
async fn read_bought_tickets(state: &State, own: &OwnOrder) -> Result<Vec<BoughtTicket>, Problem> {
    let mut tickets = Vec::new();
    for draw in own.record().draws() {
        let pairs = own.number_pairs(state, draw).await?;
        tickets.extend(
            pairs
                .into_iter()
                .map(|(serial, cell)| bought_ticket(draw, serial, cell)),
        );
    }
    Ok(tickets)
}

fn bought_ticket(draw: DrawId, serial: domain::Serial, cell: domain::Cell) -> BoughtTicket {
    BoughtTicket {
        ticket_number: serial.number(),
        serial_number: serial.label(draw),
        draw_number: draw.0,
        home_number: cell.home(),
        away_number: cell.away(),
    }
}

/// Builds the 409 response for an order that was not charged, with the reason written for the
/// buyer.
fn not_charged_problem(cause: OrderEndCause) -> Problem {
    let message = format!(
        "{} You have not been charged.",
        with_full_stop(not_charged_text(cause))
    );
    Problem::conflict("not-charged", message)
        .with_field("success", false)
        .with_field("status", "not_charged")
}

/// Adds a full stop when the sentence has no closing punctuation.
fn with_full_stop(sentence: String) -> String {
    if sentence.ends_with(['.', '!', '?']) {
        sentence
    } else {
        sentence + "."
    }
}

fn refunding_problem() -> Problem {
    Problem::conflict(
        "refunding",
        "Your tickets could not be issued and your payment is being refunded.",
    )
    .with_field("success", false)
    .with_field("status", "refunding")
}
