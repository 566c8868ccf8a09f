//! The payment pages: what was paid and what came to nothing, each club its own (B:84-87, decision G-2).

use domain::DrawId;
use serde_json::{Value, json};

use crate::support::buyer::Intent;
use crate::support::server::eventually;
use crate::support::{BAD_CARD, Buyer, TestServer, club};

const PAGES: [&str; 3] = [
    "/api/stripe-debug",
    "/api/admin/payment-integrity-audit",
    "/api/admin/payment-recovery-report",
];

const SUMS: &str = "/api/stripe-debug/sums";

/// The bank says no; the provider tells us so.
async fn declined(buyer: &Buyer, draw: DrawId, count: u16) -> Intent {
    let intent = buyer.intent(draw, count).await;
    assert_eq!(buyer.confirm(&intent, BAD_CARD).await.status, 402);
    intent
}

async fn failures(browser: &Buyer, wanted: usize) -> Value {
    eventually("the provider's notices are read", async || {
        let audit = browser.get(PAGES[1]).await.ok();
        (audit["failedPayments"].as_array().map(Vec::len) == Some(wanted)).then_some(audit)
    })
    .await
}

#[actix_web::test]
async fn a_club_sees_its_own_payments_and_how_each_was_made() {
    let server = TestServer::start().await;
    let broncos = server.game().await;
    let storm = server.club("storm").await;
    let theirs = server.draw(storm.id).await;
    let (alice, bob) = (server.alice(), server.bob());
    let (by_card, _) = alice.buys(broncos, 2).await;
    let by_wallet = bob.intent(broncos, 1).await;
    let card = bob
        .method(
            &by_wallet,
            "4242424242424242",
            "&card[wallet][type]=apple_pay",
        )
        .await;
    bob.confirm(&by_wallet, &card).await.ok();
    assert_eq!(
        bob.purchase(broncos, 1, &by_wallet).await.ok()["status"],
        "succeeded"
    );
    server.bob().buys(theirs, 1).await;
    let browser = club::club(&server, "broncos").await;
    let seen = browser.get(PAGES[0]).await.ok();
    let row = |intent: &Intent| {
        let rows = seen.as_array().expect("rows");
        rows.iter()
            .find(|row| row["paymentIntentId"] == intent.id())
            .cloned()
            .expect("its row")
    };
    assert_eq!(seen.as_array().map(Vec::len), Some(2), "{seen}");
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
    let own = browser.get(SUMS).await.ok();
    assert_eq!(
        (&own["count"], &own["totalCharged"], &own["prizePools"]),
        (&json!(2), &json!("15.00"), &json!("0.00"))
    );
    server.operator().await;
    let operator = club::operator(&server).await;
    assert_eq!(
        operator.get(PAGES[0]).await.ok().as_array().map(Vec::len),
        Some(3)
    );
    assert_eq!(operator.get(SUMS).await.ok()["totalCharged"], "20.00");
    for path in PAGES.into_iter().chain([SUMS]) {
        server
            .alice()
            .get(path)
            .await
            .refused(401, "unauthenticated");
    }
    server.finish().await;
}

#[actix_web::test]
async fn a_declined_card_is_listed_for_its_club_and_for_the_operator() {
    let server = TestServer::start().await;
    let broncos = server.game().await;
    let storm = server.club("storm").await;
    let theirs = server.draw(storm.id).await;
    let (alice, bob) = (server.alice(), server.bob());
    let left = server.alice();
    left.intent(broncos, 1).await;
    let own = declined(&alice, broncos, 2).await;
    let other = declined(&bob, theirs, 3).await;
    let browser = club::club(&server, "broncos").await;
    let audit = failures(&browser, 1).await;
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
    let report = browser.get(PAGES[2]).await;
    assert_eq!(
        report.header("content-type"),
        Some("text/plain; charset=utf-8")
    );
    for words in [
        "Failed payments: 1",
        own.id(),
        "$10.00",
        "generic_decline",
        "2 tickets",
    ] {
        assert!(
            report.text.contains(words),
            "{words} is missing in\n{}",
            report.text
        );
    }
    for secret in ["Alice", "alice@example.com", other.id()] {
        assert!(!report.text.contains(secret), "{secret}");
    }
    server.operator().await;
    let operator = club::operator(&server).await;
    let audit = failures(&operator, 2).await;
    assert_eq!(
        (&audit["totalFailedAmount"], &audit["affectedCustomers"]),
        (&json!(2500), &json!(2))
    );
    assert_eq!(audit["failedCount"], 2);
    // Paid with another card, it is no failure any more.
    alice.authorise(&own).await;
    assert_eq!(
        alice.purchase(broncos, 2, &own).await.ok()["status"],
        "succeeded"
    );
    failures(&browser, 0).await;
    assert_eq!(
        failures(&operator, 1).await["failedPayments"][0]["paymentIntentId"],
        other.id()
    );
    let older = "with moved as (update orders set opened_at = opened_at - interval '31 days'
         where payment_intent_id = $1 returning 1) select count(*) from moved";
    assert_eq!(server.database.count(older, other.id()).await, 1);
    failures(&operator, 0).await;
    server.finish().await;
}
