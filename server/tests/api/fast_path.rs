//! The fast path answers requests for cached content before they reach the application. Its
//! responses have the same status, headers and bytes as the application's, and are counted in the
//! same metrics.

use std::collections::BTreeMap;

use reqwest::Method;
use reqwest::header::HeaderMap;
use server::services::identity::browser::COOKIE_VALUE_DIGITS;

use crate::support::{Buyer, TestServer, club};

/// A cookie that the fast path cannot parse. The application answers requests that carry it.
const COOKIE_UNSUPPORTED_BY_FAST_PATH: (&str, &str) = ("cookie", "other=%31");
/// Body size in bytes from which the server compresses a response.
const COMPRESSED_BYTES_MIN: usize = 1_200;
/// Response headers whose values differ in every response.
const VARYING_HEADERS: [&str; 3] = ["x-request-id", "x-server-time", "date"];

#[derive(Debug, PartialEq, Eq)]
struct RawResponse {
    status: u16,
    header_values: BTreeMap<String, Vec<String>>,
    body: Vec<u8>,
}

async fn fetch_raw_response(
    server: &TestServer,
    path: &str,
    headers: &[(&str, &str)],
) -> RawResponse {
    // A client that stores no cookies and does not decompress responses.
    let http = reqwest::Client::builder().build().expect("a client");
    let mut request = http.get(format!("{}{path}", server.url));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let answer = request.send().await.expect("the server answers");
    RawResponse {
        status: answer.status().as_u16(),
        header_values: header_values(answer.headers()),
        body: answer.bytes().await.expect("the body is read").to_vec(),
    }
}

fn header_values(headers: &HeaderMap) -> BTreeMap<String, Vec<String>> {
    let mut values: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, value) in headers {
        let value = value.to_str().expect("the text is UTF-8").to_string();
        // The value of a cookie may differ, but its attributes must be the same.
        let value = match value.split_once('=') {
            Some((cookie @ "fd_session", rest)) => {
                format!("{cookie}={}", &rest[COOKIE_VALUE_DIGITS..])
            }
            _ => value,
        };
        let value = if VARYING_HEADERS.contains(&name.as_str()) {
            "varies".to_string()
        } else {
            value
        };
        values.entry(name.to_string()).or_default().push(value);
    }
    values
}

/// Returns the number of successful calls of a route, from `/metrics`.
async fn count_successful_calls(server: &TestServer, route: &str) -> u64 {
    let text = server::http::metrics::current_metrics_text(&server.state).await;
    let name = |status| {
        format!(
            "fd_http_request_duration_seconds_count{{route=\"{route}\",method=\"GET\",status=\"{status}\"}} "
        )
    };
    let names = [name(200), name(304)];
    let counts = text.lines().filter_map(|line| {
        names
            .iter()
            .find_map(|name| line.strip_prefix(name.as_str()))
    });
    counts
        .map(|count| count.parse::<u64>().expect("a count"))
        .sum()
}

#[actix_web::test]
async fn fast_path_responses_equal_application_responses() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    server.alice().buy(draw, 2).await;
    let reader = server.alice();
    reader.get("/api/config").await;
    let session = &*reader.cookies();
    for (path, route) in [
        ("/api/draws/active".to_string(), "/api/draws/active"),
        (
            "/api/draws/awaiting-results".to_string(),
            "/api/draws/awaiting-results",
        ),
        ("/api/draws/completed".to_string(), "/api/draws/completed"),
        (format!("/api/draws/{draw}"), "/api/draws/{draw}"),
        (
            format!("/api/draws/{draw}/tickets"),
            "/api/draws/{draw}/tickets",
        ),
        (format!("/draw/{draw}"), "page"),
        ("/".to_string(), "page"),
    ] {
        let is_long =
            fetch_raw_response(&server, &path, &[]).await.body.len() >= COMPRESSED_BYTES_MIN;
        for headers in [
            &[][..],
            &[("cookie", session)],
            &[("cookie", "fd_session=nonsense; other=1")],
            &[("accept-encoding", "gzip, deflate, br")],
            &[("if-none-match", "\"0\"")],
            &[("if-none-match", "*")],
        ] {
            // The first call makes the application fill the cache. A cached page expires after 100
            // ms.
            fetch_raw_response(&server, &path, headers).await;
            let before = count_successful_calls(&server, route).await;
            let mut from_fast_path = fetch_raw_response(&server, &path, headers).await;
            let mut from_application = match route {
                "page" => {
                    fetch_raw_response(
                        &server,
                        &path,
                        &[headers, &[COOKIE_UNSUPPORTED_BY_FAST_PATH]].concat(),
                    )
                    .await
                }
                _ => fetch_raw_response(&server, &format!("{path}?"), headers).await,
            };
            if route == "page" {
                // A page contains the current time, so its body is left out of the comparison.
                for answer in [&mut from_fast_path, &mut from_application] {
                    assert!(!std::mem::take(&mut answer.body).is_empty());
                    answer.header_values.remove("content-length");
                }
            }
            assert_eq!(from_fast_path, from_application, "{path} {headers:?}");
            let coding = from_fast_path
                .header_values
                .get("content-encoding")
                .map(|values| values.join(", "));
            let accepts_gzip = headers.iter().any(|(name, _)| *name == "accept-encoding");
            assert_eq!(
                coding.as_deref(),
                (is_long && accepts_gzip).then_some("gzip"),
                "{path} {headers:?}"
            );
            assert_eq!(
                count_successful_calls(&server, route).await,
                before + 2,
                "each call is counted once: {path} {headers:?}"
            );
        }
    }
    server.finish().await;
}

#[actix_web::test]
async fn fast_path_never_serves_stale_data_after_a_sale() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let alice = server.alice();
    let paths = [
        format!("/api/draws/{draw}"),
        format!("/api/draws/{draw}/tickets"),
        "/api/draws/active".to_string(),
    ];
    for path in &paths {
        alice.get(path).await;
        alice.get(path).await;
    }
    for sold in [1, 2, 3] {
        Buyer::new(&server.url, "Bo Hall", "bo@example.com", "0400 000 000")
            .buy(draw, 1)
            .await;
        let one = alice.get(&paths[0]).await.ok();
        assert_eq!(one["ticketsSold"], sold);
        let tickets = alice.get(&paths[1]).await.ok();
        let rows = tickets
            .as_array()
            .expect("a JSON list")
            .iter()
            .filter(|row| row["sold"] == true);
        assert_eq!(rows.count(), sold);
        let list = alice.get(&paths[2]).await.ok();
        let listed = list
            .as_array()
            .expect("draws")
            .iter()
            .find(|listed| listed["id"] == draw.0)
            .expect("listed");
        assert_eq!(listed["ticketsSold"], sold);
        let page = alice.get(&format!("/draw/{draw}")).await.text;
        assert!(page.contains(&format!("{sold}/169 tickets sold")), "{page}");
    }
    server.finish().await;
}

#[actix_web::test]
async fn draw_owner_bypasses_fast_path_and_sees_buyers() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    server.alice().buy(draw, 1).await;
    let owner = club::sign_in_as_club(&server, "broncos").await;
    let path = format!("/api/draws/{draw}/tickets");
    let stranger = server.alice();
    for _ in 0..2 {
        assert!(
            !stranger.get(&path).await.text.contains("alice"),
            "a stranger sees no buyer"
        );
        assert!(
            owner.get(&path).await.text.contains("alice"),
            "the owner sees the buyer"
        );
    }
    let head = Buyer::send_request(stranger.bare_request(Method::HEAD, &path)).await;
    assert_eq!((head.status, head.text.as_str()), (200, ""));
    server.finish().await;
}
