//! The table of routes is all there is; signing in and out. Who may call what: `security/matrix.rs`.

use domain::DrawId;
use reqwest::Method;
use serde_json::json;
use server::routes::{Route, Verb};

use crate::support::server::PASSWORD;
use crate::support::{Buyer, TestServer, club};

/// Puts real objects of the club `broncos` into a route's path.
pub fn concrete(route: &Route, draw: DrawId, club: i64, payout: i64) -> String {
    filled(
        &route
            .path
            .replace("{bundle}", "1")
            .replace("{slug}", "broncos"),
        draw,
        club,
        payout,
    )
}

/// Puts objects into a path; those of the console that are nobody's.
pub fn filled(path: &str, draw: DrawId, club: i64, payout: i64) -> String {
    path.replace("{draw}", &draw.to_string())
        .replace("{club}", &club.to_string())
        .replace("{payout}", &payout.to_string())
        // The club's own login: the one whom nobody changes, so that the table can be walked in any order.
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

pub fn method(route: &Route) -> Method {
    match route.method {
        Verb::Get => Method::GET,
        Verb::Post => Method::POST,
        Verb::Put => Method::PUT,
        Verb::Patch => Method::PATCH,
        Verb::Delete => Method::DELETE,
    }
}

#[actix_web::test]
async fn what_is_not_in_the_table_does_not_exist() {
    let server = TestServer::start().await;
    let alice = server.alice();
    alice.get("/api/nothing").await.refused(404, "not-found");
    alice
        .get("/api/admin/everything")
        .await
        .refused(404, "not-found");
    alice
        .post("/api/config", json!({}))
        .await
        .refused(405, "method-not-allowed");
    alice
        .call(Method::DELETE, "/api/draws/active", None)
        .await
        .refused(405, "method-not-allowed");
    server.finish().await;
}

#[test]
fn every_handler_stands_in_the_table() {
    let src = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
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
                // What takes a `&State` is asked by handlers; a handler owns its `web::Data`.
                let is_handler =
                    signature.contains("HttpResponse") && !signature.contains("&State");
                // Pages are what every address outside `/api/` answers; the shell has a table of its own.
                let is_handler = is_handler && module != "shell";
                if is_handler && !table.contains(&format!("{module}::{name};")) {
                    missing.push(format!("{module}::{name}"));
                }
            }
            for mounting in ["web::resource(", "web::scope(", "#[get(", "#[post("] {
                assert!(
                    !text.contains(mounting),
                    "{} mounts an address by itself",
                    entry.display()
                );
            }
        }
    }
    assert!(missing.is_empty(), "not in routes.rs: {missing:?}");
}

#[actix_web::test]
async fn signing_in_opens_a_session_and_signing_out_ends_it() {
    let server = TestServer::start().await;
    server.club("broncos").await;
    server.operator().await;
    let browser = server.alice();
    let answer = browser.signs_in(" Broncos@Demo.test ", PASSWORD).await;
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
        .refused(401, "unauthenticated");
    let value = cookie.split(';').next().expect("a pair").to_string();
    let stolen = server
        .bob()
        .raw(Method::GET, "/api/admin/whoami")
        .header("cookie", value);
    Buyer::sent(stolen).await.refused(401, "unauthenticated");
    let forged = server
        .bob()
        .raw(Method::GET, "/api/admin/whoami")
        .header("cookie", format!("fd_login={}", "0".repeat(64)));
    Buyer::sent(forged).await.refused(401, "unauthenticated");
    assert_eq!(
        club::operator(&server)
            .await
            .get("/api/admin/whoami")
            .await
            .ok()["role"],
        "super-admin"
    );
    server.finish().await;
}

#[actix_web::test]
async fn a_wrong_password_and_an_unknown_address_read_the_same_and_are_slowed_down() {
    let server = TestServer::start().await;
    server.club("broncos").await;
    let browser = server.alice();
    let wrong = browser
        .signs_in("broncos@demo.test", "wrong")
        .await
        .refused(401, "invalid-credentials");
    let unknown = browser
        .signs_in("nobody@demo.test", PASSWORD)
        .await
        .refused(401, "invalid-credentials");
    assert_eq!(wrong["message"], unknown["message"]);
    assert_eq!(wrong["message"], "Invalid credentials");
    for _ in 0..4 {
        browser
            .signs_in("broncos@demo.test", "wrong")
            .await
            .refused(401, "invalid-credentials");
    }
    let refused = browser.signs_in("broncos@demo.test", PASSWORD).await;
    assert_eq!(refused.header("retry-after"), Some("60"));
    refused.refused(429, "too-many-requests");
    server.finish().await;
}

#[actix_web::test]
async fn every_answer_carries_its_id_the_time_and_what_browsers_may_do_with_it() {
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
        let wanted = if path == "/api/draws/active" {
            "Cookie, Accept-Encoding"
        } else {
            "Cookie"
        };
        assert_eq!(answer.header("vary"), Some(wanted), "{path}");
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
