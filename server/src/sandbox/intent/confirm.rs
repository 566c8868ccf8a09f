//! The buyer's half: confirming with a card, answering a 3-D Secure challenge.

use serde_json::Value;

use super::{CaptureMethod, Intent, IntentStatus, settle};
use crate::sandbox::call::Call;
use crate::sandbox::card::{Behaviour, Decline};
use crate::sandbox::charge::Charge;
use crate::sandbox::failure::Failure;
use crate::sandbox::method::{self, Method};
use crate::sandbox::state::State;
use crate::sandbox::table::Row;

/// `POST /v1/payment_intents/{id}/confirm`
pub fn confirm(state: &mut State, call: &Call, id: &str) -> Result<Value, Failure> {
    let mut intent = state.find::<Intent>(&call.account, id)?;
    call.may_use(&intent)?;
    if !intent.status.is_open() {
        let why = match intent.status {
            IntentStatus::Succeeded => "it has already succeeded after being previously confirmed",
            IntentStatus::Canceled => "it has a status of canceled",
            _ => "it has already been confirmed and requires capture",
        };
        return Err(intent.unexpected(format!(
            "You cannot confirm this PaymentIntent because {why}."
        )));
    }
    let named = method::named_by(state, call)?;
    let method = match (named, &intent.payment_method) {
        (Some(method), _) => method,
        (None, Some(kept)) => state.find::<Method>(&call.account, kept)?,
        (None, None) => {
            return Err(intent.unexpected(
                "You cannot confirm this PaymentIntent because it's missing a payment method. You can either update \
                 the PaymentIntent with a payment method and then confirm it again, or confirm it again directly with \
                 a payment method."
                    .to_owned(),
            ));
        }
    };
    if method.spent {
        let message = "The provided PaymentMethod was previously used with a PaymentIntent without Customer \
                       attachment. It may not be used again.";
        return Err(Failure::invalid(message).param("payment_method"));
    }
    state.may_charge(&call.account)?;
    intent.payment_method = Some(method.id.clone());
    intent.last_error = None;
    if let Some(email) = call.form.owned("receipt_email") {
        intent.receipt_email = Some(email);
    }
    match method.behaviour {
        Behaviour::Approves | Behaviour::Disputes => approve(state, call, intent, method),
        Behaviour::Declines(decline) => {
            Err(refuse(state, call, intent, &method, decline.failure()))
        }
        Behaviour::Authenticates | Behaviour::AuthenticatesThenDeclines => {
            intent.status = IntentStatus::RequiresAction;
            intent
                .clone()
                .announce(state, "payment_intent.requires_action");
            Ok(intent.shown_to(call.access))
        }
    }
}

/// `POST /v1/payment_intents/{id}/authenticate` with `outcome=complete|fail`: what the bank's page reports. Ours alone.
pub fn authenticate(state: &mut State, call: &Call, id: &str) -> Result<Value, Failure> {
    let intent = state.find::<Intent>(&call.account, id)?;
    call.may_use(&intent)?;
    if intent.status != IntentStatus::RequiresAction {
        let status = intent.status.word();
        return Err(intent.unexpected(format!(
            "This PaymentIntent awaits no authentication, its status is {status}."
        )));
    }
    let method_id = intent.payment_method.clone().unwrap_or_default();
    let method = state.find::<Method>(&call.account, &method_id)?;
    match (call.form.required("outcome")?, method.behaviour) {
        ("complete", Behaviour::AuthenticatesThenDeclines) => Err(refuse(
            state,
            call,
            intent,
            &method,
            Decline::Generic.failure(),
        )),
        ("complete", _) => approve(state, call, intent, method),
        _ => {
            // The challenge's failure is the intent's news, not this call's: the answer is the intent, as in real life.
            let message = "We are unable to authenticate your payment method. Please choose a different payment \
                           method and try again.";
            let failure = Failure::state("payment_intent_authentication_failure", message);
            refuse(state, call, intent, &method, failure);
            Ok(state
                .find::<Intent>(&call.account, id)?
                .shown_to(call.access))
        }
    }
}

fn approve(
    state: &mut State,
    call: &Call,
    mut intent: Intent,
    mut method: Method,
) -> Result<Value, Failure> {
    let charge = Charge::authorised(&intent, &method);
    intent.latest_charge = Some(charge.id.clone());
    method.spent = true;
    state.save(method);
    let id = intent.id.clone();
    match intent.capture_method {
        CaptureMethod::Manual => {
            intent.status = IntentStatus::RequiresCapture;
            intent.amount_capturable = intent.amount;
            state.save(charge);
            intent.announce(state, "payment_intent.amount_capturable_updated");
        }
        CaptureMethod::Automatic => {
            let (amount, fee) = (intent.amount, intent.application_fee_amount);
            settle::collect(state, intent, charge, amount, fee);
        }
    }
    Ok(state
        .find::<Intent>(&call.account, &id)?
        .shown_to(call.access))
}

/// Writes the decline into the intent and makes the error answer that carries it.
fn refuse(
    state: &mut State,
    call: &Call,
    mut intent: Intent,
    method: &Method,
    failure: Failure,
) -> Failure {
    let charge = Charge::failed(&intent, method, &failure);
    let failure = failure
        .detail("charge", charge.id.clone())
        .detail("payment_method", method.render());
    intent.latest_charge = Some(charge.id.clone());
    intent.status = IntentStatus::RequiresPaymentMethod;
    intent.payment_method = None;
    intent.last_error = Some(failure.error());
    state.save(charge);
    let shown = intent.shown_to(call.access);
    intent.announce(state, "payment_intent.payment_failed");
    failure.detail("payment_intent", shown)
}
