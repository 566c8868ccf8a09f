//! Malformed input for every public call and every path variable. Each gets a 4xx status and a
//! message, and changes nothing.

use domain::access::Audience;
use reqwest::Method;
use serde_json::{Value, json};
use server::http::routes::{ROUTES, Route, Verb};

use crate::support::{Buyer, GOOD_CARD, TestServer, club};

/// Calls that answer 204 to any request.
const ALWAYS_204_PATHS: [&str; 3] = ["/api/debug-log", "/api/track", "/api/policy-report"];
/// Calls that accept any body, because they ignore it.
const PATHS_WITHOUT_BODY: [&str; 4] = [
    "/api/auth/logout",
    "/api/clubs/logout",
    "/api/admin/logout",
    "/api/resend-confirmation",
];

/// Bodies that are not JSON, JSON of a type that no call accepts, and texts with a NUL character.
const MALFORMED_BODIES: [&str; 9] = [
    "{",
    "nonsense",
    "[]",
    "1",
    "\"text\"",
    "true",
    "{\"a\":}",
    "\u{0}",
    "{\"email\":\"a\\u0000@b.au\",\"paymentIntentId\":\"pi_\\u0000\"}",
];

fn routes_with_body() -> impl Iterator<Item = &'static Route> {
    let takes = |route: &&Route| {
        matches!(route.audience, Audience::Public)
            && route.method == Verb::Post
            && !ALWAYS_204_PATHS.contains(&route.path)
    };
    ROUTES.iter().filter(takes)
}

#[actix_web::test]
async fn malformed_bodies_are_refused_with_message_by_every_public_call() {
    let server = TestServer::start().await;
    server.create_club_with_draw().await;
    let alice = server.alice();
    let before = server.database_fingerprint().await;
    let deep = "[".repeat(5000);
    for route in routes_with_body().filter(|route| !PATHS_WITHOUT_BODY.contains(&route.path)) {
        for body in MALFORMED_BODIES.iter().copied().chain([deep.as_str()]) {
            let request = alice
                .bare_request(Method::POST, route.path)
                .header("origin", &server.url)
                .body(body.to_string());
            let answer = Buyer::send_request(request).await;
            let start: String = body.chars().take(40).collect();
            assert_eq!(
                answer.status, 400,
                "{} {start}: {}",
                route.path, answer.text
            );
            let refusal = answer.expect_refusal(400, "bad-request");
            assert!(
                !refusal["message"]
                    .as_str()
                    .expect("words")
                    .contains(start.as_str())
                    || start.len() < 5
            );
        }
    }
    server.assert_database_unchanged(&before).await;
    server.finish().await;
}

#[actix_web::test]
async fn invalid_ticket_counts_are_refused_by_every_call() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let alice = server.alice();
    let before = server.database_fingerprint().await;
    let range = "Choose between 1 and 50 tickets.";
    let counts = [
        (json!(0), "count-out-of-range"),
        (json!(-1), "count-out-of-range"),
        (json!(51), "count-out-of-range"),
        (json!(1_000_000_000), "count-out-of-range"),
        (json!("1e9"), "count-out-of-range"),
        (json!(1e300), "count-out-of-range"),
        (Value::Null, "count-out-of-range"),
        (json!("two"), "bad-request"),
        (json!(""), "bad-request"),
        (json!(1.5), "bad-request"),
        (json!([1]), "bad-request"),
        (json!({}), "bad-request"),
        (json!(true), "bad-request"),
    ];
    let body_with_count = |count: &Value| {
        json!({ "drawNumber": draw.0, "ticketCount": count, "paymentMethodId": GOOD_CARD, "paymentToken": "tok_visa",
            "buyer": alice.details(), "ageConfirmation": true, "termsAgreement": true })
    };
    for (count, code) in &counts {
        for path in [
            "/api/create-payment-intent",
            "/api/validate-purchase",
            "/api/complete-card-payment",
            "/api/purchase-tickets",
            "/api/process-wallet-payment",
            "/api/process-purchase",
        ] {
            let answer = alice.post(path, body_with_count(count)).await;
            if path == "/api/validate-purchase" && *code == "count-out-of-range" {
                assert_eq!(answer.ok(), json!({ "valid": false, "errors": [range] }));
                continue;
            }
            let refused = answer.expect_refusal(400, code);
            assert!(
                *code != "count-out-of-range" || refused["message"] == range,
                "{path} {count}: {refused}"
            );
        }
        for path in [
            "/api/cart/create-payment-intent",
            "/api/purchase-cart",
            "/api/cart/complete-card-payment",
            "/api/validate-purchase",
        ] {
            let mut body = body_with_count(&json!(1));
            body["items"] = json!([{ "drawId": draw.0, "quantity": count }]);
            let answer = alice.post(path, body).await;
            if path == "/api/validate-purchase" && *code == "count-out-of-range" {
                assert_eq!(answer.ok(), json!({ "valid": false, "errors": [range] }));
                continue;
            }
            let refused = answer.expect_refusal(400, code);
            assert!(
                *code != "count-out-of-range" || refused["message"] == range,
                "{path} {count}: {refused}"
            );
        }
    }
    server.assert_database_unchanged(&before).await;
    server.finish().await;
}

