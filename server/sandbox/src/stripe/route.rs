//! Dispatches API requests by path. Lists the paths of Stripe's API that the sandbox supports.

use serde_json::Value;

use super::account::{self, Account};
use super::account_v2;
use super::api_call::{ApiCall, ApiKeyKind, ApiVersion};
use super::balance_transaction::{self, BalanceTransaction};
use super::charge::{self, Charge};
use super::confirmation_token::{self, ConfirmationToken};
use super::dispute::{self, Dispute};
use super::early_fraud_warning::{self, EarlyFraudWarning};
use super::event::{self, DeliveryStatus, WebhookEvent};
use super::failure::StripeError;
use super::fee::{self, ApplicationFee, FeeRefund};
use super::intent::{self, Intent, capture_and_cancel, confirm};
use super::listing::{belongs_to_intent, list_page};
use super::payment_method_domain::{self, PaymentMethodDomain};
use super::payout::Payout;
use super::refund::{self, Refund};
use super::schema::ApiSchema;
use super::state::SandboxState;
use super::webhook_endpoint::{self, WebhookEndpoint};
use super::{payment_method, payment_method::PaymentMethod, validation};
use crate::stripe::table::StripeObject;

/// Parameters that Stripe.js sends with a publishable key. The types of the official library, which
/// is for servers, lack them.
const BROWSER_PARAMETERS: [&str; 5] = [
    "billing_details",
    "card[wallet]",
    "client_secret",
    "payment_method_data",
    "type",
];

/// Checks the parameters of a call against Stripe's own types.
///
/// # Errors
///
/// 404 for a call that the table lacks, 400 for a parameter that the call does not take.
pub fn check_parameters(call: &ApiCall) -> Result<(), StripeError> {
    // `account_v2` reads typed parameters.
    if call.version == ApiVersion::V2 {
        return Ok(());
    }
    let known = ApiSchema::get().find_call(&call.method, &call.path);
    match (known, call.access) {
        (Some(known), ApiKeyKind::Secret) => {
            known.check_parameters(&call.form)?;
            known.check_expansions(&call.form)?;
        }
        (Some(known), ApiKeyKind::Publishable) => {
            known.check_parameters(&call.form.without(&BROWSER_PARAMETERS))?;
        }
        // Only browsers make these calls, so the library for servers has no types of them.
        (None, ApiKeyKind::Publishable) => {}
        (None, ApiKeyKind::Secret)
            if call.path.ends_with("/authenticate") || call.path == "confirmation_tokens" => {}
        (None, ApiKeyKind::Secret) => {
            return Err(StripeError::no_such_route(
                &call.method,
                &format!("/v1/{}", call.path),
            ));
        }
    }
    validation::check_values(&call.form)
}

/// Compares the answer, and the events that the call has caused, with Stripe's own types. Only
/// debug builds do this, because it takes as long as the call.
///
/// # Errors
///
/// 500 that names the differences.
pub fn check_answer(
    state: &mut SandboxState,
    call: &ApiCall,
    answer: &Value,
) -> Result<(), StripeError> {
    let mut differences = std::mem::take(&mut state.event_differences);
    if cfg!(debug_assertions)
        && call.access == ApiKeyKind::Secret
        && let Some(known) = ApiSchema::get().find_call(&call.method, &call.path)
    {
        differences.extend(ApiSchema::get().answer_differences(&known.answer, answer));
    }
    match wrong_answer(call, &differences) {
        Some(failure) => Err(failure),
        None => Ok(()),
    }
}

/// Returns the error itself, or an error 500 if it is none of Stripe's. Only debug builds compare.
pub fn check_refusal(call: &ApiCall, failure: StripeError) -> StripeError {
    if !cfg!(debug_assertions) || call.access == ApiKeyKind::Publishable {
        return failure;
    }
    let differences = ApiSchema::get().error_differences(&failure.error_object());
    wrong_answer(call, &differences).unwrap_or(failure)
}

