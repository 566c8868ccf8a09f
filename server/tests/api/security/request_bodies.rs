//! Request bodies that are too large, too deeply nested or endless are refused early, and delay no
//! other client.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use reqwest::Method;
use server::http::routes::{ROUTES, Route, Verb};

use super::access_matrix::ClubObjects;
use crate::access::http_method_of;
use crate::support::{Buyer, TestServer, club};

/// Calls that answer 204 to any request (decision B-23).
const ALWAYS_204_PATHS: [&str; 3] = ["/api/debug-log", "/api/track", "/api/policy-report"];

#[actix_web::test]
async fn body_one_byte_over_limit_is_refused_by_every_call() {
    let server = TestServer::start().await;
    server.create_operator().await;
    let objects = ClubObjects::create(&server, "broncos").await;
    let operator = club::sign_in_as_operator(&server).await;
    let mut wrong = Vec::new();
    let is_logout = |route: &&Route| route.path.ends_with("/logout");
    let writes = ROUTES
        .iter()
        .filter(|route| route.method != Verb::Get && !ALWAYS_204_PATHS.contains(&route.path));
    for route in writes.filter(|route| !is_logout(route)) {
        let path = objects.path(route);
        // All methods of one path share the largest body limit of any of them.
        let most = ROUTES
            .iter()
            .filter(|other| other.path == route.path)
            .map(|other| other.body_max)
            .max();
        let large = format!("{{\"a\":\"{}\"}}", "x".repeat(most.expect("itself") + 1));
        let request = operator
            .bare_request(http_method_of(route), &path)
            .header("origin", &server.url)
            .body(large);
        // A call that takes no body may answer without reading it. The server then closes the
        // connection.
        let status = match request.send().await {
            Ok(answer) => answer.status().as_u16(),
            Err(_) => 413,
        };
        let reads_body = server::http::openapi::description(route)
            .is_some_and(|description| !description.body.models().is_empty());
        if status >= 500 || reads_body && status != 413 {
            wrong.push(format!("{:?} {path}: {status}", route.method));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    server.finish().await;
}

#[actix_web::test]
async fn deeply_nested_json_is_refused() {
    let server = TestServer::start().await;
    server.create_club_with_draw().await;
    let alice = server.alice();
    let depth = 2_000;
    let lists = format!("{{\"items\":{}{}}}", "[".repeat(depth), "]".repeat(depth));
    let objects = format!("{}1{}", "{\"a\":".repeat(depth), "}".repeat(depth));
    let token = format!(
        "{{\"paymentToken\":{}1{}}}",
        "{\"a\":".repeat(depth),
        "}".repeat(depth)
    );
    let keys: Vec<String> = (0..1_500).map(|n| format!("\"k{n}\":1,")).collect();
    let keys = keys.concat();
    let same = format!("{{{}\"drawNumber\":1}}", "\"drawNumber\":1,".repeat(900));
    for body in [
        lists,
        objects,
        token,
        format!("{{{keys}\"drawNumber\":1}}"),
        same,
    ] {
        let request = alice
            .bare_request(Method::POST, "/api/create-payment-intent")
            .header("origin", &server.url)
            .body(body.clone());
        let status = Buyer::send_request(request).await.status;
        assert!((400..500).contains(&status), "{status}: {}", &body[..40]);
    }
    server.finish().await;
}

fn connect_tcp(server: &TestServer) -> TcpStream {
    let stream = TcpStream::connect(server.url.trim_start_matches("http://")).expect("connected");
    stream
        .set_read_timeout(Some(Duration::from_secs(20)))
        .expect("a read timeout");
    stream
}

/// Reads from each connection until the server closes it. Returns the status lines that it sent
/// before. The error is of the first connection that is still open after the read timeout.
fn read_until_closed(connections: Vec<TcpStream>) -> std::io::Result<Vec<String>> {
    let read = |mut stream: TcpStream| {
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer)?;
        let answer = String::from_utf8_lossy(&answer);
        Ok(answer.lines().next().unwrap_or_default().to_string())
    };
    connections.into_iter().map(read).collect()
}

/// 100 connections never finish their headers, and 100 never finish their body. Other clients are
/// served meanwhile. The server closes all 200 connections.
#[actix_web::test]
async fn slow_requests_are_closed_and_delay_no_other_client() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let mut heads: Vec<TcpStream> = (0..100).map(|_| connect_tcp(&server)).collect();
    for stream in &mut heads {
        stream
            .write_all(b"GET /api/config HTTP/1.1\r\nHost: x\r\nX-Slow: ")
            .expect("sent");
    }
    let mut bodies: Vec<TcpStream> = (0..100).map(|_| connect_tcp(&server)).collect();
    for stream in &mut bodies {
        let head = "POST /api/create-payment-intent HTTP/1.1\r\nHost: x\r\nContent-Length: 9000\r\n\r\n{\"a\":";
        stream.write_all(head.as_bytes()).expect("sent");
    }
    let alice = server.alice();
    for _ in 0..20 {
        assert_eq!(alice.get(&format!("/api/draws/{draw}")).await.status, 200);
    }
    alice.buy(draw, 1).await;
    let closed = async |connections: Vec<TcpStream>| {
        actix_web::web::block(move || read_until_closed(connections))
            .await
            .expect("the read does not panic")
    };
    let lines = closed(heads)
        .await
        .expect("connections whose headers never end are closed");
    // The server may send a timeout response or just close the connection.
    let is_timeout = |line: &String| line.is_empty() || line.starts_with("HTTP/1.1 408");
    assert!(lines.iter().all(is_timeout), "{lines:?}");
    let lines = closed(bodies)
        .await
        .expect("connections whose body never ends are closed");
    let is_refusal = |line: &String| line.starts_with("HTTP/1.1 400");
    assert!(lines.iter().all(is_refusal), "{lines:?}");
    server.finish().await;
}

