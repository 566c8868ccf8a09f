//! Application fees: the platform's share of an account's charge, and refunds of that share.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::api_call::{ApiCall, PLATFORM_APPLICATION_ID};
use super::balance_transaction::BalanceTransaction;
use super::charge::Charge;
use super::failure::StripeError;
use super::journal_record::RecordRef;
use super::state::SandboxState;
use super::table::{ObjectKey, StripeObject};
use super::{id, refund};

/// An application fee. It belongs to the platform. `origin` is the connected account that paid it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ApplicationFee {
    pub id: String,
    pub created: i64,
    pub origin: String,
    pub charge: String,
    pub amount: i64,
    pub amount_refunded: i64,
    pub currency: String,
}

/// A refund of an application fee to the connected account that paid it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FeeRefund {
    pub id: String,
    pub created: i64,
    pub fee: String,
    pub amount: i64,
    pub currency: String,
    pub metadata: std::collections::BTreeMap<String, String>,
}

impl ApplicationFee {
    /// Creates the fee of a captured charge.
    pub fn from_charge(charge: &Charge, amount: i64, created: i64) -> Self {
        Self {
            id: id::generate("fee"),
            created,
            origin: charge.account.clone(),
            charge: charge.id.clone(),
            amount,
            amount_refunded: 0,
            currency: charge.currency.clone(),
        }
    }
}

impl StripeObject for ApplicationFee {
    const OBJECT_NAME: &'static str = "application fee";

    fn key(&self) -> ObjectKey<'_> {
        ObjectKey {
            id: &self.id,
            account: "",
            created: self.created,
        }
    }

    fn render(&self) -> Value {
        json!({
            "id": self.id, "object": "application_fee", "account": self.origin, "amount": self.amount,
            "amount_refunded": self.amount_refunded, "application": PLATFORM_APPLICATION_ID, "balance_transaction": null,
            "charge": self.charge, "created": self.created, "currency": self.currency, "fee_source": null,
            "livemode": false, "originating_transaction": null, "refunded": self.amount_refunded >= self.amount,
            "refunds": { "object": "list", "data": [], "has_more": false,
                "url": format!("/v1/application_fees/{}/refunds", self.id) },
        })
    }

    fn as_record(&self) -> RecordRef<'_> {
        RecordRef::Fee(self)
    }
}

impl StripeObject for FeeRefund {
    const OBJECT_NAME: &'static str = "fee_refund";

    fn key(&self) -> ObjectKey<'_> {
        ObjectKey {
            id: &self.id,
            account: "",
            created: self.created,
        }
    }

    fn render(&self) -> Value {
        json!({ "id": self.id, "object": "fee_refund", "amount": self.amount, "balance_transaction": null,
            "created": self.created, "currency": self.currency, "fee": self.fee, "metadata": self.metadata })
    }

    fn as_record(&self) -> RecordRef<'_> {
        RecordRef::FeeRefund(self)
    }
}

/// Handles `GET /v1/application_fees/{id}`.
pub fn retrieve(state: &SandboxState, call: &ApiCall, id: &str) -> Result<Value, StripeError> {
    state
        .find::<ApplicationFee>(&call.account, id)
        .map(|fee| fee.render())
}

/// Handles `POST /v1/application_fees/{id}/refunds`. Refunds at most the unrefunded part of the
/// fee.
pub fn refund(state: &mut SandboxState, call: &ApiCall, id: &str) -> Result<Value, StripeError> {
    let fee = state.find::<ApplicationFee>(&call.account, id)?;
    let left = fee.amount - fee.amount_refunded;
    if left == 0 {
        let message = format!("Application fee {id} has already been refunded.");
        // Stripe has no code for this error.
        return Err(StripeError::refused_by_state(message));
    }
    let amount = call.form.get_integer("amount")?.unwrap_or(left);
    if amount < 1 || amount > left {
        let message = format!(
            "Refund amount (${}) is greater than unrefunded amount on fee (${})",
            refund::format_dollars(amount),
            refund::format_dollars(left)
        );
        return Err(StripeError::state_conflict("amount_too_large", message).with_param("amount"));
    }
    Ok(refund_fee_part(state, fee, amount, call.form.get_map("metadata")).render())
}

/// Refunds a part of a fee to the connected account that paid it.
pub fn refund_fee_part(
    state: &mut SandboxState,
    mut fee: ApplicationFee,
    amount: i64,
    metadata: std::collections::BTreeMap<String, String>,
) -> FeeRefund {
    let refund = FeeRefund {
        id: id::generate("fr"),
        created: state.now(),
        fee: fee.id.clone(),
        amount,
        currency: fee.currency.clone(),
        metadata,
    };
    fee.amount_refunded += amount;
    state.save(BalanceTransaction::of_fee_refund(&refund, state.now()));
    state.save(refund.clone());
    state.save(fee.clone());
    state.emit_event("application_fee.refunded", "", &fee.id);
    refund
}
