//! Checks that the route table is complete, and that sign-in and sign-out work.
//! `security/access_matrix.rs` checks who may call each route.

use domain::DrawId;
use reqwest::Method;
use serde_json::json;
use server::http::routes::{Route, Verb};

use crate::support::server::PASSWORD;
use crate::support::{Buyer, TestServer, club};

/// Replaces the variables of a route's path with objects of the club `broncos`.
pub fn path_with_broncos_ids(route: &Route, draw: DrawId, club: i64, payout: i64) -> String {
    path_with_ids(
        &route
            .path
            .replace("{bundle}", "1")
            .replace("{slug}", "broncos"),
        draw,
        club,
        payout,
    )
}

/// Fills the variables of a route's path: draw, club and payout with the arguments, all others with
/// fixed values.
pub fn path_with_ids(path: &str, draw: DrawId, club: i64, payout: i64) -> String {
    path.replace("{draw}", &draw.to_string())
        .replace("{club}", &club.to_string())
        .replace("{payout}", &payout.to_string())
        // User 0 is the club's own login, which no call can change. Therefore the calls may run in
        // any order.
        .replace("{user}", "0")
        .replace("{type}/{id}", &format!("draw/{draw}"))
        .replace("{kind}", "sale")
        .replace("{anomaly}", "00000000-0000-4000-8000-000000000000")
        .replace("{ticket}", "FD-1001-169")
        .replace("{key}", "hide_test_draws")
        .replace("{entry}", "1")
        .replace("{menu}", "1")
        .replace("{item}", "1")
        .replace("{order}", "00000000-0000-4000-8000-000000000000")
        .replace("{token}", "00000000000000000000000000000000")
}

pub fn http_method_of(route: &Route) -> Method {
    match route.method {
        Verb::Get => Method::GET,
        Verb::Post => Method::POST,
        Verb::Put => Method::PUT,
        Verb::Patch => Method::PATCH,
        Verb::Delete => Method::DELETE,
    }
}

#[actix_web::test]
async fn path_outside_route_table_returns_404_or_405() {
    let server = TestServer::start().await;
    let alice = server.alice();
    alice
        .get("/api/nothing")
        .await
        .expect_refusal(404, "not-found");
    alice
        .get("/api/admin/everything")
        .await
        .expect_refusal(404, "not-found");
    alice
        .post("/api/config", json!({}))
        .await
        .expect_refusal(405, "method-not-allowed");
    alice
        .call(Method::DELETE, "/api/draws/active", None)
        .await
        .expect_refusal(405, "method-not-allowed");
    server.finish().await;
}

#[test]
fn every_handler_is_listed_in_route_table() {
    let src = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/http");
    let table = std::fs::read_to_string(src.join("routes.rs")).expect("the table");
    let mut missing = Vec::new();
    let mut folders = vec![src.join("routes")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)
            .expect("a folder")
            .map(|entry| entry.expect("an entry").path())
        {
            if entry.is_dir() {
                folders.push(entry);
                continue;
            }
            let text = std::fs::read_to_string(&entry).expect("a file");
            let module = entry
                .file_stem()
                .expect("a name")
                .to_string_lossy()
                .into_owned();
            for piece in text.split("\npub async fn ").skip(1) {
                let name = piece.split('(').next().unwrap_or_default();
                let signature = piece.split('{').next().unwrap_or_default();
                // A handler takes `web::Data`. A function that takes `&State` is a helper of
                // handlers.
                let is_handler =
                    signature.contains("HttpResponse") && !signature.contains("&State");
                // The page handlers of `shell` answer every path outside `/api/`. They are not in
                // the route table.
                let is_handler = is_handler && module != "shell";
                if is_handler && !table.contains(&format!("{module}::{name};")) {
                    missing.push(format!("{module}::{name}"));
                }
            }
            for registration in ["web::resource(", "web::scope(", "#[get(", "#[post("] {
                assert!(
                    !text.contains(registration),
                    "{} registers a route outside the route table",
                    entry.display()
                );
            }
        }
    }
    assert!(missing.is_empty(), "not in routes.rs: {missing:?}");
}

