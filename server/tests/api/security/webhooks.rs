//! Webhooks with a forged signature are refused. A valid one only makes the server ask the provider
//! (decision B-1; reliability.md F13, F16-F22).

use actors::payments::signature::sign;
use domain::Timestamp;
use futures_util::{StreamExt, stream};
use reqwest::{Method, RequestBuilder};
use sandbox::faults::{Fault, Faults, WebhookFaults};
use serde_json::{Value, json};
use server::config::DEMO_WEBHOOK_SECRET;

use crate::support::server::eventually;
use crate::support::{Buyer, TestServer};

pub const WEBHOOK_SECRET: &str = DEMO_WEBHOOK_SECRET;

fn webhook_event_body(id: &str, payment_intent: &str, account: &str, kind: &str) -> String {
    json!({
        "id": id, "type": kind, "account": account, "livemode": false,
        "data": { "object": { "object": "payment_intent", "id": payment_intent, "status": "succeeded" } },
    })
    .to_string()
}

pub async fn send_webhook(browser: &Buyer, body: impl Into<reqwest::Body>, header: &str) -> u16 {
    let request = browser
        .bare_request(Method::POST, "/api/stripe/webhook")
        .header("stripe-signature", header);
    Buyer::send_request(request.body(body)).await.status
}

pub async fn count_stored_events(server: &TestServer, id: &str) -> i64 {
    server
        .database
        .query_number(
            "select count(*) from webhook_events where event_id like $1 || '%'",
            id,
        )
        .await
}

/// Returns signature headers that an attacker might send. `signed` is the valid one.
fn forged_signature_headers(signed: &str, body: &[u8], now: Timestamp) -> Vec<String> {
    let (time, signature) = signed
        .trim_start_matches("t=")
        .split_once(",v1=")
        .expect("a header");
    let half = &signature[..32];
    let mut headers = vec![
        String::new(),
        "nonsense".into(),
        format!("t={time}"),
        format!("v1={signature}"),
        format!("t=,v1={signature}"),
        format!("t={time},v1="),
        format!("t={time},v1={half}"),
        format!("t={time},v1={signature}00"),
        format!("t={time},v0={signature}"),
        format!("t={time},v2={signature}"),
        format!("t={time},v1 ={signature}x"),
        format!("t={time},t={time},v1={signature}"),
        format!("t=0{time}0,v1={signature}"),
        format!("t=-{time},v1={signature}"),
        format!("t={time}.5,v1={signature}"),
        format!("t={time},v1={}", "0".repeat(64)),
        format!("t={time},v1={}", "f".repeat(64)),
        format!(
            "t={time},v1={}",
            signature.chars().rev().collect::<String>()
        ),
        format!("t={time},v1={signature},{}", "x".repeat(5000)),
        format!("{{\"t\":{time},\"v1\":\"{signature}\"}}"),
        sign(body, "whsec_another", now),
        sign(body, "", now),
        sign(body, &WEBHOOK_SECRET.to_uppercase(), now),
        sign(&[body, b" "].concat(), WEBHOOK_SECRET, now),
        sign(&[b" ", body].concat(), WEBHOOK_SECRET, now),
        sign(b"", WEBHOOK_SECRET, now),
    ];
    // The valid signature with another time, and with one wrong digit.
    let seconds: i64 = time.parse().expect("seconds");
    headers.extend(
        (1..=20)
            .flat_map(|off| [seconds - off, seconds + off])
            .map(|t| format!("t={t},v1={signature}")),
    );
    headers.extend((0..64).map(|place| {
        let mut digits = signature.as_bytes().to_vec();
        digits[place] = if digits[place] == b'0' { b'1' } else { b'0' };
        format!("t={time},v1={}", String::from_utf8(digits).expect("digits"))
    }));
    headers
}

#[actix_web::test]
async fn forged_webhook_signature_or_changed_body_is_refused() {
    let server = TestServer::start().await;
    server.create_club("broncos").await;
    let alice = server.alice();
    let body = webhook_event_body(
        "evt_forged",
        "pi_nobody",
        "acct_broncos",
        "payment_intent.succeeded",
    );
    let now = server.now();
    let signed = sign(body.as_bytes(), WEBHOOK_SECRET, now);
    let (mut tried, mut accepted) = (0, Vec::new());
    for header in forged_signature_headers(&signed, body.as_bytes(), now) {
        tried += 1;
        if send_webhook(&alice, body.clone(), &header).await != 400 {
            accepted.push(header);
        }
    }
    for place in 0..body.len() {
        let mut changed = body.clone().into_bytes();
        changed[place] ^= 1;
        tried += 1;
        if send_webhook(&alice, changed, &signed).await != 400 {
            accepted.push(format!("byte {place}"));
        }
    }
    let (shorter, longer) = (body[..body.len() - 1].to_string(), format!("{body}\n"));
    for changed in [shorter, longer, String::new()] {
        tried += 1;
        if send_webhook(&alice, changed, &signed).await != 400 {
            accepted.push("another length".into());
        }
    }
    assert!(accepted.is_empty(), "{accepted:?}");
    assert!(tried >= 200, "{tried}");
    assert_eq!(
        count_stored_events(&server, "evt_forged").await,
        0,
        "no forged webhook is stored"
    );
    let none: RequestBuilder = alice
        .bare_request(Method::POST, "/api/webhooks/stripe")
        .body(body.clone());
    Buyer::send_request(none)
        .await
        .expect_refusal(400, "bad-signature");
    // The same body is accepted with its own signature. While a secret is replaced, the header
    // contains two signatures.
    assert_eq!(
        send_webhook(
            &alice,
            body.clone(),
            &format!("{signed},v1={}", "0".repeat(64))
        )
        .await,
        200
    );
    assert_eq!(count_stored_events(&server, "evt_forged").await, 1);
    server.finish().await;
}

