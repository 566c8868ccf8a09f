//! Opening a payment for tickets of one draw, or for a cart.

use actix_web::{HttpRequest, HttpResponse, web};
use persistence::failpoint::{self, FailpointSide, PurchaseStep};

use crate::api::error::Problem;
use crate::api::purchase::Purchase;
use crate::checkout::{self, CheckoutKind, CheckoutRequest, requested_tickets};
use crate::http::routes::body::Body;
use crate::services::identity::Browser;
use crate::state::State;

pub use crate::checkout::find_draw_with_too_few_tickets;

/// Handles `POST /api/create-payment-intent`, for tickets of one draw.
pub async fn create(
    request: HttpRequest,
    state: web::Data<State>,
    browser: Browser,
    body: Body<Purchase>,
) -> Result<HttpResponse, Problem> {
    let tickets = requested_tickets::parse_single(&body.0)?;
    let request = CheckoutRequest::new(&request, &state, browser, tickets, &body.0);
    let opened = checkout::open(&state, request).await?;
    failpoint::reach_failpoint(PurchaseStep::Answer, FailpointSide::Before);
    failpoint::reach_after_response(PurchaseStep::Answer, FailpointSide::After);
    Ok(HttpResponse::Ok().json(opened.to_response(&state, CheckoutKind::Single)?))
}

/// Handles `POST /api/cart/create-payment-intent`, for a cart with tickets of several draws.
pub async fn create_for_cart(
    request: HttpRequest,
    state: web::Data<State>,
    browser: Browser,
    body: Body<Purchase>,
) -> Result<HttpResponse, Problem> {
    let tickets = requested_tickets::parse_cart(&body.0)?;
    let request = CheckoutRequest::new(&request, &state, browser, tickets, &body.0);
    let opened = checkout::open(&state, request).await?;
    Ok(HttpResponse::Ok().json(opened.to_response(&state, CheckoutKind::Cart)?))
}
