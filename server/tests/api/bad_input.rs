//! Bad input everywhere: every public call that takes a body, and every variable of a public path, against everything nobody
//! should send. The right status, a sentence, and nothing changed.

use domain::access::Audience;
use reqwest::Method;
use serde_json::{Value, json};
use server::routes::{ROUTES, Route, Verb};

use crate::support::{Buyer, GOOD_CARD, TestServer, club};

/// Always 204, whatever comes: nobody waits for their answer.
const DEAF: [&str; 3] = ["/api/debug-log", "/api/track", "/api/policy-report"];
/// Take anything, because they need nothing.
const EASY: [&str; 4] = [
    "/api/auth/logout",
    "/api/clubs/logout",
    "/api/admin/logout",
    "/api/resend-confirmation",
];

/// Bodies that are no JSON, or of another type than any call takes.
const BROKEN: [&str; 9] = [
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

fn takers() -> impl Iterator<Item = &'static Route> {
    let takes = |route: &&Route| {
        matches!(route.audience, Audience::Public)
            && route.method == Verb::Post
            && !DEAF.contains(&route.path)
    };
    ROUTES.iter().filter(takes)
}

/// What may not change: rows of whatever a public call could write, and how often each draw moved.
async fn fingerprint(server: &TestServer) -> i64 {
    let sum = "select (select count(*) from orders) + (select count(*) from reservations)
        + (select count(*) from email_outbox) + (select count(*) from clubs) + (select count(*) from waitlist)
        + (select count(*) from sessions) + (select count(*) from ticket_links)
        + (select coalesce(sum(revision), 0) from draws)::bigint where $1 = ''";
    server.database.count(sum, "").await
}

#[actix_web::test]
async fn broken_bodies_are_refused_with_a_sentence_by_every_public_call() {
    let server = TestServer::start().await;
    server.game().await;
    let alice = server.alice();
    let before = fingerprint(&server).await;
    let deep = "[".repeat(5000);
    for route in takers().filter(|route| !EASY.contains(&route.path)) {
        for body in BROKEN.iter().copied().chain([deep.as_str()]) {
            let request = alice
                .raw(Method::POST, route.path)
                .header("origin", &server.url)
                .body(body.to_string());
            let answer = Buyer::sent(request).await;
            let start: String = body.chars().take(40).collect();
            assert_eq!(
                answer.status, 400,
                "{} {start}: {}",
                route.path, answer.text
            );
            let told = answer.refused(400, "bad-request");
            assert!(
                !told["message"]
                    .as_str()
                    .expect("words")
                    .contains(start.as_str())
                    || start.len() < 5
            );
        }
    }
    assert_eq!(fingerprint(&server).await, before, "nothing changed");
    server.finish().await;
}

#[actix_web::test]
async fn counts_nobody_may_buy_are_refused_by_every_call_that_takes_one() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    let alice = server.alice();
    let before = fingerprint(&server).await;
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
    let whole = |count: &Value| {
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
            let refused = alice.post(path, whole(count)).await.refused(400, code);
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
            let mut body = whole(&json!(1));
            body["items"] = json!([{ "drawId": draw.0, "quantity": count }]);
            let refused = alice.post(path, body).await.refused(400, code);
            assert!(
                *code != "count-out-of-range" || refused["message"] == range,
                "{path} {count}: {refused}"
            );
        }
    }
    assert_eq!(fingerprint(&server).await, before, "nothing changed");
    server.finish().await;
}

