//! How the machine says it is, and the console's socket (ops-topic): every word can turn, and strangers hear nothing.

use std::sync::Arc;
use std::time::Duration;

use actors::payment::signature::sign;
use actors::{Clock, SystemClock};
use domain::{Anomaly, AnomalyKind, Cents, PaymentIntentId, Timestamp};
use futures_util::StreamExt;
use serde_json::{Value, json};
use server::clock::BooksClock;

use crate::security::notices::{SECRET, sends};
use crate::support::clock::PushedClock;
use crate::support::server::eventually;
use crate::support::socket::Socket;
use crate::support::{Buyer, TestServer, club};

async fn check(operator: &Buyer, name: &str) -> Value {
    operator.get("/api/admin/health").await.ok()["checks"][name].clone()
}

#[actix_web::test]
async fn the_reconciler_is_well_while_its_rounds_end() {
    let server = TestServer::start().await;
    server.operator().await;
    let operator = club::operator(&server).await;
    eventually("the first round has ended", async || {
        server.engine.payments.tally().last_round()
    })
    .await;
    let reconciler = check(&operator, "reconciler").await;
    assert_eq!(
        (&reconciler["ok"], reconciler["lastRunAt"].is_string()),
        (&json!(true), true)
    );
    server.clock.push_seconds(91);
    let health = operator.get("/api/admin/health").await.ok();
    // The next round may have ended in between: then it is well again, and says when.
    let (said, ran) = (
        &health["checks"]["reconciler"],
        server.engine.payments.tally().last_round(),
    );
    let late = ran.is_some_and(|at| server.now().ms_since(at) >= 90_000);
    assert!(
        !late || said["ok"] == false && health["status"] == "degraded",
        "{health}"
    );
    server.finish().await;
}

/// Ten minutes fast or slow (reliability.md, F46): the operator is told, notices are refused and counted, buyers buy.
#[actix_web::test]
async fn a_node_whose_clock_is_off_says_so_and_sells_all_the_same() {
    for off_seconds in [600, -600] {
        let server = TestServer::start().await;
        let draw = server.game().await;
        server.operator().await;
        let operator = club::operator(&server).await;
        assert_eq!(
            check(&operator, "clock").await,
            json!({ "ok": true, "offMs": 0 })
        );
        server.clock.push_seconds(off_seconds);
        let health = operator.get("/api/admin/health").await.ok();
        let (clock, webhook) = (&health["checks"]["clock"], &health["checks"]["webhook"]);
        assert_eq!(
            (&clock["ok"], &health["status"]),
            (&json!(false), &json!("degraded")),
            "{health}"
        );
        // As much as is certain: what asking took is left out.
        let off_ms = clock["offMs"].as_i64().expect("milliseconds");
        let least = off_seconds.abs() * 1000 - 60_000;
        assert!(
            off_ms.signum() == off_seconds.signum() && (least..=600_000).contains(&off_ms.abs()),
            "{off_ms}"
        );
        assert_eq!(webhook["outOfTime"], 0);
        let notice =
            json!({ "id": "evt_late", "type": "payment_intent.succeeded", "livemode": false })
                .to_string();
        let header = sign(notice.as_bytes(), SECRET, SystemClock.now());
        assert_eq!(
            sends(&operator, notice, &header).await,
            400,
            "the provider's clock is right, and ours is not"
        );
        assert_eq!(check(&operator, "webhook").await["outOfTime"], 1);
        let page = server::metrics::text(&server.state).await;
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
        let off = sample("fd_clock_off_seconds").expect("a sample");
        assert!(
            (off.abs() - 600.0).abs() < 60.0 && off.signum() as i64 == off_seconds.signum(),
            "{off}"
        );
        // No notice of the purchase is taken either: the browser's call alone is enough.
        let bought = server.alice().buys(draw, 2).await.1;
        assert_eq!(bought["tickets"].as_array().map(Vec::len), Some(2));
        server.mail("tickets").await;
        assert_eq!(
            server.engine.draws.view(draw).await.expect("a view").sold,
            2
        );
        assert_eq!(server.sandbox.ledger()["total"]["captured"], 1000);
        server.clock.push_seconds(-off_seconds);
        assert_eq!(check(&operator, "clock").await["ok"], true);
        server.finish().await;
    }
}

