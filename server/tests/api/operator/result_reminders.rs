//! The operator reminds a club of a due result: one mail, at most once an hour, and audited.

use serde_json::json;

use crate::support::{TestServer, club};

const HOUR_SECONDS: i64 = 3600;

async fn count_audit_entries(server: &TestServer) -> i64 {
    let reminders = "select count(*) from audit_log where action = $1";
    server
        .database
        .query_number(reminders, "remind-result")
        .await
}

#[actix_web::test]
async fn reminder_mails_the_club_at_most_once_an_hour_and_is_audited() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    server.create_operator().await;
    server.start_game(draw).await;
    server.clock.advance_seconds(3 * HOUR_SECONDS);
    let operator = club::sign_in_as_operator(&server).await;
    let remind = format!("/api/admin/draws/{draw}/remind");
    let first = operator.post(&remind, json!({})).await.ok();
    assert_eq!(first["sent"], true);
    assert_eq!(
        server.next_mail("results-due").await.to,
        "broncos@demo.test"
    );
    let (one, two) = tokio::join!(
        operator.post(&remind, json!({})),
        operator.post(&remind, json!({}))
    );
    assert_eq!(
        [one.ok()["sent"].clone(), two.ok()["sent"].clone()],
        [false, false]
    );
    assert_eq!(server.count_queued_mails("results-due").await, 1);
    assert_eq!(count_audit_entries(&server).await, 1);
    server.clock.advance_seconds(HOUR_SECONDS - 1);
    assert_eq!(operator.post(&remind, json!({})).await.ok()["sent"], false);
    server.clock.advance_seconds(1);
    let (one, two) = tokio::join!(
        operator.post(&remind, json!({})),
        operator.post(&remind, json!({}))
    );
    let sent = [one.ok(), two.ok()]
        .iter()
        .filter(|answer| answer["sent"] == true)
        .count();
    assert_eq!(sent, 1, "of two simultaneous calls, one sends");
    assert_eq!(server.count_queued_mails("results-due").await, 2);
    assert_eq!(count_audit_entries(&server).await, 2);
    server.finish().await;
}

#[actix_web::test]
async fn reminder_without_a_due_result_is_refused_and_changes_nothing() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    server.create_operator().await;
    let operator = club::sign_in_as_operator(&server).await;
    let before = server.database_fingerprint().await;
    let remind = format!("/api/admin/draws/{draw}/remind");
    let refused = operator.post(&remind, json!({})).await;
    let refused = refused.expect_refusal(409, "result-not-due");
    assert_eq!(refused["message"], "No result of this draw is due.");
    operator
        .post("/api/admin/draws/999999/remind", json!({}))
        .await
        .expect_refusal(404, "draw-not-found");
    server.assert_database_unchanged(&before).await;
    server.start_game(draw).await;
    operator
        .post(&remind, json!({}))
        .await
        .expect_refusal(409, "result-not-due");
    assert_eq!(server.count_queued_mails("results-due").await, 0);
    server.finish().await;
}
