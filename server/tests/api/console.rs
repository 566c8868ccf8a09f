//! The operator's console: who gets in, what it counts, what it may do, and that it is written down.

use actors::Clock;
use domain::{Anomaly, AnomalyKind, Cents, PaymentIntentId};
use serde_json::{Value, json};

use crate::support::buyer::Intent;
use crate::support::server::PASSWORD;
use crate::support::server::eventually;
use crate::support::{TestServer, club};

#[actix_web::test]
async fn a_password_alone_opens_half_a_session_and_a_code_the_whole() {
    let server = TestServer::start().await;
    server.operator().await;
    let browser = server.alice();
    let user = browser.signs_in("operator@demo.test", PASSWORD).await.ok();
    assert_eq!(
        (&user["isAdmin"], &user["secondFactor"]),
        (&json!(true), &json!("required"))
    );
    browser
        .get("/api/admin/clubs")
        .await
        .refused(403, "second-factor-required");
    assert_eq!(
        browser.get("/api/admin/whoami").await.ok()["secondFactor"],
        "required"
    );
    browser
        .post("/api/admin/totp/enrol", json!({}))
        .await
        .refused(409, "already-enrolled");
    let wrong = browser
        .post("/api/admin/totp/verify", json!({ "code": "000000" }))
        .await
        .refused(401, "wrong-code");
    assert_eq!(
        wrong["message"],
        "That code is not right. Codes change every 30 seconds."
    );
    let code = club::code(&server, 0);
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
    other.signs_in("operator@demo.test", PASSWORD).await.ok();
    other
        .post("/api/admin/totp/verify", json!({ "code": code }))
        .await
        .refused(401, "code-used");
    server.finish().await;
}

