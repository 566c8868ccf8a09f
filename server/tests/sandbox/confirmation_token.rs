//! Confirmation tokens: the payment details with which a server confirms one intent.

use serde_json::{Value, json};

use crate::support::{SandboxProvider, SandboxResponse};

const RETURN_URL: &str = "https://doubles.example.com/thank-you";
const SHOWN: &str = "&client_context[mode]=payment&client_context[amount]=1000&client_context[currency]=aud\
                     &client_context[capture_method]=manual";

fn token_form(number: &str, more: &str) -> String {
    format!(
        "payment_method_data[type]=card&payment_method_data[card][number]={number}\
         &payment_method_data[card][exp_month]=12&payment_method_data[card][exp_year]=2034\
         &payment_method_data[card][cvc]=123&payment_method_data[billing_details][name]=Alice{more}"
    )
}

async fn create_token(provider: &SandboxProvider, number: &str, more: &str) -> Value {
    provider
        .post("confirmation_tokens", &token_form(number, more))
        .with_publishable_key()
        .send()
        .await
        .ok()
}

fn id_of(object: &Value) -> &str {
    object["id"].as_str().expect("an id")
}

/// Confirms as a server does, with a return URL.
async fn confirm_with_token(
    provider: &SandboxProvider,
    intent: &Value,
    token: &str,
) -> SandboxResponse {
    let form = format!("confirmation_token={token}&return_url={RETURN_URL}&use_stripe_sdk=true");
    confirm(provider, intent, &form).await
}

async fn confirm(provider: &SandboxProvider, intent: &Value, form: &str) -> SandboxResponse {
    let path = format!("payment_intents/{}/confirm", id_of(intent));
    provider.post(&path, form).send().await
}

async fn status_of(provider: &SandboxProvider, intent: &Value) -> Value {
    let path = format!("payment_intents/{}", id_of(intent));
    provider.get(&path).send().await.ok()["status"].clone()
}

#[actix_web::test]
async fn confirmation_token_confirms_one_intent() {
    let provider = SandboxProvider::start();
    let token = create_token(&provider, "4242424242424242", SHOWN).await;
    assert_eq!(token["object"], "confirmation_token");
    assert!(id_of(&token).starts_with("ctoken_"));
    assert_eq!(
        token["expires_at"].as_i64().unwrap() - token["created"].as_i64().unwrap(),
        43_200
    );
    let preview = &token["payment_method_preview"];
    assert_eq!(
        (
            &preview["card"]["last4"],
            &preview["billing_details"]["name"],
            &token["payment_intent"]
        ),
        (&json!("4242"), &json!("Alice"), &Value::Null)
    );

    let intent = provider.create_unpaid_intent(1000).await;
    let confirmed = confirm_with_token(&provider, &intent, id_of(&token))
        .await
        .ok();
    assert_eq!(confirmed["status"], "requires_capture");
    let path = format!("confirmation_tokens/{}", id_of(&token));
    let used = provider.get(&path).send().await.ok();
    assert_eq!(
        (&used["payment_intent"], &used["expires_at"]),
        (&intent["id"], &Value::Null)
    );

    let second = provider.create_unpaid_intent(1000).await;
    let again = confirm_with_token(&provider, &second, id_of(&token)).await;
    assert_eq!(
        (again.status, &again.error()["param"]),
        (400, &json!("confirmation_token"))
    );
    assert_eq!(
        status_of(&provider, &second).await,
        "requires_payment_method"
    );
}

#[actix_web::test]
async fn declined_confirmation_token_is_used_up() {
    let provider = SandboxProvider::start();
    let intent = provider.create_unpaid_intent(1000).await;
    let token = create_token(&provider, "4000000000000002", SHOWN).await;
    let declined = confirm_with_token(&provider, &intent, id_of(&token)).await;
    assert_eq!(declined.error()["code"], "card_declined");
    let again = confirm_with_token(&provider, &intent, id_of(&token)).await;
    assert_eq!(again.error()["type"], "invalid_request_error");
    let other = create_token(&provider, "4242424242424242", SHOWN).await;
    let paid = confirm_with_token(&provider, &intent, id_of(&other))
        .await
        .ok();
    assert_eq!(paid["status"], "requires_capture");
}

