//! The checks after pricing and before the reservation: payments allowed, expected amount, tickets
//! left, and limits of the browser.

use std::net::IpAddr;

use actix_web::http::StatusCode;
use domain::{Cents, Refusal, ReservationSource};

use super::CheckoutRequest;
use super::quote::Quote;
use crate::api::error::Problem;
use crate::ops::lifecycle::Phase;
use crate::services::identity::Browser;
use crate::services::open_orders::{CheckoutPlan, RESERVED_TICKETS_PER_BROWSER_MAX};
use crate::state::State;

/// The specified text shown during maintenance (section C:200 of the specification).
const MAINTENANCE_TEXT: &str =
    "System is doing some maintenance. We won't be long, check back in a couple of minutes.";

/// Refuses new payments during maintenance and while the server shuts down (decision I-5).
///
/// # Errors
/// 503 `maintenance` or `unavailable`.
pub(super) fn check_open_for_payments(state: &State) -> Result<(), Problem> {
    if state.catalogue.facts().maintenance_mode() {
        return Err(Problem::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "maintenance",
            MAINTENANCE_TEXT,
        )
        .retry_after(60));
    }
    if *state.phase.borrow() >= Phase::Draining {
        return Err(Problem::unavailable());
    }
    Ok(())
}

/// Checks that the price equals the total that the buyer saw, if the client sent one.
///
/// # Errors
/// 409 `amount-changed`.
pub(super) fn check_amount(request: &CheckoutRequest, quote: &Quote) -> Result<(), Problem> {
    if request
        .expected_amount
        .is_some_and(|expected| expected != quote.total())
    {
        return Err(amount_changed_problem(quote.total()));
    }
    Ok(())
}

/// Refuses a sold-out draw to a browser that the server has no state of. The refusal records no
/// state, so that many such requests use no memory.
///
/// # Errors
/// 409 `tickets-unavailable`.
pub(super) fn check_not_sold_out(
    state: &State,
    request: &CheckoutRequest,
    quote: &Quote,
) -> Result<(), Problem> {
    if let Some((draw, free)) = quote.too_few
        && !state.open_orders.remembers_browser(&request.browser)
    {
        return Err(Problem::command_refused(
            draw,
            Refusal::TooFewTickets { free },
        ));
    }
    Ok(())
}

/// Checks the limits of one browser: number of reserved tickets, and rate of new payment intents.
///
/// # Errors
/// 409 `too-many-reserved`, or 429 with `Retry-After`.
pub(super) fn check_browser_limits(
    state: &State,
    request: &CheckoutRequest,
    plan: &CheckoutPlan,
) -> Result<(), Problem> {
    check_reserved_tickets(request, plan.reserved_elsewhere)?;
    if plan.is_new {
        count_new_intent(state, request)?;
    }
    Ok(())
}

/// Checks the number of tickets that one browser reserves. `reserved_elsewhere`: the tickets of its
/// other orders (decision M-7).
///
/// # Errors
/// 409 `too-many-reserved`.
pub(super) fn check_reserved_tickets(
    request: &CheckoutRequest,
    reserved_elsewhere: u16,
) -> Result<(), Problem> {
    if reserved_elsewhere + request.tickets.values().sum::<u16>() > RESERVED_TICKETS_PER_BROWSER_MAX
    {
        return Err(Problem::conflict(
            "too-many-reserved",
            format!(
                "You can keep at most {RESERVED_TICKETS_PER_BROWSER_MAX} tickets at a time. Please complete your purchase first."
            ),
        ));
    }
    Ok(())
}

/// Counts a new payment intent against the rate limits of the browser and of its IP address.
///
/// # Errors
/// 429 with `Retry-After`.
pub(super) fn count_new_intent(state: &State, request: &CheckoutRequest) -> Result<(), Problem> {
    state.limits.check_new_intent(
        request.is_known.then_some(&request.browser.0),
        request.address,
    )
}

/// Returns the source, a browser or its network, whose quota of unpaid tickets a reservation counts
/// against. `None` if no limit applies.
pub fn hold_source(state: &State, browser: &Browser, address: IpAddr) -> Option<ReservationSource> {
    let has_paid = state.open_orders.has_paid(browser, state.clock.now());
    state.limits.hold_source(browser, has_paid, address)
}

/// Builds the 409 response for an amount that differs from the total that the buyer saw (decision
/// C-3).
pub fn amount_changed_problem(amount: Cents) -> Problem {
    Problem::conflict(
        "amount-changed",
        format!("The total has changed to {amount}. Please check it and try again. You have not been charged."),
    )
    .with_field("amount", amount.0)
}
