//! Complete purchases of one ticket each, with the calls that the web page makes: create the
//! payment intent, authorise it at the sandbox, complete the payment.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::http_connection::HttpConnection;
use crate::browser::json_text_at;
use crate::latency::duration_ms;
use crate::provider::GOOD_CARD;

/// Number of tickets in a draw, and so the maximum number of one-ticket purchases in it.
pub const TICKETS_PER_DRAW: usize = 169;
/// Maximum number of attempts while the server answers 503 or 429.
const BUSY_TRIES_MAX: u32 = 40;
const RETRY_PAUSE: Duration = Duration::from_millis(50);
const JSON_CONTENT_TYPE: &str = "application/json";
const FORM_CONTENT_TYPE: &str = "application/x-www-form-urlencoded";
const INTENTS_PATH: &str = "/sandbox/stripe/v1/payment_intents";
/// Secret key for the sandbox, which accepts every test key and every account.
const SECRET_KEY: &str = "sk_test_bench";
const BENCH_ACCOUNT: &str = "acct_bench";

/// Assigns a draw to each purchase of a sale. `hot` draws are on sale at a time. No draw gets more
/// purchases than it has tickets.
pub struct Sale {
    draws: Vec<i64>,
    hot: usize,
    purchases: usize,
    next: AtomicUsize,
}

impl Sale {
    pub fn new(draws: Vec<i64>, hot: usize, purchases: usize) -> Arc<Self> {
        assert!(
            draws.len() >= draws_needed(hot, purchases),
            "more purchases than tickets"
        );
        Arc::new(Self {
            draws,
            hot,
            purchases,
            next: AtomicUsize::new(0),
        })
    }

    /// Returns the draw for the next purchase, or `None` when the sale is over.
    pub fn next_draw(&self) -> Option<i64> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let wave = number / (TICKETS_PER_DRAW * self.hot);
        (number < self.purchases).then(|| self.draws[wave * self.hot + number % self.hot])
    }
}

/// Returns how many draws are needed for this many purchases if `hot` draws are on sale at a time.
pub fn draws_needed(hot: usize, purchases: usize) -> usize {
    purchases.div_ceil(TICKETS_PER_DRAW * hot) * hot
}

/// The result of a sale: purchases per second, and the duration of each purchase in milliseconds.
pub struct SaleResult {
    pub per_second: f64,
    pub took_ms: Vec<f64>,
}

/// Runs a sale. `shoppers` connections call `buy` until the sale is over.
pub async fn run_sale<B>(
    authority: &str,
    shoppers: usize,
    sale: Arc<Sale>,
    buy: B,
) -> Result<SaleResult>
where
    B: PurchaseClient,
{
    let mut connections = Vec::with_capacity(shoppers);
    for _ in 0..shoppers {
        connections.push(HttpConnection::open(authority).await?);
    }
    let started_at = Instant::now();
    let mut shopping = JoinSet::new();
    for mut connection in connections {
        let (sale, buy) = (Arc::clone(&sale), buy.clone());
        shopping.spawn(async move {
            let mut took = Vec::new();
            while let Some(draw) = sale.next_draw() {
                let started_at = Instant::now();
                buy.buy(&mut connection, draw).await?;
                took.push(duration_ms(started_at.elapsed()));
            }
            anyhow::Ok(took)
        });
    }
    let mut took_ms = Vec::new();
    while let Some(took) = shopping.join_next().await {
        took_ms.extend(took??);
    }
    Ok(SaleResult {
        per_second: took_ms.len() as f64 / started_at.elapsed().as_secs_f64(),
        took_ms,
    })
}

/// A client that buys one ticket in its own way.
pub trait PurchaseClient: Clone + Send + 'static {
    fn buy(
        &self,
        connection: &mut HttpConnection,
        draw: i64,
    ) -> impl Future<Output = Result<()>> + Send;
}

/// Buys from the product's server with three calls. After the last, the payment is captured.
#[derive(Clone)]
pub struct ProductClient {
    pub publishable_key: String,
    /// Number of tickets in each purchase.
    pub count: usize,
}

impl PurchaseClient for ProductClient {
    async fn buy(&self, connection: &mut HttpConnection, draw: i64) -> Result<()> {
        if self.try_purchase(connection, draw).await? {
            Ok(())
        } else {
            bail!("draw {draw} had no ticket left")
        }
    }
}

impl ProductClient {
    /// Returns the path and body of the request that creates a payment intent.
    pub fn create_intent_request(&self, draw: i64) -> (&'static str, String) {
        (
            "/api/create-payment-intent",
            json!({ "drawNumber": draw, "ticketCount": self.count, "buyer": buyer_details() })
                .to_string(),
        )
    }

