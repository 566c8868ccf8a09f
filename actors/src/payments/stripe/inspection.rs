//! Reads what Stripe stores about the platform and its accounts, for reports on the configuration.
//! Nothing here changes anything at Stripe.

use domain::AccountId;
use hyper::Method;
use serde_json::Value;

use super::StripeSettings;
use super::http::StripeHttpClient;
use crate::GatewayError;

/// A parameter that no call of Stripe's API has. Stripe refuses every write with it.
const UNKNOWN_PARAMETER: &str = "doctor_probe=1";

/// An answer of Stripe, whether or not it reports an error.
#[derive(Clone, Debug, Default)]
pub struct StripeAnswer {
    pub status: u16,
    /// Stripe's time, from the header `Date`. `None`: the header is missing.
    pub date: Option<String>,
    /// The body. Null if it is no JSON.
    pub body: Value,
}

impl StripeAnswer {
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Returns the code of the error. Empty if there is none.
    pub fn error_code(&self) -> &str {
        self.body["error"]["code"].as_str().unwrap_or_default()
    }

    /// Returns the message of the error. Empty if there is none.
    pub fn error_message(&self) -> &str {
        self.body["error"]["message"].as_str().unwrap_or_default()
    }
}

/// Asks Stripe questions without changing anything.
#[derive(Clone)]
pub struct StripeInspector {
    platform: StripeHttpClient,
}

impl StripeInspector {
    /// Creates a client.
    ///
    /// # Errors
    /// The secret key is not a valid header value.
    pub fn new(settings: &StripeSettings) -> Result<StripeInspector, String> {
        let client = StripeHttpClient::new(&settings.secret, &settings.base_url, settings.timeout)?;
        Ok(StripeInspector {
            platform: match settings.rate_limits {
                Some(limits) => client.with_rate_limits(limits),
                None => client,
            },
        })
    }

    /// Makes a `GET` call of version 1. `path`: for example `/charges?limit=1`.
    ///
    /// # Errors
    /// No answer came.
    pub async fn read(
        &self,
        account: Option<&AccountId>,
        path: &str,
    ) -> Result<StripeAnswer, GatewayError> {
        let client = self.client(account)?;
        client
            .inspect(Method::GET, &format!("/v1{path}"), None)
            .await
    }

    /// Makes a `POST` call of version 1 that Stripe must refuse, because it has only a parameter that
    /// no call knows. The refusal says whether the key has the permission, which Stripe checks
    /// before the parameters.
    ///
    /// # Errors
    /// No answer came.
    pub async fn probe_write(
        &self,
        account: Option<&AccountId>,
        path: &str,
    ) -> Result<StripeAnswer, GatewayError> {
        let client = self.client(account)?;
        let form = ("application/x-www-form-urlencoded", UNKNOWN_PARAMETER);
        client
            .inspect(Method::POST, &format!("/v1{path}"), Some(form))
            .await
    }

    /// Makes a `POST` call of version 2 that Stripe must refuse, because its JSON has only a field
    /// that no call knows.
    ///
    /// # Errors
    /// No answer came.
    pub async fn probe_write_v2(&self, path: &str) -> Result<StripeAnswer, GatewayError> {
        let json = ("application/json", r#"{"doctor_probe":1}"#);
        self.platform
            .inspect(Method::POST, &format!("/v2{path}"), Some(json))
            .await
    }

    fn client(&self, account: Option<&AccountId>) -> Result<StripeHttpClient, GatewayError> {
        match account {
            Some(account) => self.platform.for_account(&account.0),
            None => Ok(self.platform.clone()),
        }
    }
}
