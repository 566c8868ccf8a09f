//! The HTTP client that async-stripe uses. It reuses connections, sets the idempotency key, and
//! classifies errors by whether and how a call may be retried.

use std::fmt::{self, Write};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use domain::provider_error::{ErrorRepair, ProviderErrorClass, ProviderErrorFields};
use http_body_util::{BodyExt, Full};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, DATE, HeaderName, HeaderValue, USER_AGENT};
use hyper::http::request::Builder;
use hyper::{Method, Request, Response, StatusCode};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use serde::de::DeserializeOwned;
use serde_json::Value;
use stripe_client_core::{CustomizedStripeRequest, StripeClient, StripeClientErr, StripeMethod};

use super::STRIPE_API_VERSION;
use super::inspection::StripeAnswer;
use super::rate_limiter::{CallBucket, CallPriority, RateLimiter, StripeRateLimits};
use crate::GatewayError;

/// Largest number of idle connections. Keeping more connections than are in use at once would be
/// useless.
const IDLE_CONNECTIONS_MAX: usize = 128;
/// How long an idle connection is reused. Shorter than the idle timeout of servers (actix: 5 s), so
/// that a request rarely uses a connection that the server is closing.
const IDLE_TIMEOUT: Duration = Duration::from_secs(4);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Header in which Stripe names the limit that a call exceeded, for example `global-rate` or
/// `endpoint-rate`.
const RATE_LIMITED_REASON: &str = "stripe-rate-limited-reason";
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// A client of Stripe's API that acts for the platform or for one connected account.
#[derive(Clone)]
pub(super) struct StripeHttpClient {
    client: Client<HttpsConnector<HttpConnector>, Full<Bytes>>,
    /// The API's address without a version: `https://api.stripe.com`.
    base: String,
    authorization: HeaderValue,
    account: Option<HeaderValue>,
    timeout: Duration,
    /// The limiter that all accounts share. `None`: calls are not limited.
    pub(super) rate_limiter: Option<Arc<RateLimiter>>,
}

/// Wraps a [`GatewayError`], because async-stripe requires an error type of its own.
#[derive(Debug)]
pub(super) struct StripeHttpError(pub(super) GatewayError);

impl StripeClientErr for StripeHttpError {
    /// Returns the error for an answer that reports success but cannot be parsed by async-stripe.
    /// The call may have had its effect.
    fn deserialize_err(why: impl fmt::Display) -> StripeHttpError {
        StripeHttpError(GatewayError::unknown(format!(
            "an answer could not be read: {why}"
        )))
    }
}

