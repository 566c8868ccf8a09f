//! Every write of the operator adds an entry to the audit log in the same transaction. The hash
//! chain of the log stays valid.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Buyer, TestServer, club};

async fn fetch_audit_entries_of_valid_chain(operator: &Buyer, object: &str) -> Vec<Value> {
    let trail = operator
        .get(&format!("/api/admin/audit?object={object}"))
        .await
        .ok();
    assert_eq!(
        (&trail["chain"]["verified"], &trail["chain"]["brokenAt"]),
        (&json!(true), &Value::Null)
    );
    trail["entries"].as_array().cloned().unwrap_or_default()
}

#[actix_web::test]
async fn operator_writes_are_audited_on_their_object() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    server.create_operator().await;
    let operator = club::sign_in_as_operator(&server).await;
    let post = async |path: &str, body: Value| operator.post(path, body).await.ok();
    let change = async |method: Method, path: String, body: Value| {
        let answer = operator.call(method, &path, Some(&body)).await;
        assert!(
            (200..300).contains(&answer.status),
            "{path}: {}",
            answer.text
        );
    };
    let menu = post(
        "/api/admin/footer-menus",
        json!({ "heading": "Help", "displayOrder": 1 }),
    )
    .await["id"]
        .clone();
    let item = json!({ "menuId": menu, "label": "Rules", "url": "/terms", "displayOrder": 0 });
    let item = post("/api/admin/footer-menu-items", item).await["id"].clone();
    change(
        Method::PATCH,
        format!("/api/admin/footer-menus/{menu}"),
        json!({ "heading": "Rules" }),
    )
    .await;
    change(
        Method::PATCH,
        format!("/api/admin/footer-menu-items/{item}"),
        json!({ "label": "All rules" }),
    )
    .await;
    change(
        Method::DELETE,
        format!("/api/admin/footer-menu-items/{item}"),
        json!({}),
    )
    .await;
    change(
        Method::DELETE,
        format!("/api/admin/footer-menus/{menu}"),
        json!({}),
    )
    .await;
    post(
        "/api/admin/system-settings/hide_test_draws",
        json!({ "value": "false" }),
    )
    .await;
    post("/api/admin/maintenance-mode", json!({ "enabled": true })).await;
    post("/api/admin/maintenance-mode", json!({ "enabled": false })).await;
    post("/api/admin/payment-anomalies/check", json!({})).await;
    post(
        "/api/admin/payment-anomalies/scan-historical",
        json!({ "hoursBack": 24 }),
    )
    .await;
    let entry = json!({ "clubName": "Souths", "contactName": "Jo", "contactEmail": "jo@x.test", "contactPhone": "0400 000 000" });
    let waiting = server.alice().post("/api/waitlist", entry).await.ok()["id"].clone();
    change(
        Method::DELETE,
        format!("/api/admin/waitlist/{waiting}"),
        json!({}),
    )
    .await;
    club::enter_result(&operator, draw, 3, 11).await.ok();
    post(
        &format!("/api/draws/{draw}/undo-results"),
        json!({ "reason": "Wrong", "drawNumber": draw.0 }),
    )
    .await;
    post(
        &format!("/api/admin/draws/{draw}/cancel"),
        json!({ "reason": "Rain", "drawNumber": draw.0 }),
    )
    .await;
    let club = server.club_id("broncos");
    post(&format!("/api/admin/clubs/{club}/archive"), json!({})).await;

    let select = async |query: &str| {
        let page = operator
            .get(&format!("/api/admin/audit?{query}"))
            .await
            .ok();
        let entries = page["entries"].as_array().cloned().unwrap_or_default();
        let actions: Vec<String> = entries
            .iter()
            .filter_map(|entry| entry["action"].as_str().map(str::to_string))
            .collect();
        (page["total"].clone(), actions)
    };
    let both = (
        json!(2),
        vec!["cancel-draw".to_string(), "undo-results".to_string()],
    );
    assert_eq!(select("action=cancel-draw,undo-results").await, both);
    assert_eq!(
        select("action=cancel-draw,undo-results&actor=operator&limit=1").await,
        (json!(2), vec!["cancel-draw".to_string()]),
        "the count is of all pages"
    );
    assert_eq!(
        select("q=rAiN&actor=operator").await,
        (json!(1), vec!["cancel-draw".to_string()])
    );
    for nothing in [
        "actor=club",
        "actor=system&action=cancel-draw",
        "since=4000000000000",
    ] {
        assert_eq!(select(nothing).await, (json!(0), Vec::new()), "{nothing}");
    }
    let newest = &operator.get("/api/admin/audit?limit=1").await.ok()["entries"][0];
    assert_eq!(
        (&newest["by"], newest["name"].is_string()),
        (&json!("Super Admin"), true),
        "the operator has a name"
    );

    let actions = async |object: String| -> Vec<String> {
        let entries = fetch_audit_entries_of_valid_chain(&operator, &object).await;
        entries
            .iter()
            .filter_map(|entry| entry["action"].as_str().map(str::to_string))
            .collect()
    };
    assert_eq!(
        actions(format!("footer-menu:{menu}")).await,
        [
            "remove-footer-menu",
            "change-footer-menu",
            "create-footer-menu"
        ]
    );
    assert_eq!(
        actions("footer-item:*".into()).await,
        [
            "remove-footer-item",
            "change-footer-item",
            "create-footer-item"
        ],
        "`*` lists the entries of removed objects too"
    );
    assert_eq!(actions("setting:hide_test_draws".into()).await, ["set"]);
    assert_eq!(
        actions("setting:maintenance_mode".into()).await,
        ["set", "set"]
    );
    assert_eq!(
        actions("system".into()).await,
        ["scan-payments", "scan-payments"]
    );
    assert_eq!(
        actions(format!("waitlist:{waiting}")).await,
        ["remove-from-waitlist"]
    );
    assert_eq!(
        actions(format!("draw:{draw}")).await,
        ["cancel-draw", "undo-results", "enter-results"]
    );
    assert_eq!(actions(format!("club:{club}")).await, ["archive-club"]);
    let cancelled =
        &fetch_audit_entries_of_valid_chain(&operator, &format!("draw:{draw}")).await[0];
    let view = server
        .engine
        .draws
        .view(draw)
        .await
        .expect("the draw has a view");
    assert_eq!(
        cancelled["detail"]["revision"],
        json!(view.revision),
        "the audit entry names the revision of the journal"
    );
    assert_eq!(
        (
            &cancelled["detail"]["reason"],
            &cancelled["detail"]["status"]
        ),
        (&json!("Rain"), &json!("cancelled"))
    );
    server.finish().await;
}

