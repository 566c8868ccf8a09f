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

/// The status of a dispute. Variant names are stored in the journal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DisputeStatus {
    WarningNeedsResponse,
    WarningUnderReview,
    WarningClosed,
    #[default]
    NeedsResponse,
    UnderReview,
    Won,
    Lost,
}

impl DisputeStatus {
    fn stripe_name(self) -> &'static str {
        match self {
            Self::WarningNeedsResponse => "warning_needs_response",
            Self::WarningUnderReview => "warning_under_review",
            Self::WarningClosed => "warning_closed",
            Self::NeedsResponse => "needs_response",
            Self::UnderReview => "under_review",
            Self::Won => "won",
            Self::Lost => "lost",
        }
    }

    /// Whether the bank asks only, and has taken no money.
    fn is_inquiry(self) -> bool {
        matches!(
            self,
            Self::WarningNeedsResponse | Self::WarningUnderReview | Self::WarningClosed
        )
    }

    fn is_closed(self) -> bool {
        matches!(self, Self::WarningClosed | Self::Won | Self::Lost)
    }

    /// Whether the charge cannot be refunded in this status.
    fn blocks_refund(self) -> bool {
        !self.is_inquiry() && self != Self::Won
    }
}

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
    #[serde(default)]
    pub status: DisputeStatus,
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
            "intended_submission_method": null, "is_charge_refundable": !self.status.blocks_refund(), "livemode": false, "metadata": {},
            "payment_intent": self.intent, "reason": self.reason, "status": self.status.stripe_name(),
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

/// Opens a dispute or an inquiry over the amount of a captured charge that was not refunded.
pub fn open_for_charge(
    state: &mut SandboxState,
    mut charge: Charge,
    reason: &str,
    status: DisputeStatus,
) -> Value {
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
        status,
    };
    charge.disputed = true;
    charge.dispute = Some(dispute.id.clone());
    state.save(charge);
    state.save(dispute.clone());
    state.emit_event("charge.dispute.created", &dispute.account, &dispute.id);
    if !status.is_inquiry() {
        withdraw_funds(state, &dispute);
    }
    dispute.render()
}

fn withdraw_funds(state: &mut SandboxState, dispute: &Dispute) {
    state.save(BalanceTransaction::of_dispute(dispute, state.now()));
    state.emit_event(
        "charge.dispute.funds_withdrawn",
        &dispute.account,
        &dispute.id,
    );
}

/// Whether the charge is disputed in a status that forbids a refund.
pub fn blocks_refund(state: &SandboxState, charge: &Charge) -> bool {
    let dispute = charge
        .dispute
        .as_deref()
        .and_then(|dispute| state.disputes.get(dispute));
    // A charge of an older journal does not name its dispute.
    dispute.map_or(charge.disputed, |dispute| dispute.status.blocks_refund())
}

/// Handles `POST /sandbox/dispute` with `payment_intent`. Stripe's API has no such call, because
/// the bank opens a dispute.
pub fn open_for_intent(
    state: &mut SandboxState,
    intent: &str,
    reason: &str,
    status: DisputeStatus,
) -> Result<Value, StripeError> {
    if status.is_closed() {
        return Err(StripeError::invalid_request(
            "a dispute cannot begin in a closed status",
        ));
    }
    match find_charge(state, intent)? {
        Some(charge) if charge.captured && !charge.disputed && charge.refundable_amount() > 0 => {
            Ok(open_for_charge(state, charge, reason, status))
        }
        _ => Err(StripeError::invalid_request(
            "only a captured, undisputed charge can be disputed",
        )),
    }
}

/// Handles `POST /sandbox/dispute/status`: changes the status of a payment's dispute, as the bank
/// does. An inquiry may become a dispute. A closed dispute stays closed.
pub fn change_status(
    state: &mut SandboxState,
    intent: &str,
    status: DisputeStatus,
) -> Result<Value, StripeError> {
    let dispute = find_charge(state, intent)?
        .and_then(|charge| charge.dispute)
        .and_then(|dispute| state.disputes.get(&dispute))
        .cloned();
    let Some(mut dispute) = dispute else {
        return Err(StripeError::invalid_request("the payment is not disputed"));
    };
    let before = dispute.status;
    let returns_to_inquiry = !before.is_inquiry() && status.is_inquiry();
    if before.is_closed() || before == status || returns_to_inquiry {
        return Err(StripeError::invalid_request(
            "the dispute cannot change to this status",
        ));
    }
    dispute.status = status;
    state.save(dispute.clone());
    if before.is_inquiry() && !status.is_inquiry() {
        withdraw_funds(state, &dispute);
    }
    if status == DisputeStatus::Won {
        state.save(BalanceTransaction::of_won_dispute(&dispute, state.now()));
        state.emit_event(
            "charge.dispute.funds_reinstated",
            &dispute.account,
            &dispute.id,
        );
    }
    let kind = if status.is_closed() {
        "charge.dispute.closed"
    } else {
        "charge.dispute.updated"
    };
    state.emit_event(kind, &dispute.account, &dispute.id);
    Ok(dispute.render())
}

/// Finds the newest charge of a payment intent. `None`: it has no charge.
fn find_charge(state: &SandboxState, intent: &str) -> Result<Option<Charge>, StripeError> {
    let intent = state
        .intents
        .get(intent)
        .ok_or_else(|| StripeError::not_found(Intent::OBJECT_NAME, intent))?;
    Ok(intent
        .latest_charge
        .as_deref()
        .and_then(|charge| state.charges.get(charge))
        .cloned())
}

/// Handles `GET /v1/disputes/{id}`.
pub fn retrieve(state: &SandboxState, call: &ApiCall, id: &str) -> Result<Value, StripeError> {
    state
        .find::<Dispute>(&call.account, id)
        .map(|dispute| dispute.render())
}
