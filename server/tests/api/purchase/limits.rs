//! Limits of a purchase: amounts, ticket counts, request rates, and clubs that cannot sell.

use domain::Cents;
use domain::provider_error::ProviderErrorClass;
use sandbox::faults::{Fault, Faults, WebhookFaults};
use serde_json::json;

use crate::support::TestServer;

#[actix_web::test]
async fn unexpected_amount_is_refused_and_reserves_nothing() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let alice = server.alice();
    let body = json!({ "drawNumber": draw.0, "ticketCount": 2, "expectedAmount": "9.99" });
    let refused = alice
        .post("/api/create-payment-intent", body)
        .await
        .expect_refusal(409, "amount-changed");
    assert_eq!(refused["amount"], 1000);
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
    let body = json!({ "drawNumber": draw.0, "ticketCount": 2, "expectedAmount": 1000 });
    alice.post("/api/create-payment-intent", body).await.ok();
    server.finish().await;
}

#[actix_web::test]
async fn authorised_payment_of_unexpected_amount_is_not_charged() {
    let server = TestServer::start().await;
    let lost = WebhookFaults {
        lost: 1.0,
        ..WebhookFaults::default()
    };
    server.sandbox.set_faults(Faults {
        webhook: lost,
        ..Faults::default()
    });
    let draw = server.create_club_with_draw().await;
    let alice = server.alice();
    let intent = alice.open_intent(draw, 2).await;
    alice.authorise(&intent).await;
    let mut body = json!({ "drawNumber": draw.0, "ticketCount": 2, "paymentIntentId": intent.id(),
        "ageConfirmation": true, "termsAgreement": true, "expectedAmount": 999 });
    assert_eq!(
        alice
            .post("/api/purchase-tickets", body.clone())
            .await
            .expect_refusal(409, "amount-changed")["amount"],
        1000
    );
    assert_eq!(
        alice.wait_for_status(&intent, "not_charged").await["state"],
        "released"
    );
    body["expectedAmount"] = json!(1000);
    alice
        .post("/api/purchase-tickets", body)
        .await
        .expect_refusal(409, "not-charged");
    let total = &server.sandbox.ledger()["total"];
    assert_eq!(
        (&total["captured"], &total["authorised_count"]),
        (&json!(0), &json!(0))
    );
    alice.buy(draw, 2).await;
    server.finish().await;
}

#[actix_web::test]
async fn sold_out_request_is_refused_without_storing_state() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    for count in [50, 50, 50, 19] {
        server.alice().buy(draw, count).await;
    }
    let late = server.bob();
    let refused = late
        .request_intent(draw, 1)
        .await
        .expect_refusal(409, "tickets-unavailable");
    assert_eq!(refused["available"], 0);
    let cookie = late.cookies();
    let value = cookie.split(['=', ';']).nth(1).expect("a session");
    let browser = server
        .state
        .browser_cookies
        .verify(value, server.now())
        .expect("a signed cookie");
    assert!(
        !server.state.open_orders.remembers_browser(&browser),
        "a refused browser leaves no state in memory"
    );
    server.finish().await;
}

#[actix_web::test]
async fn draw_sells_169_tickets_and_reports_remaining() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    for _ in 0..3 {
        server.bob().open_intent(draw, 50).await;
    }
    let alice = server.alice();
    let refused = alice
        .request_intent(draw, 20)
        .await
        .expect_refusal(409, "tickets-unavailable");
    assert_eq!(refused["available"], 19);
    let intent = alice.open_intent(draw, 19).await;
    server
        .bob()
        .request_intent(draw, 1)
        .await
        .expect_refusal(409, "tickets-unavailable");
    let body = json!({ "drawNumber": draw.0, "ticketCount": 19, "buyer": alice.details(),
        "ageConfirmation": true, "termsAgreement": true });
    assert_eq!(
        alice
            .post("/api/validate-purchase", body.clone())
            .await
            .ok()["valid"],
        true,
        "Alice's own reservation counts as available"
    );
    let message =
        "Tickets No Longer Available: Only 0 tickets remaining. Please adjust your selection.";
    assert_eq!(
        server.bob().post("/api/validate-purchase", body).await.ok()["errors"][0],
        message
    );
    assert_eq!(intent.amount(), 9500);
    server.finish().await;
}

