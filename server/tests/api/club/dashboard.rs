//! What the club's dashboard asks for: tasks, pace, buyers and the activity log.

use domain::access::Role;
use serde_json::{Value, json};

use super::winners::{bank_details, create_draw_won_by_alice, put_bank_details};
use crate::support::{Buyer, TestServer, club};

async fn task_kinds(browser: &Buyer, club: domain::ClubId) -> Vec<Value> {
    let tasks = browser.get(&format!("/api/clubs/{club}/to-do")).await.ok();
    let tasks = tasks.as_array().expect("a list").clone();
    tasks.into_iter().map(|task| task["kind"].clone()).collect()
}

#[actix_web::test]
async fn tasks_follow_the_result_and_the_prize() {
    let server = TestServer::start().await;
    let (draw, browser) = create_draw_won_by_alice(&server).await;
    let broncos = server.club_id("broncos");
    let other = server.create_draw(broncos).await;
    server.start_game(other).await;
    assert_eq!(
        task_kinds(&browser, broncos).await,
        ["notify-winner", "enter-result"],
        "the oldest task comes first"
    );
    browser
        .post(&format!("/api/draws/{draw}/notify-winners"), json!({}))
        .await
        .ok();
    assert_eq!(task_kinds(&browser, broncos).await, ["enter-result"]);
    server.clock.advance_seconds(8 * 86_400);
    let browser = club::sign_in_as_club(&server, "broncos").await;
    assert!(
        task_kinds(&browser, broncos)
            .await
            .contains(&json!("remind-winner"))
    );
    put_bank_details(&browser, draw, bank_details()).await.ok();
    let tasks = browser
        .get(&format!("/api/clubs/{broncos}/to-do"))
        .await
        .ok();
    let pay = tasks
        .as_array()
        .and_then(|tasks| tasks.iter().find(|task| task["kind"] == "pay-winner"))
        .expect("the prize is to be paid");
    assert_eq!(pay["draw"]["winnerName"], "Alice");
    let viewer = club::sign_in_as_member(&server, broncos, Role::Viewer).await;
    let seen = viewer
        .get(&format!("/api/clubs/{broncos}/to-do"))
        .await
        .ok();
    assert!(!seen.to_string().contains("Alice"), "{seen}");
    server.finish().await;
}

#[actix_web::test]
async fn tickets_without_buyer_count_neither_as_sold_nor_for_the_prize() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    server.alice().buy(draw, 3).await;
    server.bob().buy_without_details(draw, 2).await;
    let browser = club::sign_in_as_club(&server, "broncos").await;
    let broncos = server.club_id("broncos");
    let stats = browser
        .get(&format!("/api/clubs/{broncos}/stats"))
        .await
        .ok();
    assert_eq!(
        (&stats["ticketsSold"], &stats["ticketsWithoutBuyer"]),
        (&json!(3), &json!(2))
    );
    assert_eq!(
        stats["drawsWithoutBuyers"],
        json!([{ "drawNumber": draw.0, "ticketsWithoutBuyer": 2, "prize": "7.50" }])
    );
    let money = browser
        .get(&format!("/api/draws/{draw}/financials"))
        .await
        .ok();
    assert_eq!(
        (&money["soldTickets"], &money["prizePool"]),
        (&json!(3), &json!("7.50"))
    );
    let table = browser
        .get(&format!("/api/draws/{draw}/tickets/csv"))
        .await
        .text;
    assert_eq!(
        table.matches("No buyer yet (not counted)").count(),
        2,
        "{table}"
    );
    server.finish().await;
}

#[actix_web::test]
async fn buyer_is_found_and_mailed_again_by_own_club_only() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    server.alice().buy(draw, 2).await;
    server.wait_until_idle().await;
    let broncos = server.club_id("broncos");
    let browser = club::sign_in_as_club(&server, "broncos").await;
    let search = async |browser: &Buyer, text: &str| {
        browser
            .get(&format!("/api/clubs/{broncos}/buyers?q={text}"))
            .await
    };
    search(&browser, "al")
        .await
        .expect_refusal(400, "search-too-short");
    for text in ["alice", "ALICE%40example", "0411000"] {
        let found = search(&browser, text).await.ok();
        assert_eq!(found[0]["ticketCount"], 2, "{text}: {found}");
    }
    let order = search(&browser, "alice").await.ok()[0]["orderId"].clone();
    let resend = format!(
        "/api/clubs/{broncos}/orders/{}/resend",
        order.as_str().expect("an order")
    );
    assert_eq!(browser.post(&resend, json!({})).await.ok()["sent"], true);
    assert_eq!(server.next_mail("resend").await.to, "alice@example.com");
    let storm = server.create_club("storm").await;
    let stranger = club::sign_in_as_club(&server, "storm").await;
    search(&stranger, "alice")
        .await
        .expect_refusal(404, "not-found");
    let other = resend.replace(
        &format!("/clubs/{broncos}/"),
        &format!("/clubs/{}/", storm.id),
    );
    stranger
        .post(&other, json!({}))
        .await
        .expect_refusal(404, "not-found");
    let log = browser
        .get(&format!("/api/clubs/{broncos}/activity"))
        .await
        .ok();
    assert_eq!(log[0]["action"], "resend-tickets");
    assert_eq!(log[0]["by"], "your club’s login");
    let seller = club::sign_in_as_member(&server, broncos, Role::Seller).await;
    seller
        .get(&format!("/api/clubs/{broncos}/activity"))
        .await
        .expect_refusal(403, "role-not-allowed");
    server.finish().await;
}

#[actix_web::test]
async fn pace_compares_with_last_game_at_the_same_time() {
    let server = TestServer::start().await;
    let (last, browser) = create_draw_won_by_alice(&server).await;
    let broncos = server.club_id("broncos");
    let next = server.create_draw(broncos).await;
    server.alice().buy(next, 1).await;
    let pace = browser
        .get(&format!("/api/clubs/{broncos}/pace"))
        .await
        .ok();
    assert_eq!(
        (&pace[0]["drawNumber"], &pace[0]["lastDrawNumber"]),
        (&json!(next.0), &json!(last.0))
    );
    let sales = browser.get(&format!("/api/draws/{next}/sales")).await.ok();
    assert_eq!(sales["this"]["points"][0]["sold"], 1);
    assert_eq!(sales["last"]["drawNumber"], last.0);
    server.finish().await;
}
