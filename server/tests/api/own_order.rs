//! What a buyer does with an own order, by its secret: the picture of its tickets, and the reminder
//! by mail.

use reqwest::Method;
use serde_json::{Value, json};
use server::http::housekeeping::run_periodic_tasks;

use crate::support::buyer::ApiResponse;
use crate::support::{Buyer, TestServer, club};

const NOBODYS_TOKEN: &str = "0123456789abcdef0123456789abcdef";

#[actix_web::test]
async fn ticket_picture_needs_the_order_secret_and_is_never_cached() {
    let server = TestServer::start().await;
    let club = server.create_club("broncos").await.id;
    let (draw, other) = (
        server.create_draw(club).await,
        server.create_draw(club).await,
    );
    let (alice, bob) = (server.alice(), server.bob());
    let (intent, _) = alice.buy(draw, 2).await;
    let picture = async |browser: &Buyer, token: &str, draw: String| {
        browser
            .get(&format!("/api/orders/{token}/picture/{draw}"))
            .await
    };
    let found = picture(&bob, intent.token(), draw.to_string()).await;
    assert_eq!(
        (
            found.status,
            found.header("cache-control"),
            found.header("content-type")
        ),
        (200, Some("no-store"), Some("image/png"))
    );
    let refused = [
        // The payment's id, the order's id and a foreign secret are no proof.
        picture(&alice, intent.id(), draw.to_string()).await,
        picture(&alice, NOBODYS_TOKEN, draw.to_string()).await,
        picture(&alice, &intent.token()[..31], draw.to_string()).await,
        // A draw in which the order has no ticket.
        picture(&alice, intent.token(), other.to_string()).await,
        picture(&alice, intent.token(), "x".to_string()).await,
    ];
    for answer in refused {
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        answer.expect_refusal(404, "not-found");
    }
    server.finish().await;
}

/// The order's page shows no pair before the payment is captured, so there is no picture either.
#[actix_web::test]
async fn unpaid_or_refunded_order_has_no_ticket_picture() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let alice = server.alice();
    let unpaid = alice.open_intent(draw, 2).await;
    let path = |token: &str| format!("/api/orders/{token}/picture/{draw}");
    alice
        .get(&path(unpaid.token()))
        .await
        .expect_refusal(404, "not-found");
    let (paid, _) = alice.buy(draw, 1).await;
    assert_eq!(alice.get(&path(paid.token())).await.status, 200);
    cancel_draw(&server, draw).await;
    alice.wait_for_status(&paid, "refunded").await;
    assert_eq!(
        alice.get(&path(paid.token())).await.status == 200,
        shows_pairs(&alice.fetch_order_of(&paid).await),
        "the picture shows what the page shows"
    );
    server.finish().await;
}

fn shows_pairs(order: &Value) -> bool {
    order["lines"][0]["tickets"]
        .as_array()
        .is_some_and(|tickets| !tickets.is_empty())
}

async fn cancel_draw(server: &TestServer, draw: domain::DrawId) {
    server.create_operator().await;
    let operator = club::sign_in_as_operator(server).await;
    let body = json!({ "reason": "The ground is flooded", "drawNumber": draw.0 });
    operator
        .post(&format!("/api/admin/draws/{draw}/cancel"), body)
        .await
        .ok();
}

fn reminder_path(token: &str) -> String {
    format!("/api/orders/{token}/reminder")
}

async fn set_reminder(browser: &Buyer, token: &str, wanted: Value) -> ApiResponse {
    let body = json!({ "wanted": wanted });
    browser
        .call(Method::PUT, &reminder_path(token), Some(&body))
        .await
}