#[actix_web::test]
async fn browser_reserves_at_most_one_hundred_tickets() {
    let server = TestServer::start().await;
    let club = server.create_club("broncos").await;
    let draws = [
        server.create_draw(club.id).await,
        server.create_draw(club.id).await,
        server.create_draw(club.id).await,
    ];
    let [first, second, third] = draws;
    let alice = server.alice();
    let intent = alice.open_intent(first, 50).await;
    alice
        .request_intent(second, 51)
        .await
        .expect_refusal(400, "count-out-of-range");
    alice.request_intent(second, 40).await.ok();
    alice
        .request_intent(third, 11)
        .await
        .expect_refusal(409, "too-many-reserved");
    alice.request_intent(third, 10).await.ok();
    let bob = server.bob();
    bob.get("/api/config").await;
    let (one, two, three) = tokio::join!(
        bob.request_intent(first, 40),
        bob.request_intent(second, 40),
        bob.request_intent(third, 40)
    );
    let mut answers = [one.status, two.status, three.status];
    answers.sort_unstable();
    assert_eq!(
        answers,
        [200, 200, 409],
        "concurrent requests do not exceed the limit"
    );
    alice.authorise(&intent).await;
    alice.complete_card_purchase(first, 50, &intent).await.ok();
    alice.request_intent(third, 50).await.ok();
    server.finish().await;
}

#[actix_web::test]
async fn browser_opens_at_most_ten_payments_a_minute() {
    let server = TestServer::start().await;
    let club = server.create_club("broncos").await;
    let alice = server.alice();
    alice.get("/api/config").await;
    for _ in 0..10 {
        let draw = server.create_draw(club.id).await;
        alice.request_intent(draw, 1).await.ok();
        alice.request_intent(draw, 2).await.ok();
    }
    let draw = server.create_draw(club.id).await;
    let refused = alice.request_intent(draw, 1).await;
    assert!(
        refused
            .header("retry-after")
            .is_some_and(|seconds| seconds.parse::<u32>().is_ok_and(|s| s > 0))
    );
    refused.expect_refusal(429, "too-many-requests");
    server.bob().request_intent(draw, 1).await.ok();
    server.finish().await;
}

#[actix_web::test]
async fn amount_below_provider_minimum_is_refused() {
    let server = TestServer::start().await;
    let club = server.create_club("broncos").await;
    let draw = server
        .create_draw_with(club.id, |draw| draw.price = Cents(20))
        .await;
    let alice = server.alice();
    alice
        .request_intent(draw, 2)
        .await
        .expect_refusal(400, "below-minimum");
    alice.request_intent(draw, 3).await.ok();
    server.finish().await;
}

#[actix_web::test]
async fn club_without_account_cannot_sell() {
    let server = TestServer::start().await;
    let club = server.create_club("broncos").await;
    let draw = server.create_draw(club.id).await;
    let account = club.account.expect("an account");
    server
        .records
        .update_connected_account_state(&account, false, true, true)
        .await
        .expect("restricted");
    server
        .state
        .catalogue
        .reload()
        .await
        .expect("the read succeeds");
    assert_eq!(
        server
            .alice()
            .request_intent(draw, 1)
            .await
            .expect_refusal(403, "setup-required")["setupRequired"],
        true
    );
    server.finish().await;
}

#[actix_web::test]
async fn deauthorized_club_cannot_sell_and_buyer_sees_neutral_message() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    server
        .database
        .execute_sql("update clubs set stripe_connect_account_id = 'left_us'")
        .await;
    server
        .state
        .catalogue
        .reload()
        .await
        .expect("the read succeeds");
    let refused = server
        .alice()
        .request_intent(draw, 1)
        .await
        .expect_refusal(403, "setup-required");
    assert_eq!(refused["message"], "This club cannot take payments yet.");
    assert_eq!(
        server
            .engine
            .draws
            .view(draw)
            .await
            .expect("the draw has a view")
            .held,
        0,
        "no ticket is reserved"
    );
    server.finish().await;
}

#[actix_web::test]
async fn request_refused_by_provider_is_conflict_without_charge() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let alice = server.alice();
    server
        .sandbox
        .fail_next("/v1/payment_intents", Fault::InvalidRequest);
    let refused = alice
        .request_intent(draw, 1)
        .await
        .expect_refusal(409, "payment-refused");
    let words = ProviderErrorClass::InvalidRequest.guide().buyer;
    assert_eq!(refused["message"], words);
    assert!(words.contains("You have not been charged"), "{words}");
    let view = server.engine.draws.view(draw).await.expect("a view");
    assert_eq!((view.held, view.sold), (0, 0), "no ticket stays reserved");
    assert_eq!(server.sandbox.ledger()["total"]["count"], 0);
    server.finish().await;
}