impl StripeHttpClient {
    /// Creates a client. `base`: for example `https://api.stripe.com`, with or without a trailing
    /// slash.
    ///
    /// # Errors
    /// The secret key is not a valid header value.
    pub(super) fn new(
        secret: &str,
        base: &str,
        timeout: Duration,
    ) -> Result<StripeHttpClient, String> {
        let mut authorization = HeaderValue::from_str(&format!("Bearer {secret}"))
            .map_err(|_| "the secret key is no header value")?;
        authorization.set_sensitive(true);
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        tcp.set_connect_timeout(Some(CONNECT_TIMEOUT));
        let connector = HttpsConnectorBuilder::new()
            .with_webpki_roots()
            .https_or_http()
            .enable_http1();
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE_TIMEOUT)
            .pool_max_idle_per_host(IDLE_CONNECTIONS_MAX)
            .build(connector.wrap_connector(tcp));
        let base = base.trim_end_matches('/').to_owned();
        Ok(StripeHttpClient {
            client,
            base,
            authorization,
            account: None,
            timeout,
            rate_limiter: None,
        })
    }

    /// Returns a client with these limits, which all accounts share.
    pub(super) fn with_rate_limits(self, limits: StripeRateLimits) -> StripeHttpClient {
        StripeHttpClient {
            rate_limiter: Some(Arc::new(RateLimiter::new(limits))),
            ..self
        }
    }

    /// Returns a client that acts for a connected account (decision C-24).
    pub(super) fn for_account(&self, account: &str) -> Result<StripeHttpClient, GatewayError> {
        let account = HeaderValue::from_str(account).map_err(|_| GatewayError::Refused {
            class: ProviderErrorClass::AccountProblem,
            code: "account_invalid".into(),
            message: "the account's id is no header value".into(),
        })?;
        Ok(StripeHttpClient {
            account: Some(account),
            ..self.clone()
        })
    }

    fn build_request(
        &self,
        request: CustomizedStripeRequest,
    ) -> Result<Request<Full<Bytes>>, GatewayError> {
        let (request, config) = request.into_pieces();
        let mut uri = format!("{}/v1{}", self.base, request.path);
        if let Some(query) = &request.query {
            let _ = write!(uri, "?{query}");
        }
        let method = match request.method {
            StripeMethod::Get => Method::GET,
            StripeMethod::Post => Method::POST,
            StripeMethod::Delete => Method::DELETE,
        };
        let mut builder = self.request_builder(method, uri);
        if let Some(account) = &self.account {
            builder = builder.header(HeaderName::from_static("stripe-account"), account.clone());
        }
        if let Some(key) = config
            .request_strategy
            .and_then(|strategy| strategy.get_key())
        {
            builder = builder.header(IDEMPOTENCY_KEY, key.as_str());
        }
        if request.body.is_some() {
            builder = builder.header(CONTENT_TYPE, "application/x-www-form-urlencoded");
        }
        add_body(builder, request.body.unwrap_or_default())
    }

    /// Returns which limit a call counts against. Every second part of the path
    /// after `/v1` is an id.
    fn bucket_of_request<T>(&self, request: &Request<T>) -> CallBucket {
        let path = request.uri().path();
        let parts: Vec<&str> = match path.split_once("/v1/") {
            Some((_, rest)) => rest
                .split('/')
                .enumerate()
                .map(|(position, part)| if position % 2 == 1 { "{id}" } else { part })
                .collect(),
            // Calls of version 2 are rare: the whole path is the endpoint.
            None => vec![path],
        };
        let account = self
            .account
            .as_ref()
            .and_then(|account| account.to_str().ok());
        CallBucket {
            endpoint: format!("{} {}", request.method(), parts.join("/")),
            account: account.unwrap_or_default().to_owned(),
        }
    }

    /// Returns a request with the headers of every call.
    fn request_builder(&self, method: Method, uri: String) -> Builder {
        Request::builder()
            .method(method)
            .uri(uri)
            .header(AUTHORIZATION, self.authorization.clone())
            .header(
                USER_AGENT,
                concat!("football-doubles/", env!("CARGO_PKG_VERSION")),
            )
            .header(
                HeaderName::from_static("stripe-version"),
                STRIPE_API_VERSION,
            )
    }

    /// Makes one call of version 2 of Stripe's API for the platform and returns its answer. Version 2
    /// takes JSON, which async-stripe does not send. `path`: for example `/core/accounts`.
    pub(super) async fn post_v2<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &Value,
        key: Option<&str>,
    ) -> Result<T, GatewayError> {
        let mut builder = self
            .request_builder(Method::POST, format!("{}/v2{path}", self.base))
            .header(CONTENT_TYPE, "application/json");
        if let Some(key) = key {
            builder = builder.header(IDEMPOTENCY_KEY, key);
        }
        let answer = self.send(add_body(builder, body.to_string())?).await?;
        // The call may have had its effect.
        serde_json::from_slice(&answer)
            .map_err(|why| GatewayError::unknown(format!("an answer could not be read: {why}")))
    }

    /// Makes one call and returns its answer, also if the answer reports an error. `path` begins with
    /// the version. `body`: its content type and text.
    pub(super) async fn inspect(
        &self,
        method: Method,
        path: &str,
        body: Option<(&'static str, &str)>,
    ) -> Result<StripeAnswer, GatewayError> {
        let mut builder = self.request_builder(method, format!("{}{path}", self.base));
        if let Some(account) = &self.account {
            builder = builder.header(HeaderName::from_static("stripe-account"), account.clone());
        }
        if let Some((content_type, _)) = body {
            builder = builder.header(CONTENT_TYPE, content_type);
        }
        let text = body.map_or("", |(_, text)| text).to_owned();
        let answer = self.exchange(add_body(builder, text)?).await?;
        let date = answer.headers().get(DATE);
        Ok(StripeAnswer {
            status: answer.status().as_u16(),
            date: date.and_then(|date| Some(date.to_str().ok()?.to_owned())),
            body: serde_json::from_slice(answer.body()).unwrap_or_default(),
        })
    }

    async fn send(&self, request: Request<Full<Bytes>>) -> Result<Bytes, GatewayError> {
        let answer = self.exchange(request).await?;
        let status = answer.status();
        let body = answer.into_body();
        if status.is_success() {
            Ok(body)
        } else {
            Err(error_of_status(status, &body))
        }
    }

    /// Sends a request when the limits allow it, and returns the answer whatever its status is.
    async fn exchange(
        &self,
        request: Request<Full<Bytes>>,
    ) -> Result<Response<Bytes>, GatewayError> {
        let limited = self
            .rate_limiter
            .as_ref()
            .map(|rate_limiter| (rate_limiter, self.bucket_of_request(&request)));
        if let Some((rate_limiter, bucket)) = &limited
            && !rate_limiter
                .acquire(priority_of_request(&request), bucket)
                .await
        {
            return Err(GatewayError::unavailable(
                "too many calls wait for their turn",
            ));
        }
        let answer = async {
            let response = self.client.request(request).await.map_err(|why| {
                if why.is_connect() {
                    GatewayError::unavailable(format!("no connection: {why}"))
                } else {
                    GatewayError::unknown(format!("no answer: {why}"))
                }
            })?;
            let (head, body) = response.into_parts();
            let body = body.collect().await;
            let body =
                body.map_err(|why| GatewayError::unknown(format!("half an answer: {why}")))?;
            Ok(Response::from_parts(head, body.to_bytes()))
        };
        let answer = tokio::time::timeout(self.timeout, answer)
            .await
            .unwrap_or_else(|_| Err(GatewayError::unknown("no answer in time")))?;
        if let Some((rate_limiter, bucket)) = &limited {
            match exceeded_limit(&answer).filter(|_| !is_lock_timeout(answer.body())) {
                Some(exceeded) => {
                    tracing::warn!(
                        endpoint = bucket.endpoint,
                        ?exceeded,
                        "Stripe's rate limit exceeded: calls to the endpoint pause"
                    );
                    rate_limiter.back_off(bucket, exceeded == ExceededLimit::Total);
                }
                None => rate_limiter.note_accepted_call(bucket),
            }
        }
        Ok(answer)
    }
}

