//! A mailed link shows the orders of an e-mail address. The response to the request for a link
//! never reveals whether the address bought tickets.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::server::eventually;
use crate::support::{Buyer, TestServer};

const TICKET_LINK_REQUESTED_MESSAGE: &str =
    "If tickets were bought with this email, a link to them has been sent.";

async fn request_ticket_link(browser: &Buyer, email: &str) -> Value {
    browser
        .post("/api/my-tickets", json!({ "email": email }))
        .await
        .ok()
}

/// Waits for the next mail with a link to Alice's orders, and returns the secret in the link.
async fn secret_in_next_mailed_link(server: &TestServer) -> String {
    let mail = server.next_mail("my-tickets").await;
    assert_eq!(mail.to, "alice@example.com");
    let link = server.mailed_link(&mail);
    let secret = link
        .strip_prefix(&format!("{}/my#", server.url))
        .expect("after the #, where no log sees it");
    assert!(
        !mail.data.contains(secret),
        "the outbox does not hold the secret in clear text"
    );
    secret.to_string()
}

#[actix_web::test]
async fn ticket_link_shows_all_orders_of_email_for_a_day() {
    let server = TestServer::start().await;
    let club = server.create_club("broncos").await.id;
    let (first, second) = (
        server.create_draw(club).await,
        server.create_draw(club).await,
    );
    let (alice, bob) = (server.alice(), server.bob());
    alice.buy(first, 2).await;
    let (_, newest) = alice.buy(second, 1).await;
    bob.buy(first, 5).await;
    alice.open_intent(first, 1).await;

    let other_device = Buyer::new(&server.url, "", "", "");
    assert_eq!(
        request_ticket_link(&other_device, " ALICE@Example.com ").await,
        json!({ "message": TICKET_LINK_REQUESTED_MESSAGE })
    );
    let secret = secret_in_next_mailed_link(&server).await;
    let stored = "select count(*) from ticket_links where token_hash = decode($1, 'hex')";
    assert_eq!(
        server.database.query_number(stored, &secret).await,
        0,
        "only its hash is stored"
    );

    let open_link = async || {
        other_device
            .post("/api/my-tickets/look", json!({ "token": secret }))
            .await
    };
    let opened = open_link().await.ok();
    assert_eq!(opened["emailMasked"], "a…@example.com");
    let orders = opened["orders"].as_array().expect("orders");
    assert_eq!(
        orders.len(),
        2,
        "neither Alice's unpaid order nor Bob's order is shown"
    );
    assert_eq!(
        orders[0]["lines"][0]["drawNumber"], second.0,
        "the newest order is first"
    );
    assert_eq!(
        orders[0]["lines"][0]["tickets"][0]["homeNumber"],
        newest["tickets"][0]["homeNumber"]
    );
    assert_eq!(
        orders[1]["lines"][0]["tickets"].as_array().map(Vec::len),
        Some(2)
    );
    assert_eq!(
        open_link().await.ok()["until"],
        opened["until"],
        "the link can be opened repeatedly"
    );

    server.clock.advance_seconds(24 * 3600 + 1);
    assert_eq!(
        open_link().await.expect_refusal(404, "link-unknown")["message"],
        "This link is invalid or has expired."
    );
    server
        .records
        .delete_expired_ticket_links(server.now())
        .await
        .expect("the sweep succeeds");
    assert_eq!(
        server
            .database
            .query_number("select count(*) from ticket_links where $1 = ''", "")
            .await,
        0
    );
    server.finish().await;
}

#[actix_web::test]
async fn ticket_link_request_hides_buyers_and_is_rate_limited() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let alice = server.alice();
    alice.buy(draw, 1).await;
    let stranger = server.bob();
    let (known, unknown) = (
        request_ticket_link(&stranger, "alice@example.com").await,
        request_ticket_link(&stranger, "nobody@example.com").await,
    );
    assert_eq!(known, unknown);
    secret_in_next_mailed_link(&server).await;
    for _ in 0..4 {
        assert_eq!(
            request_ticket_link(&stranger, "Alice@example.com").await,
            known,
            "a rate-limited request gets the same answer"
        );
    }
    for _ in 0..2 {
        secret_in_next_mailed_link(&server).await;
    }
    eventually("three mails are queued", async || {
        (server.count_queued_mails("my-tickets").await == 3).then_some(())
    })
    .await;
    let to_nobody = "select count(*) from email_outbox where to_address = $1";
    assert_eq!(
        server
            .database
            .query_number(to_nobody, "nobody@example.com")
            .await,
        0
    );
    server.finish().await;
}

#[actix_web::test]
async fn invalid_email_and_invalid_ticket_link_are_refused() {
    let server = TestServer::start().await;
    let alice = server.alice();
    for email in [
        json!(""),
        json!(" "),
        json!("alice"),
        json!("a@b"),
        json!("a@b.au,c@d.au"),
        Value::Null,
    ] {
        let refused = alice
            .post("/api/my-tickets", json!({ "email": email }))
            .await
            .expect_refusal(400, "invalid");
        assert_eq!(refused["message"], "Valid email address is required");
    }
    alice
        .post("/api/my-tickets", json!({ "email": 7 }))
        .await
        .expect_refusal(400, "bad-request");
    for token in [
        json!(""),
        json!("0123"),
        json!("0".repeat(64)),
        json!("g".repeat(64)),
        Value::Null,
    ] {
        alice
            .post("/api/my-tickets/look", json!({ "token": token }))
            .await
            .expect_refusal(404, "link-unknown");
    }
    let broken = alice
        .bare_request(Method::POST, "/api/my-tickets/look")
        .header("origin", &server.url)
        .body("{");
    Buyer::send_request(broken)
        .await
        .expect_refusal(400, "bad-request");
    assert_eq!(server.count_queued_mails("my-tickets").await, 0);
    server.finish().await;
}
