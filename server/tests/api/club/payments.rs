//! The pages that list captured and failed payments. Each club sees only its own payments (B:84-87,
//! decision G-2).

use domain::DrawId;
use serde_json::{Value, json};

use crate::support::buyer::Intent;
use crate::support::server::eventually;
use crate::support::{Buyer, DECLINED_CARD, TestServer, club};

const PAYMENT_REPORT_PATHS: [&str; 3] = [
    "/api/stripe-debug",
    "/api/admin/payment-integrity-audit",
    "/api/admin/payment-recovery-report",
];

const PAYMENT_SUMS_PATH: &str = "/api/stripe-debug/sums";

/// Opens a payment and confirms it with a card that is declined. The provider then sends a webhook.
async fn decline_card(buyer: &Buyer, draw: DrawId, count: u16) -> Intent {
    let intent = buyer.open_intent(draw, count).await;
    assert_eq!(buyer.confirm(&intent, DECLINED_CARD).await.status, 402);
    intent
}

async fn wait_for_failed_payments(browser: &Buyer, expected: usize) -> Value {
    eventually("the provider's webhooks are handled", async || {
        let audit = browser.get(PAYMENT_REPORT_PATHS[1]).await.ok();
        (audit["failedPayments"].as_array().map(Vec::len) == Some(expected)).then_some(audit)
    })
    .await
}

#[actix_web::test]
async fn club_lists_only_its_own_payments_with_payment_method() {
    let server = TestServer::start().await;
    let broncos = server.create_club_with_draw().await;
    let storm = server.create_club("storm").await;
    let other_draw = server.create_draw(storm.id).await;
    let (alice, bob) = (server.alice(), server.bob());
    let (by_card, _) = alice.buy(broncos, 2).await;
    let by_wallet = bob.open_intent(broncos, 1).await;
    let card = bob
        .create_payment_method(
            &by_wallet,
            "4242424242424242",
            "&card[wallet][type]=apple_pay",
        )
        .await;
    bob.confirm(&by_wallet, &card).await.ok();
    assert_eq!(
        bob.complete_checkout_purchase(broncos, 1, &by_wallet)
            .await
            .ok()["status"],
        "succeeded"
    );
    server.bob().buy(other_draw, 1).await;
    let browser = club::sign_in_as_club(&server, "broncos").await;
    let transactions = browser.get(PAYMENT_REPORT_PATHS[0]).await.ok();
    let row = |intent: &Intent| {
        let rows = transactions.as_array().expect("a JSON list");
        rows.iter()
            .find(|row| row["paymentIntentId"] == intent.id())
            .cloned()
            .expect("its row")
    };
    assert_eq!(
        transactions.as_array().map(Vec::len),
        Some(2),
        "{transactions}"
    );
    let (first, second) = (row(&by_card), row(&by_wallet));
    assert_eq!(
        (&first["customerCharged"], &first["platformFee"]),
        (&json!("10.00"), &json!("0.35"))
    );
    assert_eq!(
        (&first["prizePool"], &first["paymentMethod"]),
        (&json!("0.00"), &json!("card"))
    );
    assert_eq!(second["paymentMethod"], "apple_pay");
    let own = browser.get(PAYMENT_SUMS_PATH).await.ok();
    assert_eq!(
        (&own["count"], &own["totalCharged"], &own["prizePools"]),
        (&json!(2), &json!("15.00"), &json!("0.00"))
    );
    server.create_operator().await;
    let operator = club::sign_in_as_operator(&server).await;
    assert_eq!(
        operator
            .get(PAYMENT_REPORT_PATHS[0])
            .await
            .ok()
            .as_array()
            .map(Vec::len),
        Some(3)
    );
    assert_eq!(
        operator.get(PAYMENT_SUMS_PATH).await.ok()["totalCharged"],
        "20.00"
    );
    for path in PAYMENT_REPORT_PATHS.into_iter().chain([PAYMENT_SUMS_PATH]) {
        server
            .alice()
            .get(path)
            .await
            .expect_refusal(401, "unauthenticated");
    }
    server.finish().await;
}

#[actix_web::test]
async fn declined_card_is_listed_for_its_club_and_operator() {
    let server = TestServer::start().await;
    let broncos = server.create_club_with_draw().await;
    let storm = server.create_club("storm").await;
    let other_draw = server.create_draw(storm.id).await;
    let (alice, bob) = (server.alice(), server.bob());
    let abandoning_buyer = server.alice();
    abandoning_buyer.open_intent(broncos, 1).await;
    let own = decline_card(&alice, broncos, 2).await;
    let other = decline_card(&bob, other_draw, 3).await;
    let browser = club::sign_in_as_club(&server, "broncos").await;
    let audit = wait_for_failed_payments(&browser, 1).await;
    let row = &audit["failedPayments"][0];
    assert_eq!(
        (&row["paymentIntentId"], &row["amount"]),
        (&json!(own.id()), &json!(1000))
    );
    assert_eq!(row["status"], "requires_payment_method");
    let metadata =
        json!({ "drawId": broncos.to_string(), "ticketCount": "2", "paymentMethod": "card" });
    assert_eq!(row["metadata"], metadata);
    let age = server.now().0 / 1000 - row["created"].as_i64().expect("seconds");
    assert!((0..120).contains(&age), "{row}");
    assert_eq!(
        (&audit["totalFailedAmount"], &audit["affectedCustomers"]),
        (&json!(1000), &json!(1))
    );
    let report = browser.get(PAYMENT_REPORT_PATHS[2]).await;
    assert_eq!(
        report.header("content-type"),
        Some("text/plain; charset=utf-8")
    );
    for text in [
        "Failed payments: 1",
        own.id(),
        "$10.00",
        "generic_decline",
        "2 tickets",
    ] {
        assert!(
            report.text.contains(text),
            "{text} is missing in\n{}",
            report.text
        );
    }
    for secret in ["Alice", "alice@example.com", other.id()] {
        assert!(!report.text.contains(secret), "{secret}");
    }
    server.create_operator().await;
    let operator = club::sign_in_as_operator(&server).await;
    let audit = wait_for_failed_payments(&operator, 2).await;
    assert_eq!(
        (&audit["totalFailedAmount"], &audit["affectedCustomers"]),
        (&json!(2500), &json!(2))
    );
    assert_eq!(audit["failedCount"], 2);
    // A payment that succeeds with a second card is removed from the list of failed payments.
    alice.authorise(&own).await;
    assert_eq!(
        alice
            .complete_checkout_purchase(broncos, 2, &own)
            .await
            .ok()["status"],
        "succeeded"
    );
    wait_for_failed_payments(&browser, 0).await;
    assert_eq!(
        wait_for_failed_payments(&operator, 1).await["failedPayments"][0]["paymentIntentId"],
        other.id()
    );
    let older = "with moved as (update orders set opened_at = opened_at - interval '31 days'
         where payment_intent_id = $1 returning 1) select count(*) from moved";
    assert_eq!(server.database.query_number(older, other.id()).await, 1);
    wait_for_failed_payments(&operator, 0).await;
    server.finish().await;
}
