//! The provider's notices, a thousand a second, told whether or not we keep up: it says once more what became of each payment of a
//! sale. Each must be answered at once and stored once; what it means is found out behind the answer.

use std::sync::Arc;
use std::time::{Duration, Instant};

use actors::payment::signature;
use actors::{Clock, SystemClock};
use anyhow::{Context, Result, ensure};
use persistence::auditor::{Auditor, OrderMoney};
use serde_json::json;
use server::config::DEMO_WEBHOOK_SECRET;
use tokio::task::JoinSet;

use super::Place;
use super::contest::{Better, Contest};
use super::line::Line;
use super::{purchases, shopper};
use crate::fresh;
use crate::latency::{Percentiles, millis};

/// What comes, and how long the provider waits for an answer at most (reliability.md, F21).
const A_SECOND: u32 = 1_000;
const P99_MS_MAX: f64 = 50.0;
/// Lines that the provider has to us.
const LINES: usize = 64;
const HANDLED_WITHIN: Duration = Duration::from_secs(60);
const LOOK: Duration = Duration::from_millis(50);

impl Place<'_> {
    pub(super) async fn notices(&self) -> Result<Vec<Contest>> {
        let draw = fresh::draws(&self.house.site, "Noticed", 1)
            .await?
            .pop()
            .context("a draw to sell")?;
        shopper::sell(
            &self.ours,
            self.bench.buyers,
            purchases::whole_draw(draw),
            self.buys(1),
        )
        .await?;
        let auditor = Auditor::open(&self.database).await?;
        let payments: Vec<OrderMoney> = auditor
            .orders()
            .await?
            .into_iter()
            .filter(|order| order.is_taken)
            .collect();
        let payments = Arc::new(payments);
        let what = format!("{A_SECOND} notices a second");
        let mut wait = Contest::alone(
            format!("{what}: p99 of the answer"),
            "ms",
            Better::Less,
            P99_MS_MAX,
        );
        let mut behind = Contest::new(
            format!("{what}: the last is handled after"),
            "ms",
            "",
            Better::Less,
        );
        for round in 0..self.bench.rounds {
            self.meter.calm().await?;
            let told = Told {
                round,
                payments: payments.clone(),
                seconds: self.bench.seconds.max(2) as u32,
            };
            wait.figure(Percentiles::of(told.tell_all(&self.ours).await?).p99);
            let last = Instant::now();
            loop {
                let (stored, handled) = auditor.notices(&told.prefix()).await?;
                ensure!(
                    stored == i64::from(told.count()),
                    "{} were told, {stored} are stored",
                    told.count()
                );
                if handled == stored {
                    break;
                }
                ensure!(
                    last.elapsed() < HANDLED_WITHIN,
                    "{handled} of {stored} notices are handled"
                );
                tokio::time::sleep(LOOK).await;
            }
            behind.figure(millis(last.elapsed()));
        }
        Ok(vec![wait, behind])
    }
}

/// One round of notices.
#[derive(Clone)]
struct Told {
    round: usize,
    payments: Arc<Vec<OrderMoney>>,
    seconds: u32,
}

impl Told {
    fn count(&self) -> u32 {
        A_SECOND * self.seconds
    }

    fn prefix(&self) -> String {
        format!("evt_bench_{}_", self.round)
    }

    /// Gives how long each waited for its answer in milliseconds, from when it was due.
    async fn tell_all(&self, authority: &str) -> Result<Vec<f64>> {
        let mut lines = Vec::with_capacity(LINES);
        for _ in 0..LINES {
            lines.push(Line::open(authority).await?);
        }
        let (began, mut telling) = (Instant::now(), JoinSet::new());
        for (first, mut line) in lines.into_iter().enumerate() {
            let told = self.clone();
            telling.spawn(async move {
                let mut waited = Vec::new();
                for number in (first as u32..told.count()).step_by(LINES) {
                    let due = began + Duration::from_secs(1) * number / A_SECOND;
                    tokio::time::sleep_until(due.into()).await;
                    let request = told.notice(number, &line);
                    let status = line.ask(&request).await?.status;
                    ensure!(status == 200, "a notice was answered {status}");
                    waited.push(millis(due.elapsed()));
                }
                Ok(waited)
            });
        }
        let mut waited = Vec::new();
        while let Some(line) = telling.join_next().await {
            waited.extend(line??);
        }
        Ok(waited)
    }

    fn notice(&self, number: u32, line: &Line) -> Vec<u8> {
        let payment = &self.payments[number as usize % self.payments.len()];
        let body = json!({
            "id": format!("{}{number}", self.prefix()), "object": "event", "livemode": false,
            "type": "payment_intent.succeeded", "account": payment.account,
            "data": { "object": { "object": "payment_intent", "id": payment.payment_intent } },
        });
        let body = body.to_string();
        let signed = signature::sign(body.as_bytes(), DEMO_WEBHOOK_SECRET, SystemClock.now());
        line.post(
            "/api/stripe/webhook",
            "application/json",
            &format!("stripe-signature: {signed}\r\n"),
            &body,
        )
    }
}
