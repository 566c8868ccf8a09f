//! An archived club can read, complete its draws and pay prizes, but cannot start anything new
//! (decision H-3).

use domain::access::Audience;
use reqwest::Method;
use serde_json::{Value, json};
use server::http::routes::{ROUTES, Verb};

use crate::access::{http_method_of, path_with_broncos_ids};
use crate::support::{Buyer, TestServer, club};

async fn set_broncos_archived(server: &TestServer, archived: bool) {
    let id = server.club_id("broncos");
    server
        .records
        .archive_club(id, archived)
        .await
        .expect("the write succeeds");
    server
        .state
        .catalogue
        .reload()
        .await
        .expect("the read succeeds");
}

/// Endings of the paths to which an archived club may still write.
const ARCHIVED_CLUB_WRITE_PATH_ENDINGS: [&str; 7] = [
    "results",
    "notify-winners",
    "payouts",
    "winner-bank",
    "winner-bank/proposal",
    "winner-bank/reveal",
    "{payout}",
];

#[actix_web::test]
async fn every_route_enforces_limits_of_archived_club() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    server.create_offer("finals", draw).await;
    let bought = server.alice().buy(draw, 1).await.1;
    let browser = club::sign_in_as_club(&server, "broncos").await;
    let number = |name: &str| bought["tickets"][0][name].as_u64().expect("a JSON number") as u8;
    server.start_game(draw).await;
    club::enter_result(&browser, draw, number("homeNumber"), number("awayNumber"))
        .await
        .ok();
    let payout = browser
        .post(
            &format!("/api/draws/{draw}/payouts"),
            json!({ "type": "winner" }),
        )
        .await
        .ok();
    let id = browser.get("/api/admin/whoami").await.ok()["user"]["id"]
        .as_i64()
        .expect("a JSON number");
    set_broncos_archived(&server, true).await;
    let mut wrong = Vec::new();
    let apart = [
        "/ws",
        "/api/clubs/login",
        "/api/auth/logout",
        "/api/clubs/logout",
        "/api/admin/logout",
    ];
    for route in ROUTES.iter().filter(|route| !apart.contains(&route.path)) {
        let path = path_with_broncos_ids(
            route,
            draw,
            id,
            payout["id"].as_i64().expect("a JSON number"),
        );
        let body = (route.method != Verb::Get).then(|| json!({}));
        let answer = browser
            .call(http_method_of(route), &path, body.as_ref())
            .await;
        let body = serde_json::from_str::<Value>(&answer.text).unwrap_or_default();
        let stopped = answer.status == 403 && body["code"] == "club-archived";
        let admitted = !matches!(answer.status, 401 | 403) && answer.status < 500;
        let is_allowed_ending = ARCHIVED_CLUB_WRITE_PATH_ENDINGS
            .iter()
            .any(|end| route.path.ends_with(end));
        let as_it_should = match route.audience {
            Audience::Operator | Audience::ProvenOperator => answer.status == 403 && !stopped,
            Audience::Club | Audience::Seller | Audience::Owner if route.method == Verb::Get => {
                admitted && answer.status != 404
            }
            Audience::ProvenSeller | Audience::ProvenOwner if is_allowed_ending => {
                admitted && answer.status != 404
            }
            Audience::ProvenSeller | Audience::ProvenOwner => stopped,
            Audience::Seller | Audience::Owner if is_allowed_ending => {
                admitted && answer.status != 404
            }
            Audience::Club | Audience::Seller | Audience::Owner => stopped,
            // The handler itself decides whether the signed-in caller must be an operator.
            Audience::SignedIn => admitted || stopped,
            _ => admitted,
        };
        if !as_it_should {
            wrong.push(format!(
                "{:?} {}: {} {}",
                route.method, route.path, answer.status, answer.text
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    server.finish().await;
}

#[actix_web::test]
async fn archived_club_completes_open_payments_and_refuses_new_ones() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let (alice, bob) = (server.alice(), server.bob());
    let paid = alice.open_intent(draw, 2).await;
    alice.authorise(&paid).await;
    set_broncos_archived(&server, true).await;
    for body in [
        json!({ "drawNumber": draw.0, "ticketCount": 1 }),
        json!({ "drawNumber": draw.0, "ticketCount": 3 }),
    ] {
        let refused = bob
            .post("/api/create-payment-intent", body)
            .await
            .expect_refusal(409, "club-not-selling");
        assert_eq!(
            refused["message"],
            "This club is not selling tickets at the moment."
        );
    }
    bob.request_cart_intent(&[(draw, 1)])
        .await
        .expect_refusal(409, "club-not-selling");
    assert_eq!(
        alice.complete_checkout_purchase(draw, 2, &paid).await.ok()["status"],
        "succeeded"
    );
    let shown = bob.get(&format!("/api/draws/{draw}")).await.ok();
    assert_eq!(
        (&shown["ticketsSold"], &shown["status"]),
        (&json!(2), &json!("active"))
    );
    assert_eq!(
        shown["clubSelling"], false,
        "the draw shows that its club is not selling"
    );
    let page = bob.get(&format!("/draw/{draw}")).await.text;
    assert!(
        page.contains("This club is not selling tickets at the moment.")
            && !page.contains("form-skeleton"),
        "{page}"
    );
    assert_eq!(
        bob.get("/api/draws/active").await.ok(),
        json!([]),
        "the archived club's draws are not listed"
    );
    bob.get("/api/clubs/slug/broncos")
        .await
        .expect_refusal(404, "club-not-found");
    let browser = club::sign_in_as_club(&server, "broncos").await;
    let again = club::enter_result(&browser, draw, 1, 1).await.ok();
    assert_eq!(
        again["draw"]["status"], "completed",
        "the archived club can finish its draw"
    );
    let archived_draw = browser
        .call(
            Method::PATCH,
            &format!("/api/draws/{draw}/archive"),
            Some(&json!({})),
        )
        .await;
    archived_draw.expect_refusal(403, "club-archived");
    set_broncos_archived(&server, false).await;
    let next = server.create_draw(server.club_id("broncos")).await;
    assert_eq!(
        bob.buy(next, 1).await.1["status"],
        "succeeded",
        "a restored club sells again"
    );
    server.finish().await;
}

#[actix_web::test]
async fn archived_club_is_visible_to_its_owner_only() {
    let server = TestServer::start().await;
    server.create_club("broncos").await;
    set_broncos_archived(&server, true).await;
    let path = format!("/api/clubs/{}", server.club_id("broncos"));
    let browser: Buyer = club::sign_in_as_club(&server, "broncos").await;
    assert_eq!(browser.get(&path).await.ok()["archived"], true);
    server
        .alice()
        .get(&path)
        .await
        .expect_refusal(404, "club-not-found");
    server.finish().await;
}

#[actix_web::test]
async fn archived_club_is_reminded_of_missing_result() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    server.start_game(draw).await;
    set_broncos_archived(&server, true).await;
    server.clock.advance_seconds(2 * 3600 + 60);
    for _ in 0..2 {
        server::http::routes::club::reminders::run_periodic_club_tasks(&server.state).await;
    }
    assert_eq!(
        server.next_mail("results-due").await.to,
        "broncos@demo.test"
    );
    assert_eq!(server.count_queued_mails("results-due").await, 1);
    let browser = club::sign_in_as_club(&server, "broncos").await;
    club::enter_result(&browser, draw, 1, 1).await.ok();
    server.finish().await;
}
