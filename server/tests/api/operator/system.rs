//! The console's quieter calls: what is found, what is under way, what a switch does, and who may join.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Buyer, TestServer, club};

async fn scene() -> (TestServer, domain::DrawId, Buyer) {
    let server = TestServer::start().await;
    let draw = server.game().await;
    server.operator().await;
    let operator = club::operator(&server).await;
    (server, draw, operator)
}

#[actix_web::test]
async fn whatever_is_found_is_found_again_in_the_list_its_section_loads() {
    let (server, draw, operator) = scene().await;
    let (intent, _) = server.alice().buys(draw, 1).await;
    let wish = json!({ "clubName": "Souths", "contactName": "Jo", "contactEmail": "jo@x.test", "contactPhone": "0400 000 000" });
    server.alice().post("/api/waitlist", wish).await.ok();
    let ticket = format!("fd-{draw}-001");
    for (words, kind, section, list, column) in [
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
            .get(&format!("/api/admin/search?q={words}"))
            .await
            .ok();
        let hit = hits
            .as_array()
            .into_iter()
            .flatten()
            .find(|hit| hit["kind"] == kind);
        let hit = hit.unwrap_or_else(|| panic!("{words}: {hits}"));
        assert_eq!(hit["section"], section, "{words}");
        let rows = operator.get(list).await.ok();
        let again = rows
            .as_array()
            .into_iter()
            .flatten()
            .any(|row| row[column] == hit["key"]);
        assert!(again, "{words}: {hit} is not in {list}");
    }
    assert_eq!(
        operator.get("/api/admin/search?q=x").await.ok(),
        json!([]),
        "one letter is too little"
    );
    server.finish().await;
}

#[actix_web::test]
async fn what_is_under_way_is_counted_before_maintenance_begins() {
    let (server, draw, operator) = scene().await;
    let alice = server.alice();
    let intent = alice.intent(draw, 3).await;
    let flight = operator.get("/api/admin/in-flight").await.ok();
    assert_eq!(
        flight,
        json!({ "reservations": 1, "ticketsHeld": 3, "paymentsInFlight": 1 })
    );
    operator
        .post("/api/admin/maintenance-mode", json!({ "enabled": true }))
        .await
        .ok();
    let said = server.bob().ask(draw, 1).await.refused(503, "maintenance");
    assert_eq!(
        said["message"],
        "System is doing some maintenance. We won't be long, check back in a couple of minutes."
    );
    alice.authorise(&intent).await;
    assert_eq!(
        alice.purchase(draw, 3, &intent).await.ok()["status"],
        "succeeded",
        "what began ends"
    );
    let accounts = operator.get("/api/admin/stripe-accounts").await.ok();
    assert_eq!(
        (&accounts[0]["accountId"], &accounts[0]["chargesEnabled"]),
        (&json!("acct_broncos"), &json!(true))
    );
    server.finish().await;
}

#[actix_web::test]
async fn test_draws_are_hidden_from_the_consoles_sums_and_not_from_the_public() {
    let (server, draw, operator) = scene().await;
    let tests = server.club_named("broncos");
    let test = server
        .draw_with(tests, |new| new.league = Some("Test Cup".into()))
        .await;
    server.alice().buys(draw, 1).await;
    server.alice().buys(test, 2).await;
    let sold = async || operator.get("/api/admin/analytics").await.ok()["ticketsSold"].clone();
    assert_eq!(sold().await, 1, "hidden unless said otherwise");
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
        "the public sees both"
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
async fn with_registration_off_no_club_joins_and_the_switch_says_so() {
    let (server, _, operator) = scene().await;
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
async fn an_archived_clubs_page_is_gone_and_nothing_new_is_sold() {
    let (server, draw, operator) = scene().await;
    let alice = server.alice();
    let intent = alice.intent(draw, 1).await;
    let id = server.club_named("broncos");
    operator
        .post(&format!("/api/admin/clubs/{id}/archive"), json!({}))
        .await
        .ok();
    assert_eq!(alice.get("/api/clubs/slug/broncos").await.status, 404);
    assert_eq!(alice.get("/club/broncos").await.status, 404);
    assert_eq!(server.bob().ask(draw, 1).await.status, 409);
    assert_eq!(
        alice.get(&format!("/api/draws/{draw}")).await.status,
        200,
        "a running draw stays in reach"
    );
    alice.authorise(&intent).await;
    assert_eq!(
        alice.purchase(draw, 1, &intent).await.ok()["status"],
        "succeeded",
        "what began ends"
    );
    server.finish().await;
}

#[actix_web::test]
async fn footers_are_changed_ordered_and_removed_with_their_items() {
    let (server, _, operator) = scene().await;
    let menu = async |heading: &str, order: i64| {
        let form = json!({ "heading": heading, "displayOrder": order });
        operator.post("/api/admin/footer-menus", form).await.ok()["id"].clone()
    };
    let (late, early) = (menu("Late", 2).await, menu("Early", 1).await);
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
        "by their order, not their age"
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
        "the rest stays"
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
    .refused(404, "footer-item-unknown");
    change(
        Method::DELETE,
        format!("/api/admin/footer-menus/{late}"),
        json!({}),
    )
    .await
    .refused(404, "footer-menu-unknown");
    assert_eq!(headings(&public().await), ["Early"]);
    assert_ne!(early, late);
    server.finish().await;
}

#[actix_web::test]
async fn the_machine_says_that_it_lives_and_what_it_no_longer_keeps() {
    let (server, draw, operator) = scene().await;
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
        .refused(400, "status-unknown");
    let scanned = operator
        .post("/api/admin/payment-anomalies/scan-historical", json!({}))
        .await
        .ok();
    assert_eq!(scanned["hoursBack"], 24, "a day unless said otherwise");
    let breaking =
        "with broken as (update draws set held = held + 1 where id = $1::bigint returning 1)
         select count(*) from broken";
    assert_eq!(server.database.count(breaking, &draw.to_string()).await, 1);
    server.clock.push_seconds(11);
    let said = server.alice().get("/api/health/integrity").await;
    let (status, said): (u16, Value) =
        (said.status, serde_json::from_str(&said.text).expect("JSON"));
    assert_eq!((status, &said["healthy"]), (500, &json!(false)), "{said}");
    let health = operator.get("/api/admin/health").await.ok();
    assert_eq!(
        (&health["status"], &health["checks"]["integrity"]["ok"]),
        (&json!("down"), &json!(false))
    );
    let mending =
        "with mended as (update draws set held = held - 1 where id = $1::bigint returning 1)
         select count(*) from mended";
    server.database.count(mending, &draw.to_string()).await;
    server.drain();
    let said = server.alice().get("/api/health/ready").await;
    assert_eq!(said.status, 503, "a server that stops is not ready");
    server.finish().await;
}

#[actix_web::test]
async fn while_the_provider_is_away_a_check_says_to_try_again() {
    let (server, draw, operator) = scene().await;
    server.alice().buys(draw, 1).await;
    let away = json!({ "rates": { "rate-limit": 1.0 } });
    server.alice().post("/sandbox/faults", away).await.ok();
    for path in [
        "/api/admin/payment-anomalies/check",
        "/api/admin/payment-anomalies/scan-historical",
    ] {
        let answer = operator.post(path, json!({})).await;
        assert!(answer.header("retry-after").is_some(), "{path}");
        assert_eq!(
            answer.refused(503, "unavailable")["message"],
            "Please wait a moment and try again."
        );
    }
    server.alice().post("/sandbox/faults", json!({})).await.ok();
    server.finish().await;
}
