//! Pages of other sites cannot make a signed-in browser change anything (decision G-5).

use domain::access::Audience;
use reqwest::{Method, RequestBuilder};
use server::http::routes::{ROUTES, Verb};

use super::access_matrix::ClubObjects;
use crate::access::http_method_of;
use crate::support::{Buyer, TestServer, club};

/// Returns requests that another site's page can cause, with the headers that the browser adds.
fn forged_requests(request: impl Fn() -> RequestBuilder) -> [(&'static str, RequestBuilder); 9] {
    let form = |request: RequestBuilder| {
        request
            .header("content-type", "application/x-www-form-urlencoded")
            .body("a=1")
    };
    let text = |request: RequestBuilder| request.header("content-type", "text/plain").body("{}");
    [
        (
            "a form of another site",
            form(request().header("origin", "https://evil.test")),
        ),
        (
            "JSON as plain text",
            text(request().header("origin", "https://evil.test")),
        ),
        (
            "from a sandboxed frame",
            text(request().header("origin", "null")),
        ),
        (
            "from a site that begins like ours",
            text(request().header("origin", "https://localhost.evil.test")),
        ),
        ("a login and no word of where from", text(request())),
        (
            "marked as of another site",
            text(request().header("sec-fetch-site", "cross-site")),
        ),
        (
            "marked as of a neighbour",
            text(request().header("sec-fetch-site", "same-site")),
        ),
        (
            "in contradiction",
            text(
                request()
                    .header("sec-fetch-site", "same-origin")
                    .header("origin", "https://evil.test"),
            ),
        ),
        (
            "with a referrer for an origin",
            text(request().header("referer", "https://evil.test/")),
        ),
    ]
}

#[actix_web::test]
async fn cross_site_page_cannot_trigger_any_write() {
    let server = TestServer::start().await;
    server.create_operator().await;
    let objects = ClubObjects::create(&server, "broncos").await;
    let (browser, operator) = (
        club::sign_in_as_club(&server, "broncos").await,
        club::sign_in_as_operator(&server).await,
    );
    let before = server.database_fingerprint().await;
    let (mut wrong, mut tried) = (Vec::new(), 0);
    for route in ROUTES
        .iter()
        .filter(|route| route.method != Verb::Get && route.audience != Audience::Machine)
    {
        let path = objects.path(route);
        for caller in [&browser, &operator] {
            for (marking, request) in
                forged_requests(|| caller.bare_request(http_method_of(route), &path))
            {
                let answer = Buyer::send_request(request).await;
                tried += 1;
                if answer.status != 403 || answer.json()["code"] != "cross-origin" {
                    wrong.push(format!(
                        "{marking}: {:?} {path}: {}",
                        route.method, answer.status
                    ));
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {tried}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(tried > 1_000, "{tried}");
    server.assert_database_unchanged(&before).await;
    // The same call from the site's own origin succeeds, so the origin was the reason for the
    // refusal.
    assert_eq!(
        browser
            .post("/api/auth/logout", serde_json::json!({}))
            .await
            .status,
        204
    );
    server.finish().await;
}

/// Pages of other sites can cause GET requests, so no GET request may change anything.
#[actix_web::test]
async fn get_request_cannot_be_overridden_into_write() {
    let server = TestServer::start().await;
    server.create_operator().await;
    let objects = ClubObjects::create(&server, "broncos").await;
    let (browser, operator) = (
        club::sign_in_as_club(&server, "broncos").await,
        club::sign_in_as_operator(&server).await,
    );
    let before = server.database_fingerprint().await;
    for route in ROUTES.iter().filter(|route| route.method != Verb::Get) {
        let (path, verb) = (objects.path(route), route.method.method().to_string());
        let is_read_too = ROUTES
            .iter()
            .any(|other| other.path == route.path && other.method == Verb::Get);
        for caller in [&browser, &operator] {
            let get_request = caller.bare_request(Method::GET, &format!("{path}?_method={verb}"));
            let request = [
                "x-http-method-override",
                "x-http-method",
                "x-method-override",
            ];
            let request = request.into_iter().fold(get_request, |request, name| {
                request.header(name, verb.as_str())
            });
            let status = request
                .send()
                .await
                .expect("the server answers")
                .status()
                .as_u16();
            // A path that also has a GET route is answered by that route.
            assert!(
                is_read_too || matches!(status, 404 | 405),
                "{verb} {path} by GET: {status}"
            );
        }
    }
    server.assert_database_unchanged(&before).await;
    server.finish().await;
}
