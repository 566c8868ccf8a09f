//! Reservations: resize, extend, release and expiry.

use reqwest::Method;
use sandbox::faults::{Faults, WebhookFaults};
use serde_json::json;

use crate::support::TestServer;
use crate::support::buyer::Intent;

#[actix_web::test]
async fn changed_count_resizes_same_payment() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let alice = server.alice();
    let first = alice.open_intent(draw, 2).await;
    let second = alice.open_intent(draw, 5).await;
    assert_eq!((second.id(), second.amount()), (first.id(), 2500));
    let third = alice.open_intent(draw, 1).await;
    assert_eq!((third.id(), third.amount()), (first.id(), 500));
    assert_eq!(
        server
            .engine
            .draws
            .view(draw)
            .await
            .expect("the draw has a view")
            .held,
        1
    );
    alice.authorise(&third).await;
    assert_eq!(
        alice.complete_card_purchase(draw, 1, &third).await.ok()["tickets"]
            .as_array()
            .map(Vec::len),
        Some(1)
    );
    server.finish().await;
}

#[actix_web::test]
async fn concurrent_tabs_share_one_payment() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let alice = server.alice();
    alice.get("/api/config").await;
    let (one, other) = tokio::join!(alice.open_intent(draw, 2), alice.open_intent(draw, 3));
    assert_eq!(one.id(), other.id());
    let view = server
        .engine
        .draws
        .view(draw)
        .await
        .expect("the draw has a view");
    assert!([2, 3].contains(&view.held), "{}", view.held);
    server.finish().await;
}

#[actix_web::test]
async fn reservation_expires_after_two_minutes_unless_extended() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let (alice, bob) = (server.alice(), server.bob());
    let intent = alice.open_intent(draw, 2).await;
    let path = format!(
        "/api/reservations/{}/extend",
        intent.body["reservationId"]
            .as_str()
            .expect("the id is text")
    );
    server.clock.advance_seconds(60);
    assert_eq!(
        alice.open_intent(draw, 2).await.body["expiresAt"],
        intent.body["expiresAt"],
        "opening again does not extend the reservation"
    );
    let extended = alice.post(&path, json!({})).await.ok();
    assert_eq!(extended["extensionsLeft"], 9);
    assert!(
        extended["expiresAt"].as_str() > intent.body["expiresAt"].as_str(),
        "{extended}"
    );
    bob.post(&path, json!({}))
        .await
        .expect_refusal(404, "not-found");
    server.clock.advance_seconds(151);
    alice
        .post(&path, json!({}))
        .await
        .expect_refusal(409, "reservation-expired");
    server.finish().await;
}

#[actix_web::test]
async fn released_reservation_frees_tickets() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let (alice, bob) = (server.alice(), server.bob());
    let intent = alice.open_intent(draw, 7).await;
    let path = format!(
        "/api/reservations/{}",
        intent.body["reservationId"]
            .as_str()
            .expect("the id is text")
    );
    bob.call(Method::DELETE, &path, None)
        .await
        .expect_refusal(404, "not-found");
    assert_eq!(alice.call(Method::DELETE, &path, None).await.status, 204);
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
    assert_eq!(
        alice.call(Method::DELETE, &path, None).await.status,
        204,
        "a repeated release answers the same"
    );
    assert_ne!(
        alice.open_intent(draw, 1).await.id(),
        intent.id(),
        "the next call opens a new order"
    );
    server.finish().await;
}

#[actix_web::test]
async fn payment_after_lapsed_reservation_needs_free_tickets() {
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
    let (alice, bob) = (server.alice(), server.bob());
    let (first, second) = (
        alice.open_intent(draw, 50).await,
        bob.open_intent(draw, 2).await,
    );
    server.clock.advance_seconds(151);
    let crowd = ["a", "b", "c"].map(|_| server.bob());
    for buyer in &crowd {
        buyer.buy(draw, 50).await;
    }
    bob.authorise(&second).await;
    assert_eq!(
        bob.complete_card_purchase(draw, 2, &second).await.ok()["status"],
        "succeeded",
        "tickets are still free after the expiry"
    );
    alice.authorise(&first).await;
    let refused = alice
        .complete_card_purchase(draw, 50, &first)
        .await
        .expect_refusal(409, "not-charged");
    let message = "Tickets No Longer Available: Only 17 tickets remaining. Please adjust your selection. You have not been charged.";
    assert_eq!(refused["message"], message);
    alice.wait_for_status(&first, "not_charged").await;
    assert_eq!(server.sandbox.ledger()["total"]["authorised_count"], 0);
    server.finish().await;
}

#[actix_web::test]
async fn cart_replaces_single_draw_reservation() {
    let server = TestServer::start().await;
    let club = server.create_club("broncos").await;
    let (first, second) = (
        server.create_draw(club.id).await,
        server.create_draw(club.id).await,
    );
    let alice = server.alice();
    let alone = alice.open_intent(first, 10).await;
    let cart = Intent {
        body: alice
            .request_cart_intent(&[(first, 1), (second, 1)])
            .await
            .ok(),
    };
    assert_ne!(cart.id(), alone.id());
    assert_eq!(
        server
            .engine
            .draws
            .view(first)
            .await
            .expect("the draw has a view")
            .held,
        1
    );
    assert_eq!(alice.fetch_order_of(&alone).await["status"], "not_charged");
    server.finish().await;
}
