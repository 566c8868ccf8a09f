//! Security headers of every response: API calls, errors, pages and files (reliability.md 5.9).

use domain::access::Audience;
use reqwest::Method;
use serde_json::json;
use server::http::routes::{ROUTES, Verb};

use super::access_matrix::ClubObjects;
use crate::access::http_method_of;
use crate::support::{Buyer, TestServer, club};

/// Returns the hosts in a content security policy, apart from the site itself.
fn external_hosts(policy: &str) -> Vec<&str> {
    policy
        .split([' ', ';'])
        .filter(|word| word.contains("://"))
        .collect()
}

fn policy_directive<'a>(policy: &'a str, name: &str) -> &'a str {
    let all = policy.split(';').map(str::trim);
    all.filter_map(|part| part.strip_prefix(name))
        .map(str::trim)
        .next()
        .unwrap_or("missing")
}

#[track_caller]
fn assert_security_headers(place: &str, headers: &reqwest::header::HeaderMap) {
    let header = |name: &str| {
        headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
    };
    for (name, value) in [
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
    ] {
        assert_eq!(header(name), value, "{place}: {name}");
    }
    for name in ["x-request-id", "x-server-time"] {
        assert!(!header(name).is_empty(), "{place}: {name}");
    }
    let policy = header("content-security-policy");
    assert!(
        policy.starts_with("default-src 'self'") || policy.starts_with("default-src 'none'"),
        "{place}: {policy}"
    );
    assert!(
        !policy_directive(policy, "script-src").contains("unsafe"),
        "{place}: {policy}"
    );
    assert!(
        !policy.contains("unsafe-eval") && !policy_directive(policy, "default-src").contains('*'),
        "{place}: {policy}"
    );
    assert!(
        header("server").is_empty() && header("x-powered-by").is_empty(),
        "{place} names the server software"
    );
    for name in ["set-cookie"] {
        for cookie in headers.get_all(name) {
            let cookie = cookie.to_str().expect("the text is UTF-8");
            assert!(
                cookie.contains("HttpOnly")
                    && cookie.contains("SameSite=Lax")
                    && cookie.contains("Path=/"),
                "{place}: {cookie}"
            );
        }
    }
    let with_credentials = header("access-control-allow-credentials");
    assert!(
        with_credentials.is_empty(),
        "{place} allows credentials across origins"
    );
    assert!(
        ["", "*"].contains(&header("access-control-allow-origin")),
        "{place}"
    );
}

#[actix_web::test]
async fn every_api_response_has_security_headers_and_is_unframeable() {
    let server = TestServer::start().await;
    server.create_operator().await;
    let objects = ClubObjects::create(&server, "broncos").await;
    let (alice, owner, operator) = (
        server.alice(),
        club::sign_in_as_club(&server, "broncos").await,
        club::sign_in_as_operator(&server).await,
    );
    let mut responses = 0;
    for route in ROUTES.iter().filter(|route| route.path != "/ws") {
        let path = objects.path(route);
        for browser in [&alice, &owner, &operator] {
            let request = browser
                .bare_request(http_method_of(route), &path)
                .header("origin", &server.url);
            let request = if route.method == Verb::Get {
                request
            } else {
                request.json(&json!({}))
            };
            let answer = request.send().await.expect("the server answers");
            let headers = answer.headers();
            assert_security_headers(&path, headers);
            let policy = headers["content-security-policy"]
                .to_str()
                .expect("the text is UTF-8");
            let is_unframeable = policy_directive(policy, "frame-ancestors") == "'none'"
                || policy.contains("sandbox");
            assert!(is_unframeable, "{path}: {policy}");
            let is_api = path.starts_with("/api/");
            assert!(
                !is_api || external_hosts(policy).is_empty(),
                "{path}: {policy}"
            );
            let cache = headers
                .get("cache-control")
                .map(|value| value.to_str().expect("the text is UTF-8").to_string());
            let policy_value = cache.as_deref().unwrap_or_default();
            // A shared cache must not store a response for a signed-in caller.
            let is_personal =
                !matches!(route.audience, Audience::Public) || policy_value.is_empty();
            let shared = is_personal
                && is_api
                && !policy_value.contains("no-store")
                && !policy_value.contains("private");
            assert!(!shared, "{path} may be kept by anyone: {cache:?}");
            responses += 1;
        }
    }
    assert!(responses > 400, "{responses}");
    server.finish().await;
}

#[actix_web::test]
async fn pages_have_security_headers_and_only_boards_are_frameable() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    server.create_offer("finals", draw).await;
    let alice = server.alice();
    let plain = [
        "/",
        "/my",
        "/claim",
        "/admin",
        "/super-admin",
        "/admin/login",
        "/cart/checkout",
        "/club/broncos",
        "/nowhere",
        "/%00",
        "/../etc/passwd",
        "/robots.txt",
        "/sitemap.xml",
        "/manifest.webmanifest",
        "/favicon.ico",
        "/apple-touch-icon.png",
        "/sw.js",
        "/og/site",
        "/uploads/none.png",
        "/assets/none.js",
        "/api/nothing",
        "/ws",
        "/club/broncos/specials/finals",
    ];
    let drawn = [
        format!("/draw/{draw}"),
        format!("/checkout/{draw}"),
        format!("/verify/{draw}"),
        format!("/api/draws/{draw}"),
    ];
    for path in plain.iter().map(ToString::to_string).chain(drawn) {
        let answer = alice
            .bare_request(Method::GET, &path)
            .send()
            .await
            .expect("the server answers");
        assert_security_headers(&path, answer.headers());
        let policy = answer.headers()["content-security-policy"]
            .to_str()
            .expect("the text is UTF-8")
            .to_string();
        assert_eq!(
            policy_directive(&policy, "frame-ancestors"),
            "'none'",
            "{path}: {policy}"
        );
    }
    for path in [
        format!("/draw/{draw}/display"),
        "/bundle/broncos/finals/display".to_string(),
    ] {
        let answer = alice
            .bare_request(Method::GET, &path)
            .send()
            .await
            .expect("the server answers");
        assert_security_headers(&path, answer.headers());
        let policy = answer.headers()["content-security-policy"]
            .to_str()
            .expect("the text is UTF-8")
            .to_string();
        assert_eq!(
            policy_directive(&policy, "frame-ancestors"),
            "*",
            "{path}: {policy}"
        );
        assert!(
            answer.headers().get("set-cookie").is_none(),
            "{path} sets a cookie inside a frame"
        );
    }
    // Requests that the framework refuses before a handler runs: wrong method, size or type.
    for (verb, path, body) in [
        (Method::DELETE, "/api/config".to_string(), String::new()),
        (Method::TRACE, "/api/config".to_string(), String::new()),
        (
            Method::POST,
            "/api/create-payment-intent".to_string(),
            "x".repeat(20_000),
        ),
        (
            Method::POST,
            "/api/create-payment-intent".to_string(),
            "{".into(),
        ),
    ] {
        let request = alice
            .bare_request(verb, &path)
            .header("origin", &server.url)
            .body(body);
        let answer = Buyer::send_request(request).await;
        assert!(
            (400..500).contains(&answer.status),
            "{path}: {}",
            answer.status
        );
        assert_security_headers(&path, &answer.headers);
    }
    let wrong_method = alice
        .bare_request(Method::DELETE, "/api/config")
        .header("origin", &server.url);
    let refused = Buyer::send_request(wrong_method).await;
    assert_eq!(
        refused.header("allow"),
        Some("GET, HEAD"),
        "the allowed methods are listed"
    );
    server.finish().await;
}
