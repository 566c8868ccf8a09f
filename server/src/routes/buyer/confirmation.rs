//! Paying with a method the browser made: the server confirms the order's own payment intent, then fulfils (decision C-5).

use actix_web::{HttpRequest, HttpResponse, web};
use actors::{Confirmed, PaymentFailure};
use domain::OrderState;
use persistence::books::OrderRecord;

use super::completion::{check_consents, check_email, finish, store_consents};
use super::payments::{Asked, buyer, open, wanted};
use crate::error::Problem;
use crate::identity::Browser;
use crate::open_orders::{Counts, client_key, is_own};
use crate::routes::body::Body;
use crate::state::State;
use crate::wire::purchase::{Purchase, PurchaseAnswer};

/// The cart's card form.
pub async fn cart_card(
    request: HttpRequest,
    state: web::Data<State>,
    browser: Browser,
    body: Body<Purchase>,
) -> Result<HttpResponse, Problem> {
    check_consents(&body.0)?;
    check_email(&body.0)?;
    let method = method(body.0.payment_method_id.as_deref())?.to_string();
    let record = current_or_new(&request, &state, browser, wanted::cart(&body.0)?, &body.0).await?;
    store_consents(&request, &state, &record).await?;
    pay(&state, browser, record, &method, &body.0).await
}

/// A wallet's payment method.
pub async fn wallet(
    request: HttpRequest,
    state: web::Data<State>,
    browser: Browser,
    body: Body<Purchase>,
) -> Result<HttpResponse, Problem> {
    let method = method(body.0.payment_method_id.as_deref())?.to_string();
    let record =
        current_or_new(&request, &state, browser, wanted::either(&body.0)?, &body.0).await?;
    pay(&state, browser, record, &method, &body.0).await
}

/// A wallet's token: the provider's id of it, never the card data itself (decision C-6).
pub async fn token(
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
        .filter(|token| is_id(token, "tok_"));
    let refused = || {
        Problem::bad_request(
            "token-refused",
            "Only a payment token of the provider is accepted.",
        )
    };
    let token = token.ok_or_else(refused)?.to_string();
    let record =
        current_or_new(&request, &state, browser, wanted::either(&body.0)?, &body.0).await?;
    pay(&state, browser, record, &token, &body.0).await
}

/// A wallet that knows only the client secret (A:245).
pub async fn by_secret(
    state: web::Data<State>,
    browser: Browser,
    body: Body<Purchase>,
) -> Result<HttpResponse, Problem> {
    let method = method(body.0.payment_method_id.as_deref())?.to_string();
    let unknown = || Problem::from(PaymentFailure::OrderUnknown);
    let secret = body.0.client_secret.as_deref().unwrap_or_default();
    let (id, _) = secret.split_once("_secret_").ok_or_else(unknown)?;
    let id = domain::PaymentIntentId(id.to_string());
    let record = state
        .payments
        .order_by_payment_intent(&id)
        .await?
        .ok_or_else(unknown)?;
    // Whoever has the secret opened the order.
    if record.client_secret.as_deref() != Some(secret) {
        return Err(unknown());
    }
    pay(&state, browser, record, &method, &body.0).await
}

/// The browser's newest order for these draws in whatever state, so that a repeated call never buys twice; else a new one.
async fn current_or_new(
    request: &HttpRequest,
    state: &State,
    browser: Browser,
    counts: Counts,
    body: &Purchase,
) -> Result<OrderRecord, Problem> {
    if let Some(record) = newest(state, &browser, &counts).await? {
        let same = record
            .order
            .lines
            .iter()
            .all(|line| counts.get(&line.draw) == Some(&line.count));
        if same || record.order.state != OrderState::Quoted {
            return Ok(record);
        }
    }
    Ok(
        open(state, Asked::new(request, state, browser, counts, body))
            .await?
            .record,
    )
}

async fn newest(
    state: &State,
    browser: &Browser,
    counts: &Counts,
) -> Result<Option<OrderRecord>, Problem> {
    if let Some(known) = state.open_orders.current(browser, counts) {
        return Ok(state.payments.order(known.order).await?);
    }
    // After a restart only the books know.
    let mut newest = None;
    for generation in 0.. {
        let key = client_key(browser, counts.keys().copied(), generation);
        match state.payments.order_by_client_key(&key).await? {
            Some(record) => newest = Some(record),
            None => break,
        }
    }
    Ok(newest)
}

async fn pay(
    state: &State,
    browser: Browser,
    mut record: OrderRecord,
    method: &str,
    body: &Purchase,
) -> Result<HttpResponse, Problem> {
    if record.order.state != OrderState::Quoted {
        return finish(state, &browser, record, body).await;
    }
    // Before the bank is asked: whoever answers it elsewhere may never come back here, and has their tickets all the same.
    buyer::correct(state, &browser, &mut record, &body.buyer_details()).await?;
    // A decline is counted when the provider's notice of it comes: the same for every way of confirming (decision G-13).
    match state.payments.confirm(record.order.id, method).await? {
        Confirmed::Authorised => finish(state, &browser, record, body).await,
        Confirmed::Processing => Ok(unfinished(&browser, record, "processing", None)),
        Confirmed::RequiresAction { client_secret } => Ok(unfinished(
            &browser,
            record,
            "requires_action",
            Some(client_secret),
        )),
    }
}

fn unfinished(
    browser: &Browser,
    record: OrderRecord,
    status: &'static str,
    client_secret: Option<String>,
) -> HttpResponse {
    let own = is_own(
        browser,
        &record.client_key,
        super::payments::draws_of(&record),
    );
    HttpResponse::Ok().json(PurchaseAnswer {
        success: false,
        status,
        payment_intent_id: record.order.payment_intent.map(|id| id.0),
        order_token: own.then_some(record.token),
        tickets: Vec::new(),
        message: None,
        client_secret,
    })
}

fn method(id: Option<&str>) -> Result<&str, Problem> {
    let missing = || {
        Problem::bad_request(
            "payment-method-missing",
            "Please complete all payment information before proceeding.",
        )
    };
    id.filter(|id| is_id(id, "pm_")).ok_or_else(missing)
}

/// An id of the provider: its prefix and a few dozen plain characters, so that no card data can pass for one.
fn is_id(text: &str, prefix: &str) -> bool {
    let rest = text.strip_prefix(prefix).unwrap_or_default();
    !rest.is_empty()
        && text.len() <= 100
        && rest
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::is_id;

    #[test]
    fn only_the_providers_ids_pass() {
        assert!(is_id("pm_card_visa", "pm_"));
        assert!(is_id("tok_1Nabc", "tok_"));
        for other in [
            "",
            "pm_",
            "4242424242424242",
            "tok_visa",
            "pm_4242 4242",
            r#"pm_{"data":"…"}"#,
            "ECv1",
        ] {
            assert!(!is_id(other, "pm_"), "{other}");
        }
    }
}