/// What may stand for a variable of a path and names nothing.
const NOBODY: [&str; 9] = [
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
async fn unknown_ids_are_not_found_in_every_public_path() {
    let server = TestServer::start().await;
    server.game().await;
    let alice = server.alice();
    let before = fingerprint(&server).await;
    let open = |route: &&Route| {
        matches!(route.audience, Audience::Public | Audience::Buyer) && route.path.contains('{')
    };
    for route in ROUTES.iter().filter(open) {
        for nobody in NOBODY {
            let path: String = route
                .path
                .split('/')
                .map(|step| if step.contains('{') { nobody } else { step })
                .collect::<Vec<_>>()
                .join("/");
            let body = (route.method != Verb::Get).then(|| json!({}));
            let method: Method = route.method.method().as_str().parse().expect("a method");
            let answer = alice.call(method, &path, body.as_ref()).await;
            assert_eq!(answer.status, 404, "{path}: {}", answer.text);
            assert!(
                answer.json()["message"]
                    .as_str()
                    .is_some_and(|words| !words.is_empty()),
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
    assert_eq!(fingerprint(&server).await, before, "nothing changed");
    server.finish().await;
}

#[actix_web::test]
async fn a_query_that_cannot_be_read_is_refused_and_an_odd_one_shows_nothing() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    let alice = server.alice();
    for path in [
        "/api/draws/active?clubId=abc",
        "/api/draws/active?limit=-1",
        "/api/draws/completed?offset=1e9",
        "/api/draws/awaiting-results?limit=99999999999999999999",
    ] {
        alice.get(path).await.refused(400, "bad-request");
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
        .refused(404, "draw-not-found");
    server.finish().await;
}

/// Postgres keeps no NUL: whatever comes to it as text has been looked through before, whoever sends it.
#[actix_web::test]
async fn a_nul_in_an_address_names_nothing_and_asks_nothing() {
    let server = TestServer::start().await;
    server.game().await;
    server.operator().await;
    let browsers = [
        server.alice(),
        club::club(&server, "broncos").await,
        club::operator(&server).await,
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
    let document = server::openapi::document();
    let (operator, mut asked) = (&browsers[2], 0);
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
            answer.refused(400, "bad-request");
            asked += 1;
        }
    }
    assert!(asked > 20, "{asked} values of queries");
    server.finish().await;
}

#[actix_web::test]
async fn a_season_with_a_nul_in_a_name_is_refused_before_it_is_written() {
    let server = TestServer::start().await;
    let broncos = server.club("broncos").await;
    let browser = club::club(&server, "broncos").await;
    browser.post("/api/terms/accept", json!({})).await.ok();
    let table = "date,kick-off,zone,home,away,league\n2036-03-07,20:00,Australia/Sydney,Knights,Rai\0ders,NRL\n";
    for query in ["?dryRun=true", ""] {
        let path = format!("/api/clubs/{}/fixtures{query}", broncos.id);
        let request = browser
            .raw(Method::POST, &path)
            .header("origin", &server.url)
            .body(table);
        let refused = Buyer::sent(request).await.refused(422, "fixtures-refused");
        let words = "Away team holds a character that cannot be shown";
        assert_eq!(
            refused["errors"],
            json!([{ "line": 2, "message": words }]),
            "{query}"
        );
    }
    server.finish().await;
}

#[actix_web::test]
async fn diagnostics_are_taken_in_silence_and_kept_within_limits() {
    let server = TestServer::start().await;
    server.operator().await;
    let alice = server.alice();
    let report = json!({ "level": "warn", "message": "slow", "data": { "ms": 900 } });
    let kept = || server.state.heard.diagnostics();
    let large = json!({ "level": "warn", "message": "x".repeat(2049) });
    for body in [large, json!([]), json!("text")] {
        assert_eq!(alice.post("/api/debug-log", body).await.status, 204);
    }
    assert_eq!(kept(), 0, "too large, or no report");
    for _ in 0..40 {
        assert_eq!(
            alice.post("/api/debug-log", report.clone()).await.status,
            204
        );
    }
    assert!((30..40).contains(&kept()), "thirty a minute: {}", kept());
    let share = json!({ "event": "offer_share", "clubSlug": "broncos", "bundleSlug": "finals" });
    assert_eq!(alice.post("/api/track", share).await.status, 204);
    server.finish().await;

    let server = TestServer::start().await;
    server.operator().await;
    let operator = crate::support::club::operator(&server).await;
    operator
        .post("/api/admin/maintenance-mode", json!({ "enabled": true }))
        .await
        .ok();
    assert_eq!(
        server.alice().post("/api/debug-log", report).await.status,
        204
    );
    assert_eq!(
        server.state.heard.diagnostics(),
        0,
        "off while the service is maintained"
    );
    let share = json!({ "event": "offer_share", "clubSlug": "broncos", "bundleSlug": "finals" });
    assert_eq!(server.alice().post("/api/track", share).await.status, 204);
    assert_eq!(server.state.heard.offer_events()[1], ("offer_share", 1));
    server.finish().await;
}

#[actix_web::test]
async fn breaches_of_the_policy_are_taken_in_silence_and_kept_within_limits() {
    let server = TestServer::start().await;
    let alice = server.alice();
    let kept = || server.state.heard.breaches_kept();
    let send = async |kind: &'static str, body: String| {
        let request = alice
            .raw(reqwest::Method::POST, "/api/policy-report")
            .header("origin", &server.url);
        let status = Buyer::sent(request.header("content-type", kind).body(body))
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
    assert_eq!(kept(), 0, "too large, or no report");
    let blocked = "https://evil.test/x.js";
    let report = json!({ "effective-directive": "script-src", "blocked-uri": blocked, "document-uri": server.url });
    send(old, json!({ "csp-report": report }).to_string()).await;
    let report = json!({ "effectiveDirective": "img-src", "blockedURL": blocked, "documentURL": server.url });
    send(
        new,
        json!([{ "type": "csp-violation", "body": report }]).to_string(),
    )
    .await;
    assert_eq!(kept(), 2);
    for _ in 0..40 {
        send(old, json!({ "csp-report": {} }).to_string()).await;
    }
    assert!(
        kept() < 32,
        "thirty a minute, whatever they are: {}",
        kept()
    );
    let page = alice
        .raw(reqwest::Method::GET, "/")
        .send()
        .await
        .expect("an answer");
    let says = |name: &str| page.headers()[name].to_str().expect("text").to_string();
    assert!(
        says("content-security-policy")
            .contains("report-uri /api/policy-report; report-to breaches;")
    );
    assert_eq!(
        says("reporting-endpoints"),
        "breaches=\"/api/policy-report\""
    );
    let foreign = alice
        .raw(reqwest::Method::POST, "/api/policy-report")
        .header("origin", "https://evil.test")
        .body("{}");
    Buyer::sent(foreign).await.refused(403, "cross-origin");
    server.finish().await;
}
