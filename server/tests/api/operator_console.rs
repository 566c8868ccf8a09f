//! The operator's console: who may use it, its sums, its actions and its audit log.

use actors::Clock;
use domain::{Anomaly, AnomalyKind, Cents, PaymentIntentId};
use serde_json::{Value, json};

use crate::support::server::PASSWORD;
use crate::support::server::eventually;
use crate::support::{TestServer, club};

#[actix_web::test]
async fn operator_session_needs_password_and_code() {
    let server = TestServer::start().await;
    server.create_operator().await;
    let browser = server.alice();
    let user = browser.sign_in("operator@demo.test", PASSWORD).await.ok();
    assert_eq!(
        (&user["isAdmin"], &user["secondFactor"]),
        (&json!(true), &json!("required"))
    );
    browser
        .get("/api/admin/clubs")
        .await
        .expect_refusal(403, "second-factor-required");
    assert_eq!(
        browser.get("/api/admin/whoami").await.ok()["secondFactor"],
        "required"
    );
    browser
        .post("/api/admin/totp/enrol", json!({}))
        .await
        .expect_refusal(409, "already-enrolled");
    let wrong = browser
        .post("/api/admin/totp/verify", json!({ "code": "000000" }))
        .await
        .expect_refusal(401, "wrong-code");
    assert_eq!(
        wrong["message"],
        "That code is not right. Codes change every 30 seconds."
    );
    let code = club::totp_code(&server, 0);
    let typed = format!("{} {}", &code[..3], &code[3..]);
    let whoami = browser
        .post("/api/admin/totp/verify", json!({ "code": typed }))
        .await
        .ok();
    assert_eq!(
        (&whoami["role"], &whoami["secondFactor"]),
        (&json!("super-admin"), &json!("done"))
    );
    assert_eq!(browser.get("/api/admin/clubs").await.status, 200);
    let other = server.bob();
    other.sign_in("operator@demo.test", PASSWORD).await.ok();
    other
        .post("/api/admin/totp/verify", json!({ "code": code }))
        .await
        .expect_refusal(401, "code-used");
    server.finish().await;
}

#[actix_web::test]
async fn operator_without_authenticator_must_enrol_first() {
    let server = TestServer::start().await;
    let hash = server::services::identity::password::hash(PASSWORD);
    server
        .records
        .create_admin("new@demo.test", "New", &hash)
        .await
        .expect("an operator");
    let browser = server.alice();
    assert_eq!(
        browser.sign_in("new@demo.test", PASSWORD).await.ok()["secondFactor"],
        "enrol"
    );
    let shown = browser.post("/api/admin/totp/enrol", json!({})).await.ok();
    assert_eq!(
        browser.post("/api/admin/totp/enrol", json!({})).await.ok()["secret"],
        shown["secret"]
    );
    let uri = shown["uri"].as_str().expect("a local address");
    assert!(
        uri.starts_with("otpauth://totp/Football%20Doubles:new%40demo.test?secret="),
        "{uri}"
    );
    assert!(
        shown["qrDataUrl"]
            .as_str()
            .is_some_and(|url| url.starts_with("data:image/svg+xml;base64,"))
    );
    let totp = totp_rs::Totp::from_url(uri).expect("an authenticator");
    let seconds = (server.clock.now().0 / 1000) as u64;
    let code = totp.generate(seconds).to_string();
    assert_eq!(
        browser
            .post("/api/admin/totp/verify", json!({ "code": code }))
            .await
            .ok()["secondFactor"],
        "done"
    );
    server.finish().await;
}

#[actix_web::test]
async fn sixth_guess_of_operator_code_is_rate_limited() {
    let server = TestServer::start().await;
    server.create_operator().await;
    let browser = server.alice();
    browser.sign_in("operator@demo.test", PASSWORD).await.ok();
    for _ in 0..5 {
        browser
            .post("/api/admin/totp/verify", json!({ "code": "000000" }))
            .await
            .expect_refusal(401, "wrong-code");
    }
    let code = club::totp_code(&server, 0);
    let refused = browser
        .post("/api/admin/totp/verify", json!({ "code": code }))
        .await;
    assert_eq!(refused.header("retry-after"), Some("600"));
    refused.expect_refusal(429, "too-many-requests");
    server.finish().await;
}

