//! Calls of the operator's console: search, payments in progress, settings, footers and health.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Buyer, TestServer, club};

async fn start_server_with_operator() -> (TestServer, domain::DrawId, Buyer) {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    server.create_operator().await;
    let operator = club::sign_in_as_operator(&server).await;
    (server, draw, operator)
}

#[actix_web::test]
async fn every_search_hit_is_listed_in_its_console_section() {
    let (server, draw, operator) = start_server_with_operator().await;
    let (intent, _) = server.alice().buy(draw, 1).await;
    let entry = json!({ "clubName": "Souths", "contactName": "Jo", "contactEmail": "jo@x.test", "contactPhone": "0400 000 000" });
    server.alice().post("/api/waitlist", entry).await.ok();
    let ticket = format!("fd-{draw}-001");
    for (query, kind, section, list, column) in [
        ("broncos rl", "club", "clubs", "/api/admin/clubs", "name"),
        (
            "cowboys",
            "draw",
            "draws",
            "/api/admin/draws",
            "serialNumber",
        ),
        (
            ticket.as_str(),
            "ticket",
            "draws",
            "/api/admin/draws",
            "serialNumber",
        ),
        (
            "alice@example",
            "order",
            "transactions",
            "/api/stripe-debug",
            "paymentIntentId",
        ),
        (
            intent.id(),
            "order",
            "transactions",
            "/api/stripe-debug",
            "paymentIntentId",
        ),
        (
            "souths",
            "waitlist",
            "waitlist",
            "/api/admin/waitlist",
            "clubName",
        ),
    ] {
        let hits = operator
            .get(&format!("/api/admin/search?q={query}"))
            .await
            .ok();
        let hit = hits
            .as_array()
            .into_iter()
            .flatten()
            .find(|hit| hit["kind"] == kind);
        let hit = hit.unwrap_or_else(|| panic!("{query}: {hits}"));
        assert_eq!(hit["section"], section, "{query}");
        let rows = operator.get(list).await.ok();
        let again = rows
            .as_array()
            .into_iter()
            .flatten()
            .any(|row| row[column] == hit["key"]);
        assert!(again, "{query}: {hit} is not in {list}");
    }
    assert_eq!(
        operator.get("/api/admin/search?q=x").await.ok(),
        json!([]),
        "a query of one letter finds nothing"
    );
    server.finish().await;
}

#[actix_web::test]
async fn open_payments_are_counted_before_maintenance_begins() {
    let (server, draw, operator) = start_server_with_operator().await;
    let alice = server.alice();
    let intent = alice.open_intent(draw, 3).await;
    let in_flight = operator.get("/api/admin/in-flight").await.ok();
    assert_eq!(
        in_flight,
        json!({ "reservations": 1, "ticketsHeld": 3, "paymentsInFlight": 1 })
    );
    operator
        .post("/api/admin/maintenance-mode", json!({ "enabled": true }))
        .await
        .ok();
    let answer = server
        .bob()
        .request_intent(draw, 1)
        .await
        .expect_refusal(503, "maintenance");
    assert_eq!(
        answer["message"],
        "System is doing some maintenance. We won't be long, check back in a couple of minutes."
    );
    alice.authorise(&intent).await;
    assert_eq!(
        alice
            .complete_checkout_purchase(draw, 3, &intent)
            .await
            .ok()["status"],
        "succeeded",
        "the open payment is completed"
    );
    let accounts = operator.get("/api/admin/stripe-accounts").await.ok();
    assert_eq!(
        (&accounts[0]["accountId"], &accounts[0]["chargesEnabled"]),
        (&json!("acct_broncos"), &json!(true))
    );
    server.finish().await;
}

