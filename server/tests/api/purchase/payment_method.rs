//! Payments in which the browser creates a payment method and the server confirms the payment with
//! it.

use sandbox::faults::Fault;
use serde_json::{Value, json};

use crate::support::buyer::{Buyer, Intent, cart_request_items};
use crate::support::{CARD_WITH_3DS, DECLINED_CARD, GOOD_CARD, TestServer};

async fn pay_cart(
    alice: &Buyer,
    lines: &[(domain::DrawId, u16)],
    method: &str,
) -> crate::support::buyer::ApiResponse {
    alice
        .post(
            "/api/cart/complete-card-payment",
            cart_request(alice, lines, method),
        )
        .await
}

fn cart_request(alice: &Buyer, lines: &[(domain::DrawId, u16)], method: &str) -> Value {
    json!({ "items": cart_request_items(lines), "buyer": alice.details(), "ageConfirmation": true, "termsAgreement": true,
        "paymentMethodId": method })
}

#[actix_web::test]
async fn cart_card_can_be_declined_and_retried_on_same_intent() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let alice = server.alice();
    let intent = Intent {
        body: alice.request_cart_intent(&[(draw, 2)]).await.ok(),
    };
    let declined = pay_cart(&alice, &[(draw, 2)], DECLINED_CARD)
        .await
        .expect_refusal(402, "declined");
    assert_eq!(declined["message"], "Your card was declined.");
    let paid = pay_cart(&alice, &[(draw, 2)], GOOD_CARD).await.ok();
    assert_eq!(
        (&paid["status"], &paid["paymentIntentId"]),
        (&json!("succeeded"), &json!(intent.id()))
    );
    let again = pay_cart(&alice, &[(draw, 2)], GOOD_CARD).await.ok();
    assert_eq!(
        again["tickets"], paid["tickets"],
        "the repeated call returns the same tickets"
    );
    assert_eq!(server.sandbox.ledger()["total"]["count"], 1);
    server.finish().await;
}

/// The server checks the e-mail address by the mailer's rules. It refuses an invalid one before it
/// charges the card.
#[actix_web::test]
async fn cart_card_is_not_charged_with_invalid_email() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let alice = server.alice();
    let intent = Intent {
        body: alice.request_cart_intent(&[(draw, 1)]).await.ok(),
    };
    for email in [
        "alice..liddell@example.com",
        "alice.@example.com",
        "alice(home)@example.com",
        "not an address",
    ] {
        let mut body = cart_request(&alice, &[(draw, 1)], GOOD_CARD);
        body["buyer"]["buyerEmail"] = json!(email);
        let refused = alice
            .post("/api/cart/complete-card-payment", body)
            .await
            .expect_refusal(400, "email-invalid");
        assert_eq!(
            refused["message"], "Valid email address is required",
            "{email}"
        );
    }
    assert_eq!(
        server.sandbox.ledger()["total"]["count"],
        0,
        "nothing was charged"
    );
    let paid = pay_cart(&alice, &[(draw, 1)], GOOD_CARD).await.ok();
    assert_eq!(
        (&paid["status"], &paid["paymentIntentId"]),
        (&json!("succeeded"), &json!(intent.id()))
    );
    server.finish().await;
}

#[actix_web::test]
async fn cart_card_with_3ds_is_completed_by_browser() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let alice = server.alice();
    let intent = Intent {
        body: alice.request_cart_intent(&[(draw, 1)]).await.ok(),
    };
    let challenged = pay_cart(&alice, &[(draw, 1)], CARD_WITH_3DS).await.ok();
    assert_eq!(
        (&challenged["success"], &challenged["status"]),
        (&json!(false), &json!("requires_action"))
    );
    assert_eq!(challenged["clientSecret"], json!(intent.secret()));
    alice.answer_3ds_challenge(&intent, "complete").await.ok();
    let body = json!({ "items": cart_request_items(&[(draw, 1)]), "paymentIntentId": intent.id(), "buyer": alice.details(),
        "ageConfirmation": true, "termsAgreement": true });
    assert_eq!(
        alice.post("/api/purchase-cart", body).await.ok()["status"],
        "succeeded"
    );
    server.finish().await;
}

