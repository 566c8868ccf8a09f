use sandbox::SandboxOptions;

use crate::support::{SandboxProvider, TempDir};

const INTENT_FORM: &str = "amount=1000&currency=aud&capture_method=manual";

#[actix_web::test]
async fn same_key_returns_the_same_intent() {
    let provider = SandboxProvider::start();
    let first = provider
        .post("payment_intents", INTENT_FORM)
        .with_idempotency_key("create-1")
        .send()
        .await;
    let reordered = "currency=aud&capture_method=manual&amount=1000";
    let again = provider
        .post("payment_intents", reordered)
        .with_idempotency_key("create-1")
        .send()
        .await;
    assert!(!first.replayed && again.replayed);
    assert_eq!(first.body, again.body);
    let other = provider
        .post("payment_intents", INTENT_FORM)
        .with_idempotency_key("create-1")
        .on_account("acct_other")
        .send()
        .await;
    assert_ne!(
        first.body["id"], other.body["id"],
        "keys of different accounts do not meet"
    );
}

#[actix_web::test]
async fn same_key_with_other_parameters_is_refused() {
    let provider = SandboxProvider::start();
    provider
        .post("payment_intents", INTENT_FORM)
        .with_idempotency_key("create-1")
        .send()
        .await
        .ok();
    let other = provider
        .post("payment_intents", "amount=2000&currency=aud")
        .with_idempotency_key("create-1")
        .send()
        .await;
    assert_eq!(
        (other.status, &other.error()["type"]),
        (400, &"idempotency_error".into())
    );
}

#[actix_web::test]
async fn server_error_without_effect_is_stored() {
    let provider = SandboxProvider::start();
    let broken = provider
        .post("payment_intents", INTENT_FORM)
        .with_idempotency_key("create-1")
        .with_fault("error-500")
        .send()
        .await;
    assert_eq!(
        (broken.status, &broken.error()["type"]),
        (500, &"api_error".into())
    );
    let again = provider
        .post("payment_intents", INTENT_FORM)
        .with_idempotency_key("create-1")
        .send()
        .await;
    assert_eq!((again.status, again.replayed), (500, true));
    let list = provider.get("payment_intents").send().await.ok();
    assert_eq!(list["data"].as_array().unwrap().len(), 0);
    provider
        .post("payment_intents", INTENT_FORM)
        .with_idempotency_key("create-1-a2")
        .send()
        .await
        .ok();
}

#[actix_web::test]
async fn server_error_after_effect_is_stored() {
    let provider = SandboxProvider::start();
    let id = provider.create_authorised_intent(1000).await;
    let path = format!("payment_intents/{id}/capture");
    assert_eq!(
        provider
            .post(&path, "")
            .with_idempotency_key("cap")
            .with_fault("error-500-after")
            .send()
            .await
            .status,
        500
    );
    assert_eq!(
        provider
            .post(&path, "")
            .with_idempotency_key("cap")
            .send()
            .await
            .status,
        500
    );
    assert_eq!(
        provider
            .get(&format!("payment_intents/{id}"))
            .send()
            .await
            .ok()["status"],
        "succeeded"
    );
}

#[actix_web::test]
async fn decline_is_stored_and_invalid_request_is_not() {
    let provider = SandboxProvider::start();
    let path = format!(
        "payment_intents/{}/confirm",
        provider.create_unpaid_intent(1000).await["id"]
            .as_str()
            .unwrap()
    );
    let form = "payment_method=pm_card_chargeDeclined";
    let declined = provider
        .post(&path, form)
        .with_idempotency_key("confirm-1")
        .send()
        .await;
    let again = provider
        .post(&path, form)
        .with_idempotency_key("confirm-1")
        .send()
        .await;
    assert_eq!(
        (declined.status, again.status, again.replayed),
        (402, 402, true)
    );
    assert_eq!(declined.body, again.body);
    assert_eq!(
        provider
            .post("payment_intents", "amount=1000")
            .with_idempotency_key("k")
            .send()
            .await
            .status,
        400
    );
    provider
        .post("payment_intents", INTENT_FORM)
        .with_idempotency_key("k")
        .send()
        .await
        .ok();
}