    /// Buys tickets. Returns `false` when the draw has too few left, which is a final answer.
    pub async fn try_purchase(&self, connection: &mut HttpConnection, draw: i64) -> Result<bool> {
        let (path, body) = self.create_intent_request(draw);
        let (opened, cookie) =
            match request_until_not_busy(connection, path, JSON_CONTENT_TYPE, "", &body).await {
                Ok(opened) => opened,
                Err(why) if why.is::<NotEnoughTickets>() => return Ok(false),
                Err(why) => return Err(why),
            };
        let cookie = format!("cookie: {}\r\n", cookie.unwrap_or_default());
        let id = json_text_at(&opened, "/paymentIntentId");
        self.confirm_card(
            connection,
            &id,
            &json_text_at(&opened, "/clientSecret"),
            &json_text_at(&opened, "/connectedAccountId"),
        )
        .await?;
        let body = json!({ "drawNumber": draw, "ticketCount": self.count, "paymentIntentId": id, "buyer": buyer_details() });
        let (done, _) = request_until_not_busy(
            connection,
            "/api/complete-card-payment",
            JSON_CONTENT_TYPE,
            &cookie,
            &body.to_string(),
        )
        .await?;
        match json_text_at(&done, "/status").as_str() {
            "succeeded" => Ok(true),
            other => bail!("a purchase of draw {draw} ended as {other}: {done}"),
        }
    }

    /// Makes only the provider's calls of a purchase: creates, authorises and captures a payment
    /// intent, without webhooks.
    pub async fn pay_at_provider(&self, connection: &mut HttpConnection) -> Result<()> {
        let headers =
            format!("authorization: Bearer {SECRET_KEY}\r\nstripe-account: {BENCH_ACCOUNT}\r\n");
        let create_intent_request =
            "amount=500&currency=aud&capture_method=manual&allowed_payment_method_types[]=card";
        let (made, _) = request_until_not_busy(
            connection,
            INTENTS_PATH,
            FORM_CONTENT_TYPE,
            &headers,
            create_intent_request,
        )
        .await?;
        let id = json_text_at(&made, "/id");
        self.confirm_card(
            connection,
            &id,
            &json_text_at(&made, "/client_secret"),
            BENCH_ACCOUNT,
        )
        .await?;
        let (taken, _) = request_until_not_busy(
            connection,
            &format!("{INTENTS_PATH}/{id}/capture"),
            FORM_CONTENT_TYPE,
            &headers,
            "",
        )
        .await?;
        ensure!(
            json_text_at(&taken, "/status") == "succeeded",
            "the payment at the provider ended as {taken}"
        );
        Ok(())
    }

    async fn confirm_card(
        &self,
        connection: &mut HttpConnection,
        intent: &str,
        secret: &str,
        account: &str,
    ) -> Result<()> {
        let headers = format!(
            "authorization: Bearer {}\r\nstripe-account: {account}\r\n",
            self.publishable_key
        );
        let card = format!("client_secret={secret}&payment_method={GOOD_CARD}");
        request_until_not_busy(
            connection,
            &format!("{INTENTS_PATH}/{intent}/confirm"),
            FORM_CONTENT_TYPE,
            &headers,
            &card,
        )
        .await
        .map(drop)
    }
}

fn buyer_details() -> Value {
    json!({ "buyerName": "Bench", "buyerEmail": "bench@crowd.test", "buyerPhone": "0400000000" })
}

/// Error for a response with status 409: the draw has too few tickets left.
#[derive(Debug)]
struct NotEnoughTickets;

impl std::fmt::Display for NotEnoughTickets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("refused")
    }
}

impl std::error::Error for NotEnoughTickets {}

/// Buys from the rival's handler, which locks the draw's row and calls no provider.
#[derive(Clone)]
pub struct RowLockClient;

impl PurchaseClient for RowLockClient {
    async fn buy(&self, connection: &mut HttpConnection, draw: i64) -> Result<()> {
        request_until_not_busy(
            connection,
            &format!("/locked/{draw}"),
            JSON_CONTENT_TYPE,
            "",
            "",
        )
        .await
        .map(drop)
    }
}

/// Repeats a request while the server is busy. Returns the parsed body and the session cookie of
/// the final response.
async fn request_until_not_busy(
    connection: &mut HttpConnection,
    path: &str,
    kind: &str,
    headers: &str,
    body: &str,
) -> Result<(Value, Option<String>)> {
    let request = connection.build_post_request(path, kind, headers, body);
    for _ in 0..BUSY_TRIES_MAX {
        let reply = connection
            .send_request(&request)
            .await
            .with_context(|| path.to_owned())?;
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
            409 => return Err(NotEnoughTickets.into()),
            status => bail!(
                "{path} answered {status}: {}",
                String::from_utf8_lossy(reply.body)
            ),
        }
        tokio::time::sleep(RETRY_PAUSE).await;
    }
    bail!("{path} was busy {BUSY_TRIES_MAX} times")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn sale_interleaves_draws_and_never_oversells_one() {
        for (hot, purchases) in [(1, 400), (20, 3_380), (300, 3_380)] {
            let sale = Sale::new((1..=1_000).collect(), hot, purchases);
            let draws_sold: Vec<i64> = std::iter::from_fn(|| sale.next_draw()).collect();
            assert_eq!(draws_sold.len(), purchases);
            let mut counts: BTreeMap<i64, usize> = BTreeMap::new();
            for draw in &draws_sold {
                *counts.entry(*draw).or_default() += 1;
            }
            assert!(counts.values().all(|count| *count <= TICKETS_PER_DRAW));
            assert!(counts.len() <= draws_needed(hot, purchases));
            assert_eq!(
                draws_sold[..hot]
                    .iter()
                    .collect::<std::collections::BTreeSet<_>>()
                    .len(),
                hot
            );
        }
    }
}