/// The bank's challenge may open in the bank's app. The buyer may never return from there to the
/// browser tab.
#[actix_web::test]
async fn buyer_who_never_returns_from_3ds_gets_tickets_by_mail() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let alice = server.alice();
    let open_cart = async || {
        let body = json!({ "items": cart_request_items(&[(draw, 1)]) });
        Intent {
            body: alice
                .post("/api/cart/create-payment-intent", body)
                .await
                .ok(),
        }
    };
    let intent = open_cart().await;
    assert_eq!(
        pay_cart(&alice, &[(draw, 1)], CARD_WITH_3DS).await.ok()["status"],
        "requires_action"
    );
    alice.answer_3ds_challenge(&intent, "complete").await.ok();
    let mail = server.next_mail("tickets").await;
    assert_eq!(
        (
            mail.to.as_str(),
            &alice.fetch_order_of(&intent).await["buyerName"]
        ),
        ("alice@example.com", &json!("Alice"))
    );

    // A wallet payment with 3-D Secure also gets its tickets by mail, without a return to the tab.
    let intent = open_cart().await;
    let info = json!({ "name": "Mum", "email": "mum@example.com", "phone": "0411 000 012" });
    let body = json!({ "items": cart_request_items(&[(draw, 1)]), "paymentMethodId": CARD_WITH_3DS, "customerInfo": info });
    assert_eq!(
        alice.post("/api/process-wallet-payment", body).await.ok()["status"],
        "requires_action"
    );
    alice.answer_3ds_challenge(&intent, "complete").await.ok();
    assert_eq!(server.next_mail("tickets").await.to, "mum@example.com");
    server.finish().await;
}

#[actix_web::test]
async fn only_own_browser_corrects_cart_buyer_after_decline() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let (alice, bob) = (server.alice(), server.bob());
    let typo = json!({ "buyerName": "Alise", "buyerEmail": "alice@exmaple.com", "buyerPhone": "0411 000 010" });
    let opening = json!({ "items": cart_request_items(&[(draw, 1)]), "buyer": typo });
    let intent = Intent {
        body: alice
            .post("/api/cart/create-payment-intent", opening)
            .await
            .ok(),
    };
    pay_cart(&alice, &[(draw, 1)], DECLINED_CARD)
        .await
        .expect_refusal(402, "declined");
    assert_eq!(alice.fetch_order_of(&intent).await["buyerName"], "Alice");
    // Another browser that knows the client secret may pay, but cannot change the buyer's details.
    let foreign = json!({ "clientSecret": intent.secret(), "paymentMethodId": DECLINED_CARD, "buyer": bob.details() });
    bob.post("/api/payments/confirm-wallet", foreign)
        .await
        .expect_refusal(402, "declined");
    assert_eq!(alice.fetch_order_of(&intent).await["buyerName"], "Alice");
    let paid = pay_cart(&alice, &[(draw, 1)], GOOD_CARD).await.ok();
    assert_eq!(
        (&paid["status"], &paid["paymentIntentId"]),
        (&json!("succeeded"), &json!(intent.id()))
    );
    assert_eq!(server.next_mail("tickets").await.to, "alice@example.com");
    server.finish().await;
}

