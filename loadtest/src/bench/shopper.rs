//! Complete purchases of one ticket each, as the pages call us: create the payment intent, authorise at the sandbox, fulfil.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::line::Line;
use crate::browser::text;
use crate::latency::millis;
use crate::provider::GOOD_CARD;

/// Tickets of a draw, and so purchases that it is asked for.
pub const TICKETS: usize = 169;
/// A server that is busy says when to come again; it is asked so often.
const TRIES_MAX: u32 = 40;
const AGAIN: Duration = Duration::from_millis(50);
const JSON: &str = "application/json";
const FORM: &str = "application/x-www-form-urlencoded";
const INTENTS: &str = "/sandbox/stripe/v1/payment_intents";
/// The sandbox takes every key of this kind, and every account.
const SECRET_KEY: &str = "sk_test_bench";
const ANY_ACCOUNT: &str = "acct_bench";

/// Which draw each purchase is of: as many draws at a time as are hot, and each is asked for no more tickets than it has.
pub struct Sale {
    draws: Vec<i64>,
    hot: usize,
    purchases: usize,
    next: AtomicUsize,
}

impl Sale {
    pub fn new(draws: Vec<i64>, hot: usize, purchases: usize) -> Arc<Self> {
        assert!(
            draws.len() >= draws_for(hot, purchases),
            "more purchases than tickets"
        );
        Arc::new(Self {
            draws,
            hot,
            purchases,
            next: AtomicUsize::new(0),
        })
    }

    /// The next purchase's draw; `None` when everybody has bought.
    pub fn next(&self) -> Option<i64> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let wave = number / (TICKETS * self.hot);
        (number < self.purchases).then(|| self.draws[wave * self.hot + number % self.hot])
    }
}

/// How many draws so many purchases need when `hot` of them are on sale at a time.
pub fn draws_for(hot: usize, purchases: usize) -> usize {
    purchases.div_ceil(TICKETS * hot) * hot
}

/// How a sale went: purchases a second, and each one's milliseconds.
pub struct Sold {
    pub per_second: f64,
    pub took_ms: Vec<f64>,
}

/// Everybody buys until the sale is over. `buy` makes one purchase over the shopper's line.
pub async fn sell<B>(authority: &str, shoppers: usize, sale: Arc<Sale>, buy: B) -> Result<Sold>
where
    B: AsyncBuy,
{
    let mut lines = Vec::with_capacity(shoppers);
    for _ in 0..shoppers {
        lines.push(Line::open(authority).await?);
    }
    let began = Instant::now();
    let mut shopping = JoinSet::new();
    for mut line in lines {
        let (sale, buy) = (Arc::clone(&sale), buy.clone());
        shopping.spawn(async move {
            let mut took = Vec::new();
            while let Some(draw) = sale.next() {
                let began = Instant::now();
                buy.buy(&mut line, draw).await?;
                took.push(millis(began.elapsed()));
            }
            anyhow::Ok(took)
        });
    }
    let mut took_ms = Vec::new();
    while let Some(took) = shopping.join_next().await {
        took_ms.extend(took??);
    }
    Ok(Sold {
        per_second: took_ms.len() as f64 / began.elapsed().as_secs_f64(),
        took_ms,
    })
}

/// One purchase, whoever makes it.
pub trait AsyncBuy: Clone + Send + 'static {
    fn buy(&self, line: &mut Line, draw: i64) -> impl Future<Output = Result<()>> + Send;
}

/// Of us: three calls, and the money is taken.
#[derive(Clone)]
pub struct Ours {
    pub publishable_key: String,
    /// Tickets of each purchase.
    pub count: usize,
}

impl AsyncBuy for Ours {
    async fn buy(&self, line: &mut Line, draw: i64) -> Result<()> {
        if self.try_to_buy(line, draw).await? {
            Ok(())
        } else {
            bail!("draw {draw} had no ticket left")
        }
    }
}

impl Ours {
    /// What opening a payment sends.
    pub fn wish(&self, draw: i64) -> (&'static str, String) {
        (
            "/api/create-payment-intent",
            json!({ "drawNumber": draw, "ticketCount": self.count, "buyer": buyer() }).to_string(),
        )
    }

