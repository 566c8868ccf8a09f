//! The browser vanishes at every moment of the finish call: the connection is reset 0, 10, 20 … milliseconds after the call was
//! sent, and the order is finished without it.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::json;
use socket2::SockRef;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use super::{Place, left};
use crate::browser::{Browser, Request};
use crate::latency::Call;
use crate::provider::{self, Payment, Said};
use crate::told::Told;

pub const STEP_MS: u64 = 10;
const STEPS: u64 = 25;
/// Beyond every number of the crowd's.
const FIRST: usize = 1_000_000;

/// Plays all of them, each by a buyer of its own; says how many there were.
pub async fn play(place: &Place, draw: i64, tolds: &mut Vec<Told>) -> Result<u64> {
    for step in 0..STEPS {
        let number = FIRST + step as usize;
        let browser = Browser::open(place.house.site.clone(), number as u64)?;
        let buyer = json!({ "buyerName": "Gone", "buyerEmail": format!("gone{step}@crowd.test"), "buyerPhone": "0400000000" });
        let body = json!({ "drawNumber": draw, "ticketCount": 1, "buyer": buyer, "clientKey": format!("gone-{step}") });
        let answer = browser
            .ask(
                Call::Open,
                &Request::post("/api/create-payment-intent", body),
            )
            .await;
        let payment = answer
            .as_ref()
            .and_then(Payment::read)
            .context("no payment")?;
        let said = provider::confirm(&browser, &payment, provider::GOOD_CARD, false).await;
        ensure!(said == Said::Authorised, "the card: {said:?}");
        let finish = json!({ "drawNumber": draw, "ticketCount": 1, "paymentIntentId": payment.payment_intent, "buyer": buyer });
        vanish(
            &place.house.site.base,
            "/api/complete-card-payment",
            &finish.to_string(),
            step * STEP_MS,
        )
        .await?;
        tolds.push(Told {
            payments: vec![payment],
            wanted: 1,
            ..left(number)
        });
    }
    Ok(STEPS)
}

async fn vanish(base: &str, path: &str, body: &str, after_ms: u64) -> Result<()> {
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
