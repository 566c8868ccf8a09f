//! How long anybody may keep an answer: one row for every public address that is read (server/README.md, "Caching").

use domain::DrawId;
use domain::access::Audience;
use reqwest::Method;
use server::routes::{ROUTES, Verb};

use crate::support::{Buyer, TestServer};

/// Asked for again every time, answered 304 when nothing changed.
const CHECKED: &str = "private, no-cache";
const NEVER: &str = "no-store";

/// Addresses that say something else than `no-store`.
const KEPT: [(&str, &str); 12] = [
    ("/api/draws/active", CHECKED),
    ("/api/draws/awaiting-results", CHECKED),
    ("/api/draws/completed", CHECKED),
    ("/api/draws/{draw}", CHECKED),
    ("/api/draws/{draw}/tickets", CHECKED),
    ("/api/qr.svg", "private, max-age=86400"),
    ("/api/openapi.json", "no-cache"),
    ("/api/docs", "no-cache"),
    ("/og/site", "public, max-age=300"),
    ("/og/draw/{draw}", "public, max-age=300"),
    ("/og/club/{slug}", "public, max-age=300"),
    ("/og/offer/{slug}/{bundle}", "public, max-age=300"),
];
/// Files: their handlers' own tests look at them.
const FILES: [&str; 6] = [
    "/uploads/{key}",
    "/sitemap.xml",
    "/robots.txt",
    "/manifest.webmanifest",
    "/sw.js",
    "/ws",
];

fn concrete(path: &str, draw: DrawId) -> String {
    let path = path
        .replace("{draw}", &draw.to_string())
        .replace("{club}", "broncos")
        .replace("{slug}", "broncos");
    let path = path.replace("{bundle}", "finals").replace("{kind}", "sale");
    let query = if path == "/api/qr.svg" {
        "?url=/draw/1"
    } else {
        ""
    };
    path.replace("{type}/{id}", &format!("draw/{draw}")) + query
}

#[actix_web::test]
async fn every_public_answer_says_how_long_it_may_be_kept() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    server.offer("finals", draw).await;
    let alice = server.alice();
    let public = ROUTES
        .iter()
        .filter(|route| route.audience == Audience::Public && route.method == Verb::Get);
    for route in public.filter(|route| !FILES.contains(&route.path)) {
        let wanted = KEPT
            .iter()
            .find(|(path, _)| *path == route.path)
            .map_or(NEVER, |(_, kept)| kept);
        let path = concrete(route.path, draw);
        let answer = alice.get(&path).await;
        assert_eq!(
            (answer.status, answer.header("cache-control")),
            (200, Some(wanted)),
            "{path}"
        );
        let tag = answer.header("etag").map(str::to_string);
        assert_eq!(tag.is_some(), wanted == CHECKED, "{path}");
        let head = Buyer::sent(alice.raw(Method::HEAD, &path)).await;
        assert_eq!((head.status, head.text.as_str()), (200, ""), "HEAD {path}");
        let Some(tag) = tag else { continue };
        let again = Buyer::sent(alice.raw(Method::GET, &path).header("if-none-match", &tag)).await;
        assert_eq!(
            (again.status, again.text.as_str(), again.header("etag")),
            (304, "", Some(tag.as_str())),
            "{path}"
        );
        let stale = Buyer::sent(
            alice
                .raw(Method::GET, &path)
                .header("if-none-match", "\"0\""),
        )
        .await;
        assert_eq!(stale.status, 200, "{path}");
    }
    for path in [
        "/api/nothing",
        "/api/draws/999999",
        "/api/clubs/slug/nobody",
    ] {
        let refused = alice.get(path).await;
        assert_eq!(
            (refused.status, refused.header("cache-control")),
            (404, Some(NEVER)),
            "{path}"
        );
    }
    server.finish().await;
}
