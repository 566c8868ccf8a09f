//! The sandbox's error responses, with Stripe's status codes and bodies.

use serde_json::{Map, Value, json};

use super::account::PLATFORM_ACCOUNT_ID;
use super::rate_limit::ExceededLimit;

/// An error response. `saved` says whether it is stored under the idempotency key. Results of an
/// executed call are stored, validation errors are not.
#[derive(Clone, Debug)]
pub struct StripeError {
    pub status: u16,
    pub saved: bool,
    /// The limit that was exceeded, for status 429.
    pub exceeded_limit: Option<ExceededLimit>,
    kind: &'static str,
    message: String,
    details: Map<String, Value>,
}

impl StripeError {
    fn new(status: u16, kind: &'static str, message: impl Into<String>) -> Self {
        Self {
            status,
            saved: false,
            exceeded_limit: None,
            kind,
            message: message.into(),
            details: Map::new(),
        }
    }

    /// Returns the error for an invalid request. It is not saved under the idempotency key.
    pub fn invalid_request(message: impl Into<String>) -> Self {
        Self::new(400, "invalid_request_error", message)
    }

    /// Returns the error for a missing required parameter.
    pub fn missing_parameter(param: &str) -> Self {
        Self::invalid_request(format!("Missing required param: {param}."))
            .with_code("parameter_missing")
            .with_field("param", param)
    }

    /// Returns the error for a parameter that the call does not have.
    pub fn unknown_parameter(param: &str) -> Self {
        Self::invalid_request(format!("Received unknown parameter: {param}"))
            .with_code("parameter_unknown")
            .with_field("param", param)
    }

    /// Returns the error for an empty value of a parameter that cannot be unset.
    pub fn empty_parameter(param: &str) -> Self {
        let message = format!(
            "You passed an empty string for '{param}'. We assume empty values are an attempt to unset a parameter; \
             however '{param}' cannot be unset. You should remove '{param}' from your request or supply a non-empty value."
        );
        Self::invalid_request(message)
            .with_code("parameter_invalid_empty")
            .with_field("param", param)
    }

    /// Returns the error for an id that no object has.
    pub fn not_found(noun: &str, id: &str) -> Self {
        let message = format!("No such {noun}: '{id}'");
        Self::new(404, "invalid_request_error", message)
            .with_code("resource_missing")
            .with_field("param", "id")
    }

    /// Returns the error for a path or method that the API does not have.
    pub fn no_such_route(method: &str, path: &str) -> Self {
        Self::new(
            404,
            "invalid_request_error",
            format!("Unrecognized request URL ({method}: {path})."),
        )
    }

    /// Returns the error for a call that the object's state forbids. It is saved under the
    /// idempotency key.
    pub fn state_conflict(code: &'static str, message: impl Into<String>) -> Self {
        Self::refused_by_state(message).with_code(code)
    }

    /// Returns the error for a call that the object's state forbids, without a code. It is saved
    /// under the idempotency key.
    pub fn refused_by_state(message: impl Into<String>) -> Self {
        Self {
            saved: true,
            ..Self::invalid_request(message)
        }
    }

    /// Returns the error for an API key that is missing or not allowed.
    pub fn unauthorized(message: impl Into<String>) -> Self {
        Self::new(401, "invalid_request_error", message)
    }

    /// Returns the error for an account that does not exist or is not connected to the platform.
    pub fn inaccessible_account(account: &str) -> Self {
        let message = format!(
            "The provided key does not have access to account '{account}' (or that account does not exist). \
             Application access may have been revoked."
        );
        Self::new(403, "invalid_request_error", message).with_code("account_invalid")
    }

    /// Returns the error for a call that a restricted key has no permission for. `account` is empty
    /// for the platform.
    pub fn permission_missing(masked_key: &str, account: &str, permission: &str) -> Self {
        let account = if account.is_empty() {
            PLATFORM_ACCOUNT_ID
        } else {
            account
        };
        let message = format!(
            "The provided key '{masked_key}' does not have the required permissions for this endpoint on account \
             '{account}'. Having the '{permission}' permission would allow this request to continue."
        );
        Self::new(403, "invalid_request_error", message)
    }

    /// Returns the error 429 for an exceeded rate limit.
    pub fn too_many_requests(limit: ExceededLimit) -> Self {
        let message = "Request rate limit exceeded. Learn more about rate limits in the sandbox's faults form.";
        Self {
            exceeded_limit: Some(limit),
            ..Self::new(429, "invalid_request_error", message)
        }
        .with_code("rate_limit")
    }

    /// Returns the error 409 for an idempotency key that another request in progress uses.
    pub fn key_in_use() -> Self {
        let message = "There is currently another in-progress request using this idempotency key. Please try again later.";
        Self::new(409, "invalid_request_error", message).with_code("idempotency_key_in_use")
    }

    /// Returns the error 429 for an object that another request has locked.
    pub fn object_locked() -> Self {
        let message =
            "This object cannot be accessed right now because another request is accessing it.";
        Self {
            exceeded_limit: Some(ExceededLimit::Resource),
            ..Self::new(429, "invalid_request_error", message)
        }
        .with_code("lock_timeout")
    }

    /// Returns the error 500. It is saved under the idempotency key, as at Stripe.
    pub fn internal_error() -> Self {
        let message = "An unknown error occurred, and it is remembered under this idempotency key.";
        Self {
            saved: true,
            ..Self::new(500, "api_error", message)
        }
    }

    /// Returns the error 500 for an answer of the stand-in that does not have Stripe's type.
    pub fn wrong_answer(message: String) -> Self {
        Self::new(500, "api_error", message)
    }

    /// Returns the error for an idempotency key that was used before with other parameters.
    pub fn idempotency_key_reused(key: &str) -> Self {
        let message = format!(
            "Keys for idempotent requests can only be used with the same parameters they were first used with. \
             Try using a key other than '{key}' if you meant to execute a different request."
        );
        Self::new(400, "idempotency_error", message)
    }

    /// Returns the error 402 for a rejected card. It is saved under the idempotency key.
    pub fn card_rejected(
        code: &'static str,
        decline_code: Option<&'static str>,
        message: &str,
    ) -> Self {
        let failure = Self {
            saved: true,
            ..Self::new(402, "card_error", message)
        }
        .with_code(code);
        match decline_code {
            Some(decline_code) => failure.with_field("decline_code", decline_code),
            None => failure,
        }
    }

    pub fn with_code(self, code: &'static str) -> Self {
        self.with_field("code", code)
    }

    pub fn with_param(self, param: &'static str) -> Self {
        self.with_field("param", param)
    }

    /// Adds a field to the error object.
    pub fn with_field(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.details.insert(name.to_owned(), value.into());
        self
    }

    /// Returns the inner error object. A payment intent stores it as `last_payment_error`.
    pub fn error_object(&self) -> Value {
        let mut error = self.details.clone();
        error.insert("type".to_owned(), self.kind.into());
        error.insert("message".to_owned(), self.message.clone().into());
        Value::Object(error)
    }

    /// Returns the JSON body of the error response.
    pub fn json_body(&self) -> Value {
        json!({ "error": self.error_object() })
    }
}
