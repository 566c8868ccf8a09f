//! A simulated browser with separate cookies and retries. It can send every call twice or repeat
//! it, and records every response.

use std::fmt::Write as _;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use reqwest::Method;
use reqwest::header::{CONTENT_TYPE, ORIGIN, RETRY_AFTER};
use serde_json::Value;

use crate::crowd_plan::SeededRng;
use crate::latency::{CallKind, CallRecord};

/// Settings that all browsers of a run share.
#[derive(Debug)]
pub struct RunSettings {
    /// Scheme, host and port of the server, without a trailing slash.
    pub base: String,
    /// Scheme, host and port of the payment sandbox.
    pub provider: String,
    pub started: Instant,
    /// How often each call is repeated after it was answered.
    pub retries: u32,
    /// How long one call is retried while the server cannot be reached.
    pub retry_timeout: Duration,
    pub publishable_key: String,
}

impl RunSettings {
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    fn url(&self, path: &str) -> String {
        let base = if PROVIDER_PATHS.iter().any(|own| path.starts_with(own)) {
            &self.provider
        } else {
            &self.base
        };
        format!("{base}{path}")
    }
}

/// Paths that the payment sandbox serves. The mailbox, also under `/sandbox/`, is served by the
/// server.
const PROVIDER_PATHS: [&str; 3] = ["/sandbox/stripe/", "/sandbox/ledger", "/sandbox/faults"];

