//! One request to the provider's API, decoded.

use serde::{Deserialize, Serialize};

use super::failure::Failure;
use super::form::Form;
use super::intent::Intent;

/// Which kind of key the request carries, and so what it may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// The server's key: everything.
    Secret,
    /// The browser's key: payment methods, and single intents whose client secret it knows.
    Publishable,
}

#[derive(Clone, Debug)]
pub struct Call {
    pub method: String,
    /// After `/v1/`.
    pub path: String,
    /// The `Stripe-Account` header; empty for the platform itself.
    pub account: String,
    pub access: Access,
    pub form: Form,
    pub idempotency_key: Option<String>,
    /// Where this server is reached, for links in answers: `http://127.0.0.1:8080`.
    pub base: String,
}

impl Call {
    /// The browser proves with the client secret that the intent is its own.
    pub fn may_use(&self, intent: &Intent) -> Result<(), Failure> {
        match self.access {
            Access::Secret => Ok(()),
            Access::Publishable if self.form.get("client_secret") == Some(&intent.client_secret) => Ok(()),
            Access::Publishable => Err(Failure::invalid(
                "The client_secret provided does not match any associated PaymentIntent on this account. \
                 Ensure the client_secret was created with the same account.",
            )
            .code("payment_intent_invalid_parameter")
            .param("client_secret")),
        }
    }
}
