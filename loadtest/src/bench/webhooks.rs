//! Sends a thousand webhooks per second at a fixed rate, even if the server is slower. The server
//! must answer each at once and store each once. It handles the webhooks after its answer.

use std::sync::Arc;
use std::time::{Duration, Instant};

use actors::payments::signature;
use actors::{Clock, SystemClock};
use anyhow::{Context, Result, ensure};
use persistence::auditor::{Auditor, OrderAmounts};
use serde_json::json;
use server::config::DEMO_WEBHOOK_SECRET;
use tokio::task::JoinSet;

use super::BenchContext;
use super::comparison::{BetterDirection, Comparison};
use super::http_connection::HttpConnection;
use super::{purchase_client, purchases};
use crate::draw_creation;
use crate::latency::{Percentiles, duration_ms};

/// Number of webhooks sent per second (reliability.md, fault F21).
const WEBHOOKS_PER_SECOND: u32 = 1_000;
/// Maximum of the 99th percentile of the time until an answer, in milliseconds (reliability.md,
/// fault F21).
const ANSWER_P99_MS_MAX: f64 = 50.0;
/// Number of connections that send webhooks.
const CONNECTION_COUNT: usize = 64;
const WEBHOOK_HANDLING_TIMEOUT: Duration = Duration::from_secs(60);
const POLL_INTERVAL: Duration = Duration::from_millis(50);

impl BenchContext<'_> {
    pub(super) async fn measure_webhooks(&self) -> Result<Vec<Comparison>> {
        let draw = draw_creation::create_test_draws(&self.test_run.site, "Noticed", 1)
            .await?
            .pop()
            .context("a draw to sell")?;
        purchase_client::run_sale(
            &self.product_address,
            self.bench.buyers,
            purchases::sale_of_whole_draw(draw),
            self.product_client(1),
        )
        .await?;
        let auditor = Auditor::open(&self.database).await?;
        let payments: Vec<OrderAmounts> = auditor
            .order_amounts()
            .await?
            .into_iter()
            .filter(|order| order.is_taken)
            .collect();
        let payments = Arc::new(payments);
        let what = format!("{WEBHOOKS_PER_SECOND} notices a second");
        let mut wait = Comparison::with_fixed_goal(
            format!("{what}: p99 of the answer"),
            "ms",
            BetterDirection::Lower,
            ANSWER_P99_MS_MAX,
        );
        let mut behind = Comparison::new(
            format!("{what}: the last is handled after"),
            "ms",
            "",
            BetterDirection::Lower,
        );
        for round in 0..self.bench.rounds {
            self.meter.wait_until_idle().await?;
            let burst = WebhookBurst {
                round,
                payments: payments.clone(),
                seconds: self.bench.seconds.max(2) as u32,
            };
            wait.add_product_figure(
                Percentiles::of_sample(burst.send_all(&self.product_address).await?).p99,
            );
            let last = Instant::now();
            loop {
                let (stored, handled) = auditor
                    .count_stored_and_handled_webhooks(&burst.event_id_prefix())
                    .await?;
                ensure!(
                    stored == i64::from(burst.event_count()),
                    "{} webhooks were sent, {stored} are stored",
                    burst.event_count()
                );
                if handled == stored {
                    break;
                }
                ensure!(
                    last.elapsed() < WEBHOOK_HANDLING_TIMEOUT,
                    "{handled} of {stored} webhooks are handled"
                );
                tokio::time::sleep(POLL_INTERVAL).await;
            }
            behind.add_product_figure(duration_ms(last.elapsed()));
        }
        Ok(vec![wait, behind])
    }
}

/// The webhooks that are sent in one round.
#[derive(Clone)]
struct WebhookBurst {
    round: usize,
    payments: Arc<Vec<OrderAmounts>>,
    seconds: u32,
}

impl WebhookBurst {
    fn event_count(&self) -> u32 {
        WEBHOOKS_PER_SECOND * self.seconds
    }

    fn event_id_prefix(&self) -> String {
        format!("evt_bench_{}_", self.round)
    }

    /// Sends each webhook at its due time. Returns for each the milliseconds from its due time to
    /// its answer.
    async fn send_all(&self, authority: &str) -> Result<Vec<f64>> {
        let mut connections = Vec::with_capacity(CONNECTION_COUNT);
        for _ in 0..CONNECTION_COUNT {
            connections.push(HttpConnection::open(authority).await?);
        }
        let (started_at, mut senders) = (Instant::now(), JoinSet::new());
        for (first, mut connection) in connections.into_iter().enumerate() {
            let burst = self.clone();
            senders.spawn(async move {
                let mut waited = Vec::new();
                for number in (first as u32..burst.event_count()).step_by(CONNECTION_COUNT) {
                    let due = started_at + Duration::from_secs(1) * number / WEBHOOKS_PER_SECOND;
                    tokio::time::sleep_until(due.into()).await;
                    let request = burst.webhook_request(number, &connection);
                    let status = connection.send_request(&request).await?.status;
                    ensure!(status == 200, "a webhook was answered {status}");
                    waited.push(duration_ms(due.elapsed()));
                }
                Ok(waited)
            });
        }
        let mut waited = Vec::new();
        while let Some(connection) = senders.join_next().await {
            waited.extend(connection??);
        }
        Ok(waited)
    }

    fn webhook_request(&self, number: u32, connection: &HttpConnection) -> Vec<u8> {
        let payment = &self.payments[number as usize % self.payments.len()];
        let body = json!({
            "id": format!("{}{number}", self.event_id_prefix()), "object": "event", "livemode": false,
            "type": "payment_intent.succeeded", "account": payment.account,
            "data": { "object": { "object": "payment_intent", "id": payment.payment_intent } },
        });
        let body = body.to_string();
        let signed = signature::sign(body.as_bytes(), DEMO_WEBHOOK_SECRET, SystemClock.now());
        connection.build_post_request(
            "/api/stripe/webhook",
            "application/json",
            &format!("stripe-signature: {signed}\r\n"),
            &body,
        )
    }
}
