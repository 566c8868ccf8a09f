//! The health checks of the console, and its WebSocket topic `ops`, which only operators receive.

use std::sync::Arc;
use std::time::Duration;

use actors::payments::signature::sign;
use actors::{Clock, SystemClock};
use domain::{Anomaly, AnomalyKind, Cents, PaymentIntentId, Timestamp};
use futures_util::StreamExt;
use serde_json::{Value, json};
use server::ops::clock::DatabaseClock;

use crate::security::webhooks::{WEBHOOK_SECRET, send_webhook};
use crate::support::clock::AdvanceableClock;
use crate::support::server::eventually;
use crate::support::socket::Socket;
use crate::support::{Buyer, TestServer, club};

async fn health_check(operator: &Buyer, name: &str) -> Value {
    operator.get("/api/admin/health").await.ok()["checks"][name].clone()
}

#[actix_web::test]
async fn reconciler_health_is_ok_while_passes_complete() {
    let server = TestServer::start().await;
    server.create_operator().await;
    let operator = club::sign_in_as_operator(&server).await;
    eventually("the first pass of the reconciler has ended", async || {
        server.engine.payments.metrics().last_reconciler_pass_at()
    })
    .await;
    let reconciler = health_check(&operator, "reconciler").await;
    assert_eq!(
        (&reconciler["ok"], reconciler["lastRunAt"].is_string()),
        (&json!(true), true)
    );
    server.clock.advance_seconds(91);
    let health = operator.get("/api/admin/health").await.ok();
    // The reconciler may have run again after the clock moved. Its health check is then ok.
    let (reconciler, ran) = (
        &health["checks"]["reconciler"],
        server.engine.payments.metrics().last_reconciler_pass_at(),
    );
    let late = ran.is_some_and(|at| server.now().ms_since(at) >= 90_000);
    assert!(
        !late || reconciler["ok"] == false && health["status"] == "degraded",
        "{health}"
    );
    server.finish().await;
}

/// The node's clock is ten minutes fast or slow (reliability.md, F46). The operator sees this,
/// webhooks are refused and counted, and buyers can still buy.
#[actix_web::test]
async fn node_with_wrong_clock_reports_it_and_still_sells() {
    for off_seconds in [600, -600] {
        let server = TestServer::start().await;
        let draw = server.create_club_with_draw().await;
        server.create_operator().await;
        let operator = club::sign_in_as_operator(&server).await;
        assert_eq!(
            health_check(&operator, "clock").await,
            json!({ "ok": true, "offMs": 0 })
        );
        server.clock.advance_seconds(off_seconds);
        let health = operator.get("/api/admin/health").await.ok();
        let (clock, webhook) = (&health["checks"]["clock"], &health["checks"]["webhook"]);
        assert_eq!(
            (&clock["ok"], &health["status"]),
            (&json!(false), &json!("degraded")),
            "{health}"
        );
        // The reported offset can be smaller than the real one. The time between the database query
        // and its response counts as no offset.
        let off_ms = clock["offMs"].as_i64().expect("milliseconds");
        let least = off_seconds.abs() * 1000 - 60_000;
        assert!(
            off_ms.signum() == off_seconds.signum() && (least..=600_000).contains(&off_ms.abs()),
            "{off_ms}"
        );
        assert_eq!(webhook["outOfTime"], 0);
        let event =
            json!({ "id": "evt_late", "type": "payment_intent.succeeded", "livemode": false })
                .to_string();
        let header = sign(event.as_bytes(), WEBHOOK_SECRET, SystemClock.now());
        assert_eq!(
            send_webhook(&operator, event, &header).await,
            400,
            "a webhook of the present is refused by a wrong clock"
        );
        assert_eq!(health_check(&operator, "webhook").await["outOfTime"], 1);
        let page = server::http::metrics::current_metrics_text(&server.state).await;
        let sample = |name: &str| {
            page.lines()
                .find_map(|line| line.strip_prefix(name)?.trim().parse::<f64>().ok())
        };
        assert_eq!(
            sample("fd_notices_refused_total{why=\"out-of-time\"}"),
            Some(1.0)
        );
        assert_eq!(
            sample("fd_notices_refused_total{why=\"forged\"}"),
            Some(0.0)
        );
        let clock_offset = sample("fd_clock_off_seconds").expect("a sample");
        assert!(
            (clock_offset.abs() - 600.0).abs() < 60.0
                && clock_offset.signum() as i64 == off_seconds.signum(),
            "{clock_offset}"
        );
        // The webhooks of the purchase are refused too, so the order depends on the browser's
        // completion call.
        let bought = server.alice().buy(draw, 2).await.1;
        assert_eq!(bought["tickets"].as_array().map(Vec::len), Some(2));
        server.next_mail("tickets").await;
        assert_eq!(
            server
                .engine
                .draws
                .view(draw)
                .await
                .expect("the draw has a view")
                .sold,
            2
        );
        assert_eq!(server.sandbox.ledger()["total"]["captured"], 1000);
        server.clock.advance_seconds(-off_seconds);
        assert_eq!(health_check(&operator, "clock").await["ok"], true);
        server.finish().await;
    }
}

