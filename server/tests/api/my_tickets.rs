//! Own tickets by a mailed link: who reads an address's mail sees its orders, and nobody learns who bought.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::server::eventually;
use crate::support::{Buyer, TestServer};

const SAID: &str = "If tickets were bought with this email, a link to them has been sent.";

async fn asks(browser: &Buyer, email: &str) -> Value {
    browser
        .post("/api/my-tickets", json!({ "email": email }))
        .await
        .ok()
}

/// The secret of the next mailed link.
async fn secret(server: &TestServer) -> String {
    let mail = server.mail("my-tickets").await;
    assert_eq!(mail.to, "alice@example.com");
    let link = server.link(&mail);
    let secret = link
        .strip_prefix(&format!("{}/my#", server.url))
        .expect("after the #, where no log sees it");
    assert!(
        !mail.data.contains(secret),
        "the outbox alone opens nothing"
    );
    secret.to_string()
}

#[actix_web::test]
async fn the_mailed_link_shows_every_order_of_an_address_for_a_day() {
    let server = TestServer::start().await;
    let club = server.club("broncos").await.id;
    let (first, second) = (server.draw(club).await, server.draw(club).await);
    let (alice, bob) = (server.alice(), server.bob());
    alice.buys(first, 2).await;
    let (_, newest) = alice.buys(second, 1).await;
    bob.buys(first, 5).await;
    alice.intent(first, 1).await;

    let other_device = Buyer::new(&server.url, "", "", "");
    assert_eq!(
        asks(&other_device, " ALICE@Example.com ").await,
        json!({ "message": SAID })
    );
    let secret = secret(&server).await;
    let stored = "select count(*) from ticket_links where token_hash = decode($1, 'hex')";
    assert_eq!(
        server.database.count(stored, &secret).await,
        0,
        "only its hash is stored"
    );

    let look = async || {
        other_device
            .post("/api/my-tickets/look", json!({ "token": secret }))
            .await
    };
    let opened = look().await.ok();
    assert_eq!(opened["emailMasked"], "a…@example.com");
    let orders = opened["orders"].as_array().expect("orders");
    assert_eq!(
        orders.len(),
        2,
        "what is not paid for is no ticket, and Bob's are Bob's"
    );
    assert_eq!(
        orders[0]["lines"][0]["drawNumber"], second.0,
        "the newest first"
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
        look().await.ok()["until"],
        opened["until"],
        "as often as one looks"
    );

    server.clock.push_seconds(24 * 3600 + 1);
    assert_eq!(
        look().await.refused(404, "link-unknown")["message"],
        "This link is invalid or has expired."
    );
    server
        .records
        .sweep_ticket_links(server.now())
        .await
        .expect("swept");
    assert_eq!(
        server
            .database
            .count("select count(*) from ticket_links where $1 = ''", "")
            .await,
        0
    );
    server.finish().await;
}

#[actix_web::test]
async fn nobody_learns_who_bought_and_no_mailbox_is_filled() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    let alice = server.alice();
    alice.buys(draw, 1).await;
    let stranger = server.bob();
    let (known, unknown) = (
        asks(&stranger, "alice@example.com").await,
        asks(&stranger, "nobody@example.com").await,
    );
    assert_eq!(known, unknown);
    secret(&server).await;
    for _ in 0..4 {
        assert_eq!(
            asks(&stranger, "Alice@example.com").await,
            known,
            "asked too often reads the same"
        );
    }
    for _ in 0..2 {
        secret(&server).await;
    }
    eventually("three mails an hour", async || {
        (server.queued("my-tickets").await == 3).then_some(())
    })
    .await;
    let to_nobody = "select count(*) from email_outbox where to_address = $1";
    assert_eq!(
        server.database.count(to_nobody, "nobody@example.com").await,
        0
    );
    server.finish().await;
}

#[actix_web::test]
async fn what_is_no_address_and_no_link_is_refused() {
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
            .refused(400, "invalid");
        assert_eq!(refused["message"], "Valid email address is required");
    }
    alice
        .post("/api/my-tickets", json!({ "email": 7 }))
        .await
        .refused(400, "bad-request");
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
            .refused(404, "link-unknown");
    }
    let broken = alice
        .raw(Method::POST, "/api/my-tickets/look")
        .header("origin", &server.url)
        .body("{");
    Buyer::sent(broken).await.refused(400, "bad-request");
    assert_eq!(server.queued("my-tickets").await, 0);
    server.finish().await;
}