#[actix_web::test]
async fn reminder_is_off_until_its_buyer_asks_and_bad_input_changes_nothing() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let alice = server.alice();
    let unpaid = alice.open_intent(draw, 1).await;
    set_reminder(&alice, unpaid.token(), json!(true))
        .await
        .expect_refusal(409, "reminder-not-possible");
    let (intent, _) = alice.buy(draw, 1).await;
    let token = intent.token();
    let read = async || alice.get(&reminder_path(token)).await.ok();
    assert_eq!(read().await, json!({ "wanted": false, "possible": true }));
    for bad in [json!("yes"), json!(1)] {
        set_reminder(&alice, token, bad)
            .await
            .expect_refusal(400, "bad-request");
    }
    set_reminder(&alice, token, Value::Null)
        .await
        .expect_refusal(400, "invalid");
    for foreign in [NOBODYS_TOKEN, intent.id()] {
        set_reminder(&alice, foreign, json!(true))
            .await
            .expect_refusal(404, "not-found");
    }
    assert_eq!(read().await["wanted"], false);
    for wanted in [true, true, false, false] {
        let saved = set_reminder(&alice, token, json!(wanted)).await.ok();
        assert_eq!(saved["wanted"], wanted, "repeating a call changes nothing");
    }
    server.finish().await;
}

#[actix_web::test]
async fn kick_off_reminder_is_mailed_once_to_those_who_want_it() {
    let server = TestServer::start().await;
    let club = server.create_club("broncos").await.id;
    let now = server.now();
    let soon = server
        .create_draw_with(club, |new| new.kick_off = now.plus_seconds(5400))
        .await;
    let later = server.create_draw(club).await;
    let (alice, bob) = (server.alice(), server.bob());
    let (wanted, _) = alice.buy(soon, 1).await;
    let (too_early, _) = alice.buy(later, 1).await;
    let (unwanted, _) = bob.buy(soon, 1).await;
    set_reminder(&bob, unwanted.token(), json!(true)).await.ok();
    set_reminder(&bob, unwanted.token(), json!(false))
        .await
        .ok();
    for order in [&wanted, &too_early] {
        set_reminder(&alice, order.token(), json!(true)).await.ok();
    }
    run_periodic_tasks(&server.state).await;
    run_periodic_tasks(&server.state).await;
    assert_eq!(server.count_queued_mails("kick-off-reminder").await, 1);
    let mail = server.next_mail("kick-off-reminder").await;
    let data: Value = serde_json::from_str(&mail.data).expect("JSON");
    assert_eq!(
        (mail.to.as_str(), &data["draw"]),
        ("alice@example.com", &json!(soon.0))
    );
    server.finish().await;
}

#[actix_web::test]
async fn result_notice_is_mailed_once_when_the_result_has_stood_for_ten_minutes() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let alice = server.alice();
    let (intent, bought) = alice.buy(draw, 1).await;
    set_reminder(&alice, intent.token(), json!(true)).await.ok();
    server.start_game(draw).await;
    let number = |name: &str| bought["tickets"][0][name].as_u64().expect("a number") as u8;
    let club = club::sign_in_as_club(&server, "broncos").await;
    club::enter_result(&club, draw, number("homeNumber"), number("awayNumber"))
        .await
        .ok();
    run_periodic_tasks(&server.state).await;
    assert_eq!(
        server.count_queued_mails("result-notice").await,
        0,
        "the result may be corrected"
    );
    server.clock.advance_seconds(11 * 60);
    run_periodic_tasks(&server.state).await;
    run_periodic_tasks(&server.state).await;
    assert_eq!(server.count_queued_mails("result-notice").await, 1);
    let mail = server.next_mail("result-notice").await;
    assert_eq!(mail.to, "alice@example.com");
    assert_eq!(
        alice.get(&reminder_path(intent.token())).await.ok()["possible"],
        false,
        "no game is left"
    );
    server.finish().await;
}

#[actix_web::test]
async fn refunded_order_is_not_reminded() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let alice = server.alice();
    let (intent, _) = alice.buy(draw, 1).await;
    set_reminder(&alice, intent.token(), json!(true)).await.ok();
    cancel_draw(&server, draw).await;
    alice.wait_for_status(&intent, "refunded").await;
    server.clock.advance_seconds(3600);
    run_periodic_tasks(&server.state).await;
    for kind in ["kick-off-reminder", "result-notice"] {
        assert_eq!(server.count_queued_mails(kind).await, 0, "{kind}");
    }
    set_reminder(&alice, intent.token(), json!(true))
        .await
        .expect_refusal(409, "reminder-not-possible");
    set_reminder(&alice, intent.token(), json!(false))
        .await
        .ok();
    server.finish().await;
}
