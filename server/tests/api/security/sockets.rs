//! Who may open a WebSocket and receive which topics, and the limits of messages (reliability.md
//! F57, F58).

use futures_util::SinkExt;
use serde_json::json;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

use crate::support::socket::Socket;
use crate::support::{TestServer, club};

#[actix_web::test]
async fn only_own_origin_opens_socket() {
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
            Socket::open_from_origin(&server, "public", origin)
                .await
                .err(),
            Some(403),
            "{origin}"
        );
    }
    assert!(
        Socket::open_from_origin(&server, "public", &server.url)
            .await
            .is_ok()
    );
    server.finish().await;
}

#[actix_web::test]
async fn long_frequent_or_binary_messages_close_socket() {
    let server = TestServer::start().await;
    server.create_club_with_draw().await;
    let long = format!("{{\"subscribe\":[\"{}\"]}}", "x".repeat(4096));
    for (what, messages) in [
        ("long", vec![Message::text(long)]),
        ("binary", vec![Message::binary(vec![0; 8])]),
        ("a flood", (0..40).map(|_| Message::text("{}")).collect()),
        (
            "a flood of pings",
            (0..40).map(|_| Message::Ping(vec![1].into())).collect(),
        ),
    ] {
        let mut socket = Socket::open(&server, "public").await;
        socket.next_frame("public").await;
        for message in messages {
            let _ = socket.stream.send(message).await;
        }
        let end = socket.wait_for_close_frame().await.map(|frame| frame.code);
        assert!(
            end.is_none() || end == Some(CloseCode::Policy),
            "{what}: {end:?}"
        );
    }
    // The server ignores messages that it cannot parse, and leaves the WebSocket open.
    let mut socket = Socket::open(&server, "public").await;
    socket.next_frame("public").await;
    for text in [
        "",
        "[]",
        "{\"subscribe\":1}",
        "{\"subscribe\":[null]}",
        "\u{0}",
        "{\"subscribe\":[\"draw:-1\",\"draw:x\",\"order:\",\"__proto__\"]}",
    ] {
        socket.send_text(text).await;
    }
    socket.send_text("{\"subscribe\":[\"draws\"]}").await;
    socket.next_frame("draws").await;
    server.finish().await;
}

/// Other callers receive nothing on the operator's topic and on the topics of other buyers' orders.
/// The number of subscriptions is limited.
#[actix_web::test]
async fn socket_sends_no_operator_or_foreign_order_topic() {
    let server = TestServer::start().await;
    server.create_operator().await;
    let draw = server.create_club_with_draw().await;
    let alice = server.alice();
    let intent = alice.open_intent(draw, 1).await;
    let broncos = club::sign_in_as_club(&server, "broncos").await;
    let guessed = [
        intent.id().to_string(),
        intent.body["reservationId"]
            .as_str()
            .expect("the id is text")
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
        let mut socket =
            Socket::open_with_cookies_of(&server, browser, &format!("{topics},public")).await;
        socket
            .send_text(&json!({ "subscribe": topics.split(',').collect::<Vec<_>>() }).to_string())
            .await;
        // The topics are answered in the order of subscription. All frames before that of the last
        // topic must be public.
        let mut kinds = Vec::new();
        socket.send_text("{\"subscribe\":[\"draws\"]}").await;
        loop {
            let frame = socket.next_frame_of_any_type("draws").await;
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
    let mut subscriber = Socket::open(&server, &format!("{many},public")).await;
    subscriber
        .send_text("{\"unsubscribe\":[\"draw:100001\"],\"subscribe\":[\"public\"]}")
        .await;
    subscriber.next_frame("public").await;
    server.finish().await;
}