    /// `false`: told that there are not enough tickets, which is a final answer.
    pub async fn try_to_buy(&self, line: &mut Line, draw: i64) -> Result<bool> {
        let (path, body) = self.wish(draw);
        let (opened, cookie) = match insist(line, path, JSON, "", &body).await {
            Ok(opened) => opened,
            Err(why) if why.is::<Refused>() => return Ok(false),
            Err(why) => return Err(why),
        };
        let cookie = format!("cookie: {}\r\n", cookie.unwrap_or_default());
        let id = text(&opened, "/paymentIntentId");
        self.shows_card(
            line,
            &id,
            &text(&opened, "/clientSecret"),
            &text(&opened, "/connectedAccountId"),
        )
        .await?;
        let body = json!({ "drawNumber": draw, "ticketCount": self.count, "paymentIntentId": id, "buyer": buyer() });
        let (done, _) = insist(
            line,
            "/api/complete-card-payment",
            JSON,
            &cookie,
            &body.to_string(),
        )
        .await?;
        match text(&done, "/status").as_str() {
            "succeeded" => Ok(true),
            other => bail!("a purchase of draw {draw} came to {other}: {done}"),
        }
    }

    /// What the provider does for a purchase, at a provider that tells nobody: an intent is made, authorised and captured.
    pub async fn only_pay(&self, line: &mut Line) -> Result<()> {
        let headers =
            format!("authorization: Bearer {SECRET_KEY}\r\nstripe-account: {ANY_ACCOUNT}\r\n");
        let wish = "amount=500&currency=aud&capture_method=manual&payment_method_types[]=card";
        let (made, _) = insist(line, INTENTS, FORM, &headers, wish).await?;
        let id = text(&made, "/id");
        self.shows_card(line, &id, &text(&made, "/client_secret"), ANY_ACCOUNT)
            .await?;
        let (taken, _) =
            insist(line, &format!("{INTENTS}/{id}/capture"), FORM, &headers, "").await?;
        ensure!(
            text(&taken, "/status") == "succeeded",
            "the provider alone came to {taken}"
        );
        Ok(())
    }

    async fn shows_card(
        &self,
        line: &mut Line,
        intent: &str,
        secret: &str,
        account: &str,
    ) -> Result<()> {
        let headers = format!(
            "authorization: Bearer {}\r\nstripe-account: {account}\r\n",
            self.publishable_key
        );
        let card = format!("client_secret={secret}&payment_method={GOOD_CARD}");
        insist(
            line,
            &format!("{INTENTS}/{intent}/confirm"),
            FORM,
            &headers,
            &card,
        )
        .await
        .map(drop)
    }
}

fn buyer() -> Value {
    json!({ "buyerName": "Bench", "buyerEmail": "bench@crowd.test", "buyerPhone": "0400000000" })
}

/// 409: there are not enough tickets.
#[derive(Debug)]
struct Refused;

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("refused")
    }
}

impl std::error::Error for Refused {}

/// A handler as one would write it first, with a lock on the draw's row; it has no provider to ask.
#[derive(Clone)]
pub struct RowLock;

impl AsyncBuy for RowLock {
    async fn buy(&self, line: &mut Line, draw: i64) -> Result<()> {
        insist(line, &format!("/locked/{draw}"), JSON, "", "")
            .await
            .map(drop)
    }
}

/// Asks until the answer is no plea to come again; gives its JSON and the session's cookie.
async fn insist(
    line: &mut Line,
    path: &str,
    kind: &str,
    headers: &str,
    body: &str,
) -> Result<(Value, Option<String>)> {
    let request = line.post(path, kind, headers, body);
    for _ in 0..TRIES_MAX {
        let reply = line.ask(&request).await.with_context(|| path.to_owned())?;
        match reply.status {
            503 | 429 => {}
            200..300 => {
                let cookie = reply
                    .header("set-cookie")
                    .and_then(|cookie| cookie.split(';').next())
                    .map(String::from);
                return Ok((
                    serde_json::from_slice(reply.body).unwrap_or_default(),
                    cookie,
                ));
            }
            409 => return Err(Refused.into()),
            status => bail!(
                "{path} answered {status}: {}",
                String::from_utf8_lossy(reply.body)
            ),
        }
        tokio::time::sleep(AGAIN).await;
    }
    bail!("{path} was busy {TRIES_MAX} times")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn no_draw_is_asked_for_more_than_it_has_and_the_hot_ones_sell_together() {
        for (hot, purchases) in [(1, 400), (20, 3_380), (300, 3_380)] {
            let sale = Sale::new((1..=1_000).collect(), hot, purchases);
            let asked: Vec<i64> = std::iter::from_fn(|| sale.next()).collect();
            assert_eq!(asked.len(), purchases);
            let mut counts: BTreeMap<i64, usize> = BTreeMap::new();
            for draw in &asked {
                *counts.entry(*draw).or_default() += 1;
            }
            assert!(counts.values().all(|count| *count <= TICKETS));
            assert!(counts.len() <= draws_for(hot, purchases));
            assert_eq!(
                asked[..hot]
                    .iter()
                    .collect::<std::collections::BTreeSet<_>>()
                    .len(),
                hot
            );
        }
    }
}
