//! What boards and open pages hear.

use std::io::Write;
use std::net::TcpStream;

use domain::{Cents, Command, OrderId};
use futures_util::SinkExt;
use persistence::ledger::{BuyerDetails, NewOrder, Rider};
use serde_json::json;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

use crate::support::TestServer;
use crate::support::club;
use crate::support::server::eventually;
use crate::support::socket::Socket;

#[actix_web::test]
async fn a_board_hears_a_snapshot_first_and_then_every_sale_with_a_growing_number() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    let mut board = Socket::open(&server, &format!("draw:{draw}")).await;
    let first = board.hears("draw").await;
    assert_eq!(
        (&first["v"], &first["topic"], &first["seq"]),
        (&json!(1), &json!(format!("draw:{draw}")), &json!(0))
    );
    assert_eq!(
        (
            &first["data"]["ticketsSold"],
            &first["data"]["ticketsAvailable"]
        ),
        (&json!(0), &json!(169))
    );
    assert!(first["serverNow"].as_i64().is_some());
    server.alice().buys(draw, 4).await;
    let mut seq = 0;
    loop {
        let frame = board.hears("draw").await;
        let next = frame["seq"].as_u64().expect("a number");
        assert!(next > seq, "{next} after {seq}");
        seq = next;
        if frame["data"]["ticketsSold"] == 4 {
            assert_eq!(
                (
                    &frame["data"]["currentPrize"],
                    &frame["data"]["prizePoolCents"]
                ),
                (&json!("10.00"), &json!(1000))
            );
            break;
        }
    }
    server.finish().await;
}

#[actix_web::test]
async fn a_board_hears_the_whistle_and_the_result() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    let broncos = club::club(&server, "broncos").await;
    let mut board = Socket::open(&server, &format!("draw:{draw},draws")).await;
    assert_eq!(
        board.hears("draws").await["data"].as_array().map(Vec::len),
        Some(1)
    );
    server.kick_off(draw).await;
    while board.hears("draw").await["data"]["status"] != "closed" {}
    club::enters(&broncos, draw, 3, 7).await.ok();
    // By the clock it is closed before the whistle is written: a second frame may say so.
    let frame = loop {
        let frame = board.hears("draw").await;
        if frame["data"]["status"] != "closed" {
            break frame;
        }
    };
    assert_eq!(
        (
            &frame["data"]["status"],
            &frame["data"]["homeFirstTryScorer"]
        ),
        (&json!("completed"), &json!(3))
    );
    assert_eq!(frame["data"]["winningTicketSold"], false);
    server.finish().await;
}

#[actix_web::test]
async fn a_buyer_hears_of_the_own_order_and_nobody_else_does() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    let alice = server.alice();
    let intent = alice.intent(draw, 1).await;
    let mut page = Socket::open(&server, &format!("order:{}", intent.token())).await;
    assert_eq!(
        page.hears("order").await["data"]["status"],
        "requires_payment_method"
    );
    alice.authorise(&intent).await;
    loop {
        let frame = page.hears("order").await;
        if frame["data"]["status"] == "succeeded" {
            assert_eq!(
                frame["data"]["lines"][0]["tickets"]
                    .as_array()
                    .map(Vec::len),
                Some(1)
            );
            break;
        }
    }
    let mut stranger = Socket::open(
        &server,
        "order:00000000000000000000000000000000,order:x,public",
    )
    .await;
    assert_eq!(
        stranger.hears("public").await["data"]["maintenanceMode"],
        false
    );
    server.finish().await;
}

#[actix_web::test]
async fn topics_are_joined_and_left_on_the_way() {
    let server = TestServer::start().await;
    let club = server.club("broncos").await;
    let (first, second) = (server.draw(club.id).await, server.draw(club.id).await);
    let mut page = Socket::open(&server, "").await;
    page.says(
        &json!({ "subscribe": [format!("draw:{first}"), "nonsense", "draw:999999"] }).to_string(),
    )
    .await;
    assert_eq!(page.hears("draw").await["data"]["drawNumber"], first.0);
    page.says(
        &json!({ "unsubscribe": [format!("draw:{first}")], "subscribe": [format!("draw:{second}")] }).to_string(),
    )
    .await;
    assert_eq!(page.hears("draw").await["data"]["drawNumber"], second.0);
    server.alice().intent(first, 1).await;
    server.bob().intent(second, 1).await;
    let frame = page.hears("draw").await;
    assert_eq!(
        (&frame["data"]["drawNumber"], &frame["data"]["ticketsHeld"]),
        (&json!(second.0), &json!(1))
    );
    server.finish().await;
}

#[actix_web::test]
async fn everybody_hears_of_maintenance() {
    let server = TestServer::start().await;
    server.operator().await;
    let operator = club::operator(&server).await;
    let mut page = Socket::open(&server, "public").await;
    assert_eq!(page.hears("public").await["data"]["maintenanceMode"], false);
    operator
        .post("/api/admin/maintenance-mode", json!({ "enabled": true }))
        .await
        .ok();
    assert_eq!(page.hears("public").await["data"]["maintenanceMode"], true);
    server.finish().await;
}

