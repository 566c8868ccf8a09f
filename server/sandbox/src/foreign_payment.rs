//! Payments that the platform did not make: a club's own sales, and those of other applications.

use std::fmt::Write;

use serde::Deserialize;
use serde_json::Value;

use crate::stripe::api_call::{ApiCall, ApiKeyKind, ApiVersion, Creator};
use crate::stripe::failure::StripeError;
use crate::stripe::form::StripeForm;
use crate::stripe::intent;
use crate::stripe::state::SandboxState;

const DEFAULT_AMOUNT_CENTS: i64 = 4_200;

/// A payment to be made in an account without the platform, and the body of
/// `POST /sandbox/foreign-payments`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct ForeignPayment {
    /// The connected account.
    pub account: String,
    /// The amount in cents. Zero: a default.
    pub amount: i64,
    /// Whether the payment is only authorised, not captured.
    pub authorised: bool,
    /// The value of the metadata field `order_id`, which many shops use.
    pub order_id: Option<String>,
    /// The other application that makes the payment. `None`: the club itself.
    pub application: Option<String>,
}

impl ForeignPayment {
    /// Makes the payment. Emits the same events as a payment of the platform.
    pub(crate) fn make(&self, state: &mut SandboxState) -> Result<Value, StripeError> {
        let amount = if self.amount == 0 {
            DEFAULT_AMOUNT_CENTS
        } else {
            self.amount
        };
        let method = if self.authorised {
            "manual"
        } else {
            "automatic"
        };
        let mut form = format!(
            "amount={amount}&currency=aud&capture_method={method}&confirm=true&payment_method=pm_card_visa"
        );
        if let Some(order) = &self.order_id {
            let _ = write!(form, "&metadata[order_id]={order}");
        }
        let creator = match &self.application {
            Some(id) => Creator::OtherApplication(id.clone()),
            None => Creator::AccountOwner,
        };
        let call = ApiCall {
            method: "POST".to_owned(),
            version: ApiVersion::V1,
            path: "payment_intents".to_owned(),
            account: self.account.clone(),
            creator,
            access: ApiKeyKind::Secret,
            form: StripeForm::parse(&form),
            json: String::new(),
            idempotency_key: None,
            base: String::new(),
        };
        intent::create(state, &call)
    }
}
