//! Purchases in which nothing goes wrong.

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::support::buyer::Intent;
use crate::support::{DECLINED_CARD, TestServer};

#[actix_web::test]
async fn card_payment_gives_numbered_tickets_and_mail() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let alice = server.alice();
    let intent = alice.open_intent(draw, 3).await;
    assert_eq!(
        (intent.amount(), &intent.body["ticketCount"]),
        (1500, &json!(3))
    );
    assert_eq!(intent.body["connectedAccountId"], "acct_broncos");
    assert!(intent.secret().starts_with(intent.id()));
    let view = server
        .engine
        .draws
        .view(draw)
        .await
        .expect("the draw has a view");
    assert_eq!((view.sold, view.held), (0, 3));

    let valid = json!({ "drawNumber": draw.0, "ticketCount": 3, "buyer": alice.details(),
        "ageConfirmation": true, "termsAgreement": true });
    assert_eq!(
        alice.post("/api/validate-purchase", valid).await.ok(),
        json!({ "valid": true, "errors": [] })
    );
    alice.authorise(&intent).await;
    let bought = alice.complete_card_purchase(draw, 3, &intent).await.ok();
    assert_eq!(
        (&bought["success"], &bought["status"]),
        (&json!(true), &json!("succeeded"))
    );
    assert_eq!(
        (&bought["paymentIntentId"], &bought["orderToken"]),
        (&json!(intent.id()), &json!(intent.token()))
    );
    let tickets = bought["tickets"].as_array().expect("tickets");
    assert_eq!(
        tickets
            .iter()
            .map(|ticket| ticket["ticketNumber"].as_u64())
            .collect::<Vec<_>>(),
        [Some(1), Some(2), Some(3)]
    );
    for ticket in tickets {
        assert!((1..=13).contains(&ticket["homeNumber"].as_u64().expect("a JSON number")));
        assert!((1..=13).contains(&ticket["awayNumber"].as_u64().expect("a JSON number")));
    }
    assert_eq!(tickets[2]["serialNumber"], json!(format!("FD-{draw}-003")));

    let order = alice.fetch_order_of(&intent).await;
    assert_eq!(
        (&order["state"], &order["status"], &order["amount"]),
        (&json!("captured"), &json!("succeeded"), &json!(1500))
    );
    assert_eq!(
        (&order["buyerName"], &order["buyerEmailMasked"]),
        (&json!("Alice"), &json!("a…@example.com"))
    );
    assert_eq!(
        order["lines"][0]["tickets"].as_array().map(Vec::len),
        Some(3)
    );
    let mail = server.next_mail("tickets").await;
    assert_eq!(mail.to, "alice@example.com");
    let account = &server.sandbox.ledger()["accounts"]["acct_broncos"];
    assert_eq!(
        (&account["captured"], &account["fees"], &account["count"]),
        (&json!(1500), &json!(53), &json!(1))
    );
    server.finish().await;
}

#[actix_web::test]
async fn repeated_and_concurrent_completions_give_same_tickets() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let alice = server.alice();
    let intent = alice.open_intent(draw, 2).await;
    alice.authorise(&intent).await;
    let calls = (0..10).map(|turn| {
        let (alice, intent) = (&alice, &intent);
        async move {
            match turn % 2 {
                0 => alice.complete_card_purchase(draw, 2, intent).await,
                _ => alice.complete_checkout_purchase(draw, 2, intent).await,
            }
        }
    });
    for answer in join_all(calls).await {
        let body = answer.ok();
        assert!(
            ["succeeded", "processing"].contains(&body["status"].as_str().expect("a status")),
            "{body}"
        );
    }
    let one = alice
        .complete_checkout_purchase(draw, 2, &intent)
        .await
        .ok();
    assert_eq!(
        alice.complete_card_purchase(draw, 2, &intent).await.ok()["tickets"],
        one["tickets"]
    );
    let view = server
        .engine
        .draws
        .view(draw)
        .await
        .expect("the draw has a view");
    assert_eq!((view.sold, view.held), (2, 0));
    assert_eq!(server.sandbox.ledger()["total"]["count"], 1);
    server.finish().await;
}

