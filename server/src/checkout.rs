//! Opens a payment for tickets, or resizes the open one, in this order: price, limits, reservation,
//! payment intent, answer (decisions C-2, C-3, C-10).

use std::collections::BTreeSet;
use std::net::IpAddr;

use actix_web::HttpRequest;
use domain::{Cents, DrawId, OrderId, OrderState, Timestamp, reservation};
use persistence::failpoint::{self, PurchaseStep};
use persistence::ledger::BuyerDetails;

use crate::access::order_access::OwnOrder;
use crate::api::error::Problem;
use crate::api::purchase::Purchase;
use crate::services::identity::{Browser, RequestBrowser, client_address};
use crate::state::State;

mod consents;
mod limits;
mod offers;
mod order;
pub mod quote;
pub mod requested_tickets;
mod response;

pub use consents::remember_consents;
pub use limits::{amount_changed_problem, hold_source};
pub use response::CheckoutKind;

use crate::services::open_orders::{CheckoutPlan, RequestedTickets, TrackedOrder};
use order::OrderWithGeneration;

/// A request to open a payment.
pub struct CheckoutRequest {
    pub browser: Browser,
    /// Whether the browser sent its signed cookie. A browser without one counts as new.
    pub is_known: bool,
    pub address: IpAddr,
    pub tickets: RequestedTickets,
    /// The client's idempotency key of this purchase attempt; `None` when the client sent none.
    pub attempt: Option<String>,
    /// The total that the buyer saw; `None` when the client did not send the total.
    pub expected_amount: Option<Cents>,
    pub buyer: BuyerDetails,
    /// Ids of the offers whose games are in the cart; `None` for a request of a single draw.
    pub offers: Option<BTreeSet<i64>>,
}

impl CheckoutRequest {
    /// Collects the request from the HTTP request, the parsed tickets and the body.
    pub fn new(
        request: &HttpRequest,
        state: &State,
        browser: Browser,
        tickets: RequestedTickets,
        body: &Purchase,
    ) -> CheckoutRequest {
        CheckoutRequest {
            browser,
            is_known: RequestBrowser::of(request).is_some(),
            address: client_address(request, &state.config),
            tickets,
            attempt: body.client_key.clone().filter(|key| !key.is_empty()),
            expected_amount: body.expected_amount,
            buyer: body.buyer_details(),
            offers: body.offer_ids(),
        }
    }
}

/// An order whose payment is open, and the end of its reservation.
pub struct OpenedCheckout {
    pub order: OwnOrder,
    /// When the reservation ends, as shown to the buyer.
    pub shown_until: Timestamp,
}

/// Opens an order of this browser for the requested draws, or resizes the open one.
///
/// # Errors
/// Why no order was opened, written for the buyer. Earlier reservations of the browser stay as they
/// were.
pub async fn open(state: &State, request: CheckoutRequest) -> Result<OpenedCheckout, Problem> {
    limits::check_open_for_payments(state)?;
    let quote = failpoint::run_between_failpoints(
        PurchaseStep::Quote,
        quote::price(state, &request.tickets),
    )
    .await?;
    limits::check_amount(&request, &quote)?;
    limits::check_not_sold_out(state, &request, &quote)?;
    let _turn = state.open_orders.lock_browser(&request.browser).await;
    let now = state.clock.now();
    let plan = state
        .open_orders
        .plan_checkout(&request.browser, &request.tickets, now);
    limits::check_browser_limits(state, &request, &plan)?;
    let still_reserved = abandon_overlapping_orders(state, &request, &plan, now).await?;
    limits::check_reserved_tickets(&request, plan.reserved_elsewhere + still_reserved)?;
    state
        .open_orders
        .record_order_opening_started(&request.browser, &request.tickets, now);
    let found = order::find_or_open_order(state, &request, &quote, &plan).await?;
    let shown_until = order::reservation_end_shown(state, &found.record, &quote, now).await?;
    let generation = found.generation;
    let order = store_order_details(state, &request, &plan, found, now).await?;
    let tracked = TrackedOrder {
        order: order.id(),
        counts: request.tickets,
        generation,
        attempt: request.attempt,
        reserved_until: shown_until.plus_seconds(
            reservation::ACTUAL_RESERVATION_SECONDS - reservation::SHOWN_RESERVATION_SECONDS,
        ),
        is_finished: !is_unpaid(&order),
    };
    state
        .open_orders
        .record_opened_order(&request.browser, tracked, now);
    Ok(OpenedCheckout { order, shown_until })
}