#[actix_web::test]
async fn closing_expired_draws_is_audited_per_draw() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    server.create_operator().await;
    let operator = club::sign_in_as_operator(&server).await;
    let answer = operator
        .post("/api/admin/close-expired-draws", json!({}))
        .await
        .ok();
    assert_eq!(
        answer,
        json!({ "message": "No expired draws to close.", "closed": 0 })
    );
    assert_eq!(
        fetch_audit_entries_of_valid_chain(&operator, &format!("draw:{draw}"))
            .await
            .len(),
        0,
        "no entry without an effect"
    );
    // The clock moves past kick-off. The draw's timer counts elapsed time, so it has not closed the
    // draw yet.
    server.clock.advance_seconds(8 * 86_400);
    let operator = club::sign_in_as_operator(&server).await;
    let answer = operator
        .post("/api/admin/close-expired-draws", json!({}))
        .await
        .ok();
    assert_eq!(
        answer,
        json!({ "message": "Closed 1 expired draw.", "closed": 1 })
    );
    let entries = fetch_audit_entries_of_valid_chain(&operator, &format!("draw:{draw}")).await;
    assert_eq!(
        (&entries[0]["action"], &entries[0]["detail"]["status"]),
        (&json!("close-expired-draw"), &json!("closed"))
    );
    let answer = operator
        .post("/api/admin/close-expired-draws", json!({}))
        .await
        .ok();
    assert_eq!(answer["closed"], 0);
    server.finish().await;
}

#[actix_web::test]
async fn club_writes_are_audited_and_refusals_are_not() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    server.create_operator().await;
    let (operator, broncos) = (
        club::sign_in_as_operator(&server).await,
        club::sign_in_as_club(&server, "broncos").await,
    );
    let id = server.club_id("broncos");
    let bought = server.alice().buy(draw, 1).await.1;
    let number = |name: &str| bought["tickets"][0][name].as_u64().expect("a JSON number") as u8;
    let page = format!("/api/clubs/{id}/home-page");
    broncos
        .call(
            Method::PATCH,
            &page,
            Some(&json!({ "homePageTitle": "Go Broncos" })),
        )
        .await
        .ok();
    let offers = "/api/admin/clubs/broncos/bundles";
    let offer = json!({ "name": "Finals", "slug": "finals", "type": "SPECIAL", "status": "draft", "gameIds": [draw.0] });
    let made = broncos.post(offers, offer.clone()).await.ok()["id"].clone();
    assert!(
        broncos.post(offers, offer).await.status >= 400,
        "the slug is taken"
    );
    broncos
        .post(&format!("{offers}/{made}/archive"), json!({}))
        .await
        .ok();
    broncos
        .call(
            Method::PATCH,
            &format!("/api/draws/{draw}"),
            Some(&json!({ "league": "NRLW" })),
        )
        .await
        .ok();
    server.start_game(draw).await;
    for _ in 0..2 {
        club::enter_result(&broncos, draw, number("homeNumber"), number("awayNumber"))
            .await
            .ok();
        broncos
            .post(&format!("/api/draws/{draw}/notify-winners"), json!({}))
            .await
            .ok();
        let payout = broncos
            .post(
                &format!("/api/draws/{draw}/payouts"),
                json!({ "type": "winner" }),
            )
            .await
            .ok();
        let settle = format!("/api/payouts/{}", payout["id"]);
        broncos
            .call(
                Method::PATCH,
                &settle,
                Some(&json!({ "status": "completed" })),
            )
            .await
            .ok();
    }
    let actions = async |object: String| -> Vec<String> {
        let entries = fetch_audit_entries_of_valid_chain(&operator, &object).await;
        assert!(
            entries
                .iter()
                .all(|entry| entry["actor"] == json!(format!("club {id}"))),
            "{entries:?}"
        );
        entries
            .iter()
            .filter_map(|entry| entry["action"].as_str().map(str::to_string))
            .collect()
    };
    assert_eq!(actions(format!("club:{id}")).await, ["save-home-page"]);
    assert_eq!(
        actions(format!("bundle:{}", made.as_i64().expect("a JSON number"))).await,
        ["archive-offer", "create-offer"]
    );
    assert_eq!(
        actions(format!("draw:{draw}")).await,
        [
            "settle-payout",
            "record-payout",
            "notify-winners",
            "enter-results",
            "edit-draw"
        ],
        "a repeated call adds no second entry"
    );
    server.finish().await;
}
