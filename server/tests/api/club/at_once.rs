//! Two hands on a draw's ending at the same moment: one wins, the other reads 409, and the books are the winner's (reliability.md,
//! F51). On a real Postgres, with both calls under way before either is answered.

use domain::DrawId;
use futures_util::join;
use serde_json::json;

use crate::support::buyer::Answer;
use crate::support::{Buyer, TestServer, club};

const ROUNDS: u8 = 12;

/// The first try scorers of the draw's result.
async fn result(server: &TestServer, draw: DrawId) -> Option<(u8, u8)> {
    let view = server.engine.draws.view(draw).await.expect("a view");
    view.result
        .map(|(result, _)| (result.cell.home(), result.cell.away()))
}

async fn entries(server: &TestServer, action: &str) -> i64 {
    server
        .database
        .count("select count(*) from audit_log where action = $1", action)
        .await
}

async fn payouts(server: &TestServer, draw: DrawId) -> i64 {
    server
        .database
        .count(
            "select count(*) from payouts where draw_id::text = $1",
            &draw.to_string(),
        )
        .await
}

async fn undo(operator: &Buyer, draw: DrawId) -> Answer {
    let meant = json!({ "reason": "Wrong player", "drawNumber": draw.0 });
    operator
        .post(&format!("/api/draws/{draw}/undo-results"), meant)
        .await
}

/// Both in flight; each is first to be sent every other round.
async fn at_once<A: Future, B: Future>(round: u8, one: A, other: B) -> (A::Output, B::Output) {
    if round.is_multiple_of(2) {
        return join!(one, other);
    }
    let (other, one) = join!(other, one);
    (one, other)
}

#[actix_web::test]
async fn of_two_results_entered_at_once_one_stands_and_the_other_reads_409() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    server.operator().await;
    server.alice().buys(draw, 2).await;
    let operator = club::operator(&server).await;
    let (office, pitch) = (
        club::club(&server, "broncos").await,
        club::club(&server, "broncos").await,
    );
    for round in 1..=ROUNDS {
        let (one, other) = ((1, round), (2, round));
        let here = club::enters(&office, draw, one.0, one.1);
        let there = club::enters(&pitch, draw, other.0, other.1);
        let (winner, stands, loser) = match at_once(round, here, there).await {
            (winner, loser) if winner.status == 200 => (winner, one, loser),
            (loser, winner) => (winner, other, loser),
        };
        winner.ok();
        loser.refused(409, "already-completed");
        assert_eq!(result(&server, draw).await, Some(stands), "round {round}");
        assert_eq!(
            entries(&server, "enter-results").await,
            i64::from(round),
            "only what was done is in the log"
        );
        assert_eq!(payouts(&server, draw).await, 1, "round {round}");
        undo(&operator, draw).await.ok();
    }
    server.finish().await;
}

#[actix_web::test]
async fn a_result_and_its_undoing_at_once_end_as_they_were_answered() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    server.operator().await;
    server.alice().buys(draw, 2).await;
    let (operator, broncos) = (
        club::operator(&server).await,
        club::club(&server, "broncos").await,
    );
    for round in 1..=ROUNDS {
        let (entered, undone) = at_once(
            round,
            club::enters(&broncos, draw, 3, round),
            undo(&operator, draw),
        )
        .await;
        let stands = undone.status == 409;
        match (entered.status, undone.status) {
            (200, 409) => drop(undone.refused(409, "not-completed")),
            // It was entered, and taken back.
            (200, 200) => {}
            (409, 200) => drop(entered.refused(409, "result-undone")),
            _ => panic!("round {round}: {entered:?} {undone:?}"),
        }
        assert_eq!(
            result(&server, draw).await,
            stands.then_some((3, round)),
            "round {round}"
        );
        assert_eq!(
            payouts(&server, draw).await,
            i64::from(stands),
            "round {round}"
        );
        if stands {
            undo(&operator, draw).await.ok();
        }
    }
    server.finish().await;
}

#[actix_web::test]
async fn another_result_while_one_is_taken_back_is_refused_or_stands() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    server.operator().await;
    let (operator, broncos) = (
        club::operator(&server).await,
        club::club(&server, "broncos").await,
    );
    for round in 1..=ROUNDS {
        club::enters(&broncos, draw, 1, round).await.ok();
        let (undone, entered) = at_once(
            round,
            undo(&operator, draw),
            club::enters(&broncos, draw, 2, round),
        )
        .await;
        undone.ok();
        let stands = entered.status == 200;
        if !stands {
            entered.refused(409, "already-completed");
        }
        assert_eq!(
            result(&server, draw).await,
            stands.then_some((2, round)),
            "round {round}"
        );
        assert_eq!(
            payouts(&server, draw).await,
            i64::from(stands),
            "round {round}"
        );
        if stands {
            undo(&operator, draw).await.ok();
        }
    }
    server.finish().await;
}