/// The server may use the database's clock to correct a wrong machine clock (reliability.md, F46).
#[actix_web::test]
async fn wrong_clock_is_corrected_from_database_and_stays_visible() {
    let server = TestServer::start().await;
    for off_seconds in [600, -600] {
        let machine = Arc::new(AdvanceableClock::default());
        let clock = DatabaseClock::new(machine.clone());
        let minutes_off = |at: Timestamp| {
            (at.ms_since(SystemClock.now()) as f64 / 60_000.0)
                .round()
                .abs() as i64
        };
        clock
            .sync(&server.records)
            .await
            .expect("the read succeeds");
        machine.advance_seconds(off_seconds);
        assert_eq!(
            minutes_off(clock.now()),
            10,
            "the database clock has not been read yet"
        );
        clock
            .sync(&server.records)
            .await
            .expect("the read succeeds");
        assert_eq!(
            (
                minutes_off(clock.now()),
                minutes_off(clock.uncorrected_now())
            ),
            (0, 10)
        );
        clock
            .sync(&server.records)
            .await
            .expect("the read succeeds");
        assert_eq!(minutes_off(clock.now()), 0, "a second run changes nothing");
        machine.advance_seconds(-off_seconds);
        clock
            .sync(&server.records)
            .await
            .expect("the read succeeds");
        assert_eq!(
            (
                minutes_off(clock.now()),
                minutes_off(clock.uncorrected_now())
            ),
            (0, 0),
            "the correction ends once the machine clock is right"
        );
    }
    server.finish().await;
}

#[actix_web::test]
async fn unsent_winner_mail_is_no_failure_after_undo() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    server.create_operator().await;
    let (operator, broncos) = (
        club::sign_in_as_operator(&server).await,
        club::sign_in_as_club(&server, "broncos").await,
    );
    club::enter_result(&broncos, draw, 3, 11).await.ok();
    server.database.query_number(
        "with queued as (insert into email_outbox (dedupe_key, kind, to_address, data, due_at)
             values ('winner:1', 'winner', 'a@x.test', json_build_object('draw', $1::bigint)::text, now() + interval '1 day')
             returning 1) select count(*) from queued",
        &draw.to_string(),
    )
    .await;
    let confirmation = json!({ "reason": "Wrong player", "drawNumber": draw.0 });
    operator
        .post(&format!("/api/draws/{draw}/undo-results"), confirmation)
        .await
        .ok();
    let mail = health_check(&operator, "mail").await;
    assert_eq!(
        (&mail["ok"], &mail["dead"]),
        (&json!(true), &json!(0)),
        "{mail}"
    );
    server.finish().await;
}

#[actix_web::test]
async fn ops_topic_is_sent_to_operators_only() {
    let server = TestServer::start().await;
    server.create_club("broncos").await;
    server.create_operator().await;
    let (operator, broncos) = (
        club::sign_in_as_operator(&server).await,
        club::sign_in_as_club(&server, "broncos").await,
    );
    let half_signed_in = Buyer::new(&server.url, "Half", "half@example.com", "0400 111 333");
    half_signed_in
        .sign_in("operator@demo.test", crate::support::server::PASSWORD)
        .await
        .ok();
    let mut other_sockets = Vec::new();
    for browser in [&broncos, &half_signed_in, &server.alice()] {
        other_sockets.push(Socket::open_with_cookies_of(&server, browser, "ops").await);
    }
    let mut console = Socket::open_with_cookies_of(&server, &operator, "ops").await;
    let first = console.next_frame("ops").await;
    assert_eq!(
        (&first["topic"], &first["data"]["maintenanceMode"]),
        (&json!("ops"), &json!(false))
    );
    let revision = |frame: &Value, list: &str| {
        frame["data"]["revisions"][list]
            .as_i64()
            .expect("a JSON number")
    };
    let anomaly = Anomaly {
        kind: AnomalyKind::DuplicatePayment,
        order: None,
        payment_intent: Some(PaymentIntentId("pi_twice".into())),
        note: "seen".into(),
    };
    server
        .store
        .raise_anomaly(&anomaly, Some(Cents(500)), server.now())
        .await
        .expect("the anomaly is raised");
    operator
        .post("/api/admin/maintenance-mode", json!({ "enabled": true }))
        .await
        .ok();
    let later = loop {
        let frame = console.next_frame("ops").await;
        if frame["data"]["maintenanceMode"] == true && frame["data"]["anomalies"]["unresolved"] == 1
        {
            break frame;
        }
    };
    assert!(later["seq"].as_i64() > first["seq"].as_i64());
    for list in ["anomalies", "audit"] {
        assert!(
            revision(&later, list) > revision(&first, list),
            "{list}: {later}"
        );
    }
    // After the sign-out, the WebSocket stays open but receives no more frames of the topic `ops`.
    let signed_out = club::sign_in_as_operator_in_second_browser(&server).await;
    let mut ended = Socket::open_with_cookies_of(&server, &signed_out, "ops").await;
    ended.next_frame("ops").await;
    signed_out.post("/api/admin/logout", json!({})).await.ok();
    operator
        .post("/api/admin/maintenance-mode", json!({ "enabled": false }))
        .await
        .ok();
    while console.next_frame("ops").await["data"]["maintenanceMode"] == true {}
    other_sockets.push(ended);
    for socket in &mut other_sockets {
        while let Ok(Some(Ok(message))) =
            tokio::time::timeout(Duration::from_millis(1), socket.stream.next()).await
        {
            assert!(!message.to_string().contains("\"ops\""), "{message}");
        }
    }
    server.finish().await;
}
