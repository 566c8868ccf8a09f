//! A buyer who switches to the other node when a node does not answer or is unavailable. In
//! production, a load balancer and the retries of the web page do this.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use reqwest::header::{COOKIE, SET_COOKIE};
use reqwest::{Method, Response};
use serde_json::{Value, json};

/// The addresses of all nodes and of the provider.
#[derive(Clone, Debug)]
pub struct NodeAddresses {
    pub nodes: Vec<String>,
    pub provider: String,
}

pub struct FailoverBuyer {
    nodes: Vec<String>,
    provider: String,
    http: reqwest::Client,
    /// The session cookie. All nodes use the same cookie name, as behind a load balancer. So a node
    /// may get a cookie that another node has set.
    cookie: Mutex<Option<String>>,
}

/// Pause between a failed node and the next.
const NEXT_NODE_PAUSE: Duration = Duration::from_millis(20);
/// Pause after all nodes have failed. It equals the `Retry-After` of the server's 503.
const RETRY_PAUSE: Duration = Duration::from_secs(1);
/// Time limit of one request. A load balancer has a similar limit.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(2);

impl FailoverBuyer {
    pub fn new(addresses: &NodeAddresses, nodes: &[usize]) -> Result<FailoverBuyer> {
        let http = reqwest::Client::builder()
            .timeout(REQUEST_TIMEOUT)
            .build()?;
        let nodes = nodes
            .iter()
            .map(|node| addresses.nodes[*node].clone())
            .collect();
        Ok(FailoverBuyer {
            nodes,
            provider: addresses.provider.clone(),
            http,
            cookie: Mutex::default(),
        })
    }

    fn cookie(&self) -> MutexGuard<'_, Option<String>> {
        self.cookie.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stores the first session cookie that a server sets, and ignores later ones.
    fn store_cookie(&self, answer: &Response) {
        let set_cookie = answer
            .headers()
            .get(SET_COOKIE)
            .and_then(|set_cookie| set_cookie.to_str().ok());
        if let Some(set_cookie) = set_cookie.and_then(|set_cookie| set_cookie.split(';').next()) {
            self.cookie().get_or_insert_with(|| set_cookie.to_owned());
        }
    }

    async fn request_any_node(
        &self,
        method: Method,
        path: &str,
        body: &Value,
        until: Instant,
    ) -> Result<(u16, Value)> {
        let mut last = String::new();
        for turn in 0.. {
            let url = format!("{}{path}", self.nodes[turn % self.nodes.len()]);
            let request = self.http.request(method.clone(), url).json(body);
            let cookie = self.cookie().clone();
            let request = if let Some(cookie) = cookie {
                request.header(COOKIE, cookie)
            } else {
                request
            };
            match request.send().await {
                // Responses 429 and 502 to 504 are tried again. 429 occurs because all buyers share
                // one address, whose rate is limited.
                Ok(answer) if !matches!(answer.status().as_u16(), 429 | 502..=504) => {
                    self.store_cookie(&answer);
                    let (status, text) = (
                        answer.status().as_u16(),
                        answer.text().await.unwrap_or_default(),
                    );
                    return Ok((
                        status,
                        serde_json::from_str(&text).unwrap_or(Value::String(text)),
                    ));
                }
                Ok(answer) => last = answer.status().to_string(),
                Err(why) => last = why.to_string(),
            }
            if Instant::now() >= until {
                break;
            }
            // A load balancer tries the next node at once. When all nodes have failed, the web page
            // waits before its next try.
            tokio::time::sleep(if (turn + 1).is_multiple_of(self.nodes.len()) {
                RETRY_PAUSE
            } else {
                NEXT_NODE_PAUSE
            })
            .await;
        }
        bail!("gave up on {path}: {last}")
    }

