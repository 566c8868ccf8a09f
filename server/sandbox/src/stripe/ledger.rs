//! Totals of each account. They are compared with the product's own sums.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Value, json};

use super::dispute;
use super::event::DeliveryStatus;
use super::intent::{Intent, IntentStatus};
use super::refund;
use super::state::SandboxState;

/// Totals of one account over all time. Amounts are in cents.
#[derive(Debug, Default, Serialize)]
pub struct AccountTotals {
    /// Number of captured intents.
    pub count: u64,
    pub captured: i64,
    /// Stripe's fees on the captured amount.
    pub stripe_fees: i64,
    /// The platform's application fees on the captured amount, before refunds of fees.
    pub fees: i64,
    pub fees_refunded: i64,
    pub refunded: i64,
    pub refund_count: u64,
    /// Amount that banks have taken back: of open and lost disputes.
    pub disputed: i64,
    /// Amount that is authorised, and neither captured nor cancelled.
    pub authorised: i64,
    pub authorised_count: u64,
    /// Number of intents by status.
    pub intents: BTreeMap<&'static str, u64>,
}

impl AccountTotals {
    fn add_intent(&mut self, state: &SandboxState, intent: &Intent) {
        *self.intents.entry(intent.status.stripe_name()).or_default() += 1;
        if intent.status == IntentStatus::RequiresCapture {
            self.authorised += intent.amount_capturable;
            self.authorised_count += 1;
        }
        let charge = intent
            .latest_charge
            .as_deref()
            .and_then(|id| state.charges.get(id));
        let Some(charge) = charge.filter(|charge| charge.captured) else {
            return;
        };
        self.count += 1;
        self.captured += charge.amount_captured;
        self.refunded += charge.amount_refunded;
        if dispute::blocks_refund(state, charge) {
            self.disputed += charge.refundable_amount();
        }
        if let Some(transaction) = charge
            .transaction_id()
            .and_then(|id| state.transactions.get(id))
        {
            self.stripe_fees += transaction.stripe_fee;
        }
        if let Some(fee) = refund::find_application_fee(state, charge) {
            self.fees += fee.amount;
            self.fees_refunded += fee.amount_refunded;
        }
    }
}

/// Returns the body of `GET /sandbox/ledger`. With `in_detail` it also lists every captured intent
/// with its metadata.
pub fn render_totals(state: &SandboxState, in_detail: bool) -> Value {
    let mut accounts: BTreeMap<&str, AccountTotals> = BTreeMap::new();
    let mut all = AccountTotals::default();
    for intent in state.intents.rows() {
        accounts
            .entry(&intent.account)
            .or_default()
            .add_intent(state, intent);
        all.add_intent(state, intent);
    }
    for refund in state.refunds.rows() {
        accounts.entry(&refund.account).or_default().refund_count += 1;
        all.refund_count += 1;
    }
    let count = |delivery: DeliveryStatus| {
        state
            .events
            .rows()
            .filter(|event| event.delivery == delivery)
            .count()
    };
    let mut ledger = json!({
        "accounts": accounts, "total": all,
        "events": { "pending": count(DeliveryStatus::Pending), "delivered": count(DeliveryStatus::Delivered),
            "lost": count(DeliveryStatus::Lost) },
    });
    if in_detail {
        ledger["captured"] = state
            .intents
            .rows()
            .filter_map(|intent| render_captured_intent(state, intent))
            .collect();
    }
    ledger
}

fn render_captured_intent(state: &SandboxState, intent: &Intent) -> Option<Value> {
    let charge = state
        .charges
        .get(intent.latest_charge.as_deref()?)
        .filter(|charge| charge.captured)?;
    let fee = refund::find_application_fee(state, charge);
    Some(json!({
        "paymentIntent": intent.id, "account": intent.account, "amount": charge.amount_captured,
        "refunded": charge.amount_refunded, "fee": fee.map_or(0, |fee| fee.amount),
        "feeRefunded": fee.map_or(0, |fee| fee.amount_refunded), "disputed": charge.disputed,
        "metadata": intent.metadata,
    }))
}