#[actix_web::test]
async fn test_draws_are_hidden_from_console_sums_but_public() {
    let (server, draw, operator) = start_server_with_operator().await;
    let test_club = server.club_id("broncos");
    let test_draw = server
        .create_draw_with(test_club, |new| new.league = Some("Test Cup".into()))
        .await;
    server.alice().buy(draw, 1).await;
    server.alice().buy(test_draw, 2).await;
    let sold = async || operator.get("/api/admin/analytics").await.ok()["ticketsSold"].clone();
    assert_eq!(sold().await, 1, "test draws are hidden by default");
    operator
        .post(
            "/api/admin/system-settings/hide_test_draws",
            json!({ "value": "false" }),
        )
        .await
        .ok();
    assert_eq!(sold().await, 3);
    operator
        .post(
            "/api/admin/system-settings/hide_test_draws",
            json!({ "value": "true" }),
        )
        .await
        .ok();
    assert_eq!(sold().await, 1);
    let listed = server.alice().get("/api/draws/active").await.ok();
    assert_eq!(
        listed.as_array().map(Vec::len),
        Some(2),
        "the public list holds both draws"
    );
    assert_eq!(
        operator
            .get("/api/admin/draws")
            .await
            .ok()
            .as_array()
            .map(Vec::len),
        Some(2)
    );
    server.finish().await;
}

#[actix_web::test]
async fn registration_switch_stops_new_clubs_and_is_public() {
    let (server, _, operator) = start_server_with_operator().await;
    let switch = "/api/settings/club-registration";
    assert_eq!(
        server.alice().get(switch).await.ok(),
        json!({ "enabled": true })
    );
    let off = json!({ "value": "false", "description": "Early access" });
    operator
        .post("/api/admin/system-settings/club_registration_enabled", off)
        .await
        .ok();
    assert_eq!(
        server.alice().get(switch).await.ok(),
        json!({ "enabled": false })
    );
    let shown = operator
        .get("/api/admin/system-settings/club_registration_enabled")
        .await
        .ok();
    assert_eq!(
        (&shown["description"], &shown["updatedBy"]),
        (&json!("Early access"), &json!("Super Admin"))
    );
    let form = json!({
        "name": "Souths RLFC", "email": "souths@x.test", "phone": "0400 000 000", "location": "Redfern",
        "password": "long enough", "confirmPassword": "long enough", "agreeToTerms": true,
    });
    assert_eq!(
        server
            .alice()
            .post("/api/clubs/register", form)
            .await
            .status,
        403
    );
    server.finish().await;
}

#[actix_web::test]
async fn archived_clubs_page_is_gone_and_new_sales_are_refused() {
    let (server, draw, operator) = start_server_with_operator().await;
    let alice = server.alice();
    let intent = alice.open_intent(draw, 1).await;
    let id = server.club_id("broncos");
    operator
        .post(&format!("/api/admin/clubs/{id}/archive"), json!({}))
        .await
        .ok();
    assert_eq!(alice.get("/api/clubs/slug/broncos").await.status, 404);
    assert_eq!(alice.get("/club/broncos").await.status, 404);
    assert_eq!(server.bob().request_intent(draw, 1).await.status, 409);
    assert_eq!(
        alice.get(&format!("/api/draws/{draw}")).await.status,
        200,
        "a running draw stays readable"
    );
    alice.authorise(&intent).await;
    assert_eq!(
        alice
            .complete_checkout_purchase(draw, 1, &intent)
            .await
            .ok()["status"],
        "succeeded",
        "the open payment is completed"
    );
    server.finish().await;
}

