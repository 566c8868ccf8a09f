//! The operator of a season: moves the demo's clock, postpones games, and cancels one.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use reqwest::Method;
use serde_json::{Value, json};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::audit::SettledPayment;
use crate::browser::{Browser, Request, RunSettings, json_number_at, json_text_at};
use crate::club::{body_of_success, parse_cents};
use crate::latency::CallKind;

/// Maximum number of polls while a cancelled draw is refunded. After that, refunds count as stuck.
const REFUND_POLLS_MAX: usize = 60;

pub struct Operator {
    site: Arc<RunSettings>,
    browser: Browser,
}

impl Operator {
    pub fn open(site: &Arc<RunSettings>) -> Result<Self> {
        Ok(Self {
            site: Arc::clone(site),
            browser: Browser::open(Arc::clone(site), 0)?,
        })
    }

    /// Moves the demo's clock forward. Returns the new time, once all sales that end before it are
    /// closed.
    pub async fn advance_clock(&self, seconds: i64) -> Result<OffsetDateTime> {
        let request = Request::post("/sandbox/clock", json!({"advanceSeconds": seconds.max(0)}));
        let answer = self
            .browser
            .send_with_retries(CallKind::Club, &request)
            .await
            .context("moving the clock: no answer")?;
        let now = json_text_at(body_of_success(&answer, "moving the clock")?, "/now");
        OffsetDateTime::parse(&now, &Rfc3339).with_context(|| format!("the clock says {now}"))
    }

    /// Moves the demo's clock forward to an instant. Does nothing if the instant is past.
    pub async fn advance_clock_to(&self, until: OffsetDateTime) -> Result<OffsetDateTime> {
        let now = self.advance_clock(0).await?;
        if now >= until {
            Ok(now)
        } else {
            self.advance_clock((until - now).whole_seconds()).await
        }
    }

    /// Returns a browser that has just signed in, with the password and a one-time code.
    async fn sign_in(&self) -> Result<Browser> {
        let browser = Browser::open(Arc::clone(&self.site), 0)?;
        let send = async |request: Request, doing: &str| -> Result<Value> {
            let answer = browser
                .send_with_retries(CallKind::Club, &request)
                .await
                .with_context(|| format!("{doing}: no answer"))?;
            body_of_success(&answer, doing).cloned()
        };
        let login = json!({"email": "operator@demo.test", "password": "demo-password"});
        send(
            Request::post("/api/clubs/login", login),
            "logging the operator in",
        )
        .await?;
        let codes = send(
            Request::get("/sandbox/operator-code.json"),
            "reading the operator's code",
        )
        .await?;
        for code in ["/code", "/nextCode"] {
            let shown = Request::post(
                "/api/admin/totp/verify",
                json!({"code": json_text_at(&codes, code)}),
            );
            if browser
                .send_with_retries(CallKind::Club, &shown)
                .await
                .is_some_and(|answer| answer.ok())
            {
                return Ok(browser);
            }
        }
        bail!("the operator's codes were refused")
    }

    /// Moves the kick-off of some draws. Each new kick-off is a local time without seconds.
    pub async fn postpone_draws(&self, draws: &[(i64, String)]) -> Result<()> {
        let browser = self.sign_in().await?;
        for (draw, kick_off) in draws {
            let body = json!({"gameDate": kick_off, "reason": "The round is postponed."});
            let request = Request {
                method: Method::PATCH,
                ..Request::post(format!("/api/draws/{draw}"), body)
            };
            body_of_success(
                &browser
                    .send_with_retries(CallKind::Club, &request)
                    .await
                    .context("postponing: no answer")?,
                "postponing",
            )?;
        }
        Ok(())
    }

    /// Enters a buyer's address for orders that have none, because their tab was closed before the
    /// address was sent. Winners can only be notified with an address. Returns the number of such
    /// orders.
    pub async fn enter_missing_addresses(&self, settled: &[SettledPayment]) -> Result<usize> {
        let browser = self.sign_in().await?;
        let list = browser
            .send_with_retries(CallKind::Club, &Request::get("/api/admin/orphaned-tickets"))
            .await
            .context("no list")?;
        let tickets = body_of_success(&list, "listing tickets without a buyer")?
            .as_array()
            .context("the list is no list")?;
        let mut recovered = 0;
        for one in settled {
            let is_paid_by =
                |ticket: &&Value| json_text_at(ticket, "/paymentIntentId") == one.payment.intent;
            let Some(ticket) = tickets.iter().find(is_paid_by) else {
                continue;
            };
            let body = json!({
                "name": format!("Buyer {}", one.buyer),
                "email": format!("buyer{}@crowd.test", one.buyer),
            });
            let path = format!("/api/admin/tickets/{}/recover", json_text_at(ticket, "/id"));
            let request = Request {
                method: Method::PATCH,
                ..Request::post(path, body)
            };
            let answer = browser
                .send_with_retries(CallKind::Club, &request)
                .await
                .context("recovering a ticket: no answer")?;
            body_of_success(&answer, "recovering a ticket")?;
            recovered += 1;
        }
        Ok(recovered)
    }

    /// Cancels a draw and waits until every order of it is refunded. Returns the number of orders
    /// and the refunded cents.
    pub async fn cancel_draw(&self, draw: i64) -> Result<(i64, i64)> {
        let browser = self.sign_in().await?;
        let body = json!({"reason": "The game was abandoned.", "drawNumber": draw});
        let cancel = Request::post(format!("/api/admin/draws/{draw}/cancel"), body);
        body_of_success(
            &browser
                .send_with_retries(CallKind::Club, &cancel)
                .await
                .context("cancelling: no answer")?,
            "cancelling",
        )?;
        let claim_state = Request::get(format!("/api/admin/draws/{draw}/cancellation"));
        let mut last = Value::Null;
        for _ in 0..REFUND_POLLS_MAX {
            let answer = browser
                .send_with_retries(CallKind::Club, &claim_state)
                .await
                .context("the cancellation: no answer")?;
            last = body_of_success(&answer, "the cancellation")?.clone();
            let refunds =
                |state: &str| json_number_at(&last, &format!("/refunds/{state}")).unwrap_or(-1);
            if refunds("pending") == 0 && refunds("failed") == 0 && refunds("succeeded") > 0 {
                return Ok((
                    refunds("succeeded"),
                    parse_cents(&json_text_at(&last, "/refundTotal")),
                ));
            }
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        bail!("FD-{draw} is not refunded: {last}")
    }
}