#[actix_web::test]
async fn maintenance_switch_needs_fresh_operator_code() {
    let server = TestServer::start().await;
    server.create_operator().await;
    let operator = club::sign_in_as_operator(&server).await;
    let maintenance = json!({ "enabled": true, "updatedBy": "somebody" });
    assert_eq!(
        operator
            .post("/api/admin/maintenance-mode", maintenance.clone())
            .await
            .status,
        200
    );
    server.clock.advance_seconds(601);
    operator
        .post("/api/admin/maintenance-mode", maintenance.clone())
        .await
        .expect_refusal(403, "reauthentication-required");
    assert_eq!(
        operator.get("/api/admin/clubs").await.status,
        200,
        "reads need no fresh code"
    );
    club::submit_unused_totp_code(&server, &operator, "/api/admin/reauthenticate").await;
    let set = operator
        .post("/api/admin/maintenance-mode", maintenance)
        .await
        .ok();
    assert_eq!(
        (&set["maintenanceMode"], &set["updatedBy"]),
        (&json!(true), &json!("Super Admin"))
    );
    server.finish().await;
}

#[actix_web::test]
async fn operator_analytics_match_club_financials() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    server.create_operator().await;
    let operator = club::sign_in_as_operator(&server).await;
    server.alice().buy(draw, 3).await;
    server.bob().buy(draw, 2).await;
    let analytics = operator.get("/api/admin/analytics").await.ok();
    let financials = club::sign_in_as_club(&server, "broncos")
        .await
        .get(&format!("/api/draws/{draw}/financials"))
        .await
        .ok();
    for (analytics_field, financials_field) in [
        ("totalRevenue", "totalRevenue"),
        ("platformFees", "platformFee"),
        ("clubRevenue", "clubRevenue"),
    ] {
        assert_eq!(
            analytics[analytics_field], financials[financials_field],
            "{analytics_field}"
        );
    }
    assert_eq!(
        (&analytics["ticketsSold"], &analytics["totalRevenue"]),
        (&json!(5), &json!("25.00"))
    );
    assert_eq!(
        (&analytics["totalClubs"], &analytics["activeClubs"]),
        (&json!(1), &json!(1))
    );
    let series = operator.get("/api/admin/series?hours=1").await.ok();
    let sold: i64 = integers_in_column(&series["ticketsSold"]).sum();
    assert_eq!(
        (
            sold,
            integers_in_column(&series["revenueCents"]).sum::<i64>()
        ),
        (5, 2500)
    );
    operator
        .get("/api/admin/series?hours=721")
        .await
        .expect_refusal(400, "hours-out-of-range");
    let fees = operator.get("/api/admin/platform-fees").await.ok();
    assert_eq!(fees["platformFees"], analytics["platformFees"]);
    assert_eq!(
        (&fees["capReachedAtCents"], &fees["draws"][0]["ticketsSold"]),
        (&json!(31_415), &json!(5))
    );
    let long_ago = operator
        .get("/api/admin/platform-fees?from=2020-01-01&to=2020-12-31")
        .await
        .ok();
    assert_eq!(
        (
            &long_ago["platformFees"],
            long_ago["draws"].as_array().map(Vec::len)
        ),
        (&json!("0.00"), Some(0))
    );
    operator
        .get("/api/admin/platform-fees?from=yesterday")
        .await
        .expect_refusal(400, "day-invalid");
    let draws = operator.get("/api/admin/draws").await.ok();
    assert_eq!(
        (&draws[0]["revenue"], &draws[0]["orders"]),
        (&json!("25.00"), &json!(2))
    );
    server.finish().await;
}

fn integers_in_column(column: &Value) -> impl Iterator<Item = i64> {
    column
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_i64)
}

