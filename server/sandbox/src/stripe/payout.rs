//! Payouts: transfers of an account's balance to its bank. The stand-in makes them only on request,
//! because it has no bank.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::account::Account;
use super::failure::StripeError;
use super::id;
use super::journal_record::RecordRef;
use super::state::SandboxState;
use super::table::{ObjectKey, StripeObject};

/// How a payout ends. Variant names are stored in the journal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PayoutStatus {
    #[default]
    Paid,
    Failed,
}

/// A payout. Amounts are in cents, times in seconds since 1970.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Payout {
    pub id: String,
    pub account: String,
    pub created: i64,
    pub amount: i64,
    pub status: PayoutStatus,
}

impl StripeObject for Payout {
    const OBJECT_NAME: &'static str = "payout";

    fn key(&self) -> ObjectKey<'_> {
        ObjectKey {
            id: &self.id,
            account: &self.account,
            created: self.created,
        }
    }

    fn render(&self) -> Value {
        let failed = self.status == PayoutStatus::Failed;
        json!({
            "id": self.id, "object": "payout", "amount": self.amount, "application_fee": null,
            "application_fee_amount": null, "arrival_date": self.created, "automatic": true,
            "balance_transaction": null, "created": self.created, "currency": "aud", "description": "STRIPE PAYOUT",
            "destination": null, "failure_balance_transaction": null,
            "failure_code": failed.then_some("account_closed"),
            "failure_message": failed.then_some("The bank account has been closed."), "livemode": false,
            "metadata": {}, "method": "standard", "original_payout": null, "payout_method": null,
            "reconciliation_status": "completed", "reversed_by": null, "source_type": "card",
            "statement_descriptor": null, "status": if failed { "failed" } else { "paid" }, "trace_id": null,
            "type": "bank_account",
        })
    }

    fn as_record(&self) -> RecordRef<'_> {
        RecordRef::Payout(self)
    }
}

/// Makes a payout of an account, as the account's schedule does at Stripe. The balance does not
/// change: it counts all payments.
///
/// # Errors
///
/// The account does not exist, or its payouts are switched off.
pub fn make(
    state: &mut SandboxState,
    account: &str,
    amount: i64,
    status: PayoutStatus,
) -> Result<Value, StripeError> {
    if !state.find::<Account>("", account)?.payouts_enabled {
        return Err(StripeError::refused_by_state(
            "Payouts are not enabled for this account.",
        ));
    }
    let payout = Payout {
        id: id::generate("po"),
        account: account.to_owned(),
        created: state.now(),
        amount,
        status,
    };
    let (id, response) = (payout.id.clone(), payout.render());
    state.save(payout);
    state.emit_event("payout.created", account, &id);
    let kind = match status {
        PayoutStatus::Paid => "payout.paid",
        PayoutStatus::Failed => "payout.failed",
    };
    state.emit_event(kind, account, &id);
    Ok(response)
}
