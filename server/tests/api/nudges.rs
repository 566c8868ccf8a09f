//! What puts a mail into the outbox beside something else tells the mailer, which then looks at once
//! (`actors/tests/payments/nudges.rs`); left alone it looks every quarter of a minute at last, and somebody waits for their link.

use actors::FulfilStatus;
use domain::PaymentIntentId;
use serde_json::{Value, json};

use crate::club::winners::won;
use crate::support::buyer::Intent;
use crate::support::server::eventually;
use crate::support::{TestServer, club};

/// What is done tells the mailer once.
async fn tells<T>(server: &TestServer, done: impl Future<Output = T>) -> T {
    let before = server.state.outbox.nudged();
    let done = done.await;
    assert_eq!(
        server.state.outbox.nudged(),
        before + 1,
        "the mailer is told"
    );
    done
}

#[actix_web::test]
async fn a_new_password_tells_the_mailer() {
    let server = TestServer::start().await;
    server.club("broncos").await;
    let forgetful = server.bob();
    let before = server.state.outbox.nudged();
    forgetful
        .post(
            "/api/clubs/reset-password",
            json!({ "email": "broncos@demo.test" }),
        )
        .await
        .ok();
    let link = server.link(&server.mail("reset").await);
    // Behind the answer; the mailer may have looked by itself before it was told of this one.
    eventually("the mailer is told of the link", async || {
        (server.state.outbox.nudged() > before).then_some(())
    })
    .await;
    let token = link.rsplit_once('=').expect("a token").1;
    let confirmed = json!({ "token": token, "newPassword": "a new secret" });
    tells(
        &server,
        forgetful.post("/api/clubs/reset-password-confirm", confirmed),
    )
    .await
    .ok();
    server.mail("password-changed").await;
    server.finish().await;
}

#[actix_web::test]
async fn a_winners_invitation_tells_the_mailer() {
    let server = TestServer::start().await;
    let (draw, browser) = won(&server).await;
    let notified = tells(
        &server,
        browser.post(&format!("/api/draws/{draw}/notify-winners"), json!({})),
    )
    .await
    .ok();
    assert_eq!(notified["emailsSent"], 1);
    server.mail("winner").await;
    server.finish().await;
}

#[actix_web::test]
async fn a_correction_tells_the_mailer() {
    let server = TestServer::start().await;
    server.operator().await;
    let (draw, browser) = won(&server).await;
    let operator = club::operator(&server).await;
    browser
        .post(&format!("/api/draws/{draw}/notify-winners"), json!({}))
        .await
        .ok();
    let meant = json!({ "reason": "Wrong player", "drawNumber": draw.0 });
    let undone = tells(
        &server,
        operator.post(&format!("/api/draws/{draw}/undo-results"), meant),
    )
    .await
    .ok();
    assert_eq!(undone["correctionsSent"], 1);
    server.mail("correction").await;
    server.finish().await;
}

#[actix_web::test]
async fn a_buyers_address_that_is_known_at_last_tells_the_mailer() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    let alice = server.alice();
    let bare: Value = json!({ "drawNumber": draw.0, "ticketCount": 1 });
    let intent = Intent {
        body: alice.post("/api/create-payment-intent", bare).await.ok(),
    };
    alice.authorise(&intent).await;
    // Another door is faster.
    let fulfilled = server
        .engine
        .payments
        .fulfil(&PaymentIntentId(intent.id().to_string()))
        .await;
    assert_eq!(
        fulfilled.expect("fulfilled").status,
        FulfilStatus::Succeeded
    );
    tells(&server, alice.complete(draw, 1, &intent)).await.ok();
    assert_eq!(server.mail("tickets").await.to, "alice@example.com");
    server.finish().await;
}