#[actix_web::test]
async fn wallet_pays_with_payment_method_or_client_secret() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let alice = server.alice();
    let info = json!({ "name": "Alice", "email": "alice@example.com", "phone": "0411 000 001" });
    let wallet = json!({ "drawNumber": draw.0, "ticketCount": 1, "paymentMethodId": GOOD_CARD, "customerInfo": info });
    let bought = alice.post("/api/process-wallet-payment", wallet).await.ok();
    assert_eq!(
        (&bought["success"], &bought["tickets"][0]["ticketNumber"]),
        (&json!(true), &json!(1))
    );

    let intent = alice.open_intent(draw, 1).await;
    let confirm = json!({ "clientSecret": intent.secret(), "paymentMethodId": GOOD_CARD, "kind": "apple_pay" });
    assert_eq!(
        alice
            .post("/api/payments/confirm-wallet", confirm)
            .await
            .ok()["status"],
        "succeeded"
    );
    let forged = json!({ "clientSecret": format!("{}_secret_guess", intent.id()), "paymentMethodId": GOOD_CARD });
    alice
        .post("/api/payments/confirm-wallet", forged)
        .await
        .expect_refusal(404, "order-unknown");
    server.finish().await;
}

#[actix_web::test]
async fn confirmation_with_unknown_outcome_is_retried_not_declined() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let alice = server.alice();
    let intent = Intent {
        body: alice.request_cart_intent(&[(draw, 2)]).await.ok(),
    };
    for fault in [Fault::Error500, Fault::TimeoutBefore] {
        server.sandbox.fail_next("/confirm", fault);
        pay_cart(&alice, &[(draw, 2)], GOOD_CARD)
            .await
            .expect_refusal(503, "unavailable");
    }
    server.sandbox.fail_next("/confirm", Fault::TimeoutAfter);
    let bad = alice
        .create_payment_method(&intent, "4000000000000002", "")
        .await;
    let declined = pay_cart(&alice, &[(draw, 2)], &bad)
        .await
        .expect_refusal(402, "declined");
    assert_eq!(
        declined["message"], "Your card was declined.",
        "the outcome is read from the intent"
    );
    server.sandbox.fail_next("/confirm", Fault::Error500);
    // The intent still contains the decline of the previous card. The server must not report it for
    // the next card.
    pay_cart(&alice, &[(draw, 2)], GOOD_CARD)
        .await
        .expect_refusal(503, "unavailable");
    let paid = pay_cart(&alice, &[(draw, 2)], GOOD_CARD).await.ok();
    assert_eq!(
        paid["status"], "succeeded",
        "an earlier error is not returned for the next card"
    );
    server.finish().await;
}

#[actix_web::test]
async fn only_provider_token_ids_are_accepted() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let alice = server.alice();
    for token in [
        json!("4242424242424242"),
        json!({ "version": "EC_v1", "data": "…" }),
        json!("pm_card_visa"),
        Value::Null,
    ] {
        let body = json!({ "drawId": draw.0, "ticketCount": 1, "paymentToken": token, "customerInfo": {} });
        alice
            .post("/api/process-purchase", body)
            .await
            .expect_refusal(400, "token-refused");
    }
    assert_eq!(
        server
            .engine
            .draws
            .view(draw)
            .await
            .expect("the draw has a view")
            .held,
        0
    );
    server.finish().await;
}

#[actix_web::test]
async fn wallet_token_pays_and_declined_token_does_not() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let alice = server.alice();
    let pay_with_token = async |token: &str| {
        let body = json!({ "drawId": draw.0, "ticketCount": 2, "paymentToken": token,
            "customerInfo": { "name": "Alice", "email": "alice@example.com", "phone": "0411 000 001" } });
        alice.post("/api/process-purchase", body).await
    };
    let declined = pay_with_token("tok_chargeDeclined")
        .await
        .expect_refusal(402, "declined");
    assert_eq!(declined["message"], "Your card was declined.");
    let paid = pay_with_token("tok_visa").await.ok();
    assert_eq!(
        (&paid["success"], &paid["status"]),
        (&json!(true), &json!("succeeded")),
        "{paid}"
    );
    assert_eq!(paid["tickets"].as_array().map(Vec::len), Some(2));
    assert_eq!(server.sandbox.ledger()["total"]["captured"], 1000);
    server.finish().await;
}
