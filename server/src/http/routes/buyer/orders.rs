//! Reads a buyer's order by its secret token (decision B-9), and sends its confirmation mail again.

use actix_web::{HttpResponse, web};
use domain::PaymentIntentId;

use crate::access::order_access::{OrderAccess, OwnOrder};
use crate::access::order_view::order_for_buyer;
use crate::api::error::Problem;
use crate::api::purchase::Purchase;
use crate::api::site::Message;
use crate::http::routes::body::Body;
use crate::services::identity::Browser;
use crate::state::State;

/// Handles `GET /api/orders/{token}`.
pub async fn show(
    state: web::Data<State>,
    token: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let own = OwnOrder::of_token(&state, &token)
        .await?
        .ok_or_else(Problem::not_found)?;
    Ok(HttpResponse::Ok().json(order_for_buyer(&state, &own).await?))
}

/// Sends the confirmation mail again, only to the stored e-mail address and only if the caller
/// proves to be the buyer (decision M-1). The response is the same if no mail is sent.
pub async fn resend_confirmation_mail(
    state: web::Data<State>,
    browser: Browser,
    body: Body<Purchase>,
) -> Result<HttpResponse, Problem> {
    if let Some(id) = body.0.payment_intent_id.clone() {
        let record = state
            .payments
            .order_by_payment_intent(&PaymentIntentId(id))
            .await?;
        if let Some(own) =
            record.and_then(|record| OrderAccess::of(record, &browser, &body.0).into_own_order())
        {
            own.resend_confirmation(&state).await?;
        }
    }
    let message = "If we know this payment, its confirmation is on the way again.".to_string();
    Ok(HttpResponse::Ok().json(Message { message }))
}