#[actix_web::test]
async fn archived_club_leaves_lists_until_restored() {
    let server = TestServer::start().await;
    let club_id = server.create_club("broncos").await.id;
    server.create_operator().await;
    let operator = club::sign_in_as_operator(&server).await;
    for _ in 0..2 {
        let row = operator
            .post(&format!("/api/admin/clubs/{club_id}/archive"), json!({}))
            .await
            .ok();
        assert_eq!(row["archived"], true);
    }
    assert_eq!(operator.get("/api/admin/clubs").await.ok(), json!([]));
    assert_eq!(
        operator.get("/api/admin/clubs/archived").await.ok()[0]["name"],
        "broncos RLFC"
    );
    assert_eq!(
        server.alice().get("/api/clubs/public-list").await.ok(),
        json!([])
    );
    operator
        .post(&format!("/api/admin/clubs/{club_id}/unarchive"), json!({}))
        .await
        .ok();
    assert_eq!(
        operator.get("/api/admin/clubs").await.ok()[0]["archivedAt"],
        Value::Null
    );
    operator
        .post("/api/admin/clubs/999/archive", json!({}))
        .await
        .expect_refusal(404, "club-unknown");
    let trail = operator
        .get(&format!("/api/admin/audit?object=club:{club_id}"))
        .await
        .ok();
    let actions: Vec<&str> = trail["entries"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(audit_entry_action)
        .collect();
    assert_eq!(
        actions,
        ["restore-club", "archive-club"],
        "a repeated call without effect is not audited"
    );
    assert_eq!(trail["chain"]["verified"], true);
    server.finish().await;
}

fn audit_entry_action(entry: &Value) -> Option<&str> {
    entry["action"].as_str()
}

#[actix_web::test]
async fn operator_manages_settings_footers_and_waitlist() {
    let server = TestServer::start().await;
    server.create_operator().await;
    let operator = club::sign_in_as_operator(&server).await;
    operator
        .get("/api/admin/system-settings/hide_test_draws")
        .await
        .expect_refusal(404, "setting-unset");
    let setting_form = json!({ "value": "false", "description": "Show them", "updatedBy": "me" });
    let set = operator
        .post("/api/admin/system-settings/hide_test_draws", setting_form)
        .await
        .ok();
    assert_eq!(
        (&set["value"], &set["updatedBy"]),
        (&json!("false"), &json!("Super Admin"))
    );
    let anomaly_of = json!({ "value": "perhaps" });
    operator
        .post(
            "/api/admin/system-settings/hide_test_draws",
            anomaly_of.clone(),
        )
        .await
        .expect_refusal(400, "value-refused");
    operator
        .post("/api/admin/system-settings/demo_seeded", anomaly_of.clone())
        .await
        .expect_refusal(400, "setting-unknown");
    operator
        .post("/api/admin/system-settings/maintenance_mode", anomaly_of)
        .await
        .expect_refusal(409, "use-maintenance-mode");

    let menu = json!({ "heading": "Help", "displayOrder": 1 });
    let created = operator.post("/api/admin/footer-menus", menu).await;
    assert_eq!(created.status, 201);
    let id = operator.get("/api/admin/footer-menus").await.ok()[0]["id"]
        .as_i64()
        .expect("the id is a number");
    for url in ["javascript:alert(1)", "//evil.test", "data:text/html,x"] {
        let item = json!({ "menuId": id, "label": "Bad", "url": url, "displayOrder": 0 });
        operator
            .post("/api/admin/footer-menu-items", item)
            .await
            .expect_refusal(400, "invalid");
    }
    let item = json!({ "menuId": id, "label": "Rules", "url": "/terms", "displayOrder": 0, "isVisible": false });
    assert_eq!(
        operator
            .post("/api/admin/footer-menu-items", item)
            .await
            .status,
        201
    );
    assert_eq!(
        server.alice().get("/api/footer-menus").await.ok()[0]["items"],
        json!([]),
        "the hidden item is not public"
    );
    operator
        .post("/api/admin/footer-menus", json!({ "displayOrder": 1 }))
        .await
        .expect_refusal(400, "invalid");

    let entry_form = json!({ "clubName": "Souths", "contactName": "Jo", "contactEmail": "jo@x.test", "contactPhone": "0400 000 000" });
    assert_eq!(
        server
            .alice()
            .post("/api/waitlist", entry_form)
            .await
            .status,
        201
    );
    let entry = operator.get("/api/admin/waitlist").await.ok()[0]["id"]
        .as_i64()
        .expect("the id is a number");
    let path = format!("/api/admin/waitlist/{entry}");
    assert_eq!(
        operator
            .call(reqwest::Method::DELETE, &path, None)
            .await
            .status,
        204
    );
    operator
        .call(reqwest::Method::DELETE, &path, None)
        .await
        .expect_refusal(404, "entry-unknown");
    let hits = operator.get("/api/admin/search?q=fd-10").await.ok();
    assert_eq!(hits, json!([]));
    server.finish().await;
}

#[actix_web::test]
async fn anomaly_is_listed_and_resolved_once() {
    let server = TestServer::start().await;
    server.create_operator().await;
    let operator = club::sign_in_as_operator(&server).await;
    let anomaly_of = |kind, intent: &str| Anomaly {
        kind,
        order: None,
        payment_intent: Some(PaymentIntentId(intent.into())),
        note: "seen".into(),
    };
    for anomaly in [
        anomaly_of(AnomalyKind::DuplicatePayment, "pi_twice"),
        anomaly_of(AnomalyKind::MissingTicket, "pi_none"),
    ] {
        server
            .store
            .raise_anomaly(&anomaly, Some(Cents(500)), server.clock.now())
            .await
            .expect("the anomaly is raised");
    }
    let stats = operator
        .get("/api/admin/payment-anomalies/stats")
        .await
        .ok();
    assert_eq!(
        (&stats["total"], &stats["unresolved"]),
        (&json!(2), &json!(2))
    );
    let listed = operator
        .get("/api/admin/payment-anomalies?type=duplicate_payment")
        .await
        .ok();
    assert_eq!(
        (&listed[0]["amount"], &listed[0]["details"]["note"]),
        (&json!("5.00"), &json!("seen"))
    );
    let path = format!(
        "/api/admin/payment-anomalies/{}/resolve",
        listed[0]["id"].as_str().expect("the id is text")
    );
    for _ in 0..2 {
        let resolved = operator
            .post(&path, json!({ "note": "Both were mine" }))
            .await
            .ok();
        assert_eq!(
            (&resolved["resolved"], &resolved["resolvedBy"]),
            (&json!(true), &json!("Super Admin"))
        );
    }
    let missing = operator
        .get("/api/admin/payment-anomalies?status=unresolved")
        .await
        .ok();
    let path = format!(
        "/api/admin/payment-anomalies/{}/resolve",
        missing[0]["id"].as_str().expect("the id is text")
    );
    operator
        .post(&path, json!({}))
        .await
        .expect_refusal(409, "needs-customer");
    let checked = operator
        .post("/api/admin/payment-anomalies/check", json!({}))
        .await
        .ok();
    assert_eq!(checked["newAnomalies"], 0);
    let body = json!({ "hoursBack": 721 });
    operator
        .post("/api/admin/payment-anomalies/scan-historical", body)
        .await
        .expect_refusal(400, "hours-out-of-range");
    server.finish().await;
}

#[actix_web::test]
async fn operator_refund_voids_tickets_and_runs_once() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    server.create_operator().await;
    let operator = club::sign_in_as_operator(&server).await;
    server.alice().buy(draw, 2).await;
    let tickets = operator
        .get(&format!("/api/draws/{draw}/tickets"))
        .await
        .ok();
    let order = order_id_of_first_ticket(&server, &tickets).await;
    let path = format!("/api/admin/orders/{order}/refund");
    operator
        .post(&path, json!({}))
        .await
        .expect_refusal(400, "reason-required");
    for _ in 0..2 {
        let refunded = operator
            .post(&path, json!({ "reason": "Proven fraud" }))
            .await
            .ok();
        assert_eq!(
            (&refunded["amount"], &refunded["orderId"]),
            (&json!("10.00"), &json!(order))
        );
    }
    let shown = operator
        .get(&format!("/api/admin/orders/{order}"))
        .await
        .ok();
    assert_eq!(
        (&shown["refund"]["reason"], &shown["refundable"]),
        (&json!("Proven fraud"), &json!(false))
    );
    assert_eq!(
        server.alice().get(&format!("/api/draws/{draw}")).await.ok()["ticketsSold"],
        0
    );
    let trail = operator
        .get(&format!("/api/admin/audit?object=order:{order}"))
        .await
        .ok();
    assert_eq!(trail["entries"].as_array().map(Vec::len), Some(1));
    server.finish().await;
}

