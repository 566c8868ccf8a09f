//! Refunds of payments to the buyer's card.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::account::{Account, RefundFunding};
use super::api_call::ApiCall;
use super::balance_transaction::BalanceTransaction;
use super::card::CardBehaviour;
use super::charge::Charge;
use super::dispute;
use super::failure::StripeError;
use super::fee::{self, ApplicationFee};
use super::id;
use super::intent::Intent;
use super::journal_record::RecordRef;
use super::state::SandboxState;
use super::table::{ObjectKey, StripeObject};

/// The pending reason of a refund that waits for the account's balance.
const INSUFFICIENT_FUNDS: &str = "insufficient_funds";

/// The status of a refund. Variant names are stored in the journal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RefundStatus {
    Pending,
    RequiresAction,
    #[default]
    Succeeded,
    Failed,
    Canceled,
}

impl RefundStatus {
    fn stripe_name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::RequiresAction => "requires_action",
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::Canceled => "canceled",
        }
    }

    /// Whether the money is back with the account.
    fn has_ended_unpaid(self) -> bool {
        matches!(self, Self::Failed | Self::Canceled)
    }
}

/// A refund. Amounts are in cents, times in seconds since 1970.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Refund {
    pub id: String,
    pub account: String,
    pub created: i64,
    pub charge: String,
    pub intent: String,
    pub amount: i64,
    pub currency: String,
    pub reason: Option<String>,
    pub metadata: BTreeMap<String, String>,
    pub balance_transaction: Option<String>,
    #[serde(default)]
    pub status: RefundStatus,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending_reason: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure_reason: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure_balance_transaction: Option<String>,
}

impl StripeObject for Refund {
    const OBJECT_NAME: &'static str = "refund";

    fn key(&self) -> ObjectKey<'_> {
        ObjectKey {
            id: &self.id,
            account: &self.account,
            created: self.created,
        }
    }

    fn render(&self) -> Value {
        let mut refund = json!({
            "id": self.id, "object": "refund", "amount": self.amount, "balance_transaction": self.balance_transaction,
            "charge": self.charge, "created": self.created, "currency": self.currency,
            "destination_details": { "card": { "reference": "0000000000000000", "reference_status": "available",
                "reference_type": "acquirer_reference_number", "type": "refund" }, "type": "card" },
            "metadata": self.metadata, "payment_intent": self.intent, "reason": self.reason, "receipt_number": null,
            "source_transfer_reversal": null, "status": self.status.stripe_name(), "transfer_reversal": null,
            "customer": null, "customer_account": null, "payment_method": null,
        });
        // Stripe omits these fields unless they have a value.
        for (name, value) in [
            ("pending_reason", &self.pending_reason),
            ("failure_reason", &self.failure_reason),
            (
                "failure_balance_transaction",
                &self.failure_balance_transaction,
            ),
        ] {
            if let Some(value) = value {
                refund[name] = value.as_str().into();
            }
        }
        refund
    }

    fn as_record(&self) -> RecordRef<'_> {
        RecordRef::Refund(self)
    }
}

