//! The cache headers of every public GET route (server/README.md, "Caching").

use domain::DrawId;
use domain::access::Audience;
use reqwest::Method;
use server::http::routes::{ROUTES, Verb};

use crate::support::{Buyer, TestServer};

/// `Cache-Control` of a response that is stored and revalidated on every use.
const REVALIDATED_CACHE_CONTROL: &str = "private, no-cache";
const NO_STORE: &str = "no-store";

/// Each path whose `Cache-Control` header is not `no-store`, with the value of that header.
const CACHEABLE_PATHS: [(&str, &str); 13] = [
    ("/api/draws/active", REVALIDATED_CACHE_CONTROL),
    ("/api/draws/awaiting-results", REVALIDATED_CACHE_CONTROL),
    ("/api/draws/completed", REVALIDATED_CACHE_CONTROL),
    ("/api/draws/{draw}", REVALIDATED_CACHE_CONTROL),
    ("/api/draws/{draw}/tickets", REVALIDATED_CACHE_CONTROL),
    ("/api/qr.svg", "private, max-age=86400"),
    ("/api/openapi.json", "no-cache"),
    ("/api/docs", "no-cache"),
    ("/og/site", "public, max-age=300"),
    ("/og/draw/{draw}", "public, max-age=300"),
    ("/og/draw/{draw}/story", "public, max-age=300"),
    ("/og/club/{slug}", "public, max-age=300"),
    ("/og/offer/{slug}/{bundle}", "public, max-age=300"),
];
/// Paths that this test skips: files, and the WebSocket.
const PATHS_WITHOUT_CACHE_CHECK: [&str; 8] = [
    "/uploads/{key}",
    "/sitemap.xml",
    "/robots.txt",
    "/manifest.webmanifest",
    "/favicon.ico",
    "/apple-touch-icon.png",
    "/sw.js",
    "/ws",
];

fn path_with_object_ids(path: &str, draw: DrawId) -> String {
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
async fn every_public_response_has_documented_cache_control() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    server.create_offer("finals", draw).await;
    let alice = server.alice();
    let public = ROUTES
        .iter()
        .filter(|route| route.audience == Audience::Public && route.method == Verb::Get);
    for route in public.filter(|route| !PATHS_WITHOUT_CACHE_CHECK.contains(&route.path)) {
        let expected = CACHEABLE_PATHS
            .iter()
            .find(|(path, _)| *path == route.path)
            .map_or(NO_STORE, |(_, policy)| policy);
        let path = path_with_object_ids(route.path, draw);
        let answer = alice.get(&path).await;
        assert_eq!(
            (answer.status, answer.header("cache-control")),
            (200, Some(expected)),
            "{path}"
        );
        let tag = answer.header("etag").map(str::to_string);
        assert_eq!(
            tag.is_some(),
            expected == REVALIDATED_CACHE_CONTROL,
            "{path}"
        );
        let head = Buyer::send_request(alice.bare_request(Method::HEAD, &path)).await;
        assert_eq!((head.status, head.text.as_str()), (200, ""), "HEAD {path}");
        let Some(tag) = tag else { continue };
        let again = Buyer::send_request(
            alice
                .bare_request(Method::GET, &path)
                .header("if-none-match", &tag),
        )
        .await;
        assert_eq!(
            (again.status, again.text.as_str(), again.header("etag")),
            (304, "", Some(tag.as_str())),
            "{path}"
        );
        let stale = Buyer::send_request(
            alice
                .bare_request(Method::GET, &path)
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
            (404, Some(NO_STORE)),
            "{path}"
        );
    }
    server.finish().await;
}
