//! The HTTP beneath async-stripe: connections are kept, keys are ours, and what an error means for a retry is told apart.

use std::fmt::{self, Write};
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HeaderName, HeaderValue, USER_AGENT};
use hyper::{Method, Request, StatusCode};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use serde_json::Value;
use stripe_client_core::{
    CustomizedStripeRequest, StripeClient, StripeClientErr, StripeMethod, VERSION,
};

use super::pacer::{Pacer, Rank};
use crate::GatewayError;

/// Idle connections kept. More than were ever busy at once do no good.
const IDLE_MAX: usize = 128;
/// Shorter than servers keep idle connections (actix: 5 s), so that a request seldom meets one that is just being closed.
const IDLE: Duration = Duration::from_secs(4);
const CONNECT: Duration = Duration::from_secs(5);

/// A caller of the provider's API, for the platform or for one connected account.
#[derive(Clone)]
pub(super) struct Http {
    client: Client<HttpsConnector<HttpConnector>, Full<Bytes>>,
    base: String,
    authorization: HeaderValue,
    account: Option<HeaderValue>,
    timeout: Duration,
    /// `None`: calls leave as they come.
    pub(super) pacer: Option<Arc<Pacer>>,
}

/// What went wrong, as our own `Gateway` says it.
#[derive(Debug)]
pub(super) struct Wrong(pub(super) GatewayError);

impl StripeClientErr for Wrong {
    /// It answered well, in a shape the library does not know: the effect is there.
    fn deserialize_err(why: impl fmt::Display) -> Wrong {
        Wrong(GatewayError::Unknown(format!(
            "an answer could not be read: {why}"
        )))
    }
}

impl Http {
    /// `base` as in `https://api.stripe.com`, with or without a slash at its end.
    pub(super) fn new(secret: &str, base: &str, timeout: Duration) -> Result<Http, String> {
        let mut authorization = HeaderValue::from_str(&format!("Bearer {secret}"))
            .map_err(|_| "the secret key is no header value")?;
        authorization.set_sensitive(true);
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        tcp.set_connect_timeout(Some(CONNECT));
        let connector = HttpsConnectorBuilder::new()
            .with_webpki_roots()
            .https_or_http()
            .enable_http1();
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE)
            .pool_max_idle_per_host(IDLE_MAX)
            .build(connector.wrap_connector(tcp));
        let base = format!("{}/v1", base.trim_end_matches('/'));
        Ok(Http {
            client,
            base,
            authorization,
            account: None,
            timeout,
            pacer: None,
        })
    }

    /// The same caller, for all accounts together, at so many calls a second.
    pub(super) fn paced(self, calls_per_second: NonZeroU32) -> Http {
        Http {
            pacer: Some(Arc::new(Pacer::new(calls_per_second))),
            ..self
        }
    }

    /// The same caller in the name of a connected account (decision C-24).
    pub(super) fn of(&self, account: &str) -> Result<Http, GatewayError> {
        let account = HeaderValue::from_str(account).map_err(|_| GatewayError::Refused {
            code: "account_invalid".into(),
            message: "the account's id is no header value".into(),
        })?;
        Ok(Http {
            account: Some(account),
            ..self.clone()
        })
    }

    fn request(
        &self,
        asked: CustomizedStripeRequest,
    ) -> Result<Request<Full<Bytes>>, GatewayError> {
        let (request, config) = asked.into_pieces();
        let mut uri = format!("{}{}", self.base, request.path);
        if let Some(query) = &request.query {
            let _ = write!(uri, "?{query}");
        }
        let method = match request.method {
            StripeMethod::Get => Method::GET,
            StripeMethod::Post => Method::POST,
            StripeMethod::Delete => Method::DELETE,
        };
        let mut builder = Request::builder()
            .method(method)
            .uri(uri)
            .header(AUTHORIZATION, self.authorization.clone())
            .header(
                USER_AGENT,
                concat!("football-doubles/", env!("CARGO_PKG_VERSION")),
            )
            .header(HeaderName::from_static("stripe-version"), VERSION.as_str());
        if let Some(account) = &self.account {
            builder = builder.header(HeaderName::from_static("stripe-account"), account.clone());
        }
        if let Some(key) = config
            .request_strategy
            .and_then(|strategy| strategy.get_key())
        {
            builder = builder.header(HeaderName::from_static("idempotency-key"), key.as_str());
        }
        if request.body.is_some() {
            builder = builder.header(CONTENT_TYPE, "application/x-www-form-urlencoded");
        }
        let body = Full::new(Bytes::from(request.body.unwrap_or_default()));
        builder
            .body(body)
            .map_err(|why| GatewayError::Unavailable(format!("no request: {why}")))
    }

    async fn ask(&self, asked: CustomizedStripeRequest) -> Result<Bytes, GatewayError> {
        let request = self.request(asked)?;
        if let Some(pacer) = &self.pacer
            && !pacer.pass(rank(&request)).await
        {
            return Err(GatewayError::Unavailable(
                "too many calls wait for their turn".into(),
            ));
        }
        let answer = async {
            let response =
                self.client
                    .request(request)
                    .await
                    .map_err(|why| match why.is_connect() {
                        true => GatewayError::Unavailable(format!("no connection: {why}")),
                        false => GatewayError::Unknown(format!("no answer: {why}")),
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
            Err(error_of(status, &body))
        }
    }
}

/// Taking money, then letting it go, then everything else that changes something; questions last.
fn rank<T>(request: &Request<T>) -> Rank {
    match (request.method(), request.uri().path().rsplit('/').next()) {
        (&Method::GET, _) => Rank::Read,
        (_, Some("capture")) => Rank::Capture,
        (_, Some("cancel")) => Rank::Cancel,
        _ => Rank::Create,
    }
}

impl StripeClient for Http {
    type Err = Wrong;

    async fn execute(&self, asked: CustomizedStripeRequest) -> Result<Bytes, Wrong> {
        self.ask(asked).await.map_err(Wrong)
    }
}

/// What an error status means for whoever might try again. The body's words are for people; the status decides.
pub(super) fn error_of(status: StatusCode, body: &[u8]) -> GatewayError {
    let error = serde_json::from_slice::<Value>(body)
        .map(|body| body["error"].clone())
        .unwrap_or_default();
    let text = |name: &str| error[name].as_str().map(str::to_owned);
    let code = text("decline_code")
        .or_else(|| text("code"))
        .or_else(|| text("type"));
    match status.as_u16() {
        // A key in use (F27), a lock (F26), a wrong secret of ours, too many at once: this request did nothing. Who had the key
        // before may have; the same key gives their answer as soon as there is one.
        401 | 409 | 424 | 425 | 429 => {
            GatewayError::Unavailable(format!("{status} {}", code.unwrap_or_default()))
        }
        400..=499 => GatewayError::Refused {
            code: code.unwrap_or_else(|| status.as_str().to_owned()),
            message: text("message").unwrap_or_else(|| "The provider refused the request.".into()),
        },
        // It was carried out until it failed, and that is the key's answer for ever.
        500 => GatewayError::Failed(status.to_string()),
        // Somebody between us speaks: the request may be under way still.
        _ => GatewayError::Unknown(status.to_string()),
    }
}
