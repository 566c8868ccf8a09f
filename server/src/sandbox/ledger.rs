//! Totals per account, for whoever audits the product against its provider.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Value, json};

use super::event::Delivery;
use super::intent::{Intent, IntentStatus};
use super::refund;
use super::state::State;

/// Cents and counts of one account, over all time.
#[derive(Debug, Default, Serialize)]
pub struct Totals {
    /// Intents that were captured.
    pub count: u64,
    pub captured: i64,
    /// What the provider kept of it.
    pub stripe_fees: i64,
    /// What the platform took of it, before it gave any back.
    pub fees: i64,
    pub fees_refunded: i64,
    pub refunded: i64,
    pub refund_count: u64,
    pub disputed: i64,
    /// Authorised and neither captured nor cancelled.
    pub authorised: i64,
    pub authorised_count: u64,
    /// Intents by status.
    pub intents: BTreeMap<&'static str, u64>,
}

impl Totals {
    fn add(&mut self, state: &State, intent: &Intent) {
        *self.intents.entry(intent.status.word()).or_default() += 1;
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
        if charge.disputed {
            self.disputed += charge.refundable();
        }
        if let Some(transaction) = charge
            .balance_transaction
            .as_deref()
            .and_then(|id| state.transactions.get(id))
        {
            self.stripe_fees += transaction.stripe_fee;
        }
        if let Some(fee) = refund::fee_of(state, charge) {
            self.fees += fee.amount;
            self.fees_refunded += fee.amount_refunded;
        }
    }
}

/// `GET /sandbox/ledger`; with `detail=1` every captured intent is listed with its metadata.
pub fn totals(state: &State, in_detail: bool) -> Value {
    let mut accounts: BTreeMap<&str, Totals> = BTreeMap::new();
    let mut all = Totals::default();
    for intent in state.intents.rows() {
        accounts
            .entry(&intent.account)
            .or_default()
            .add(state, intent);
        all.add(state, intent);
    }
    for refund in state.refunds.rows() {
        accounts.entry(&refund.account).or_default().refund_count += 1;
        all.refund_count += 1;
    }
    let count = |wanted: Delivery| {
        state
            .events
            .rows()
            .filter(|event| event.delivery == wanted)
            .count()
    };
    let mut ledger = json!({
        "accounts": accounts, "total": all,
        "events": { "pending": count(Delivery::Pending), "delivered": count(Delivery::Delivered),
            "lost": count(Delivery::Lost) },
    });
    if in_detail {
        ledger["captured"] = state
            .intents
            .rows()
            .filter_map(|intent| detail(state, intent))
            .collect();
    }
    ledger
}

fn detail(state: &State, intent: &Intent) -> Option<Value> {
    let charge = state
        .charges
        .get(intent.latest_charge.as_deref()?)
        .filter(|charge| charge.captured)?;
    let fee = refund::fee_of(state, charge);
    Some(json!({
        "paymentIntent": intent.id, "account": intent.account, "amount": charge.amount_captured,
        "refunded": charge.amount_refunded, "fee": fee.map_or(0, |fee| fee.amount),
        "feeRefunded": fee.map_or(0, |fee| fee.amount_refunded), "disputed": charge.disputed,
        "metadata": intent.metadata,
    }))
}