    /// Opens a payment for one ticket. Returns `None` when the draw has no free ticket.
    async fn open_payment(&self, draw: i64, until: Instant) -> Result<Option<Value>> {
        // This request fetches the cookie that identifies the browser, as the web page does.
        self.request_any_node(Method::GET, "/api/config", &Value::Null, until)
            .await?;
        let buyer = json!({ "buyerName": "Ann", "buyerEmail": "ann@buyer.test", "buyerPhone": "0400 000 001" });
        let body = json!({ "drawNumber": draw, "ticketCount": 1, "buyer": buyer });
        match self
            .request_any_node(Method::POST, "/api/create-payment-intent", &body, until)
            .await?
        {
            (200, opened) => Ok(Some(opened)),
            (409, answer) if answer["code"] == "tickets-unavailable" => Ok(None),
            (status, answer) => bail!("opening a payment: {status} {answer}"),
        }
    }

    async fn release_payment(&self, opened: &Value, until: Instant) -> Result<()> {
        let path = format!(
            "/api/reservations/{}",
            opened["reservationId"].as_str().unwrap_or_default()
        );
        match self
            .request_any_node(Method::DELETE, &path, &json!({}), until)
            .await?
        {
            (200..300, _) => Ok(()),
            (status, answer) => bail!("leaving: {status} {answer}"),
        }
    }

    /// Reserves a ticket and releases it. Both are commits of the draw. Returns a revision of the
    /// draw that includes both.
    pub async fn reserve_and_release(&self, draw: i64, retry_timeout: Duration) -> Result<u64> {
        let until = Instant::now() + retry_timeout;
        let opened = self
            .open_payment(draw, until)
            .await?
            .context("the probe's draw is sold out")?;
        let (_, shown) = self
            .request_any_node(
                Method::GET,
                &format!("/api/draws/{draw}"),
                &json!({}),
                until,
            )
            .await?;
        self.release_payment(&opened, until).await?;
        shown["revision"]
            .as_u64()
            .ok_or_else(|| anyhow!("no revision in {shown}"))
    }

    /// Completes every fourth purchase and releases the others, so that the draws do not sell out.
    pub async fn buy_or_release(
        &self,
        draw: i64,
        turn: usize,
        retry_timeout: Duration,
    ) -> Result<()> {
        let until = Instant::now() + retry_timeout;
        let Some(opened) = self.open_payment(draw, until).await? else {
            return Ok(());
        };
        if turn.is_multiple_of(4) {
            self.complete_payment(draw, &opened, until).await
        } else {
            self.release_payment(&opened, until).await
        }
    }

    async fn complete_payment(&self, draw: i64, opened: &Value, until: Instant) -> Result<()> {
        let text = |name: &str| opened[name].as_str().unwrap_or_default().to_owned();
        let url = format!(
            "{}/sandbox/stripe/v1/payment_intents/{}/confirm",
            self.provider,
            text("paymentIntentId")
        );
        let form = format!(
            "payment_method=pm_card_visa&client_secret={}",
            text("clientSecret")
        );
        let confirm = self
            .http
            .post(url)
            .header("authorization", "Bearer pk_test_x")
            .header("stripe-account", text("connectedAccountId"));
        let confirm = confirm
            .header("content-type", "application/x-www-form-urlencoded")
            .body(form)
            .send()
            .await?;
        anyhow::ensure!(
            confirm.status().is_success(),
            "the card: {}",
            confirm.text().await?
        );
        let buyer = json!({ "buyerName": "Ann", "buyerEmail": "ann@buyer.test", "buyerPhone": "0400 000 001" });
        let body = json!({
            "drawNumber": draw, "ticketCount": 1, "buyer": buyer, "paymentIntentId": text("paymentIntentId"),
            "ageConfirmation": true, "termsAgreement": true,
        });
        loop {
            let (status, done) = self
                .request_any_node(Method::POST, "/api/purchase-tickets", &body, until)
                .await?;
            match done["status"].as_str() {
                Some("succeeded") => return Ok(()),
                Some("processing") if Instant::now() < until => {
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
                _ => bail!("finishing: {status} {done}"),
            }
        }
    }
}
