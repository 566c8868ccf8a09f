//! Finds the browser's order for the requested draws, or opens a new one: the actors reserve the
//! tickets and create the payment intent.

use actors::{OpenOrderRequest, PaymentFailure};
use domain::provider_error::ProviderErrorClass;
use domain::{AccountId, OrderId, OrderState, Timestamp, reservation};
use persistence::stores::OrderRecord;

use super::CheckoutRequest;
use super::limits::{count_new_intent, hold_source};
use super::quote::{Quote, club_not_ready_problem};
use crate::access::order_access::OwnOrder;
use crate::api::error::Problem;
use crate::services::identity::{Browser, random};
use crate::services::open_orders::{CheckoutPlan, RequestedTickets, client_key};
use crate::state::State;

/// Maximum number of one browser's finished orders for the same draws that are skipped when a new
/// order is opened.
const FINISHED_ORDERS_SKIPPED_MAX: u32 = 200;

/// An order of the browser. `generation` is its number among the browser's successive orders for
/// the same draws.
pub(super) struct OrderWithGeneration {
    pub record: OrderRecord,
    pub generation: u32,
}

/// Returns the browser's unpaid order for the requested draws, resized if necessary, or opens a new
/// one.
///
/// A finished order is returned only for the attempt key that opened it. So a repeated request gets
/// the same order, and a new purchase opens another.
pub(super) async fn find_or_open_order(
    state: &State,
    request: &CheckoutRequest,
    quote: &Quote,
    plan: &CheckoutPlan,
) -> Result<OrderWithGeneration, Problem> {
    let first = plan.generation;
    let mut is_counted = plan.is_new;
    let tracked = state
        .open_orders
        .newest_order_for_draws(&request.browser, &request.tickets);
    let attempt_of = |order: OrderId| {
        tracked
            .as_ref()
            .filter(|tracked| tracked.order == order)
            .map(|tracked| &tracked.attempt)
    };
    for generation in first..first + FINISHED_ORDERS_SKIPPED_MAX {
        let order = OpenOrderRequest {
            client_key: client_key(
                &request.browser,
                request.tickets.keys().copied(),
                generation,
            ),
            token: hex::encode(random::<16>()),
            id: OrderId(u128::from_be_bytes(random())),
            club: quote.club.id,
            account: quote.account.clone(),
            lines: quote.lines.clone(),
            buyer: request.buyer.clone(),
            source: hold_source(state, &request.browser, request.address),
        };
        let record = state.payments.open(order).await.map_err(|failure| {
            if matches!(failure, PaymentFailure::Refused { .. }) {
                state.open_orders.record_order_opening_refused(
                    &request.browser,
                    &request.tickets,
                    state.clock.now(),
                );
            }
            order_opening_problem(failure, &quote.account)
        })?;
        let is_same_attempt =
            request.attempt.is_some() && attempt_of(record.order.id) == Some(&request.attempt);
        match record.order.state {
            OrderState::Quoted | OrderState::Allocated | OrderState::Rejecting => {
                return Ok(OrderWithGeneration { record, generation });
            }
            OrderState::Captured if is_same_attempt => {
                return Ok(OrderWithGeneration { record, generation });
            }
            OrderState::Captured
            | OrderState::Released
            | OrderState::Void
            | OrderState::Anomaly => {}
        }
        // The tracked order ended a moment ago, for example after a fifth declined card. The next
        // order needs a new payment intent, so count it against the limit.
        if !std::mem::replace(&mut is_counted, true) {
            count_new_intent(state, request)?;
        }
    }
    Err(Problem::unavailable())
}

/// Builds the error response for an order that could not be opened.
///
/// No card has been charged at this point, so a decline concerns the club's account or our request,
/// and Stripe's text is not meant for the buyer (finding F30 of reliability.md).
fn order_opening_problem(failure: PaymentFailure, account: &AccountId) -> Problem {
    let PaymentFailure::Declined {
        class,
        code,
        message,
    } = failure
    else {
        return failure.into();
    };
    tracing::warn!(account.id = %account.0, ?class, code, message, "Stripe refused a payment intent for a club");
    match class {
        ProviderErrorClass::AccountProblem => club_not_ready_problem(),
        _ => Problem::conflict("payment-refused", class.guide().buyer),
    }
}

/// Returns the end of the order's reservation as shown to the buyer: 120 seconds after opening, but
/// never past kick-off (decision C-1).
///
/// A repeated request does not prolong the reservation. The end of an existing reservation is
/// therefore read from the draws.
pub(super) async fn reservation_end_shown(
    state: &State,
    record: &OrderRecord,
    quote: &Quote,
    now: Timestamp,
) -> Result<Timestamp, Problem> {
    let shown = |from: Timestamp| {
        from.plus_seconds(reservation::SHOWN_RESERVATION_SECONDS)
            .min(quote.closes_at)
    };
    if record.opened_at >= now {
        return Ok(shown(record.opened_at));
    }
    let grace = reservation::ACTUAL_RESERVATION_SECONDS - reservation::SHOWN_RESERVATION_SECONDS;
    Ok(match state.payments.reservation(record.order.id).await? {
        // `kept.until` lacks the grace period, but a reservation that ends at kick-off has none.
        // Show the earlier of kick-off and 120 seconds from now.
        Some(kept) if kept.until.plus_seconds(grace) >= quote.closes_at => shown(now),
        Some(kept) => kept.until,
        None => now,
    })
}

/// Finds the browser's newest order for the requested draws.
pub(super) async fn find_newest_order(
    state: &State,
    browser: &Browser,
    tickets: &RequestedTickets,
) -> Result<Option<OwnOrder>, Problem> {
    let own = |record| OwnOrder::of_browser(record, browser);
    if let Some(tracked) = state.open_orders.newest_order_for_draws(browser, tickets) {
        return Ok(state.payments.order(tracked.order).await?.and_then(own));
    }
    // Search the database, because the orders in memory are lost at a restart.
    let mut newest = None;
    for generation in 0.. {
        let key = client_key(browser, tickets.keys().copied(), generation);
        match state.payments.order_by_client_key(&key).await? {
            Some(record) => newest = Some(record),
            None => break,
        }
    }
    Ok(newest.and_then(own))
}
