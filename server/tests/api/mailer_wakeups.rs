//! Calls that queue a mail in the transaction of another write must wake the mailer. Otherwise the
//! recipient waits up to 15 seconds, the longest pause of the mailer. The wake-ups of payments are
//! tested in `actors/tests/payments/worker_wakeups.rs`.

use actors::FulfilStatus;
use domain::PaymentIntentId;
use serde_json::{Value, json};

use crate::club::winners::create_draw_won_by_alice;
use crate::support::buyer::Intent;
use crate::support::server::eventually;
use crate::support::{TestServer, club};

/// Runs the call and asserts that it wakes the mailer exactly once.
async fn assert_wakes_mailer<T>(server: &TestServer, call: impl Future<Output = T>) -> T {
    let before = server.state.outbox.wake_count();
    let call = call.await;
    assert_eq!(
        server.state.outbox.wake_count(),
        before + 1,
        "the mailer is woken once"
    );
    call
}

#[actix_web::test]
async fn password_reset_wakes_mailer() {
    let server = TestServer::start().await;
    server.create_club("broncos").await;
    let browser = server.bob();
    let before = server.state.outbox.wake_count();
    browser
        .post(
            "/api/clubs/reset-password",
            json!({ "email": "broncos@demo.test" }),
        )
        .await
        .ok();
    let link = server.mailed_link(&server.next_mail("reset").await);
    // The server queues the mail with the link after its response. The mailer may find the mail
    // before it is woken.
    eventually("the mailer is woken for the link", async || {
        (server.state.outbox.wake_count() > before).then_some(())
    })
    .await;
    let token = link.rsplit_once('=').expect("a token").1;
    let confirmed = json!({ "token": token, "newPassword": "a new secret" });
    assert_wakes_mailer(
        &server,
        browser.post("/api/clubs/reset-password-confirm", confirmed),
    )
    .await
    .ok();
    server.next_mail("password-changed").await;
    server.finish().await;
}

#[actix_web::test]
async fn winner_notification_wakes_mailer() {
    let server = TestServer::start().await;
    let (draw, browser) = create_draw_won_by_alice(&server).await;
    let notified = assert_wakes_mailer(
        &server,
        browser.post(&format!("/api/draws/{draw}/notify-winners"), json!({})),
    )
    .await
    .ok();
    assert_eq!(notified["emailsSent"], 1);
    server.next_mail("winner").await;
    server.finish().await;
}

#[actix_web::test]
async fn result_correction_wakes_mailer() {
    let server = TestServer::start().await;
    server.create_operator().await;
    let (draw, browser) = create_draw_won_by_alice(&server).await;
    let operator = club::sign_in_as_operator(&server).await;
    browser
        .post(&format!("/api/draws/{draw}/notify-winners"), json!({}))
        .await
        .ok();
    // A correction is mailed only to a winner who was already notified by mail.
    server.next_mail("winner").await;
    let confirmation = json!({ "reason": "Wrong player", "drawNumber": draw.0 });
    let undone = assert_wakes_mailer(
        &server,
        operator.post(&format!("/api/draws/{draw}/undo-results"), confirmation),
    )
    .await
    .ok();
    assert_eq!(undone["correctionsSent"], 1);
    server.next_mail("correction").await;
    server.finish().await;
}

#[actix_web::test]
async fn late_buyer_email_wakes_mailer() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let alice = server.alice();
    let bare: Value = json!({ "drawNumber": draw.0, "ticketCount": 1 });
    let intent = Intent {
        body: alice.post("/api/create-payment-intent", bare).await.ok(),
    };
    alice.authorise(&intent).await;
    // The order is fulfilled before the browser's completion call, as a webhook would do.
    let fulfilled = server
        .engine
        .payments
        .fulfil(&PaymentIntentId(intent.id().to_string()))
        .await;
    assert_eq!(
        fulfilled.expect("fulfilled").status,
        FulfilStatus::Succeeded
    );
    assert_wakes_mailer(&server, alice.complete_card_purchase(draw, 1, &intent))
        .await
        .ok();
    assert_eq!(server.next_mail("tickets").await.to, "alice@example.com");
    server.finish().await;
}