#[actix_web::test]
async fn two_buyers_never_get_the_same_ticket() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let (alice, bob) = (server.alice(), server.bob());
    let (first, second) = tokio::join!(alice.buy(draw, 5), bob.buy(draw, 7));
    let numbers = |bought: &Value| -> Vec<u64> {
        let tickets = bought["tickets"].as_array().expect("tickets");
        tickets
            .iter()
            .map(|ticket| ticket["ticketNumber"].as_u64().expect("a JSON number"))
            .collect()
    };
    let mut all = [numbers(&first.1), numbers(&second.1)].concat();
    all.sort_unstable();
    assert_eq!(all, (1..=12).collect::<Vec<_>>());
    server.finish().await;
}

#[actix_web::test]
async fn same_client_key_returns_same_order_and_new_key_opens_another() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let alice = server.alice();
    let ask = |key: &'static str| {
        let alice = &alice;
        async move {
            let body = json!({ "drawNumber": draw.0, "ticketCount": 1, "buyer": alice.details(), "clientKey": key });
            crate::support::buyer::Intent {
                body: alice.post("/api/create-payment-intent", body).await.ok(),
            }
        }
    };
    let first = ask("one").await;
    assert_eq!(
        ask("two").await.id(),
        first.id(),
        "a browser has one unpaid payment per draw"
    );
    let first = ask("one").await;
    alice.authorise(&first).await;
    alice.complete_card_purchase(draw, 1, &first).await.ok();
    assert_eq!(
        ask("one").await.id(),
        first.id(),
        "the same client key returns the same order"
    );
    let second = ask("three").await;
    assert_ne!(second.id(), first.id());
    alice.authorise(&second).await;
    assert_eq!(
        alice.complete_card_purchase(draw, 1, &second).await.ok()["tickets"][0]["ticketNumber"],
        2
    );
    let third = alice.open_intent(draw, 1).await;
    assert_ne!(third.id(), second.id());
    server.finish().await;
}

#[actix_web::test]
async fn completion_fills_missing_buyer_details_but_never_replaces() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let alice = server.alice();
    let bare = json!({ "drawId": draw.0.to_string(), "ticketCount": "1" });
    let intent = crate::support::buyer::Intent {
        body: alice.post("/api/create-payment-intent", bare).await.ok(),
    };
    alice.authorise(&intent).await;
    alice.complete_card_purchase(draw, 1, &intent).await.ok();
    assert_eq!(
        alice.fetch_order_of(&intent).await["buyerName"],
        "Alice",
        "the completion call adds the buyer"
    );
    let other = json!({ "drawNumber": draw.0, "ticketCount": 1, "paymentIntentId": intent.id(),
        "buyer": { "buyerName": "Mallory", "buyerEmail": "mallory@example.com", "buyerPhone": "0" } });
    alice.post("/api/complete-card-payment", other).await.ok();
    assert_eq!(
        alice.fetch_order_of(&intent).await["buyerName"],
        "Alice",
        "a later call does not replace the buyer"
    );
    server.finish().await;
}

#[actix_web::test]
async fn buyer_details_at_payment_replace_earlier_ones() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let alice = server.alice();
    let typo = json!({ "buyerName": "Alise", "buyerEmail": "alice@exmaple.com", "buyerPhone": "0411 000 010" });
    let open_with = async |details: Value| {
        let mut body = json!({ "drawNumber": draw.0, "ticketCount": 1, "clientKey": "one" });
        body["buyer"] = details;
        Intent {
            body: alice.post("/api/create-payment-intent", body).await.ok(),
        }
    };
    let first = open_with(typo.clone()).await;
    assert_eq!(alice.confirm(&first, DECLINED_CARD).await.status, 402);
    assert_eq!(open_with(alice.details()).await.id(), first.id());
    open_with(json!({ "buyerName": "", "buyerEmail": "", "buyerPhone": "" })).await;
    alice.authorise(&first).await;
    alice.complete_card_purchase(draw, 1, &first).await.ok();
    assert_eq!(
        server.next_mail("tickets").await.to,
        "alice@example.com",
        "the corrected details are stored and blanks are ignored"
    );
    let phone = "select buyer_phone from orders where buyer_email = $1";
    assert_eq!(
        server.database.query_text(phone, "alice@example.com").await,
        alice.phone
    );
    assert_eq!(
        open_with(typo).await.id(),
        first.id(),
        "the same client key returns the same order"
    );
    assert_eq!(
        alice.fetch_order_of(&first).await["buyerName"],
        "Alice",
        "the buyer of a paid order does not change"
    );
    server.finish().await;
}

