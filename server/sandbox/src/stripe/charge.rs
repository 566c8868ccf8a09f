//! A charge: one attempt to charge a card for a payment intent.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::api_call::{ApiCall, Creator};
use super::failure::StripeError;
use super::id;
use super::intent::{CaptureMethod, Intent};
use super::journal_record::RecordRef;
use super::payment_method::PaymentMethod;
use super::state::SandboxState;
use super::table::{ObjectKey, StripeObject};

/// Time in seconds during which an authorisation can be captured.
const AUTHORISATION_SECONDS: i64 = 7 * 24 * 3600;

/// Number of refunds that an expanded charge shows.
const REFUNDS_SHOWN_MAX: usize = 10;

/// A balance transaction that exists, but that the charge does not name yet.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DelayedTransaction {
    pub id: String,
    /// The time from which the charge names it, in seconds since 1970.
    pub due: i64,
}

/// A charge. Amounts are in cents, times in seconds since 1970.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Charge {
    pub id: String,
    pub account: String,
    /// Who created the payment intent.
    #[serde(default)]
    pub creator: Creator,
    pub created: i64,
    pub intent: String,
    pub amount: i64,
    pub amount_captured: i64,
    pub amount_refunded: i64,
    pub currency: String,
    pub captured: bool,
    pub manual: bool,
    pub refunded: bool,
    pub disputed: bool,
    /// Id of the newest dispute of the charge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dispute: Option<String>,
    /// Ids of the charge's refunds, newest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refunds: Vec<String>,
    /// Code and message of a decline. `None` when the card was charged or authorised.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<(String, String)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decline_code: Option<String>,
    pub method: PaymentMethod,
    pub metadata: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receipt_email: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub descriptor_suffix: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub balance_transaction: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delayed_transaction: Option<DelayedTransaction>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub application_fee: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub application_fee_amount: Option<i64>,
}

impl Charge {
    /// Creates an authorised, uncaptured charge.
    pub fn new_authorised(intent: &Intent, method: &PaymentMethod, created: i64) -> Self {
        Self {
            id: id::generate("ch"),
            account: intent.account.clone(),
            creator: intent.creator.clone(),
            created,
            intent: intent.id.clone(),
            amount: intent.amount,
            amount_captured: 0,
            amount_refunded: 0,
            currency: intent.currency.clone(),
            captured: false,
            manual: intent.capture_method == CaptureMethod::Manual,
            refunded: false,
            disputed: false,
            dispute: None,
            refunds: Vec::new(),
            failure: None,
            decline_code: None,
            method: method.clone(),
            metadata: intent.metadata.clone(),
            receipt_email: intent.receipt_email.clone(),
            descriptor_suffix: intent.descriptor_suffix.clone(),
            balance_transaction: None,
            delayed_transaction: None,
            application_fee: None,
            application_fee_amount: None,
        }
    }

    /// Creates a declined charge.
    pub fn new_declined(
        intent: &Intent,
        method: &PaymentMethod,
        failure: &StripeError,
        created: i64,
    ) -> Self {
        let error = failure.error_object();
        let text = |name: &str| error[name].as_str().map(str::to_owned);
        Self {
            failure: Some((
                text("code").unwrap_or_default(),
                text("message").unwrap_or_default(),
            )),
            decline_code: text("decline_code"),
            ..Self::new_authorised(intent, method, created)
        }
    }

    /// Renders the list of the charge's refunds, as `expand[]=refunds` shows it: the ten newest.
    pub fn render_refunds(&self, state: &SandboxState) -> Value {
        let data: Vec<Value> = self
            .refunds
            .iter()
            .take(REFUNDS_SHOWN_MAX)
            .filter_map(|id| state.refunds.get(id))
            .map(StripeObject::render)
            .collect();
        json!({ "object": "list", "data": data, "has_more": self.refunds.len() > REFUNDS_SHOWN_MAX,
            "url": format!("/v1/charges/{}/refunds", self.id) })
    }

