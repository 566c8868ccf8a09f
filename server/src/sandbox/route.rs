//! The provider's paths, as far as we know them.

use serde_json::Value;

use super::account::{self, Account};
use super::call::{Access, Call};
use super::charge::{self, Charge};
use super::dispute::{self, Dispute};
use super::event::{self, Delivery, Event};
use super::failure::Failure;
use super::fee::{self, Fee, FeeRefund};
use super::intent::{self, Intent, confirm, settle};
use super::listing::{of_intent, page};
use super::refund::{self, Refund};
use super::state::State;
use super::transaction::{self, Transaction};
use super::{method, method::Method};
use crate::sandbox::table::Row;

/// Runs one call. The state changes only if its answer, good or bad, is to be believed.
pub fn run(state: &mut State, call: &Call) -> Result<Value, Failure> {
    let steps: Vec<&str> = call.path.trim_end_matches('/').split('/').collect();
    let asked = (call.method.as_str(), steps.as_slice());
    match asked {
        ("POST", ["payment_methods"]) => method::create(state, call),
        ("POST", ["tokens"]) => method::create_token(state, call),
        ("GET", ["payment_intents", id]) => intent::retrieve(state, call, id),
        ("POST", ["payment_intents", id, "confirm"]) => confirm::confirm(state, call, id),
        ("POST", ["payment_intents", id, "authenticate"]) => confirm::authenticate(state, call, id),
        _ if call.access == Access::Publishable => Err(Failure::unauthorized(
            "This API call cannot be made with a publishable API key. Please use a secret API key.",
        )),
        ("GET", steps) => read(state, call, steps),
        ("POST", steps) => write(state, call, steps),
        (method, _) => Err(Failure::no_such_route(
            method,
            &format!("/v1/{}", call.path),
        )),
    }
}

fn write(state: &mut State, call: &Call, steps: &[&str]) -> Result<Value, Failure> {
    match steps {
        ["payment_intents"] => intent::create(state, call),
        ["payment_intents", id] => intent::update(state, call, id),
        ["payment_intents", id, "capture"] => settle::capture(state, call, id),
        ["payment_intents", id, "cancel"] => settle::cancel(state, call, id),
        ["refunds"] => refund::create(state, call),
        ["application_fees", id, "refunds"] => fee::refund(state, call, id),
        ["accounts"] => account::create(state, call),
        ["accounts", id] => account::update(state, call, id),
        ["account_links"] => account::create_link(state, call),
        _ => Err(Failure::no_such_route(
            "POST",
            &format!("/v1/{}", call.path),
        )),
    }
}

fn read(state: &State, call: &Call, steps: &[&str]) -> Result<Value, Failure> {
    let wanted = |name: &str, value: &str| call.form.get(name).is_none_or(|wanted| wanted == value);
    match steps {
        ["payment_intents"] => page(state, call, |_: &Intent| true),
        ["payment_methods", id] => state
            .find::<Method>(&call.account, id)
            .map(|method| method.render()),
        ["tokens", id] => method::retrieve_token(state, call, id),
        ["charges"] => page(state, call, |charge: &Charge| of_intent(call, charge)),
        ["charges", id] => charge::retrieve(state, call, id),
        ["refunds"] => page(state, call, |refund: &Refund| {
            wanted("payment_intent", &refund.intent) && wanted("charge", &refund.charge)
        }),
        ["refunds", id] => refund::retrieve(state, call, id),
        ["application_fees"] => page(state, call, |fee: &Fee| wanted("charge", &fee.charge)),
        ["application_fees", id] => fee::retrieve(state, call, id),
        ["application_fees", id, "refunds"] => {
            page(state, call, |refund: &FeeRefund| refund.fee == *id)
        }
        ["balance"] => transaction::balance(state, call),
        ["balance_transactions"] => page(state, call, |row: &Transaction| {
            wanted("source", &row.source)
        }),
        ["balance_transactions", id] => transaction::retrieve(state, call, id),
        ["disputes"] => page(state, call, |dispute: &Dispute| {
            wanted("payment_intent", &dispute.intent)
        }),
        ["disputes", id] => dispute::retrieve(state, call, id),
        ["account"] => account::retrieve(state, call, None),
        ["accounts"] => page(state, call, |_: &Account| true),
        ["accounts", id] => account::retrieve(state, call, Some(id)),
        ["events"] => events(state, call),
        ["events", id] => event::retrieve(state, call, id),
        _ => Err(Failure::no_such_route("GET", &format!("/v1/{}", call.path))),
    }
}

fn events(state: &State, call: &Call) -> Result<Value, Failure> {
    let kinds = call.form.list("types");
    let delivered = call.form.flag("delivery_success")?;
    page(state, call, |event: &Event| {
        call.form.get("type").is_none_or(|kind| event.kind == kind)
            && (kinds.is_empty() || kinds.contains(&event.kind.as_str()))
            && delivered.is_none_or(|wanted| wanted == (event.delivery == Delivery::Delivered))
    })
}
