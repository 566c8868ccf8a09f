//! A club's financials agree with the provider's ledger to the cent.

use domain::{Cents, DrawId};
use serde_json::{Value, json};

use crate::support::buyer::{Intent, cart_request_items};
use crate::support::server::eventually;
use crate::support::{Buyer, TestServer, club};

pub fn absolute_cents_from_json(value: &Value) -> i64 {
    Cents::parse(value.as_str().expect("an amount").trim_start_matches('-'))
        .expect("dollars")
        .0
}

async fn buy_cart(buyer: &Buyer, lines: &[(DrawId, u16)]) {
    let intent = Intent {
        body: buyer.request_cart_intent(lines).await.ok(),
    };
    buyer.authorise(&intent).await;
    let body = json!({ "items": cart_request_items(lines), "buyer": buyer.details(), "paymentIntentId": intent.id(),
        "ageConfirmation": true, "termsAgreement": true });
    assert_eq!(
        buyer.post("/api/purchase-cart", body).await.ok()["status"],
        "succeeded"
    );
}

/// Sells tickets of two draws of one club: single orders and a cart. One draw passes the card fee
/// on to its buyers, and no order reaches the fee cap.
pub async fn sell_tickets_of_two_draws(server: &TestServer) -> (DrawId, DrawId, Buyer) {
    let broncos = server.create_club("broncos").await;
    let one = server
        .create_draw_with(broncos.id, |new| new.pass_card_fee = true)
        .await;
    let two = server.create_draw_with(broncos.id, |new| {
        new.price = Cents(730);
        new.home_team = "Sharks".into();
    });
    let two = two.await;
    server.alice().buy(one, 3).await;
    server.bob().buy(two, 2).await;
    server.alice().buy(two, 1).await;
    buy_cart(&server.bob(), &[(one, 1), (two, 4)]).await;
    (one, two, club::sign_in_as_club(server, "broncos").await)
}

#[actix_web::test]
async fn club_financials_match_provider_ledger() {
    let server = TestServer::start().await;
    let (one, two, browser) = sell_tickets_of_two_draws(&server).await;
    let financials_of = async |draw: DrawId| {
        browser
            .get(&format!("/api/draws/{draw}/financials"))
            .await
            .ok()
    };
    let settled_financials = async || {
        let (one, two) = (financials_of(one).await, financials_of(two).await);
        (one["feesEstimated"] == false && two["feesEstimated"] == false).then_some((one, two))
    };
    let (first, second) = eventually("the provider's fees are known", settled_financials).await;
    assert_eq!(
        (&first["soldTickets"], &second["soldTickets"]),
        (&json!(4), &json!(7))
    );
    assert_eq!(
        (&first["totalRevenue"], &second["totalRevenue"]),
        (&json!("20.00"), &json!("51.10"))
    );
    assert_eq!(
        (
            &first["actualTransactionCount"],
            &second["actualTransactionCount"]
        ),
        (&json!(2), &json!(3))
    );
    let sum = |field: &str| {
        absolute_cents_from_json(&first[field]) + absolute_cents_from_json(&second[field])
    };
    let ledger = server.sandbox.ledger();
    let account = &ledger["accounts"]["acct_broncos"];
    let provider_sum = |field: &str| account[field].as_i64().expect("cents");
    assert_eq!(
        sum("totalRevenue") + sum("cardFeesPaidByBuyers"),
        provider_sum("captured"),
        "{ledger}"
    );
    assert_eq!(
        sum("actualStripeFees"),
        provider_sum("stripe_fees"),
        "{ledger}"
    );
    assert_eq!(sum("platformFee"), provider_sum("fees"), "{ledger}");
    assert_eq!(
        sum("clubRevenue"),
        provider_sum("captured") - provider_sum("stripe_fees") - provider_sum("fees"),
        "{ledger}"
    );
    for draw in [&first, &second] {
        assert_eq!(
            absolute_cents_from_json(&draw["clubProfit"]),
            absolute_cents_from_json(&draw["clubRevenue"])
                - absolute_cents_from_json(&draw["prizePool"])
        );
    }
    let id = browser.get("/api/admin/whoami").await.ok()["user"]["id"].clone();
    let stats = browser.get(&format!("/api/clubs/{id}/stats")).await.ok();
    assert_eq!(
        absolute_cents_from_json(&stats["totalRevenue"]),
        sum("totalRevenue")
    );
    assert_eq!(
        absolute_cents_from_json(&stats["clubProfit"]),
        sum("clubProfit")
    );
    assert_eq!(stats["ticketsSold"], 11);
    assert_eq!(
        stats["draws"],
        json!({ "active": 2, "awaiting": 0, "completed": 0 })
    );
    server.finish().await;
}

/// Stripe may compute its own fee after the capture. Until then the reports estimate it.
#[actix_web::test]
async fn stripe_fee_that_appears_late_replaces_the_estimate() {
    let server = TestServer::start_with_movable_clock().await;
    server.sandbox.set_balance_transaction_delay(600);
    let draw = server.create_club_with_draw().await;
    let begin = server.now();
    server.alice().buy(draw, 2).await;
    let browser = club::sign_in_as_club(&server, "broncos").await;
    let path = format!("/api/draws/{draw}/financials");
    let read = async || browser.get(&path).await.ok();
    let scan = async || {
        let report = server
            .engine
            .reconciler
            .scan_payments(begin.plus_seconds(-60))
            .await;
        assert_eq!(report.expect("the scan runs").unsettled, 0);
    };
    scan().await;
    let estimated = read().await;
    assert_eq!(estimated["feesEstimated"], true);
    let advance = json!({ "advanceSeconds": 700 });
    server.alice().post("/sandbox/clock", advance).await.ok();
    scan().await;
    let known = read().await;
    assert_eq!(known["feesEstimated"], false);
    let fees = server.sandbox.ledger()["total"]["stripe_fees"].as_i64();
    assert_eq!(
        Some(absolute_cents_from_json(&known["actualStripeFees"])),
        fees
    );
    server.finish().await;
}