#[actix_web::test]
async fn who_hears_only_what_everybody_hears_is_not_troubled_by_sales() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    let mut page = Socket::open(&server, "public").await;
    page.hears("public").await;
    page.says(&json!({ "subscribe": [format!("draw:{draw}")] }).to_string())
        .await;
    page.hears("draw").await;
    server.alice().buys(draw, 4).await;
    // Draws are told in the same tick, before what everybody hears; the second sale's tick is past the first one's.
    for sold in [4, 5] {
        loop {
            let frame = page.hears_any("draw").await;
            assert_ne!(frame["type"], "public", "nothing of it has changed");
            if frame["data"]["ticketsSold"] == sold {
                break;
            }
        }
        server.bob().buys(draw, 1).await;
    }
    server.finish().await;
}

#[actix_web::test]
async fn other_sites_floods_and_novels_are_turned_away() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    assert_eq!(
        Socket::from_origin(&server, "public", "https://evil.test")
            .await
            .err(),
        Some(403)
    );
    let mut flood = Socket::open(&server, &format!("draw:{draw}")).await;
    for _ in 0..20 {
        let _ = flood.stream.send(Message::text("{}")).await;
    }
    assert_eq!(
        flood.farewell().await.map(|frame| frame.code),
        Some(CloseCode::Policy)
    );
    let mut novel = Socket::open(&server, "public").await;
    let _ = novel.stream.send(Message::text("x".repeat(5000))).await;
    let end = novel.farewell().await.map(|frame| frame.code);
    assert!(end.is_none() || end == Some(CloseCode::Policy), "{end:?}");
    assert_eq!(
        server.alice().get("/ws").await.status,
        400,
        "no WebSocket, no socket"
    );
    server.finish().await;
}

#[actix_web::test]
async fn a_server_that_stops_says_goodbye_and_when_to_come_back() {
    let server = TestServer::start().await;
    let mut page = Socket::open(&server, "public").await;
    page.hears("public").await;
    server.drain();
    let goodbye = page.farewell().await.expect("a reason");
    assert_eq!(goodbye.code, CloseCode::Away);
    assert!(
        goodbye.reason.parse::<u32>().is_ok_and(|ms| ms < 10_000),
        "{}",
        goodbye.reason
    );
    assert_eq!(
        Socket::from_origin(&server, "public", &server.url)
            .await
            .err(),
        Some(503)
    );
    server.finish().await;
}

/// A phone in a tunnel: it asked for the biggest topic and reads nothing.
#[actix_web::test]
async fn who_stops_reading_is_dropped() {
    let server = TestServer::start().await;
    let club = server.club("broncos").await;
    let mut draws = Vec::new();
    for _ in 0..200 {
        draws.push(server.draw(club.id).await);
    }
    let mut stalled = stalled_socket(&server);
    eventually("it is admitted", async || {
        (server.state.live.sessions() == 1).then_some(())
    })
    .await;
    let account = club.account.clone().expect("an account");
    let mut round = 0u128;
    eventually("it is dropped", async || {
        round += 1;
        let draw = draws[(round % 200) as usize];
        let order = NewOrder {
            id: OrderId(round),
            club: club.id,
            account: account.clone(),
            client_key: format!("round-{round}"),
            token: format!("{round:032x}"),
            lines: vec![domain::Line {
                draw,
                count: 1,
                unit_price: Cents(500),
                card_fee: Cents(0),
            }],
            buyer: BuyerDetails::default(),
            at: server.now(),
            authorised_at: None,
            payment_intent: None,
        };
        let reserve = Command::Reserve {
            order: order.id,
            count: 1,
            until: server.now().plus_seconds(150),
        };
        server
            .engine
            .draws
            .execute(draw, reserve, Some(Rider::Open(order)))
            .await
            .expect("reserved");
        server.clock.push_seconds(1);
        (server.state.live.sessions() == 0).then_some(())
    })
    .await;
    let _ = stalled.flush();
    server.finish().await;
}

/// A handshake with the smallest window there is, and not one read.
fn stalled_socket(server: &TestServer) -> TcpStream {
    let address: std::net::SocketAddr = server
        .url
        .trim_start_matches("http://")
        .parse()
        .expect("an address");
    let socket =
        socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).expect("a socket");
    socket.set_recv_buffer_size(2048).expect("a small window");
    socket.connect(&address.into()).expect("connected");
    let mut stream = TcpStream::from(socket);
    let handshake = format!(
        "GET /ws?topics=draws HTTP/1.1\r\nHost: {address}\r\nOrigin: {}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
        server.url
    );
    stream.write_all(handshake.as_bytes()).expect("sent");
    stream
}
