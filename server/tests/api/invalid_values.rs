//! Requests with invalid values get the specified message and a 4xx status, and change nothing.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Buyer, TestServer};

/// Every call that begins or completes a purchase, by path.
const PURCHASE_PATHS: [&str; 10] = [
    "/api/create-payment-intent",
    "/api/cart/create-payment-intent",
    "/api/validate-purchase",
    "/api/complete-card-payment",
    "/api/purchase-tickets",
    "/api/purchase-cart",
    "/api/cart/complete-card-payment",
    "/api/process-wallet-payment",
    "/api/process-purchase",
    "/api/payments/confirm-wallet",
];

#[actix_web::test]
async fn counts_outside_one_to_fifty_are_refused() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let alice = server.alice();
    for count in [
        json!(0),
        json!(-1),
        json!(51),
        json!(1_000_000_000u64),
        json!(1e300),
        Value::Null,
    ] {
        let body = json!({ "drawNumber": draw.0, "ticketCount": count });
        let refused = alice
            .post("/api/create-payment-intent", body)
            .await
            .expect_refusal(400, "count-out-of-range");
        assert_eq!(refused["message"], "Choose between 1 and 50 tickets.");
        let body = json!({ "items": [{ "drawId": draw.0, "quantity": count }] });
        alice
            .post("/api/cart/create-payment-intent", body)
            .await
            .expect_refusal(400, "count-out-of-range");
    }
    for count in [
        json!("one"),
        json!("1; drop table draws"),
        json!([1]),
        json!({}),
        json!(true),
        json!(1.5),
    ] {
        let body = json!({ "drawNumber": draw.0, "ticketCount": count });
        alice
            .post("/api/create-payment-intent", body)
            .await
            .expect_refusal(400, "bad-request");
    }
    assert_eq!(
        server
            .engine
            .draws
            .view(draw)
            .await
            .expect("the draw has a view")
            .revision,
        0,
        "the draw has no commit"
    );
    server.finish().await;
}

#[actix_web::test]
async fn unknown_draw_ids_return_404() {
    let server = TestServer::start().await;
    server.create_club_with_draw().await;
    let alice = server.alice();
    for draw in [
        "0",
        "-1",
        "999999",
        "9223372036854775807",
        "9223372036854775808",
        "abc",
        "1001;drop",
        "%00",
        "1e3",
    ] {
        for path in ["", "/tickets", "/available-tickets"] {
            let refused = alice
                .get(&format!("/api/draws/{draw}{path}"))
                .await
                .expect_refusal(404, "draw-not-found");
            assert_eq!(refused["message"], "Draw Not Found");
        }
    }
    for draw in [json!(0), json!(-1), json!(999_999), json!("999999")] {
        let body = json!({ "drawNumber": draw, "ticketCount": 1 });
        alice
            .post("/api/create-payment-intent", body)
            .await
            .expect_refusal(404, "draw-not-found");
    }
    alice
        .post("/api/create-payment-intent", json!({ "ticketCount": 1 }))
        .await
        .expect_refusal(400, "draw-missing");
    server.finish().await;
}

#[actix_web::test]
async fn invalid_purchase_bodies_change_nothing() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let alice = server.alice();
    let deep = "[".repeat(5000);
    let long = format!("{{\"clientKey\":\"{}\"}}", "x".repeat(20_000));
    let bodies = [
        "",
        "{",
        "null",
        "[]",
        "1",
        "\"text\"",
        "{\"drawNumber\":{}}",
        "{\"items\":1}",
        "{\"items\":[1]}",
        "{\"buyer\":\"me\"}",
        "{\"drawNumber\":\"\",\"ticketCount\":\"\"}",
        "\u{0}",
        "{\"paymentIntentId\":\"pi_nobody\"}",
        "{\"paymentIntentId\":7}",
        "{\"clientSecret\":\"pi_x_secret_y\",\"paymentMethodId\":\"pm_card_visa\"}",
        &deep,
        &long,
    ];
    for path in PURCHASE_PATHS {
        for body in bodies {
            let request = alice
                .bare_request(Method::POST, path)
                .header("origin", &server.url)
                .body(body.to_string());
            let answer = Buyer::send_request(request).await;
            let start: String = body.chars().take(60).collect();
            assert!(
                (400..500).contains(&answer.status),
                "{path} {start}: {} {}",
                answer.status,
                answer.text
            );
            assert!(answer.json()["message"].is_string(), "{path} {start}");
        }
    }
    for path in [
        "/api/process-wallet-payment",
        "/api/payments/confirm-wallet",
    ] {
        let card = json!({ "drawNumber": draw.0, "ticketCount": 1, "paymentMethodId": "4242424242424242" });
        alice
            .post(path, card)
            .await
            .expect_refusal(400, "payment-method-missing");
    }
    let view = server
        .engine
        .draws
        .view(draw)
        .await
        .expect("the draw has a view");
    assert_eq!((view.revision, view.held), (0, 0));
    server.finish().await;
}

