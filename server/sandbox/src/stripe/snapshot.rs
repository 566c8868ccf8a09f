//! Copies of an object at one moment. Events and saved responses contain them.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::account::{self, Account};
use super::charge::Charge;
use super::dispute::Dispute;
use super::early_fraud_warning::EarlyFraudWarning;
use super::fee::ApplicationFee;
use super::intent::Intent;
use super::payout::Payout;
use super::refund::Refund;
use super::state::SandboxState;
use super::table::StripeObject;

/// A copy of an object. It takes a third of the memory that the object's JSON would take.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Snapshot {
    Intent(Box<Intent>),
    Charge(Box<Charge>),
    Refund(Refund),
    Fee(ApplicationFee),
    Account(Account),
    Dispute(Dispute),
    EarlyFraudWarning(EarlyFraudWarning),
    Payout(Payout),
    /// The platform's own application, which a club disconnects.
    Application,
}

impl Snapshot {
    /// Copies the current object with this id. Returns `None` if there is none.
    pub fn take(state: &SandboxState, id: &str) -> Option<Self> {
        match id.split('_').next()? {
            "pi" => state
                .intents
                .get(id)
                .cloned()
                .map(|intent| Self::Intent(Box::new(intent))),
            "ch" => state
                .charges
                .get(id)
                .cloned()
                .map(|charge| Self::Charge(Box::new(charge))),
            "re" => state.refunds.get(id).cloned().map(Self::Refund),
            "fee" => state.fees.get(id).cloned().map(Self::Fee),
            "acct" => state.accounts.get(id).cloned().map(Self::Account),
            "dp" => state.disputes.get(id).cloned().map(Self::Dispute),
            "issfr" => state
                .fraud_warnings
                .get(id)
                .cloned()
                .map(Self::EarlyFraudWarning),
            "po" => state.payouts.get(id).cloned().map(Self::Payout),
            "ca" => Some(Self::Application),
            _ => None,
        }
    }

    pub fn render(&self) -> Value {
        match self {
            Self::Intent(row) => row.render(),
            Self::Charge(row) => row.render(),
            Self::Refund(row) => row.render(),
            Self::Fee(row) => row.render(),
            Self::Account(row) => row.render(),
            Self::Dispute(row) => row.render(),
            Self::EarlyFraudWarning(row) => row.render(),
            Self::Payout(row) => row.render(),
            Self::Application => account::render_application(),
        }
    }
}
