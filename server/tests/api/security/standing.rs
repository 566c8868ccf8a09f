//! What a notice says of an account is a hint: the provider is asked (decisions B-1, B-13; reliability.md F13, F14, F30).

use actors::payment::signature::sign;
use domain::AccountId;
use serde_json::{Value, json};
use server::sandbox::faults::Fault;

use super::notices::{SECRET, sends, stored};
use crate::support::server::eventually;
use crate::support::{Buyer, TestServer};

const ACCOUNT: &str = "acct_broncos";

fn updated(id: &str, charges_enabled: bool) -> Value {
    json!({
        "id": id, "type": "account.updated", "account": ACCOUNT, "livemode": false,
        "data": { "object": { "object": "account", "id": ACCOUNT, "charges_enabled": charges_enabled,
            "details_submitted": true, "payouts_enabled": charges_enabled } },
    })
}

/// Signed as the provider would; the answer's status.
async fn tells(server: &TestServer, browser: &Buyer, notice: &Value) -> u16 {
    let body = notice.to_string();
    let header = sign(body.as_bytes(), SECRET, server.now());
    sends(browser, body, &header).await
}

/// As the provider's own people switch it, with the notices of it or without.
async fn switches(browser: &Buyer, charges_enabled: bool, lost: f64) {
    browser
        .post("/sandbox/faults", json!({ "webhook": { "lost": lost } }))
        .await
        .ok();
    let path = format!("/sandbox/accounts/{ACCOUNT}");
    browser
        .post(&path, json!({ "charges_enabled": charges_enabled }))
        .await
        .ok();
}

fn is_connected(server: &TestServer) -> bool {
    let club = server.club_named("broncos");
    server
        .state
        .catalogue
        .facts()
        .club(club)
        .is_some_and(|club| club.connected)
}

#[actix_web::test]
async fn an_old_notice_neither_opens_a_restricted_club_nor_closes_one_that_may_sell() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    let alice = server.alice();
    for copy in 0..3 {
        assert_eq!(
            tells(&server, &alice, &updated("evt_old_false", false)).await,
            200,
            "copy {copy}"
        );
    }
    assert_eq!(stored(&server, "evt_old_false").await, 1);
    alice.ask(draw, 1).await.ok();
    assert_eq!(
        server.queued("account-lost").await,
        0,
        "nothing is wrong with it"
    );
    switches(&alice, false, 0.0).await;
    eventually("the restriction is heard", async || {
        (!is_connected(&server)).then_some(())
    })
    .await;
    alice.ask(draw, 2).await.refused(403, "setup-required");
    assert_eq!(
        tells(&server, &alice, &updated("evt_old_true", true)).await,
        200
    );
    assert!(!is_connected(&server), "the provider says otherwise");
    let mail = server.mail("account-lost").await;
    assert_eq!(
        (mail.to.as_str(), server.queued("account-lost").await),
        ("broncos@demo.test", 1)
    );
    switches(&alice, true, 0.0).await;
    eventually("it is put right", async || {
        is_connected(&server).then_some(())
    })
    .await;
    alice.ask(draw, 2).await.ok();
    assert_eq!(server.queued("account-lost").await, 1);
    server.finish().await;
}

#[actix_web::test]
async fn a_notice_whose_account_cannot_be_asked_is_not_taken_and_counts_when_it_comes_again() {
    let server = TestServer::start().await;
    server.game().await;
    let alice = server.alice();
    switches(&alice, false, 1.0).await;
    let notice = updated("evt_restricted", false);
    server.sandbox.fail_next("/v1/accounts/", Fault::Error500);
    assert_eq!(tells(&server, &alice, &notice).await, 503);
    assert_eq!(
        (
            is_connected(&server),
            stored(&server, "evt_restricted").await
        ),
        (true, 0)
    );
    assert_eq!(tells(&server, &alice, &notice).await, 200);
    assert_eq!(
        (
            is_connected(&server),
            stored(&server, "evt_restricted").await
        ),
        (false, 1)
    );
    server.sandbox.fail_next("/v1/accounts/", Fault::Error500);
    assert_eq!(
        tells(&server, &alice, &notice).await,
        200,
        "a copy asks nothing more"
    );
    server.finish().await;
}

#[actix_web::test]
async fn a_club_that_shut_the_platform_out_sells_no_longer_and_is_told() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    let club = server.club_named("broncos");
    // The provider answers for this one as for every account that is not the platform's, or is no longer.
    let gone = AccountId("gone_broncos".into());
    server
        .records
        .connect_account(club, &gone)
        .await
        .expect("written");
    server
        .records
        .account_updated(&gone, true, true, true)
        .await
        .expect("written");
    server.state.catalogue.reload().await.expect("read");
    assert!(is_connected(&server));
    let alice = server.alice();
    let notice = json!({
        "id": "evt_deauthorized", "type": "account.application.deauthorized", "account": gone.0, "livemode": false,
        "data": { "object": { "object": "application", "id": "ca_1" } },
    });
    assert_eq!(tells(&server, &alice, &notice).await, 200);
    assert!(!is_connected(&server));
    alice.ask(draw, 1).await.refused(403, "setup-required");
    assert_eq!(server.mail("account-lost").await.to, "broncos@demo.test");
    assert_eq!(tells(&server, &alice, &notice).await, 200);
    assert_eq!(server.queued("account-lost").await, 1);
    server.finish().await;
}