#[actix_web::test]
async fn latest_buyer_details_replace_those_of_abandoned_visit() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let dad = json!({ "name": "Dad", "email": "dad@example.com", "phone": "0411 000 011" });
    let mum = json!({ "name": "Mum", "email": "mum@example.com", "phone": "0411 000 012" });
    let page = |details: &Value| json!({ "drawNumber": draw.0, "ticketCount": 1, "customerInfo": details });
    let family = server.alice();
    family
        .post("/api/create-payment-intent", page(&dad))
        .await
        .ok();
    let opened = Intent {
        body: family
            .post("/api/create-payment-intent", page(&mum))
            .await
            .ok(),
    };
    family.authorise(&opened).await;
    assert_eq!(
        server.next_mail("tickets").await.to,
        "mum@example.com",
        "the latest details are used, whichever call fulfils the order"
    );
    assert_eq!(family.fetch_order_of(&opened).await["buyerName"], "Mum");
    server.finish().await;
}

#[actix_web::test]
async fn tickets_are_shown_only_to_own_browser_or_order_token() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let (alice, bob) = (server.alice(), server.bob());
    let (intent, _) = alice.buy(draw, 1).await;
    let body = json!({ "drawNumber": draw.0, "ticketCount": 1, "paymentIntentId": intent.id() });
    let shown = bob
        .post("/api/complete-card-payment", body.clone())
        .await
        .ok();
    assert_eq!(
        (&shown["success"], &shown["tickets"], &shown["orderToken"]),
        (&json!(true), &json!([]), &Value::Null)
    );
    let mut body = body;
    body["orderToken"] = json!(intent.token());
    assert_eq!(
        bob.post("/api/complete-card-payment", body).await.ok()["tickets"]
            .as_array()
            .map(Vec::len),
        Some(1)
    );
    bob.get("/api/orders/00000000000000000000000000000000")
        .await
        .expect_refusal(404, "not-found");
    bob.get("/api/orders/nonsense")
        .await
        .expect_refusal(404, "not-found");
    server.finish().await;
}

#[actix_web::test]
async fn resend_mails_stored_email_and_hides_whether_order_exists() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let alice = server.alice();
    let (intent, _) = alice.buy(draw, 1).await;
    server.next_mail("tickets").await;
    let known = alice
        .post(
            "/api/resend-confirmation",
            json!({ "paymentIntentId": intent.id() }),
        )
        .await
        .ok();
    assert_eq!(server.next_mail("resend").await.to, "alice@example.com");
    let unknown = alice
        .post(
            "/api/resend-confirmation",
            json!({ "paymentIntentId": "pi_nobody" }),
        )
        .await
        .ok();
    assert_eq!(known, unknown);
    assert_eq!(
        alice.post("/api/resend-confirmation", json!({})).await.ok(),
        known
    );
    server.finish().await;
}

#[actix_web::test]
async fn missing_consents_are_refused_with_specified_messages() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let alice = server.alice();
    let intent = alice.open_intent(draw, 1).await;
    let mut body =
        json!({ "drawNumber": draw.0, "ticketCount": 1, "paymentIntentId": intent.id() });
    let refused = alice
        .post("/api/purchase-tickets", body.clone())
        .await
        .expect_refusal(400, "age-unconfirmed");
    assert_eq!(
        refused["message"],
        "You must be over 18 to purchase tickets"
    );
    body["ageConfirmation"] = json!(true);
    let refused = alice
        .post("/api/purchase-tickets", body)
        .await
        .expect_refusal(400, "terms-not-agreed");
    assert_eq!(
        refused["message"],
        "You must agree to the terms and conditions"
    );
    let invalid = json!({ "drawNumber": draw.0, "ticketCount": 1, "buyer": { "buyerName": " " } });
    let errors = alice.post("/api/validate-purchase", invalid).await.ok();
    assert_eq!(
        errors,
        json!({ "valid": false, "errors": [
            "You must be over 18 to purchase tickets", "You must agree to the terms and conditions",
            "Full name is required", "Email is required", "Phone number is required",
        ]})
    );
    server.finish().await;
}
