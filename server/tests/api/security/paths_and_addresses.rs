//! Only one spelling of a path is answered. Cache headers depend on the matched route. Only known
//! proxies may state a client address.

use std::net::{IpAddr, TcpListener};

use reqwest::Method;
use reqwest::header::{CACHE_CONTROL, SET_COOKIE};
use server::http::routes::ROUTES;

use super::access_matrix::ClubObjects;
use crate::access::http_method_of;
use crate::support::{Buyer, TestServer, club};

/// Returns a path whose last letter or digit is percent-encoded.
fn percent_encoded(path: &str) -> String {
    let at = path
        .rfind(|letter: char| letter.is_ascii_alphanumeric())
        .expect("a letter");
    format!(
        "{}%{:02x}{}",
        &path[..at],
        path.as_bytes()[at],
        &path[at + 1..]
    )
}

#[actix_web::test]
async fn needlessly_escaped_paths_return_404_uncached() {
    let server = TestServer::start().await;
    let objects = ClubObjects::create(&server, "broncos").await;
    let browser = club::sign_in_as_club(&server, "broncos").await;
    for route in ROUTES {
        let path = objects.path(route);
        for spelling in [
            percent_encoded(&path),
            path.replacen("/api", "/%61pi", 1),
            path.replacen("/api", "/a%70i", 1),
        ] {
            if spelling == path {
                continue;
            }
            let request = browser
                .bare_request(http_method_of(route), &spelling)
                .header("origin", &server.url);
            let answer = request.send().await.expect("the server answers");
            let policy = answer
                .headers()
                .get(CACHE_CONTROL)
                .map(|value| value.to_str().expect("the text is UTF-8").to_string());
            assert_eq!(
                (answer.status().as_u16(), policy.as_deref()),
                (404, Some("no-store")),
                "{spelling}"
            );
        }
    }
    for page in [
        "/draw/%31001",
        "/club/%62roncos",
        "/%64raw/1001",
        "/my%2Fx%2e",
    ] {
        let answer = server
            .bob()
            .bare_request(Method::GET, page)
            .send()
            .await
            .expect("the server answers");
        assert_eq!(answer.status(), 404, "{page}");
    }
    server.finish().await;
}

#[actix_web::test]
async fn pages_that_set_a_cookie_are_private() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    for path in [
        "/".to_string(),
        format!("/draw/{draw}"),
        "/club/broncos".into(),
        "/my".into(),
        "/nowhere".into(),
    ] {
        // With the cookie `other=%31` the application answers, because the fast path cannot parse
        // it.
        for cookie in [None, Some("other=%31")] {
            let request = reqwest::Client::new().get(format!("{}{path}", server.url));
            let request = cookie
                .into_iter()
                .fold(request, |request, cookie| request.header("cookie", cookie));
            // The first response fills the cache, and the second comes from it.
            for _ in 0..2 {
                let answer = request
                    .try_clone()
                    .expect("a copy")
                    .send()
                    .await
                    .expect("the server answers");
                assert!(
                    answer.headers().contains_key(SET_COOKIE),
                    "{path}: a new browser gets a cookie"
                );
                let policy = answer.headers()[CACHE_CONTROL]
                    .to_str()
                    .expect("the text is UTF-8");
                assert!(
                    policy.contains("private") || policy.contains("no-store"),
                    "{path}: {policy}"
                );
            }
        }
    }
    server.finish().await;
}

#[actix_web::test]
async fn purchase_validation_is_limited_by_browser_and_by_address() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let body = serde_json::json!({ "drawNumber": draw.0, "ticketCount": 1 });
    let validate = |browser: &Buyer| {
        let request = browser
            .bare_request(Method::POST, "/api/validate-purchase")
            .header("origin", &server.url);
        Buyer::send_request(
            request
                .header("x-forwarded-for", "203.0.113.9")
                .body(body.to_string()),
        )
    };
    let alice = server.alice();
    alice.get("/").await;
    let mut answers = Vec::new();
    for _ in 0..61 {
        answers.push(validate(&alice).await.status);
    }
    assert_eq!(
        (
            answers.iter().filter(|status| **status == 200).count(),
            answers[60]
        ),
        (60, 429)
    );
    // Calls without a cookie are counted by their address, so new browsers do not raise the limit.
    let mut answers = Vec::new();
    for _ in 0..61 {
        answers.push(validate(&server.bob()).await.status);
    }
    assert_eq!(
        (
            answers.iter().filter(|status| **status == 200).count(),
            answers[60]
        ),
        (60, 429)
    );
    server.finish().await;
}

/// The test server trusts only the proxy 127.0.0.1. A request from 127.0.0.2 is counted by that
/// address.
#[cfg(target_os = "linux")]
#[actix_web::test]
async fn requests_forwarded_by_untrusted_peers_are_counted() {
    let server = TestServer::start().await;
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    let metrics = format!(
        "http://{}/metrics",
        listener.local_addr().expect("a local address")
    );
    let handle = server::http::metrics::serve(listener, server.state.clone()).expect("served");
    let untrusted_count = async || {
        let text = reqwest::get(&metrics)
            .await
            .expect("the server answers")
            .text()
            .await
            .expect("the text is UTF-8");
        let value = text
            .lines()
            .find_map(|line| line.strip_prefix("fd_forwarded_untrusted_total "));
        value.expect("a sample").to_string()
    };
    let call = async |peer: [u8; 4], forwarded: Option<&str>| {
        let client = reqwest::Client::builder()
            .local_address(IpAddr::from(peer))
            .build()
            .expect("a client");
        let request = client.get(format!("{}/api/orders/{}", server.url, "0".repeat(32)));
        let request = forwarded.into_iter().fold(request, |request, from| {
            request.header("x-forwarded-for", from)
        });
        request.send().await.expect("the server answers");
    };
    call([127, 0, 0, 1], Some("203.0.113.9")).await;
    call([127, 0, 0, 2], None).await;
    assert_eq!(
        untrusted_count().await,
        "0",
        "a trusted proxy, and a caller without one"
    );
    call([127, 0, 0, 2], Some("203.0.113.9")).await;
    call([127, 0, 0, 2], Some("203.0.113.10")).await;
    assert_eq!(untrusted_count().await, "2");
    handle.stop(false).await;
    server.finish().await;
}