/// Returns the id of the order that contains a draw's first sold ticket.
async fn order_id_of_first_ticket(server: &TestServer, tickets: &Value) -> String {
    let draw = tickets[0]["serialNumber"]
        .as_str()
        .and_then(|serial| serial.split('-').nth(1))
        .expect("a draw");
    let sold = server
        .records
        .sold_tickets(domain::DrawId(draw.parse().expect("a JSON number")))
        .await
        .expect("the read succeeds");
    uuid::Uuid::from_u128(sold[0].order.0).to_string()
}

#[actix_web::test]
async fn orphaned_ticket_is_given_a_buyer_once() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    server.create_operator().await;
    let operator = club::sign_in_as_operator(&server).await;
    assert_eq!(
        server.alice().buy_without_details(draw, 2).await["status"],
        "succeeded"
    );
    let orphans = operator.get("/api/admin/orphaned-tickets").await.ok();
    assert_eq!(orphans.as_array().map(Vec::len), Some(2));
    assert_eq!(
        (&orphans[0]["homeNumber"], &orphans[0]["revealed"]),
        (&Value::Null, &json!(false))
    );
    let path = format!(
        "/api/admin/tickets/{}/recover",
        orphans[0]["id"].as_str().expect("the id is text")
    );
    let refused = operator
        .call(
            reqwest::Method::PATCH,
            &path,
            Some(&json!({ "name": "Jo" })),
        )
        .await;
    assert_eq!(
        refused.expect_refusal(400, "invalid")["message"],
        "Missing information: Please provide customer name and email"
    );
    for spelling in [
        json!({ "name": "Jo", "email": "jo@x.test" }),
        json!({ "buyerName": "Jo", "buyerEmail": "jo@x.test" }),
    ] {
        let recovered = operator
            .call(reqwest::Method::PATCH, &path, Some(&spelling))
            .await
            .ok();
        assert_eq!(
            (&recovered["recovered"], &recovered["ticket"]["buyerName"]),
            (&json!(2), &json!("Jo"))
        );
    }
    let other = json!({ "name": "Sam", "email": "sam@x.test" });
    operator
        .call(reqwest::Method::PATCH, &path, Some(&other))
        .await
        .expect_refusal(409, "not-orphaned");
    assert_eq!(
        operator.get("/api/admin/orphaned-tickets").await.ok(),
        json!([])
    );
    server.finish().await;
}

