//! Concurrent calls that enter and undo a result, on a real Postgres. Each call succeeds or gets
//! 409. The draw then has the result that the successful calls leave (reliability.md, F51).

use domain::DrawId;
use futures_util::join;
use serde_json::json;

use crate::support::buyer::ApiResponse;
use crate::support::{Buyer, TestServer, club};

const RACE_ROUNDS: u8 = 12;

/// Returns the jersey numbers of the draw's result, or `None` if it has no result.
async fn stored_result(server: &TestServer, draw: DrawId) -> Option<(u8, u8)> {
    let view = server
        .engine
        .draws
        .view(draw)
        .await
        .expect("the draw has a view");
    view.result
        .map(|(result, _)| (result.cell.home(), result.cell.away()))
}

async fn count_audit_entries(server: &TestServer, action: &str) -> i64 {
    server
        .database
        .query_number("select count(*) from audit_log where action = $1", action)
        .await
}

async fn count_payouts(server: &TestServer, draw: DrawId) -> i64 {
    server
        .database
        .query_number(
            "select count(*) from payouts where draw_id::text = $1",
            &draw.to_string(),
        )
        .await
}

async fn undo_result(operator: &Buyer, draw: DrawId) -> ApiResponse {
    let confirmation = json!({ "reason": "Wrong player", "drawNumber": draw.0 });
    operator
        .post(&format!("/api/draws/{draw}/undo-results"), confirmation)
        .await
}

/// Runs two calls concurrently. In every second round, `other` is sent first.
async fn run_concurrently<A: Future, B: Future>(
    round: u8,
    one: A,
    other: B,
) -> (A::Output, B::Output) {
    if round.is_multiple_of(2) {
        return join!(one, other);
    }
    let (other, one) = join!(other, one);
    (one, other)
}

#[actix_web::test]
async fn concurrent_results_accept_one_and_refuse_other_with_409() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    server.create_operator().await;
    server.alice().buy(draw, 2).await;
    let operator = club::sign_in_as_operator(&server).await;
    let (office, pitch) = (
        club::sign_in_as_club(&server, "broncos").await,
        club::sign_in_as_club(&server, "broncos").await,
    );
    for round in 1..=RACE_ROUNDS {
        let (one, other) = ((1, round), (2, round));
        let here = club::enter_result(&office, draw, one.0, one.1);
        let there = club::enter_result(&pitch, draw, other.0, other.1);
        let (winner, stands, loser) = match run_concurrently(round, here, there).await {
            (winner, loser) if winner.status == 200 => (winner, one, loser),
            (loser, winner) => (winner, other, loser),
        };
        winner.ok();
        loser.expect_refusal(409, "already-completed");
        assert_eq!(
            stored_result(&server, draw).await,
            Some(stands),
            "round {round}"
        );
        assert_eq!(
            count_audit_entries(&server, "enter-results").await,
            i64::from(round),
            "the refused result is not audited"
        );
        assert_eq!(count_payouts(&server, draw).await, 1, "round {round}");
        undo_result(&operator, draw).await.ok();
    }
    server.finish().await;
}

#[actix_web::test]
async fn concurrent_result_and_undo_store_the_reported_state() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    server.create_operator().await;
    server.alice().buy(draw, 2).await;
    let (operator, broncos) = (
        club::sign_in_as_operator(&server).await,
        club::sign_in_as_club(&server, "broncos").await,
    );
    for round in 1..=RACE_ROUNDS {
        let (entered, undone) = run_concurrently(
            round,
            club::enter_result(&broncos, draw, 3, round),
            undo_result(&operator, draw),
        )
        .await;
        let stands = undone.status == 409;
        match (entered.status, undone.status) {
            (200, 409) => drop(undone.expect_refusal(409, "not-completed")),
            // Both calls succeeded: the result was entered first and then undone.
            (200, 200) => {}
            (409, 200) => drop(entered.expect_refusal(409, "result-undone")),
            _ => panic!("round {round}: {entered:?} {undone:?}"),
        }
        assert_eq!(
            stored_result(&server, draw).await,
            stands.then_some((3, round)),
            "round {round}"
        );
        assert_eq!(
            count_payouts(&server, draw).await,
            i64::from(stands),
            "round {round}"
        );
        if stands {
            undo_result(&operator, draw).await.ok();
        }
    }
    server.finish().await;
}

#[actix_web::test]
async fn new_result_during_undo_is_refused_or_recorded() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    server.create_operator().await;
    let (operator, broncos) = (
        club::sign_in_as_operator(&server).await,
        club::sign_in_as_club(&server, "broncos").await,
    );
    for round in 1..=RACE_ROUNDS {
        club::enter_result(&broncos, draw, 1, round).await.ok();
        let (undone, entered) = run_concurrently(
            round,
            undo_result(&operator, draw),
            club::enter_result(&broncos, draw, 2, round),
        )
        .await;
        undone.ok();
        let stands = entered.status == 200;
        if !stands {
            entered.expect_refusal(409, "already-completed");
        }
        assert_eq!(
            stored_result(&server, draw).await,
            stands.then_some((2, round)),
            "round {round}"
        );
        assert_eq!(
            count_payouts(&server, draw).await,
            i64::from(stands),
            "round {round}"
        );
        if stands {
            undo_result(&operator, draw).await.ok();
        }
    }
    server.finish().await;
}
