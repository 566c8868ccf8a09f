//! Paying with a method the browser made: the server confirms.

use serde_json::{Value, json};
use server::sandbox::faults::Fault;

use crate::support::buyer::{Buyer, Intent, items};
use crate::support::{BAD_CARD, CARD_WITH_3DS, GOOD_CARD, TestServer};

async fn pays_cart(
    alice: &Buyer,
    lines: &[(domain::DrawId, u16)],
    method: &str,
) -> crate::support::buyer::Answer {
    alice
        .post(
            "/api/cart/complete-card-payment",
            cart(alice, lines, method),
        )
        .await
}

fn cart(alice: &Buyer, lines: &[(domain::DrawId, u16)], method: &str) -> Value {
    json!({ "items": items(lines), "buyer": alice.details(), "ageConfirmation": true, "termsAgreement": true,
        "paymentMethodId": method })
}

#[actix_web::test]
async fn a_carts_card_is_confirmed_declined_and_tried_again() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    let alice = server.alice();
    let intent = Intent {
        body: alice.ask_for_cart(&[(draw, 2)]).await.ok(),
    };
    let declined = pays_cart(&alice, &[(draw, 2)], BAD_CARD)
        .await
        .refused(402, "declined");
    assert_eq!(declined["message"], "Your card was declined.");
    let paid = pays_cart(&alice, &[(draw, 2)], GOOD_CARD).await.ok();
    assert_eq!(
        (&paid["status"], &paid["paymentIntentId"]),
        (&json!("succeeded"), &json!(intent.id()))
    );
    let again = pays_cart(&alice, &[(draw, 2)], GOOD_CARD).await.ok();
    assert_eq!(
        again["tickets"], paid["tickets"],
        "a repeated call never buys twice"
    );
    assert_eq!(server.sandbox.ledger()["total"]["count"], 1);
    server.finish().await;
}

/// The server takes an address as the mailer reads it, and says so while nothing is charged.
#[actix_web::test]
async fn a_carts_card_is_not_charged_while_its_tickets_would_reach_nobody() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    let alice = server.alice();
    let intent = Intent {
        body: alice.ask_for_cart(&[(draw, 1)]).await.ok(),
    };
    for email in [
        "alice..liddell@example.com",
        "alice.@example.com",
        "alice(home)@example.com",
        "not an address",
    ] {
        let mut body = cart(&alice, &[(draw, 1)], GOOD_CARD);
        body["buyer"]["buyerEmail"] = json!(email);
        let refused = alice
            .post("/api/cart/complete-card-payment", body)
            .await
            .refused(400, "email-invalid");
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
    let paid = pays_cart(&alice, &[(draw, 1)], GOOD_CARD).await.ok();
    assert_eq!(
        (&paid["status"], &paid["paymentIntentId"]),
        (&json!("succeeded"), &json!(intent.id()))
    );
    server.finish().await;
}

#[actix_web::test]
async fn a_carts_card_that_asks_for_3ds_is_finished_by_the_browser() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    let alice = server.alice();
    let intent = Intent {
        body: alice.ask_for_cart(&[(draw, 1)]).await.ok(),
    };
    let asked = pays_cart(&alice, &[(draw, 1)], CARD_WITH_3DS).await.ok();
    assert_eq!(
        (&asked["success"], &asked["status"]),
        (&json!(false), &json!("requires_action"))
    );
    assert_eq!(asked["clientSecret"], json!(intent.secret()));
    alice.authenticate(&intent, "complete").await.ok();
    let body = json!({ "items": items(&[(draw, 1)]), "paymentIntentId": intent.id(), "buyer": alice.details(),
        "ageConfirmation": true, "termsAgreement": true });
    assert_eq!(
        alice.post("/api/purchase-cart", body).await.ok()["status"],
        "succeeded"
    );
    server.finish().await;
}

/// The bank asks in its own app, and the tab is gone when the buyer comes back from it.
#[actix_web::test]
async fn who_never_comes_back_from_the_bank_has_the_tickets_mailed() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    let alice = server.alice();
    let opens = async || {
        let body = json!({ "items": items(&[(draw, 1)]) });
        Intent {
            body: alice
                .post("/api/cart/create-payment-intent", body)
                .await
                .ok(),
        }
    };
    let intent = opens().await;
    assert_eq!(
        pays_cart(&alice, &[(draw, 1)], CARD_WITH_3DS).await.ok()["status"],
        "requires_action"
    );
    alice.authenticate(&intent, "complete").await.ok();
    let mail = server.mail("tickets").await;
    assert_eq!(
        (mail.to.as_str(), &alice.order(&intent).await["buyerName"]),
        ("alice@example.com", &json!("Alice"))
    );

    // A wallet, as well.
    let intent = opens().await;
    let info = json!({ "name": "Mum", "email": "mum@example.com", "phone": "0411 000 012" });
    let body = json!({ "items": items(&[(draw, 1)]), "paymentMethodId": CARD_WITH_3DS, "customerInfo": info });
    assert_eq!(
        alice.post("/api/process-wallet-payment", body).await.ok()["status"],
        "requires_action"
    );
    alice.authenticate(&intent, "complete").await.ok();
    assert_eq!(server.mail("tickets").await.to, "mum@example.com");
    server.finish().await;
}

