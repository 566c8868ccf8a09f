use sandbox::faults::Fault;
use serde_json::json;

use crate::support::SandboxProvider;

const INTENT_FORM: &str = "amount=1000&currency=aud&capture_method=manual";

async fn count_intents(provider: &SandboxProvider) -> usize {
    provider.get("payment_intents?limit=100").send().await.ok()["data"]
        .as_array()
        .unwrap()
        .len()
}

#[actix_web::test]
async fn timeout_fault_respects_before_and_after_effect() {
    let provider = SandboxProvider::start();
    assert!(
        provider
            .post("payment_intents", INTENT_FORM)
            .with_idempotency_key("a")
            .with_fault("timeout-before")
            .try_send()
            .await
            .is_err()
    );
    assert_eq!(count_intents(&provider).await, 0);
    assert!(
        provider
            .post("payment_intents", INTENT_FORM)
            .with_idempotency_key("a")
            .with_fault("timeout-after")
            .try_send()
            .await
            .is_err()
    );
    assert_eq!(count_intents(&provider).await, 1);
    let again = provider
        .post("payment_intents", INTENT_FORM)
        .with_idempotency_key("a")
        .send()
        .await;
    assert!(again.replayed, "the same key finds what happened");
    assert_eq!(count_intents(&provider).await, 1);
}

#[actix_web::test]
async fn scripted_fault_hits_only_its_call() {
    let provider = SandboxProvider::start();
    let id = provider.create_authorised_intent(1000).await;
    provider.sandbox.fail_next("/capture", Fault::Error500);
    provider.create_unpaid_intent(500).await;
    let path = format!("payment_intents/{id}/capture");
    assert_eq!(
        provider
            .post(&path, "")
            .with_idempotency_key("cap")
            .send()
            .await
            .status,
        500
    );
    provider
        .post(&path, "")
        .with_idempotency_key("cap-a2")
        .send()
        .await
        .ok();
}

#[actix_web::test]
async fn seeded_faults_are_set_and_cleared_over_http() {
    let provider = SandboxProvider::start();
    let set = provider
        .call_control_endpoint(
            "faults",
            json!({ "seed": 7, "rates": { "rate-limit": 1.0 } }),
        )
        .await
        .ok();
    assert_eq!(set["rates"]["rate-limit"], 1.0);
    assert_eq!(provider.get("payment_intents").send().await.status, 429);
    provider
        .call_control_endpoint("faults", json!({}))
        .await
        .ok();
    provider.get("payment_intents").send().await.ok();
}