#[actix_web::test]
async fn sign_in_opens_session_and_sign_out_ends_it() {
    let server = TestServer::start().await;
    server.create_club("broncos").await;
    server.create_operator().await;
    let browser = server.alice();
    let answer = browser.sign_in(" Broncos@Demo.test ", PASSWORD).await;
    let cookie = answer.header("set-cookie").expect("a cookie").to_string();
    assert!(
        cookie.starts_with("fd_login=")
            && cookie.contains("HttpOnly")
            && cookie.contains("SameSite=Lax"),
        "{cookie}"
    );
    let user = answer.ok();
    assert_eq!(
        (&user["isAdmin"], &user["clubSlug"]),
        (&json!(false), &json!("broncos"))
    );
    assert_eq!(
        browser.get("/api/admin/whoami").await.ok()["role"],
        "club-admin"
    );
    assert_eq!(
        browser.post("/api/auth/logout", json!({})).await.status,
        204
    );
    browser
        .get("/api/admin/whoami")
        .await
        .expect_refusal(401, "unauthenticated");
    let value = cookie.split(';').next().expect("a pair").to_string();
    let reused_cookie = server
        .bob()
        .bare_request(Method::GET, "/api/admin/whoami")
        .header("cookie", value);
    Buyer::send_request(reused_cookie)
        .await
        .expect_refusal(401, "unauthenticated");
    let forged = server
        .bob()
        .bare_request(Method::GET, "/api/admin/whoami")
        .header("cookie", format!("fd_login={}", "0".repeat(64)));
    Buyer::send_request(forged)
        .await
        .expect_refusal(401, "unauthenticated");
    assert_eq!(
        club::sign_in_as_operator(&server)
            .await
            .get("/api/admin/whoami")
            .await
            .ok()["role"],
        "super-admin"
    );
    server.finish().await;
}

#[actix_web::test]
async fn wrong_password_and_unknown_email_get_same_rate_limited_answer() {
    let server = TestServer::start().await;
    server.create_club("broncos").await;
    let browser = server.alice();
    let wrong = browser
        .sign_in("broncos@demo.test", "wrong")
        .await
        .expect_refusal(401, "invalid-credentials");
    let unknown = browser
        .sign_in("nobody@demo.test", PASSWORD)
        .await
        .expect_refusal(401, "invalid-credentials");
    assert_eq!(wrong["message"], unknown["message"]);
    assert_eq!(wrong["message"], "Invalid credentials");
    for _ in 0..4 {
        browser
            .sign_in("broncos@demo.test", "wrong")
            .await
            .expect_refusal(401, "invalid-credentials");
    }
    let refused = browser.sign_in("broncos@demo.test", PASSWORD).await;
    assert_eq!(refused.header("retry-after"), Some("60"));
    refused.expect_refusal(429, "too-many-requests");
    server.finish().await;
}

#[actix_web::test]
async fn every_response_has_request_id_server_time_and_security_headers() {
    let server = TestServer::start().await;
    let alice = server.alice();
    for path in ["/api/config", "/api/nothing", "/api/draws/active"] {
        let answer = alice.get(path).await;
        for header in [
            "x-request-id",
            "x-server-time",
            "x-content-type-options",
            "referrer-policy",
            "content-security-policy",
        ] {
            assert!(answer.header(header).is_some(), "{path} {header}");
        }
        assert!(
            answer
                .header("content-security-policy")
                .is_some_and(|policy| policy.contains("frame-ancestors 'none'"))
        );
        let expected = if path == "/api/draws/active" {
            "Cookie, Accept-Encoding"
        } else {
            "Cookie"
        };
        assert_eq!(answer.header("vary"), Some(expected), "{path}");
    }
    assert_eq!(
        alice.get("/api/config").await.header("cache-control"),
        Some("no-store")
    );
    let cookie = server
        .bob()
        .get("/api/config")
        .await
        .header("set-cookie")
        .expect("a browser's cookie")
        .to_string();
    assert!(
        cookie.starts_with("fd_session=")
            && cookie.contains("HttpOnly")
            && cookie.contains("SameSite=Lax"),
        "{cookie}"
    );
    server.finish().await;
}
