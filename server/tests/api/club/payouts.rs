//! Payouts to winners and the conditions that block them (decisions B-4, C-25, D-17).

use domain::DrawId;
use reqwest::Method;
use serde_json::{Value, json};

use super::winners::{
    bank_details, claim_token_from_next_mail, create_draw_won_by_alice, put_bank_details,
};
use crate::support::buyer::ApiResponse;
use crate::support::server::eventually;
use crate::support::{Buyer, TestServer, club};

async fn record_payout(browser: &Buyer, draw: DrawId) -> ApiResponse {
    browser
        .post(
            &format!("/api/draws/{draw}/payouts"),
            json!({ "type": "winner" }),
        )
        .await
}

async fn settle_payout(browser: &Buyer, payout: &Value, status: &str) -> ApiResponse {
    let path = format!("/api/payouts/{}", payout["id"]);
    browser
        .call(
            Method::PATCH,
            &path,
            Some(&json!({ "status": status, "note": "by transfer" })),
        )
        .await
}

#[actix_web::test]
async fn disputed_payment_blocks_prize_payout() {
    let server = TestServer::start().await;
    let (draw, browser) = create_draw_won_by_alice(&server).await;
    let payout = record_payout(&browser, draw).await.ok();
    let winner = async || {
        let winners = browser
            .get(&format!("/api/draws/{draw}/winners"))
            .await
            .ok();
        winners["winningTickets"][0].clone()
    };
    assert_eq!(winner().await["disputed"], false);
    let orders = "select o.payment_intent_id from orders o where state = $1";
    let intent = server.database.query_text(orders, "captured").await;
    browser
        .post("/sandbox/dispute", json!({ "payment_intent": intent }))
        .await
        .ok();
    eventually("the dispute is shown to the club", async || {
        (winner().await["disputed"] == true).then_some(())
    })
    .await;
    let message = "The winner's payment is disputed by the buyer's bank. The prize can be paid once that is resolved.";
    assert_eq!(
        settle_payout(&browser, &payout, "completed")
            .await
            .expect_refusal(409, "winner-disputed")["message"],
        message
    );
    assert_eq!(
        settle_payout(&browser, &payout, "failed").await.ok()["status"],
        "failed",
        "a payout may still be marked as failed"
    );
    assert_eq!(
        record_payout(&browser, draw)
            .await
            .expect_refusal(409, "winner-disputed")["message"],
        message
    );
    let resolved = "with done as (update payments set disputed = false where payment_intent_id = $1 returning 1)
         select count(*) from done";
    assert_eq!(server.database.query_number(resolved, &intent).await, 1);
    let payout = record_payout(&browser, draw).await.ok();
    assert_eq!(
        settle_payout(&browser, &payout, "completed").await.ok()["status"],
        "completed"
    );
    server.finish().await;
}

#[actix_web::test]
async fn refunded_ticket_gets_no_prize_payout() {
    let server = TestServer::start().await;
    let (draw, browser) = create_draw_won_by_alice(&server).await;
    let payout = record_payout(&browser, draw).await.ok();
    server.create_operator().await;
    let operator = club::sign_in_as_operator(&server).await;
    let order = operator
        .get(&format!("/api/draws/{draw}/tickets"))
        .await
        .ok()[1]["orderId"]
        .clone();
    let path = format!(
        "/api/admin/orders/{}/refund",
        order.as_str().expect("an order")
    );
    operator
        .post(&path, json!({ "reason": "Proven" }))
        .await
        .ok();
    let message = "This ticket was not sold - no winner contact information available";
    assert_eq!(
        settle_payout(&browser, &payout, "completed")
            .await
            .expect_refusal(409, "winner-unsold")["message"],
        message
    );
    assert_eq!(
        settle_payout(&browser, &payout, "failed").await.ok()["status"],
        "failed",
        "a payout may still be marked as failed"
    );
    record_payout(&browser, draw)
        .await
        .expect_refusal(409, "winner-unsold");
    server.finish().await;
}

