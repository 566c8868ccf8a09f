//! Payments that the server confirms with the browser's confirmation token.

use sandbox::faults::Fault;
use serde_json::{Value, json};

use crate::support::TestServer;
use crate::support::buyer::{Buyer, Intent, cart_request_items};

const GOOD_NUMBER: &str = "4242424242424242";
const DECLINED_NUMBER: &str = "4000000000000002";

async fn open_cart(alice: &Buyer, draw: domain::DrawId) -> Intent {
    Intent {
        body: alice.request_cart_intent(&[(draw, 2)]).await.ok(),
    }
}

fn cart_request(alice: &Buyer, draw: domain::DrawId, token: &Value) -> Value {
    json!({ "items": cart_request_items(&[(draw, 2)]), "buyer": alice.details(), "ageConfirmation": true,
        "termsAgreement": true, "confirmationTokenId": token })
}

const CART_PATH: &str = "/api/cart/complete-card-payment";

#[actix_web::test]
async fn repeated_call_with_the_same_token_pays_once() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let alice = server.alice();
    let intent = open_cart(&alice, draw).await;
    let token = alice.create_confirmation_token(&intent, GOOD_NUMBER).await;
    let request = cart_request(&alice, draw, &json!(token));
    let paid = alice.post(CART_PATH, request.clone()).await.ok();
    assert_eq!(
        (&paid["status"], &paid["paymentIntentId"]),
        (&json!("succeeded"), &json!(intent.id()))
    );
    let again = alice.post(CART_PATH, request).await.ok();
    assert_eq!(again["tickets"], paid["tickets"]);
    assert_eq!(server.sandbox.ledger()["total"]["count"], 1);
    server.finish().await;
}

#[actix_web::test]
async fn repeated_call_with_a_declined_token_is_declined_again() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let alice = server.alice();
    let intent = open_cart(&alice, draw).await;
    let token = alice
        .create_confirmation_token(&intent, DECLINED_NUMBER)
        .await;
    for _ in 0..2 {
        let declined = alice
            .post(CART_PATH, cart_request(&alice, draw, &json!(token)))
            .await
            .expect_refusal(402, "declined");
        assert_eq!(declined["message"], "Your card was declined.");
    }
    let other = alice.create_confirmation_token(&intent, GOOD_NUMBER).await;
    let paid = alice
        .post(CART_PATH, cart_request(&alice, draw, &json!(other)))
        .await
        .ok();
    assert_eq!(paid["status"], "succeeded");
    server.finish().await;
}

#[actix_web::test]
async fn lost_answer_to_a_token_is_fetched_under_the_same_key() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let alice = server.alice();
    let intent = open_cart(&alice, draw).await;
    let token = alice
        .create_confirmation_token(&intent, DECLINED_NUMBER)
        .await;
    server.sandbox.fail_next("/confirm", Fault::TimeoutAfter);
    let declined = alice
        .post(CART_PATH, cart_request(&alice, draw, &json!(token)))
        .await
        .expect_refusal(402, "declined");
    assert_eq!(declined["message"], "Your card was declined.");

    let token = alice.create_confirmation_token(&intent, GOOD_NUMBER).await;
    server.sandbox.fail_next("/confirm", Fault::TimeoutAfter);
    let paid = alice
        .post(CART_PATH, cart_request(&alice, draw, &json!(token)))
        .await
        .ok();
    assert_eq!(paid["status"], "succeeded");
    assert_eq!(server.sandbox.ledger()["total"]["count"], 1);
    server.finish().await;
}

#[actix_web::test]
async fn wallet_pays_with_confirmation_token() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let alice = server.alice();
    let info = json!({ "name": "Alice", "email": "alice@example.com", "phone": "0411 000 001" });
    let intent = alice.open_intent(draw, 1).await;
    let token = alice.create_confirmation_token(&intent, GOOD_NUMBER).await;
    let wallet = json!({ "drawNumber": draw.0, "ticketCount": 1, "confirmationTokenId": token, "customerInfo": info });
    let bought = alice.post("/api/process-wallet-payment", wallet).await.ok();
    assert_eq!(
        (&bought["success"], &bought["paymentIntentId"]),
        (&json!(true), &json!(intent.id()))
    );

    let intent = alice.open_intent(draw, 1).await;
    let token = alice.create_confirmation_token(&intent, GOOD_NUMBER).await;
    let confirm = json!({ "clientSecret": intent.secret(), "confirmationTokenId": token, "kind": "apple_pay" });
    let bought = alice
        .post("/api/payments/confirm-wallet", confirm)
        .await
        .ok();
    assert_eq!(bought["status"], "succeeded");
    server.finish().await;
}

#[actix_web::test]
async fn malformed_and_unknown_tokens_are_refused_and_reserve_nothing() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let alice = server.alice();
    for token in [
        json!(""),
        json!("ctoken_"),
        json!("pm_card_visa"),
        json!("tok_visa"),
        json!("4242424242424242"),
        json!("ctoken_1/../../refunds"),
        json!(format!("ctoken_{}", "x".repeat(100))),
        Value::Null,
    ] {
        alice
            .post(CART_PATH, cart_request(&alice, draw, &token))
            .await
            .expect_refusal(400, "payment-method-missing");
    }
    let mut both = cart_request(&alice, draw, &json!("ctoken_1"));
    both["paymentMethodId"] = json!("pm_card_visa");
    alice
        .post(CART_PATH, both)
        .await
        .expect_refusal(400, "payment-method-missing");
    let view = server.engine.draws.view(draw).await;
    assert_eq!(view.expect("the draw has a view").held, 0);

    let intent = open_cart(&alice, draw).await;
    alice
        .post(
            CART_PATH,
            cart_request(&alice, draw, &json!("ctoken_unknown")),
        )
        .await
        .expect_refusal(402, "declined");
    let token = alice.create_confirmation_token(&intent, GOOD_NUMBER).await;
    let paid = alice
        .post(CART_PATH, cart_request(&alice, draw, &json!(token)))
        .await
        .ok();
    assert_eq!(paid["status"], "succeeded", "the order is still open");
    server.finish().await;
}
