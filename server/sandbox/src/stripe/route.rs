//! Dispatches API requests by path. Lists the paths of Stripe's API that the sandbox supports.

use serde_json::Value;

use super::account::{self, Account};
use super::api_call::{ApiCall, ApiKeyKind};
use super::balance_transaction::{self, BalanceTransaction};
use super::charge::{self, Charge};
use super::dispute::{self, Dispute};
use super::early_fraud_warning::{self, EarlyFraudWarning};
use super::event::{self, DeliveryStatus, WebhookEvent};
use super::failure::StripeError;
use super::fee::{self, ApplicationFee, FeeRefund};
use super::intent::{self, Intent, capture_and_cancel, confirm};
use super::listing::{belongs_to_intent, list_page};
use super::refund::{self, Refund};
use super::state::SandboxState;
use super::{payment_method, payment_method::PaymentMethod};
use crate::stripe::table::StripeObject;

/// Runs one API call. An error may also report a change of the state, such as a declined payment.
pub fn run_api_call(state: &mut SandboxState, call: &ApiCall) -> Result<Value, StripeError> {
    let steps: Vec<&str> = call.path.trim_end_matches('/').split('/').collect();
    let request = (call.method.as_str(), steps.as_slice());
    match request {
        ("POST", ["payment_methods"]) => payment_method::create(state, call),
        ("POST", ["tokens"]) => payment_method::create_token(state, call),
        ("GET", ["payment_intents", id]) => intent::retrieve(state, call, id),
        ("POST", ["payment_intents", id, "confirm"]) => confirm::confirm(state, call, id),
        ("POST", ["payment_intents", id, "authenticate"]) => {
            confirm::finish_3d_secure(state, call, id)
        }
        _ if call.access == ApiKeyKind::Publishable => Err(StripeError::unauthorized(
            "This API call cannot be made with a publishable API key. Please use a secret API key.",
        )),
        ("GET", steps) => run_get(state, call, steps),
        ("POST", steps) => run_post(state, call, steps),
        (method, _) => Err(StripeError::no_such_route(
            method,
            &format!("/v1/{}", call.path),
        )),
    }
}

fn run_post(
    state: &mut SandboxState,
    call: &ApiCall,
    steps: &[&str],
) -> Result<Value, StripeError> {
    match steps {
        ["payment_intents"] => intent::create(state, call),
        ["payment_intents", id] => intent::update(state, call, id),
        ["payment_intents", id, "capture"] => capture_and_cancel::capture(state, call, id),
        ["payment_intents", id, "cancel"] => capture_and_cancel::cancel(state, call, id),
        ["refunds"] => refund::create(state, call),
        ["application_fees", id, "refunds"] => fee::refund(state, call, id),
        ["accounts"] => Ok(account::create(state, call)),
        ["accounts", id] => account::update(state, call, id),
        ["account_links"] => account::create_link(state, call),
        _ => Err(StripeError::no_such_route(
            "POST",
            &format!("/v1/{}", call.path),
        )),
    }
}

fn run_get(state: &SandboxState, call: &ApiCall, steps: &[&str]) -> Result<Value, StripeError> {
    let matches =
        |name: &str, value: &str| call.form.get(name).is_none_or(|matches| matches == value);
    match steps {
        ["payment_intents"] => list_page(state, call, |_: &Intent| true),
        ["payment_methods", id] => state
            .find::<PaymentMethod>(&call.account, id)
            .map(|method| method.render()),
        ["tokens", id] => payment_method::retrieve_token(state, call, id),
        ["charges"] => list_page(state, call, |charge: &Charge| {
            belongs_to_intent(call, charge)
        }),
        ["charges", id] => charge::retrieve(state, call, id),
        ["refunds"] => list_page(state, call, |refund: &Refund| {
            matches("payment_intent", &refund.intent) && matches("charge", &refund.charge)
        }),
        ["refunds", id] => refund::retrieve(state, call, id),
        ["application_fees"] => list_page(state, call, |fee: &ApplicationFee| {
            matches("charge", &fee.charge)
        }),
        ["application_fees", id] => fee::retrieve(state, call, id),
        ["application_fees", id, "refunds"] => {
            list_page(state, call, |refund: &FeeRefund| refund.fee == *id)
        }
        ["balance"] => Ok(balance_transaction::retrieve_balance(state, call)),
        ["balance_transactions"] => list_page(state, call, |row: &BalanceTransaction| {
            matches("source", &row.source)
        }),
        ["balance_transactions", id] => balance_transaction::retrieve(state, call, id),
        ["disputes"] => list_page(state, call, |dispute: &Dispute| {
            matches("payment_intent", &dispute.intent) && matches("charge", &dispute.charge)
        }),
        ["disputes", id] => dispute::retrieve(state, call, id),
        ["radar", "early_fraud_warnings"] => {
            list_page(state, call, |warning: &EarlyFraudWarning| {
                matches("payment_intent", &warning.intent) && matches("charge", &warning.charge)
            })
        }
        ["radar", "early_fraud_warnings", id] => early_fraud_warning::retrieve(state, call, id),
        ["account"] => account::retrieve(state, call, None),
        ["accounts"] => list_page(state, call, |_: &Account| true),
        ["accounts", id] => account::retrieve(state, call, Some(id)),
        ["events"] => list_events(state, call),
        ["events", id] => event::retrieve(state, call, id),
        _ => Err(StripeError::no_such_route(
            "GET",
            &format!("/v1/{}", call.path),
        )),
    }
}

fn list_events(state: &SandboxState, call: &ApiCall) -> Result<Value, StripeError> {
    let kinds = call.form.get_list("types");
    let delivered = call.form.get_flag("delivery_success")?;
    list_page(state, call, |event: &WebhookEvent| {
        call.form.get("type").is_none_or(|kind| event.kind == kind)
            && (kinds.is_empty() || kinds.contains(&event.kind.as_str()))
            && delivered
                .is_none_or(|matches| matches == (event.delivery == DeliveryStatus::Delivered))
    })
}
