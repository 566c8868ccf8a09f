//! The sandbox's own endpoints. They do what Stripe's dashboard, a bank or an auditor would do, so
//! Stripe's API has no such calls.

use actix_web::http::StatusCode;
use actix_web::web::{self, Data, Json, Path, Query, ServiceConfig};
use actix_web::{HttpResponse, Responder};
use serde::Deserialize;
use serde_json::{Value, json};

use super::Sandbox;
use super::faults::Faults;
use super::foreign_payment::ForeignPayment;
use crate::stripe::account::AccountChange;
use crate::stripe::failure::StripeError;
use crate::stripe::intent::capture_and_cancel;
use crate::stripe::payout::PayoutStatus;
use crate::stripe::state::SandboxState;
use crate::stripe::{dispute, ledger, payout};

pub fn configure(cfg: &mut ServiceConfig) {
    cfg.route("/ledger", web::get().to(show_ledger))
        .route("/faults", web::get().to(show_faults))
        .route("/faults", web::post().to(set_faults))
        .route("/dispute", web::post().to(raise_dispute))
        .route("/expire", web::post().to(expire_authorisation))
        .route("/calls", web::get().to(show_calls))
        .route("/foreign-payments", web::post().to(make_foreign_payment))
        .route("/accounts", web::post().to(ensure_account))
        .route("/accounts/{id}", web::post().to(change_account))
        .route(
            "/accounts/{id}/disconnect",
            web::post().to(disconnect_account),
        )
        .route("/payouts", web::post().to(make_payout))
        .route("/rate-limits", web::delete().to(lift_rate_limits));
}

#[derive(Debug, Deserialize)]
struct LedgerQuery {
    detail: Option<String>,
}

async fn show_ledger(sandbox: Data<Sandbox>, query: Query<LedgerQuery>) -> impl Responder {
    let in_detail = query.detail.as_deref() == Some("1");
    Json(ledger::render_totals(
        &sandbox.state.lock().expect("the state is never poisoned"),
        in_detail,
    ))
}

async fn show_faults(sandbox: Data<Sandbox>) -> impl Responder {
    Json(
        sandbox
            .faults
            .lock()
            .expect("the faults are never poisoned")
            .clone(),
    )
}

async fn set_faults(sandbox: Data<Sandbox>, faults: Json<Faults>) -> impl Responder {
    sandbox.set_faults(faults.into_inner());
    show_faults(sandbox).await
}

#[derive(Debug, Deserialize)]
struct PaymentIntentRequest {
    #[serde(alias = "paymentIntent")]
    payment_intent: String,
    reason: Option<String>,
}

async fn raise_dispute(
    sandbox: Data<Sandbox>,
    request: Json<PaymentIntentRequest>,
) -> HttpResponse {
    let reason = request.reason.as_deref().unwrap_or("fraudulent");
    change_state_and_commit(&sandbox, |state| {
        dispute::open_for_intent(state, &request.payment_intent, reason)
    })
}

/// Shows the requests to the Stripe API: how many of each endpoint, and the newest writes.
async fn show_calls(sandbox: Data<Sandbox>) -> impl Responder {
    Json(sandbox.call_log())
}

/// Makes a payment that is not the platform's, as a club's own web shop does.
async fn make_foreign_payment(
    sandbox: Data<Sandbox>,
    payment: Json<ForeignPayment>,
) -> HttpResponse {
    change_state_and_commit(&sandbox, |state| payment.make(state))
}

/// Expires an authorisation, as a bank does after seven days.
async fn expire_authorisation(
    sandbox: Data<Sandbox>,
    request: Json<PaymentIntentRequest>,
) -> HttpResponse {
    change_state_and_commit(&sandbox, |state| {
        capture_and_cancel::expire_authorisation(state, &request.payment_intent)
    })
}

#[derive(Debug, Deserialize)]
struct AccountRequest {
    id: String,
    name: Option<String>,
}

async fn ensure_account(sandbox: Data<Sandbox>, request: Json<AccountRequest>) -> HttpResponse {
    change_state_and_commit(&sandbox, |state| {
        state.create_account_if_missing(&request.id, request.name.as_deref());
        Ok(json!({ "id": request.id }))
    })
}

async fn change_account(
    sandbox: Data<Sandbox>,
    id: Path<String>,
    request: Json<AccountChange>,
) -> HttpResponse {
    change_state_and_commit(&sandbox, |state| state.change_account(&id, &request))
}

/// Disconnects an account, as a club does in its dashboard at Stripe.
async fn disconnect_account(sandbox: Data<Sandbox>, id: Path<String>) -> HttpResponse {
    change_state_and_commit(&sandbox, |state| state.disconnect_account(&id))
}

#[derive(Debug, Deserialize)]
struct PayoutRequest {
    account: String,
    /// In cents.
    amount: i64,
    #[serde(default)]
    status: PayoutStatus,
}

/// Lifts the limits of requests per second, for load tests.
async fn lift_rate_limits(sandbox: Data<Sandbox>) -> HttpResponse {
    sandbox.set_rate_limits(None);
    HttpResponse::NoContent().finish()
}

/// Makes a payout, as the account's schedule does at Stripe.
async fn make_payout(sandbox: Data<Sandbox>, request: Json<PayoutRequest>) -> HttpResponse {
    change_state_and_commit(&sandbox, |state| {
        payout::make(state, &request.account, request.amount, request.status)
    })
}

/// Changes the state by an action that Stripe's API does not have. Commits the change before the
/// response is sent.
pub fn change_state_and_commit(
    sandbox: &Sandbox,
    change: impl FnOnce(&mut SandboxState) -> Result<Value, StripeError>,
) -> HttpResponse {
    let mut state = sandbox.state.lock().expect("the state is never poisoned");
    state.request = (String::new(), None);
    let changed = change(&mut state);
    let commit_result = state.commit();
    drop(state);
    sandbox.webhook_sender.wake();
    let outcome = commit_result
        .map_err(|_| StripeError::internal_error())
        .and(changed);
    match outcome {
        Ok(value) => HttpResponse::Ok().json(value),
        Err(failure) => {
            let status =
                StatusCode::from_u16(failure.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
            HttpResponse::build(status).json(failure.json_body())
        }
    }
}
