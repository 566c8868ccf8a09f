use serde_json::Value;

use crate::support::{CLUB_ACCOUNT_ID, SandboxProvider, SandboxResponse};

async fn confirm_intent(provider: &SandboxProvider, intent: &Value, form: &str) -> SandboxResponse {
    let path = format!("payment_intents/{}/confirm", intent["id"].as_str().unwrap());
    provider.post(&path, form).send().await
}

fn card_form(number: &str) -> String {
    format!(
        "type=card&card[number]={number}&card[exp_month]=12&card[exp_year]=34&card[cvc]=123&billing_details[name]=Alice"
    )
}

#[actix_web::test]
async fn authorised_payment_is_not_captured() {
    let provider = SandboxProvider::start();
    let id = provider.create_authorised_intent(1049).await;
    let intent = provider
        .get(&format!("payment_intents/{id}"))
        .send()
        .await
        .ok();
    assert_eq!(
        (&intent["amount_capturable"], &intent["amount_received"]),
        (&1049.into(), &0.into())
    );
    let charge = provider.fetch_charge(&id).await;
    assert_eq!(
        (&charge["captured"], &charge["paid"]),
        (&false.into(), &true.into())
    );
    assert!(charge["balance_transaction"].is_null());
    let again = confirm_intent(&provider, &intent, "payment_method=pm_card_visa").await;
    assert_eq!(again.error()["code"], "payment_intent_unexpected_state");
}

#[actix_web::test]
async fn declined_card_leaves_intent_open_for_another_card() {
    let provider = SandboxProvider::start();
    let intent = provider.create_unpaid_intent(1000).await;
    let declined = confirm_intent(
        &provider,
        &intent,
        "payment_method=pm_card_chargeDeclinedInsufficientFunds",
    )
    .await;
    assert_eq!(declined.status, 402);
    let error = declined.error();
    assert_eq!(
        (&error["type"], &error["code"]),
        (&"card_error".into(), &"card_declined".into())
    );
    assert_eq!(error["decline_code"], "insufficient_funds");
    assert_eq!(error["message"], "Your card has insufficient funds.");
    assert_eq!(error["payment_intent"]["status"], "requires_payment_method");
    assert_eq!(
        error["payment_intent"]["last_payment_error"]["decline_code"],
        "insufficient_funds"
    );
    assert_eq!(
        confirm_intent(&provider, &intent, "").await.error()["code"],
        "payment_intent_unexpected_state"
    );
    assert_eq!(
        confirm_intent(&provider, &intent, "payment_method=pm_card_visa")
            .await
            .ok()["status"],
        "requires_capture"
    );
}

#[actix_web::test]
async fn browser_payment_method_works_once_on_its_account() {
    let provider = SandboxProvider::start();
    let method = provider
        .post("payment_methods", &card_form("4242424242424242"))
        .with_publishable_key()
        .send()
        .await
        .ok();
    assert_eq!(method["billing_details"]["name"], "Alice");
    assert_eq!(method["card"]["last4"], "4242");
    let form = format!("payment_method={}", method["id"].as_str().unwrap());
    let elsewhere = provider
        .post("payment_intents", "amount=500&currency=aud")
        .on_account("acct_other")
        .send()
        .await
        .ok();
    let path = format!(
        "payment_intents/{}/confirm",
        elsewhere["id"].as_str().unwrap()
    );
    assert_eq!(
        provider
            .post(&path, &form)
            .on_account("acct_other")
            .send()
            .await
            .status,
        404
    );
    let first = provider.create_unpaid_intent(1000).await;
    let path = format!("payment_intents/{}/confirm", first["id"].as_str().unwrap());
    let client = format!(
        "{form}&client_secret={}",
        first["client_secret"].as_str().unwrap()
    );
    let confirmed = provider
        .post(&path, &client)
        .with_publishable_key()
        .on_account(CLUB_ACCOUNT_ID)
        .send()
        .await
        .ok();
    assert_eq!(confirmed["status"], "requires_capture");
    let second = provider.create_unpaid_intent(1000).await;
    assert_eq!(
        confirm_intent(&provider, &second, &form).await.error()["param"],
        "payment_method"
    );
}

#[actix_web::test]
async fn test_card_declines_match_the_provider() {
    let provider = SandboxProvider::start();
    for (number, code, decline_code) in [
        ("4000000000000002", "card_declined", "generic_decline"),
        ("4000000000009995", "card_declined", "insufficient_funds"),
        ("4000000000009987", "card_declined", "lost_card"),
    ] {
        let method = provider
            .post("payment_methods", &card_form(number))
            .with_publishable_key()
            .send()
            .await
            .ok();
        let intent = provider.create_unpaid_intent(1000).await;
        let form = format!("payment_method={}", method["id"].as_str().unwrap());
        let answer = confirm_intent(&provider, &intent, &form).await;
        assert_eq!(
            (&answer.error()["code"], &answer.error()["decline_code"]),
            (&code.into(), &decline_code.into())
        );
    }
    let wrong = provider
        .post("payment_methods", &card_form("4242424242424241"))
        .with_publishable_key()
        .send()
        .await;
    assert_eq!(
        (wrong.status, &wrong.error()["code"]),
        (402, &"incorrect_number".into())
    );
}

#[actix_web::test]
async fn three_d_secure_outcome_decides_the_status() {
    let provider = SandboxProvider::start();
    for (outcome, status) in [
        ("complete", "requires_capture"),
        ("fail", "requires_payment_method"),
    ] {
        let intent = provider.create_unpaid_intent(1000).await;
        let challenged = confirm_intent(
            &provider,
            &intent,
            "payment_method=pm_card_authenticationRequired",
        )
        .await
        .ok();
        assert_eq!(challenged["status"], "requires_action");
        assert_eq!(challenged["next_action"]["type"], "use_stripe_sdk");
        let path = format!(
            "payment_intents/{}/authenticate",
            intent["id"].as_str().unwrap()
        );
        let form = format!(
            "outcome={outcome}&client_secret={}",
            intent["client_secret"].as_str().unwrap()
        );
        let answered = provider
            .post(&path, &form)
            .with_publishable_key()
            .send()
            .await
            .ok();
        assert_eq!(answered["status"], status);
        assert!(answered["next_action"].is_null());
    }
}

#[actix_web::test]
async fn amount_changed_during_challenge_needs_confirmation() {
    let provider = SandboxProvider::start();
    let intent = provider.create_unpaid_intent(1000).await;
    confirm_intent(
        &provider,
        &intent,
        "payment_method=pm_card_authenticationRequired",
    )
    .await
    .ok();
    let path = format!("payment_intents/{}", intent["id"].as_str().unwrap());
    assert_eq!(
        provider.post(&path, "amount=2000").send().await.ok()["status"],
        "requires_confirmation"
    );
    let late = provider
        .post(&format!("{path}/authenticate"), "outcome=complete")
        .send()
        .await;
    assert_eq!(late.error()["code"], "payment_intent_unexpected_state");
}

#[actix_web::test]
async fn token_becomes_a_payment_method() {
    let provider = SandboxProvider::start();
    let token = provider
        .post("tokens", &card_form("4242424242424242"))
        .with_publishable_key()
        .send()
        .await
        .ok();
    let form = format!("type=card&card[token]={}", token["id"].as_str().unwrap());
    let method = provider.post("payment_methods", &form).send().await.ok();
    let intent = provider.create_unpaid_intent(1000).await;
    let confirmed = confirm_intent(
        &provider,
        &intent,
        &format!("payment_method={}", method["id"].as_str().unwrap()),
    )
    .await;
    assert_eq!(confirmed.ok()["status"], "requires_capture");
}
