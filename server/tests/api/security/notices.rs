//! Notices that only pretend to be the provider's: none is taken, and one that is signed is still no more than a hint
//! (decision B-1; reliability.md F13, F16-F22).

use actors::payment::signature::sign;
use domain::Timestamp;
use futures_util::{StreamExt, stream};
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use server::config::DEMO_WEBHOOK_SECRET;
use server::sandbox::faults::{Fault, Faults, WebhookFaults};

use crate::support::server::eventually;
use crate::support::{Buyer, TestServer};

pub const SECRET: &str = DEMO_WEBHOOK_SECRET;

fn body(id: &str, payment_intent: &str, account: &str, kind: &str) -> String {
    json!({
        "id": id, "type": kind, "account": account, "livemode": false,
        "data": { "object": { "object": "payment_intent", "id": payment_intent, "status": "succeeded" } },
    })
    .to_string()
}

pub async fn sends(browser: &Buyer, body: impl Into<reqwest::Body>, header: &str) -> u16 {
    let request = browser
        .raw(Method::POST, "/api/stripe/webhook")
        .header("stripe-signature", header);
    Buyer::sent(request.body(body)).await.status
}

pub async fn stored(server: &TestServer, id: &str) -> i64 {
    server
        .database
        .count(
            "select count(*) from webhook_events where event_id like $1 || '%'",
            id,
        )
        .await
}

/// Each header that a forger might send with a body; `signed` is the right one.
fn forged_headers(signed: &str, body: &[u8], now: Timestamp) -> Vec<String> {
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
        sign(body, &SECRET.to_uppercase(), now),
        sign(&[body, b" "].concat(), SECRET, now),
        sign(&[b" ", body].concat(), SECRET, now),
        sign(b"", SECRET, now),
    ];
    // The right signature at another second, and one wrong digit of it anywhere.
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
async fn no_header_but_the_providers_and_no_changed_byte_is_taken() {
    let server = TestServer::start().await;
    let alice = server.alice();
    let body = body(
        "evt_forged",
        "pi_nobody",
        "acct_broncos",
        "payment_intent.succeeded",
    );
    let now = server.now();
    let signed = sign(body.as_bytes(), SECRET, now);
    let (mut tried, mut taken) = (0, Vec::new());
    for header in forged_headers(&signed, body.as_bytes(), now) {
        tried += 1;
        if sends(&alice, body.clone(), &header).await != 400 {
            taken.push(header);
        }
    }
    for place in 0..body.len() {
        let mut changed = body.clone().into_bytes();
        changed[place] ^= 1;
        tried += 1;
        if sends(&alice, changed, &signed).await != 400 {
            taken.push(format!("byte {place}"));
        }
    }
    let (shorter, longer) = (body[..body.len() - 1].to_string(), format!("{body}\n"));
    for changed in [shorter, longer, String::new()] {
        tried += 1;
        if sends(&alice, changed, &signed).await != 400 {
            taken.push("another length".into());
        }
    }
    assert!(taken.is_empty(), "{taken:?}");
    assert!(tried >= 200, "{tried}");
    assert_eq!(stored(&server, "evt_forged").await, 0, "nothing was kept");
    let none: RequestBuilder = alice
        .raw(Method::POST, "/api/webhooks/stripe")
        .body(body.clone());
    Buyer::sent(none).await.refused(400, "bad-signature");
    // The same body with its own header is taken: it is the signature that decides. While a secret is rolled there are two.
    assert_eq!(
        sends(
            &alice,
            body.clone(),
            &format!("{signed},v1={}", "0".repeat(64))
        )
        .await,
        200
    );
    assert_eq!(stored(&server, "evt_forged").await, 1);
    server.finish().await;
}

#[actix_web::test]
async fn a_notice_is_good_for_five_minutes_either_way() {
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
        let body = body(
            &format!("evt_age_{age_seconds}"),
            "pi_nobody",
            "acct_broncos",
            "payment_intent.succeeded",
        );
        let header = sign(
            body.as_bytes(),
            SECRET,
            server.now().plus_seconds(-age_seconds),
        );
        assert_eq!(
            sends(&alice, body, &header).await,
            status,
            "{age_seconds} s old"
        );
    }
    assert_eq!(
        server.state.metrics.notices_out_of_time(),
        3,
        "each that was refused is counted"
    );
    server.finish().await;
}

