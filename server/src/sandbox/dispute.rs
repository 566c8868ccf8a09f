//! Disputes: a buyer's bank takes the money back.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::call::Call;
use super::charge::Charge;
use super::failure::Failure;
use super::id;
use super::intent::Intent;
use super::record::RecordRef;
use super::state::State;
use super::table::{Key, Row};
use super::transaction::Transaction;

/// What a bank's dispute costs the merchant, in cents.
const DISPUTE_FEE: i64 = 2500;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Dispute {
    pub id: String,
    pub account: String,
    pub created: i64,
    pub charge: String,
    pub intent: String,
    pub amount: i64,
    pub fee: i64,
    pub currency: String,
    pub reason: String,
}

impl Row for Dispute {
    const OBJECT: &'static str = "dispute";

    fn key(&self) -> Key<'_> {
        Key {
            id: &self.id,
            account: &self.account,
            created: self.created,
        }
    }

    fn render(&self) -> Value {
        json!({
            "id": self.id, "object": "dispute", "amount": self.amount, "balance_transactions": [],
            "charge": self.charge, "created": self.created, "currency": self.currency,
            "enhanced_eligibility_types": [], "evidence": {}, "evidence_details": { "due_by": null,
                "enhanced_eligibility": {}, "has_evidence": false, "past_due": false, "submission_count": 0 },
            "is_charge_refundable": false, "livemode": false, "metadata": {}, "payment_intent": self.intent,
            "reason": self.reason, "status": "needs_response",
        })
    }

    fn record(&self) -> RecordRef<'_> {
        RecordRef::Dispute(self)
    }
}

/// Opens a dispute of all that is left of a captured charge.
pub fn open(state: &mut State, mut charge: Charge, reason: &str) -> Value {
    let dispute = Dispute {
        id: id::fresh("dp"),
        account: charge.account.clone(),
        created: id::now(),
        charge: charge.id.clone(),
        intent: charge.intent.clone(),
        amount: charge.refundable(),
        fee: DISPUTE_FEE,
        currency: charge.currency.clone(),
        reason: reason.to_owned(),
    };
    charge.disputed = true;
    state.save(Transaction::of_dispute(&dispute));
    state.save(charge);
    state.save(dispute.clone());
    state.emit("charge.dispute.created", &dispute.account, &dispute.id);
    dispute.render()
}

/// `POST /sandbox/dispute` with `payment_intent`: the bank's side of the story, which the real API has no call for.
pub fn raise(state: &mut State, intent: &str, reason: &str) -> Result<Value, Failure> {
    let intent = state
        .intents
        .get(intent)
        .ok_or_else(|| Failure::unknown(Intent::OBJECT, intent))?;
    let charge = intent
        .latest_charge
        .as_deref()
        .and_then(|charge| state.charges.get(charge))
        .cloned();
    match charge {
        Some(charge) if charge.captured && !charge.disputed && charge.refundable() > 0 => {
            Ok(open(state, charge, reason))
        }
        _ => Err(Failure::invalid(
            "only a captured, undisputed charge can be disputed",
        )),
    }
}

/// `GET /v1/disputes/{id}`
pub fn retrieve(state: &State, call: &Call, id: &str) -> Result<Value, Failure> {
    state
        .find::<Dispute>(&call.account, id)
        .map(|dispute| dispute.render())
}
