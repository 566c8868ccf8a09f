use std::collections::BTreeSet;

use hmac::{Hmac, Mac};
use serde_json::json;
use server::sandbox::Options;
use sha2::Sha256;

use crate::support::{Listener, Provider, TempDir};

fn mac(secret: &str, message: &str) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
    mac.update(message.as_bytes());
    hex::encode(mac.finalize().into_bytes())
}

#[actix_web::test]
async fn every_step_of_a_payment_is_told_and_signed() {
    let provider = Provider::start().await;
    let mut listener = Listener::start(vec![]);
    provider.sandbox.set_webhook(&listener.url, "whsec_1");
    provider.sandbox.add_webhook_secret("whsec_2");
    let id = provider.captured(1000, 35).await;
    let mut kinds = BTreeSet::new();
    for _ in 0..3 {
        let knock = listener.next().await;
        let (at, rest) = knock
            .signature
            .strip_prefix("t=")
            .unwrap()
            .split_once(',')
            .unwrap();
        let signed = format!("{at}.{}", knock.raw);
        assert_eq!(
            rest,
            format!(
                "v1={},v1={}",
                mac("whsec_1", &signed),
                mac("whsec_2", &signed)
            )
        );
        assert_eq!(knock.event["account"], "acct_club");
        assert_eq!(knock.event["data"]["object"]["id"], json!(id));
        assert_eq!(knock.event["livemode"], false);
        kinds.insert(knock.event["type"].as_str().unwrap().to_owned());
    }
    let expected = [
        "payment_intent.amount_capturable_updated",
        "payment_intent.created",
        "payment_intent.succeeded",
    ];
    assert_eq!(kinds, expected.map(str::to_owned).into());
}

#[actix_web::test]
async fn an_event_shows_the_object_as_it_was() {
    let provider = Provider::start().await;
    let id = provider.captured(1000, 35).await;
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
async fn an_event_is_repeated_until_it_is_received() {
    let provider = Provider::start().await;
    let mut listener = Listener::start(vec![500, 404]);
    provider.sandbox.set_webhook(&listener.url, "whsec_1");
    provider.intent(1000).await;
    let first = listener.next().await;
    for _ in 0..2 {
        assert_eq!(listener.next().await.event["id"], first.event["id"]);
    }
}

#[actix_web::test]
async fn undelivered_events_are_delivered_after_a_restart() {
    let dir = TempDir::new();
    let provider = Provider::open(Some(dir.0.clone()), Options::default()).await;
    let deaf = Listener::start(vec![]);
    let url = deaf.url.clone();
    deaf.stop().await;
    provider.sandbox.set_webhook(&url, "whsec_1");
    let id = provider.captured(1000, 35).await;
    provider.stop().await;
    let provider = Provider::open(Some(dir.0.clone()), Options::default()).await;
    let mut listener = Listener::start(vec![]);
    provider.sandbox.set_webhook(&listener.url, "whsec_1");
    let told = listener.next_of("payment_intent.succeeded").await;
    assert_eq!(told.event["data"]["object"]["id"], json!(id));
}

#[actix_web::test]
async fn refunds_fees_and_accounts_make_their_events() {
    let provider = Provider::start().await;
    let id = provider.captured(1000, 35).await;
    let fee = provider.charge(&id).await["application_fee"]["id"]
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
        .platform()
        .send()
        .await
        .ok();
    let mut listener = Listener::start(vec![]);
    provider.sandbox.set_webhook(&listener.url, "whsec_1");
    let mut seen = Vec::new();
    for _ in 0..6 {
        let event = listener.next().await.event;
        seen.push((
            event["type"].as_str().unwrap().to_owned(),
            event.get("account").is_some(),
        ));
    }
    for expected in [
        ("charge.refunded", true),
        ("refund.updated", true),
        ("application_fee.refunded", false),
    ] {
        assert!(
            seen.contains(&(expected.0.to_owned(), expected.1)),
            "{expected:?} in {seen:?}"
        );
    }
}

#[actix_web::test]
async fn webhooks_are_lost_and_doubled_on_order() {
    let provider = Provider::start().await;
    let mut listener = Listener::start(vec![]);
    provider.sandbox.set_webhook(&listener.url, "whsec_1");
    provider
        .control("faults", json!({ "seed": 1, "webhook": { "lost": 1.0 } }))
        .await
        .ok();
    let lost = provider.intent(500).await;
    // The courier decides an event's fate when it fetches it.
    while provider.sandbox.ledger()["events"]["lost"] == 0 {
        actix_web::rt::task::yield_now().await;
    }
    provider
        .control(
            "faults",
            json!({ "seed": 1, "webhook": { "doubled": 1.0, "late_ms": 5 } }),
        )
        .await
        .ok();
    let told = provider.intent(600).await;
    let (first, second) = (listener.next().await, listener.next().await);
    assert_eq!(first.event["id"], second.event["id"]);
    assert_eq!(first.event["data"]["object"]["id"], told["id"]);
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