#[actix_web::test]
async fn a_carts_buyer_is_corrected_after_a_decline_and_by_nobody_elses_browser() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    let (alice, bob) = (server.alice(), server.bob());
    let typo = json!({ "buyerName": "Alise", "buyerEmail": "alice@exmaple.com", "buyerPhone": "0411 000 010" });
    let opening = json!({ "items": items(&[(draw, 1)]), "buyer": typo });
    let intent = Intent {
        body: alice
            .post("/api/cart/create-payment-intent", opening)
            .await
            .ok(),
    };
    pays_cart(&alice, &[(draw, 1)], BAD_CARD)
        .await
        .refused(402, "declined");
    assert_eq!(alice.order(&intent).await["buyerName"], "Alice");
    // Whoever got hold of the secret may pay for her, and names nobody in her place.
    let foreign = json!({ "clientSecret": intent.secret(), "paymentMethodId": BAD_CARD, "buyer": bob.details() });
    bob.post("/api/payments/confirm-wallet", foreign)
        .await
        .refused(402, "declined");
    assert_eq!(alice.order(&intent).await["buyerName"], "Alice");
    let paid = pays_cart(&alice, &[(draw, 1)], GOOD_CARD).await.ok();
    assert_eq!(
        (&paid["status"], &paid["paymentIntentId"]),
        (&json!("succeeded"), &json!(intent.id()))
    );
    assert_eq!(server.mail("tickets").await.to, "alice@example.com");
    server.finish().await;
}

#[actix_web::test]
async fn a_wallet_pays_with_its_method_its_secret_or_its_token() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    let alice = server.alice();
    let info = json!({ "name": "Alice", "email": "alice@example.com", "phone": "0411 000 001" });
    let wallet = json!({ "drawNumber": draw.0, "ticketCount": 1, "paymentMethodId": GOOD_CARD, "customerInfo": info });
    let bought = alice.post("/api/process-wallet-payment", wallet).await.ok();
    assert_eq!(
        (&bought["success"], &bought["tickets"][0]["ticketNumber"]),
        (&json!(true), &json!(1))
    );

    let intent = alice.intent(draw, 1).await;
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
        .refused(404, "order-unknown");
    server.finish().await;
}

#[actix_web::test]
async fn a_confirmation_without_a_known_outcome_is_tried_again_not_declined() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    let alice = server.alice();
    let intent = Intent {
        body: alice.ask_for_cart(&[(draw, 2)]).await.ok(),
    };
    for fault in [Fault::Error500, Fault::TimeoutBefore] {
        server.sandbox.fail_next("/confirm", fault);
        pays_cart(&alice, &[(draw, 2)], GOOD_CARD)
            .await
            .refused(503, "unavailable");
    }
    server.sandbox.fail_next("/confirm", Fault::TimeoutAfter);
    let bad = alice.method(&intent, "4000000000000002", "").await;
    let declined = pays_cart(&alice, &[(draw, 2)], &bad)
        .await
        .refused(402, "declined");
    assert_eq!(
        declined["message"], "Your card was declined.",
        "the intent, read again, says so"
    );
    server.sandbox.fail_next("/confirm", Fault::Error500);
    // What the intent says of that card is no answer to the next.
    pays_cart(&alice, &[(draw, 2)], GOOD_CARD)
        .await
        .refused(503, "unavailable");
    let paid = pays_cart(&alice, &[(draw, 2)], GOOD_CARD).await.ok();
    assert_eq!(
        paid["status"], "succeeded",
        "no remembered error answers for the next card"
    );
    server.finish().await;
}

#[actix_web::test]
async fn only_the_providers_token_ids_are_taken() {
    let server = TestServer::start().await;
    let draw = server.game().await;
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
            .refused(400, "token-refused");
    }
    assert_eq!(
        server.engine.draws.view(draw).await.expect("a view").held,
        0
    );
    server.finish().await;
}

#[actix_web::test]
async fn a_wallets_token_pays_and_a_declined_one_does_not() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    let alice = server.alice();
    let pays = async |token: &str| {
        let body = json!({ "drawId": draw.0, "ticketCount": 2, "paymentToken": token,
            "customerInfo": { "name": "Alice", "email": "alice@example.com", "phone": "0411 000 001" } });
        alice.post("/api/process-purchase", body).await
    };
    let declined = pays("tok_chargeDeclined").await.refused(402, "declined");
    assert_eq!(declined["message"], "Your card was declined.");
    let paid = pays("tok_visa").await.ok();
    assert_eq!(
        (&paid["success"], &paid["status"]),
        (&json!(true), &json!("succeeded")),
        "{paid}"
    );
    assert_eq!(paid["tickets"].as_array().map(Vec::len), Some(2));
    assert_eq!(server.sandbox.ledger()["total"]["captured"], 1000);
    server.finish().await;
}