#[actix_web::test]
async fn repeated_confirmation_with_token_and_key_is_replayed() {
    let provider = SandboxProvider::start();
    let intent = provider.create_unpaid_intent(1000).await;
    let token = create_token(&provider, "4242424242424242", SHOWN).await;
    let form = format!(
        "confirmation_token={}&return_url={RETURN_URL}",
        id_of(&token)
    );
    let path = format!("payment_intents/{}/confirm", id_of(&intent));
    for is_replay in [false, true] {
        let answer = provider
            .post(&path, &form)
            .with_idempotency_key("k")
            .send()
            .await;
        assert_eq!(answer.replayed, is_replay);
        assert_eq!(answer.ok()["status"], "requires_capture");
    }
}

#[actix_web::test]
async fn refused_confirmation_token_changes_nothing() {
    let provider = SandboxProvider::start();
    let intent = provider.create_unpaid_intent(1000).await;
    let refusal = async |form: String| {
        let answer = confirm(&provider, &intent, &form).await;
        assert_eq!(answer.status, 400, "{form}: {}", answer.body);
        assert_eq!(
            status_of(&provider, &intent).await,
            "requires_payment_method"
        );
        (
            answer.error()["code"].clone(),
            answer.error()["param"].clone(),
        )
    };
    let unknown = format!("confirmation_token=ctoken_unknown&return_url={RETURN_URL}");
    assert_eq!(
        refusal(unknown).await,
        (json!("resource_missing"), json!("confirmation_token"))
    );

    let token = create_token(&provider, "4242424242424242", SHOWN).await;
    let token = id_of(&token);
    assert_eq!(
        refusal(format!("confirmation_token={token}")).await.1,
        "return_url"
    );
    assert_eq!(
        refusal(format!("confirmation_token={token}&return_url=/thank-you")).await,
        (json!("url_invalid"), json!("return_url"))
    );
    assert_eq!(
        refusal(format!(
            "confirmation_token={token}&payment_method=pm_card_visa&return_url={RETURN_URL}"
        ))
        .await
        .1,
        "confirmation_token"
    );
    let shown = SHOWN.replace("amount]=1000", "amount]=900");
    let other_amount = create_token(&provider, "4242424242424242", &shown).await;
    let form = format!(
        "confirmation_token={}&return_url={RETURN_URL}",
        id_of(&other_amount)
    );
    assert_eq!(refusal(form).await.1, "confirmation_token");

    let paid = confirm_with_token(&provider, &intent, token).await.ok();
    assert_eq!(
        paid["status"], "requires_capture",
        "the token is still unused"
    );
}

#[actix_web::test]
async fn only_stripe_js_creates_confirmation_tokens_from_card_data() {
    let provider = SandboxProvider::start();
    let form = token_form("4242424242424242", SHOWN);
    let by_server = provider.post("confirmation_tokens", &form).send().await;
    assert_eq!(by_server.status, 401);
    let elsewhere = create_token(&provider, "4242424242424242", SHOWN).await;
    let path = format!("confirmation_tokens/{}", id_of(&elsewhere));
    let foreign = provider.get(&path).on_account("acct_other").send().await;
    assert_eq!(foreign.status, 404, "a token belongs to its account");

    let intent = provider.create_unpaid_intent(1000).await;
    let token = provider
        .post(
            "test_helpers/confirmation_tokens",
            "payment_method=pm_card_visa",
        )
        .send()
        .await
        .ok();
    let paid = confirm_with_token(&provider, &intent, id_of(&token))
        .await
        .ok();
    assert_eq!(paid["status"], "requires_capture");
}

#[actix_web::test]
async fn card_data_from_a_server_is_refused() {
    let provider = SandboxProvider::start();
    let intent = provider.create_unpaid_intent(1000).await;
    let form = "payment_method_data[type]=card&payment_method_data[card][token]=tok_visa";
    let refused = confirm(&provider, &intent, form).await;
    assert_eq!(
        (refused.status, &refused.error()["code"]),
        (400, &json!("parameter_unknown"))
    );
}