#[actix_web::test]
async fn malformed_http_requests_are_refused() {
    let server = TestServer::start().await;
    let large = format!(
        "GET / HTTP/1.1\r\nHost: x\r\nX-Large: {}\r\n\r\n",
        "x".repeat(200_000)
    );
    let many: Vec<String> = (0..500).map(|n| format!("X-{n}: 1\r\n")).collect();
    let many = many.concat();
    let chunks = format!("2000\r\n{}\r\n", "x".repeat(0x2000)).repeat(4);
    let endless = format!(
        "POST /api/create-payment-intent HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n{chunks}0\r\n\r\n"
    );
    for request in [
        endless,
        "GET / HTTP/9.9\r\n\r\n".to_string(),
        "NONSENSE\r\n\r\n".to_string(),
        "GET / HTTP/1.1\r\nHost: x\r\nBad Header: 1\r\n\r\n".to_string(),
        "POST /api/track HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello".to_string(),
        "POST /api/track HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
            .to_string(),
        "POST /api/track HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n".to_string(),
        "POST /api/track HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n".to_string(),
        format!("GET /{} HTTP/1.1\r\nHost: x\r\n\r\n", "x".repeat(200_000)),
        format!("GET / HTTP/1.1\r\nHost: x\r\n{many}\r\n"),
        large,
    ] {
        let mut stream = connect_tcp(&server);
        let _ = stream.write_all(request.as_bytes());
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let answer = actix_web::web::block(move || {
            let mut answer = Vec::new();
            let _ = stream.read_to_end(&mut answer);
            String::from_utf8_lossy(&answer).into_owned()
        })
        .await
        .expect("the read succeeds");
        let line = answer.lines().next().unwrap_or_default().to_string();
        let start: String = request.chars().take(70).collect();
        assert!(
            line.is_empty() || line.starts_with("HTTP/1.1 4") || line.starts_with("HTTP/1.0 4"),
            "{start:?}: {line}"
        );
        assert_eq!(answer.matches("HTTP/1.1 2").count(), 0, "{start:?}: a second request was smuggled in");
    }
    server.finish().await;
}

/// Numbers at and beyond the ends of the integer range. The smallest integer overflows when it is
/// negated.
#[actix_web::test]
async fn extreme_numbers_are_refused_without_server_error() {
    let server = TestServer::start().await;
    server.create_operator().await;
    let operator = club::sign_in_as_operator(&server).await;
    for order in [
        "-9223372036854775808",
        "-9223372036854775809",
        "9223372036854775807",
        "1e300",
        "-1e300",
    ] {
        for path in ["/api/admin/footer-menus", "/api/admin/footer-menu-items"] {
            let body = format!(
                "{{\"heading\":\"Help\",\"label\":\"Help\",\"url\":\"/help\",\"menuId\":1,\"displayOrder\":{order}}}"
            );
            let request = operator
                .bare_request(Method::POST, path)
                .header("origin", &server.url)
                .body(body);
            let answer = Buyer::send_request(request)
                .await
                .expect_refusal(400, "invalid");
            assert_eq!(
                answer["errors"][0]["field"], "displayOrder",
                "{path} {order}: {answer}"
            );
        }
    }
    server.finish().await;
}
