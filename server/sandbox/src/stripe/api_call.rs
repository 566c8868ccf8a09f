//! One decoded request to the sandbox's Stripe API.

use serde::{Deserialize, Serialize};

use super::failure::StripeError;
use super::form::StripeForm;
use super::intent::Intent;

/// The kind of API key. It decides which calls the request may make.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ApiKeyKind {
    /// The server's key. Allows every call.
    Secret,
    /// The browser's key. Allows creating payment methods, and access to a single intent with the
    /// intent's client secret.
    Publishable,
}

/// The version of the API that a path begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApiVersion {
    /// Takes forms.
    V1,
    /// Takes JSON.
    V2,
}

/// A decoded API request.
#[derive(Clone, Debug)]
pub struct ApiCall {
    pub method: String,
    pub version: ApiVersion,
    /// The path after `/v1/` or `/v2/`.
    pub path: String,
    /// The connected account in the `Stripe-Account` header. Empty for the platform itself.
    pub account: String,
    pub access: ApiKeyKind,
    /// The parameters of a call of version 1. Empty in version 2.
    pub form: StripeForm,
    /// The body of a call of version 2. Empty in version 1.
    pub json: String,
    pub idempotency_key: Option<String>,
    /// Base URL of this server, such as `http://127.0.0.1:8080`. Links in responses begin with it.
    pub base: String,
}

impl ApiCall {
    /// Returns an error unless the key may access the intent. A publishable key must also send the
    /// intent's client secret.
    pub fn check_client_secret(&self, intent: &Intent) -> Result<(), StripeError> {
        match self.access {
            ApiKeyKind::Secret => Ok(()),
            ApiKeyKind::Publishable if self.form.get("client_secret") == Some(&intent.client_secret) => Ok(()),
            ApiKeyKind::Publishable => Err(StripeError::invalid_request(
                "The client_secret provided does not match any associated PaymentIntent on this account. \
                 Ensure the client_secret was created with the same account.",
            )
            .with_code("payment_intent_invalid_parameter")
            .with_param("client_secret")),
        }
    }
}
