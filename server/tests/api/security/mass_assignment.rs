//! Mass assignment: a call ignores fields that it does not accept or that the sender may not set.

use reqwest::Method;
use serde_json::{Value, json};

use super::access_matrix::ClubObjects;
use crate::support::server::PASSWORD;
use crate::support::{TestServer, club};

/// Returns fields that only the server may set, in every spelling.
fn privileged_fields() -> Value {
    json!({
        "isAdmin": true, "is_admin": true, "role": "super-admin", "admin": true, "archived": false, "id": 1, "clubId": 1,
        "club_id": 1, "status": "completed", "ticketsSold": 0, "tickets_sold": 0, "held": 0, "sold": 0, "revision": 0,
        "feeRateBps": 0, "fee_rate_bps": 0, "feeCapCents": 0, "commitment": "00", "seed": "00", "seedSealed": "00",
        "homeFirstTryScorer": 1, "awayFirstTryScorer": 1, "winningSerial": 1, "prizeCents": 1, "passwordHash": "x",
        "password_hash": "x", "email": "evil@example.com", "emailVerified": true, "email_verified": true,
        "stripeConnectAccountId": "acct_evil", "stripe_connect_account_id": "acct_evil", "chargesEnabled": true,
        "connected": true, "payoutsEnabled": true, "updatedBy": "somebody", "ipAddress": "203.0.113.1", "createdAt": "2000-01-01",
        "__proto__": { "isAdmin": true }, "constructor": { "prototype": { "isAdmin": true } },
    })
}

/// Returns the privileged fields together with the fields that the call accepts.
fn with_privileged_fields(accepted: Value) -> Value {
    let mut body = privileged_fields();
    for (name, value) in accepted.as_object().expect("an object") {
        body[name] = value.clone();
    }
    body
}

#[actix_web::test]
async fn registration_ignores_privileged_fields() {
    let server = TestServer::start().await;
    server.create_club("broncos").await;
    let browser = server.alice();
    let form = with_privileged_fields(json!({
        "name": "Evil RLFC", "email": "evil@demo.test", "password": PASSWORD, "confirmPassword": PASSWORD, "phone": "0400 111 333",
        "location": "Brisbane", "contactName": "Eve", "description": "A club.",
    }));
    let answer = browser.post("/api/clubs/register", form).await;
    assert!(
        (200..300).contains(&answer.status),
        "{} {}",
        answer.status,
        answer.text
    );
    let user = browser.get("/api/admin/whoami").await.ok();
    assert_eq!(
        (
            &user["role"],
            &user["user"]["isAdmin"],
            &user["user"]["emailVerified"]
        ),
        (&json!("club-admin"), &json!(false), &json!(false))
    );
    let id = user["user"]["id"].as_i64().expect("the id is a number");
    assert_ne!(id, 1, "the new club has its own id");
    let status_body = browser
        .get(&format!("/api/clubs/{id}/stripe-connect/status"))
        .await
        .ok();
    assert!(
        !status_body.to_string().contains("acct_evil") && status_body["connected"] == json!(false),
        "{status_body}"
    );
    browser
        .get("/api/admin/clubs")
        .await
        .expect_refusal(403, "forbidden");
    server.finish().await;
}

