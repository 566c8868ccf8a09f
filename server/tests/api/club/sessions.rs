//! Lifetimes of sessions, logout, and rate limits of registration, password reset and claim links
//! (decisions G-5, G-6, G-13).

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::buyer::ApiResponse;
use crate::support::server::PASSWORD;
use crate::support::{Buyer, TestServer, club};

const HOUR_SECONDS: i64 = 3600;

async fn is_signed_in(browser: &Buyer) -> bool {
    match browser.get("/api/admin/whoami").await.status {
        200 => true,
        401 => false,
        other => panic!("whoami answered {other}"),
    }
}

#[actix_web::test]
async fn club_session_ends_after_12_idle_hours_or_one_day() {
    let server = TestServer::start().await;
    server.create_club("broncos").await;
    let quiet = club::sign_in_as_club(&server, "broncos").await;
    server.clock.advance_seconds(12 * HOUR_SECONDS - 60);
    assert!(
        is_signed_in(&quiet).await,
        "a call within twelve hours keeps the session"
    );
    server.clock.advance_seconds(12 * HOUR_SECONDS + 1);
    assert!(!is_signed_in(&quiet).await);
    let busy = club::sign_in_as_club(&server, "broncos").await;
    for hours in [11, 11] {
        server.clock.advance_seconds(hours * HOUR_SECONDS);
        assert!(is_signed_in(&busy).await);
    }
    server.clock.advance_seconds(2 * HOUR_SECONDS - 60);
    assert!(is_signed_in(&busy).await);
    server.clock.advance_seconds(61);
    assert!(!is_signed_in(&busy).await, "the session ends after a day");
    server.finish().await;
}

#[actix_web::test]
async fn operator_session_ends_after_2_idle_hours_or_12_hours() {
    let server = TestServer::start().await;
    server.create_operator().await;
    let sign_in = async || {
        let browser = server.alice();
        browser.sign_in("operator@demo.test", PASSWORD).await.ok();
        browser
    };
    let quiet = sign_in().await;
    server.clock.advance_seconds(2 * HOUR_SECONDS + 1);
    assert!(!is_signed_in(&quiet).await);
    let busy = sign_in().await;
    for _ in 0..6 {
        server.clock.advance_seconds(2 * HOUR_SECONDS - 10);
        assert!(is_signed_in(&busy).await);
    }
    server.clock.advance_seconds(61);
    assert!(!is_signed_in(&busy).await);
    server.finish().await;
}

#[actix_web::test]
async fn every_logout_path_returns_204_with_or_without_session() {
    let server = TestServer::start().await;
    server.create_club("broncos").await;
    for path in ["/api/auth/logout", "/api/clubs/logout", "/api/admin/logout"] {
        let browser = club::sign_in_as_club(&server, "broncos").await;
        let answer = browser.post(path, json!({})).await;
        assert_eq!((answer.status, answer.text.as_str()), (204, ""), "{path}");
        assert!(
            answer
                .header("set-cookie")
                .is_some_and(|cookie| cookie.contains("Max-Age=0")),
            "{path}"
        );
        assert!(!is_signed_in(&browser).await, "{path}");
        assert_eq!(
            server.alice().post(path, json!({})).await.status,
            204,
            "signing out without a session answers the same"
        );
    }
    server.finish().await;
}

/// Posts with a client address in the header `X-Forwarded-For`. The test server trusts the header,
/// as if a proxy had set it.
async fn post_from_ip_address(
    browser: &Buyer,
    server: &TestServer,
    address: &str,
    path: &str,
    body: Value,
) -> ApiResponse {
    let request = browser
        .bare_request(Method::POST, path)
        .header("origin", &server.url)
        .header("x-forwarded-for", address);
    Buyer::send_request(request.json(&body)).await
}

#[track_caller]
fn assert_rate_limited(answer: ApiResponse) {
    let seconds: u64 = answer
        .header("retry-after")
        .and_then(|text| text.parse().ok())
        .expect("when to come back");
    assert!(seconds > 0);
    let refused = answer.expect_refusal(429, "too-many-requests");
    assert_eq!(
        refused["message"],
        "Too many attempts. Please wait a moment and try again."
    );
}

