//! What lies ready is answered before the application, and nobody can tell: the same bytes, the same lines, the same counts.

use std::collections::BTreeMap;

use reqwest::Method;
use reqwest::header::HeaderMap;

use crate::support::{Buyer, TestServer, club};

/// A cookie that somebody has to take apart by all the rules: with it a page is the application's to answer.
const LEFT: (&str, &str) = ("cookie", "other=%31");
/// Less fits into one packet.
const LEAST_MADE_SMALLER: usize = 1_200;
/// Another one each time.
const EACH_TIME: [&str; 3] = ["x-request-id", "x-server-time", "date"];

#[derive(Debug, PartialEq, Eq)]
struct Answer {
    status: u16,
    lines: BTreeMap<String, Vec<String>>,
    body: Vec<u8>,
}

async fn ask(server: &TestServer, path: &str, headers: &[(&str, &str)]) -> Answer {
    // Nobody in particular: no cookies of its own, and what comes smaller is looked at as it came.
    let http = reqwest::Client::builder().build().expect("a client");
    let mut request = http.get(format!("{}{path}", server.url));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let answer = request.send().await.expect("an answer");
    Answer {
        status: answer.status().as_u16(),
        lines: lines(answer.headers()),
        body: answer.bytes().await.expect("bytes").to_vec(),
    }
}

fn lines(headers: &HeaderMap) -> BTreeMap<String, Vec<String>> {
    let mut lines: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, value) in headers {
        let value = value.to_str().expect("text").to_string();
        // Whose cookie it is differs; that it is one, and how it is kept, does not.
        let value = match value.split_once('=') {
            Some((cookie @ "fd_session", rest)) => format!("{cookie}={}", &rest[32..]),
            _ => value,
        };
        let value = if EACH_TIME.contains(&name.as_str()) {
            "said".to_string()
        } else {
            value
        };
        lines.entry(name.to_string()).or_default().push(value);
    }
    lines
}

/// How often a row's calls were answered well, as `/metrics` has it.
async fn counted(server: &TestServer, route: &str) -> u64 {
    let text = server::metrics::text(&server.state).await;
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
async fn what_lies_ready_is_said_as_the_application_says_it() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    server.alice().buys(draw, 2).await;
    let session = "fd_session=00112233445566778899aabbccddeeff";
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
        let is_long = ask(&server, &path, &[]).await.body.len() >= LEAST_MADE_SMALLER;
        for headers in [
            &[][..],
            &[("cookie", session)],
            &[("cookie", "fd_session=nonsense; other=1")],
            &[("accept-encoding", "gzip, deflate, br")],
            &[("if-none-match", "\"0\"")],
            &[("if-none-match", "*")],
        ] {
            // The first to ask has it made, by the application; a page is made again after a tenth of a second.
            ask(&server, &path, headers).await;
            let before = counted(&server, route).await;
            let mut ready = ask(&server, &path, headers).await;
            let mut left = match route {
                "page" => ask(&server, &path, &[headers, &[LEFT]].concat()).await,
                _ => ask(&server, &format!("{path}?"), headers).await,
            };
            if route == "page" {
                // A page tells its reader what time it is.
                for answer in [&mut ready, &mut left] {
                    assert!(!std::mem::take(&mut answer.body).is_empty());
                    answer.lines.remove("content-length");
                }
            }
            assert_eq!(ready, left, "{path} {headers:?}");
            let coding = ready
                .lines
                .get("content-encoding")
                .map(|lines| lines.join(", "));
            let taken = headers.iter().any(|(name, _)| *name == "accept-encoding");
            assert_eq!(
                coding.as_deref(),
                (is_long && taken).then_some("gzip"),
                "{path} {headers:?}"
            );
            assert_eq!(
                counted(&server, route).await,
                before + 2,
                "each call is counted once: {path} {headers:?}"
            );
        }
    }
    server.finish().await;
}

#[actix_web::test]
async fn what_lies_ready_is_never_older_than_what_was_written() {
    let server = TestServer::start().await;
    let draw = server.game().await;
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
            .buys(draw, 1)
            .await;
        let one = alice.get(&paths[0]).await.ok();
        assert_eq!(one["ticketsSold"], sold);
        let tickets = alice.get(&paths[1]).await.ok();
        let rows = tickets
            .as_array()
            .expect("rows")
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
async fn who_owns_a_draw_is_shown_it_by_the_application_however_ready_it_lies() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    server.alice().buys(draw, 1).await;
    let owner = club::club(&server, "broncos").await;
    let path = format!("/api/draws/{draw}/tickets");
    let stranger = server.alice();
    for _ in 0..2 {
        assert!(
            !stranger.get(&path).await.text.contains("alice"),
            "a stranger learns nobody's address"
        );
        assert!(
            owner.get(&path).await.text.contains("alice"),
            "the owner does"
        );
    }
    let head = Buyer::sent(stranger.raw(Method::HEAD, &path)).await;
    assert_eq!((head.status, head.text.as_str()), (200, ""));
    server.finish().await;
}