#[actix_web::test]
async fn draw_form_ignores_server_owned_fields() {
    let server = TestServer::start().await;
    server.create_club("broncos").await;
    let storm = server.create_club("storm").await.id;
    let browser = club::sign_in_as_club(&server, "storm").await;
    browser
        .post(
            "/api/terms/accept",
            with_privileged_fields(json!({ "clubId": storm.0 })),
        )
        .await
        .ok();
    let written = "select coalesce(max(ip_address), '') from terms_acceptances where $1 = ''";
    assert_eq!(
        server.database.query_text(written, "").await,
        "127.0.0.1",
        "the stored address is the one of the connection"
    );
    let form = json!({
        "clubId": storm.0, "homeTeam": "Storm", "awayTeam": "Eels", "gameDate": "2099-03-06T19:10", "ticketPrice": "5.00",
        "prizePercentage": 50, "contactName": "Sam", "contactPhone": "0400 333 444", "timezone": "Australia/Brisbane",
    });
    let made = browser
        .post("/api/draws", with_privileged_fields(form))
        .await
        .ok();
    let draw = made["drawNumber"]
        .as_i64()
        .or(made["id"].as_i64())
        .expect("a JSON number");
    assert_ne!(draw, 1);
    let shown = browser.get(&format!("/api/draws/{draw}")).await.ok();
    for (name, value) in [
        ("status", json!("active")),
        ("ticketsSold", json!(0)),
        ("archived", json!(false)),
        ("clubId", json!(storm.0)),
        ("homeFirstTryScorer", Value::Null),
        ("winningTicketSerial", Value::Null),
    ] {
        assert_eq!(shown[name], value, "{name}");
    }
    assert_eq!(
        shown["commitment"].as_str().map(str::len),
        Some(64),
        "the server chooses the commitment"
    );
    let fee_policy = "select (fee_rate_bps + fee_cap_cents)::bigint from draws where id::text = $1";
    let policy = domain::FeePolicy::DEFAULT;
    assert_eq!(
        server
            .database
            .query_number(fee_policy, &draw.to_string())
            .await,
        i64::from(policy.rate_bps) + policy.cap.0
    );
    let edited = browser
        .call(
            Method::PATCH,
            &format!("/api/draws/{draw}"),
            Some(&with_privileged_fields(
                json!({ "status": "completed", "clubId": storm.0 }),
            )),
        )
        .await;
    assert!(edited.status < 500, "{}", edited.text);
    let after = browser.get(&format!("/api/draws/{draw}")).await.ok();
    for name in [
        "status",
        "ticketsSold",
        "clubId",
        "commitment",
        "archived",
        "homeFirstTryScorer",
        "prizePercentage",
    ] {
        assert_eq!(after[name], shown[name], "{name}");
    }
    server.finish().await;
}

#[actix_web::test]
async fn other_forms_ignore_server_owned_fields() {
    let server = TestServer::start().await;
    let objects = ClubObjects::create(&server, "broncos").await;
    let browser = club::sign_in_as_club(&server, "broncos").await;
    let before = "select stripe_connect_account_id || email || password || archived::text || charges_enabled::text from clubs where home_page_slug = $1";
    let facts = server.database.query_text(before, "broncos").await;
    let page = with_privileged_fields(json!({ "homePageTitle": "Broncos" }));
    browser
        .call(
            Method::PATCH,
            &format!("/api/clubs/{}/home-page", objects.club),
            Some(&page),
        )
        .await
        .ok();
    assert_eq!(server.database.query_text(before, "broncos").await, facts);
    // The server sets the amount of a payout to the draw's prize.
    let amount = "select amount_cents::bigint from payouts where id::text = $1";
    let prize = server
        .database
        .query_number(amount, &objects.payout.to_string())
        .await;
    let settle = with_privileged_fields(
        json!({ "status": "completed", "amount": "9999.00", "amountCents": 999_900, "clubId": 2 }),
    );
    browser
        .call(
            Method::PATCH,
            &format!("/api/payouts/{}", objects.payout),
            Some(&settle),
        )
        .await
        .ok();
    assert_eq!(
        server
            .database
            .query_number(amount, &objects.payout.to_string())
            .await,
        prize
    );
    // The server sets the price, fee, account and order of a payment.
    let draw = server.create_draw(server.club_id("broncos")).await;
    let alice = server.alice();
    let body = with_privileged_fields(json!({
        "drawNumber": draw.0, "ticketCount": 2, "buyer": alice.details(), "ticketPrice": "0.01", "amount": 1, "unitPrice": 1,
        "passStripeFees": false, "applicationFee": 0, "connectedAccountId": "acct_evil", "orderToken": "0".repeat(32),
        "reservationId": "00000000-0000-4000-8000-000000000000", "expiresAt": "2099-01-01T00:00:00Z", "capture_method": "automatic",
    }));
    let opened = alice.post("/api/create-payment-intent", body).await.ok();
    assert_eq!(
        (&opened["amount"], &opened["connectedAccountId"]),
        (&json!(1000), &json!("acct_broncos"))
    );
    assert_ne!(opened["orderToken"], "0".repeat(32));
    assert_eq!(
        browser.get("/api/admin/whoami").await.ok()["role"],
        "club-admin"
    );
    server.finish().await;
}
