//! One browser: its own cookies, its own impatience. Every call can be doubled and repeated, and every answer is kept.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use reqwest::Method;
use reqwest::header::{CONTENT_TYPE, ORIGIN, RETRY_AFTER};
use serde_json::Value;

use crate::latency::{Call, Heard};
use crate::plan::Dice;

/// What everybody in one run shares.
#[derive(Debug)]
pub struct Site {
    /// Scheme and authority, without a slash at the end.
    pub base: String,
    /// The same of the provider's stand-in.
    pub provider: String,
    pub started: Instant,
    /// How often each call is sent again although it was answered.
    pub retries: u32,
    /// How long one call is tried while the server is away.
    pub patience: Duration,
    pub publishable_key: String,
}

impl Site {
    pub fn now(&self) -> Duration {
        self.started.elapsed()
    }

    fn url(&self, path: &str) -> String {
        let base = if PROVIDERS.iter().any(|own| path.starts_with(own)) {
            &self.provider
        } else {
            &self.base
        };
        format!("{base}{path}")
    }
}

/// What is asked of the provider's stand-in; the mailbox beside it is the server's.
const PROVIDERS: [&str; 3] = ["/sandbox/stripe/", "/sandbox/ledger", "/sandbox/faults"];

#[derive(Clone, Debug)]
pub enum Body {
    Nothing,
    Json(Value),
    Form(Vec<(&'static str, String)>),
    /// A file's content, such as a fixture list.
    Text(String),
}

/// What is sent, so that the very same thing can be sent again.
#[derive(Clone, Debug)]
pub struct Request {
    pub method: Method,
    pub path: String,
    pub body: Body,
    /// Beyond those of every request.
    pub headers: Vec<(&'static str, String)>,
}

impl Request {
    pub fn get(path: impl Into<String>) -> Self {
        Self {
            method: Method::GET,
            path: path.into(),
            body: Body::Nothing,
            headers: Vec::new(),
        }
    }

    pub fn post(path: impl Into<String>, body: Value) -> Self {
        Self {
            method: Method::POST,
            body: Body::Json(body),
            ..Self::get(path)
        }
    }

    pub fn form(path: impl Into<String>, fields: Vec<(&'static str, String)>) -> Self {
        Self {
            method: Method::POST,
            body: Body::Form(fields),
            ..Self::get(path)
        }
    }
}

/// A whole answer. `body` is null when it was not JSON.
#[derive(Clone, Debug)]
pub struct Answer {
    pub status: u16,
    pub body: Value,
    /// Seconds, as the server asked for.
    pub retry_after: Option<f64>,
}

impl Answer {
    pub fn ok(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// A field as text; numbers are written out; empty when it is not there.
    pub fn text(&self, pointer: &str) -> String {
        text(&self.body, pointer)
    }

    /// Not an answer but a plea to come back: the server is away, starting, or overrun. The provider's own 500 is such a
    /// plea too; its page tries again.
    fn asks_to_come_back(&self, call: Call) -> bool {
        matches!(self.status, 429 | 502 | 503 | 504) || (call == Call::Card && self.status >= 500)
    }
}

/// A field of some JSON as text; numbers are written out; empty when it is not there.
pub fn text(value: &Value, pointer: &str) -> String {
    match value.pointer(pointer) {
        Some(Value::String(text)) => text.clone(),
        None | Some(Value::Null) => String::new(),
        Some(other) => other.to_string(),
    }
}

/// An integer field, written as a number or as a string.
pub fn number(value: &Value, pointer: &str) -> Option<i64> {
    match value.pointer(pointer)? {
        Value::Number(number) => number.as_i64(),
        Value::String(text) => text.parse().ok(),
        _ => None,
    }
}

pub struct Browser {
    pub site: Arc<Site>,
    http: reqwest::Client,
    dice: Mutex<Dice>,
    heard: Mutex<Vec<Heard>>,
}

impl Browser {
    pub fn open(site: Arc<Site>, seed: u64) -> Result<Self> {
        let http = reqwest::Client::builder()
            .cookie_store(true)
            .timeout(Duration::from_secs(30))
            .pool_idle_timeout(Duration::from_secs(5))
            .local_address(own_address(&site.base, seed))
            .build()
            .context("an HTTP client")?;
        Ok(Self {
            site,
            http,
            dice: Mutex::new(Dice::of(seed, 1)),
            heard: Mutex::new(Vec::new()),
        })
    }

    /// Everything this browser has heard, handed over.
    pub fn heard(&self) -> Vec<Heard> {
        std::mem::take(&mut self.heard.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub fn below(&self, bound: u64) -> u64 {
        self.dice
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .below(bound)
    }

    /// Sends it once. `None`: no answer came, and nobody knows what happened.
    pub async fn once(&self, call: Call, request: &Request) -> Option<Answer> {
        let (at, started) = (self.site.now(), Instant::now());
        let answer = self.exchange(request).await.ok();
        let status = answer.as_ref().map_or(0, |answer| answer.status);
        let heard = Heard {
            call,
            at,
            took: started.elapsed(),
            status,
        };
        self.heard
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(heard);
        answer
    }

    /// Sends it until there is a real answer, or patience ends.
    pub async fn ask(&self, call: Call, request: &Request) -> Option<Answer> {
        let give_up = Instant::now() + self.site.patience;
        let mut pause = Duration::from_millis(150);
        loop {
            let answer = self.once(call, request).await;
            if answer
                .as_ref()
                .is_some_and(|answer| !answer.asks_to_come_back(call))
                || Instant::now() >= give_up
            {
                return answer;
            }
            let wished = answer
                .and_then(|answer| answer.retry_after)
                .map(|s| Duration::from_secs_f64(s.min(3.0)));
            let jitter = Duration::from_millis(self.below(100));
            tokio::time::sleep(wished.unwrap_or(pause).max(pause) + jitter).await;
            pause = (pause * 3 / 2).min(Duration::from_secs(2));
        }
    }

    /// Sends it as an impatient person does: sometimes twice at the same moment (a double click), and then again as
    /// often as the run wants. All answers, in the order they came.
    pub async fn insist(&self, call: Call, request: &Request) -> Vec<Answer> {
        let mut answers = Vec::new();
        let mut left = self.site.retries;
        if left > 0 && self.below(3) == 0 {
            left -= 1;
            let (first, second) = tokio::join!(self.ask(call, request), self.ask(call, request));
            answers.extend(first.into_iter().chain(second));
        } else {
            answers.extend(self.ask(call, request).await);
        }
        for _ in 0..left {
            answers.extend(self.ask(call, request).await);
        }
        answers
    }

    /// Sends it and cuts the connection after a moment, answered or not.
    pub async fn cut(&self, call: Call, request: &Request, after: Duration) {
        let (at, started) = (self.site.now(), Instant::now());
        // A cut call has no answer by design, so silence is not counted here.
        if let Ok(Ok(answer)) = tokio::time::timeout(after, self.exchange(request)).await {
            let heard = Heard {
                call,
                at,
                took: started.elapsed(),
                status: answer.status,
            };
            self.heard
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(heard);
        }
    }

    async fn exchange(&self, request: &Request) -> Result<Answer, reqwest::Error> {
        let mut asking = self
            .http
            .request(request.method.clone(), self.site.url(&request.path))
            .header(ORIGIN, &self.site.base);
        for (name, value) in &request.headers {
            asking = asking.header(*name, value);
        }
        asking = match &request.body {
            Body::Nothing => asking,
            Body::Json(body) => asking.json(body),
            Body::Form(fields) => asking
                .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
                .body(encode_form(fields)),
            Body::Text(text) => asking.header(CONTENT_TYPE, "text/csv").body(text.clone()),
        };
        let response = asking.send().await?;
        let status = response.status().as_u16();
        let retry_after = response
            .headers()
            .get(RETRY_AFTER)
            .and_then(|v| v.to_str().ok()?.parse().ok());
        let bytes = response.bytes().await?;
        Ok(Answer {
            status,
            body: serde_json::from_slice(&bytes).unwrap_or(Value::Null),
            retry_after,
        })
    }
}

/// The address that a browser calls from. All of 127.0.0.0/8 is this machine, where the system knows that: from one address a
/// crowd of thousands uses up the ports it may call from, and then waits for its own system instead of for the server.
fn own_address(base: &str, seed: u64) -> Option<IpAddr> {
    let [.., third, last] = seed.to_be_bytes();
    (cfg!(target_os = "linux") && base.contains("//127.0.0.1"))
        .then(|| Ipv4Addr::new(127, 0, third, last.max(1)).into())
}

/// `a=b&c=d` with everything outside the unreserved characters escaped.
fn encode_form(fields: &[(&'static str, String)]) -> String {
    let escaped = |text: &str| {
        text.bytes().fold(String::new(), |mut out, byte| {
            if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
                out.push(char::from(byte));
            } else {
                out.push_str(&format!("%{byte:02X}"));
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
    fn a_form_survives_brackets_spaces_and_umlauts() {
        let fields = [("a[b]", "x y&z".to_owned()), ("c", "ü".to_owned())];
        assert_eq!(encode_form(&fields), "a%5Bb%5D=x%20y%26z&c=%C3%BC");
    }

    #[test]
    fn fields_are_read_whether_they_are_numbers_or_text() {
        let body = serde_json::json!({"a": 7, "b": "8", "c": null, "d": {"e": "x"}});
        assert_eq!(
            (
                number(&body, "/a"),
                number(&body, "/b"),
                number(&body, "/c")
            ),
            (Some(7), Some(8), None)
        );
        assert_eq!(
            (text(&body, "/a"), text(&body, "/c"), text(&body, "/d/e")),
            ("7".into(), String::new(), "x".into())
        );
    }

    #[test]
    fn only_a_busy_or_missing_server_is_asked_again() {
        let answer = |status| Answer {
            status,
            body: Value::Null,
            retry_after: None,
        };
        assert!(
            [429, 502, 503, 504]
                .into_iter()
                .all(|status| answer(status).asks_to_come_back(Call::Open))
        );
        assert!(
            [200, 400, 402, 404, 409, 500]
                .into_iter()
                .all(|status| !answer(status).asks_to_come_back(Call::Open))
        );
        assert!(
            answer(500).asks_to_come_back(Call::Card),
            "the provider's page tries again by itself"
        );
    }
}
