use crate::support::{CLUB_ACCOUNT_ID, SandboxProvider};

#[actix_web::test]
async fn new_intent_has_every_required_field() {
    let provider = SandboxProvider::start();
    let intent = provider
        .post("payment_intents", "amount=1049&currency=aud&capture_method=manual&metadata[order_id]=7&automatic_payment_methods[enabled]=true")
        .send()
        .await
        .ok();
    for field in [
        "id",
        "object",
        "created",
        "livemode",
        "payment_method_types",
        "confirmation_method",
        "client_secret",
    ] {
        assert!(!intent[field].is_null(), "{field} is missing");
    }
    assert_eq!(intent["amount"], 1049);
    assert_eq!(
        (&intent["amount_capturable"], &intent["amount_received"]),
        (&0.into(), &0.into())
    );
    assert_eq!(intent["capture_method"], "manual");
    assert_eq!(intent["metadata"]["order_id"], "7");
    assert_eq!(intent["status"], "requires_payment_method");
    assert_eq!(intent["automatic_payment_methods"]["enabled"], true);
}

#[actix_web::test]
async fn intent_of_another_account_is_not_found() {
    let provider = SandboxProvider::start();
    let id = provider.create_unpaid_intent(1000).await["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let path = format!("payment_intents/{id}");
    for request in [
        provider.get(&path).on_account("acct_other"),
        provider.get(&path).on_platform_account(),
    ] {
        let answer = request.send().await;
        assert_eq!(answer.status, 404);
        assert_eq!(answer.error()["code"], "resource_missing");
        assert_eq!(
            answer.error()["message"],
            format!("No such payment_intent: '{id}'")
        );
    }
    provider
        .get(&path)
        .on_account(CLUB_ACCOUNT_ID)
        .send()
        .await
        .ok();
}

#[actix_web::test]
async fn expand_takes_only_fields_with_objects() {
    let provider = SandboxProvider::start();
    let id = provider.create_captured_intent(1000, 35).await;
    let fee = provider.fetch_charge(&id).await["application_fee"].clone();
    assert_eq!(fee["amount"], 35, "the account sees its own fee");
    let too_deep = "latest_charge.application_fee.charge.payment_intent.latest_charge";
    for path in ["metadata.fee", "amount", "colour", too_deep] {
        let form = format!("amount=1000&currency=aud&metadata[fee]=fee_1&expand[]={path}");
        let refused = provider.post("payment_intents", &form).send().await;
        assert_eq!(refused.status, 400, "{path}");
        assert_eq!(refused.error()["param"], "expand", "{path}");
    }
}

#[actix_web::test]
async fn invalid_amounts_are_refused_like_the_provider() {
    let provider = SandboxProvider::start();
    let refused = |form: &str| provider.post("payment_intents", form);
    assert_eq!(
        refused("currency=aud").send().await.error()["param"],
        "amount"
    );
    assert_eq!(
        refused("amount=49&currency=aud").send().await.error()["code"],
        "amount_too_small"
    );
    assert_eq!(
        refused("amount=x&currency=aud").send().await.error()["code"],
        "parameter_invalid_integer"
    );
    assert_eq!(
        refused("amount=100").send().await.error()["param"],
        "currency"
    );
    let fee_on_own = refused("amount=100&currency=aud&application_fee_amount=5")
        .on_platform_account()
        .send()
        .await;
    assert_eq!(fee_on_own.error()["param"], "application_fee_amount");
}

#[actix_web::test]
async fn amount_is_fixed_after_authorisation() {
    let provider = SandboxProvider::start();
    let intent = provider.create_unpaid_intent(1000).await;
    let path = format!("payment_intents/{}", intent["id"].as_str().unwrap());
    let updated = provider
        .post(&path, "amount=2000&metadata[draws]=1042x4")
        .send()
        .await
        .ok();
    assert_eq!(updated["amount"], 2000);
    assert_eq!(updated["client_secret"], intent["client_secret"]);
    provider
        .post(&format!("{path}/confirm"), "payment_method=pm_card_visa")
        .send()
        .await
        .ok();
    let late = provider.post(&path, "amount=3000").send().await;
    assert_eq!(
        (late.status, &late.error()["code"]),
        (400, &"payment_intent_unexpected_state".into())
    );
    assert_eq!(late.error()["payment_intent"]["amount"], 2000);
    let same = provider
        .post(&path, "amount=2000&metadata[draws]=")
        .send()
        .await
        .ok();
    assert_eq!(same["metadata"].as_object().unwrap().len(), 0);
}

#[actix_web::test]
async fn lists_are_newest_first_and_paged() {
    let provider = SandboxProvider::start();
    let mut ids = Vec::new();
    for amount in [100, 200, 300] {
        ids.push(
            provider.create_unpaid_intent(amount).await["id"]
                .as_str()
                .unwrap()
                .to_owned(),
        );
    }
    provider
        .post("payment_intents", "amount=400&currency=aud")
        .on_account("acct_other")
        .send()
        .await
        .ok();
    let amounts = |page: &serde_json::Value| -> Vec<i64> {
        page["data"]
            .as_array()
            .unwrap()
            .iter()
            .map(|intent| intent["amount"].as_i64().unwrap())
            .collect()
    };
    let first = provider
        .get("payment_intents?limit=2&created[gte]=1700000000")
        .send()
        .await
        .ok();
    assert_eq!(
        (amounts(&first), &first["has_more"]),
        (vec![300, 200], &true.into())
    );
    let rest = provider
        .get(&format!(
            "payment_intents?limit=2&starting_after={}",
            ids[1]
        ))
        .send()
        .await
        .ok();
    assert_eq!(
        (amounts(&rest), &rest["has_more"]),
        (vec![100], &false.into())
    );
    let before = provider
        .get(&format!("payment_intents?limit=1&ending_before={}", ids[0]))
        .send()
        .await
        .ok();
    assert_eq!(
        (amounts(&before), &before["has_more"]),
        (vec![200], &true.into())
    );
    let future = provider
        .get("payment_intents?created[gt]=4000000000")
        .send()
        .await
        .ok();
    assert_eq!(amounts(&future).len(), 0);
}

#[actix_web::test]
async fn api_key_grants_only_its_endpoints() {
    let provider = SandboxProvider::start();
    let intent = provider.create_unpaid_intent(1000).await;
    let path = format!("payment_intents/{}", intent["id"].as_str().unwrap());
    let secret = intent["client_secret"].as_str().unwrap();
    assert_eq!(
        provider.get(&path).with_api_key("").send().await.status,
        401
    );
    assert_eq!(
        provider
            .get(&path)
            .with_api_key("sk_live_1")
            .send()
            .await
            .status,
        401
    );
    assert_eq!(
        provider
            .get(&path)
            .with_publishable_key()
            .send()
            .await
            .status,
        400
    );
    let retrieved = provider
        .get(&format!("{path}?client_secret={secret}"))
        .with_publishable_key()
        .send()
        .await
        .ok();
    assert!(
        retrieved.get("metadata").is_none(),
        "the browser does not see metadata"
    );
    assert_eq!(
        provider
            .post(&format!("{path}/capture"), "")
            .with_publishable_key()
            .send()
            .await
            .status,
        401
    );
    assert_eq!(
        provider
            .get("payment_intents")
            .with_publishable_key()
            .send()
            .await
            .status,
        401
    );
}
