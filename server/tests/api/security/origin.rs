//! Other sites' pages, in a browser that is signed in: not one writing call can be made for its person (decision G-5).

use domain::access::Audience;
use reqwest::{Method, RequestBuilder};
use server::routes::{ROUTES, Verb};

use super::matrix::Stock;
use crate::access::method;
use crate::support::{Buyer, TestServer, club};

/// What another site's page can make a browser send, and how the browser marks it.
fn forgeries(request: impl Fn() -> RequestBuilder) -> [(&'static str, RequestBuilder); 9] {
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

/// What any call would leave behind.
async fn fingerprint(server: &TestServer) -> i64 {
    let sum =
        "select (select count(*) from orders) + (select count(*) from reservations) + (select count(*) from payouts)
        + (select count(*) from audit_log) + (select count(*) from sessions) + (select count(*) from bundles)
        + (select coalesce(sum(revision), 0) from draws)::bigint where $1 = ''";
    server.database.count(sum, "").await
}

#[actix_web::test]
async fn no_other_sites_page_makes_a_browser_act() {
    let server = TestServer::start().await;
    server.operator().await;
    let stock = Stock::of(&server, "broncos").await;
    let (browser, operator) = (
        club::club(&server, "broncos").await,
        club::operator(&server).await,
    );
    let before = fingerprint(&server).await;
    let (mut wrong, mut tried) = (Vec::new(), 0);
    for route in ROUTES
        .iter()
        .filter(|route| route.method != Verb::Get && route.audience != Audience::Machine)
    {
        let path = stock.path(route);
        for who in [&browser, &operator] {
            for (how, request) in forgeries(|| who.raw(method(route), &path)) {
                let answer = Buyer::sent(request).await;
                tried += 1;
                if answer.status != 403 || answer.json()["code"] != "cross-origin" {
                    wrong.push(format!(
                        "{how}: {:?} {path}: {}",
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
    assert_eq!(fingerprint(&server).await, before, "nothing changed");
    // The same call from our own page does act: it is the origin that is refused.
    assert_eq!(
        browser
            .post("/api/auth/logout", serde_json::json!({}))
            .await
            .status,
        204
    );
    server.finish().await;
}

/// A link, a picture, a form by GET: other sites may make a browser read, so nothing may change by reading.
#[actix_web::test]
async fn a_call_that_reads_cannot_be_turned_into_one_that_writes() {
    let server = TestServer::start().await;
    server.operator().await;
    let stock = Stock::of(&server, "broncos").await;
    let (browser, operator) = (
        club::club(&server, "broncos").await,
        club::operator(&server).await,
    );
    let before = fingerprint(&server).await;
    for route in ROUTES.iter().filter(|route| route.method != Verb::Get) {
        let (path, verb) = (stock.path(route), route.method.method().to_string());
        let is_read_too = ROUTES
            .iter()
            .any(|other| other.path == route.path && other.method == Verb::Get);
        for who in [&browser, &operator] {
            let asked = who.raw(Method::GET, &format!("{path}?_method={verb}"));
            let request = [
                "x-http-method-override",
                "x-http-method",
                "x-method-override",
            ];
            let request = request
                .into_iter()
                .fold(asked, |request, name| request.header(name, verb.as_str()));
            let status = request.send().await.expect("an answer").status().as_u16();
            // Where a word of the path is also some other call's variable, that call answers.
            assert!(
                is_read_too || matches!(status, 404 | 405),
                "{verb} {path} by GET: {status}"
            );
        }
    }
    assert_eq!(fingerprint(&server).await, before, "nothing changed");
    server.finish().await;
}
