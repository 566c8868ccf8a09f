//! Operator calls that cannot be undone need an authenticator code of the last ten minutes. Without
//! one, they change no row.

use domain::access::Audience;
use domain::{Anomaly, AnomalyKind, Cents, PaymentIntentId};
use reqwest::Method;
use serde_json::{Value, json};
use server::http::routes::{ROUTES, Verb};

use crate::support::stripe_dashboard::StripeDashboard;
use crate::support::{TestServer, club};

/// A valid call that needs a recent code, and the route to which it belongs.
struct CallRequiringFreshCode {
    pattern: &'static str,
    method: Method,
    path: String,
    body: Value,
}

fn call_requiring_fresh_code(
    pattern: &'static str,
    method: Method,
    path: String,
    body: Value,
) -> CallRequiringFreshCode {
    CallRequiringFreshCode {
        pattern,
        method,
        path,
        body,
    }
}

async fn raise_anomaly(server: &TestServer, payment: &str) -> String {
    let anomaly = Anomaly {
        kind: AnomalyKind::DuplicatePayment,
        order: None,
        payment_intent: Some(PaymentIntentId(payment.into())),
        note: "seen".into(),
    };
    server
        .store
        .raise_anomaly(&anomaly, Some(Cents(500)), server.now())
        .await
        .expect("the anomaly is raised");
    let anomalies = server
        .records
        .anomalies(Some(false), None)
        .await
        .expect("the read succeeds");
    let row = anomalies
        .iter()
        .find(|row| row.payment_intent_id.as_deref() == Some(payment))
        .expect("open");
    row.id.to_string()
}

async fn calls_requiring_fresh_code(server: &TestServer) -> Vec<CallRequiringFreshCode> {
    let club = server.create_club("broncos").await.id;
    let (done, off, sold) = (
        server.create_draw(club).await,
        server.create_draw(club).await,
        server.create_draw(club).await,
    );
    let dashboard = StripeDashboard::open(server);
    dashboard.set_faults(json!([])).await;
    let payment = dashboard
        .take_payment(
            "00000000-0000-4000-8000-00000000000b",
            &format!("{sold}x1"),
            500,
        )
        .await;
    let stranger = dashboard
        .take_payment(
            "00000000-0000-4000-8000-00000000000c",
            &format!("{sold}x1"),
            500,
        )
        .await;
    server
        .engine
        .reconciler
        .scan_payments(server.now().plus_seconds(-3600))
        .await
        .expect("the scan succeeds");
    server.alice().buy(sold, 1).await;
    let order = server
        .records
        .sold_tickets(sold)
        .await
        .expect("the read succeeds")[0]
        .order;
    club::enter_result(&club::sign_in_as_club(server, "broncos").await, done, 3, 11)
        .await
        .ok();
    server.bob().buy_without_details(off, 1).await;
    let customer = json!({
        "paymentIntentId": payment, "customerName": "Jo", "customerEmail": "jo@x.test", "customerPhone": "0400 000 000",
    });
    let open_anomaly = raise_anomaly(server, "pi_seen").await;
    let missing = server
        .records
        .anomalies(Some(false), Some("missing_ticket"))
        .await
        .expect("the read succeeds");
    let missing = missing
        .iter()
        .find(|row| row.payment_intent_id.as_deref() == Some(stranger.as_str()))
        .expect("open")
        .id;
    let reason = json!({ "reason": "Rain" });
    let confirmation = |draw: domain::DrawId| json!({ "reason": "Rain", "drawNumber": draw.0 });
    let anomalies = "/api/admin/payment-anomalies";
    vec![
        call_requiring_fresh_code(
            "/api/admin/payment-anomalies/{anomaly}/resolve",
            Method::POST,
            format!("{anomalies}/{open_anomaly}/resolve"),
            json!({}),
        ),
        call_requiring_fresh_code(
            "/api/admin/payment-anomalies/{anomaly}/refund",
            Method::POST,
            format!("{anomalies}/{missing}/refund"),
            reason.clone(),
        ),
        call_requiring_fresh_code(
            "/api/admin/payment-anomalies/resolve",
            Method::POST,
            format!("{anomalies}/resolve"),
            customer,
        ),
        call_requiring_fresh_code(
            "/api/admin/tickets/{ticket}/recover",
            Method::PATCH,
            format!("/api/admin/tickets/FD-{off}-001/recover"),
            json!({ "name": "Jo", "email": "jo@x.test" }),
        ),
        call_requiring_fresh_code(
            "/api/admin/orders/{order}/refund",
            Method::POST,
            format!("/api/admin/orders/{order}/refund"),
            reason,
        ),
        call_requiring_fresh_code(
            "/api/draws/{draw}/undo-results",
            Method::POST,
            format!("/api/draws/{done}/undo-results"),
            confirmation(done),
        ),
        call_requiring_fresh_code(
            "/api/admin/draws/{draw}/cancel",
            Method::POST,
            format!("/api/admin/draws/{off}/cancel"),
            confirmation(off),
        ),
        call_requiring_fresh_code(
            "/api/admin/maintenance-mode",
            Method::POST,
            "/api/admin/maintenance-mode".into(),
            json!({ "enabled": true }),
        ),
        call_requiring_fresh_code(
            "/api/admin/system-settings/{key}",
            Method::POST,
            "/api/admin/system-settings/hide_test_draws".into(),
            json!({ "value": "true" }),
        ),
        call_requiring_fresh_code(
            "",
            Method::PATCH,
            format!("/api/draws/{sold}"),
            json!({ "league": "NRLW", "reason": "Typed wrong" }),
        ),
    ]
}