#[actix_web::test]
async fn ip_is_limited_to_20_registration_or_reset_calls_an_hour() {
    let server = TestServer::start().await;
    let browser = server.alice();
    let complete_entry = json!({ "clubName": "Jets", "contactName": "Sam", "contactEmail": "sam@example.com",
        "contactPhone": "0400 111 222" });
    let ask = async |address: &str, path: &str, body: Value| {
        post_from_ip_address(&browser, &server, address, path, body).await
    };
    for _ in 0..20 {
        ask("203.0.113.7", "/api/waitlist", complete_entry.clone())
            .await
            .ok();
    }
    assert_rate_limited(ask("203.0.113.7", "/api/waitlist", complete_entry.clone()).await);
    let club = json!({ "name": "Jets", "email": "jets@example.com", "password": "jets forever", "phone": "0400 111 222" });
    assert_rate_limited(ask("203.0.113.7", "/api/clubs/register", club).await);
    let email = json!({ "email": "jets@example.com" });
    assert_rate_limited(ask("203.0.113.7", "/api/clubs/reset-password", email).await);
    ask("203.0.113.8", "/api/waitlist", complete_entry)
        .await
        .ok();
    server.finish().await;
}

#[actix_web::test]
async fn ip_is_limited_to_20_claim_link_attempts_a_minute() {
    let server = TestServer::start().await;
    let browser = server.alice();
    let look = async |address: &str| {
        let body = json!({ "token": "0".repeat(64) });
        post_from_ip_address(&browser, &server, address, "/api/claims/look", body).await
    };
    for _ in 0..20 {
        look("203.0.113.7")
            .await
            .expect_refusal(404, "claim-unknown");
    }
    assert_rate_limited(look("203.0.113.7").await);
    look("203.0.113.8")
        .await
        .expect_refusal(404, "claim-unknown");
    server.finish().await;
}

const DAY_SECONDS: i64 = 24 * HOUR_SECONDS;

async fn sign_in_to_stay(server: &TestServer, email: &str) -> (Buyer, String) {
    let browser = server.alice();
    let form = json!({ "email": email, "password": PASSWORD, "staySignedIn": true });
    let answer = browser.post("/api/clubs/login", form).await;
    let cookie = answer.header("set-cookie").expect("a cookie").to_string();
    answer.ok();
    (browser, cookie)
}

#[actix_web::test]
async fn club_that_stays_signed_in_has_a_session_of_30_days() {
    let server = TestServer::start().await;
    server.create_club("broncos").await;
    let (browser, cookie) = sign_in_to_stay(&server, "broncos@demo.test").await;
    assert!(cookie.contains("Max-Age=2592000"), "{cookie}");
    assert!(cookie.contains("HttpOnly"), "{cookie}");
    let standard = server.bob();
    let answer = standard.sign_in("broncos@demo.test", PASSWORD).await;
    let cookie = answer.header("set-cookie").expect("a cookie").to_string();
    assert!(!cookie.contains("Max-Age"), "{cookie}");
    server.clock.advance_seconds(29 * DAY_SECONDS);
    assert!(is_signed_in(&browser).await, "29 days without a request");
    assert!(!is_signed_in(&standard).await);
    server.clock.advance_seconds(DAY_SECONDS - 60);
    assert!(is_signed_in(&browser).await);
    server.clock.advance_seconds(61);
    assert!(!is_signed_in(&browser).await, "use does not extend it");
    server.finish().await;
}

#[actix_web::test]
async fn long_session_ends_at_logout() {
    let server = TestServer::start().await;
    server.create_club("broncos").await;
    let (browser, _) = sign_in_to_stay(&server, "broncos@demo.test").await;
    let stolen = browser.cookies();
    browser.post("/api/auth/logout", json!({})).await;
    let thief = server
        .bob()
        .bare_request(Method::GET, "/api/admin/whoami")
        .header("cookie", stolen);
    assert_eq!(Buyer::send_request(thief).await.status, 401);
    server.finish().await;
}

#[actix_web::test]
async fn operator_who_asks_to_stay_keeps_the_standard_session() {
    let server = TestServer::start().await;
    server.create_operator().await;
    let (browser, cookie) = sign_in_to_stay(&server, "operator@demo.test").await;
    assert!(!cookie.contains("Max-Age"), "{cookie}");
    server.clock.advance_seconds(2 * HOUR_SECONDS + 1);
    assert!(!is_signed_in(&browser).await);
    server.finish().await;
}
