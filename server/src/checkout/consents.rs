//! The buyer's two consents, to the age limit and to the terms (decision C-12). The consents may
//! arrive before the order exists, and are then remembered in memory for the browser.

use std::net::IpAddr;

use domain::Timestamp;

use super::CheckoutRequest;
use crate::access::order_access::OwnOrder;
use crate::api::error::Problem;
use crate::services::identity::Browser;
use crate::services::open_orders::RequestedTickets;
use crate::state::State;

/// Remembers the consents for the browser, and stores them with its open order if there is one.
///
/// # Errors
/// The database could not be read or written.
pub async fn remember_consents(
    state: &State,
    browser: &Browser,
    tickets: &RequestedTickets,
    address: IpAddr,
) -> Result<(), Problem> {
    state
        .open_orders
        .record_consents(browser, state.clock.now());
    let Some(tracked) = state
        .open_orders
        .newest_order_for_draws(browser, tickets)
        .filter(|tracked| !tracked.is_finished)
    else {
        return Ok(());
    };
    let record = state.payments.order(tracked.order).await?;
    match record.and_then(|record| OwnOrder::of_browser(record, browser)) {
        Some(own) => own.store_consents(state, address).await,
        None => Ok(()),
    }
}

/// Stores with the order the consents that the browser gave before the order existed.
pub(super) async fn store_remembered_consents(
    state: &State,
    request: &CheckoutRequest,
    order: &OwnOrder,
    now: Timestamp,
) -> Result<(), Problem> {
    if state.open_orders.has_consented(&request.browser, now) {
        order.store_consents(state, request.address).await?;
    }
    Ok(())
}
