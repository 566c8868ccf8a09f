//! Tickets kept for a while.

use reqwest::Method;
use serde_json::json;
use server::sandbox::faults::{Faults, WebhookFaults};

use crate::support::TestServer;
use crate::support::buyer::Intent;

#[actix_web::test]
async fn another_count_resizes_the_same_payment() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    let alice = server.alice();
    let first = alice.intent(draw, 2).await;
    let second = alice.intent(draw, 5).await;
    assert_eq!((second.id(), second.amount()), (first.id(), 2500));
    let third = alice.intent(draw, 1).await;
    assert_eq!((third.id(), third.amount()), (first.id(), 500));
    assert_eq!(
        server.engine.draws.view(draw).await.expect("a view").held,
        1
    );
    alice.authorise(&third).await;
    assert_eq!(
        alice.complete(draw, 1, &third).await.ok()["tickets"]
            .as_array()
            .map(Vec::len),
        Some(1)
    );
    server.finish().await;
}

#[actix_web::test]
async fn two_tabs_at_once_make_one_payment() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    let alice = server.alice();
    alice.get("/api/config").await;
    let (one, other) = tokio::join!(alice.intent(draw, 2), alice.intent(draw, 3));
    assert_eq!(one.id(), other.id());
    let view = server.engine.draws.view(draw).await.expect("a view");
    assert!([2, 3].contains(&view.held), "{}", view.held);
    server.finish().await;
}

#[actix_web::test]
async fn a_reservation_is_shown_for_two_minutes_and_may_be_kept_longer() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    let (alice, bob) = (server.alice(), server.bob());
    let intent = alice.intent(draw, 2).await;
    let path = format!(
        "/api/reservations/{}/extend",
        intent.body["reservationId"].as_str().expect("an id")
    );
    server.clock.push_seconds(60);
    assert_eq!(
        alice.intent(draw, 2).await.body["expiresAt"],
        intent.body["expiresAt"],
        "asking again prolongs nothing"
    );
    let kept = alice.post(&path, json!({})).await.ok();
    assert_eq!(kept["extensionsLeft"], 9);
    assert!(
        kept["expiresAt"].as_str() > intent.body["expiresAt"].as_str(),
        "{kept}"
    );
    bob.post(&path, json!({})).await.refused(404, "not-found");
    server.clock.push_seconds(151);
    alice
        .post(&path, json!({}))
        .await
        .refused(409, "reservation-expired");
    server.finish().await;
}

#[actix_web::test]
async fn who_leaves_lets_the_tickets_go() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    let (alice, bob) = (server.alice(), server.bob());
    let intent = alice.intent(draw, 7).await;
    let path = format!(
        "/api/reservations/{}",
        intent.body["reservationId"].as_str().expect("an id")
    );
    bob.call(Method::DELETE, &path, None)
        .await
        .refused(404, "not-found");
    assert_eq!(alice.call(Method::DELETE, &path, None).await.status, 204);
    assert_eq!(
        server.engine.draws.view(draw).await.expect("a view").held,
        0
    );
    assert_eq!(
        alice.call(Method::DELETE, &path, None).await.status,
        204,
        "again"
    );
    assert_ne!(
        alice.intent(draw, 1).await.id(),
        intent.id(),
        "a new order begins"
    );
    server.finish().await;
}

#[actix_web::test]
async fn a_payment_after_the_reservation_lapsed_gets_tickets_only_if_some_are_free() {
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
    let (alice, bob) = (server.alice(), server.bob());
    let (first, second) = (alice.intent(draw, 50).await, bob.intent(draw, 2).await);
    server.clock.push_seconds(151);
    let crowd = ["a", "b", "c"].map(|_| server.bob());
    for buyer in &crowd {
        buyer.buys(draw, 50).await;
    }
    bob.authorise(&second).await;
    assert_eq!(
        bob.complete(draw, 2, &second).await.ok()["status"],
        "succeeded",
        "late, but there was room"
    );
    alice.authorise(&first).await;
    let refused = alice
        .complete(draw, 50, &first)
        .await
        .refused(409, "not-charged");
    let words = "Tickets No Longer Available: Only 17 tickets remaining. Please adjust your selection. You have not been charged.";
    assert_eq!(refused["message"], words);
    alice.sees(&first, "not_charged").await;
    assert_eq!(server.sandbox.ledger()["total"]["authorised_count"], 0);
    server.finish().await;
}

#[actix_web::test]
async fn a_cart_takes_over_the_draw_that_was_reserved_alone() {
    let server = TestServer::start().await;
    let club = server.club("broncos").await;
    let (first, second) = (server.draw(club.id).await, server.draw(club.id).await);
    let alice = server.alice();
    let alone = alice.intent(first, 10).await;
    let cart = Intent {
        body: alice.ask_for_cart(&[(first, 1), (second, 1)]).await.ok(),
    };
    assert_ne!(cart.id(), alone.id());
    assert_eq!(
        server.engine.draws.view(first).await.expect("a view").held,
        1
    );
    assert_eq!(alice.order(&alone).await["status"], "not_charged");
    server.finish().await;
}
