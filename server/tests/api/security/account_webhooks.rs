//! The content of an account webhook is not trusted. The server asks the provider for the account's
//! status (decisions B-1, B-13; reliability.md F13, F14, F30).

use actors::payments::signature::sign;
use sandbox::faults::Fault;
use serde_json::{Value, json};

use super::webhooks::{WEBHOOK_SECRET, count_stored_events, send_webhook};
use crate::support::server::eventually;
use crate::support::{Buyer, TestServer};

const BRONCOS_ACCOUNT_ID: &str = "acct_broncos";

fn account_updated_event(id: &str, charges_enabled: bool) -> Value {
    json!({
        "id": id, "type": "account.updated", "account": BRONCOS_ACCOUNT_ID, "livemode": false,
        "data": { "object": { "object": "account", "id": BRONCOS_ACCOUNT_ID, "charges_enabled": charges_enabled,
            "details_submitted": true, "payouts_enabled": charges_enabled } },
    })
}

/// Sends a webhook with a valid signature and returns the response's status.
async fn send_account_webhook(server: &TestServer, browser: &Buyer, event: &Value) -> u16 {
    let body = event.to_string();
    let header = sign(body.as_bytes(), WEBHOOK_SECRET, server.now());
    send_webhook(browser, body, &header).await
}

/// Allows or forbids payments to the account at the provider. `lost` is the share of webhooks that
/// are lost.
async fn set_charges_enabled_at_provider(browser: &Buyer, charges_enabled: bool, lost: f64) {
    browser
        .post("/sandbox/faults", json!({ "webhook": { "lost": lost } }))
        .await
        .ok();
    let path = format!("/sandbox/accounts/{BRONCOS_ACCOUNT_ID}");
    browser
        .post(&path, json!({ "charges_enabled": charges_enabled }))
        .await
        .ok();
}

fn is_connected(server: &TestServer) -> bool {
    let club = server.club_id("broncos");
    server
        .state
        .catalogue
        .facts()
        .club(club)
        .is_some_and(|club| club.connected)
}

#[actix_web::test]
async fn stale_account_webhook_changes_no_selling_status() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let alice = server.alice();
    for copy in 0..3 {
        assert_eq!(
            send_account_webhook(
                &server,
                &alice,
                &account_updated_event("evt_old_false", false)
            )
            .await,
            200,
            "copy {copy}"
        );
    }
    assert_eq!(count_stored_events(&server, "evt_old_false").await, 1);
    alice.request_intent(draw, 1).await.ok();
    assert_eq!(
        server.count_queued_mails("account-lost").await,
        0,
        "the club is not told about a stale webhook"
    );
    set_charges_enabled_at_provider(&alice, false, 0.0).await;
    eventually("the club is shown as restricted", async || {
        (!is_connected(&server)).then_some(())
    })
    .await;
    alice
        .request_intent(draw, 2)
        .await
        .expect_refusal(403, "setup-required");
    assert_eq!(
        send_account_webhook(
            &server,
            &alice,
            &account_updated_event("evt_old_true", true)
        )
        .await,
        200
    );
    assert!(!is_connected(&server), "the provider's status counts");
    let mail = server.next_mail("account-lost").await;
    assert_eq!(
        (
            mail.to.as_str(),
            server.count_queued_mails("account-lost").await
        ),
        ("broncos@demo.test", 1)
    );
    set_charges_enabled_at_provider(&alice, true, 0.0).await;
    eventually("the club can sell again", async || {
        is_connected(&server).then_some(())
    })
    .await;
    alice.request_intent(draw, 2).await.ok();
    assert_eq!(server.count_queued_mails("account-lost").await, 1);
    server.finish().await;
}

#[actix_web::test]
async fn account_webhook_is_retried_when_provider_is_down() {
    let server = TestServer::start().await;
    server.create_club_with_draw().await;
    let alice = server.alice();
    set_charges_enabled_at_provider(&alice, false, 1.0).await;
    let event = account_updated_event("evt_restricted", false);
    server.sandbox.fail_next("/v1/accounts/", Fault::Error500);
    assert_eq!(send_account_webhook(&server, &alice, &event).await, 503);
    assert_eq!(
        (
            is_connected(&server),
            count_stored_events(&server, "evt_restricted").await
        ),
        (true, 0)
    );
    assert_eq!(send_account_webhook(&server, &alice, &event).await, 200);
    assert_eq!(
        (
            is_connected(&server),
            count_stored_events(&server, "evt_restricted").await
        ),
        (false, 1)
    );
    server.sandbox.fail_next("/v1/accounts/", Fault::Error500);
    assert_eq!(
        send_account_webhook(&server, &alice, &event).await,
        200,
        "a repeated webhook makes no provider call"
    );
    server.finish().await;
}

#[actix_web::test]
async fn deauthorized_club_stops_selling_and_is_notified() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    server
        .records
        .create_admin("boss@example.com", "Boss", "$argon2id$x")
        .await
        .expect("the write succeeds");
    assert!(is_connected(&server));
    let alice = server.alice();
    assert!(server.sandbox.disconnect_account(BRONCOS_ACCOUNT_ID));
    eventually("the club is shown as restricted", async || {
        (!is_connected(&server)).then_some(())
    })
    .await;
    alice
        .request_intent(draw, 1)
        .await
        .expect_refusal(403, "setup-required");
    assert_eq!(
        server.next_mail("account-lost").await.to,
        "broncos@demo.test"
    );
    assert_eq!(
        server.next_mail("account-lost-operator").await.to,
        "boss@example.com"
    );
    let event = json!({
        "id": "evt_deauthorized", "type": "account.application.deauthorized", "account": BRONCOS_ACCOUNT_ID,
        "livemode": false, "data": { "object": { "object": "application", "id": "ca_1" } },
    });
    assert_eq!(send_account_webhook(&server, &alice, &event).await, 200);
    assert_eq!(server.count_queued_mails("account-lost").await, 1);
    server.finish().await;
}
