//! Pays an order with a confirmation token or payment method that the browser created. The server
//! confirms the order's payment intent, then fulfils the order (decision C-5).

use actix_web::{HttpRequest, HttpResponse, web};
use actors::{ConfirmationOutcome, PaymentFailure};
use domain::OrderState;

use super::completion::{check_consents, check_email, finish_purchase};
use crate::access::order_access::{OrderAccess, OwnOrder};
use crate::api::error::Problem;
use crate::api::purchase::{Purchase, PurchaseResult};
use crate::checkout::{self, CheckoutRequest, requested_tickets};
use crate::http::routes::body::Body;
use crate::services::identity::{Browser, client_address};
use crate::state::State;

/// Handles `POST /api/cart/complete-card-payment` of a cart's card form.
pub async fn confirm_cart_card(
    request: HttpRequest,
    state: web::Data<State>,
    browser: Browser,
    body: Body<Purchase>,
) -> Result<HttpResponse, Problem> {
    check_consents(&body.0)?;
    check_email(&body.0)?;
    let source = payment_source_id(&body.0)?;
    let tickets = requested_tickets::parse_cart(&body.0)?;
    let checkout = CheckoutRequest::new(&request, &state, browser, tickets, &body.0);
    let own = checkout::newest_order_or_open(&state, checkout).await?;
    own.store_consents(&state, client_address(&request, &state.config))
        .await?;
    pay_order(&state, browser, own, &source, &body.0).await
}

/// Handles `POST /api/process-wallet-payment`, which sends a wallet's confirmation token or payment
/// method.
pub async fn confirm_with_wallet_method(
    request: HttpRequest,
    state: web::Data<State>,
    browser: Browser,
    body: Body<Purchase>,
) -> Result<HttpResponse, Problem> {
    let source = payment_source_id(&body.0)?;
    let tickets = requested_tickets::parse_single_or_cart(&body.0)?;
    let checkout = CheckoutRequest::new(&request, &state, browser, tickets, &body.0);
    let own = checkout::newest_order_or_open(&state, checkout).await?;
    pay_order(&state, browser, own, &source, &body.0).await
}

/// Handles `POST /api/process-purchase`, which sends Stripe's id of a wallet token. Card data is
/// never accepted (decision C-6).
pub async fn confirm_with_wallet_token(
    request: HttpRequest,
    state: web::Data<State>,
    browser: Browser,
    body: Body<Purchase>,
) -> Result<HttpResponse, Problem> {
    let token = body
        .0
        .payment_token
        .as_ref()
        .and_then(|token| token.as_str())
        .filter(|token| is_stripe_id(token, "tok_"));
    let refused = || {
        Problem::bad_request(
            "token-refused",
            "Only a payment token of the provider is accepted.",
        )
    };
    let token = token.ok_or_else(refused)?.to_string();
    let tickets = requested_tickets::parse_single_or_cart(&body.0)?;
    let checkout = CheckoutRequest::new(&request, &state, browser, tickets, &body.0);
    let own = checkout::newest_order_or_open(&state, checkout).await?;
    pay_order(&state, browser, own, &token, &body.0).await
}

/// Handles `POST /api/payments/confirm-wallet`, for a wallet that has only the payment's client
/// secret.
pub async fn confirm_by_client_secret(
    state: web::Data<State>,
    browser: Browser,
    body: Body<Purchase>,
) -> Result<HttpResponse, Problem> {
    let source = payment_source_id(&body.0)?;
    let unknown = || Problem::from(PaymentFailure::OrderUnknown);
    let secret = body.0.client_secret.as_deref().unwrap_or_default();
    let (id, _) = secret.split_once("_secret_").ok_or_else(unknown)?;
    let id = domain::PaymentIntentId(id.to_string());
    let record = state
        .payments
        .order_by_payment_intent(&id)
        .await?
        .ok_or_else(unknown)?;
    match OrderAccess::of(record, &browser, &body.0) {
        OrderAccess::Own(own) if own.has_client_secret_proof() => {
            pay_order(&state, browser, *own, &source, &body.0).await
        }
        OrderAccess::Own(_) | OrderAccess::Unproven(_) => Err(unknown()),
    }
}

/// Confirms the payment intent and fulfils the order.
async fn pay_order(
    state: &State,
    browser: Browser,
    mut own: OwnOrder,
    source: &str,
    body: &Purchase,
) -> Result<HttpResponse, Problem> {
    if own.record().order.state != OrderState::Quoted {
        return finish_purchase(state, &browser, own, body).await;
    }
    // Store the buyer's details before the bank asks for authentication, because a buyer who does
    // not return to this page must still get the tickets.
    own.correct_buyer(state, &body.buyer_details()).await?;
    // A declined card is not counted here, but when its webhook event arrives, for every way of
    // confirming (decision G-13).
    match own.confirm_payment(state, source).await? {
        ConfirmationOutcome::Authorised => finish_purchase(state, &browser, own, body).await,
        ConfirmationOutcome::Processing => {
            Ok(unfinished_payment_response(&own, "processing", None))
        }
        ConfirmationOutcome::RequiresAction { client_secret } => Ok(unfinished_payment_response(
            &own,
            "requires_action",
            Some(client_secret),
        )),
    }
}

/// Builds the response for a payment that is not finished yet.
fn unfinished_payment_response(
    own: &OwnOrder,
    status: &'static str,
    client_secret: Option<String>,
) -> HttpResponse {
    HttpResponse::Ok().json(PurchaseResult {
        success: false,
        status,
        payment_intent_id: own
            .record()
            .order
            .payment_intent
            .as_ref()
            .map(|id| id.0.clone()),
        order_token: own.disclosable_token(),
        tickets: Vec::new(),
        message: None,
        client_secret,
    })
}

/// Returns the id of the body's confirmation token or payment method.
///
/// # Errors
/// 400: the body has neither or both, or the id is not one of Stripe's.
fn payment_source_id(body: &Purchase) -> Result<String, Problem> {
    let source = match (&body.confirmation_token_id, &body.payment_method_id) {
        (Some(token), None) => Some(token).filter(|id| is_stripe_id(id, "ctoken_")),
        (None, Some(method)) => Some(method).filter(|id| is_stripe_id(id, "pm_")),
        _ => None,
    };
    source.cloned().ok_or_else(|| {
        Problem::bad_request(
            "payment-method-missing",
            "Please complete all payment information before proceeding.",
        )
    })
}

/// Whether a text is a Stripe id: the prefix and at most 100 plain characters. Card data cannot
/// pass as such an id.
fn is_stripe_id(text: &str, prefix: &str) -> bool {
    let rest = text.strip_prefix(prefix).unwrap_or_default();
    !rest.is_empty()
        && text.len() <= 100
        && rest
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::is_stripe_id;

    #[test]
    fn only_stripe_ids_are_accepted() {
        assert!(is_stripe_id("pm_card_visa", "pm_"));
        assert!(is_stripe_id("tok_1Nabc", "tok_"));
        assert!(is_stripe_id("ctoken_1Nabc", "ctoken_"));
        for other in [
            "",
            "pm_",
            "4242424242424242",
            "tok_visa",
            "pm_4242 4242",
            r#"pm_{"data":"…"}"#,
            "ECv1",
        ] {
            assert!(!is_stripe_id(other, "pm_"), "{other}");
        }
    }
}