#[actix_web::test]
async fn footer_menus_are_ordered_changed_and_removed_with_items() {
    let (server, _, operator) = start_server_with_operator().await;
    let create_menu = async |heading: &str, order: i64| {
        let form = json!({ "heading": heading, "displayOrder": order });
        operator.post("/api/admin/footer-menus", form).await.ok()["id"].clone()
    };
    let (late, early) = (create_menu("Late", 2).await, create_menu("Early", 1).await);
    let item = json!({ "menuId": late, "label": "Rules", "url": "/terms", "displayOrder": 0 });
    let item = operator
        .post("/api/admin/footer-menu-items", item)
        .await
        .ok()["id"]
        .clone();
    let public = async || server.alice().get("/api/footer-menus").await.ok();
    let headings = |menus: &Value| -> Vec<String> {
        menus
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|menu| menu["heading"].as_str().map(str::to_string))
            .collect()
    };
    assert_eq!(
        headings(&public().await),
        ["Early", "Late"],
        "menus are sorted by their order"
    );
    let change = async |method: Method, path: String, body: Value| {
        operator.call(method, &path, Some(&body)).await
    };
    let moved = change(
        Method::PATCH,
        format!("/api/admin/footer-menus/{late}"),
        json!({ "displayOrder": 0 }),
    )
    .await
    .ok();
    assert_eq!(
        (&moved["heading"], &moved["displayOrder"]),
        (&json!("Late"), &json!(0)),
        "the heading stays"
    );
    assert_eq!(headings(&public().await), ["Late", "Early"]);
    let hidden = change(
        Method::PATCH,
        format!("/api/admin/footer-menu-items/{item}"),
        json!({ "isVisible": false }),
    )
    .await;
    assert_eq!(hidden.ok()["label"], "Rules");
    assert_eq!(public().await[0]["items"], json!([]));
    assert_eq!(
        change(
            Method::DELETE,
            format!("/api/admin/footer-menus/{late}"),
            json!({})
        )
        .await
        .status,
        204
    );
    change(
        Method::PATCH,
        format!("/api/admin/footer-menu-items/{item}"),
        json!({ "label": "x" }),
    )
    .await
    .expect_refusal(404, "footer-item-unknown");
    change(
        Method::DELETE,
        format!("/api/admin/footer-menus/{late}"),
        json!({}),
    )
    .await
    .expect_refusal(404, "footer-menu-unknown");
    assert_eq!(headings(&public().await), ["Early"]);
    assert_ne!(early, late);
    server.finish().await;
}

#[actix_web::test]
async fn health_checks_report_broken_invariant_and_draining() {
    let (server, draw, operator) = start_server_with_operator().await;
    assert_eq!(
        server.alice().get("/api/health/live").await.ok()["status"],
        "live"
    );
    assert_eq!(
        server.alice().get("/api/health/integrity").await.ok()["healthy"],
        true
    );
    operator
        .get("/api/admin/payment-anomalies?status=odd")
        .await
        .expect_refusal(400, "status-unknown");
    let scanned = operator
        .post("/api/admin/payment-anomalies/scan-historical", json!({}))
        .await
        .ok();
    assert_eq!(scanned["hoursBack"], 24, "the default is 24 hours");
    let break_invariant =
        "with broken as (update draws set held = held + 1 where id = $1::bigint returning 1)
         select count(*) from broken";
    assert_eq!(
        server
            .database
            .query_number(break_invariant, &draw.to_string())
            .await,
        1
    );
    server.clock.advance_seconds(11);
    let answer = server.alice().get("/api/health/integrity").await;
    let (status, answer): (u16, Value) = (
        answer.status,
        serde_json::from_str(&answer.text).expect("valid JSON"),
    );
    assert_eq!(
        (status, &answer["healthy"]),
        (500, &json!(false)),
        "{answer}"
    );
    let health = operator.get("/api/admin/health").await.ok();
    assert_eq!(
        (&health["status"], &health["checks"]["integrity"]["ok"]),
        (&json!("down"), &json!(false))
    );
    let repair_invariant =
        "with mended as (update draws set held = held - 1 where id = $1::bigint returning 1)
         select count(*) from mended";
    server
        .database
        .query_number(repair_invariant, &draw.to_string())
        .await;
    server.start_draining();
    let answer = server.alice().get("/api/health/ready").await;
    assert_eq!(answer.status, 503, "a draining server is not ready");
    server.finish().await;
}

#[actix_web::test]
async fn anomaly_check_during_provider_outage_asks_to_retry() {
    let (server, draw, operator) = start_server_with_operator().await;
    server.alice().buy(draw, 1).await;
    let outage = json!({ "rates": { "rate-limit": 1.0 } });
    server.alice().post("/sandbox/faults", outage).await.ok();
    for path in [
        "/api/admin/payment-anomalies/check",
        "/api/admin/payment-anomalies/scan-historical",
    ] {
        let answer = operator.post(path, json!({})).await;
        assert!(answer.header("retry-after").is_some(), "{path}");
        assert_eq!(
            answer.expect_refusal(503, "unavailable")["message"],
            "Please wait a moment and try again."
        );
    }
    server.alice().post("/sandbox/faults", json!({})).await.ok();
    server.finish().await;
}
