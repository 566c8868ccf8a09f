//! The sandbox refuses what Stripe refuses before a call runs: keys, versions, parameters and values.

use crate::support::SandboxProvider;

const VALID: &str = "amount=1000&currency=aud";

#[actix_web::test]
async fn key_needs_the_form_of_a_test_key() {
    let provider = SandboxProvider::start();
    let restricted = provider
        .sandbox
        .create_restricted_key(&["balance_transaction_source_read"]);
    for key in ["sk_test_abc", &restricted] {
        provider.get("balance").with_api_key(key).send().await.ok();
    }
    for key in [
        "rk_test_unknown",
        "sk_live_abc",
        "sk_test_",
        "sk_test_a-b",
        "test_abc",
        "sk_abc",
    ] {
        let refused = provider.get("balance").with_api_key(key).send().await;
        assert_eq!(refused.status, 401, "{key}");
    }
}

#[actix_web::test]
async fn key_is_accepted_as_basic_user_name() {
    let provider = SandboxProvider::start();
    // `sk_test_1:` and `wrong:` in base64.
    for (credentials, status) in [
        ("Basic c2tfdGVzdF8xOg==", 200),
        ("Basic d3Jvbmc6", 401),
        ("Basic ?", 401),
        ("Digest c2tfdGVzdF8xOg==", 401),
    ] {
        let answer = provider
            .get("balance")
            .with_authorization(credentials)
            .send()
            .await;
        assert_eq!(answer.status, status, "{credentials}");
    }
}

#[actix_web::test]
async fn unknown_version_is_refused() {
    let provider = SandboxProvider::start();
    for version in ["2026-09-30.endive", "2026-10-28.endive"] {
        provider
            .get("balance")
            .with_version(version)
            .send()
            .await
            .ok();
    }
    for version in ["2019-01-01", "endive", "2026-10-28"] {
        let refused = provider.get("balance").with_version(version).send().await;
        assert_eq!(refused.status, 400, "{version}");
    }
}

#[actix_web::test]
async fn refused_request_changes_nothing() {
    let provider = SandboxProvider::start();
    let long_value = "v".repeat(501);
    for (parameter, code) in [
        ("colour=red".to_owned(), "parameter_unknown"),
        ("metadata[a][b]=c".to_owned(), ""),
        ("capture_method=later".to_owned(), ""),
        ("confirm=yes".to_owned(), ""),
        ("description=".to_owned(), "parameter_invalid_empty"),
        ("currency=auu".to_owned(), ""),
        (format!("metadata[note]={long_value}"), ""),
        ("statement_descriptor=FOOTBALL".to_owned(), ""),
        ("statement_descriptor_suffix=1234".to_owned(), ""),
        ("return_url=javascript:alert(1)".to_owned(), "url_invalid"),
    ] {
        let form = match parameter.split_once('=') {
            Some(("currency", _)) => format!("amount=1000&{parameter}"),
            _ => format!("{VALID}&{parameter}"),
        };
        let refused = provider
            .post("payment_intents", &form)
            .with_idempotency_key("refused-request")
            .send()
            .await;
        assert_eq!(refused.status, 400, "{parameter}: {}", refused.body);
        assert_eq!(
            refused.error()["code"].as_str().unwrap_or_default(),
            code,
            "{parameter}"
        );
    }
    let listed = provider.get("payment_intents").send().await.ok();
    assert_eq!(listed["data"], serde_json::json!([]));
    provider
        .post("payment_intents", VALID)
        .with_idempotency_key("refused-request")
        .send()
        .await
        .ok();
}

#[actix_web::test]
async fn expired_card_makes_no_payment_method() {
    let provider = SandboxProvider::start();
    for (expiry, code) in [
        (
            "card[exp_month]=1&card[exp_year]=2020",
            "invalid_expiry_year",
        ),
        (
            "card[exp_month]=13&card[exp_year]=2034",
            "invalid_expiry_month",
        ),
    ] {
        let form = format!("type=card&card[number]=4242424242424242&{expiry}");
        let refused = provider.post("payment_methods", &form).send().await;
        assert_eq!(
            (refused.status, &refused.error()["code"]),
            (402, &code.into()),
            "{expiry}"
        );
    }
}

#[actix_web::test]
async fn off_schema_token_of_a_server_is_refused() {
    let provider = SandboxProvider::start();
    let intent = provider.create_unpaid_intent(1000).await;
    let path = format!("payment_intents/{}/confirm", intent["id"].as_str().unwrap());
    let form = "payment_method_data[type]=card&payment_method_data[card][token]=tok_visa";
    let refused = provider.post(&path, form).send().await;
    assert_eq!(refused.status, 400);
    assert_eq!(refused.error()["param"], "payment_method_data[type]");
}