/// Values of a path variable that are not the id of any object.
const UNKNOWN_IDS: [&str; 9] = [
    "0",
    "-1",
    "999999",
    "9223372036854775808",
    "nobody",
    "1e3",
    "%00",
    "%%30%30",
    "%27%3B%20drop%20table%20draws%20--",
];

#[actix_web::test]
async fn unknown_ids_return_404_in_every_public_path() {
    let server = TestServer::start().await;
    server.create_club_with_draw().await;
    let alice = server.alice();
    let before = server.database_fingerprint().await;
    let open = |route: &&Route| {
        matches!(route.audience, Audience::Public | Audience::Buyer) && route.path.contains('{')
    };
    for route in ROUTES.iter().filter(open) {
        for unknown_id in UNKNOWN_IDS {
            let path: String = route
                .path
                .split('/')
                .map(|step| if step.contains('{') { unknown_id } else { step })
                .collect::<Vec<_>>()
                .join("/");
            let body = (route.method != Verb::Get).then(|| json!({}));
            let method: Method = route.method.method().as_str().parse().expect("a method");
            let answer = alice.call(method, &path, body.as_ref()).await;
            assert_eq!(answer.status, 404, "{path}: {}", answer.text);
            assert!(
                answer.json()["message"]
                    .as_str()
                    .is_some_and(|message| !message.is_empty()),
                "{path}"
            );
        }
    }
    for path in [
        "/api/clubs/broncos/bundles/%00",
        "/api/public/widget/bundle/broncos/%00",
        "/uploads/x.png",
    ] {
        assert_eq!(alice.get(path).await.status, 404, "{path}");
    }
    server.assert_database_unchanged(&before).await;
    server.finish().await;
}

#[actix_web::test]
async fn malformed_query_is_refused_and_unmatched_query_lists_nothing() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let alice = server.alice();
    for path in [
        "/api/draws/active?clubId=abc",
        "/api/draws/active?limit=-1",
        "/api/draws/completed?offset=1e9",
        "/api/draws/awaiting-results?limit=99999999999999999999",
    ] {
        alice.get(path).await.expect_refusal(400, "bad-request");
    }
    for path in [
        "/api/draws/active?offset=1000000000",
        "/api/draws/active?limit=0",
        "/api/draws/active?clubId=-1",
    ] {
        assert_eq!(alice.get(path).await.ok(), json!([]), "{path}");
    }
    for status in ["nothing", "%2500", "ACTIVE"] {
        assert_eq!(
            alice
                .get(&format!("/api/clubs/broncos/draws?status={status}"))
                .await
                .ok(),
            json!([]),
            "{status}"
        );
    }
    for (status, count) in [
        ("active", 1),
        ("open", 1),
        ("awaiting_draw", 0),
        ("completed", 0),
    ] {
        let listed = alice
            .get(&format!("/api/clubs/broncos/draws?status={status}"))
            .await
            .ok();
        assert_eq!(listed.as_array().map(Vec::len), Some(count), "{status}");
    }
    for path in [
        "/api/qr.svg?url=javascript:alert(1)",
        "/api/qr.svg?url=",
        "/api/qr.svg",
    ] {
        assert_eq!(alice.get(path).await.status, 400, "{path}");
    }
    alice
        .get(&format!("/api/draws/{draw}/calendar.ics?also=x"))
        .await
        .expect_refusal(404, "draw-not-found");
    server.finish().await;
}

