//! The sandbox's clock is moved: sales close, prizes are claimed and paid, and buyers are erased.

use domain::{DrawId, Status};
use persistence::records::erasure::ERASED_EMAIL;
use reqwest::Method;
use serde_json::{Value, json};

use crate::club::winners::{bank_details, claim_token_from_next_mail, put_bank_details};
use crate::support::buyer::ApiResponse;
use crate::support::server::eventually;
use crate::support::{Buyer, TestServer, club};

const DAY_SECONDS: i64 = 86_400;

async fn advance_clock(server: &TestServer, seconds: i64) -> ApiResponse {
    server
        .alice()
        .post("/sandbox/clock", json!({ "advanceSeconds": seconds }))
        .await
}

async fn create_draw_with_kick_off_in_days(server: &TestServer, days: i64) -> DrawId {
    let club = server.club_id("broncos");
    let kick_off = server.now().plus_seconds(days * DAY_SECONDS);
    server
        .create_draw_with(club, |new| new.kick_off = kick_off)
        .await
}

/// Enters a result for which the first ticket of the purchase wins.
async fn enter_result_for_first_ticket(browser: &Buyer, draw: DrawId, bought: &Value) {
    let number = |name: &str| bought["tickets"][0][name].as_u64().expect("a JSON number") as u8;
    club::enter_result(browser, draw, number("homeNumber"), number("awayNumber"))
        .await
        .ok();
}

/// Records the winner's payout and marks it paid.
async fn record_and_settle_payout(browser: &Buyer, draw: DrawId) {
    let payout = browser
        .post(
            &format!("/api/draws/{draw}/payouts"),
            json!({ "type": "winner" }),
        )
        .await
        .ok();
    let path = format!("/api/payouts/{}", payout["id"]);
    browser
        .call(
            Method::PATCH,
            &path,
            Some(&json!({ "status": "completed" })),
        )
        .await
        .ok();
}

#[actix_web::test]
async fn moved_clock_closes_every_sale_it_passes() {
    let server = TestServer::start_with_movable_clock().await;
    server.create_club("broncos").await;
    let (passed, ahead) = (
        create_draw_with_kick_off_in_days(&server, 7).await,
        create_draw_with_kick_off_in_days(&server, 30).await,
    );
    server.alice().buy(passed, 1).await;
    let before = server.now();
    advance_clock(&server, 8 * DAY_SECONDS).await.ok();
    assert!(server.now().ms_since(before) >= 8 * DAY_SECONDS * 1000);
    let status = async |draw| {
        server
            .engine
            .draws
            .view(draw)
            .await
            .expect("the draw has a view")
            .status
    };
    assert_eq!(
        (status(passed).await, status(ahead).await),
        (Status::Closed, Status::Active)
    );
    let database = server.records.database_time().await.expect("a time");
    assert!(
        database.ms_since(server.now()).abs() < 60_000,
        "the database clock moved as far"
    );
    server
        .bob()
        .request_intent(passed, 1)
        .await
        .expect_refusal(409, "draw-closed");
    server.bob().buy(ahead, 1).await;
    server.finish().await;
}

#[actix_web::test]
async fn sandbox_clock_never_goes_back() {
    let server = TestServer::start_with_movable_clock().await;
    advance_clock(&server, 3600).await.ok();
    let ahead = server
        .records
        .clock_ahead_ms()
        .await
        .expect("the read succeeds");
    for seconds in [-1, i64::MIN, i64::MAX] {
        advance_clock(&server, seconds)
            .await
            .expect_refusal(400, "clock-move-invalid");
    }
    assert_eq!(
        server
            .records
            .move_clock_ahead(0)
            .await
            .expect("the write succeeds"),
        ahead
    );
    assert_eq!(
        (
            server
                .records
                .clock_ahead_ms()
                .await
                .expect("the read succeeds"),
            ahead
        ),
        (ahead, 3_600_000)
    );
    server.finish().await;
}

#[actix_web::test]
async fn server_without_movable_clock_has_no_clock_route() {
    let server = TestServer::start().await;
    advance_clock(&server, 3600)
        .await
        .expect_refusal(404, "not-found");
    assert_eq!(
        server
            .records
            .clock_ahead_ms()
            .await
            .expect("the read succeeds"),
        0
    );
    server.finish().await;
}