/// Handles `POST /v1/refunds` for a `payment_intent` or a `charge`. Refunds `amount`, or without it
/// everything that is not refunded yet.
pub fn create(state: &mut SandboxState, call: &ApiCall) -> Result<Value, StripeError> {
    let form = &call.form;
    let mut charge = find_charge_to_refund(state, call)?;
    let reason = form.get_owned("reason");
    let left = charge.refundable_amount();
    if left == 0 {
        let message = format!("Charge {} has already been refunded.", charge.id);
        return Err(StripeError::state_conflict(
            "charge_already_refunded",
            message,
        ));
    }
    if dispute::blocks_refund(state, &charge) {
        let message = format!(
            "Charge {} has been charged back; cannot issue a refund.",
            charge.id
        );
        return Err(StripeError::state_conflict("charge_disputed", message));
    }
    let amount = form.get_integer("amount")?.unwrap_or(left);
    if amount < 1 || amount > left {
        let message = format!(
            "Refund amount (${}) is greater than unrefunded amount on charge (${})",
            format_dollars(amount),
            format_dollars(left)
        );
        return Err(StripeError::state_conflict("amount_too_large", message).with_param("amount"));
    }
    let funding = state
        .find::<Account>("", &charge.account)
        .map_or(RefundFunding::Covered, |account| account.refund_funding);
    if funding == RefundFunding::Refused {
        let message = "You have insufficient funds in your Stripe account for this refund.";
        return Err(StripeError::state_conflict("balance_insufficient", message));
    }
    if form.get_flag("refund_application_fee")? == Some(true) {
        refund_fee_in_proportion(state, &charge, amount);
    }
    let mut refund = Refund {
        id: id::generate("re"),
        account: charge.account.clone(),
        created: state.now(),
        charge: charge.id.clone(),
        intent: charge.intent.clone(),
        amount,
        currency: charge.currency.clone(),
        reason,
        metadata: form.get_map("metadata"),
        balance_transaction: None,
        status: RefundStatus::Succeeded,
        pending_reason: None,
        failure_reason: None,
        failure_balance_transaction: None,
    };
    if funding == RefundFunding::Pending {
        refund.status = RefundStatus::Pending;
        refund.pending_reason = Some(INSUFFICIENT_FUNDS.to_owned());
    } else if charge.method.behaviour == CardBehaviour::RefundsLater {
        refund.status = RefundStatus::Pending;
        refund.pending_reason = Some("processing".to_owned());
    }
    let transaction = BalanceTransaction::of_refund(&refund, state.now());
    refund.balance_transaction = Some(transaction.id.clone());
    charge.amount_refunded += amount;
    charge.refunded = charge.refundable_amount() == 0;
    charge.refunds.insert(0, refund.id.clone());
    let fails_later = charge.method.behaviour == CardBehaviour::RefundsFail;
    state.save(transaction);
    state.save(refund.clone());
    state.save(charge.clone());
    state.emit_event("refund.created", &charge.account, &refund.id);
    state.emit_event("charge.refunded", &charge.account, &charge.id);
    let response = refund.render();
    if fails_later {
        let reason = "expired_or_canceled_card".to_owned();
        end_refund(state, refund, RefundStatus::Failed, Some(reason));
    }
    Ok(response)
}

/// Handles `POST /sandbox/refund`: settles the newest refund of a payment intent, as its bank does.
/// A refund that succeeded may still fail.
pub fn settle_for_intent(
    state: &mut SandboxState,
    intent: &str,
    status: RefundStatus,
    failure_reason: Option<String>,
) -> Result<Value, StripeError> {
    let charge = state
        .intents
        .get(intent)
        .and_then(|intent| intent.latest_charge.as_deref())
        .and_then(|charge| state.charges.get(charge))
        .ok_or_else(|| StripeError::not_found(Intent::OBJECT_NAME, intent))?;
    let refund = charge
        .refunds
        .first()
        .and_then(|refund| state.refunds.get(refund))
        .cloned()
        .ok_or_else(|| StripeError::invalid_request("the payment has no refund"))?;
    let is_allowed = match refund.status {
        RefundStatus::Pending | RefundStatus::RequiresAction => status != refund.status,
        RefundStatus::Succeeded => status == RefundStatus::Failed,
        RefundStatus::Failed | RefundStatus::Canceled => false,
    };
    if !is_allowed {
        return Err(StripeError::invalid_request(
            "the refund cannot change to this status",
        ));
    }
    let (account, id) = (refund.account.clone(), refund.id.clone());
    end_refund(state, refund, status, failure_reason);
    Ok(state.find::<Refund>(&account, &id)?.render())
}