/// Postgres cannot store a NUL byte in text, so every text is checked before it reaches the
/// database.
#[actix_web::test]
async fn nul_byte_in_path_or_query_is_refused() {
    let server = TestServer::start().await;
    server.create_club_with_draw().await;
    server.create_operator().await;
    let browsers = [
        server.alice(),
        club::sign_in_as_club(&server, "broncos").await,
        club::sign_in_as_operator(&server).await,
    ];
    for route in ROUTES.iter().filter(|route| route.path.contains('{')) {
        for (nul, browser) in ["%00", "a%00b", "%%30%30"]
            .into_iter()
            .flat_map(|nul| browsers.iter().map(move |b| (nul, b)))
        {
            let steps = route
                .path
                .split('/')
                .map(|step| if step.contains('{') { nul } else { step });
            let path = steps.collect::<Vec<_>>().join("/");
            let body = (route.method != Verb::Get).then(|| json!({}));
            let method: Method = route.method.method().as_str().parse().expect("a method");
            let answer = browser.call(method, &path, body.as_ref()).await;
            assert!(
                matches!(answer.status, 401 | 403 | 404),
                "{path}: {} {}",
                answer.status,
                answer.text
            );
        }
    }
    let document = server::http::openapi::document();
    let (operator, mut calls) = (&browsers[2], 0);
    for (path, operations) in document["paths"].as_object().expect("addresses") {
        let parameters = operations["get"]["parameters"]
            .as_array()
            .into_iter()
            .flatten();
        for parameter in parameters.filter(|parameter| parameter["in"] == "query") {
            let steps = path
                .split('/')
                .map(|step| if step.contains('{') { "1" } else { step });
            let path = steps.collect::<Vec<_>>().join("/");
            let name = parameter["name"].as_str().expect("a name");
            let path = format!("{path}?{name}=a%00b");
            let answer = operator.get(&path).await;
            assert_eq!(answer.status, 400, "{path}: {}", answer.text);
            answer.expect_refusal(400, "bad-request");
            calls += 1;
        }
    }
    assert!(calls > 20, "{calls} values of queries");
    server.finish().await;
}

#[actix_web::test]
async fn fixture_import_with_nul_byte_in_name_is_refused() {
    let server = TestServer::start().await;
    let broncos = server.create_club("broncos").await;
    let browser = club::sign_in_as_club(&server, "broncos").await;
    browser.post("/api/terms/accept", json!({})).await.ok();
    let table = "date,kick-off,zone,home,away,league\n2036-03-07,20:00,Australia/Sydney,Knights,Rai\0ders,NRL\n";
    for query in ["?dryRun=true", ""] {
        let path = format!("/api/clubs/{}/fixtures{query}", broncos.id);
        let request = browser
            .bare_request(Method::POST, &path)
            .header("origin", &server.url)
            .body(table);
        let refused = Buyer::send_request(request)
            .await
            .expect_refusal(422, "fixtures-refused");
        let message = "Away team holds a character that cannot be shown";
        assert_eq!(
            refused["errors"],
            json!([{ "line": 2, "message": message }]),
            "{query}"
        );
    }
    server.finish().await;
}

