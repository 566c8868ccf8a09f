//! A buyer's reservation: letting it go, and keeping it longer (decision B-8). Its id is its order's.

use actix_web::{HttpResponse, web};
use domain::{OrderId, OrderState, reservation};
use persistence::books::OrderRecord;
use uuid::Uuid;

use super::payments::draws_of;
use crate::error::Problem;
use crate::identity::Browser;
use crate::open_orders::is_own;
use crate::state::State;
use crate::wire::instant::rfc3339;
use crate::wire::purchase::Extended;

/// The browser leaves; also by beacon. Whatever was authorised is finished all the same.
pub async fn release(
    state: web::Data<State>,
    browser: Browser,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let record = own_order(&state, &browser, &path).await?;
    if record.order.state == OrderState::Quoted {
        state.payments.abandon(record.order.id).await?;
        state.open_orders.over(&browser, record.order.id);
        state.live.order_moved(&record.token);
    }
    Ok(HttpResponse::NoContent().finish())
}

/// "Keep my tickets": 120 seconds more, at most ten times, never past kick-off.
pub async fn extend(
    state: web::Data<State>,
    browser: Browser,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let record = own_order(&state, &browser, &path).await?;
    let order = record.order.id;
    let shown_until = state.payments.extend(order).await?;
    let used = state
        .payments
        .reservation(order)
        .await?
        .map_or(reservation::EXTENSIONS_MAX, |kept| kept.extensions);
    state.open_orders.extended(&browser, order, shown_until);
    Ok(HttpResponse::Ok().json(Extended {
        expires_at: rfc3339(shown_until),
        server_time: rfc3339(state.clock.now()),
        extensions_left: reservation::EXTENSIONS_MAX.saturating_sub(used),
    }))
}

/// An order of this browser; anybody else's does not exist.
async fn own_order(state: &State, browser: &Browser, path: &str) -> Result<OrderRecord, Problem> {
    let id = Uuid::parse_str(path).map_err(|_| Problem::not_found())?;
    let record = state.payments.order(OrderId(id.as_u128())).await?;
    let own = record.filter(|record| is_own(browser, &record.client_key, draws_of(record)));
    own.ok_or_else(Problem::not_found)
}
