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
use crate::stripe::account::{AccountChange, RefundFunding};
use crate::stripe::dispute::DisputeStatus;
use crate::stripe::failure::StripeError;
use crate::stripe::intent::capture_and_cancel;
use crate::stripe::payout::PayoutStatus;
use crate::stripe::refund::RefundStatus;
use crate::stripe::state::SandboxState;
use crate::stripe::{dispute, early_fraud_warning, ledger, payout, refund};

pub fn configure(cfg: &mut ServiceConfig) {
    cfg.route("/ledger", web::get().to(show_ledger))
        .route("/faults", web::get().to(show_faults))
        .route("/faults", web::post().to(set_faults))
        .route("/dispute", web::post().to(raise_dispute))
        .route("/dispute/status", web::post().to(change_dispute_status))
        .route("/early_fraud_warning", web::post().to(warn_of_fraud))
        .route("/refund", web::post().to(settle_refund))
        .route("/refund_funding", web::post().to(set_refund_funding))
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
}

#[derive(Debug, Deserialize)]
struct DisputeRequest {
    #[serde(alias = "paymentIntent")]
    payment_intent: String,
    reason: Option<String>,
    /// The status in which the dispute begins. Default: `needs_response`.
    status: Option<DisputeStatus>,
}

async fn raise_dispute(sandbox: Data<Sandbox>, request: Json<DisputeRequest>) -> HttpResponse {
    let reason = request.reason.as_deref().unwrap_or("fraudulent");
    let status = request.status.unwrap_or_default();
    change_state_and_commit(&sandbox, |state| {
        dispute::open_for_intent(state, &request.payment_intent, reason, status)
    })
}

#[derive(Debug, Deserialize)]
struct DisputeStatusRequest {
    #[serde(alias = "paymentIntent")]
    payment_intent: String,
    status: DisputeStatus,
}

/// Changes the status of a dispute, as the buyer's bank does.
async fn change_dispute_status(
    sandbox: Data<Sandbox>,
    request: Json<DisputeStatusRequest>,
) -> HttpResponse {
    change_state_and_commit(&sandbox, |state| {
        dispute::change_status(state, &request.payment_intent, request.status)
    })
}

#[derive(Debug, Deserialize)]
struct FraudWarningRequest {
    #[serde(alias = "paymentIntent")]
    payment_intent: String,
    #[serde(alias = "fraudType")]
    fraud_type: Option<String>,
}

/// Reports a payment as possibly fraudulent, as the card's bank does.
async fn warn_of_fraud(sandbox: Data<Sandbox>, request: Json<FraudWarningRequest>) -> HttpResponse {
    let fraud_type = request.fraud_type.as_deref().unwrap_or("misc");
    change_state_and_commit(&sandbox, |state| {
        early_fraud_warning::warn_of_intent(state, &request.payment_intent, fraud_type)
    })
}

#[derive(Debug, Deserialize)]
struct RefundSettlement {
    #[serde(alias = "paymentIntent")]
    payment_intent: String,
    status: RefundStatus,
    #[serde(alias = "failureReason")]
    failure_reason: Option<String>,
}

/// Completes or fails the newest refund of a payment, as the buyer's bank does.
async fn settle_refund(sandbox: Data<Sandbox>, settlement: Json<RefundSettlement>) -> HttpResponse {
    let settlement = settlement.into_inner();
    change_state_and_commit(&sandbox, |state| {
        refund::settle_for_intent(
            state,
            &settlement.payment_intent,
            settlement.status,
            settlement.failure_reason,
        )
    })
}

#[derive(Debug, Deserialize)]
struct RefundFundingRequest {
    account: String,
    funding: RefundFunding,
}

/// Sets whether an account's balance covers its refunds.
async fn set_refund_funding(
    sandbox: Data<Sandbox>,
    request: Json<RefundFundingRequest>,
) -> HttpResponse {
    change_state_and_commit(&sandbox, |state| {
        state.set_refund_funding(&request.account, request.funding)
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
