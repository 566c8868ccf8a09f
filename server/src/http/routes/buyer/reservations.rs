//! Releasing and extending a buyer's reservation (decision B-8). A reservation has the same id as
//! its order.

use std::net::IpAddr;

use actix_web::{HttpRequest, HttpResponse, web};
use domain::draw::hold_limit::never_paid_extensions_max;
use domain::reservation::EXTENSIONS_PER_RESERVATION_MAX;
use domain::{DrawId, OrderId, OrderState};
use uuid::Uuid;

use crate::access::order_access::OwnOrder;
use crate::api::error::Problem;
use crate::api::purchase::ReservationExtended;
use crate::api::time_format::rfc3339;
use crate::checkout;
use crate::checkout::hold_source;
use crate::services::identity::{Browser, client_address};
use crate::state::State;

/// Releases the reservation when the buyer leaves the page. An order whose payment is authorised is
/// not released and is still fulfilled.
pub async fn release_reservation(
    state: web::Data<State>,
    browser: Browser,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let own = own_order(&state, &browser, &path).await?;
    if own.record().order.state == OrderState::Quoted {
        let after = own.abandon_order(&state).await?;
        checkout::stop_tracking_if_ended(&state, &browser, own.id(), after);
        state.live.mark_order_changed(&own.record().token);
    }
    Ok(HttpResponse::NoContent().finish())
}

/// Extends the reservation by 120 seconds, at most ten times and never past kick-off. A draw with
/// few tickets left allows fewer extensions.
pub async fn extend(
    request: HttpRequest,
    state: web::Data<State>,
    browser: Browser,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let own = own_order(&state, &browser, &path).await?;
    let order = own.id();
    let shown_until = own.extend_reservation(&state).await?;
    let used = state
        .payments
        .reservation(order)
        .await?
        .map_or(EXTENSIONS_PER_RESERVATION_MAX, |kept| kept.extensions);
    state
        .open_orders
        .record_reservation_extended(&browser, order, shown_until);
    let max_extensions = extensions_allowed(
        &state,
        &browser,
        client_address(&request, &state.config),
        own.record().draws(),
    )
    .await;
    Ok(HttpResponse::Ok().json(ReservationExtended {
        expires_at: rfc3339(shown_until),
        server_time: rfc3339(state.clock.now()),
        extensions_left: max_extensions.saturating_sub(used),
    }))
}

/// Returns how many extensions an order may have in total, which depends on its draw with the
/// fewest tickets left.
async fn extensions_allowed(
    state: &State,
    browser: &Browser,
    address: IpAddr,
    draws: impl Iterator<Item = DrawId>,
) -> u8 {
    if hold_source(state, browser, address).is_none_or(|source| source.has_paid) {
        return EXTENSIONS_PER_RESERVATION_MAX;
    }
    let mut max_extensions = EXTENSIONS_PER_RESERVATION_MAX;
    for draw in draws {
        if let Ok(view) = state.draws.view(draw).await {
            max_extensions = max_extensions.min(never_paid_extensions_max(view.free()));
        }
    }
    max_extensions
}

/// Finds an order that this browser opened. Any other order answers 404.
async fn own_order(state: &State, browser: &Browser, path: &str) -> Result<OwnOrder, Problem> {
    let id = Uuid::parse_str(path).map_err(|_| Problem::not_found())?;
    let record = state.payments.order(OrderId(id.as_u128())).await?;
    record
        .and_then(|record| OwnOrder::of_browser(record, browser))
        .ok_or_else(Problem::not_found)
}
