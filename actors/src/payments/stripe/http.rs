//! The HTTP client that async-stripe uses. It reuses connections, sets the idempotency key, and
//! classifies errors by whether and how a call may be retried.

use std::fmt::{self, Write};
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HeaderName, HeaderValue, USER_AGENT};
use hyper::http::request::Builder;
use hyper::{Method, Request, StatusCode};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use serde::de::DeserializeOwned;
use serde_json::Value;
use stripe_client_core::{
    CustomizedStripeRequest, StripeClient, StripeClientErr, StripeMethod, VERSION,
};

use super::rate_limiter::{CallPriority, RateLimiter};
use crate::GatewayError;

/// Largest number of idle connections. Keeping more connections than are in use at once would be
/// useless.
const IDLE_CONNECTIONS_MAX: usize = 128;
/// How long an idle connection is reused. Shorter than the idle timeout of servers (actix: 5 s), so
/// that a request rarely uses a connection that the server is closing.
const IDLE_TIMEOUT: Duration = Duration::from_secs(4);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
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
        StripeHttpError(GatewayError::Unknown(format!(
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

    /// Returns a client with this limit of calls per second, for all accounts together.
    pub(super) fn with_rate_limit(self, calls_per_second: NonZeroU32) -> StripeHttpClient {
        StripeHttpClient {
            rate_limiter: Some(Arc::new(RateLimiter::new(calls_per_second))),
            ..self
        }
    }

    /// Returns a client that acts for a connected account (decision C-24).
    pub(super) fn for_account(&self, account: &str) -> Result<StripeHttpClient, GatewayError> {
        let account = HeaderValue::from_str(account).map_err(|_| GatewayError::Refused {
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
            .header(HeaderName::from_static("stripe-version"), VERSION.as_str())
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
            .map_err(|why| GatewayError::Unknown(format!("an answer could not be read: {why}")))
    }

    async fn send(&self, request: Request<Full<Bytes>>) -> Result<Bytes, GatewayError> {
        if let Some(rate_limiter) = &self.rate_limiter
            && !rate_limiter.acquire(priority_of_request(&request)).await
        {
            return Err(GatewayError::Unavailable(
                "too many calls wait for their turn".into(),
            ));
        }
        let answer = async {
            let response = self.client.request(request).await.map_err(|why| {
                if why.is_connect() {
                    GatewayError::Unavailable(format!("no connection: {why}"))
                } else {
                    GatewayError::Unknown(format!("no answer: {why}"))
                }
            })?;
            let status = response.status();
            let body = response.into_body().collect().await;
            let body =
                body.map_err(|why| GatewayError::Unknown(format!("half an answer: {why}")))?;
            Ok((status, body.to_bytes()))
        };
        let (status, body) = tokio::time::timeout(self.timeout, answer)
            .await
            .unwrap_or_else(|_| Err(GatewayError::Unknown("no answer in time".into())))?;
        if status.is_success() {
            Ok(body)
        } else {
            Err(error_of_status(status, &body))
        }
    }
}

fn add_body(
    builder: Builder,
    body: impl Into<Bytes>,
) -> Result<Request<Full<Bytes>>, GatewayError> {
    builder
        .body(Full::new(body.into()))
        .map_err(|why| GatewayError::Unavailable(format!("no request: {why}")))
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

/// Classifies an error status by whether and how the call may be retried. The body is only used for
/// the message.
pub(super) fn error_of_status(status: StatusCode, body: &[u8]) -> GatewayError {
    let error = serde_json::from_slice::<Value>(body)
        .map(|body| body["error"].clone())
        .unwrap_or_default();
    let text = |name: &str| error[name].as_str().map(str::to_owned);
    let code = text("decline_code")
        .or_else(|| text("code"))
        .or_else(|| text("type"));
    match status.as_u16() {
        // This request had no effect, for example because its idempotency key is in use (failure
        // F27 of the failure catalogue) or the rate limit is exceeded (F26). If an earlier request
        // under the same idempotency key had an effect, a retry returns the answer to that request.
        401 | 409 | 424 | 425 | 429 => {
            GatewayError::Unavailable(format!("{status} {}", code.unwrap_or_default()))
        }
        400..=499 => GatewayError::Refused {
            code: code.unwrap_or_else(|| status.as_str().to_owned()),
            message: text("message").unwrap_or_else(|| "The provider refused the request.".into()),
        },
        // The request failed while Stripe executed it. Stripe stores this answer under the key
        // permanently.
        500 => GatewayError::Failed(status.to_string()),
        // A proxy sent this status, so Stripe may still execute the request.
        _ => GatewayError::Unknown(status.to_string()),
    }
}
