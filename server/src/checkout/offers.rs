//! Stores the offers that the lines of a cart came from.

use std::collections::BTreeSet;

use crate::access::order_access::OwnOrder;
use crate::api::error::Problem;
use crate::services::open_orders::RequestedTickets;
use crate::state::State;

/// Stores with an order the offers that its cart lines were added from.
///
/// The client sends the offer id of each line (`bundleId`). An offer is stored only if it belongs
/// to the club and all its games are in the cart.
///
/// # Errors
/// The database could not be read or written.
pub(super) async fn store_order_offers(
    state: &State,
    own: &OwnOrder,
    tickets: &RequestedTickets,
    claimed: &BTreeSet<i64>,
) -> Result<(), Problem> {
    let mut found = Vec::new();
    if !claimed.is_empty() {
        for bundle in state.records.bundles(own.record().order.club).await? {
            let is_sold = matches!(bundle.status.as_str(), "active" | "locked");
            let complete_sets = bundle
                .games
                .iter()
                .map(|game| tickets.get(game).copied().unwrap_or(0))
                .min()
                .unwrap_or(0);
            if is_sold && complete_sets > 0 && claimed.contains(&bundle.id) {
                found.push((bundle.id, complete_sets));
            }
        }
    }
    Ok(state.records.record_order_offers(own.id(), &found).await?)
}