#[actix_web::test]
async fn result_undo_needs_reason_and_typed_draw_number() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    server.create_operator().await;
    let operator = club::sign_in_as_operator(&server).await;
    let broncos = club::sign_in_as_club(&server, "broncos").await;
    server.alice().buy(draw, 1).await;
    let path = format!("/api/draws/{draw}/undo-results");
    let confirmation = json!({ "reason": "Wrong player", "drawNumber": draw.0 });
    operator
        .post(&path, confirmation.clone())
        .await
        .expect_refusal(409, "not-completed");
    club::enter_result(&broncos, draw, 3, 11).await.ok();
    operator
        .post(&path, json!({ "reason": "Wrong player" }))
        .await
        .expect_refusal(400, "draw-number-mismatch");
    operator
        .post(&path, json!({ "drawNumber": draw.0 }))
        .await
        .expect_refusal(400, "reason-required");
    broncos
        .post(&path, confirmation.clone())
        .await
        .expect_refusal(403, "forbidden");
    let undone = operator.post(&path, confirmation).await.ok();
    assert_eq!(
        undone,
        json!({ "newStatus": "active", "correctionsSent": 0, "payoutsCleared": 1 })
    );
    let trail = operator
        .get(&format!("/api/admin/audit?object=draw:{draw}"))
        .await
        .ok();
    let undo_entry = &trail["entries"][0];
    assert_eq!(
        (&undo_entry["action"], &undo_entry["detail"]["before"]),
        (&json!("undo-results"), &json!([3, 11]))
    );
    server.finish().await;
}

