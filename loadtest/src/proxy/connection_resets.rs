//! Browsers that disappear during the completing call: their connection is reset 0, 10, 20 …
//! milliseconds after the call was sent. The server must complete each order without the browser.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::json;
use socket2::SockRef;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use super::{ProxyRun, transcript_left_after_paying};
use crate::browser::{Browser, Request};
use crate::latency::CallKind;
use crate::provider::{self, CardOutcome, Payment};
use crate::transcript::BuyerTranscript;

pub const RESET_STEP_MS: u64 = 10;
const RESET_COUNT: u64 = 25;
/// Number of the first buyer in this test. It exceeds all buyer numbers of the crowd.
const FIRST_RESET_BUYER_NUMBER: usize = 1_000_000;

/// Makes one purchase for each reset time, each with a new buyer. Returns the number of resets.
pub async fn reset_connections_during_completion(
    proxy_run: &ProxyRun,
    draw: i64,
    transcripts: &mut Vec<BuyerTranscript>,
) -> Result<u64> {
    for step in 0..RESET_COUNT {
        let number = FIRST_RESET_BUYER_NUMBER + step as usize;
        let browser = Browser::open(proxy_run.test_run.site.clone(), number as u64)?;
        let buyer = json!({ "buyerName": "Gone", "buyerEmail": format!("gone{step}@crowd.test"), "buyerPhone": "0400000000" });
        let body = json!({ "drawNumber": draw, "ticketCount": 1, "buyer": buyer, "clientKey": format!("gone-{step}") });
        let answer = browser
            .send_with_retries(
                CallKind::Open,
                &Request::post("/api/create-payment-intent", body),
            )
            .await;
        let payment = answer
            .as_ref()
            .and_then(Payment::from_open_response)
            .context("no payment")?;
        let outcome =
            provider::confirm_payment(&browser, &payment, provider::GOOD_CARD, false).await;
        ensure!(outcome == CardOutcome::Authorised, "the card: {outcome:?}");
        let finish = json!({ "drawNumber": draw, "ticketCount": 1, "paymentIntentId": payment.intent, "buyer": buyer });
        send_and_reset(
            &proxy_run.test_run.site.base,
            "/api/complete-card-payment",
            &finish.to_string(),
            step * RESET_STEP_MS,
        )
        .await?;
        transcripts.push(BuyerTranscript {
            payments: vec![payment],
            ticket_count: 1,
            ..transcript_left_after_paying(number)
        });
    }
    Ok(RESET_COUNT)
}

async fn send_and_reset(base: &str, path: &str, body: &str, after_ms: u64) -> Result<()> {
    let authority = base.trim_start_matches("http://");
    let mut stream = TcpStream::connect(authority).await?;
    stream.set_nodelay(true)?;
    let request = format!(
        "POST {path} HTTP/1.1\r\nhost: {authority}\r\norigin: {base}\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).await?;
    tokio::time::sleep(Duration::from_millis(after_ms)).await;
    SockRef::from(&stream).set_linger(Some(Duration::ZERO))?;
    Ok(())
}