#[actix_web::test]
async fn webhook_timestamp_is_accepted_within_five_minutes() {
    let server = TestServer::start().await;
    let alice = server.alice();
    for (age_seconds, status) in [
        (0, 200),
        (298, 200),
        (-298, 200),
        (302, 400),
        (-303, 400),
        (86_400, 400),
    ] {
        let body = webhook_event_body(
            &format!("evt_age_{age_seconds}"),
            "pi_nobody",
            "acct_broncos",
            "payment_intent.succeeded",
        );
        let header = sign(
            body.as_bytes(),
            WEBHOOK_SECRET,
            server.now().plus_seconds(-age_seconds),
        );
        assert_eq!(
            send_webhook(&alice, body, &header).await,
            status,
            "{age_seconds} s old"
        );
    }
    assert_eq!(
        server.state.metrics.webhooks_with_bad_timestamp(),
        3,
        "every refused webhook is counted"
    );
    server.finish().await;
}

/// Signed events with wrong content: another account, live mode, or an unknown type. The server
/// asks the provider instead, so no ticket is sold.
#[actix_web::test]
async fn signed_webhook_content_is_verified_with_provider() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    server.create_club("storm").await;
    let alice = server.alice();
    let intent = alice.open_intent(draw, 2).await;
    let kinds = [
        "payment_intent.succeeded",
        "payment_intent.canceled",
        "charge.refunded",
        "charge.dispute.created",
        "tomorrow.new",
    ];
    for (number, kind) in kinds.into_iter().enumerate() {
        let event = webhook_event_body(
            &format!("evt_lie_{number}"),
            intent.id(),
            "acct_storm",
            kind,
        );
        let header = sign(event.as_bytes(), WEBHOOK_SECRET, server.now());
        assert_eq!(send_webhook(&alice, event, &header).await, 200, "{kind}");
    }
    let live = webhook_event_body(
        "evt_live",
        intent.id(),
        "acct_broncos",
        "payment_intent.succeeded",
    )
    .replace("false", "true");
    let header = sign(live.as_bytes(), WEBHOOK_SECRET, server.now());
    assert_eq!(
        send_webhook(&alice, live, &header).await,
        200,
        "a live-mode webhook is acknowledged but not stored"
    );
    assert_eq!(count_stored_events(&server, "evt_live").await, 0);
    let unhandled =
        "select count(*) from webhook_events where handled_at is null and event_id like $1 || '%'";
    eventually("every webhook is handled", async || {
        (server.database.query_number(unhandled, "evt_lie").await == 0).then_some(())
    })
    .await;
    let order = alice.fetch_order_of(&intent).await;
    assert_eq!(
        (&order["status"], &order["lines"][0]["tickets"]),
        (&json!("requires_payment_method"), &json!([]))
    );
    // Only an event about the account itself may change the account's status.
    let account = json!({
        "id": "evt_account", "type": "account.updated", "account": "acct_storm", "livemode": false,
        "data": { "object": { "object": "account", "id": "acct_broncos", "charges_enabled": false } },
    })
    .to_string();
    let header = sign(account.as_bytes(), WEBHOOK_SECRET, server.now());
    assert_eq!(send_webhook(&alice, account, &header).await, 200);
    alice.request_intent(draw, 1).await.ok();
    server.finish().await;
}

#[actix_web::test]
async fn repeated_webhook_is_stored_once_and_oversized_one_refused() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let alice = server.alice();
    let (intent, bought) = alice.buy(draw, 2).await;
    let event = webhook_event_body(
        "evt_again",
        intent.id(),
        "acct_broncos",
        "payment_intent.succeeded",
    );
    let header = sign(event.as_bytes(), WEBHOOK_SECRET, server.now());
    for _ in 0..100 {
        assert_eq!(send_webhook(&alice, event.clone(), &header).await, 200);
    }
    assert_eq!(count_stored_events(&server, "evt_again").await, 1);
    let order: Value = alice.fetch_order_of(&intent).await;
    assert_eq!(
        order["lines"][0]["tickets"].as_array().map(Vec::len),
        bought["tickets"].as_array().map(Vec::len)
    );
    let oversized = "x".repeat(1024 * 1024);
    let header = sign(oversized.as_bytes(), WEBHOOK_SECRET, server.now());
    assert_eq!(send_webhook(&alice, oversized, &header).await, 413);
    server.finish().await;
}