#[actix_web::test]
async fn cancelled_draw_refunds_every_buyer() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    server.create_operator().await;
    let (operator, alice) = (club::sign_in_as_operator(&server).await, server.alice());
    // Refunds one order before the draw is cancelled. The cancellation must not refund this order
    // again.
    server.bob().buy(draw, 3).await;
    let tickets = operator
        .get(&format!("/api/draws/{draw}/tickets"))
        .await
        .ok();
    let refund = format!(
        "/api/admin/orders/{}/refund",
        order_id_of_first_ticket(&server, &tickets).await
    );
    operator
        .post(&refund, json!({ "reason": "Bought twice" }))
        .await
        .ok();
    let (intent, _) = alice.buy(draw, 2).await;
    server.bob().buy(draw, 1).await;
    let path = format!("/api/admin/draws/{draw}/cancellation");
    let before = operator.get(&path).await.ok();
    assert_eq!(
        (&before["orders"], &before["refundTotal"]),
        (&json!(2), &json!("15.00"))
    );
    let confirmation = json!({ "reason": "Abandoned", "drawNumber": draw.0 });
    let cancel = format!("/api/admin/draws/{draw}/cancel");
    assert_eq!(
        operator.post(&cancel, confirmation.clone()).await.ok()["status"],
        "cancelled"
    );
    let broncos = club::sign_in_as_club(&server, "broncos").await;
    let late = club::enter_result(&broncos, draw, 3, 11)
        .await
        .expect_refusal(409, "draw-cancelled");
    assert_eq!(
        late["message"],
        "This draw was cancelled; every buyer is paid back."
    );
    let done = eventually("every refund succeeded", async || {
        let now = operator.post(&cancel, confirmation.clone()).await.ok();
        (now["refunds"]["succeeded"] == 2).then_some(now)
    })
    .await;
    assert_eq!(
        (&done["refundTotal"], &done["platformFeeReturned"]),
        (&json!("15.00"), &before["platformFeeReturned"])
    );
    assert_eq!(
        operator.get("/api/admin/analytics").await.ok()["platformFees"],
        "0.00"
    );
    // The buyer sees the refund and its category. The operator's own reason is shown only in the
    // console.
    let order = alice.wait_for_status(&intent, "refunded").await;
    assert_eq!(
        order["refund"],
        json!({ "state": "succeeded", "amount": "10.00" })
    );
    assert_eq!(order["reason"], "The draw was cancelled.");
    server.finish().await;
}

#[actix_web::test]
async fn console_shows_health_and_configuration() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    server.create_operator().await;
    let operator = club::sign_in_as_operator(&server).await;
    server.alice().buy(draw, 1).await;
    let health = operator.get("/api/admin/health").await.ok();
    assert_eq!(
        (&health["status"], &health["checks"]["integrity"]["ok"]),
        (&json!("ok"), &json!(true)),
        "{health}"
    );
    assert!(
        health["checks"]["provider"]["lastAnswerAt"].is_string(),
        "{health}"
    );
    let configuration = operator.get("/api/admin/configuration").await.ok();
    assert_eq!(
        (&configuration["feeRateBps"], &configuration["feeCapCents"]),
        (&json!(350), &json!(1100))
    );
    assert_eq!(
        (
            &configuration["cardFeeBps"],
            &configuration["reservationSeconds"]
        ),
        (&json!(170), &json!(120))
    );
    server.finish().await;
}

#[actix_web::test]
async fn missing_ticket_resolution_needs_customer_and_known_payment() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    server.create_operator().await;
    let operator = club::sign_in_as_operator(&server).await;
    let path = "/api/admin/payment-anomalies/resolve";
    let empty = operator
        .post(path, json!({ "paymentIntentId": "pi_none" }))
        .await
        .expect_refusal(400, "invalid");
    let messages: Vec<&str> = empty["errors"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|e| e["message"].as_str())
        .collect();
    assert_eq!(
        messages,
        [
            "Customer name is required",
            "Valid email is required",
            "Valid phone number is required"
        ]
    );
    let customer = |payment: &str| {
        json!({
            "paymentIntentId": payment, "customerName": "Jo", "customerEmail": "jo@x.test", "customerPhone": "0400 000 000",
        })
    };
    operator
        .post(path, customer("pi_none"))
        .await
        .expect_refusal(404, "payment-unknown");
    let (intent, bought) = server.alice().buy(draw, 2).await;
    let again = operator.post(path, customer(intent.id())).await.ok();
    assert_eq!(
        again["allocatedTickets"][0]["ticketNumber"], bought["tickets"][0]["ticketNumber"],
        "a paid order returns its own tickets"
    );
    server.finish().await;
}
