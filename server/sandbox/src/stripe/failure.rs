//! The sandbox's error responses, with Stripe's status codes and bodies.

use serde_json::{Map, Value, json};

/// An error response. `saved` says whether it is stored under the idempotency key. Results of an
/// executed call are stored, validation errors are not.
#[derive(Clone, Debug)]
pub struct StripeError {
    pub status: u16,
    pub saved: bool,
    kind: &'static str,
    message: String,
    details: Map<String, Value>,
}

impl StripeError {
    fn new(status: u16, kind: &'static str, message: impl Into<String>) -> Self {
        Self {
            status,
            saved: false,
            kind,
            message: message.into(),
            details: Map::new(),
        }
    }

    /// A parameter is invalid. The error is not saved under the idempotency key.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(400, "invalid_request_error", message)
    }

    /// A required parameter is missing.
    pub fn missing(param: &'static str) -> Self {
        Self::invalid(format!("Missing required param: {param}."))
            .code("parameter_missing")
            .param(param)
    }

    /// No object has this id.
    pub fn not_found(noun: &str, id: &str) -> Self {
        let message = format!("No such {noun}: '{id}'");
        Self::new(404, "invalid_request_error", message)
            .code("resource_missing")
            .detail("param", "id")
    }

    /// The API has no such path or method.
    pub fn no_such_route(method: &str, path: &str) -> Self {
        Self::new(
            404,
            "invalid_request_error",
            format!("Unrecognized request URL ({method}: {path})."),
        )
    }

    /// The object's state forbids the call. The error is saved under the idempotency key.
    pub fn state(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            saved: true,
            ..Self::invalid(message).code(code)
        }
    }

    /// The API key is missing or not allowed.
    pub fn unauthorized(message: impl Into<String>) -> Self {
        Self::new(401, "invalid_request_error", message)
    }

    /// The account in the request does not exist or is not connected to the platform.
    pub fn foreign_account(account: &str) -> Self {
        let message = format!(
            "The provided key does not have access to account '{account}' (or that account does not exist). \
             Application access may have been revoked."
        );
        Self::new(403, "invalid_request_error", message).code("account_invalid")
    }

    /// 429: the rate limit is exceeded.
    pub fn too_many() -> Self {
        let message = "Request rate limit exceeded. Learn more about rate limits in the sandbox's faults form.";
        Self::new(429, "invalid_request_error", message).code("rate_limit")
    }

    /// 409: another request with the same idempotency key is in progress.
    pub fn key_in_use() -> Self {
        let message = "There is currently another in-progress request using this idempotency key. Please try again later.";
        Self::new(409, "invalid_request_error", message).code("idempotency_key_in_use")
    }

    /// 429: another request holds a lock on the object.
    pub fn locked() -> Self {
        let message =
            "This object cannot be accessed right now because another request is accessing it.";
        Self::new(429, "invalid_request_error", message).code("lock_timeout")
    }

    /// 500: an internal error. It is saved under the idempotency key, as at Stripe.
    pub fn internal() -> Self {
        let message = "An unknown error occurred, and it is remembered under this idempotency key.";
        Self {
            saved: true,
            ..Self::new(500, "api_error", message)
        }
    }

    /// The idempotency key was used before with other parameters.
    pub fn idempotency(key: &str) -> Self {
        let message = format!(
            "Keys for idempotent requests can only be used with the same parameters they were first used with. \
             Try using a key other than '{key}' if you meant to execute a different request."
        );
        Self::new(400, "idempotency_error", message)
    }

    /// 402: the card was declined. The error is saved under the idempotency key.
    pub fn card(code: &'static str, decline_code: Option<&'static str>, message: &str) -> Self {
        let failure = Self {
            saved: true,
            ..Self::new(402, "card_error", message)
        }
        .code(code);
        match decline_code {
            Some(decline_code) => failure.detail("decline_code", decline_code),
            None => failure,
        }
    }

    pub fn code(self, code: &'static str) -> Self {
        self.detail("code", code)
    }

    pub fn param(self, param: &'static str) -> Self {
        self.detail("param", param)
    }

    /// Adds a field to the error object.
    pub fn detail(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.details.insert(name.to_owned(), value.into());
        self
    }

    /// Returns the inner error object. A payment intent stores it as `last_payment_error`.
    pub fn error(&self) -> Value {
        let mut error = self.details.clone();
        error.insert("type".to_owned(), self.kind.into());
        error.insert("message".to_owned(), self.message.clone().into());
        Value::Object(error)
    }

    /// Returns the JSON body of the error response.
    pub fn body(&self) -> Value {
        json!({ "error": self.error() })
    }
}