#[actix_web::test]
async fn rate_limit_applies_before_stored_answers() {
    let provider = SandboxProvider::start();
    let limited = provider
        .post("payment_intents", INTENT_FORM)
        .with_idempotency_key("create-1")
        .with_fault("rate-limit")
        .send()
        .await;
    assert_eq!(
        (limited.status, &limited.error()["code"]),
        (429, &"rate_limit".into())
    );
    provider
        .post("payment_intents", INTENT_FORM)
        .with_idempotency_key("create-1")
        .send()
        .await
        .ok();
    let again = provider
        .post("payment_intents", INTENT_FORM)
        .with_idempotency_key("create-1")
        .with_fault("rate-limit")
        .send()
        .await;
    assert_eq!(
        again.status, 429,
        "a remembered answer is no way around the limit"
    );
}

#[actix_web::test]
async fn answered_requests_survive_a_process_death() {
    let dir = TempDir::new();
    let provider = SandboxProvider::open(Some(dir.0.clone()), SandboxOptions::default());
    let first = provider
        .post("payment_intents", INTENT_FORM)
        .with_idempotency_key("create-1")
        .send()
        .await;
    let id = provider.create_captured_intent(1000, 35).await;
    let ledger = provider.fetch_sandbox_ledger().await;
    provider.stop().await;
    // Appends half a journal record, as if the process had died while writing. The client never got
    // a response to its request.
    let path = dir.0.join("provider.jsonl");
    let mut journal = std::fs::read(&path).unwrap();
    journal.extend_from_slice(b"[{\"intent\":{\"id\":\"pi_half");
    std::fs::write(&path, journal).unwrap();
    let provider = SandboxProvider::open(Some(dir.0.clone()), SandboxOptions::default());
    let again = provider
        .post("payment_intents", INTENT_FORM)
        .with_idempotency_key("create-1")
        .send()
        .await;
    assert!(again.replayed);
    assert_eq!(first.body, again.body);
    assert_eq!(
        provider
            .get(&format!("payment_intents/{id}"))
            .send()
            .await
            .ok()["status"],
        "succeeded"
    );
    assert_eq!(
        provider.fetch_charge(&id).await["balance_transaction"]["net"],
        918
    );
    assert_eq!(
        provider.fetch_sandbox_ledger().await["total"],
        ledger["total"]
    );
}

#[actix_web::test]
async fn compacted_journal_keeps_its_history() {
    let dir = TempDir::new();
    let provider = SandboxProvider::open(Some(dir.0.clone()), SandboxOptions::default());
    // Thirty updates are more than Stripe lets one second make.
    provider.sandbox.set_rate_limits(None);
    let first = provider
        .post("payment_intents", INTENT_FORM)
        .with_idempotency_key("create-1")
        .send()
        .await;
    let path = format!("payment_intents/{}", first.body["id"].as_str().unwrap());
    for amount in 2000..2030 {
        provider
            .post(&path, &format!("amount={amount}"))
            .send()
            .await
            .ok();
    }
    provider.stop().await;
    let journal = dir.0.join("provider.jsonl");
    let before = std::fs::metadata(&journal).unwrap().len();
    for _ in 0..2 {
        let provider = SandboxProvider::open(Some(dir.0.clone()), SandboxOptions::default());
        let again = provider
            .post("payment_intents", INTENT_FORM)
            .with_idempotency_key("create-1")
            .send()
            .await;
        assert_eq!((&again.body, again.replayed), (&first.body, true));
        assert_eq!(provider.get(&path).send().await.ok()["amount"], 2029);
        let events = provider.get("events").send().await.ok();
        assert_eq!(events["data"][0]["data"]["object"], first.body);
        provider.stop().await;
    }
    assert!(
        std::fs::metadata(&journal).unwrap().len() < before / 3,
        "what is superseded is left out"
    );
}