/// Completes the refunds of an account that waited for its balance.
pub fn settle_waiting_refunds(state: &mut SandboxState, account: &str) {
    let waits = |refund: &&Refund| {
        refund.account == account
            && refund.status == RefundStatus::Pending
            && refund.pending_reason.as_deref() == Some(INSUFFICIENT_FUNDS)
    };
    let waiting: Vec<Refund> = state.refunds.rows().filter(waits).cloned().collect();
    for refund in waiting {
        end_refund(state, refund, RefundStatus::Succeeded, None);
    }
}

/// Changes the status of a refund. The money of a failed refund returns to the account.
fn end_refund(
    state: &mut SandboxState,
    mut refund: Refund,
    status: RefundStatus,
    failure_reason: Option<String>,
) {
    refund.status = status;
    refund.pending_reason = None;
    if status.has_ended_unpaid() {
        refund.failure_reason = (status == RefundStatus::Failed)
            .then(|| failure_reason.unwrap_or_else(|| "unknown".to_owned()));
        let transaction = BalanceTransaction::of_failed_refund(&refund, state.now());
        refund.failure_balance_transaction = Some(transaction.id.clone());
        state.save(transaction);
        if let Some(mut charge) = state.charges.get(&refund.charge).cloned() {
            charge.amount_refunded -= refund.amount;
            charge.refunded = false;
            state.save(charge);
        }
    }
    let (account, id) = (refund.account.clone(), refund.id.clone());
    state.save(refund);
    state.emit_event("refund.updated", &account, &id);
    if status == RefundStatus::Failed {
        state.emit_event("refund.failed", &account, &id);
    }
}

/// Handles `GET /v1/refunds/{id}`.
pub fn retrieve(state: &SandboxState, call: &ApiCall, id: &str) -> Result<Value, StripeError> {
    state
        .find::<Refund>(&call.account, id)
        .map(|refund| refund.render())
}

fn find_charge_to_refund(state: &SandboxState, call: &ApiCall) -> Result<Charge, StripeError> {
    let id = match (call.form.get("payment_intent"), call.form.get("charge")) {
        (Some(id), _) => {
            let intent = state.find::<Intent>(&call.account, id)?;
            let message =
                format!("This PaymentIntent ({id}) does not have a successful charge to refund.");
            intent.latest_charge.ok_or_else(|| {
                StripeError::state_conflict("payment_intent_unexpected_state", message)
            })?
        }
        (None, Some(id)) => id.to_owned(),
        (None, None) => {
            return Err(StripeError::invalid_request(
                "One of the following params should be provided: payment_intent or charge.",
            )
            .with_code("parameter_missing"));
        }
    };
    let charge = state.find::<Charge>(&call.account, &id)?;
    if !charge.captured {
        let message =
            format!("Charge {id} has not been captured; cancel its PaymentIntent instead.");
        return Err(StripeError::state_conflict(
            "payment_intent_unexpected_state",
            message,
        ));
    }
    Ok(charge)
}

/// Refunds the application fee in proportion to the refund, rounded half up, as Stripe does if the
/// request asks for it. The product never asks for it (decision D-3).
fn refund_fee_in_proportion(state: &mut SandboxState, charge: &Charge, amount: i64) {
    let fee = charge
        .application_fee
        .as_deref()
        .and_then(|fee| state.fees.get(fee))
        .cloned();
    let Some(fee) = fee else { return };
    let share = (fee.amount * amount * 2 + charge.amount_captured) / (charge.amount_captured * 2);
    let left = fee.amount - fee.amount_refunded;
    if share.min(left) > 0 {
        fee::refund_fee_part(state, fee, share.min(left), BTreeMap::new());
    }
}

/// Formats cents as dollars, such as `12.05`.
pub fn format_dollars(cents: i64) -> String {
    format!("{}.{:02}", cents / 100, cents.abs() % 100)
}

/// Returns the application fee of a charge. The account's totals use it.
pub fn find_application_fee<'a>(
    state: &'a SandboxState,
    charge: &Charge,
) -> Option<&'a ApplicationFee> {
    charge
        .application_fee
        .as_deref()
        .and_then(|fee| state.fees.get(fee))
}
