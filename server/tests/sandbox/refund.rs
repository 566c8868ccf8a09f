use serde_json::json;

use crate::support::SandboxProvider;

#[actix_web::test]
async fn refunds_are_limited_to_captured_amount() {
    let provider = SandboxProvider::start();
    let id = provider.create_captured_intent(1000, 35).await;
    let form =
        format!("payment_intent={id}&amount=400&reason=requested_by_customer&metadata[order]=7");
    let part = provider.post("refunds", &form).send().await.ok();
    assert_eq!(
        (&part["amount"], &part["status"]),
        (&400.into(), &"succeeded".into())
    );
    assert_eq!(part["metadata"]["order"], "7");
    let charge = provider.fetch_charge(&id).await;
    assert_eq!(
        (&charge["amount_refunded"], &charge["refunded"]),
        (&400.into(), &false.into())
    );
    let greedy = provider
        .post("refunds", &format!("payment_intent={id}&amount=601"))
        .send()
        .await;
    assert_eq!(
        greedy.error()["message"],
        "Refund amount ($6.01) is greater than unrefunded amount on charge ($6.00)"
    );
    let rest = provider
        .post(
            "refunds",
            &format!("charge={}", charge["id"].as_str().unwrap()),
        )
        .send()
        .await
        .ok();
    assert_eq!(rest["amount"], 600);
    let again = provider
        .post("refunds", &format!("payment_intent={id}"))
        .send()
        .await;
    assert_eq!(again.error()["code"], "charge_already_refunded");
    let list = provider
        .get(&format!("refunds?payment_intent={id}"))
        .send()
        .await
        .ok();
    assert_eq!(list["data"].as_array().unwrap().len(), 2);
    let totals = provider.fetch_sandbox_ledger().await;
    assert_eq!(
        (
            &totals["total"]["refunded"],
            &totals["total"]["refund_count"]
        ),
        (&1000.into(), &2.into())
    );
    assert_eq!(
        totals["total"]["fees_refunded"], 0,
        "the platform's fee stays unless it is refunded separately"
    );
}

#[actix_web::test]
async fn uncaptured_payment_cannot_be_refunded() {
    let provider = SandboxProvider::start();
    let held = provider.create_authorised_intent(1000).await;
    let answer = provider
        .post("refunds", &format!("payment_intent={held}"))
        .send()
        .await;
    assert_eq!(answer.error()["code"], "payment_intent_unexpected_state");
    let open = provider.create_unpaid_intent(1000).await;
    let form = format!("payment_intent={}", open["id"].as_str().unwrap());
    assert_eq!(provider.post("refunds", &form).send().await.status, 400);
}

#[actix_web::test]
async fn fee_refund_is_limited_to_remaining_fee() {
    let provider = SandboxProvider::start();
    let id = provider.create_captured_intent(10_000, 350).await;
    let fee = provider.fetch_charge(&id).await["application_fee"]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let path = format!("application_fees/{fee}/refunds");
    assert_eq!(
        provider.post(&path, "amount=100").send().await.status,
        404,
        "a fee is the platform's, not the club's"
    );
    provider
        .post(&path, "amount=100")
        .on_platform_account()
        .send()
        .await
        .ok();
    let greedy = provider
        .post(&path, "amount=251")
        .on_platform_account()
        .send()
        .await;
    assert_eq!(
        greedy.error()["message"],
        "Refund amount ($2.51) is greater than unrefunded amount on fee ($2.50)"
    );
    assert_eq!(
        provider
            .post(&path, "")
            .on_platform_account()
            .send()
            .await
            .ok()["amount"],
        250
    );
    assert_eq!(
        provider
            .post(&path, "amount=1")
            .on_platform_account()
            .send()
            .await
            .status,
        400
    );
    let shown = provider
        .get(&format!("application_fees/{fee}"))
        .on_platform_account()
        .send()
        .await
        .ok();
    assert_eq!(
        (&shown["amount_refunded"], &shown["refunded"]),
        (&350.into(), &true.into())
    );
    assert_eq!(
        provider.get(&path).on_platform_account().send().await.ok()["data"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
}

#[actix_web::test]
async fn proportional_fee_refund_works_on_request() {
    let provider = SandboxProvider::start();
    let id = provider.create_captured_intent(1000, 35).await;
    let form = format!("payment_intent={id}&amount=500&refund_application_fee=true");
    provider.post("refunds", &form).send().await.ok();
    assert_eq!(
        provider.fetch_charge(&id).await["application_fee"]["amount_refunded"],
        18
    );
}

#[actix_web::test]
async fn captured_charge_is_disputed_once() {
    let provider = SandboxProvider::start();
    let id = provider.create_captured_intent(1000, 35).await;
    let dispute = provider
        .call_control_endpoint("dispute", json!({ "paymentIntent": id }))
        .await
        .ok();
    assert_eq!(
        (&dispute["amount"], &dispute["payment_intent"]),
        (&1000.into(), &json!(id))
    );
    assert_eq!(provider.fetch_charge(&id).await["disputed"], true);
    assert_eq!(
        provider
            .call_control_endpoint("dispute", json!({ "paymentIntent": id }))
            .await
            .status,
        400
    );
    let refund = provider
        .post("refunds", &format!("payment_intent={id}"))
        .send()
        .await;
    assert_eq!(refund.error()["code"], "charge_disputed");
    let events = provider
        .get("events?type=charge.dispute.created")
        .send()
        .await
        .ok();
    assert_eq!(events["data"][0]["account"], "acct_club");
}
