//! Disputes: the buyer's bank takes a payment back.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::api_call::ApiCall;
use super::balance_transaction::BalanceTransaction;
use super::charge::Charge;
use super::failure::StripeError;
use super::id;
use super::intent::Intent;
use super::journal_record::RecordRef;
use super::state::SandboxState;
use super::table::{ObjectKey, StripeObject};

/// Fee that Stripe takes from the merchant for a dispute, in cents.
const DISPUTE_FEE_CENTS: i64 = 2500;

/// A dispute. Amounts are in cents, times in seconds since 1970.
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

impl StripeObject for Dispute {
    const OBJECT_NAME: &'static str = "dispute";

    fn key(&self) -> ObjectKey<'_> {
        ObjectKey {
            id: &self.id,
            account: &self.account,
            created: self.created,
        }
    }

    fn render(&self) -> Value {
        json!({
            "id": self.id, "object": "dispute", "amount": self.amount, "balance_transactions": [],
            "charge": self.charge, "created": self.created, "currency": self.currency,
            "enhanced_eligibility_types": [], "evidence": render_no_evidence(),
            "evidence_details": { "due_by": null, "enhanced_eligibility": {}, "has_evidence": false, "past_due": false,
                "submission_count": 0, "submission_method": "not_submitted" },
            "intended_submission_method": null, "is_charge_refundable": false, "livemode": false, "metadata": {}, "payment_intent": self.intent,
            "reason": self.reason, "status": "needs_response",
        })
    }

    fn as_record(&self) -> RecordRef<'_> {
        RecordRef::Dispute(self)
    }
}

/// Renders the evidence of a dispute to which nobody has answered.
fn render_no_evidence() -> Value {
    json!({
        "access_activity_log": null, "billing_address": null, "cancellation_policy": null,
        "cancellation_policy_disclosure": null, "cancellation_rebuttal": null, "customer_communication": null,
        "customer_email_address": null, "customer_name": null, "customer_purchase_ip": null,
        "customer_signature": null, "duplicate_charge_documentation": null, "duplicate_charge_explanation": null,
        "duplicate_charge_id": null, "enhanced_evidence": {}, "product_description": null, "receipt": null,
        "refund_policy": null, "refund_policy_disclosure": null, "refund_refusal_explanation": null,
        "service_date": null, "service_documentation": null, "shipping_address": null, "shipping_carrier": null,
        "shipping_date": null, "shipping_documentation": null, "shipping_tracking_number": null,
        "uncategorized_file": null, "uncategorized_text": null,
    })
}

/// Opens a dispute over the amount of a captured charge that was not refunded.
pub fn open_for_charge(state: &mut SandboxState, mut charge: Charge, reason: &str) -> Value {
    let dispute = Dispute {
        id: id::generate("dp"),
        account: charge.account.clone(),
        created: state.now(),
        charge: charge.id.clone(),
        intent: charge.intent.clone(),
        amount: charge.refundable_amount(),
        fee: DISPUTE_FEE_CENTS,
        currency: charge.currency.clone(),
        reason: reason.to_owned(),
    };
    charge.disputed = true;
    state.save(BalanceTransaction::of_dispute(&dispute, state.now()));
    state.save(charge);
    state.save(dispute.clone());
    state.emit_event("charge.dispute.created", &dispute.account, &dispute.id);
    dispute.render()
}

/// Handles `POST /sandbox/dispute` with `payment_intent`. Stripe's API has no such call, because
/// the bank opens a dispute.
pub fn open_for_intent(
    state: &mut SandboxState,
    intent: &str,
    reason: &str,
) -> Result<Value, StripeError> {
    let intent = state
        .intents
        .get(intent)
        .ok_or_else(|| StripeError::not_found(Intent::OBJECT_NAME, intent))?;
    let charge = intent
        .latest_charge
        .as_deref()
        .and_then(|charge| state.charges.get(charge))
        .cloned();
    match charge {
        Some(charge) if charge.captured && !charge.disputed && charge.refundable_amount() > 0 => {
            Ok(open_for_charge(state, charge, reason))
        }
        _ => Err(StripeError::invalid_request(
            "only a captured, undisputed charge can be disputed",
        )),
    }
}

/// Handles `GET /v1/disputes/{id}`.
pub fn retrieve(state: &SandboxState, call: &ApiCall, id: &str) -> Result<Value, StripeError> {
    state
        .find::<Dispute>(&call.account, id)
        .map(|dispute| dispute.render())
}
