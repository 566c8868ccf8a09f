//! For everyone, and for buyers: no account, only a browser's cookie or an order's secret.

use actix_web::web;
use domain::DrawId;

use crate::error::Problem;

pub mod calendar;
pub mod clubs;
pub mod completion;
pub mod confirmation;
pub mod described;
pub mod draws;
pub mod my_tickets;
pub mod offers;
pub mod orders;
pub mod payments;
pub mod proof;
pub mod reported;
pub mod reservations;
pub mod site;
pub mod tickets;
pub mod validation;

/// A draw's number in a path.
///
/// # Errors
/// 404: what is no number is no draw.
pub fn draw_number(path: &web::Path<String>) -> Result<DrawId, Problem> {
    path.parse()
        .map(DrawId)
        .map_err(|_| Problem::draw_not_found())
}
