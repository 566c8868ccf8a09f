//! One person with one browser, who goes to the other node when one does not answer or asks to come back: what a load balancer
//! and a page's own retries come to together.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use reqwest::header::{COOKIE, SET_COOKIE};
use reqwest::{Method, Response};
use serde_json::{Value, json};

/// Where nodes and provider are.
#[derive(Clone, Debug)]
pub struct Place {
    pub nodes: Vec<String>,
    pub provider: String,
}

pub struct Shopper {
    nodes: Vec<String>,
    provider: String,
    http: reqwest::Client,
    /// The session's cookie. Behind a balancer all nodes have one name, and a browser brings to each what another gave it.
    cookie: Mutex<Option<String>>,
}

/// What an answer that is none means: the next node is asked.
const AWAY: Duration = Duration::from_millis(20);
/// As every 503 says.
const AGAIN: Duration = Duration::from_secs(1);
/// A node that hangs is given up after this long, as a balancer's checks would.
const SILENCE: Duration = Duration::from_secs(2);

impl Shopper {
    pub fn new(place: &Place, nodes: &[usize]) -> Result<Shopper> {
        let http = reqwest::Client::builder().timeout(SILENCE).build()?;
        let nodes = nodes
            .iter()
            .map(|node| place.nodes[*node].clone())
            .collect();
        Ok(Shopper {
            nodes,
            provider: place.provider.clone(),
            http,
            cookie: Mutex::default(),
        })
    }

    fn cookie(&self) -> MutexGuard<'_, Option<String>> {
        self.cookie.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The first cookie it was given stays its own.
    fn keeps(&self, answer: &Response) {
        let given = answer
            .headers()
            .get(SET_COOKIE)
            .and_then(|given| given.to_str().ok());
        if let Some(given) = given.and_then(|given| given.split(';').next()) {
            self.cookie().get_or_insert_with(|| given.to_owned());
        }
    }

    async fn ask(
        &self,
        method: Method,
        path: &str,
        body: &Value,
        until: Instant,
    ) -> Result<(u16, Value)> {
        let mut last = String::new();
        for turn in 0.. {
            let url = format!("{}{path}", self.nodes[turn % self.nodes.len()]);
            let asked = self.http.request(method.clone(), url).json(body);
            let cookie = self.cookie().clone();
            let asked = if let Some(cookie) = cookie {
                asked.header(COOKIE, cookie)
            } else {
                asked
            };
            match asked.send().await {
                // Ours all come from one address, for which there are limits: a page waits, too.
                Ok(answer) if !matches!(answer.status().as_u16(), 429 | 502..=504) => {
                    self.keeps(&answer);
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
            // A balancer goes to the next at once; when nobody had an answer, the page asks again in a moment.
            tokio::time::sleep(if (turn + 1).is_multiple_of(self.nodes.len()) {
                AGAIN
            } else {
                AWAY
            })
            .await;
        }
        bail!("patience ended at {path}: {last}")
    }

    /// Opens a payment for one ticket; `None`: the draw has none left.
    async fn opens(&self, draw: i64, until: Instant) -> Result<Option<Value>> {
        // As a page does: it brings the cookie that tells one browser from another.
        self.ask(Method::GET, "/api/config", &Value::Null, until)
            .await?;
        let buyer = json!({ "buyerName": "Ann", "buyerEmail": "ann@buyer.test", "buyerPhone": "0400 000 001" });
        let body = json!({ "drawNumber": draw, "ticketCount": 1, "buyer": buyer });
        match self
            .ask(Method::POST, "/api/create-payment-intent", &body, until)
            .await?
        {
            (200, opened) => Ok(Some(opened)),
            (409, said) if said["code"] == "tickets-unavailable" => Ok(None),
            (status, said) => bail!("opening a payment: {status} {said}"),
        }
    }

    async fn leaves(&self, opened: &Value, until: Instant) -> Result<()> {
        let path = format!(
            "/api/reservations/{}",
            opened["reservationId"].as_str().unwrap_or_default()
        );
        match self.ask(Method::DELETE, &path, &json!({}), until).await? {
            (200..300, _) => Ok(()),
            (status, said) => bail!("leaving: {status} {said}"),
        }
    }

    /// Reserves a ticket and lets it go: two commits of the draw. Answers a revision that both have made.
    pub async fn touches(&self, draw: i64, patience: Duration) -> Result<u64> {
        let until = Instant::now() + patience;
        let opened = self
            .opens(draw, until)
            .await?
            .context("the probe's draw is sold out")?;
        let (_, shown) = self
            .ask(
                Method::GET,
                &format!("/api/draws/{draw}"),
                &json!({}),
                until,
            )
            .await?;
        self.leaves(&opened, until).await?;
        shown["revision"]
            .as_u64()
            .ok_or_else(|| anyhow!("no revision in {shown}"))
    }

    /// Every fourth goes through with it; the others look and leave, so that the draws last.
    pub async fn shops(&self, draw: i64, turn: usize, patience: Duration) -> Result<()> {
        let until = Instant::now() + patience;
        let Some(opened) = self.opens(draw, until).await? else {
            return Ok(());
        };
        if turn.is_multiple_of(4) {
            self.pays(draw, &opened, until).await
        } else {
            self.leaves(&opened, until).await
        }
    }

    async fn pays(&self, draw: i64, opened: &Value, until: Instant) -> Result<()> {
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
                .ask(Method::POST, "/api/purchase-tickets", &body, until)
                .await?;
            match done["status"].as_str() {
                Some("succeeded") => return Ok(()),
                Some("processing") if Instant::now() < until => {
                    tokio::time::sleep(Duration::from_millis(100)).await
                }
                _ => bail!("finishing: {status} {done}"),
            }
        }
    }
}