#[actix_web::test]
async fn club_share_is_settled_once_provider_fees_are_known() {
    let server = TestServer::start().await;
    let (draw, browser) = create_draw_won_by_alice(&server).await;
    let money = eventually("the provider's fees are known", async || {
        let money = browser
            .get(&format!("/api/draws/{draw}/financials"))
            .await
            .ok();
        (money["feesEstimated"] == false).then_some(money)
    })
    .await;
    server::http::routes::club::reminders::run_periodic_club_tasks(&server.state).await;
    let payouts = browser
        .get(&format!("/api/draws/{draw}/payouts"))
        .await
        .ok();
    assert_eq!(
        (&payouts[0]["type"], &payouts[0]["status"]),
        (&json!("club_share"), &json!("completed"))
    );
    assert_eq!(payouts[0]["amount"], money["clubRevenue"]);
    assert!(payouts[0]["completedAt"].is_string());
    // The payout of the club's share moves no money, so it does not prevent the operator from
    // undoing a wrong result.
    server.create_operator().await;
    let operator = club::sign_in_as_operator(&server).await;
    operator
        .post(
            &format!("/api/draws/{draw}/undo-results"),
            json!({ "reason": "typed wrongly", "drawNumber": draw.0 }),
        )
        .await
        .ok();
    browser
        .get(&format!("/api/draws/{draw}/payouts"))
        .await
        .expect_refusal(409, "not-completed");
    server.finish().await;
}

#[actix_web::test]
async fn failed_payout_can_be_recorded_again() {
    let server = TestServer::start().await;
    let (draw, browser) = create_draw_won_by_alice(&server).await;
    put_bank_details(&browser, draw, bank_details()).await.ok();
    let first = record_payout(&browser, draw).await.ok();
    assert_eq!(
        record_payout(&browser, draw).await.ok()["id"],
        first["id"],
        "asked twice, recorded once"
    );
    let failed = settle_payout(&browser, &first, "failed").await.ok();
    assert_eq!(
        (&failed["status"], &failed["failureReason"]),
        (&json!("failed"), &json!("by transfer"))
    );
    let refused = settle_payout(&browser, &first, "completed")
        .await
        .expect_refusal(409, "payout-settled");
    assert_eq!(refused["message"], "This payout is settled already.");
    let second = record_payout(&browser, draw).await.ok();
    assert_ne!(second["id"], first["id"]);
    assert_eq!(second["status"], "pending");
    let status = async || {
        let winners = browser
            .get(&format!("/api/draws/{draw}/winners"))
            .await
            .ok();
        winners["winningTickets"][0]["winnerPayoutStatus"].clone()
    };
    assert_eq!(
        status().await,
        "details_received",
        "a failed payout leaves the prize unpaid"
    );
    settle_payout(&browser, &second, "completed").await.ok();
    assert_eq!(status().await, "completed");
    server.finish().await;
}

#[actix_web::test]
async fn bank_details_are_refused_after_prize_is_paid() {
    let server = TestServer::start().await;
    let (draw, browser) = create_draw_won_by_alice(&server).await;
    let payout = record_payout(&browser, draw).await.ok();
    settle_payout(&browser, &payout, "completed").await.ok();
    let refused = put_bank_details(&browser, draw, bank_details())
        .await
        .expect_refusal(409, "payout-settled");
    assert_eq!(refused["message"], "This payout is settled already.");
    browser
        .post(&format!("/api/draws/{draw}/notify-winners"), json!({}))
        .await
        .ok();
    let token = claim_token_from_next_mail(&server).await;
    let stranger = server.bob();
    let page = stranger
        .post("/api/claims/look", json!({ "token": token }))
        .await
        .ok();
    assert_eq!(page["state"], "completed");
    let mut body = bank_details();
    body["token"] = json!(token);
    let refused = stranger
        .post("/api/claims", body)
        .await
        .expect_refusal(409, "payout-settled");
    assert_eq!(refused["message"], "This payout is settled already.");
    let stored_details = "select count(*) from bank.winner_details where draw_id::text = $1";
    assert_eq!(
        server
            .database
            .query_number(stored_details, &draw.to_string())
            .await,
        0
    );
    server.finish().await;
}

