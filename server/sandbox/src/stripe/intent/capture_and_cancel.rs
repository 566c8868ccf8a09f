//! The merchant's calls: capture a payment, or cancel it and release its authorisation.

use serde_json::Value;

use super::{Intent, IntentStatus};
use crate::stripe::api_call::ApiCall;
use crate::stripe::balance_transaction::BalanceTransaction;
use crate::stripe::card::CardBehaviour;
use crate::stripe::charge::{Charge, DelayedTransaction};
use crate::stripe::dispute::{self, DisputeStatus};
use crate::stripe::early_fraud_warning;
use crate::stripe::failure::StripeError;
use crate::stripe::fee::ApplicationFee;
use crate::stripe::state::SandboxState;
use crate::stripe::table::StripeObject;

/// Handles `POST /v1/payment_intents/{id}/capture`. Captures the whole amount or a part. The rest
/// of the authorisation is released.
pub fn capture(state: &mut SandboxState, call: &ApiCall, id: &str) -> Result<Value, StripeError> {
    let intent = state.find::<Intent>(&call.account, id)?;
    if intent.status != IntentStatus::RequiresCapture {
        return Err(intent.unexpected_state(format!(
            "This PaymentIntent could not be captured because it has a status of {}. Only a PaymentIntent with one of \
             the following statuses may be captured: requires_capture.",
            intent.status.stripe_name()
        )));
    }
    let amount = call
        .form
        .get_integer("amount_to_capture")?
        .unwrap_or(intent.amount_capturable);
    if amount < 1 || amount > intent.amount_capturable {
        let message = "The amount to capture must be positive and no more than the amount that can be captured.";
        return Err(StripeError::invalid_request(message)
            .with_code("amount_too_large")
            .with_param("amount_to_capture"));
    }
    let fee = super::parse_application_fee(call, amount)?
        .or(intent.application_fee_amount.map(|fee| fee.min(amount)));
    let charge_id = intent.latest_charge.clone().unwrap_or_default();
    let charge = state.find::<Charge>(&call.account, &charge_id)?;
    capture_charge(state, intent, charge, amount, fee);
    Ok(state
        .find::<Intent>(&call.account, id)?
        .render_for(call.access))
}

/// Captures the money: updates the charge, creates its balance transaction and the platform's fee,
/// and emits the event.
pub(super) fn capture_charge(
    state: &mut SandboxState,
    mut intent: Intent,
    mut charge: Charge,
    amount: i64,
    fee: Option<i64>,
) {
    // Stripe creates no fee object for a fee of zero.
    let fee = fee.filter(|fee| *fee > 0);
    let transaction = BalanceTransaction::of_charge(&charge, amount, fee.unwrap_or(0), state.now());
    charge.captured = true;
    charge.amount_captured = amount;
    match state.balance_transaction_delay {
        0 => charge.balance_transaction = Some(transaction.id.clone()),
        delay => {
            let (id, due) = (transaction.id.clone(), state.now() + delay);
            charge.delayed_transaction = Some(DelayedTransaction { id, due });
            state.delay_transaction(&charge.id, due);
        }
    }
    charge.application_fee_amount = fee;
    if let Some(fee) = fee {
        let fee = ApplicationFee::from_charge(&charge, fee, state.now());
        charge.application_fee = Some(fee.id.clone());
        state.save(BalanceTransaction::of_fee(&fee, state.now()));
        state.save(fee);
    }
    intent.status = IntentStatus::Succeeded;
    intent.amount_received = amount;
    intent.amount_capturable = 0;
    intent.application_fee_amount = fee;
    state.save(transaction);
    let behaviour = charge.method.behaviour;
    state.save(charge.clone());
    intent.save_and_emit_event(state, "payment_intent.succeeded");
    match behaviour {
        CardBehaviour::Disputes => {
            dispute::open_for_charge(state, charge, "fraudulent", DisputeStatus::NeedsResponse);
        }
        CardBehaviour::Inquires => {
            let status = DisputeStatus::WarningNeedsResponse;
            dispute::open_for_charge(state, charge, "fraudulent", status);
        }
        CardBehaviour::WarnsOfFraud => {
            early_fraud_warning::warn_of_charge(state, &charge, "made_with_stolen_card");
        }
        _ => {}
    }
}

/// Handles `POST /v1/payment_intents/{id}/cancel`. Allowed in every state that is not final.
pub fn cancel(state: &mut SandboxState, call: &ApiCall, id: &str) -> Result<Value, StripeError> {
    let intent = state.find::<Intent>(&call.account, id)?;
    let reason = call.form.get_owned("cancellation_reason");
    if matches!(
        intent.status,
        IntentStatus::Succeeded | IntentStatus::Canceled
    ) {
        return Err(intent.unexpected_state(format!(
            "You cannot cancel this PaymentIntent because it has a status of {}. Only a PaymentIntent with one of the \
             following statuses may be canceled: requires_payment_method, requires_capture, requires_confirmation, \
             requires_action, processing.",
            intent.status.stripe_name()
        )));
    }
    cancel_and_release(state, intent, reason);
    Ok(state
        .find::<Intent>(&call.account, id)?
        .render_for(call.access))
}

/// Handles `POST /sandbox/expire`: lets an authorisation expire, as a bank does after seven days.
pub fn expire_authorisation(state: &mut SandboxState, id: &str) -> Result<Value, StripeError> {
    let intent = state
        .intents
        .get(id)
        .cloned()
        .ok_or_else(|| StripeError::not_found(Intent::OBJECT_NAME, id))?;
    if intent.status != IntentStatus::RequiresCapture {
        return Err(StripeError::invalid_request(
            "only an uncaptured authorisation expires",
        ));
    }
    let account = intent.account.clone();
    cancel_and_release(state, intent, Some("automatic".to_owned()));
    Ok(state.find::<Intent>(&account, id)?.render())
}

fn cancel_and_release(state: &mut SandboxState, mut intent: Intent, reason: Option<String>) {
    let held = intent.amount_capturable;
    intent.status = IntentStatus::Canceled;
    intent.amount_capturable = 0;
    intent.canceled_at = Some(state.now());
    intent.cancellation_reason = reason;
    let charge = intent
        .latest_charge
        .as_deref()
        .and_then(|charge| state.charges.get(charge))
        .cloned();
    intent.save_and_emit_event(state, "payment_intent.canceled");
    // Stripe shows a released authorisation as a charge that was refunded and never captured, and
    // emits an event for it.
    if let Some(mut charge) = charge.filter(|_| held > 0) {
        charge.refunded = true;
        charge.amount_refunded = charge.amount;
        state.save(charge.clone());
        state.emit_event("charge.refunded", &charge.account, &charge.id);
    }
}