/// Returns the browser's newest order for the requested draws, paid or not, so that a repeated
/// request never buys twice. Opens a new order when there is none.
///
/// # Errors
/// Why no order was opened, written for the buyer.
pub async fn newest_order_or_open(
    state: &State,
    request: CheckoutRequest,
) -> Result<OwnOrder, Problem> {
    if let Some(own) = order::find_newest_order(state, &request.browser, &request.tickets).await? {
        let record = own.record();
        let is_same = record
            .order
            .lines
            .iter()
            .all(|line| request.tickets.get(&line.draw) == Some(&line.count));
        if is_same || record.order.state != OrderState::Quoted {
            return Ok(own);
        }
    }
    Ok(open(state, request).await?.order)
}

/// Finds a draw that has too few tickets left for a browser without reservations. Returns the draw
/// and its number of unsold tickets. Reads only memory, never the database.
///
/// `None` when enough tickets are left, or when memory does not suffice to decide. The caller then
/// uses [`open`].
pub fn find_draw_with_too_few_tickets(state: &State, body: &Purchase) -> Option<(DrawId, u16)> {
    let tickets = requested_tickets::parse_single(body).ok()?;
    limits::check_open_for_payments(state).ok()?;
    let quote = quote::price_from_memory(state, &tickets)?;
    let agreed = body
        .expected_amount
        .is_none_or(|expected| expected == quote.total());
    quote.too_few.filter(|_| agreed)
}

/// Abandons the browser's other unpaid orders that contain one of the requested draws. Returns the
/// number of tickets of those that stay open, because their buyer is paying.
async fn abandon_overlapping_orders(
    state: &State,
    request: &CheckoutRequest,
    plan: &CheckoutPlan,
    now: Timestamp,
) -> Result<u16, Problem> {
    for order in &plan.abandon {
        let after = state.payments.abandon(*order).await?;
        stop_tracking_if_ended(state, &request.browser, *order, after);
    }
    Ok(state
        .open_orders
        .reserved_by_orders(&request.browser, &plan.abandon, now))
}

/// Marks the order as finished if it was abandoned. `after`: the order's state after the attempt. An
/// order whose buyer is paying is still `Quoted` and keeps its tickets.
pub fn stop_tracking_if_ended(state: &State, browser: &Browser, order: OrderId, after: OrderState) {
    if after != OrderState::Quoted {
        state.open_orders.mark_finished(browser, order);
    }
}

/// Stores with an opened order the buyer, the consents remembered for the browser, and the offers.
async fn store_order_details(
    state: &State,
    request: &CheckoutRequest,
    plan: &CheckoutPlan,
    found: OrderWithGeneration,
    now: Timestamp,
) -> Result<OwnOrder, Problem> {
    // `of_browser` never returns `None` here, because the order was found or opened under a key of
    // this browser.
    let mut order =
        OwnOrder::of_browser(found.record, &request.browser).ok_or_else(Problem::unavailable)?;
    order.correct_buyer(state, &request.buyer).await?;
    consents::store_remembered_consents(state, request, &order, now).await?;
    // A new order without offers needs no write, because no stored offers have to be removed.
    let offers = request
        .offers
        .as_ref()
        .filter(|offers| !plan.is_new || !offers.is_empty());
    if let Some(offers) = offers.filter(|_| is_unpaid(&order)) {
        offers::store_order_offers(state, &order, &request.tickets, offers).await?;
    }
    Ok(order)
}

fn is_unpaid(order: &OwnOrder) -> bool {
    order.record().order.state == OrderState::Quoted
}