/// Where the books may put it right, nobody notices (reliability.md, F46).
#[actix_web::test]
async fn a_clock_that_is_off_goes_by_the_books_and_the_machine_still_says_what_it_says() {
    let server = TestServer::start().await;
    for off_seconds in [600, -600] {
        let machine = Arc::new(PushedClock::default());
        let clock = BooksClock::over(machine.clone());
        let off = |at: Timestamp| {
            (at.ms_since(SystemClock.now()) as f64 / 60_000.0)
                .round()
                .abs() as i64
        };
        clock.look(&server.records).await.expect("read");
        machine.push_seconds(off_seconds);
        assert_eq!(off(clock.now()), 10, "nobody has looked yet");
        clock.look(&server.records).await.expect("read");
        assert_eq!((off(clock.now()), off(clock.machine())), (0, 10));
        clock.look(&server.records).await.expect("read");
        assert_eq!(off(clock.now()), 0, "once is enough");
        machine.push_seconds(-off_seconds);
        clock.look(&server.records).await.expect("read");
        assert_eq!(
            (off(clock.now()), off(clock.machine())),
            (0, 0),
            "somebody put the machine right"
        );
    }
    server.finish().await;
}

#[actix_web::test]
async fn a_winners_mail_that_never_left_is_no_failure_once_the_result_is_undone() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    server.operator().await;
    let (operator, broncos) = (
        club::operator(&server).await,
        club::club(&server, "broncos").await,
    );
    club::enters(&broncos, draw, 3, 11).await.ok();
    server.database.count(
        "with queued as (insert into email_outbox (dedupe_key, kind, to_address, data, due_at)
             values ('winner:1', 'winner', 'a@x.test', json_build_object('draw', $1::bigint)::text, now() + interval '1 day')
             returning 1) select count(*) from queued",
        &draw.to_string(),
    )
    .await;
    let meant = json!({ "reason": "Wrong player", "drawNumber": draw.0 });
    operator
        .post(&format!("/api/draws/{draw}/undo-results"), meant)
        .await
        .ok();
    let mail = check(&operator, "mail").await;
    assert_eq!(
        (&mail["ok"], &mail["dead"]),
        (&json!(true), &json!(0)),
        "{mail}"
    );
    server.finish().await;
}

#[actix_web::test]
async fn the_consoles_socket_tells_an_operator_what_moved_and_nobody_else() {
    let server = TestServer::start().await;
    server.club("broncos").await;
    server.operator().await;
    let (operator, broncos) = (
        club::operator(&server).await,
        club::club(&server, "broncos").await,
    );
    let half = Buyer::new(&server.url, "Half", "half@example.com", "0400 111 333");
    half.signs_in("operator@demo.test", crate::support::server::PASSWORD)
        .await
        .ok();
    let mut deaf = Vec::new();
    for browser in [&broncos, &half, &server.alice()] {
        deaf.push(Socket::of(&server, browser, "ops").await);
    }
    let mut console = Socket::of(&server, &operator, "ops").await;
    let first = console.hears("ops").await;
    assert_eq!(
        (&first["topic"], &first["data"]["maintenanceMode"]),
        (&json!("ops"), &json!(false))
    );
    let revision =
        |frame: &Value, of: &str| frame["data"]["revisions"][of].as_i64().expect("a number");
    let odd = Anomaly {
        kind: AnomalyKind::DuplicatePayment,
        order: None,
        payment_intent: Some(PaymentIntentId("pi_twice".into())),
        note: "seen".into(),
    };
    server
        .books
        .raise(&odd, Some(Cents(500)), server.now())
        .await
        .expect("raised");
    operator
        .post("/api/admin/maintenance-mode", json!({ "enabled": true }))
        .await
        .ok();
    let later = loop {
        let frame = console.hears("ops").await;
        if frame["data"]["maintenanceMode"] == true && frame["data"]["anomalies"]["unresolved"] == 1
        {
            break frame;
        }
    };
    assert!(later["seq"].as_i64() > first["seq"].as_i64());
    for of in ["anomalies", "audit"] {
        assert!(revision(&later, of) > revision(&first, of), "{of}: {later}");
    }
    // Whoever signs out hears no more, though the socket stays open.
    let left = club::operator_again(&server).await;
    let mut ended = Socket::of(&server, &left, "ops").await;
    ended.hears("ops").await;
    left.post("/api/admin/logout", json!({})).await.ok();
    operator
        .post("/api/admin/maintenance-mode", json!({ "enabled": false }))
        .await
        .ok();
    while console.hears("ops").await["data"]["maintenanceMode"] == true {}
    deaf.push(ended);
    for socket in &mut deaf {
        while let Ok(Some(Ok(message))) =
            tokio::time::timeout(Duration::from_millis(1), socket.stream.next()).await
        {
            assert!(!message.to_string().contains("\"ops\""), "{message}");
        }
    }
    server.finish().await;
}
