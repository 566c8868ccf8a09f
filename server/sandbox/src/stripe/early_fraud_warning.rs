//! Early fraud warnings: the card's bank reports that a payment may be fraudulent. No money moves.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::api_call::ApiCall;
use super::charge::Charge;
use super::failure::StripeError;
use super::id;
use super::intent::Intent;
use super::journal_record::RecordRef;
use super::state::SandboxState;
use super::table::{ObjectKey, StripeObject};

const FRAUD_TYPES: [&str; 7] = [
    "card_never_received",
    "fraudulent_card_application",
    "made_with_counterfeit_card",
    "made_with_lost_card",
    "made_with_stolen_card",
    "misc",
    "unauthorized_use_of_card",
];

/// An early fraud warning. Times are in seconds since 1970.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EarlyFraudWarning {
    pub id: String,
    pub account: String,
    pub created: i64,
    pub charge: String,
    pub intent: String,
    pub fraud_type: String,
}

impl StripeObject for EarlyFraudWarning {
    const OBJECT_NAME: &'static str = "early fraud warning";

    fn key(&self) -> ObjectKey<'_> {
        ObjectKey {
            id: &self.id,
            account: &self.account,
            created: self.created,
        }
    }

    fn render(&self) -> Value {
        json!({
            "id": self.id, "object": "radar.early_fraud_warning", "actionable": true, "charge": self.charge,
            "created": self.created, "fraud_type": self.fraud_type, "livemode": false, "payment_intent": self.intent,
        })
    }

    fn as_record(&self) -> RecordRef<'_> {
        RecordRef::EarlyFraudWarning(self)
    }
}

/// Reports a charge as possibly fraudulent.
pub fn warn_of_charge(state: &mut SandboxState, charge: &Charge, fraud_type: &str) -> Value {
    let warning = EarlyFraudWarning {
        id: id::generate("issfr"),
        account: charge.account.clone(),
        created: state.now(),
        charge: charge.id.clone(),
        intent: charge.intent.clone(),
        fraud_type: fraud_type.to_owned(),
    };
    state.save(warning.clone());
    state.emit_event(
        "radar.early_fraud_warning.created",
        &warning.account,
        &warning.id,
    );
    warning.render()
}

/// Handles `POST /sandbox/early_fraud_warning` with `payment_intent`. Stripe's API has no such
/// call, because the bank warns.
pub fn warn_of_intent(
    state: &mut SandboxState,
    intent: &str,
    fraud_type: &str,
) -> Result<Value, StripeError> {
    if !FRAUD_TYPES.contains(&fraud_type) {
        return Err(StripeError::invalid_request("Invalid fraud_type"));
    }
    let found = state
        .intents
        .get(intent)
        .ok_or_else(|| StripeError::not_found(Intent::OBJECT_NAME, intent))?;
    let charge = found
        .latest_charge
        .as_deref()
        .and_then(|charge| state.charges.get(charge))
        .filter(|charge| charge.captured)
        .cloned();
    let charge =
        charge.ok_or_else(|| StripeError::invalid_request("only a captured charge is reported"))?;
    Ok(warn_of_charge(state, &charge, fraud_type))
}

/// Handles `GET /v1/radar/early_fraud_warnings/{id}`.
pub fn retrieve(state: &SandboxState, call: &ApiCall, id: &str) -> Result<Value, StripeError> {
    state
        .find::<EarlyFraudWarning>(&call.account, id)
        .map(|warning| warning.render())
}
