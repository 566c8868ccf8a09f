//! No public answer holds a name, an address, a phone or an unrevealed pair (decision F-1). What depends on them without
//! saying them: `security/worlds.rs`.

use domain::access::Audience;
use serde_json::Value;
use server::routes::{ROUTES, Verb};

use crate::support::socket::Socket;
use crate::support::{TestServer, club};

/// Every public address that is read, with the objects of this server in it.
pub fn public_paths(draw: domain::DrawId, club: i64) -> Vec<String> {
    let public = ROUTES
        .iter()
        .filter(|route| route.audience == Audience::Public && route.method == Verb::Get);
    let paths = public
        .filter(|route| {
            !["/ws", "/api/openapi.json", "/api/docs", "/api/qr.svg"].contains(&route.path)
        })
        // Built files, the same for everybody; here none are built.
        .filter(|route| !["/sw.js", "/manifest.webmanifest"].contains(&route.path))
        // Pictures: drawn without secrets, or put there by a club for everybody.
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

/// What Alice told us, and what only she may know. Whole, because a few digits alone stand in many a random id.
const SECRETS: [&str; 4] = ["alice", "example.com", "0411 000 001", "0411000001"];

async fn frames(server: &TestServer, draw: domain::DrawId) -> Vec<String> {
    let mut socket = Socket::open(server, &format!("draw:{draw},draws,public")).await;
    let mut frames = Vec::new();
    for kind in ["draw", "draws", "public"] {
        frames.push(
            Socket::open(server, &format!("draw:{draw},draws,public"))
                .await
                .hears(kind)
                .await
                .to_string(),
        );
    }
    socket
        .says("{\"subscribe\":[\"order:00000000000000000000000000000000\"]}")
        .await;
    frames
}

#[actix_web::test]
async fn strangers_read_counts_and_serials_only() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    let alice = server.alice();
    alice.buys(draw, 5).await;
    alice.intent(draw, 2).await;
    let stranger = server.bob();
    server.offer("finals", draw).await;
    let club = stranger.get("/api/clubs/slug/broncos").await.ok()["id"]
        .as_i64()
        .expect("an id");
    for path in public_paths(draw, club) {
        let answer = stranger.get(&path).await;
        assert_eq!(answer.status, 200, "{path}");
        assert_clean(&path, &answer.text);
        for (name, value) in &answer.headers {
            assert_clean(&path, &format!("{name}: {value:?}"));
        }
    }
    for frame in frames(&server, draw).await {
        assert_clean("a frame", &frame);
    }
    let rows = stranger
        .get(&format!("/api/draws/{draw}/tickets"))
        .await
        .ok();
    let rows = rows.as_array().expect("rows");
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
fn assert_clean(place: &str, text: &str) {
    let lower = text.to_lowercase();
    for secret in SECRETS {
        assert!(!lower.contains(secret), "{place} says {secret}: {text}");
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
                    "{place} tells {name}: {value}"
                );
                assert_no_pair(place, value);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| assert_no_pair(place, item)),
        _ => {}
    }
}

#[actix_web::test]
async fn another_club_reads_what_a_stranger_reads_and_the_owner_and_the_operator_more() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    let over = server.draw(server.club_named("broncos")).await;
    server.kick_off(over).await;
    server.state.catalogue.reload().await.expect("read");
    server.club("storm").await;
    server.operator().await;
    server.alice().buys(draw, 2).await;
    let id = server.club_named("broncos");
    let (storm, broncos) = (
        club::club(&server, "storm").await,
        club::club(&server, "broncos").await,
    );
    let operator = club::operator(&server).await;
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
            assert!(!stranger.contains(secret), "{path} tells {secret}");
        }
        for owner in [&broncos, &operator] {
            let answer = owner.get(&path).await;
            assert_eq!(answer.text != stranger, owner_reads_more, "{path}");
            let kept = answer.header("cache-control") == Some("no-store");
            assert!(
                kept || !owner_reads_more,
                "{path} may be kept by a shared cache"
            );
        }
    }
    let own = broncos
        .get(&format!("/api/draws/{draw}/tickets"))
        .await
        .ok();
    assert_eq!(
        (&own[0]["buyerEmail"], &own[0]["homeNumber"]),
        (&"alice@example.com".into(), &Value::Null)
    );
    server
        .records
        .archive_club(id, true)
        .await
        .expect("archived");
    server.state.catalogue.reload().await.expect("read");
    let path = format!("/api/clubs/{id}");
    assert_eq!(
        (
            broncos.get(&path).await.status,
            operator.get(&path).await.status
        ),
        (200, 200)
    );
    storm.get(&path).await.refused(404, "club-not-found");
    server.finish().await;
}
