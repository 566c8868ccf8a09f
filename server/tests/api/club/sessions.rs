//! How long somebody stays signed in, and how often anybody may knock (decisions G-5, G-6, G-13).

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::buyer::Answer;
use crate::support::server::PASSWORD;
use crate::support::{Buyer, TestServer, club};

const HOUR: i64 = 3600;

async fn is_in(browser: &Buyer) -> bool {
    match browser.get("/api/admin/whoami").await.status {
        200 => true,
        401 => false,
        other => panic!("whoami answered {other}"),
    }
}

#[actix_web::test]
async fn a_club_is_signed_out_after_twelve_quiet_hours_and_after_a_day_in_any_case() {
    let server = TestServer::start().await;
    server.club("broncos").await;
    let quiet = club::club(&server, "broncos").await;
    server.clock.push_seconds(12 * HOUR - 60);
    assert!(
        is_in(&quiet).await,
        "just in time, and the hours begin anew"
    );
    server.clock.push_seconds(12 * HOUR + 1);
    assert!(!is_in(&quiet).await);
    let busy = club::club(&server, "broncos").await;
    for hours in [11, 11] {
        server.clock.push_seconds(hours * HOUR);
        assert!(is_in(&busy).await);
    }
    server.clock.push_seconds(2 * HOUR - 60);
    assert!(is_in(&busy).await);
    server.clock.push_seconds(61);
    assert!(!is_in(&busy).await, "a day is a day");
    server.finish().await;
}

#[actix_web::test]
async fn an_operator_is_signed_out_after_two_quiet_hours_and_after_twelve_in_any_case() {
    let server = TestServer::start().await;
    server.operator().await;
    let signs_in = async || {
        let browser = server.alice();
        browser.signs_in("operator@demo.test", PASSWORD).await.ok();
        browser
    };
    let quiet = signs_in().await;
    server.clock.push_seconds(2 * HOUR + 1);
    assert!(!is_in(&quiet).await);
    let busy = signs_in().await;
    for _ in 0..6 {
        server.clock.push_seconds(2 * HOUR - 10);
        assert!(is_in(&busy).await);
    }
    server.clock.push_seconds(61);
    assert!(!is_in(&busy).await);
    server.finish().await;
}

#[actix_web::test]
async fn signing_out_answers_the_same_to_everybody_under_all_its_names() {
    let server = TestServer::start().await;
    server.club("broncos").await;
    for path in ["/api/auth/logout", "/api/clubs/logout", "/api/admin/logout"] {
        let browser = club::club(&server, "broncos").await;
        let answer = browser.post(path, json!({})).await;
        assert_eq!((answer.status, answer.text.as_str()), (204, ""), "{path}");
        assert!(
            answer
                .header("set-cookie")
                .is_some_and(|cookie| cookie.contains("Max-Age=0")),
            "{path}"
        );
        assert!(!is_in(&browser).await, "{path}");
        assert_eq!(
            server.alice().post(path, json!({})).await.status,
            204,
            "nobody was signed in, and it is no news"
        );
    }
    server.finish().await;
}

/// From an address of its own, behind the proxy that the test server trusts.
async fn from(
    browser: &Buyer,
    server: &TestServer,
    address: &str,
    path: &str,
    body: Value,
) -> Answer {
    let request = browser
        .raw(Method::POST, path)
        .header("origin", &server.url)
        .header("x-forwarded-for", address);
    Buyer::sent(request.json(&body)).await
}

#[track_caller]
fn assert_slowed(answer: Answer) {
    let seconds: u64 = answer
        .header("retry-after")
        .and_then(|text| text.parse().ok())
        .expect("when to come back");
    assert!(seconds > 0);
    let refused = answer.refused(429, "too-many-requests");
    assert_eq!(
        refused["message"],
        "Too many attempts. Please wait a moment and try again."
    );
}

#[actix_web::test]
async fn an_address_joins_or_forgets_twenty_times_an_hour() {
    let server = TestServer::start().await;
    let browser = server.alice();
    let whole = json!({ "clubName": "Jets", "contactName": "Sam", "contactEmail": "sam@example.com",
        "contactPhone": "0400 111 222" });
    let ask = async |address: &str, path: &str, body: Value| {
        from(&browser, &server, address, path, body).await
    };
    for _ in 0..20 {
        ask("203.0.113.7", "/api/waitlist", whole.clone())
            .await
            .ok();
    }
    assert_slowed(ask("203.0.113.7", "/api/waitlist", whole.clone()).await);
    let club = json!({ "name": "Jets", "email": "jets@example.com", "password": "jets forever", "phone": "0400 111 222" });
    assert_slowed(ask("203.0.113.7", "/api/clubs/register", club).await);
    let email = json!({ "email": "jets@example.com" });
    assert_slowed(ask("203.0.113.7", "/api/clubs/reset-password", email).await);
    ask("203.0.113.8", "/api/waitlist", whole).await.ok();
    server.finish().await;
}

#[actix_web::test]
async fn an_address_tries_twenty_links_a_minute() {
    let server = TestServer::start().await;
    let browser = server.alice();
    let look = async |address: &str| {
        let body = json!({ "token": "0".repeat(64) });
        from(&browser, &server, address, "/api/claims/look", body).await
    };
    for _ in 0..20 {
        look("203.0.113.7").await.refused(404, "claim-unknown");
    }
    assert_slowed(look("203.0.113.7").await);
    look("203.0.113.8").await.refused(404, "claim-unknown");
    server.finish().await;
}
