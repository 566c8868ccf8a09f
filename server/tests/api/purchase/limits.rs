//! What a purchase may not do.

use domain::Cents;
use serde_json::json;
use server::identity::Browser;
use server::sandbox::faults::{Faults, WebhookFaults};

use crate::support::TestServer;

#[actix_web::test]
async fn another_amount_than_expected_is_told_and_nothing_is_kept() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    let alice = server.alice();
    let body = json!({ "drawNumber": draw.0, "ticketCount": 2, "expectedAmount": "9.99" });
    let refused = alice
        .post("/api/create-payment-intent", body)
        .await
        .refused(409, "amount-changed");
    assert_eq!(refused["amount"], 1000);
    assert_eq!(
        server.engine.draws.view(draw).await.expect("a view").held,
        0
    );
    let body = json!({ "drawNumber": draw.0, "ticketCount": 2, "expectedAmount": 1000 });
    alice.post("/api/create-payment-intent", body).await.ok();
    server.finish().await;
}

#[actix_web::test]
async fn who_was_shown_another_amount_is_not_charged_though_it_was_authorised() {
    let server = TestServer::start().await;
    let lost = WebhookFaults {
        lost: 1.0,
        ..WebhookFaults::default()
    };
    server.sandbox.set_faults(Faults {
        webhook: lost,
        ..Faults::default()
    });
    let draw = server.game().await;
    let alice = server.alice();
    let intent = alice.intent(draw, 2).await;
    alice.authorise(&intent).await;
    let mut body = json!({ "drawNumber": draw.0, "ticketCount": 2, "paymentIntentId": intent.id(),
        "ageConfirmation": true, "termsAgreement": true, "expectedAmount": 999 });
    assert_eq!(
        alice
            .post("/api/purchase-tickets", body.clone())
            .await
            .refused(409, "amount-changed")["amount"],
        1000
    );
    assert_eq!(
        alice.sees(&intent, "not_charged").await["state"],
        "released"
    );
    body["expectedAmount"] = json!(1000);
    alice
        .post("/api/purchase-tickets", body)
        .await
        .refused(409, "not-charged");
    let total = &server.sandbox.ledger()["total"];
    assert_eq!(
        (&total["captured"], &total["authorised_count"]),
        (&json!(0), &json!(0))
    );
    alice.buys(draw, 2).await;
    server.finish().await;
}

#[actix_web::test]
async fn who_comes_after_the_last_ticket_is_turned_away_and_nothing_is_noted_of_them() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    for count in [50, 50, 50, 19] {
        server.alice().buys(draw, count).await;
    }
    let late = server.bob();
    let refused = late.ask(draw, 1).await.refused(409, "tickets-unavailable");
    assert_eq!(refused["available"], 0);
    let cookie = late.cookies();
    let value = cookie.split(['=', ';']).nth(1).expect("a session");
    let mut browser = Browser([0; 16]);
    hex::decode_to_slice(value, &mut browser.0).expect("hexadecimal");
    assert!(
        !server.state.open_orders.knows(&browser),
        "a crowd that asks again and again must not fill the memory"
    );
    server.finish().await;
}

#[actix_web::test]
async fn a_draw_sells_169_tickets_and_says_how_many_are_left() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    for _ in 0..3 {
        server.bob().intent(draw, 50).await;
    }
    let alice = server.alice();
    let refused = alice
        .ask(draw, 20)
        .await
        .refused(409, "tickets-unavailable");
    assert_eq!(refused["available"], 19);
    let intent = alice.intent(draw, 19).await;
    server
        .bob()
        .ask(draw, 1)
        .await
        .refused(409, "tickets-unavailable");
    let body = json!({ "drawNumber": draw.0, "ticketCount": 19, "buyer": alice.details(),
        "ageConfirmation": true, "termsAgreement": true });
    assert_eq!(
        alice
            .post("/api/validate-purchase", body.clone())
            .await
            .ok()["valid"],
        true,
        "kept for her"
    );
    let words =
        "Tickets No Longer Available: Only 0 tickets remaining. Please adjust your selection.";
    assert_eq!(
        server.bob().post("/api/validate-purchase", body).await.ok()["errors"][0],
        words
    );
    assert_eq!(intent.amount(), 9500);
    server.finish().await;
}

#[actix_web::test]
async fn a_browser_keeps_at_most_fifty_tickets_at_a_time() {
    let server = TestServer::start().await;
    let club = server.club("broncos").await;
    let (first, second) = (server.draw(club.id).await, server.draw(club.id).await);
    let alice = server.alice();
    let intent = alice.intent(first, 40).await;
    alice
        .ask(second, 11)
        .await
        .refused(409, "too-many-reserved");
    alice.ask(second, 10).await.ok();
    let bob = server.bob();
    bob.get("/api/config").await;
    let (one, other) = tokio::join!(bob.ask(first, 30), bob.ask(second, 30));
    let mut answers = [one.status, other.status];
    answers.sort_unstable();
    assert_eq!(answers, [200, 409], "asking at once gives no more");
    alice.authorise(&intent).await;
    alice.complete(first, 40, &intent).await.ok();
    alice.ask(second, 50).await.ok();
    server.finish().await;
}

#[actix_web::test]
async fn a_browser_opens_ten_payments_a_minute() {
    let server = TestServer::start().await;
    let club = server.club("broncos").await;
    let alice = server.alice();
    alice.get("/api/config").await;
    for _ in 0..10 {
        let draw = server.draw(club.id).await;
        alice.ask(draw, 1).await.ok();
        alice.ask(draw, 2).await.ok();
    }
    let draw = server.draw(club.id).await;
    let refused = alice.ask(draw, 1).await;
    assert!(
        refused
            .header("retry-after")
            .is_some_and(|seconds| seconds.parse::<u32>().is_ok_and(|s| s > 0))
    );
    refused.refused(429, "too-many-requests");
    server.bob().ask(draw, 1).await.ok();
    server.finish().await;
}

#[actix_web::test]
async fn less_than_the_provider_charges_is_refused() {
    let server = TestServer::start().await;
    let club = server.club("broncos").await;
    let draw = server
        .draw_with(club.id, |draw| draw.price = Cents(20))
        .await;
    let alice = server.alice();
    alice.ask(draw, 2).await.refused(400, "below-minimum");
    alice.ask(draw, 3).await.ok();
    server.finish().await;
}

#[actix_web::test]
async fn a_club_without_an_account_cannot_sell() {
    let server = TestServer::start().await;
    let club = server.club("broncos").await;
    let draw = server.draw(club.id).await;
    let account = club.account.expect("an account");
    server
        .records
        .account_updated(&account, false, true, true)
        .await
        .expect("restricted");
    server.state.catalogue.reload().await.expect("read");
    assert_eq!(
        server
            .alice()
            .ask(draw, 1)
            .await
            .refused(403, "setup-required")["setupRequired"],
        true
    );
    server.finish().await;
}

#[actix_web::test]
async fn a_club_that_shut_us_out_at_the_provider_cannot_sell_and_its_buyer_reads_nothing_of_that() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    server
        .database
        .run("update clubs set stripe_connect_account_id = 'left_us'")
        .await;
    server.state.catalogue.reload().await.expect("read");
    let refused = server
        .alice()
        .ask(draw, 1)
        .await
        .refused(403, "setup-required");
    assert_eq!(refused["message"], "This club cannot take payments yet.");
    assert_eq!(
        server.engine.draws.view(draw).await.expect("a view").held,
        0,
        "nothing is kept for it"
    );
    server.finish().await;
}