    /// Returns the amount that can still be refunded, in cents.
    pub fn refundable_amount(&self) -> i64 {
        self.amount_captured - self.amount_refunded
    }

    /// Returns the id of the balance transaction, whether or not the charge names it yet.
    pub fn transaction_id(&self) -> Option<&str> {
        let delayed = self.delayed_transaction.as_ref();
        self.balance_transaction
            .as_deref()
            .or(delayed.map(|delayed| delayed.id.as_str()))
    }

    fn render_outcome(&self) -> Value {
        let declined = self.failure.is_some();
        json!({
            "network_status": if declined { "declined_by_network" } else { "approved_by_network" },
            "advice_code": null, "network_advice_code": null, "network_decline_code": null,
            "reason": self.decline_code, "risk_level": "normal", "risk_score": 12,
            "seller_message": if declined { "The bank declined the payment." } else { "Payment complete." },
            "type": if declined { "issuer_declined" } else { "authorized" },
        })
    }

    fn render_card_details(&self) -> Value {
        let mut card = self.method.render_card();
        card["amount_authorized"] = self.amount.into();
        if self.manual {
            card["capture_before"] = (self.created + AUTHORISATION_SECONDS).into();
        }
        card["network"] = card["brand"].clone();
        if let Some(fields) = card.as_object_mut() {
            for of_method_only in [
                "display_brand",
                "generated_from",
                "networks",
                "three_d_secure_usage",
            ] {
                fields.remove(of_method_only);
            }
            for unknown in [
                "authorization_code",
                "electronic_commerce_indicator",
                "installments",
                "mandate",
                "network_transaction_id",
                "three_d_secure",
                "transaction_link_id",
            ] {
                fields.insert(unknown.to_owned(), Value::Null);
            }
        }
        json!({ "card": card, "type": "card" })
    }
}

impl StripeObject for Charge {
    const OBJECT_NAME: &'static str = "charge";

    fn key(&self) -> ObjectKey<'_> {
        ObjectKey {
            id: &self.id,
            account: &self.account,
            created: self.created,
        }
    }

    fn render(&self) -> Value {
        json!({
            "id": self.id, "object": "charge", "amount": self.amount, "amount_captured": self.amount_captured,
            "amount_refunded": self.amount_refunded, "application": self.creator.application_id(), "application_fee": self.application_fee,
            "application_fee_amount": self.application_fee_amount,
            "balance_transaction": self.balance_transaction, "billing_details": self.method.billing.render(),
            "calculated_statement_descriptor": "FOOTBALL DOUBLES", "captured": self.captured, "created": self.created,
            "currency": self.currency, "customer": null, "description": null, "disputed": self.disputed,
            "failure_balance_transaction": null, "failure_code": self.failure.as_ref().map(|failure| &failure.0),
            "failure_message": self.failure.as_ref().map(|failure| &failure.1), "fraud_details": {},
            "livemode": false, "metadata": self.metadata, "on_behalf_of": null, "outcome": self.render_outcome(),
            "paid": self.failure.is_none(), "payment_intent": self.intent, "payment_method": self.method.id,
            "payment_method_details": self.render_card_details(), "receipt_email": self.receipt_email, "receipt_number": null,
            "receipt_url": null, "refunded": self.refunded, "review": null, "shipping": null, "source_transfer": null,
            "statement_descriptor": null, "status": if self.failure.is_some() { "failed" } else { "succeeded" },
            "transfer_data": null, "transfer_group": null,
            "source": null, "statement_descriptor_suffix": self.descriptor_suffix,
        })
    }

    fn as_record(&self) -> RecordRef<'_> {
        RecordRef::Charge(self)
    }
}

/// Handles `GET /v1/charges/{id}`.
pub fn retrieve(state: &SandboxState, call: &ApiCall, id: &str) -> Result<Value, StripeError> {
    state
        .find::<Charge>(&call.account, id)
        .map(|charge| charge.render())
}