/// Number of webhooks that a provider may send in a second after an outage.
const FLOOD_WEBHOOK_COUNT: usize = 1_000;
const CONCURRENT_WEBHOOK_COUNT: usize = 100;
/// Number of buyers. The webhooks are about the buyers' payments in turn.
const BUYER_COUNT: usize = 8;

/// Faults that lose the provider's own webhooks. Unless `answers`, the provider also refuses every
/// call with a rate limit, so the server can process no webhook.
fn provider_faults_losing_webhooks(answers: bool) -> Faults {
    let rates = if answers {
        [].into()
    } else {
        [(Fault::RateLimit, 1.0)].into()
    };
    Faults {
        rates,
        webhook: WebhookFaults {
            lost: 1.0,
            ..WebhookFaults::default()
        },
        ..Faults::default()
    }
}

#[actix_web::test]
async fn webhook_flood_is_accepted_at_once_and_takes_effect_once() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    server
        .sandbox
        .set_faults(provider_faults_losing_webhooks(true));
    let mut intents = Vec::new();
    for _ in 0..BUYER_COUNT {
        let buyer = server.alice();
        let intent = buyer.open_intent(draw, 1).await;
        buyer.authorise(&intent).await;
        intents.push((buyer, intent));
    }
    server
        .sandbox
        .set_faults(provider_faults_losing_webhooks(false));
    let browser = server.bob();
    let sends_all = (0..FLOOD_WEBHOOK_COUNT).map(|number| {
        let (id, intent) = (
            format!("evt_flood_{number}"),
            intents[number % BUYER_COUNT].1.id(),
        );
        let event = webhook_event_body(
            &id,
            intent,
            "acct_broncos",
            "payment_intent.amount_capturable_updated",
        );
        let header = sign(event.as_bytes(), WEBHOOK_SECRET, server.now());
        let browser = &browser;
        async move { send_webhook(browser, event, &header).await }
    });
    let answers: Vec<u16> = stream::iter(sends_all)
        .buffer_unordered(CONCURRENT_WEBHOOK_COUNT)
        .collect()
        .await;
    assert_eq!(
        answers.iter().filter(|status| **status == 200).count(),
        FLOOD_WEBHOOK_COUNT,
        "every webhook is acknowledged at once"
    );
    let waiting =
        "select count(*) from webhook_events where handled_at is null and event_id like $1 || '%'";
    assert_eq!(
        count_stored_events(&server, "evt_flood").await,
        FLOOD_WEBHOOK_COUNT as i64
    );
    assert_eq!(
        server.database.query_number(waiting, "evt_flood").await,
        FLOOD_WEBHOOK_COUNT as i64,
        "no webhook is handled while the provider is down"
    );
    assert_eq!(
        server
            .engine
            .draws
            .view(draw)
            .await
            .expect("the draw has a view")
            .sold,
        0
    );

    server
        .sandbox
        .set_faults(provider_faults_losing_webhooks(true));
    // The server retries unprocessed webhooks after 30 seconds. One more webhook wakes its worker.
    server.clock.advance_seconds(31);
    let last = webhook_event_body(
        "evt_last",
        intents[0].1.id(),
        "acct_broncos",
        "payment_intent.amount_capturable_updated",
    );
    let header = sign(last.as_bytes(), WEBHOOK_SECRET, server.now());
    assert_eq!(send_webhook(&browser, last, &header).await, 200);
    let drained = async || (server.database.query_number(waiting, "evt_").await == 0).then_some(());
    eventually("every webhook is handled", drained).await;
    for (buyer, intent) in &intents {
        let order = buyer.wait_for_status(intent, "succeeded").await;
        assert_eq!(
            order["lines"][0]["tickets"].as_array().map(Vec::len),
            Some(1)
        );
    }
    assert_eq!(
        server
            .engine
            .draws
            .view(draw)
            .await
            .expect("the draw has a view")
            .sold,
        BUYER_COUNT as u16
    );
    let total = &server.sandbox.ledger()["total"];
    assert_eq!(
        (&total["captured"], &total["count"]),
        (&json!(500 * BUYER_COUNT), &json!(BUYER_COUNT))
    );
    assert_eq!(
        server.count_queued_mails("tickets").await,
        BUYER_COUNT as i64,
        "each buyer gets one mail"
    );
    server.finish().await;
}