#[actix_web::test]
async fn client_diagnostics_get_204_and_are_rate_limited() {
    let server = TestServer::start().await;
    server.create_operator().await;
    let alice = server.alice();
    let report = json!({ "level": "warn", "message": "slow", "data": { "ms": 900 } });
    let stored_reports = || server.state.client_reports.diagnostics_received();
    let large = json!({ "level": "warn", "message": "x".repeat(2049) });
    for body in [large, json!([]), json!("text")] {
        assert_eq!(alice.post("/api/debug-log", body).await.status, 204);
    }
    assert_eq!(
        stored_reports(),
        0,
        "too large or malformed reports are dropped"
    );
    for _ in 0..40 {
        assert_eq!(
            alice.post("/api/debug-log", report.clone()).await.status,
            204
        );
    }
    assert!(
        (30..40).contains(&stored_reports()),
        "at most thirty reports a minute are stored: {}",
        stored_reports()
    );
    let share = json!({ "event": "offer_share", "clubSlug": "broncos", "bundleSlug": "finals" });
    assert_eq!(alice.post("/api/track", share).await.status, 204);
    server.finish().await;

    let server = TestServer::start().await;
    server.create_operator().await;
    let operator = crate::support::club::sign_in_as_operator(&server).await;
    operator
        .post("/api/admin/maintenance-mode", json!({ "enabled": true }))
        .await
        .ok();
    assert_eq!(
        server.alice().post("/api/debug-log", report).await.status,
        204
    );
    assert_eq!(
        server.state.client_reports.diagnostics_received(),
        0,
        "diagnostics are off during maintenance"
    );
    let share = json!({ "event": "offer_share", "clubSlug": "broncos", "bundleSlug": "finals" });
    assert_eq!(server.alice().post("/api/track", share).await.status, 204);
    assert_eq!(
        server.state.client_reports.offer_event_counts()[1],
        ("offer_share", 1)
    );
    server.finish().await;
}

#[actix_web::test]
async fn csp_reports_get_204_and_are_rate_limited() {
    let server = TestServer::start().await;
    let alice = server.alice();
    let stored_reports = || server.state.client_reports.csp_violations_recorded();
    let send = async |kind: &'static str, body: String| {
        let request = alice
            .bare_request(reqwest::Method::POST, "/api/policy-report")
            .header("origin", &server.url);
        let status = Buyer::send_request(request.header("content-type", kind).body(body))
            .await
            .status;
        assert_eq!(status, 204);
    };
    let (old, new) = ("application/csp-report", "application/reports+json");
    for body in ["", "{", "7", "[[]]", "{\"csp-report\":7}"] {
        send(old, body.to_string()).await;
    }
    send(
        old,
        format!("{{\"csp-report\":{{\"a\":\"{}\"}}}}", "x".repeat(17_000)),
    )
    .await;
    assert_eq!(
        stored_reports(),
        0,
        "too large or malformed reports are dropped"
    );
    let blocked = "https://evil.test/x.js";
    let report = json!({ "effective-directive": "script-src", "blocked-uri": blocked, "document-uri": server.url });
    send(old, json!({ "csp-report": report }).to_string()).await;
    let report = json!({ "effectiveDirective": "img-src", "blockedURL": blocked, "documentURL": server.url });
    send(
        new,
        json!([{ "type": "csp-violation", "body": report }]).to_string(),
    )
    .await;
    assert_eq!(stored_reports(), 2);
    for _ in 0..40 {
        send(old, json!({ "csp-report": {} }).to_string()).await;
    }
    assert!(
        stored_reports() < 32,
        "at most thirty reports a minute are stored, of any kind: {}",
        stored_reports()
    );
    let page = alice
        .bare_request(reqwest::Method::GET, "/")
        .send()
        .await
        .expect("the server answers");
    let header = |name: &str| {
        page.headers()[name]
            .to_str()
            .expect("the text is UTF-8")
            .to_string()
    };
    assert!(
        header("content-security-policy")
            .contains("report-uri /api/policy-report; report-to breaches;")
    );
    assert_eq!(
        header("reporting-endpoints"),
        "breaches=\"/api/policy-report\""
    );
    let foreign = alice
        .bare_request(reqwest::Method::POST, "/api/policy-report")
        .header("origin", "https://evil.test")
        .body("{}");
    Buyer::send_request(foreign)
        .await
        .expect_refusal(403, "cross-origin");
    server.finish().await;
}