/// Signed, and still not true: another account's event with a guessed id, a live one, one nobody knows. What happened is asked
/// of the provider, so nobody gets a ticket by it.
#[actix_web::test]
async fn what_a_signed_notice_says_is_not_believed() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    server.club("storm").await;
    let alice = server.alice();
    let intent = alice.intent(draw, 2).await;
    let kinds = [
        "payment_intent.succeeded",
        "payment_intent.canceled",
        "charge.refunded",
        "charge.dispute.created",
        "tomorrow.new",
    ];
    for (number, kind) in kinds.into_iter().enumerate() {
        let said = body(
            &format!("evt_lie_{number}"),
            intent.id(),
            "acct_storm",
            kind,
        );
        let header = sign(said.as_bytes(), SECRET, server.now());
        assert_eq!(sends(&alice, said, &header).await, 200, "{kind}");
    }
    let live = body(
        "evt_live",
        intent.id(),
        "acct_broncos",
        "payment_intent.succeeded",
    )
    .replace("false", "true");
    let header = sign(live.as_bytes(), SECRET, server.now());
    assert_eq!(
        sends(&alice, live, &header).await,
        200,
        "not sent for days, and not kept"
    );
    assert_eq!(stored(&server, "evt_live").await, 0);
    let unhandled =
        "select count(*) from webhook_events where handled_at is null and event_id like $1 || '%'";
    eventually("all are looked at", async || {
        (server.database.count(unhandled, "evt_lie").await == 0).then_some(())
    })
    .await;
    let order = alice.order(&intent).await;
    assert_eq!(
        (&order["status"], &order["lines"][0]["tickets"]),
        (&json!("requires_payment_method"), &json!([]))
    );
    // An account's standing is told by that account's own events alone.
    let account = json!({
        "id": "evt_account", "type": "account.updated", "account": "acct_storm", "livemode": false,
        "data": { "object": { "object": "account", "id": "acct_broncos", "charges_enabled": false } },
    })
    .to_string();
    let header = sign(account.as_bytes(), SECRET, server.now());
    assert_eq!(sends(&alice, account, &header).await, 200);
    alice.ask(draw, 1).await.ok();
    server.finish().await;
}

#[actix_web::test]
async fn a_notice_a_hundred_times_over_is_one_and_a_novel_is_none() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    let alice = server.alice();
    let (intent, bought) = alice.buys(draw, 2).await;
    let said = body(
        "evt_again",
        intent.id(),
        "acct_broncos",
        "payment_intent.succeeded",
    );
    let header = sign(said.as_bytes(), SECRET, server.now());
    for _ in 0..100 {
        assert_eq!(sends(&alice, said.clone(), &header).await, 200);
    }
    assert_eq!(stored(&server, "evt_again").await, 1);
    let order: Value = alice.order(&intent).await;
    assert_eq!(
        order["lines"][0]["tickets"].as_array().map(Vec::len),
        bought["tickets"].as_array().map(Vec::len)
    );
    let novel = "x".repeat(1024 * 1024);
    let header = sign(novel.as_bytes(), SECRET, server.now());
    assert_eq!(sends(&alice, novel, &header).await, 413);
    server.finish().await;
}

/// As many as a provider that catches up after an outage sends in a second.
const FLOOD: usize = 1_000;
const AT_ONCE: usize = 100;
/// One after the other of them reserves, pays and is told of.
const BUYERS: usize = 8;

/// The provider's own notices are lost, and perhaps it answers no question either: then nothing that a notice hints at can be done.
fn provider(answers: bool) -> Faults {
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
async fn a_flood_of_notices_is_taken_at_once_handled_later_and_has_its_effect_once() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    server.sandbox.set_faults(provider(true));
    let mut intents = Vec::new();
    for _ in 0..BUYERS {
        let buyer = server.alice();
        let intent = buyer.intent(draw, 1).await;
        buyer.authorise(&intent).await;
        intents.push((buyer, intent));
    }
    server.sandbox.set_faults(provider(false));
    let browser = server.bob();
    let sends_all = (0..FLOOD).map(|number| {
        let (id, intent) = (
            format!("evt_flood_{number}"),
            intents[number % BUYERS].1.id(),
        );
        let said = body(
            &id,
            intent,
            "acct_broncos",
            "payment_intent.amount_capturable_updated",
        );
        let header = sign(said.as_bytes(), SECRET, server.now());
        let browser = &browser;
        async move { sends(browser, said, &header).await }
    });
    let answers: Vec<u16> = stream::iter(sends_all)
        .buffer_unordered(AT_ONCE)
        .collect()
        .await;
    assert_eq!(
        answers.iter().filter(|status| **status == 200).count(),
        FLOOD,
        "nobody waits for what a notice hints at"
    );
    let waiting =
        "select count(*) from webhook_events where handled_at is null and event_id like $1 || '%'";
    assert_eq!(stored(&server, "evt_flood").await, FLOOD as i64);
    assert_eq!(
        server.database.count(waiting, "evt_flood").await,
        FLOOD as i64,
        "none can have been handled"
    );
    assert_eq!(
        server.engine.draws.view(draw).await.expect("a view").sold,
        0
    );

    server.sandbox.set_faults(provider(true));
    // Those that could not be handled are left alone for half a minute; one more notice, and the worker looks.
    server.clock.push_seconds(31);
    let last = body(
        "evt_last",
        intents[0].1.id(),
        "acct_broncos",
        "payment_intent.amount_capturable_updated",
    );
    let header = sign(last.as_bytes(), SECRET, server.now());
    assert_eq!(sends(&browser, last, &header).await, 200);
    let drained = async || (server.database.count(waiting, "evt_").await == 0).then_some(());
    eventually("all are handled", drained).await;
    for (buyer, intent) in &intents {
        let order = buyer.sees(intent, "succeeded").await;
        assert_eq!(
            order["lines"][0]["tickets"].as_array().map(Vec::len),
            Some(1)
        );
    }
    assert_eq!(
        server.engine.draws.view(draw).await.expect("a view").sold,
        BUYERS as u16
    );
    let total = &server.sandbox.ledger()["total"];
    assert_eq!(
        (&total["captured"], &total["count"]),
        (&json!(500 * BUYERS), &json!(BUYERS))
    );
    assert_eq!(
        server.queued("tickets").await,
        BUYERS as i64,
        "and each buyer one mail"
    );
    server.finish().await;
}
