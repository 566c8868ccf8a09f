//! The WebSocket frames that boards and open pages receive.

use std::io::Write;
use std::net::TcpStream;

use domain::{Cents, Command, OrderId};
use futures_util::SinkExt;
use persistence::ledger::{AttachedWrite, BuyerDetails, NewOrder};
use serde_json::json;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

use crate::support::TestServer;
use crate::support::club;
use crate::support::server::eventually;
use crate::support::socket::Socket;

#[actix_web::test]
async fn board_socket_gets_snapshot_then_sales_in_sequence() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let mut board = Socket::open(&server, &format!("draw:{draw}")).await;
    let first = board.next_frame("draw").await;
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
    server.alice().buy(draw, 4).await;
    let mut seq = 0;
    loop {
        let frame = board.next_frame("draw").await;
        let next = frame["seq"].as_u64().expect("a JSON number");
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
async fn board_socket_gets_kick_off_and_result() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let broncos = club::sign_in_as_club(&server, "broncos").await;
    let mut board = Socket::open(&server, &format!("draw:{draw},draws")).await;
    assert_eq!(
        board.next_frame("draws").await["data"]
            .as_array()
            .map(Vec::len),
        Some(1)
    );
    server.start_game(draw).await;
    while board.next_frame("draw").await["data"]["status"] != "closed" {}
    club::enter_result(&broncos, draw, 3, 7).await.ok();
    // Several frames may report the closed draw. All of them are skipped.
    let frame = loop {
        let frame = board.next_frame("draw").await;
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
async fn order_topic_is_sent_only_to_holder_of_order_token() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let alice = server.alice();
    let intent = alice.open_intent(draw, 1).await;
    let mut page = Socket::open(&server, &format!("order:{}", intent.token())).await;
    assert_eq!(
        page.next_frame("order").await["data"]["status"],
        "requires_payment_method"
    );
    alice.authorise(&intent).await;
    loop {
        let frame = page.next_frame("order").await;
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
        stranger.next_frame("public").await["data"]["maintenanceMode"],
        false
    );
    server.finish().await;
}

#[actix_web::test]
async fn socket_subscribes_and_unsubscribes_while_open() {
    let server = TestServer::start().await;
    let club = server.create_club("broncos").await;
    let (first, second) = (
        server.create_draw(club.id).await,
        server.create_draw(club.id).await,
    );
    let mut page = Socket::open(&server, "").await;
    page.send_text(
        &json!({ "subscribe": [format!("draw:{first}"), "nonsense", "draw:999999"] }).to_string(),
    )
    .await;
    assert_eq!(page.next_frame("draw").await["data"]["drawNumber"], first.0);
    page.send_text(
        &json!({ "unsubscribe": [format!("draw:{first}")], "subscribe": [format!("draw:{second}")] }).to_string(),
    )
    .await;
    assert_eq!(
        page.next_frame("draw").await["data"]["drawNumber"],
        second.0
    );
    server.alice().open_intent(first, 1).await;
    server.bob().open_intent(second, 1).await;
    let frame = page.next_frame("draw").await;
    assert_eq!(
        (&frame["data"]["drawNumber"], &frame["data"]["ticketsHeld"]),
        (&json!(second.0), &json!(1))
    );
    server.finish().await;
}

#[actix_web::test]
async fn maintenance_mode_is_sent_to_public_topic() {
    let server = TestServer::start().await;
    server.create_operator().await;
    let operator = club::sign_in_as_operator(&server).await;
    let mut page = Socket::open(&server, "public").await;
    assert_eq!(
        page.next_frame("public").await["data"]["maintenanceMode"],
        false
    );
    operator
        .post("/api/admin/maintenance-mode", json!({ "enabled": true }))
        .await
        .ok();
    assert_eq!(
        page.next_frame("public").await["data"]["maintenanceMode"],
        true
    );
    server.finish().await;
}

#[actix_web::test]
async fn sale_sends_no_frame_to_public_topic() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let mut page = Socket::open(&server, "public").await;
    page.next_frame("public").await;
    page.send_text(&json!({ "subscribe": [format!("draw:{draw}")] }).to_string())
        .await;
    page.next_frame("draw").await;
    server.alice().buy(draw, 4).await;
    // In each tick, draw frames are sent before public frames. The second sale is made after the
    // tick of the first, so a public frame of the first sale would arrive here.
    for sold in [4, 5] {
        loop {
            let frame = page.next_frame_of_any_type("draw").await;
            assert_ne!(
                frame["type"], "public",
                "no public frame is sent for a sale"
            );
            if frame["data"]["ticketsSold"] == sold {
                break;
            }
        }
        server.bob().buy(draw, 1).await;
    }
    server.finish().await;
}

#[actix_web::test]
async fn foreign_origins_floods_and_long_messages_close_socket() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    assert_eq!(
        Socket::open_from_origin(&server, "public", "https://evil.test")
            .await
            .err(),
        Some(403)
    );
    let mut flood = Socket::open(&server, &format!("draw:{draw}")).await;
    for _ in 0..20 {
        let _ = flood.stream.send(Message::text("{}")).await;
    }
    assert_eq!(
        flood.wait_for_close_frame().await.map(|frame| frame.code),
        Some(CloseCode::Policy)
    );
    let mut long_message = Socket::open(&server, "public").await;
    let _ = long_message
        .stream
        .send(Message::text("x".repeat(5000)))
        .await;
    let end = long_message
        .wait_for_close_frame()
        .await
        .map(|frame| frame.code);
    assert!(end.is_none() || end == Some(CloseCode::Policy), "{end:?}");
    assert_eq!(
        server.alice().get("/ws").await.status,
        400,
        "a plain GET is refused"
    );
    server.finish().await;
}

#[actix_web::test]
async fn draining_server_closes_sockets_with_reconnect_delay() {
    let server = TestServer::start().await;
    let mut page = Socket::open(&server, "public").await;
    page.next_frame("public").await;
    server.start_draining();
    let close = page.wait_for_close_frame().await.expect("a reason");
    assert_eq!(close.code, CloseCode::Away);
    assert!(
        close.reason.parse::<u32>().is_ok_and(|ms| ms < 10_000),
        "{}",
        close.reason
    );
    assert_eq!(
        Socket::open_from_origin(&server, "public", &server.url)
            .await
            .err(),
        Some(503)
    );
    server.finish().await;
}

/// The client subscribes to the largest topic and never reads, like a phone without reception.
#[actix_web::test]
async fn client_that_stops_reading_is_disconnected() {
    let server = TestServer::start().await;
    let club = server.create_club("broncos").await;
    let mut draws = Vec::new();
    for _ in 0..200 {
        draws.push(server.create_draw(club.id).await);
    }
    let mut stalled = open_stalled_socket(&server);
    eventually("the socket is counted as open", async || {
        (server.state.live.open_socket_count() == 1).then_some(())
    })
    .await;
    let account = club.account.clone().expect("an account");
    let mut round = 0u128;
    eventually("the socket is closed", async || {
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
            .execute(draw, reserve, Some(AttachedWrite::Open(order)))
            .await
            .expect("reserved");
        server.clock.advance_seconds(1);
        (server.state.live.open_socket_count() == 0).then_some(())
    })
    .await;
    let _ = stalled.flush();
    server.finish().await;
}

/// Opens a WebSocket with the smallest receive buffer. The caller never reads from it.
fn open_stalled_socket(server: &TestServer) -> TcpStream {
    let address: std::net::SocketAddr = server
        .url
        .trim_start_matches("http://")
        .parse()
        .expect("a local address");
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