/// Returns the error 500 that names the differences between an answer and Stripe's types. `None`:
/// there are no differences.
fn wrong_answer(call: &ApiCall, differences: &[String]) -> Option<StripeError> {
    if differences.is_empty() {
        return None;
    }
    let message = format!(
        "The stand-in's answer to {} /v1/{} has another type than Stripe's: {}",
        call.method,
        call.path,
        differences.join("; ")
    );
    tracing::error!("{message}");
    Some(StripeError::wrong_answer(message))
}

/// Runs one API call. An error may also report a change of the state, such as a declined payment.
pub fn run_api_call(state: &mut SandboxState, call: &ApiCall) -> Result<Value, StripeError> {
    let steps: Vec<&str> = call.path.trim_end_matches('/').split('/').collect();
    let request = (call.method.as_str(), steps.as_slice());
    if call.version == ApiVersion::V2 {
        return run_version_2(state, call, request);
    }
    match request {
        ("POST", ["payment_methods"]) => payment_method::create(state, call),
        ("POST", ["tokens"]) => payment_method::create_token(state, call),
        ("POST", ["confirmation_tokens"]) => confirmation_token::create(state, call),
        ("GET", ["elements", "sessions"]) => payment_method_domain::find_wallets(state, call),
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
        ("DELETE", ["webhook_endpoints", id]) => webhook_endpoint::delete(state, id),
        (method, _) => Err(StripeError::no_such_route(
            method,
            &format!("/v1/{}", call.path),
        )),
    }
}

fn run_version_2(
    state: &mut SandboxState,
    call: &ApiCall,
    request: (&str, &[&str]),
) -> Result<Value, StripeError> {
    match request {
        ("POST", ["core", "accounts"]) => account_v2::create(state, call),
        ("POST", ["core", "account_links"]) => account_v2::create_link(state, call),
        (method, _) => Err(StripeError::no_such_route(
            method,
            &format!("/v2/{}", call.path),
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
        ["test_helpers", "confirmation_tokens"] => confirmation_token::create_for_test(state, call),
        ["payment_method_domains"] => payment_method_domain::create(state, call),
        ["payment_method_domains", id] => payment_method_domain::update(state, call, id),
        // The status of the sandbox's domains never changes.
        ["payment_method_domains", id, "validate"] => state
            .find::<PaymentMethodDomain>(&call.account, id)
            .map(|domain| domain.render()),
        ["refunds"] => refund::create(state, call),
        ["application_fees", id, "refunds"] => fee::refund(state, call, id),
        ["accounts"] => Ok(account::create(state, call)),
        ["accounts", id] => account::update(state, call, id),
        ["account_links"] => account::create_link(state, call),
        ["webhook_endpoints"] => webhook_endpoint::create(state, call),
        ["webhook_endpoints", id] => webhook_endpoint::update(state, call, id),
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
        ["confirmation_tokens", id] => state
            .find::<ConfirmationToken>(&call.account, id)
            .map(|token| token.render()),
        ["payment_method_domains"] => list_page(state, call, |domain: &PaymentMethodDomain| {
            matches("domain_name", &domain.domain_name)
        }),
        ["payment_method_domains", id] => state
            .find::<PaymentMethodDomain>(&call.account, id)
            .map(|domain| domain.render()),
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
        ["accounts"] => list_page(state, call, |account: &Account| !account.disconnected),
        ["accounts", id, "capabilities"] => account::retrieve_capabilities(state, id, None),
        ["accounts", id, "capabilities", name] => {
            account::retrieve_capabilities(state, id, Some(name))
        }
        ["payouts"] => list_page(state, call, |_: &Payout| true),
        ["payouts", id] => state
            .find::<Payout>(&call.account, id)
            .map(|payout| payout.render()),
        ["webhook_endpoints"] => {
            list_page(state, call, |endpoint: &WebhookEndpoint| !endpoint.deleted)
        }
        ["webhook_endpoints", id] => {
            webhook_endpoint::find(state, id).map(|endpoint| endpoint.render())
        }
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
