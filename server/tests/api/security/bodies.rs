//! Bodies that are too large, too deep or never end: refused early, and nobody else waits for them.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use reqwest::Method;
use server::routes::{ROUTES, Route, Verb};

use super::matrix::Stock;
use crate::access::method;
use crate::support::{Buyer, TestServer, club};

/// Answered 204 whatever comes: nobody waits for them (decision B-23).
const DEAF: [&str; 3] = ["/api/debug-log", "/api/track", "/api/policy-report"];

#[actix_web::test]
async fn one_byte_more_than_a_call_takes_is_refused_by_every_call() {
    let server = TestServer::start().await;
    server.operator().await;
    let stock = Stock::of(&server, "broncos").await;
    let operator = club::operator(&server).await;
    let mut wrong = Vec::new();
    let signs_out = |route: &&Route| route.path.ends_with("/logout");
    let writes = ROUTES
        .iter()
        .filter(|route| route.method != Verb::Get && !DEAF.contains(&route.path));
    for route in writes.filter(|route| !signs_out(route)) {
        let path = stock.path(route);
        // A path's calls share the largest of their limits.
        let most = ROUTES
            .iter()
            .filter(|other| other.path == route.path)
            .map(|other| other.body_max)
            .max();
        let large = format!("{{\"a\":\"{}\"}}", "x".repeat(most.expect("itself") + 1));
        let request = operator
            .raw(method(route), &path)
            .header("origin", &server.url)
            .body(large);
        // A call that reads no body does not mind what nobody reads; the connection is closed on it.
        let status = match request.send().await {
            Ok(answer) => answer.status().as_u16(),
            Err(_) => 413,
        };
        let reads =
            server::openapi::description(route).is_some_and(|said| !said.body.models().is_empty());
        if status >= 500 || reads && status != 413 {
            wrong.push(format!("{:?} {path}: {status}", route.method));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    server.finish().await;
}

#[actix_web::test]
async fn json_within_json_without_end_is_refused() {
    let server = TestServer::start().await;
    server.game().await;
    let alice = server.alice();
    let depth = 2_000;
    let lists = format!("{{\"items\":{}{}}}", "[".repeat(depth), "]".repeat(depth));
    let objects = format!("{}1{}", "{\"a\":".repeat(depth), "}".repeat(depth));
    let token = format!(
        "{{\"paymentToken\":{}1{}}}",
        "{\"a\":".repeat(depth),
        "}".repeat(depth)
    );
    let keys: String = (0..1_500).map(|n| format!("\"k{n}\":1,")).collect();
    let same = format!("{{{}\"drawNumber\":1}}", "\"drawNumber\":1,".repeat(900));
    for body in [
        lists,
        objects,
        token,
        format!("{{{keys}\"drawNumber\":1}}"),
        same,
    ] {
        let request = alice
            .raw(Method::POST, "/api/create-payment-intent")
            .header("origin", &server.url)
            .body(body.clone());
        let status = Buyer::sent(request).await.status;
        assert!((400..500).contains(&status), "{status}: {}", &body[..40]);
    }
    server.finish().await;
}

fn connected(server: &TestServer) -> TcpStream {
    let stream = TcpStream::connect(server.url.trim_start_matches("http://")).expect("connected");
    stream
        .set_read_timeout(Some(Duration::from_secs(20)))
        .expect("patience");
    stream
}

/// Two hundred connections that begin a request and go on with a byte now and then: everybody else is served meanwhile, and
/// the server ends them.
#[actix_web::test]
async fn who_never_finishes_a_request_keeps_nobody_waiting_and_is_hung_up_on() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    let mut heads: Vec<TcpStream> = (0..100).map(|_| connected(&server)).collect();
    for stream in &mut heads {
        stream
            .write_all(b"GET /api/config HTTP/1.1\r\nHost: x\r\nX-Slow: ")
            .expect("sent");
    }
    let mut bodies: Vec<TcpStream> = (0..100).map(|_| connected(&server)).collect();
    for stream in &mut bodies {
        let head = "POST /api/create-payment-intent HTTP/1.1\r\nHost: x\r\nContent-Length: 9000\r\n\r\n{\"a\":";
        stream.write_all(head.as_bytes()).expect("sent");
    }
    let alice = server.alice();
    for _ in 0..20 {
        assert_eq!(alice.get(&format!("/api/draws/{draw}")).await.status, 200);
    }
    alice.buys(draw, 1).await;
    let ended = actix_web::web::block(move || {
        let mut ended = 0;
        for mut stream in heads {
            let mut told = Vec::new();
            // Told that it took too long, or cut off: either way it is over.
            ended += usize::from(stream.read_to_end(&mut told).is_ok());
        }
        ended
    })
    .await
    .expect("looked");
    assert_eq!(ended, 100, "connections whose head never ended are closed");
    drop(bodies);
    server.finish().await;
}

#[actix_web::test]
async fn lines_no_browser_writes_are_refused() {
    let server = TestServer::start().await;
    let large = format!(
        "GET / HTTP/1.1\r\nHost: x\r\nX-Large: {}\r\n\r\n",
        "x".repeat(200_000)
    );
    let many: String = (0..500).map(|n| format!("X-{n}: 1\r\n")).collect();
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
        let mut stream = connected(&server);
        let _ = stream.write_all(request.as_bytes());
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let told = actix_web::web::block(move || {
            let mut told = Vec::new();
            let _ = stream.read_to_end(&mut told);
            String::from_utf8_lossy(&told).into_owned()
        })
        .await
        .expect("read");
        let line = told.lines().next().unwrap_or_default().to_string();
        let start: String = request.chars().take(70).collect();
        assert!(
            line.is_empty() || line.starts_with("HTTP/1.1 4") || line.starts_with("HTTP/1.0 4"),
            "{start:?}: {line}"
        );
        assert_eq!(told.matches("HTTP/1.1 2").count(), 0, "{start:?}: smuggled");
    }
    server.finish().await;
}

/// The fuzzer's find: the smallest number there is has no opposite.
#[actix_web::test]
async fn numbers_at_the_end_of_what_there_is_are_refused_and_nobody_stumbles() {
    let server = TestServer::start().await;
    server.operator().await;
    let operator = club::operator(&server).await;
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
                .raw(Method::POST, path)
                .header("origin", &server.url)
                .body(body);
            let told = Buyer::sent(request).await.refused(400, "invalid");
            assert_eq!(
                told["errors"][0]["field"], "displayOrder",
                "{path} {order}: {told}"
            );
        }
    }
    server.finish().await;
}