#[actix_web::test]
async fn too_large_body_is_refused_before_it_is_read() {
    let server = TestServer::start().await;
    let alice = server.alice();
    let body = json!({ "clientKey": "x".repeat(17 * 1024) });
    alice
        .post("/api/create-payment-intent", body)
        .await
        .expect_refusal(413, "too-large");
    let request = alice
        .bare_request(Method::POST, "/api/stripe/webhook")
        .body("x".repeat(300 * 1024));
    Buyer::send_request(request)
        .await
        .expect_refusal(413, "too-large");
    server.finish().await;
}

#[actix_web::test]
async fn result_outside_jersey_numbers_is_refused() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let broncos = crate::support::club::sign_in_as_club(&server, "broncos").await;
    let path = format!("/api/draws/{draw}/results");
    let refused = broncos
        .post(&path, json!({ "homeFirstTryScorer": 9 }))
        .await
        .expect_refusal(400, "missing-information");
    assert_eq!(
        refused["message"],
        "Missing information: Please select first try scorer for both teams"
    );
    for (home, away) in [(0, 9), (14, 9), (9, -1), (9, 300)] {
        let body = json!({ "homeFirstTryScorer": home, "awayFirstTryScorer": away });
        broncos
            .post(&path, body)
            .await
            .expect_refusal(400, "result-out-of-range");
    }
    broncos
        .get(&format!("/api/draws/{draw}/payouts"))
        .await
        .expect_refusal(409, "not-completed");
    broncos
        .post(&format!("/api/draws/{draw}/notify-winners"), json!({}))
        .await
        .expect_refusal(409, "not-completed");
    server.finish().await;
}

#[actix_web::test]
async fn unsigned_webhooks_are_refused() {
    let server = TestServer::start().await;
    let alice = server.alice();
    let body = r#"{"id":"evt_1","type":"payment_intent.succeeded","data":{"object":{}}}"#;
    for header in [None, Some("t=1,v1=00"), Some("nonsense")] {
        let request = alice
            .bare_request(Method::POST, "/api/webhooks/stripe")
            .body(body);
        let request = header.into_iter().fold(request, |request, header| {
            request.header("stripe-signature", header)
        });
        Buyer::send_request(request)
            .await
            .expect_refusal(400, "bad-signature");
    }
    server.finish().await;
}

#[actix_web::test]
async fn fixture_import_is_all_or_nothing() {
    let server = TestServer::start().await;
    let club = server.create_club("broncos").await;
    let broncos = crate::support::club::sign_in_as_club(&server, "broncos").await;
    let path = format!("/api/clubs/{}/fixtures", club.id);
    let import = |query: &str, table: String| {
        Buyer::send_request(
            broncos
                .bare_request(Method::POST, &format!("{path}{query}"))
                .header("origin", &server.url)
                .body(table),
        )
    };
    let heading = "date,kick-off,zone,home,away,league\n";
    let good = format!(
        "{heading}2099-03-06,19:10,Australia/Brisbane,Broncos,Cowboys,NRL\n\
         2099-03-13,20:00,Pacific/Auckland,Warriors,Broncos,NRL\n"
    );
    let preview = import("?dryRun=true", good.clone()).await.ok();
    assert_eq!(
        (&preview["found"], &preview["created"]),
        (&json!(2), &json!(0))
    );
    assert_eq!(broncos.get("/api/draws/active").await.ok(), json!([]));
    let bad = format!(
        "{good}2020-03-06,19:10,Australia/Brisbane,Broncos,Titans,NRL\n2099-13-06,19:10,Mars,Broncos,Eels,NRL\n"
    );
    let refused = import("", bad)
        .await
        .expect_refusal(422, "fixtures-refused");
    assert_eq!(
        refused["errors"][0],
        json!({ "line": 4, "message": "kick-off is in the past" })
    );
    assert_eq!(refused["errors"][1]["line"], 5);
    assert_eq!(broncos.get("/api/draws/active").await.ok(), json!([]));
    broncos.post("/api/terms/accept", json!({})).await.ok();
    let done = import("?price=2.50&prize=60", good.clone()).await.ok();
    assert_eq!(done["drawNumbers"].as_array().map(Vec::len), Some(2));
    let listed = broncos.get("/api/draws/active").await.ok();
    assert_eq!(
        (&listed[0]["ticketPrice"], &listed[0]["prizePercentage"]),
        (&json!("2.50"), &json!(60))
    );
    assert_eq!(listed[0]["gameDate"], "2099-03-06T09:10:00Z");
    let again = import("", good).await.ok();
    assert_eq!(
        (&again["created"], &again["alreadyThere"]),
        (&json!(0), &json!(2))
    );
    server.finish().await;
}
