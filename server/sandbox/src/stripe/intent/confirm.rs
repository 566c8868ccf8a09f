//! The buyer's calls: confirm a payment with a card, and answer a 3-D Secure challenge.

use serde_json::Value;

use super::{CaptureMethod, Intent, IntentStatus, capture_and_cancel};
use crate::stripe::api_call::ApiCall;
use crate::stripe::card::{CardBehaviour, CardDecline};
use crate::stripe::charge::Charge;
use crate::stripe::confirmation_token;
use crate::stripe::failure::StripeError;
use crate::stripe::payment_method::{self, PaymentMethod};
use crate::stripe::state::SandboxState;
use crate::stripe::table::StripeObject;

/// Handles `POST /v1/payment_intents/{id}/confirm`.
pub fn confirm(state: &mut SandboxState, call: &ApiCall, id: &str) -> Result<Value, StripeError> {
    let mut intent = state.find::<Intent>(&call.account, id)?;
    call.check_client_secret(&intent)?;
    if !intent.status.is_open() {
        let why = match intent.status {
            IntentStatus::Succeeded => "it has already succeeded after being previously confirmed",
            IntentStatus::Canceled => "it has a status of canceled",
            _ => "it has already been confirmed and requires capture",
        };
        return Err(intent.unexpected_state(format!(
            "You cannot confirm this PaymentIntent because {why}."
        )));
    }
    state.check_charges_enabled(&call.account)?;
    let requested = match call.form.get("confirmation_token") {
        Some(token) => Some(confirmation_token::use_token(state, call, token, &intent)?),
        None => payment_method::resolve_payment_method(state, call)?,
    };
    let method = match (requested, &intent.payment_method) {
        (Some(method), _) => method,
        (None, Some(attached)) => state.find::<PaymentMethod>(&call.account, attached)?,
        (None, None) => {
            return Err(intent.unexpected_state(
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
        return Err(StripeError::invalid_request(message).with_param("payment_method"));
    }
    intent.payment_method = Some(method.id.clone());
    intent.last_error = None;
    if let Some(email) = call.form.get_owned("receipt_email") {
        intent.receipt_email = Some(email);
    }
    match method.behaviour {
        CardBehaviour::Approves
        | CardBehaviour::Disputes
        | CardBehaviour::Inquires
        | CardBehaviour::WarnsOfFraud
        | CardBehaviour::RefundsLater
        | CardBehaviour::RefundsFail => approve_payment(state, call, intent, method),
        CardBehaviour::Declines(decline) => Err(record_decline(
            state,
            call,
            intent,
            &method,
            decline.to_stripe_error(),
        )),
        CardBehaviour::Authenticates | CardBehaviour::AuthenticatesThenDeclines => {
            intent.status = IntentStatus::RequiresAction;
            intent
                .clone()
                .save_and_emit_event(state, "payment_intent.requires_action");
            Ok(intent.render_for(call.access))
        }
    }
}

/// Handles `POST /v1/payment_intents/{id}/authenticate` with `outcome=complete|fail`, the result of
/// the bank's 3-D Secure page. Stripe's API has no such call.
pub fn finish_3d_secure(
    state: &mut SandboxState,
    call: &ApiCall,
    id: &str,
) -> Result<Value, StripeError> {
    let intent = state.find::<Intent>(&call.account, id)?;
    call.check_client_secret(&intent)?;
    if intent.status != IntentStatus::RequiresAction {
        let status = intent.status.stripe_name();
        return Err(intent.unexpected_state(format!(
            "This PaymentIntent awaits no authentication, its status is {status}."
        )));
    }
    let method_id = intent.payment_method.clone().unwrap_or_default();
    let method = state.find::<PaymentMethod>(&call.account, &method_id)?;
    match (call.form.get_required("outcome")?, method.behaviour) {
        ("complete", CardBehaviour::AuthenticatesThenDeclines) => Err(record_decline(
            state,
            call,
            intent,
            &method,
            CardDecline::Generic.to_stripe_error(),
        )),
        ("complete", _) => approve_payment(state, call, intent, method),
        _ => {
            // A failed challenge is recorded on the intent. The call itself succeeds and returns
            // the intent, as at Stripe.
            let message = "We are unable to authenticate your payment method. Please choose a different payment \
                           method and try again.";
            let failure =
                StripeError::state_conflict("payment_intent_authentication_failure", message);
            record_decline(state, call, intent, &method, failure);
            Ok(state
                .find::<Intent>(&call.account, id)?
                .render_for(call.access))
        }
    }
}

fn approve_payment(
    state: &mut SandboxState,
    call: &ApiCall,
    mut intent: Intent,
    mut method: PaymentMethod,
) -> Result<Value, StripeError> {
    let charge = Charge::new_authorised(&intent, &method, state.now());
    intent.latest_charge = Some(charge.id.clone());
    method.spent = true;
    state.save(method);
    let id = intent.id.clone();
    match intent.capture_method {
        CaptureMethod::Manual => {
            intent.status = IntentStatus::RequiresCapture;
            intent.amount_capturable = intent.amount;
            state.save(charge);
            intent.save_and_emit_event(state, "payment_intent.amount_capturable_updated");
        }
        CaptureMethod::Automatic => {
            let (amount, fee) = (intent.amount, intent.application_fee_amount);
            capture_and_cancel::capture_charge(state, intent, charge, amount, fee);
        }
    }
    Ok(state
        .find::<Intent>(&call.account, &id)?
        .render_for(call.access))
}

/// Records a declined card on the intent. Returns the error response, which contains the intent.
fn record_decline(
    state: &mut SandboxState,
    call: &ApiCall,
    mut intent: Intent,
    method: &PaymentMethod,
    failure: StripeError,
) -> StripeError {
    let charge = Charge::new_declined(&intent, method, &failure, state.now());
    let failure = failure
        .with_field("charge", charge.id.clone())
        .with_field("payment_method", method.render());
    intent.latest_charge = Some(charge.id.clone());
    intent.status = IntentStatus::RequiresPaymentMethod;
    intent.payment_method = None;
    intent.last_error = Some(failure.error_object());
    state.save(charge);
    let rendered = intent.render_for(call.access);
    intent.save_and_emit_event(state, "payment_intent.payment_failed");
    failure.with_field("payment_intent", rendered)
}
