//! Dispatches API requests by path. Lists the paths of Stripe's API that the sandbox supports.

use serde_json::Value;

use super::account::{self, Account};
use super::call::{ApiCall, KeyKind};
use super::charge::{self, Charge};
use super::dispute::{self, Dispute};
use super::event::{self, DeliveryStatus, WebhookEvent};
use super::failure::StripeError;
use super::fee::{self, Fee, FeeRefund};
use super::intent::{self, Intent, confirm, settle};
use super::listing::{belongs_to_intent, page};
use super::refund::{self, Refund};
use super::state::SandboxState;
use super::transaction::{self, BalanceTransaction};
use super::{method, method::Method};
use crate::stripe::table::StripeObject;

/// Runs one API call. If the call changes the state, its response, success or error, reports the
/// change.
pub fn run(state: &mut SandboxState, call: &ApiCall) -> Result<Value, StripeError> {
    let steps: Vec<&str> = call.path.trim_end_matches('/').split('/').collect();
    let request = (call.method.as_str(), steps.as_slice());
    match request {
        ("POST", ["payment_methods"]) => method::create(state, call),
        ("POST", ["tokens"]) => method::create_token(state, call),
        ("GET", ["payment_intents", id]) => intent::retrieve(state, call, id),
        ("POST", ["payment_intents", id, "confirm"]) => confirm::confirm(state, call, id),
        ("POST", ["payment_intents", id, "authenticate"]) => confirm::authenticate(state, call, id),
        _ if call.access == KeyKind::Publishable => Err(StripeError::unauthorized(
            "This API call cannot be made with a publishable API key. Please use a secret API key.",
        )),
        ("GET", steps) => read(state, call, steps),
        ("POST", steps) => write(state, call, steps),
        (method, _) => Err(StripeError::no_such_route(
            method,
            &format!("/v1/{}", call.path),
        )),
    }
}

fn write(state: &mut SandboxState, call: &ApiCall, steps: &[&str]) -> Result<Value, StripeError> {
    match steps {
        ["payment_intents"] => intent::create(state, call),
        ["payment_intents", id] => intent::update(state, call, id),
        ["payment_intents", id, "capture"] => settle::capture(state, call, id),
        ["payment_intents", id, "cancel"] => settle::cancel(state, call, id),
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

fn read(state: &SandboxState, call: &ApiCall, steps: &[&str]) -> Result<Value, StripeError> {
    let matches =
        |name: &str, value: &str| call.form.get(name).is_none_or(|matches| matches == value);
    match steps {
        ["payment_intents"] => page(state, call, |_: &Intent| true),
        ["payment_methods", id] => state
            .find::<Method>(&call.account, id)
            .map(|method| method.render()),
        ["tokens", id] => method::retrieve_token(state, call, id),
        ["charges"] => page(state, call, |charge: &Charge| {
            belongs_to_intent(call, charge)
        }),
        ["charges", id] => charge::retrieve(state, call, id),
        ["refunds"] => page(state, call, |refund: &Refund| {
            matches("payment_intent", &refund.intent) && matches("charge", &refund.charge)
        }),
        ["refunds", id] => refund::retrieve(state, call, id),
        ["application_fees"] => page(state, call, |fee: &Fee| matches("charge", &fee.charge)),
        ["application_fees", id] => fee::retrieve(state, call, id),
        ["application_fees", id, "refunds"] => {
            page(state, call, |refund: &FeeRefund| refund.fee == *id)
        }
        ["balance"] => Ok(transaction::balance(state, call)),
        ["balance_transactions"] => page(state, call, |row: &BalanceTransaction| {
            matches("source", &row.source)
        }),
        ["balance_transactions", id] => transaction::retrieve(state, call, id),
        ["disputes"] => page(state, call, |dispute: &Dispute| {
            matches("payment_intent", &dispute.intent)
        }),
        ["disputes", id] => dispute::retrieve(state, call, id),
        ["account"] => account::retrieve(state, call, None),
        ["accounts"] => page(state, call, |_: &Account| true),
        ["accounts", id] => account::retrieve(state, call, Some(id)),
        ["events"] => events(state, call),
        ["events", id] => event::retrieve(state, call, id),
        _ => Err(StripeError::no_such_route(
            "GET",
            &format!("/v1/{}", call.path),
        )),
    }
}

fn events(state: &SandboxState, call: &ApiCall) -> Result<Value, StripeError> {
    let kinds = call.form.list("types");
    let delivered = call.form.flag("delivery_success")?;
    page(state, call, |event: &WebhookEvent| {
        call.form.get("type").is_none_or(|kind| event.kind == kind)
            && (kinds.is_empty() || kinds.contains(&event.kind.as_str()))
            && delivered
                .is_none_or(|matches| matches == (event.delivery == DeliveryStatus::Delivered))
    })
}
