//! Routes for the signed-in users of a club, limited to the club's own data. The operator may call
//! these routes for any club.

use std::sync::Arc;

use actix_web::web;
use domain::{ClubId, DrawId, View};
use persistence::records::listings::Listing;

use super::buyer::draw_number;
use crate::access::caller::Caller;
use crate::api::error::Problem;
use crate::state::State;

pub mod agreement;
pub mod claims;
pub mod connect;
pub mod dashboard;
pub mod descriptions;
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

/// Parses the id of a club that the caller may act for.
///
/// # Errors
/// 404, also for another club (decision G-1).
pub(super) fn own_club_id(caller: Caller, path: &str) -> Result<ClubId, Problem> {
    let club = path.parse().map(ClubId).map_err(|_| Problem::not_found())?;
    caller.require_ownership(club)?;
    Ok(club)
}

/// Finds a draw that belongs to the caller's club.
///
/// # Errors
/// 404, also when the draw belongs to another club (decision G-1).
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
    // Another club's draw answers the same 404 as an unknown draw, like every other object of
    // another club.
    caller
        .require_ownership(listing.club)
        .map_err(|_| Problem::draw_not_found())?;
    Ok((draw, listing, view))
}
