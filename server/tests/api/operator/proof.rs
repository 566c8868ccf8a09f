//! What cannot be taken back wants a code of the last ten minutes: without it not a row changes, with it the same call does it.

use domain::access::Audience;
use domain::{Anomaly, AnomalyKind, Cents, PaymentIntentId};
use reqwest::Method;
use serde_json::{Value, json};
use server::routes::{ROUTES, Verb};

use crate::support::dashboard::Dashboard;
use crate::support::{TestServer, club};

/// A call that is right in every way, and the pattern of the table it falls under.
struct Deed {
    pattern: &'static str,
    method: Method,
    path: String,
    body: Value,
}

fn deed(pattern: &'static str, method: Method, path: String, body: Value) -> Deed {
    Deed {
        pattern,
        method,
        path,
        body,
    }
}

async fn raised(server: &TestServer, payment: &str) -> String {
    let odd = Anomaly {
        kind: AnomalyKind::DuplicatePayment,
        order: None,
        payment_intent: Some(PaymentIntentId(payment.into())),
        note: "seen".into(),
    };
    server
        .books
        .raise(&odd, Some(Cents(500)), server.now())
        .await
        .expect("raised");
    let rows = server
        .records
        .anomalies(Some(false), None)
        .await
        .expect("read");
    let row = rows
        .iter()
        .find(|row| row.payment_intent_id.as_deref() == Some(payment))
        .expect("open");
    row.id.to_string()
}

async fn deeds(server: &TestServer) -> Vec<Deed> {
    let club = server.club("broncos").await.id;
    let (done, off, sold) = (
        server.draw(club).await,
        server.draw(club).await,
        server.draw(club).await,
    );
    let dashboard = Dashboard::of(server);
    dashboard.breaks(json!([])).await;
    let payment = dashboard
        .takes(
            "00000000-0000-4000-8000-00000000000b",
            &format!("{sold}x1"),
            500,
        )
        .await;
    let stranger = dashboard
        .takes(
            "00000000-0000-4000-8000-00000000000c",
            &format!("{sold}x1"),
            500,
        )
        .await;
    server
        .engine
        .reconciler
        .scan(server.now().plus_seconds(-3600))
        .await
        .expect("scanned");
    server.alice().buys(sold, 1).await;
    let order = server.records.sold_tickets(sold).await.expect("read")[0].order;
    club::enters(&club::club(server, "broncos").await, done, 3, 11)
        .await
        .ok();
    let nobody = server.bob();
    let body = json!({ "drawNumber": off.0, "ticketCount": 1 });
    let intent = crate::support::buyer::Intent {
        body: nobody.post("/api/create-payment-intent", body).await.ok(),
    };
    nobody.authorise(&intent).await;
    let paid = json!({ "drawNumber": off.0, "ticketCount": 1, "paymentIntentId": intent.id() });
    nobody.post("/api/complete-card-payment", paid).await.ok();
    let customer = json!({
        "paymentIntentId": payment, "customerName": "Jo", "customerEmail": "jo@x.test", "customerPhone": "0400 000 000",
    });
    let seen = raised(server, "pi_seen").await;
    let missing = server
        .records
        .anomalies(Some(false), Some("missing_ticket"))
        .await
        .expect("read");
    let missing = missing
        .iter()
        .find(|row| row.payment_intent_id.as_deref() == Some(stranger.as_str()))
        .expect("open")
        .id;
    let why = json!({ "reason": "Rain" });
    let meant = |draw: domain::DrawId| json!({ "reason": "Rain", "drawNumber": draw.0 });
    let anomalies = "/api/admin/payment-anomalies";
    vec![
        deed(
            "/api/admin/payment-anomalies/{anomaly}/resolve",
            Method::POST,
            format!("{anomalies}/{seen}/resolve"),
            json!({}),
        ),
        deed(
            "/api/admin/payment-anomalies/{anomaly}/refund",
            Method::POST,
            format!("{anomalies}/{missing}/refund"),
            why.clone(),
        ),
        deed(
            "/api/admin/payment-anomalies/resolve",
            Method::POST,
            format!("{anomalies}/resolve"),
            customer,
        ),
        deed(
            "/api/admin/tickets/{ticket}/recover",
            Method::PATCH,
            format!("/api/admin/tickets/FD-{off}-001/recover"),
            json!({ "name": "Jo", "email": "jo@x.test" }),
        ),
        deed(
            "/api/admin/orders/{order}/refund",
            Method::POST,
            format!("/api/admin/orders/{order}/refund"),
            why,
        ),
        deed(
            "/api/draws/{draw}/undo-results",
            Method::POST,
            format!("/api/draws/{done}/undo-results"),
            meant(done),
        ),
        deed(
            "/api/admin/draws/{draw}/cancel",
            Method::POST,
            format!("/api/admin/draws/{off}/cancel"),
            meant(off),
        ),
        deed(
            "/api/admin/maintenance-mode",
            Method::POST,
            "/api/admin/maintenance-mode".into(),
            json!({ "enabled": true }),
        ),
        deed(
            "",
            Method::PATCH,
            format!("/api/draws/{sold}"),
            json!({ "league": "NRLW", "reason": "Typed wrong" }),
        ),
    ]
}

#[actix_web::test]
async fn without_a_fresh_code_nothing_changes_and_with_one_the_same_call_does() {
    let server = TestServer::start().await;
    server.operator().await;
    let deeds = deeds(&server).await;
    let proven = ROUTES
        .iter()
        .filter(|route| route.audience == Audience::ProvenOperator);
    for route in proven {
        assert!(
            deeds.iter().any(|deed| deed.pattern == route.path),
            "{} is not tried here",
            route.path
        );
        assert_ne!(route.method, Verb::Get);
    }
    let operator = club::operator(&server).await;
    server.clock.push_seconds(601);
    let before = rows(&server).await;
    for deed in &deeds {
        let answer = operator
            .call(deed.method.clone(), &deed.path, Some(&deed.body))
            .await;
        answer.refused(403, "reauthentication-required");
    }
    let other = ROUTES
        .iter()
        .filter(|route| route.audience == Audience::Operator && route.method == Verb::Get);
    for route in other.filter(|route| !route.path.contains('{')) {
        assert_ne!(
            operator.get(route.path).await.status,
            403,
            "{}: looking goes on",
            route.path
        );
    }
    assert_eq!(rows(&server).await, before, "not a row changed");
    club::shows_code(&server, &operator, "/api/admin/reauthenticate").await;
    for deed in &deeds {
        let length = server.records.audit_chain().await.expect("read").length;
        operator
            .call(deed.method.clone(), &deed.path, Some(&deed.body))
            .await
            .ok();
        let chain = server.records.audit_chain().await.expect("read");
        assert!(
            chain.length > length && chain.broken_at.is_none(),
            "{} is written down",
            deed.path
        );
    }
    server.finish().await;
}

/// What the operator's deeds would move, counted past the server.
async fn rows(server: &TestServer) -> [i64; 6] {
    let count = async |question: &'static str| server.database.count(question, "").await;
    [
        count("select coalesce(sum(revision), 0)::bigint from draws where $1 = ''").await,
        count("select count(*) from audit_log where $1 = '' and action not like 'download%'").await,
        count("select count(*) from anomalies where resolved_at is not null and $1 = ''").await,
        count("select count(*) from refunds where $1 = ''").await,
        count("select count(*) from orders where buyer_email is not null and $1 = ''").await,
        count("select count(*) from system_settings where key = 'maintenance_mode' and $1 = ''")
            .await,
    ]
}