#[actix_web::test]
async fn serve_refuses_database_with_moved_clock() {
    let server = TestServer::start_with_movable_clock().await;
    server::cli::serve::refuse_moved_clock(&server.records)
        .await
        .expect("an unmoved clock is fine");
    advance_clock(&server, 60).await.ok();
    let refusal = server::cli::serve::refuse_moved_clock(&server.records)
        .await
        .expect_err("moved");
    assert!(
        refusal.to_string().contains("moved ahead by 60 s"),
        "{refusal}"
    );
    server.finish().await;
}

/// Column defaults, SQL statements and the invariant views use the moved clock.
#[actix_web::test]
async fn stored_times_come_from_moved_clock() {
    let server = TestServer::start_with_movable_clock().await;
    server.create_club("broncos").await;
    let draw = create_draw_with_kick_off_in_days(&server, 100).await;
    advance_clock(&server, 50 * DAY_SECONDS).await.ok();
    server.alice().buy(draw, 2).await;
    for (query, count) in [
        (
            "select count(*) from tickets where sold_at > now() + $1::interval",
            2,
        ),
        (
            "select count(*) from payment_ops where created_at > now() + $1::interval and ended_at > now() + $1::interval",
            2,
        ),
        (
            "select count(*) from email_outbox where kind = 'tickets' and queued_at > now() + $1::interval",
            1,
        ),
    ] {
        eventually(query, async || {
            (server.database.query_number(query, "49 days").await == count).then_some(())
        })
        .await;
    }
    let unmoved = "select count(*) from information_schema.columns where table_schema = $1 and column_default = 'now()'
        and table_name <> '_sqlx_migrations'";
    assert_eq!(
        server.database.query_number(unmoved, "public").await,
        0,
        "column defaults that use the real clock"
    );
    let unmoved =
        "select count(*) from pg_views where schemaname = $1 and definition like '%now()%'";
    assert_eq!(
        server.database.query_number(unmoved, "public").await,
        0,
        "views that use the real clock"
    );
    server.finish().await;
}

#[actix_web::test]
async fn prize_is_claimed_and_paid_and_buyer_later_erased() {
    let server = TestServer::start_with_movable_clock().await;
    server.create_club("broncos").await;
    let draw = create_draw_with_kick_off_in_days(&server, 7).await;
    let (intent, bought) = server.alice().buy(draw, 2).await;
    advance_clock(&server, 8 * DAY_SECONDS).await.ok();
    let browser = club::sign_in_as_club(&server, "broncos").await;
    enter_result_for_first_ticket(&browser, draw, &bought).await;
    let proof = server
        .alice()
        .get(&format!("/api/public/draws/{draw}/proof"))
        .await
        .ok();
    assert!(
        proof["seed"].as_str().is_some_and(|seed| seed.len() == 64),
        "{proof}"
    );
    let notify = async || {
        browser
            .post(&format!("/api/draws/{draw}/notify-winners"), json!({}))
            .await
            .ok()
    };
    assert_eq!(
        (
            notify().await["emailsSent"].clone(),
            notify().await["emailsSent"].clone()
        ),
        (json!(1), json!(1))
    );
    let token = claim_token_from_next_mail(&server).await;
    assert_eq!(server.count_queued_mails("winner").await, 1);
    let mut details = bank_details();
    details["token"] = json!(token);
    assert_eq!(
        server.alice().post("/api/claims", details).await.ok()["state"],
        "received"
    );
    record_and_settle_payout(&browser, draw).await;

    let stored_details = "select count(*) from bank.winner_details where draw_id::text = $1";
    let named = "select count(*) from orders where buyer_email = $1";
    advance_clock(&server, 89 * DAY_SECONDS).await.ok();
    assert_eq!(
        server
            .database
            .query_number(stored_details, &draw.to_string())
            .await,
        1,
        "the details are stored for 90 days after the payout"
    );
    advance_clock(&server, 2 * DAY_SECONDS).await.ok();
    assert_eq!(
        server
            .database
            .query_number(stored_details, &draw.to_string())
            .await,
        0,
        "the details are purged 90 days after the payout"
    );
    assert_eq!(
        server
            .database
            .query_number(named, "alice@example.com")
            .await,
        1
    );
    advance_clock(&server, 310 * DAY_SECONDS).await.ok();
    assert_eq!(
        server
            .database
            .query_number(named, "alice@example.com")
            .await,
        0,
        "the buyer is erased 13 months after the game"
    );
    assert_eq!(server.database.query_number(named, ERASED_EMAIL).await, 1);
    assert_eq!(
        server.alice().fetch_order_of(&intent).await["lines"][0]["tickets"]
            .as_array()
            .map(Vec::len),
        Some(2)
    );
    server.finish().await;
}

