//! No public response contains a name, e-mail address, phone number or unrevealed pair (decision
//! F-1). `security/public_bytes.rs` checks indirect leaks.

use domain::access::Audience;
use serde_json::{Value, json};
use server::http::routes::{ROUTES, Verb};

use crate::support::buyer::Intent;
use crate::support::socket::Socket;
use crate::support::{TestServer, club};

/// Returns the path of every public GET route, filled with this draw and club.
pub fn public_paths(draw: domain::DrawId, club: i64) -> Vec<String> {
    let public = ROUTES
        .iter()
        .filter(|route| route.audience == Audience::Public && route.method == Verb::Get);
    let paths = public
        .filter(|route| {
            !["/ws", "/api/openapi.json", "/api/docs", "/api/qr.svg"].contains(&route.path)
        })
        // Leaves out files of the web build, because this test server has no web build.
        .filter(|route| {
            let files = [
                "/sw.js",
                "/manifest.webmanifest",
                "/favicon.ico",
                "/apple-touch-icon.png",
            ];
            !files.contains(&route.path)
        })
        // Leaves out pictures, because they contain no personal data.
        .filter(|route| !route.path.starts_with("/og/") && !route.path.starts_with("/uploads/"))
        .map(|route| {
            let path = route
                .path
                .replace("{draw}", &draw.to_string())
                .replace("{club}", &club.to_string());
            path.replace("{type}/{id}", &format!("draw/{draw}"))
                .replace("{bundle}", "finals")
                .replace("{slug}", "broncos")
                .replace("{kind}", "sale")
        });
    paths.collect()
}

/// Alice's details. The phone number is searched as a whole, because a few of its digits can occur
/// in any random id.
const DETAILS_OF_ALICE: [&str; 4] = ["alice", "example.com", "0411 000 001", "0411000001"];

/// Returns the first frame of each public topic.
async fn first_socket_frames(server: &TestServer, draw: domain::DrawId) -> Vec<String> {
    let mut frames = Vec::new();
    for kind in ["draw", "draws", "public"] {
        frames.push(
            Socket::open(server, &format!("draw:{draw},draws,public"))
                .await
                .next_frame(kind)
                .await
                .to_string(),
        );
    }
    frames
}

/// Subscribes a socket without cookies to the order topics of these tokens. Returns the frames that
/// the server sends for them.
///
/// A refused topic gets no frame. The message ends with a public topic. The server answers the
/// topics of a message in their order, so the frame of the public topic comes last.
async fn order_frames(server: &TestServer, tokens: &[String]) -> Vec<Value> {
    let mut socket = Socket::open(server, "").await;
    let topics = tokens.iter().map(|token| format!("order:{token}"));
    let topics: Vec<String> = topics.chain(["public".to_string()]).collect();
    socket
        .send_text(&json!({ "subscribe": topics }).to_string())
        .await;
    let mut frames = Vec::new();
    loop {
        let frame = socket.next_frame_of_any_type("public").await;
        match frame["type"].as_str() {
            Some("public") => return frames,
            Some("heartbeat") => {}
            _ => frames.push(frame),
        }
    }
}

/// Only the order's token gives access to its topic, which shows the pairs of a captured order.
/// Other ids with the shape of a token give no access.
async fn assert_order_topic_needs_token(server: &TestServer, intent: &Intent) {
    let token = intent.token().to_string();
    let last_digit = if token.ends_with('0') { "1" } else { "0" };
    let order_id = intent.body["reservationId"]
        .as_str()
        .expect("the id is text");
    let foreign = [
        "0".repeat(32),
        order_id.replace('-', ""),
        format!("{}{last_digit}", &token[..31]),
    ];
    for name in &foreign {
        assert_eq!(name.len(), 32, "{name} has the shape of a token");
    }
    assert_eq!(
        order_frames(server, &foreign).await,
        Vec::<Value>::new(),
        "a foreign order topic is refused"
    );
    // Counter-check: with the token, the same message is answered, and the answer has the pairs.
    let frames = order_frames(server, &[token]).await;
    assert!(!frames.is_empty(), "the order's token gives access");
    let tickets = &frames[0]["data"]["lines"][0]["tickets"];
    assert!(tickets[0]["homeNumber"].is_u64(), "{frames:?}");
}

