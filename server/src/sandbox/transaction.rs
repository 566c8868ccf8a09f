//! Balance transactions: what each movement did to an account's balance, fees and all.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::call::Call;
use super::charge::Charge;
use super::dispute::Dispute;
use super::failure::Failure;
use super::fee::{Fee, FeeRefund};
use super::id;
use super::record::RecordRef;
use super::refund::Refund;
use super::state::State;
use super::table::{Key, Row};

const PAYOUT_DELAY_SECONDS: i64 = 2 * 24 * 3600;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Movement {
    Charge,
    Refund,
    ApplicationFee,
    ApplicationFeeRefund,
    Adjustment,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Transaction {
    pub id: String,
    pub account: String,
    pub created: i64,
    pub movement: Movement,
    pub source: String,
    pub amount: i64,
    /// The provider's own fee: 1.7 % + 30 c.
    pub stripe_fee: i64,
    /// The platform's, taken out of the same charge.
    pub application_fee: i64,
    pub currency: String,
}

/// 1.7 % + 30 c, the percentage rounded half up.
pub fn stripe_fee(amount: i64) -> i64 {
    (amount * 17 + 500) / 1000 + 30
}

impl Transaction {
    fn new(account: &str, movement: Movement, source: &str, amount: i64, currency: &str) -> Self {
        Self {
            id: id::fresh("txn"),
            account: account.to_owned(),
            created: id::now(),
            movement,
            source: source.to_owned(),
            amount,
            stripe_fee: 0,
            application_fee: 0,
            currency: currency.to_owned(),
        }
    }

    pub fn of_charge(charge: &Charge, amount: i64, application_fee: i64) -> Self {
        let bare = Self::new(
            &charge.account,
            Movement::Charge,
            &charge.id,
            amount,
            &charge.currency,
        );
        Self {
            stripe_fee: stripe_fee(amount),
            application_fee,
            ..bare
        }
    }

    /// The provider keeps its fee on a refund.
    pub fn of_refund(refund: &Refund) -> Self {
        Self::new(
            &refund.account,
            Movement::Refund,
            &refund.id,
            -refund.amount,
            &refund.currency,
        )
    }

    pub fn of_fee(fee: &Fee) -> Self {
        Self::new(
            "",
            Movement::ApplicationFee,
            &fee.id,
            fee.amount,
            &fee.currency,
        )
    }

    pub fn of_fee_refund(refund: &FeeRefund) -> Self {
        Self::new(
            "",
            Movement::ApplicationFeeRefund,
            &refund.id,
            -refund.amount,
            &refund.currency,
        )
    }

    pub fn of_dispute(dispute: &Dispute) -> Self {
        let bare = Self::new(
            &dispute.account,
            Movement::Adjustment,
            &dispute.id,
            -dispute.amount,
            &dispute.currency,
        );
        Self {
            stripe_fee: dispute.fee,
            ..bare
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

impl Row for Transaction {
    const OBJECT: &'static str = "balance transaction";

    fn key(&self) -> Key<'_> {
        Key {
            id: &self.id,
            account: &self.account,
            created: self.created,
        }
    }

    /// As with direct charges in the real API, `fee` is the sum of both fees; `fee_details` tells them apart.
    fn render(&self) -> Value {
        let (kind, category) = match self.movement {
            Movement::Charge => ("charge", "charge"),
            Movement::Refund => ("refund", "refund"),
            Movement::ApplicationFee => ("application_fee", "platform_earning"),
            Movement::ApplicationFeeRefund => ("application_fee_refund", "platform_earning_refund"),
            Movement::Adjustment => ("adjustment", "dispute"),
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

    fn record(&self) -> RecordRef<'_> {
        RecordRef::Transaction(self)
    }
}

/// `GET /v1/balance_transactions/{id}`
pub fn retrieve(state: &State, call: &Call, id: &str) -> Result<Value, Failure> {
    state
        .find::<Transaction>(&call.account, id)
        .map(|transaction| transaction.render())
}

/// `GET /v1/balance`: everything is pending, nothing is ever paid out.
pub fn balance(state: &State, call: &Call) -> Result<Value, Failure> {
    let net: i64 = state
        .transactions
        .rows()
        .filter(|row| row.account == call.account)
        .map(|row| row.amount - row.stripe_fee - row.application_fee)
        .sum();
    let sum = |amount: i64| json!([{ "amount": amount, "currency": "aud", "source_types": { "card": amount } }]);
    Ok(json!({ "object": "balance", "available": sum(0), "livemode": false, "pending": sum(net) }))
}

#[cfg(test)]
mod tests {
    use super::stripe_fee;

    #[test]
    fn the_providers_fee_is_rounded_half_up() {
        assert_eq!(stripe_fee(1000), 47);
        assert_eq!(stripe_fee(500), 39);
        assert_eq!(stripe_fee(1500), 56);
        assert_eq!(stripe_fee(10_000), 200);
    }
}