/// The limit that a rejected call exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ExceededLimit {
    Total,
    Endpoint,
}

/// Returns the limit that Stripe names in an answer with status 429. An answer that names none
/// counts for the endpoint. `None`: the answer has another status.
fn exceeded_limit<T>(response: &Response<T>) -> Option<ExceededLimit> {
    if response.status() != StatusCode::TOO_MANY_REQUESTS {
        return None;
    }
    let reason = response.headers().get(RATE_LIMITED_REASON);
    let is_total = reason.is_some_and(|reason| reason.as_bytes().starts_with(b"global-"));
    Some(if is_total {
        ExceededLimit::Total
    } else {
        ExceededLimit::Endpoint
    })
}

/// Whether a call was rejected because another call holds a lock on the same object. That is no rate
/// limit.
fn is_lock_timeout(body: &[u8]) -> bool {
    serde_json::from_slice::<Value>(body).is_ok_and(|body| body["error"]["code"] == "lock_timeout")
}

fn add_body(
    builder: Builder,
    body: impl Into<Bytes>,
) -> Result<Request<Full<Bytes>>, GatewayError> {
    builder
        .body(Full::new(body.into()))
        .map_err(|why| GatewayError::unavailable(format!("no request: {why}")))
}

/// Returns the priority of a request: captures first, then cancellations, then other writes, then
/// reads.
fn priority_of_request<T>(request: &Request<T>) -> CallPriority {
    match (request.method(), request.uri().path().rsplit('/').next()) {
        (&Method::GET, _) => CallPriority::Read,
        (_, Some("capture")) => CallPriority::Capture,
        (_, Some("cancel")) => CallPriority::Cancel,
        _ => CallPriority::Create,
    }
}

impl StripeClient for StripeHttpClient {
    type Err = StripeHttpError;

    async fn execute(&self, request: CustomizedStripeRequest) -> Result<Bytes, StripeHttpError> {
        let request = self.build_request(request).map_err(StripeHttpError)?;
        self.send(request).await.map_err(StripeHttpError)
    }
}