#[actix_web::test]
async fn public_responses_contain_no_buyer_and_no_pair() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let alice = server.alice();
    let (captured, _) = alice.buy(draw, 5).await;
    alice.open_intent(draw, 2).await;
    let stranger = server.bob();
    server.create_offer("finals", draw).await;
    let club = stranger.get("/api/clubs/slug/broncos").await.ok()["id"]
        .as_i64()
        .expect("the id is a number");
    for path in public_paths(draw, club) {
        let answer = stranger.get(&path).await;
        assert_eq!(answer.status, 200, "{path}");
        assert_no_personal_data(&path, &answer.text);
        for (name, value) in &answer.headers {
            assert_no_personal_data(&path, &format!("{name}: {value:?}"));
        }
    }
    for frame in first_socket_frames(&server, draw).await {
        assert_no_personal_data("a frame", &frame);
    }
    assert_order_topic_needs_token(&server, &captured).await;
    let rows = stranger
        .get(&format!("/api/draws/{draw}/tickets"))
        .await
        .ok();
    let rows = rows.as_array().expect("a JSON list");
    assert_eq!(
        (
            rows.len(),
            rows.iter()
                .filter(|row| row["buyerEmail"] == "sold")
                .count()
        ),
        (169, 5)
    );
    server.finish().await;
}

#[track_caller]
fn assert_no_personal_data(place: &str, text: &str) {
    let lower = text.to_lowercase();
    for secret in DETAILS_OF_ALICE {
        assert!(!lower.contains(secret), "{place} contains {secret}: {text}");
    }
    if let Ok(json) = serde_json::from_str::<Value>(text) {
        assert_no_pair(place, &json);
    }
}

fn assert_no_pair(place: &str, json: &Value) {
    match json {
        Value::Object(fields) => {
            for (name, value) in fields {
                let secret = [
                    "homeNumber",
                    "awayNumber",
                    "isWinner",
                    "seed",
                    "clientSecret",
                    "orderToken",
                ];
                assert!(
                    !secret.contains(&name.as_str()) || value.is_null(),
                    "{place} contains {name}: {value}"
                );
                assert_no_pair(place, value);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| assert_no_pair(place, item)),
        _ => {}
    }
}

#[actix_web::test]
async fn other_club_reads_only_public_data_of_draw() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let closed_draw = server.create_draw(server.club_id("broncos")).await;
    server.start_game(closed_draw).await;
    server
        .state
        .catalogue
        .reload()
        .await
        .expect("the read succeeds");
    server.create_club("storm").await;
    server.create_operator().await;
    server.alice().buy(draw, 2).await;
    let id = server.club_id("broncos");
    let (storm, broncos) = (
        club::sign_in_as_club(&server, "storm").await,
        club::sign_in_as_club(&server, "broncos").await,
    );
    let operator = club::sign_in_as_operator(&server).await;
    for (path, owner_reads_more) in [
        (format!("/api/draws/{draw}"), true),
        (format!("/api/draws/{draw}/tickets"), true),
        (format!("/api/clubs/{id}"), true),
        (format!("/api/clubs/{id}/draws"), true),
        (format!("/api/draws/awaiting-results?clubId={id}"), false),
        ("/api/clubs/slug/broncos".to_string(), false),
    ] {
        let stranger = server.bob().get(&path).await.text;
        assert_eq!(storm.get(&path).await.text, stranger, "{path}");
        for secret in [
            "broncos@demo.test",
            "0400 111 222",
            "stripeConnectAccountId",
            "editable",
            "alice",
        ] {
            assert!(!stranger.contains(secret), "{path} contains {secret}");
        }
        for owner in [&broncos, &operator] {
            let answer = owner.get(&path).await;
            assert_eq!(answer.text != stranger, owner_reads_more, "{path}");
            let is_uncached = answer.header("cache-control") == Some("no-store");
            assert!(
                is_uncached || !owner_reads_more,
                "{path} may be kept by a shared cache"
            );
        }
    }
    let own_rows = broncos
        .get(&format!("/api/draws/{draw}/tickets"))
        .await
        .ok();
    assert_eq!(
        (&own_rows[0]["buyerEmail"], &own_rows[0]["homeNumber"]),
        (&"alice@example.com".into(), &Value::Null)
    );
    server
        .records
        .archive_club(id, true)
        .await
        .expect("the club is archived");
    server
        .state
        .catalogue
        .reload()
        .await
        .expect("the read succeeds");
    let path = format!("/api/clubs/{id}");
    assert_eq!(
        (
            broncos.get(&path).await.status,
            operator.get(&path).await.status
        ),
        (200, 200)
    );
    storm.get(&path).await.expect_refusal(404, "club-not-found");
    server.finish().await;
}