#[actix_web::test]
async fn winner_who_misses_claim_deadline_is_paid_through_club() {
    let server = TestServer::start_with_movable_clock().await;
    server.create_club("broncos").await;
    let draw = create_draw_with_kick_off_in_days(&server, 7).await;
    let (_, bought) = server.alice().buy(draw, 1).await;
    advance_clock(&server, 8 * DAY_SECONDS).await.ok();
    let browser = club::sign_in_as_club(&server, "broncos").await;
    enter_result_for_first_ticket(&browser, draw, &bought).await;
    browser
        .post(&format!("/api/draws/{draw}/notify-winners"), json!({}))
        .await
        .ok();
    let mut details = bank_details();
    details["token"] = json!(claim_token_from_next_mail(&server).await);
    advance_clock(&server, 7 * DAY_SECONDS).await.ok();
    server
        .alice()
        .post("/api/claims", details)
        .await
        .expect_refusal(410, "claim-expired");
    let browser = club::sign_in_as_club(&server, "broncos").await;
    put_bank_details(&browser, draw, bank_details()).await.ok();
    record_and_settle_payout(&browser, draw).await;
    let winners = browser
        .get(&format!("/api/draws/{draw}/winners"))
        .await
        .ok();
    assert_eq!(
        winners["winningTickets"][0]["winnerPayoutStatus"],
        "completed"
    );
    server.finish().await;
}

#[actix_web::test]
async fn postponed_game_keeps_selling_and_abandoned_game_is_refunded() {
    let server = TestServer::start_with_movable_clock().await;
    server.create_operator().await;
    server.create_club("broncos").await;
    let (postponed, abandoned) = (
        create_draw_with_kick_off_in_days(&server, 7).await,
        create_draw_with_kick_off_in_days(&server, 7).await,
    );
    server.alice().buy(postponed, 1).await;
    let (intent, _) = server.alice().buy(abandoned, 3).await;
    advance_clock(&server, 6 * DAY_SECONDS).await.ok();
    let operator = club::sign_in_as_operator(&server).await;
    let kick_off = server::api::time_format::local_date_time(
        server.now().plus_seconds(8 * DAY_SECONDS),
        "Australia/Brisbane",
    );
    let moved = json!({ "gameDate": kick_off, "reason": "The ground is under water." });
    operator
        .call(
            Method::PATCH,
            &format!("/api/draws/{postponed}"),
            Some(&moved),
        )
        .await
        .ok();
    advance_clock(&server, 2 * DAY_SECONDS).await.ok();
    let (_, bought) = server.bob().buy(postponed, 1).await;
    let operator = club::sign_in_as_operator(&server).await;
    let reason = json!({ "reason": "The game was abandoned.", "drawNumber": abandoned.0 });
    operator
        .post(&format!("/api/admin/draws/{abandoned}/cancel"), reason)
        .await
        .ok();
    server.alice().wait_for_status(&intent, "refunded").await;
    advance_clock(&server, 7 * DAY_SECONDS).await.ok();
    let browser = club::sign_in_as_club(&server, "broncos").await;
    enter_result_for_first_ticket(&browser, postponed, &bought).await;
    let winners = browser
        .get(&format!("/api/draws/{postponed}/winners"))
        .await
        .ok();
    assert_eq!(
        winners["winningTickets"][0]["buyerEmail"],
        "bob@example.com"
    );
    server.finish().await;
}
