//! The merchant's half: taking the money, or letting the authorisation go.

use serde_json::Value;

use super::{Intent, IntentStatus};
use crate::sandbox::call::Call;
use crate::sandbox::charge::Charge;
use crate::sandbox::dispute;
use crate::sandbox::failure::Failure;
use crate::sandbox::fee::Fee;
use crate::sandbox::id;
use crate::sandbox::state::State;
use crate::sandbox::table::Row;
use crate::sandbox::transaction::Transaction;

const REASONS: [&str; 4] = [
    "duplicate",
    "fraudulent",
    "requested_by_customer",
    "abandoned",
];

/// `POST /v1/payment_intents/{id}/capture`: all or a part; the rest of the authorisation is let go.
pub fn capture(state: &mut State, call: &Call, id: &str) -> Result<Value, Failure> {
    let intent = state.find::<Intent>(&call.account, id)?;
    if intent.status != IntentStatus::RequiresCapture {
        return Err(intent.unexpected(format!(
            "This PaymentIntent could not be captured because it has a status of {}. Only a PaymentIntent with one of \
             the following statuses may be captured: requires_capture.",
            intent.status.word()
        )));
    }
    let amount = call
        .form
        .integer("amount_to_capture")?
        .unwrap_or(intent.amount_capturable);
    if amount < 1 || amount > intent.amount_capturable {
        let message = "The amount to capture must be positive and no more than the amount that can be captured.";
        return Err(Failure::invalid(message)
            .code("amount_too_large")
            .param("amount_to_capture"));
    }
    let fee =
        super::fee(call, amount)?.or(intent.application_fee_amount.map(|fee| fee.min(amount)));
    let charge_id = intent.latest_charge.clone().unwrap_or_default();
    let charge = state.find::<Charge>(&call.account, &charge_id)?;
    collect(state, intent, charge, amount, fee);
    Ok(state
        .find::<Intent>(&call.account, id)?
        .shown_to(call.access))
}

/// Moves the money: the charge, its balance transaction, the platform's fee, the event.
pub(super) fn collect(
    state: &mut State,
    mut intent: Intent,
    mut charge: Charge,
    amount: i64,
    fee: Option<i64>,
) {
    // A fee of nothing is no fee: the provider makes no fee object for it.
    let fee = fee.filter(|fee| *fee > 0);
    let transaction = Transaction::of_charge(&charge, amount, fee.unwrap_or(0));
    charge.captured = true;
    charge.amount_captured = amount;
    charge.balance_transaction = Some(transaction.id.clone());
    charge.application_fee_amount = fee;
    if let Some(fee) = fee {
        let fee = Fee::taken(&charge, fee);
        charge.application_fee = Some(fee.id.clone());
        state.save(Transaction::of_fee(&fee));
        state.save(fee);
    }
    intent.status = IntentStatus::Succeeded;
    intent.amount_received = amount;
    intent.amount_capturable = 0;
    intent.application_fee_amount = fee;
    state.save(transaction);
    let disputed = charge.disputes_itself;
    state.save(charge.clone());
    intent.announce(state, "payment_intent.succeeded");
    if disputed {
        dispute::open(state, charge, "fraudulent");
    }
}

/// `POST /v1/payment_intents/{id}/cancel`: from every state that is not final.
pub fn cancel(state: &mut State, call: &Call, id: &str) -> Result<Value, Failure> {
    let intent = state.find::<Intent>(&call.account, id)?;
    let reason = call.form.owned("cancellation_reason");
    if reason
        .as_deref()
        .is_some_and(|reason| !REASONS.contains(&reason))
    {
        return Err(Failure::invalid("Invalid cancellation_reason").param("cancellation_reason"));
    }
    if matches!(
        intent.status,
        IntentStatus::Succeeded | IntentStatus::Canceled
    ) {
        return Err(intent.unexpected(format!(
            "You cannot cancel this PaymentIntent because it has a status of {}. Only a PaymentIntent with one of the \
             following statuses may be canceled: requires_payment_method, requires_capture, requires_confirmation, \
             requires_action, processing.",
            intent.status.word()
        )));
    }
    release(state, intent, reason);
    Ok(state
        .find::<Intent>(&call.account, id)?
        .shown_to(call.access))
}

/// Lets an authorisation run out, as the bank does after seven days: `POST /sandbox/expire`.
pub fn expire(state: &mut State, id: &str) -> Result<Value, Failure> {
    let intent = state
        .intents
        .get(id)
        .cloned()
        .ok_or_else(|| Failure::unknown(Intent::OBJECT, id))?;
    if intent.status != IntentStatus::RequiresCapture {
        return Err(Failure::invalid("only an uncaptured authorisation expires"));
    }
    let account = intent.account.clone();
    release(state, intent, Some("automatic".to_owned()));
    Ok(state.find::<Intent>(&account, id)?.render())
}

fn release(state: &mut State, mut intent: Intent, reason: Option<String>) {
    let held = intent.amount_capturable;
    intent.status = IntentStatus::Canceled;
    intent.amount_capturable = 0;
    intent.canceled_at = Some(id::now());
    intent.cancellation_reason = reason;
    let charge = intent
        .latest_charge
        .as_deref()
        .and_then(|charge| state.charges.get(charge))
        .cloned();
    intent.announce(state, "payment_intent.canceled");
    // The provider shows a let-go authorisation as a refunded, never captured charge, and says so.
    if let Some(mut charge) = charge.filter(|_| held > 0) {
        charge.refunded = true;
        charge.amount_refunded = charge.amount;
        state.save(charge.clone());
        state.emit("charge.refunded", &charge.account, &charge.id);
    }
}
