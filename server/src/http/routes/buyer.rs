//! Routes without an account, for visitors and buyers. A buyer is recognised by the browser cookie
//! or an order's secret token.

use actix_web::web;
use domain::DrawId;

use crate::api::error::Problem;

pub mod browser_reports;
pub mod calendar;
pub mod clubs;
pub mod completion;
pub mod confirmation;
pub mod descriptions;
pub mod draws;
pub mod my_tickets;
pub mod offers;
pub mod orders;
pub mod own_order;
pub mod payments;
pub mod proof;
pub mod reservations;
pub mod site;
pub mod tickets;
pub mod validation;

/// Parses the path variable that holds a draw's number.
///
/// # Errors
/// 404 when the variable is not a number.
pub fn draw_number(path: &web::Path<String>) -> Result<DrawId, Problem> {
    path.parse()
        .map(DrawId)
        .map_err(|_| Problem::draw_not_found())
}
