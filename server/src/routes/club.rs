//! For a club that is signed in, on its own draws; the operator may do the same for any.

use std::sync::Arc;

use actix_web::web;
use domain::{DrawId, View};
use persistence::records::listings::Listing;

use super::buyer::draw_number;
use crate::error::Problem;
use crate::identity::Caller;
use crate::state::State;

pub mod agreement;
pub mod claims;
pub mod connect;
pub mod described;
mod draw_check;
pub mod draws;
pub mod editing;
pub mod financials;
pub mod fixtures;
mod offer_check;
pub mod offers;
pub mod page;
pub mod payments;
pub mod payouts;
pub mod people;
pub mod recovery;
pub mod registration;
pub mod reminders;
pub mod reports;
pub mod results;
pub mod session;
pub mod uploads;
pub mod verification;
pub mod winners;

/// A draw of the caller's own.
///
/// # Errors
/// 404, also for somebody else's draw (decision G-1).
pub async fn own_draw(
    state: &State,
    caller: Caller,
    path: &web::Path<String>,
) -> Result<(DrawId, Arc<Listing>, View), Problem> {
    let draw = draw_number(path)?;
    let (_, listing, view) = state
        .catalogue
        .draw(draw)
        .await
        .ok_or_else(Problem::draw_not_found)?;
    // A draw's number is no secret, but the answer is one and the same, like everybody else's.
    caller
        .must_own(listing.club)
        .map_err(|_| Problem::draw_not_found())?;
    Ok((draw, listing, view))
}
