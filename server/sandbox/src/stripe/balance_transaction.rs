//! Balance transactions. Each is the effect of a charge, refund, fee or dispute on an account's
//! balance.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::api_call::ApiCall;
use super::charge::Charge;
use super::dispute::Dispute;
use super::failure::StripeError;
use super::fee::{ApplicationFee, FeeRefund};
use super::id;
use super::journal_record::RecordRef;
use super::refund::Refund;
use super::state::SandboxState;
use super::table::{ObjectKey, StripeObject};

const PAYOUT_DELAY_SECONDS: i64 = 2 * 24 * 3600;

/// The kind of a balance transaction. Variant names are stored in the journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BalanceTransactionKind {
    Charge,
    Refund,
    ApplicationFee,
    ApplicationFeeRefund,
    Adjustment,
    RefundFailure,
}

/// A balance transaction. Amounts are in cents, times in seconds since 1970.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BalanceTransaction {
    pub id: String,
    pub account: String,
    pub created: i64,
    pub movement: BalanceTransactionKind,
    pub source: String,
    pub amount: i64,
    /// Stripe's fee in cents: 1.7 % + 30 c.
    pub stripe_fee: i64,
    /// The platform's application fee in cents, taken from the charge.
    pub application_fee: i64,
    pub currency: String,
}

/// Computes Stripe's fee in cents: 1.7 % + 30 c, with the percentage rounded half up.
pub fn stripe_fee(amount: i64) -> i64 {
    (amount * 17 + 500) / 1000 + 30
}

impl BalanceTransaction {
    fn new(
        account: &str,
        movement: BalanceTransactionKind,
        source: &str,
        amount: i64,
        currency: &str,
        created: i64,
    ) -> Self {
        Self {
            id: id::generate("txn"),
            account: account.to_owned(),
            created,
            movement,
            source: source.to_owned(),
            amount,
            stripe_fee: 0,
            application_fee: 0,
            currency: currency.to_owned(),
        }
    }

    pub fn of_charge(charge: &Charge, amount: i64, application_fee: i64, created: i64) -> Self {
        let transaction = Self::new(
            &charge.account,
            BalanceTransactionKind::Charge,
            &charge.id,
            amount,
            &charge.currency,
            created,
        );
        Self {
            stripe_fee: stripe_fee(amount),
            application_fee,
            ..transaction
        }
    }

    /// Creates the transaction of a refund. Stripe does not return its fee.
    pub fn of_refund(refund: &Refund, created: i64) -> Self {
        Self::new(
            &refund.account,
            BalanceTransactionKind::Refund,
            &refund.id,
            -refund.amount,
            &refund.currency,
            created,
        )
    }

    /// Creates the transaction of a refund that failed: the money returns to the account.
    pub fn of_failed_refund(refund: &Refund, created: i64) -> Self {
        Self::new(
            &refund.account,
            BalanceTransactionKind::RefundFailure,
            &refund.id,
            refund.amount,
            &refund.currency,
            created,
        )
    }

    /// Creates the transaction of a dispute that the account won: the amount returns, the fee does
    /// not.
    pub fn of_won_dispute(dispute: &Dispute, created: i64) -> Self {
        Self::new(
            &dispute.account,
            BalanceTransactionKind::Adjustment,
            &dispute.id,
            dispute.amount,
            &dispute.currency,
            created,
        )
    }

    pub fn of_fee(fee: &ApplicationFee, created: i64) -> Self {
        Self::new(
            "",
            BalanceTransactionKind::ApplicationFee,
            &fee.id,
            fee.amount,
            &fee.currency,
            created,
        )
    }

    pub fn of_fee_refund(refund: &FeeRefund, created: i64) -> Self {
        Self::new(
            "",
            BalanceTransactionKind::ApplicationFeeRefund,
            &refund.id,
            -refund.amount,
            &refund.currency,
            created,
        )
    }

    pub fn of_dispute(dispute: &Dispute, created: i64) -> Self {
        let transaction = Self::new(
            &dispute.account,
            BalanceTransactionKind::Adjustment,
            &dispute.id,
            -dispute.amount,
            &dispute.currency,
            created,
        );
        Self {
            stripe_fee: dispute.fee,
            ..transaction
        }
    }

    fn fee_details(&self) -> Vec<Value> {
        let part = |amount: i64, kind: &str, description: &str| {
            (amount != 0).then(|| {
                json!({ "amount": amount, "application": null, "currency": self.currency,
                    "description": description, "type": kind })
            })
        };
        [
            part(self.stripe_fee, "stripe_fee", "Stripe processing fees"),
            part(
                self.application_fee,
                "application_fee",
                "Platform application fee",
            ),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

impl StripeObject for BalanceTransaction {
    const OBJECT_NAME: &'static str = "balance transaction";

    fn key(&self) -> ObjectKey<'_> {
        ObjectKey {
            id: &self.id,
            account: &self.account,
            created: self.created,
        }
    }

    /// Renders the transaction as JSON. As for Stripe's direct charges, `fee` is the sum of
    /// Stripe's fee and the application fee. `fee_details` lists them separately.
    fn render(&self) -> Value {
        let (kind, category) = match self.movement {
            BalanceTransactionKind::Charge => ("charge", "charge"),
            BalanceTransactionKind::Refund => ("refund", "refund"),
            BalanceTransactionKind::ApplicationFee => ("application_fee", "platform_earning"),
            BalanceTransactionKind::ApplicationFeeRefund => {
                ("application_fee_refund", "platform_earning_refund")
            }
            BalanceTransactionKind::Adjustment if self.amount > 0 => {
                ("adjustment", "dispute_reversal")
            }
            BalanceTransactionKind::Adjustment => ("adjustment", "dispute"),
            BalanceTransactionKind::RefundFailure => ("refund_failure", "refund_failure"),
        };
        let fee = self.stripe_fee + self.application_fee;
        json!({
            "id": self.id, "object": "balance_transaction", "amount": self.amount,
            "available_on": self.created + PAYOUT_DELAY_SECONDS, "balance_type": "payments", "created": self.created,
            "currency": self.currency, "description": null, "exchange_rate": null, "fee": fee,
            "fee_details": self.fee_details(), "net": self.amount - fee, "reporting_category": category,
            "source": self.source, "status": "pending", "type": kind,
        })
    }

    fn as_record(&self) -> RecordRef<'_> {
        RecordRef::Transaction(self)
    }
}

/// Handles `GET /v1/balance_transactions/{id}`.
pub fn retrieve(state: &SandboxState, call: &ApiCall, id: &str) -> Result<Value, StripeError> {
    state
        .find::<BalanceTransaction>(&call.account, id)
        .map(|transaction| transaction.render())
}

/// Handles `GET /v1/balance`. Everything is pending, because no payout ever takes place.
pub fn retrieve_balance(state: &SandboxState, call: &ApiCall) -> Value {
    let net: i64 = state
        .transactions
        .rows()
        .filter(|row| row.account == call.account)
        .map(|row| row.amount - row.stripe_fee - row.application_fee)
        .sum();
    let sum = |amount: i64| json!([{ "amount": amount, "currency": "aud", "source_types": { "card": amount } }]);
    json!({ "object": "balance", "available": sum(0), "livemode": false, "pending": sum(net) })
}

#[cfg(test)]
mod tests {
    use super::stripe_fee;

    #[test]
    fn stripe_fee_is_rounded_half_up() {
        assert_eq!(stripe_fee(1000), 47);
        assert_eq!(stripe_fee(500), 39);
        assert_eq!(stripe_fee(1500), 56);
        assert_eq!(stripe_fee(10_000), 200);
    }
}