#[actix_web::test]
async fn irreversible_calls_need_fresh_operator_code() {
    // The database's clock moves too. Otherwise the comparison with Stripe before the refunds would
    // have a later time than the refunds.
    let server = TestServer::start_with_movable_clock().await;
    server.create_operator().await;
    let calls = calls_requiring_fresh_code(&server).await;
    let proven = ROUTES
        .iter()
        .filter(|route| route.audience == Audience::ProvenOperator);
    for route in proven {
        assert!(
            calls.iter().any(|call| call.pattern == route.path),
            "{} is not covered by this test",
            route.path
        );
        assert_ne!(route.method, Verb::Get);
    }
    let operator = club::sign_in_as_operator(&server).await;
    let ahead = json!({ "advanceSeconds": 601 });
    server.alice().post("/sandbox/clock", ahead).await.ok();
    let before = server.database_fingerprint().await;
    for call in &calls {
        let answer = operator
            .call(call.method.clone(), &call.path, Some(&call.body))
            .await;
        answer.expect_refusal(403, "reauthentication-required");
    }
    server.assert_database_unchanged(&before).await;
    let audited = "select count(*) from audit_log where $1 = '' and action not like 'download%'";
    let audited_before = server.database.query_number(audited, "").await;
    let other = ROUTES
        .iter()
        .filter(|route| route.audience == Audience::Operator && route.method == Verb::Get);
    for route in other.filter(|route| !route.path.contains('{')) {
        assert_ne!(
            operator.get(route.path).await.status,
            403,
            "{}: reads need no fresh code",
            route.path
        );
    }
    let changed = server.tables_changed_since(&before).await;
    assert_eq!(
        changed,
        ["public.audit_log"],
        "reads add audit entries only"
    );
    assert_eq!(
        server.database.query_number(audited, "").await,
        audited_before,
        "only downloads are audited"
    );
    club::submit_unused_totp_code(&server, &operator, "/api/admin/reauthenticate").await;
    for call in &calls {
        let length = server
            .records
            .verify_audit_chain()
            .await
            .expect("the read succeeds")
            .length;
        operator
            .call(call.method.clone(), &call.path, Some(&call.body))
            .await
            .ok();
        let chain = server
            .records
            .verify_audit_chain()
            .await
            .expect("the read succeeds");
        assert!(
            chain.length > length && chain.broken_at.is_none(),
            "{} is audited",
            call.path
        );
    }
    server.finish().await;
}