#[actix_web::test]
async fn an_operator_without_an_authenticator_sets_one_up_first() {
    let server = TestServer::start().await;
    let hash = server::identity::password::hash(PASSWORD);
    server
        .records
        .create_admin("new@demo.test", "New", &hash)
        .await
        .expect("an operator");
    let browser = server.alice();
    assert_eq!(
        browser.signs_in("new@demo.test", PASSWORD).await.ok()["secondFactor"],
        "enrol"
    );
    let shown = browser.post("/api/admin/totp/enrol", json!({})).await.ok();
    assert_eq!(
        browser.post("/api/admin/totp/enrol", json!({})).await.ok()["secret"],
        shown["secret"]
    );
    let uri = shown["uri"].as_str().expect("an address");
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
async fn guessing_codes_ends_after_five() {
    let server = TestServer::start().await;
    server.operator().await;
    let browser = server.alice();
    browser.signs_in("operator@demo.test", PASSWORD).await.ok();
    for _ in 0..5 {
        browser
            .post("/api/admin/totp/verify", json!({ "code": "000000" }))
            .await
            .refused(401, "wrong-code");
    }
    let code = club::code(&server, 0);
    let refused = browser
        .post("/api/admin/totp/verify", json!({ "code": code }))
        .await;
    assert_eq!(refused.header("retry-after"), Some("600"));
    refused.refused(429, "too-many-requests");
    server.finish().await;
}

#[actix_web::test]
async fn what_cannot_be_taken_back_wants_a_fresh_code() {
    let server = TestServer::start().await;
    server.operator().await;
    let operator = club::operator(&server).await;
    let maintenance = json!({ "enabled": true, "updatedBy": "somebody" });
    assert_eq!(
        operator
            .post("/api/admin/maintenance-mode", maintenance.clone())
            .await
            .status,
        200
    );
    server.clock.push_seconds(601);
    operator
        .post("/api/admin/maintenance-mode", maintenance.clone())
        .await
        .refused(403, "reauthentication-required");
    assert_eq!(
        operator.get("/api/admin/clubs").await.status,
        200,
        "looking goes on"
    );
    club::shows_code(&server, &operator, "/api/admin/reauthenticate").await;
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
async fn the_overview_counts_what_the_ledger_says() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    server.operator().await;
    let operator = club::operator(&server).await;
    server.alice().buys(draw, 3).await;
    server.bob().buys(draw, 2).await;
    let analytics = operator.get("/api/admin/analytics").await.ok();
    let financials = club::club(&server, "broncos")
        .await
        .get(&format!("/api/draws/{draw}/financials"))
        .await
        .ok();
    for (ours, theirs) in [
        ("totalRevenue", "totalRevenue"),
        ("platformFees", "platformFee"),
        ("clubRevenue", "clubRevenue"),
    ] {
        assert_eq!(analytics[ours], financials[theirs], "{ours}");
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
    let sold: i64 = numbers(&series["ticketsSold"]).sum();
    assert_eq!(
        (sold, numbers(&series["revenueCents"]).sum::<i64>()),
        (5, 2500)
    );
    operator
        .get("/api/admin/series?hours=721")
        .await
        .refused(400, "hours-out-of-range");
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
        .refused(400, "day-invalid");
    let draws = operator.get("/api/admin/draws").await.ok();
    assert_eq!(
        (&draws[0]["revenue"], &draws[0]["orders"]),
        (&json!("25.00"), &json!(2))
    );
    server.finish().await;
}

fn numbers(column: &Value) -> impl Iterator<Item = i64> {
    column
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_i64)
}

#[actix_web::test]
async fn an_archived_club_leaves_the_lists_and_comes_back() {
    let server = TestServer::start().await;
    let club_id = server.club("broncos").await.id;
    server.operator().await;
    let operator = club::operator(&server).await;
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
        .refused(404, "club-unknown");
    let trail = operator
        .get(&format!("/api/admin/audit?object=club:{club_id}"))
        .await
        .ok();
    let actions: Vec<&str> = trail["entries"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(action)
        .collect();
    assert_eq!(
        actions,
        ["restore-club", "archive-club"],
        "what changed nothing is no act"
    );
    assert_eq!(trail["chain"]["verified"], true);
    server.finish().await;
}

fn action(entry: &Value) -> Option<&str> {
    entry["action"].as_str()
}

#[actix_web::test]
async fn settings_footers_and_the_waitlist_are_kept_and_written_down() {
    let server = TestServer::start().await;
    server.operator().await;
    let operator = club::operator(&server).await;
    operator
        .get("/api/admin/system-settings/hide_test_draws")
        .await
        .refused(404, "setting-unset");
    let hide = json!({ "value": "false", "description": "Show them", "updatedBy": "me" });
    let set = operator
        .post("/api/admin/system-settings/hide_test_draws", hide)
        .await
        .ok();
    assert_eq!(
        (&set["value"], &set["updatedBy"]),
        (&json!("false"), &json!("Super Admin"))
    );
    let odd = json!({ "value": "perhaps" });
    operator
        .post("/api/admin/system-settings/hide_test_draws", odd.clone())
        .await
        .refused(400, "value-refused");
    operator
        .post("/api/admin/system-settings/demo_seeded", odd.clone())
        .await
        .refused(400, "setting-unknown");
    operator
        .post("/api/admin/system-settings/maintenance_mode", odd)
        .await
        .refused(409, "use-maintenance-mode");

    let menu = json!({ "heading": "Help", "displayOrder": 1 });
    let created = operator.post("/api/admin/footer-menus", menu).await;
    assert_eq!(created.status, 201);
    let id = operator.get("/api/admin/footer-menus").await.ok()[0]["id"]
        .as_i64()
        .expect("an id");
    for url in ["javascript:alert(1)", "//evil.test", "data:text/html,x"] {
        let item = json!({ "menuId": id, "label": "Bad", "url": url, "displayOrder": 0 });
        operator
            .post("/api/admin/footer-menu-items", item)
            .await
            .refused(400, "invalid");
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
        "hidden from the public"
    );
    operator
        .post("/api/admin/footer-menus", json!({ "displayOrder": 1 }))
        .await
        .refused(400, "invalid");

    let wish = json!({ "clubName": "Souths", "contactName": "Jo", "contactEmail": "jo@x.test", "contactPhone": "0400 000 000" });
    assert_eq!(server.alice().post("/api/waitlist", wish).await.status, 201);
    let entry = operator.get("/api/admin/waitlist").await.ok()[0]["id"]
        .as_i64()
        .expect("an id");
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
        .refused(404, "entry-unknown");
    let hits = operator.get("/api/admin/search?q=fd-10").await.ok();
    assert_eq!(hits, json!([]));
    server.finish().await;
}

#[actix_web::test]
async fn an_anomaly_is_seen_explained_and_resolved_once() {
    let server = TestServer::start().await;
    server.operator().await;
    let operator = club::operator(&server).await;
    let odd = |kind, intent: &str| Anomaly {
        kind,
        order: None,
        payment_intent: Some(PaymentIntentId(intent.into())),
        note: "seen".into(),
    };
    for anomaly in [
        odd(AnomalyKind::DuplicatePayment, "pi_twice"),
        odd(AnomalyKind::MissingTicket, "pi_none"),
    ] {
        server
            .books
            .raise(&anomaly, Some(Cents(500)), server.clock.now())
            .await
            .expect("raised");
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
        listed[0]["id"].as_str().expect("an id")
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
        missing[0]["id"].as_str().expect("an id")
    );
    operator
        .post(&path, json!({}))
        .await
        .refused(409, "needs-customer");
    let checked = operator
        .post("/api/admin/payment-anomalies/check", json!({}))
        .await
        .ok();
    assert_eq!(checked["newAnomalies"], 0);
    let body = json!({ "hoursBack": 721 });
    operator
        .post("/api/admin/payment-anomalies/scan-historical", body)
        .await
        .refused(400, "hours-out-of-range");
    server.finish().await;
}

#[actix_web::test]
async fn a_refund_voids_the_tickets_gives_back_the_fee_and_is_done_once() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    server.operator().await;
    let operator = club::operator(&server).await;
    server.alice().buys(draw, 2).await;
    let tickets = operator
        .get(&format!("/api/draws/{draw}/tickets"))
        .await
        .ok();
    let order = order_of(&server, &tickets).await;
    let path = format!("/api/admin/orders/{order}/refund");
    operator
        .post(&path, json!({}))
        .await
        .refused(400, "reason-required");
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

/// The order of a draw's first sold ticket.
async fn order_of(server: &TestServer, tickets: &Value) -> String {
    let draw = tickets[0]["serialNumber"]
        .as_str()
        .and_then(|serial| serial.split('-').nth(1))
        .expect("a draw");
    let sold = server
        .records
        .sold_tickets(domain::DrawId(draw.parse().expect("a number")))
        .await
        .expect("read");
    uuid::Uuid::from_u128(sold[0].order.0).to_string()
}

#[actix_web::test]
async fn a_ticket_without_a_buyer_gets_one_and_keeps_it() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    server.operator().await;
    let operator = club::operator(&server).await;
    let nobody = server.alice();
    let opened = nobody
        .post(
            "/api/create-payment-intent",
            json!({ "drawNumber": draw.0, "ticketCount": 2 }),
        )
        .await;
    let intent = Intent { body: opened.ok() };
    nobody.authorise(&intent).await;
    let paid = json!({ "drawNumber": draw.0, "ticketCount": 2, "paymentIntentId": intent.id() });
    assert_eq!(
        nobody.post("/api/complete-card-payment", paid).await.ok()["status"],
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
        orphans[0]["id"].as_str().expect("an id")
    );
    let refused = operator
        .call(
            reqwest::Method::PATCH,
            &path,
            Some(&json!({ "name": "Jo" })),
        )
        .await;
    assert_eq!(
        refused.refused(400, "invalid")["message"],
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
        .refused(409, "not-orphaned");
    assert_eq!(
        operator.get("/api/admin/orphaned-tickets").await.ok(),
        json!([])
    );
    server.finish().await;
}

#[actix_web::test]
async fn a_result_is_undone_with_a_reason_and_the_typed_number() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    server.operator().await;
    let operator = club::operator(&server).await;
    let broncos = club::club(&server, "broncos").await;
    server.alice().buys(draw, 1).await;
    let path = format!("/api/draws/{draw}/undo-results");
    let meant = json!({ "reason": "Wrong player", "drawNumber": draw.0 });
    operator
        .post(&path, meant.clone())
        .await
        .refused(409, "not-completed");
    club::enters(&broncos, draw, 3, 11).await.ok();
    operator
        .post(&path, json!({ "reason": "Wrong player" }))
        .await
        .refused(400, "draw-number-mismatch");
    operator
        .post(&path, json!({ "drawNumber": draw.0 }))
        .await
        .refused(400, "reason-required");
    broncos
        .post(&path, meant.clone())
        .await
        .refused(403, "forbidden");
    let undone = operator.post(&path, meant).await.ok();
    assert_eq!(
        undone,
        json!({ "newStatus": "active", "correctionsSent": 0, "payoutsCleared": 1 })
    );
    let trail = operator
        .get(&format!("/api/admin/audit?object=draw:{draw}"))
        .await
        .ok();
    let undoing = &trail["entries"][0];
    assert_eq!(
        (&undoing["action"], &undoing["detail"]["before"]),
        (&json!("undo-results"), &json!([3, 11]))
    );
    server.finish().await;
}

#[actix_web::test]
async fn a_game_that_is_called_off_gives_everybody_everything_back() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    server.operator().await;
    let (operator, alice) = (club::operator(&server).await, server.alice());
    // Given back before: it does not go back once more.
    server.bob().buys(draw, 3).await;
    let tickets = operator
        .get(&format!("/api/draws/{draw}/tickets"))
        .await
        .ok();
    let refund = format!(
        "/api/admin/orders/{}/refund",
        order_of(&server, &tickets).await
    );
    operator
        .post(&refund, json!({ "reason": "Bought twice" }))
        .await
        .ok();
    let (intent, _) = alice.buys(draw, 2).await;
    server.bob().buys(draw, 1).await;
    let path = format!("/api/admin/draws/{draw}/cancellation");
    let before = operator.get(&path).await.ok();
    assert_eq!(
        (&before["orders"], &before["refundTotal"]),
        (&json!(2), &json!("15.00"))
    );
    let meant = json!({ "reason": "Abandoned", "drawNumber": draw.0 });
    let cancel = format!("/api/admin/draws/{draw}/cancel");
    assert_eq!(
        operator.post(&cancel, meant.clone()).await.ok()["status"],
        "cancelled"
    );
    let broncos = club::club(&server, "broncos").await;
    let late = club::enters(&broncos, draw, 3, 11)
        .await
        .refused(409, "draw-cancelled");
    assert_eq!(
        late["message"],
        "This draw was cancelled; every buyer is paid back."
    );
    let done = eventually("everything is given back", async || {
        let now = operator.post(&cancel, meant.clone()).await.ok();
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
    // The buyer is told that it is done, and why; the operator's own words stay in the console.
    let told = alice.sees(&intent, "refunded").await;
    assert_eq!(
        told["refund"],
        json!({ "state": "succeeded", "amount": "10.00" })
    );
    assert_eq!(told["reason"], "The draw was cancelled.");
    server.finish().await;
}

#[actix_web::test]
async fn the_console_tells_how_the_machine_is_and_what_is_in_force() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    server.operator().await;
    let operator = club::operator(&server).await;
    server.alice().buys(draw, 1).await;
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
async fn a_missing_ticket_wants_a_customer_and_a_payment_that_exists() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    server.operator().await;
    let operator = club::operator(&server).await;
    let path = "/api/admin/payment-anomalies/resolve";
    let empty = operator
        .post(path, json!({ "paymentIntentId": "pi_none" }))
        .await
        .refused(400, "invalid");
    let words: Vec<&str> = empty["errors"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|e| e["message"].as_str())
        .collect();
    assert_eq!(
        words,
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
        .refused(404, "payment-unknown");
    let (intent, bought) = server.alice().buys(draw, 2).await;
    let again = operator.post(path, customer(intent.id())).await.ok();
    assert_eq!(
        again["allocatedTickets"][0]["ticketNumber"], bought["tickets"][0]["ticketNumber"],
        "it has its tickets"
    );
    server.finish().await;
}
