use serde_json::json;

use crate::support::SandboxProvider;

#[actix_web::test]
async fn capture_takes_amount_and_application_fee() {
    let provider = SandboxProvider::start();
    let id = provider.create_captured_intent(1000, 35).await;
    let intent = provider
        .get(&format!("payment_intents/{id}"))
        .send()
        .await
        .ok();
    assert_eq!(
        (&intent["status"], &intent["amount_received"]),
        (&"succeeded".into(), &1000.into())
    );
    assert_eq!(
        (
            &intent["amount_capturable"],
            &intent["application_fee_amount"]
        ),
        (&0.into(), &35.into())
    );
    let charge = provider.fetch_charge(&id).await;
    assert_eq!(
        (&charge["captured"], &charge["amount_captured"]),
        (&true.into(), &1000.into())
    );
    let transaction = &charge["balance_transaction"];
    assert_eq!(
        (&transaction["fee"], &transaction["net"]),
        (&82.into(), &918.into())
    );
    let provider_fee = transaction["fee_details"]
        .as_array()
        .unwrap()
        .iter()
        .find(|fee| fee["type"] == "stripe_fee");
    assert_eq!(
        provider_fee.unwrap()["amount"],
        47,
        "1.7 % of $10.00 and 30 c"
    );
    assert_eq!(
        (
            &charge["application_fee"]["amount"],
            &charge["application_fee"]["refunded"]
        ),
        (&35.into(), &false.into())
    );
    let totals = provider.fetch_sandbox_ledger().await;
    assert_eq!(totals["accounts"]["acct_club"]["captured"], 1000);
    assert_eq!(totals["total"]["fees"], 35);
    assert_eq!(totals["captured"][0]["paymentIntent"], json!(id));
}

#[actix_web::test]
async fn zero_fee_counts_as_no_fee_and_excessive_fee_is_refused() {
    let provider = SandboxProvider::start();
    let id = provider.create_authorised_intent(1000).await;
    let path = format!("payment_intents/{id}/capture");
    let greedy = provider
        .post(&path, "application_fee_amount=1001")
        .send()
        .await;
    assert_eq!(greedy.error()["param"], "application_fee_amount");
    provider
        .post(&path, "application_fee_amount=0")
        .send()
        .await
        .ok();
    assert!(provider.fetch_charge(&id).await["application_fee"].is_null());
}

#[actix_web::test]
async fn capture_happens_once() {
    let provider = SandboxProvider::start();
    let id = provider.create_captured_intent(1000, 35).await;
    let again = provider
        .post(&format!("payment_intents/{id}/capture"), "")
        .send()
        .await;
    assert_eq!(
        (again.status, &again.error()["code"]),
        (400, &"payment_intent_unexpected_state".into())
    );
    let unpaid = provider.create_unpaid_intent(500).await;
    let path = format!("payment_intents/{}/capture", unpaid["id"].as_str().unwrap());
    assert_eq!(
        provider.post(&path, "").send().await.error()["code"],
        "payment_intent_unexpected_state"
    );
}

#[actix_web::test]
async fn partial_capture_is_limited_to_authorised_amount() {
    let provider = SandboxProvider::start();
    let id = provider.create_authorised_intent(1000).await;
    let path = format!("payment_intents/{id}/capture");
    assert_eq!(
        provider
            .post(&path, "amount_to_capture=1001")
            .send()
            .await
            .status,
        400
    );
    let part = provider
        .post(&path, "amount_to_capture=600")
        .send()
        .await
        .ok();
    assert_eq!(
        (&part["amount"], &part["amount_received"]),
        (&1000.into(), &600.into())
    );
}

#[actix_web::test]
async fn only_unsettled_intent_can_be_canceled() {
    let provider = SandboxProvider::start();
    let fresh = provider.create_unpaid_intent(1000).await["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let challenged = provider.create_unpaid_intent(1000).await["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let form = "payment_method=pm_card_authenticationRequired";
    provider
        .post(&format!("payment_intents/{challenged}/confirm"), form)
        .send()
        .await
        .ok();
    let held = provider.create_authorised_intent(1000).await;
    for id in [&fresh, &challenged, &held] {
        let path = format!("payment_intents/{id}/cancel");
        let canceled = provider
            .post(&path, "cancellation_reason=abandoned")
            .send()
            .await
            .ok();
        assert_eq!(
            (&canceled["status"], &canceled["amount_capturable"]),
            (&"canceled".into(), &0.into())
        );
        assert_eq!(canceled["cancellation_reason"], "abandoned");
        let again = provider.post(&path, "").send().await;
        assert_eq!(
            (again.status, &again.error()["code"]),
            (400, &"payment_intent_unexpected_state".into())
        );
    }
    let released = provider.fetch_charge(&held).await;
    assert_eq!(
        (&released["captured"], &released["refunded"]),
        (&false.into(), &true.into())
    );
    let paid = provider.create_captured_intent(1000, 0).await;
    let late = provider
        .post(&format!("payment_intents/{paid}/cancel"), "")
        .send()
        .await;
    assert_eq!(late.error()["code"], "payment_intent_unexpected_state");
    assert_eq!(
        provider.fetch_sandbox_ledger().await["total"]["captured"],
        1000
    );
}

#[actix_web::test]
async fn expired_authorisation_cannot_be_captured() {
    let provider = SandboxProvider::start();
    let id = provider.create_authorised_intent(1000).await;
    let expired = provider
        .call_control_endpoint("expire", json!({ "paymentIntent": id }))
        .await
        .ok();
    assert_eq!(
        (&expired["status"], &expired["cancellation_reason"]),
        (&"canceled".into(), &"automatic".into())
    );
    let late = provider
        .post(&format!("payment_intents/{id}/capture"), "")
        .send()
        .await;
    assert_eq!(late.error()["code"], "payment_intent_unexpected_state");
}
