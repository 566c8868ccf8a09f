//! The socket's own gate: whose page opens it, how much it may say, and what it is told (reliability.md F57, F58).

use futures_util::SinkExt;
use serde_json::json;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

use crate::support::socket::Socket;
use crate::support::{TestServer, club};

#[actix_web::test]
async fn only_our_own_pages_open_a_socket() {
    let server = TestServer::start().await;
    for origin in [
        "https://evil.test",
        "null",
        "http://localhost.evil.test",
        "http://127.0.0.1",
        "file://",
        "chrome-extension://x",
    ] {
        assert_eq!(
            Socket::from_origin(&server, "public", origin).await.err(),
            Some(403),
            "{origin}"
        );
    }
    assert!(
        Socket::from_origin(&server, "public", &server.url)
            .await
            .is_ok()
    );
    server.finish().await;
}

#[actix_web::test]
async fn what_is_said_is_short_seldom_and_text_or_the_socket_ends() {
    let server = TestServer::start().await;
    server.game().await;
    let long = format!("{{\"subscribe\":[\"{}\"]}}", "x".repeat(4096));
    for (what, said) in [
        ("long", vec![Message::text(long)]),
        ("binary", vec![Message::binary(vec![0; 8])]),
        ("a flood", (0..40).map(|_| Message::text("{}")).collect()),
        (
            "a flood of pings",
            (0..40).map(|_| Message::Ping(vec![1].into())).collect(),
        ),
    ] {
        let mut socket = Socket::open(&server, "public").await;
        socket.hears("public").await;
        for message in said {
            let _ = socket.stream.send(message).await;
        }
        let end = socket.farewell().await.map(|frame| frame.code);
        assert!(
            end.is_none() || end == Some(CloseCode::Policy),
            "{what}: {end:?}"
        );
    }
    // What cannot be read is passed over, and the socket goes on.
    let mut socket = Socket::open(&server, "public").await;
    socket.hears("public").await;
    for said in [
        "",
        "[]",
        "{\"subscribe\":1}",
        "{\"subscribe\":[null]}",
        "\u{0}",
        "{\"subscribe\":[\"draw:-1\",\"draw:x\",\"order:\",\"__proto__\"]}",
    ] {
        socket.says(said).await;
    }
    socket.says("{\"subscribe\":[\"draws\"]}").await;
    socket.hears("draws").await;
    server.finish().await;
}

/// The operator's topic and other people's orders stay silent for whoever else asks, and nobody joins without end.
#[actix_web::test]
async fn nobody_hears_what_is_not_for_them() {
    let server = TestServer::start().await;
    server.operator().await;
    let draw = server.game().await;
    let alice = server.alice();
    let intent = alice.intent(draw, 1).await;
    let broncos = club::club(&server, "broncos").await;
    let guessed = [
        intent.id().to_string(),
        intent.body["reservationId"]
            .as_str()
            .expect("an id")
            .to_string(),
        intent.token()[..31].to_string(),
    ];
    let topics = guessed
        .iter()
        .map(|guess| format!("order:{guess}"))
        .chain(["ops".to_string()])
        .collect::<Vec<_>>()
        .join(",");
    for browser in [&server.bob(), &broncos] {
        let mut socket = Socket::of(&server, browser, &format!("{topics},public")).await;
        socket
            .says(&json!({ "subscribe": topics.split(',').collect::<Vec<_>>() }).to_string())
            .await;
        // What is joined last is heard last: nothing came before it but what is public.
        let mut kinds = Vec::new();
        socket.says("{\"subscribe\":[\"draws\"]}").await;
        loop {
            let frame = socket.hears_any("draws").await;
            let kind = frame["type"].as_str().expect("a type").to_string();
            kinds.push(kind.clone());
            if kind == "draws" {
                break;
            }
        }
        assert!(
            kinds
                .iter()
                .all(|kind| ["public", "draws", "heartbeat"].contains(&kind.as_str())),
            "{kinds:?}"
        );
    }
    let many = (1..=500)
        .map(|n| format!("draw:{}", 100_000 + n))
        .collect::<Vec<_>>()
        .join(",");
    let mut greedy = Socket::open(&server, &format!("{many},public")).await;
    greedy
        .says("{\"unsubscribe\":[\"draw:100001\"],\"subscribe\":[\"public\"]}")
        .await;
    greedy.hears("public").await;
    server.finish().await;
}
