//! Carts: one payment buys tickets of several draws of one club, or none of them.

use sandbox::faults::{Faults, WebhookFaults};
use serde_json::json;

use crate::support::TestServer;
use crate::support::buyer::{Intent, cart_request_items};

#[actix_web::test]
async fn cart_is_one_payment_for_several_draws() {
    let server = TestServer::start().await;
    let club = server.create_club("broncos").await;
    let (first, second) = (
        server.create_draw(club.id).await,
        server.create_draw(club.id).await,
    );
    let alice = server.alice();
    let lines = [(second, 2), (first, 3)];
    let intent = Intent {
        body: alice.request_cart_intent(&lines).await.ok(),
    };
    assert_eq!(
        (
            intent.amount(),
            intent.body["items"].as_array().map(Vec::len)
        ),
        (2500, Some(2))
    );
    alice.authorise(&intent).await;
    let body = json!({ "items": cart_request_items(&lines), "buyer": alice.details(), "paymentIntentId": intent.id(),
        "ageConfirmation": true, "termsAgreement": true });
    let bought = alice.post("/api/purchase-cart", body).await.ok();
    assert_eq!(bought["tickets"].as_array().map(Vec::len), Some(5));
    let order = alice.fetch_order_of(&intent).await;
    assert_eq!(order["lines"].as_array().map(Vec::len), Some(2));
    assert_eq!(server.sandbox.ledger()["total"]["count"], 1);
    server.finish().await;
}

#[actix_web::test]
async fn cart_with_unavailable_draw_reserves_nothing_and_names_draw() {
    let server = TestServer::start().await;
    let club = server.create_club("broncos").await;
    let (first, second) = (
        server.create_draw(club.id).await,
        server.create_draw(club.id).await,
    );
    let crowd = ["a", "b", "c"].map(|_| server.bob());
    for bob in &crowd {
        bob.open_intent(second, 50).await;
    }
    let alice = server.alice();
    let refused = alice
        .request_cart_intent(&[(first, 5), (second, 20)])
        .await
        .expect_refusal(409, "tickets-unavailable");
    assert_eq!(
        (&refused["available"], &refused["drawNumber"]),
        (&json!(19), &json!(second.0))
    );
    let message =
        "Tickets No Longer Available: Only 19 tickets remaining. Please adjust your selection.";
    assert_eq!(refused["message"], message);
    assert_eq!(
        server
            .engine
            .draws
            .view(first)
            .await
            .expect("the draw has a view")
            .held,
        0
    );
    server.finish().await;
}

#[actix_web::test]
async fn cart_with_started_game_is_not_charged() {
    let server = TestServer::start().await;
    let lost = WebhookFaults {
        lost: 1.0,
        ..WebhookFaults::default()
    };
    server.sandbox.set_faults(Faults {
        webhook: lost,
        ..Faults::default()
    });
    let club = server.create_club("broncos").await;
    let (first, second) = (
        server.create_draw(club.id).await,
        server.create_draw(club.id).await,
    );
    let alice = server.alice();
    let lines = [(first, 2), (second, 2)];
    let intent = Intent {
        body: alice.request_cart_intent(&lines).await.ok(),
    };
    alice.authorise(&intent).await;
    server.start_game(second).await;
    let body = json!({ "items": cart_request_items(&lines), "buyer": alice.details(), "paymentIntentId": intent.id(),
        "ageConfirmation": true, "termsAgreement": true });
    alice
        .post("/api/purchase-cart", body)
        .await
        .expect_refusal(409, "not-charged");
    alice.wait_for_status(&intent, "not_charged").await;
    let view = server
        .engine
        .draws
        .view(first)
        .await
        .expect("the draw has a view");
    assert_eq!((view.sold, view.held), (0, 0));
    assert_eq!(server.sandbox.ledger()["total"]["captured"], 0);
    server.finish().await;
}

#[actix_web::test]
async fn cart_of_two_clubs_is_refused() {
    let server = TestServer::start().await;
    let (broncos, storm) = (
        server.create_club("broncos").await,
        server.create_club("storm").await,
    );
    let (first, second) = (
        server.create_draw(broncos.id).await,
        server.create_draw(storm.id).await,
    );
    server
        .alice()
        .request_cart_intent(&[(first, 1), (second, 1)])
        .await
        .expect_refusal(400, "mixed-clubs");
    server.finish().await;
}

#[actix_web::test]
async fn price_sent_by_browser_is_ignored() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let alice = server.alice();
    let body = json!({ "items": [
        { "drawId": draw.0, "quantity": 2, "ticketPrice": "0.01", "passStripeFees": false, "clubId": 99 },
    ]});
    let intent = Intent {
        body: alice
            .post("/api/cart/create-payment-intent", body)
            .await
            .ok(),
    };
    assert_eq!(intent.amount(), 1000);
    server.finish().await;
}
