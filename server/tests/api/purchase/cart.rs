//! Several draws of one club in one payment: all or nothing.

use serde_json::json;
use server::sandbox::faults::{Faults, WebhookFaults};

use crate::support::TestServer;
use crate::support::buyer::{Intent, items};

#[actix_web::test]
async fn a_cart_is_one_payment_for_several_draws() {
    let server = TestServer::start().await;
    let club = server.club("broncos").await;
    let (first, second) = (server.draw(club.id).await, server.draw(club.id).await);
    let alice = server.alice();
    let lines = [(second, 2), (first, 3)];
    let intent = Intent {
        body: alice.ask_for_cart(&lines).await.ok(),
    };
    assert_eq!(
        (
            intent.amount(),
            intent.body["items"].as_array().map(Vec::len)
        ),
        (2500, Some(2))
    );
    alice.authorise(&intent).await;
    let body = json!({ "items": items(&lines), "buyer": alice.details(), "paymentIntentId": intent.id(),
        "ageConfirmation": true, "termsAgreement": true });
    let bought = alice.post("/api/purchase-cart", body).await.ok();
    assert_eq!(bought["tickets"].as_array().map(Vec::len), Some(5));
    let order = alice.order(&intent).await;
    assert_eq!(order["lines"].as_array().map(Vec::len), Some(2));
    assert_eq!(server.sandbox.ledger()["total"]["count"], 1);
    server.finish().await;
}

#[actix_web::test]
async fn a_cart_that_cannot_be_kept_whole_keeps_nothing_and_names_the_draw() {
    let server = TestServer::start().await;
    let club = server.club("broncos").await;
    let (first, second) = (server.draw(club.id).await, server.draw(club.id).await);
    let crowd = ["a", "b", "c"].map(|_| server.bob());
    for bob in &crowd {
        bob.intent(second, 50).await;
    }
    let alice = server.alice();
    let refused = alice
        .ask_for_cart(&[(first, 5), (second, 20)])
        .await
        .refused(409, "tickets-unavailable");
    assert_eq!(
        (&refused["available"], &refused["drawNumber"]),
        (&json!(19), &json!(second.0))
    );
    let words =
        "Tickets No Longer Available: Only 19 tickets remaining. Please adjust your selection.";
    assert_eq!(refused["message"], words);
    assert_eq!(
        server.engine.draws.view(first).await.expect("a view").held,
        0
    );
    server.finish().await;
}

#[actix_web::test]
async fn a_cart_whose_one_game_began_is_not_charged_at_all() {
    let server = TestServer::start().await;
    let lost = WebhookFaults {
        lost: 1.0,
        ..WebhookFaults::default()
    };
    server.sandbox.set_faults(Faults {
        webhook: lost,
        ..Faults::default()
    });
    let club = server.club("broncos").await;
    let (first, second) = (server.draw(club.id).await, server.draw(club.id).await);
    let alice = server.alice();
    let lines = [(first, 2), (second, 2)];
    let intent = Intent {
        body: alice.ask_for_cart(&lines).await.ok(),
    };
    alice.authorise(&intent).await;
    server.kick_off(second).await;
    let body = json!({ "items": items(&lines), "buyer": alice.details(), "paymentIntentId": intent.id(),
        "ageConfirmation": true, "termsAgreement": true });
    alice
        .post("/api/purchase-cart", body)
        .await
        .refused(409, "not-charged");
    alice.sees(&intent, "not_charged").await;
    let view = server.engine.draws.view(first).await.expect("a view");
    assert_eq!((view.sold, view.held), (0, 0));
    assert_eq!(server.sandbox.ledger()["total"]["captured"], 0);
    server.finish().await;
}

#[actix_web::test]
async fn a_cart_is_of_one_club() {
    let server = TestServer::start().await;
    let (broncos, storm) = (server.club("broncos").await, server.club("storm").await);
    let (first, second) = (server.draw(broncos.id).await, server.draw(storm.id).await);
    server
        .alice()
        .ask_for_cart(&[(first, 1), (second, 1)])
        .await
        .refused(400, "mixed-clubs");
    server.finish().await;
}

#[actix_web::test]
async fn what_a_browser_says_of_prices_is_ignored() {
    let server = TestServer::start().await;
    let draw = server.game().await;
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