/// Classifies an error answer by its status and its fields. The message is only copied.
pub(super) fn error_of_status(status: StatusCode, body: &[u8]) -> GatewayError {
    let error = serde_json::from_slice::<Value>(body)
        .map(|body| body["error"].clone())
        .unwrap_or_default();
    let text = |name: &str| error[name].as_str();
    let class = ProviderErrorClass::from_fields(&ProviderErrorFields {
        status: status.as_u16(),
        kind: text("type"),
        code: text("code"),
        decline_code: text("decline_code"),
    });
    let code = text("decline_code")
        .or_else(|| text("code"))
        .or_else(|| text("type"));
    let repair = class.guide().repair;
    let code = match repair {
        ErrorRepair::RepeatRequest | ErrorRepair::ReadThenRepeat => {
            format!("{status} {}", code.unwrap_or_default())
        }
        _ => code.unwrap_or(status.as_str()).to_owned(),
    };
    let message = text("message").unwrap_or("The provider refused the request.");
    if matches!(
        class,
        ProviderErrorClass::KeyProblem | ProviderErrorClass::IdempotencyMismatch
    ) {
        tracing::error!(code, message, "{}", class.guide().operator);
    }
    // Another status than 500 in this range comes from a proxy, so Stripe may still execute the
    // request.
    let is_from_provider = status == StatusCode::INTERNAL_SERVER_ERROR || status.is_client_error();
    GatewayError::of_answer(
        class,
        code.trim_end().to_owned(),
        message.to_owned(),
        is_from_provider,
    )
}

#[cfg(test)]
mod tests {
    use domain::provider_error::{DeclineGroup, ProviderErrorClass as Class};
    use hyper::StatusCode;
    use serde_json::json;

    use super::error_of_status;
    use crate::GatewayError;

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum Kind {
        Refused,
        Unavailable,
        Unknown,
        Failed,
    }

    fn kind(error: &GatewayError) -> Kind {
        match error {
            GatewayError::Refused { .. } => Kind::Refused,
            GatewayError::Unavailable { .. } => Kind::Unavailable,
            GatewayError::Unknown { .. } => Kind::Unknown,
            GatewayError::Failed { .. } => Kind::Failed,
        }
    }

    /// Each class of answers decides how the call may be retried. The message never does.
    #[test]
    #[rustfmt::skip]
    fn class_of_the_answer_decides_how_the_call_is_retried() {
        let stolen = Class::CardDeclined(DeclineGroup::Unexplained);
        let answers = [
            (402, "card_error", "card_declined", "stolen_card", stolen, Kind::Refused),
            (402, "card_error", "authentication_required", "", Class::AuthenticationRequired, Kind::Refused),
            (402, "card_error", "processing_error", "", Class::ProcessingError, Kind::Refused),
            (429, "invalid_request_error", "rate_limit", "", Class::RateLimit, Kind::Unavailable),
            (409, "idempotency_error", "idempotency_key_in_use", "", Class::RateLimit, Kind::Unavailable),
            (400, "idempotency_error", "", "", Class::IdempotencyMismatch, Kind::Failed),
            (400, "invalid_request_error", "charge_already_captured", "", Class::UnexpectedState, Kind::Refused),
            (404, "invalid_request_error", "resource_missing", "", Class::InvalidRequest, Kind::Refused),
            (401, "invalid_request_error", "", "", Class::KeyProblem, Kind::Unavailable),
            (403, "invalid_request_error", "account_invalid", "", Class::AccountProblem, Kind::Refused),
            (400, "invalid_request_error", "balance_insufficient", "", Class::LowBalance, Kind::Refused),
            (400, "invalid_request_error", "charge_disputed", "", Class::PaymentDisputed, Kind::Refused),
            (500, "api_error", "", "", Class::ProviderFailure, Kind::Failed),
            // A proxy sent this status, so Stripe may still execute the request.
            (502, "", "rate_limit", "", Class::ProviderFailure, Kind::Unknown),
        ];
        for class in Class::all() {
            // No answer has the class `Network`. The other groups of declines behave alike.
            let is_answered = answers.iter().any(|answer| answer.4 == class);
            assert!(is_answered || matches!(class, Class::Network | Class::CardDeclined(_)), "{class:?}");
        }
        for (status, error_type, code, decline_code, class, expected) in answers {
            for message in ["No money.", "rate_limit card_declined balance_insufficient"] {
                let mut error = json!({ "type": error_type, "code": code, "decline_code": decline_code,
                    "message": message });
                error.as_object_mut().expect("fields").retain(|_, value| value != "");
                let body = json!({ "error": error }).to_string();
                let status = StatusCode::from_u16(status).expect("a status");
                let error = error_of_status(status, body.as_bytes());
                assert_eq!((error.class(), kind(&error)), (class, expected), "{status} {body}");
            }
        }
    }
}