#[derive(Clone, Debug)]
pub enum RequestBody {
    Nothing,
    Json(Value),
    Form(Vec<(&'static str, String)>),
    /// Content of a text file, such as a list of fixtures.
    Text(String),
}

/// An HTTP request. It can be sent any number of times.
#[derive(Clone, Debug)]
pub struct Request {
    pub method: Method,
    pub path: String,
    pub body: RequestBody,
    /// Headers in addition to those that every request has.
    pub headers: Vec<(&'static str, String)>,
}

impl Request {
    pub fn get(path: impl Into<String>) -> Self {
        Self {
            method: Method::GET,
            path: path.into(),
            body: RequestBody::Nothing,
            headers: Vec::new(),
        }
    }

    pub fn post(path: impl Into<String>, body: Value) -> Self {
        Self {
            method: Method::POST,
            body: RequestBody::Json(body),
            ..Self::get(path)
        }
    }

    pub fn post_form(path: impl Into<String>, fields: Vec<(&'static str, String)>) -> Self {
        Self {
            method: Method::POST,
            body: RequestBody::Form(fields),
            ..Self::get(path)
        }
    }
}

/// A complete response. `body` is null if it is not JSON.
#[derive(Clone, Debug)]
pub struct ServerResponse {
    pub status: u16,
    pub body: Value,
    /// The value of the `Retry-After` header, in seconds. `None` without that header.
    pub retry_after: Option<f64>,
}

impl ServerResponse {
    pub fn ok(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Returns a field of the body as text. A number is formatted, and a missing field is empty.
    pub fn body_text_at(&self, pointer: &str) -> String {
        json_text_at(&self.body, pointer)
    }

    /// Returns whether the call should be retried, because the server is down, starting or busy.
    /// The provider's 500 is retried too, as the provider's page does.
    fn should_retry(&self, call: CallKind) -> bool {
        matches!(self.status, 429 | 502 | 503 | 504)
            || (call == CallKind::Card && self.status >= 500)
    }
}

/// Returns a field of a JSON value as text. A number is formatted, and a missing field is empty.
pub fn json_text_at(value: &Value, pointer: &str) -> String {
    match value.pointer(pointer) {
        Some(Value::String(text)) => text.clone(),
        None | Some(Value::Null) => String::new(),
        Some(other) => other.to_string(),
    }
}

/// Returns an integer field, which may be stored as a number or as text. `None` if there is none.
pub fn json_number_at(value: &Value, pointer: &str) -> Option<i64> {
    match value.pointer(pointer)? {
        Value::Number(number) => number.as_i64(),
        Value::String(text) => text.parse().ok(),
        _ => None,
    }
}

pub struct Browser {
    pub site: Arc<RunSettings>,
    http: reqwest::Client,
    rng: Mutex<SeededRng>,
    call_records: Mutex<Vec<CallRecord>>,
}

impl Browser {
    pub fn open(site: Arc<RunSettings>, seed: u64) -> Result<Self> {
        let http = reqwest::Client::builder()
            .cookie_store(true)
            .timeout(Duration::from_secs(30))
            .pool_idle_timeout(Duration::from_secs(5))
            .local_address(browser_source_ip(&site.base, seed))
            .build()
            .context("an HTTP client")?;
        Ok(Self {
            site,
            http,
            rng: Mutex::new(SeededRng::new(seed, 1)),
            call_records: Mutex::new(Vec::new()),
        })
    }

    /// Removes and returns all call records of this browser.
    pub fn take_call_records(&self) -> Vec<CallRecord> {
        std::mem::take(
            &mut self
                .call_records
                .lock()
                .unwrap_or_else(PoisonError::into_inner),
        )
    }

    pub fn random_below(&self, bound: u64) -> u64 {
        self.rng
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .random_below(bound)
    }

    /// Sends a request once. Returns `None` when no response came, so that the effect is unknown.
    pub async fn send_once(&self, call: CallKind, request: &Request) -> Option<ServerResponse> {
        let (at, started) = (self.site.elapsed(), Instant::now());
        let answer = self.send_and_record(request).await.ok();
        let status = answer.as_ref().map_or(0, |answer| answer.status);
        let record = CallRecord {
            call,
            at,
            took: started.elapsed(),
            status,
        };
        self.call_records
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(record);
        answer
    }

    /// Sends a request until there is a final response. Returns `None` when the retry time ends
    /// first.
    pub async fn send_with_retries(
        &self,
        call: CallKind,
        request: &Request,
    ) -> Option<ServerResponse> {
        let give_up = Instant::now() + self.site.retry_timeout;
        let mut pause = Duration::from_millis(150);
        loop {
            let answer = self.send_once(call, request).await;
            if answer
                .as_ref()
                .is_some_and(|answer| !answer.should_retry(call))
                || Instant::now() >= give_up
            {
                return answer;
            }
            let wished = answer
                .and_then(|answer| answer.retry_after)
                .map(|s| Duration::from_secs_f64(s.min(3.0)));
            let jitter = Duration::from_millis(self.random_below(100));
            tokio::time::sleep(wished.unwrap_or(pause).max(pause) + jitter).await;
            pause = (pause * 3 / 2).min(Duration::from_secs(2));
        }
    }

    /// Sends a request like an impatient person: sometimes twice at the same moment, then
    /// repeatedly as the run's settings say. Returns all responses in order of arrival.
    pub async fn send_repeatedly(&self, call: CallKind, request: &Request) -> Vec<ServerResponse> {
        let mut answers = Vec::new();
        let mut left = self.site.retries;
        if left > 0 && self.random_below(3) == 0 {
            left -= 1;
            let (first, second) = tokio::join!(
                self.send_with_retries(call, request),
                self.send_with_retries(call, request)
            );
            answers.extend(first.into_iter().chain(second));
        } else {
            answers.extend(self.send_with_retries(call, request).await);
        }
        for _ in 0..left {
            answers.extend(self.send_with_retries(call, request).await);
        }
        answers
    }

    /// Sends a request and closes the connection after a moment, even without a response.
    pub async fn send_and_disconnect(&self, call: CallKind, request: &Request, after: Duration) {
        let (at, started) = (self.site.elapsed(), Instant::now());
        // A missing response is not recorded, because the connection was closed on purpose.
        if let Ok(Ok(answer)) = tokio::time::timeout(after, self.send_and_record(request)).await {
            let record = CallRecord {
                call,
                at,
                took: started.elapsed(),
                status: answer.status,
            };
            self.call_records
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(record);
        }
    }

    async fn send_and_record(&self, request: &Request) -> Result<ServerResponse, reqwest::Error> {
        let mut asking = self
            .http
            .request(request.method.clone(), self.site.url(&request.path))
            .header(ORIGIN, &self.site.base);
        for (name, value) in &request.headers {
            asking = asking.header(*name, value);
        }
        asking = match &request.body {
            RequestBody::Nothing => asking,
            RequestBody::Json(body) => asking.json(body),
            RequestBody::Form(fields) => asking
                .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
                .body(encode_form(fields)),
            RequestBody::Text(text) => asking.header(CONTENT_TYPE, "text/csv").body(text.clone()),
        };
        let response = asking.send().await?;
        let status = response.status().as_u16();
        let retry_after = response
            .headers()
            .get(RETRY_AFTER)
            .and_then(|v| v.to_str().ok()?.parse().ok());
        let bytes = response.bytes().await?;
        Ok(ServerResponse {
            status,
            body: serde_json::from_slice(&bytes).unwrap_or(Value::Null),
            retry_after,
        })
    }
}

/// Returns the local address for a browser. On Linux, all of 127.0.0.0/8 is this machine. With one
/// address, thousands of browsers would use up its ports, and wait for the operating system instead
/// of the server.
fn browser_source_ip(base: &str, seed: u64) -> Option<IpAddr> {
    let [.., third, last] = seed.to_be_bytes();
    (cfg!(target_os = "linux") && base.contains("//127.0.0.1"))
        .then(|| Ipv4Addr::new(127, 0, third, last.max(1)).into())
}

/// Encodes form fields as `a=b&c=d`. Characters outside the unreserved set are percent-encoded.
fn encode_form(fields: &[(&'static str, String)]) -> String {
    let escaped = |text: &str| {
        text.bytes().fold(String::new(), |mut out, byte| {
            if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
                out.push(char::from(byte));
            } else {
                let _ = write!(out, "%{byte:02X}");
            }
            out
        })
    };
    fields
        .iter()
        .map(|(name, value)| format!("{}={}", escaped(name), escaped(value)))
        .collect::<Vec<_>>()
        .join("&")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn form_encoding_escapes_reserved_characters() {
        let fields = [("a[b]", "x y&z".to_owned()), ("c", "ü".to_owned())];
        assert_eq!(encode_form(&fields), "a%5Bb%5D=x%20y%26z&c=%C3%BC");
    }

    #[test]
    fn json_fields_are_read_as_number_or_text() {
        let body = serde_json::json!({"a": 7, "b": "8", "c": null, "d": {"e": "x"}});
        assert_eq!(
            (
                json_number_at(&body, "/a"),
                json_number_at(&body, "/b"),
                json_number_at(&body, "/c")
            ),
            (Some(7), Some(8), None)
        );
        assert_eq!(
            (
                json_text_at(&body, "/a"),
                json_text_at(&body, "/c"),
                json_text_at(&body, "/d/e")
            ),
            ("7".into(), String::new(), "x".into())
        );
    }

    #[test]
    fn only_unavailable_server_is_retried() {
        let answer = |status| ServerResponse {
            status,
            body: Value::Null,
            retry_after: None,
        };
        assert!(
            [429, 502, 503, 504]
                .into_iter()
                .all(|status| answer(status).should_retry(CallKind::Open))
        );
        assert!(
            [200, 400, 402, 404, 409, 500]
                .into_iter()
                .all(|status| !answer(status).should_retry(CallKind::Open))
        );
        assert!(
            answer(500).should_retry(CallKind::Card),
            "the provider's page tries again by itself"
        );
    }
}