#[actix_web::test]
async fn club_sees_pairs_after_reveal_and_other_clubs_see_no_buyer() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    server.create_club("storm").await;
    let bought = server.alice().buy(draw, 2).await.1;
    let browser = club::sign_in_as_club(&server, "broncos").await;
    let path = format!("/api/draws/{draw}/tickets");
    let pairs = async |browser: &Buyer| {
        let rows = browser.get(&path).await.ok();
        let pair = |row: &Value| row["homeNumber"].as_u64().zip(row["awayNumber"].as_u64());
        rows.as_array()
            .expect("a JSON list")
            .iter()
            .filter_map(pair)
            .collect::<std::collections::BTreeSet<_>>()
    };
    assert!(
        pairs(&browser).await.is_empty(),
        "before the result the club sees no pair either"
    );
    let number = |name: &str| bought["tickets"][0][name].as_u64().expect("a JSON number") as u8;
    club::enter_result(&browser, draw, number("homeNumber"), number("awayNumber"))
        .await
        .ok();
    assert!(
        pairs(&browser).await.is_empty(),
        "a result before the kick-off reveals nothing"
    );
    server.clock.advance_seconds(7 * 86_400 + 60);
    let browser = club::sign_in_as_club(&server, "broncos").await;
    let storm = club::sign_in_as_club(&server, "storm").await;
    assert_eq!(pairs(&browser).await.len(), 169, "all 13 × 13, sold or not");
    let own = browser.get(&path).await.ok();
    let winners: Vec<&Value> = own
        .as_array()
        .expect("a JSON list")
        .iter()
        .filter(|row| row["isWinner"] == true)
        .collect();
    assert_eq!(
        (winners.len(), &winners[0]["buyerPhone"]),
        (1, &json!("0411 000 001"))
    );
    assert!(
        !storm.get(&path).await.text.contains("0411 000 001"),
        "another club reads what everybody reads"
    );
    server.finish().await;
}

#[actix_web::test]
async fn paid_prize_is_mailed_after_ten_minutes_and_undone_within_a_day() {
    let server = TestServer::start().await;
    let (draw, browser) = create_draw_won_by_alice(&server).await;
    put_bank_details(&browser, draw, bank_details()).await.ok();
    let payout = record_payout(&browser, draw).await.ok();
    let paid = settle_payout(&browser, &payout, "completed").await.ok();
    assert!(paid["undoUntil"].is_string());
    // A mistake that is undone at once is never mailed.
    let undone = settle_payout(&browser, &payout, "pending").await.ok();
    assert_eq!(
        (&undone["status"], &undone["completedAt"]),
        (&json!("pending"), &json!(null))
    );
    let dead = "select count(*) from email_outbox where kind = $1 and state = 'dead'";
    assert_eq!(server.database.query_number(dead, "prize-paid").await, 1);
    put_bank_details(&browser, draw, bank_details()).await.ok();
    settle_payout(&browser, &payout, "completed").await.ok();
    server.clock.advance_seconds(601);
    let mail = server.next_mail("prize-paid").await;
    assert_eq!(mail.to, "alice@example.com");
    assert!(mail.data.contains("••••678"), "{}", mail.data);
    // The winner has read the first mail, so that a second one corrects it.
    club::reauthenticate(&browser).await;
    settle_payout(&browser, &payout, "pending").await.ok();
    assert_eq!(
        server.next_mail("prize-not-paid").await.to,
        "alice@example.com"
    );
    settle_payout(&browser, &payout, "completed").await.ok();
    server.clock.advance_seconds(23 * 3600);
    server.clock.advance_seconds(2 * 3600);
    let browser = club::sign_in_as_club(&server, "broncos").await;
    settle_payout(&browser, &payout, "pending")
        .await
        .expect_refusal(409, "payout-settled");
    server.finish().await;
}
