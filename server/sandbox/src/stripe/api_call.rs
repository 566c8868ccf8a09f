//! One decoded request to the sandbox's Stripe API.

use serde::{Deserialize, Serialize};

use super::failure::StripeError;
use super::form::StripeForm;
use super::intent::Intent;

/// The id of the platform's application. Stripe names it as the creator of everything that the
/// platform creates on a connected account.
pub const PLATFORM_APPLICATION_ID: &str = "ca_sandbox";

/// Who creates an object.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Creator {
    /// The platform, for a connected account. Older journals hold only its objects.
    #[default]
    Platform,
    /// The application with this id.
    OtherApplication(String),
    /// The owner of the account.
    AccountOwner,
}

impl Creator {
    /// Returns the id in the field `application` of the object. `None` for the account's owner.
    pub fn application_id(&self) -> Option<&str> {
        match self {
            Self::Platform => Some(PLATFORM_APPLICATION_ID),
            Self::OtherApplication(id) => Some(id),
            Self::AccountOwner => None,
        }
    }
}

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
    /// Who makes the request.
    pub creator: Creator,
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
