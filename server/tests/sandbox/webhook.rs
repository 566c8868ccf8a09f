use std::collections::BTreeSet;

use hmac::{Hmac, Mac};
use sandbox::SandboxOptions;
use serde_json::json;
use sha2::Sha256;

use crate::support::{SandboxProvider, TempDir, WebhookReceiver};

fn hmac_hex(secret: &str, message: &str) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
    mac.update(message.as_bytes());
    hex::encode(mac.finalize().into_bytes())
}

#[actix_web::test]
async fn every_payment_step_sends_a_signed_webhook() {
    let provider = SandboxProvider::start();
    let mut receiver = WebhookReceiver::start(vec![]);
    provider.sandbox.set_webhook(&receiver.url, "whsec_1");
    provider.sandbox.add_webhook_secret("whsec_2");
    let id = provider.create_captured_intent(1000, 35).await;
    let mut kinds = BTreeSet::new();
    for _ in 0..3 {
        let webhook = receiver.next_webhook().await;
        let (at, rest) = webhook
            .signature
            .strip_prefix("t=")
            .unwrap()
            .split_once(',')
            .unwrap();
        let signed = format!("{at}.{}", webhook.raw);
        assert_eq!(
            rest,
            format!(
                "v1={},v1={}",
                hmac_hex("whsec_1", &signed),
                hmac_hex("whsec_2", &signed)
            )
        );
        assert_eq!(webhook.event["account"], "acct_club");
        assert_eq!(webhook.event["data"]["object"]["id"], json!(id));
        assert_eq!(webhook.event["livemode"], false);
        kinds.insert(webhook.event["type"].as_str().unwrap().to_owned());
    }
    let expected = [
        "payment_intent.amount_capturable_updated",
        "payment_intent.created",
        "payment_intent.succeeded",
    ];
    assert_eq!(kinds, expected.map(str::to_owned).into());
}

#[actix_web::test]
async fn event_contains_object_state_at_its_creation() {
    let provider = SandboxProvider::start();
    let id = provider.create_captured_intent(1000, 35).await;
    let events = provider
        .get("events?type=payment_intent.amount_capturable_updated")
        .send()
        .await
        .ok();
    assert_eq!(events["data"][0]["data"]["object"]["id"], json!(id));
    assert_eq!(
        events["data"][0]["data"]["object"]["status"],
        "requires_capture"
    );
    let waiting = provider
        .get("events?delivery_success=false")
        .send()
        .await
        .ok();
    assert_eq!(waiting["data"].as_array().unwrap().len(), 3);
}

#[actix_web::test]
async fn event_is_resent_until_received() {
    let provider = SandboxProvider::start();
    let mut receiver = WebhookReceiver::start(vec![500, 404]);
    provider.sandbox.set_webhook(&receiver.url, "whsec_1");
    provider.create_unpaid_intent(1000).await;
    let first = receiver.next_webhook().await;
    for _ in 0..2 {
        assert_eq!(receiver.next_webhook().await.event["id"], first.event["id"]);
    }
}

#[actix_web::test]
async fn undelivered_events_are_delivered_after_a_restart() {
    let dir = TempDir::new();
    let provider = SandboxProvider::open(Some(dir.0.clone()), SandboxOptions::default());
    let stopped_receiver = WebhookReceiver::start(vec![]);
    let url = stopped_receiver.url.clone();
    stopped_receiver.stop().await;
    provider.sandbox.set_webhook(&url, "whsec_1");
    let id = provider.create_captured_intent(1000, 35).await;
    provider.stop().await;
    let provider = SandboxProvider::open(Some(dir.0.clone()), SandboxOptions::default());
    let mut receiver = WebhookReceiver::start(vec![]);
    provider.sandbox.set_webhook(&receiver.url, "whsec_1");
    let received = receiver
        .next_webhook_of_type("payment_intent.succeeded")
        .await;
    assert_eq!(received.event["data"]["object"]["id"], json!(id));
}

#[actix_web::test]
async fn refunds_and_fees_create_events() {
    let provider = SandboxProvider::start();
    let id = provider.create_captured_intent(1000, 35).await;
    let fee = provider.fetch_charge(&id).await["application_fee"]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    provider
        .post("refunds", &format!("payment_intent={id}"))
        .send()
        .await
        .ok();
    provider
        .post(&format!("application_fees/{fee}/refunds"), "amount=35")
        .on_platform_account()
        .send()
        .await
        .ok();
    let mut receiver = WebhookReceiver::start(vec![]);
    provider.sandbox.set_webhook(&receiver.url, "whsec_1");
    let mut retrieved = Vec::new();
    for _ in 0..6 {
        let event = receiver.next_webhook().await.event;
        retrieved.push((
            event["type"].as_str().unwrap().to_owned(),
            event.get("account").is_some(),
        ));
    }
    for expected in [
        ("charge.refunded", true),
        ("refund.created", true),
        ("application_fee.refunded", false),
    ] {
        assert!(
            retrieved.contains(&(expected.0.to_owned(), expected.1)),
            "{expected:?} in {retrieved:?}"
        );
    }
}

#[actix_web::test]
async fn webhook_faults_lose_and_double_events() {
    let provider = SandboxProvider::start();
    let mut receiver = WebhookReceiver::start(vec![]);
    provider.sandbox.set_webhook(&receiver.url, "whsec_1");
    provider
        .call_control_endpoint("faults", json!({ "seed": 1, "webhook": { "lost": 1.0 } }))
        .await
        .ok();
    let lost = provider.create_unpaid_intent(500).await;
    // Waits for the loss, because the sender decides an event's fault only when it takes the event.
    while provider.sandbox.ledger()["events"]["lost"] == 0 {
        actix_web::rt::task::yield_now().await;
    }
    provider
        .call_control_endpoint(
            "faults",
            json!({ "seed": 1, "webhook": { "doubled": 1.0, "late_ms": 5 } }),
        )
        .await
        .ok();
    let doubled = provider.create_unpaid_intent(600).await;
    let (first, second) = (receiver.next_webhook().await, receiver.next_webhook().await);
    assert_eq!(first.event["id"], second.event["id"]);
    assert_eq!(first.event["data"]["object"]["id"], doubled["id"]);
    while provider.sandbox.ledger()["events"]["pending"] != 0 {
        actix_web::rt::task::yield_now().await;
    }
    let waiting = provider
        .get("events?delivery_success=false")
        .send()
        .await
        .ok();
    assert_eq!(
        waiting["data"][0]["data"]["object"]["id"], lost["id"],
        "what was lost stays listed as undelivered"
    );
}
