//! A club's Stripe account, from onboarding until the club revokes the platform's access (decision
//! B-13).

use domain::{AccountId, ClubId};
use reqwest::Method;
use sandbox::faults::Fault;
use serde_json::{Value, json};

use super::draws::{accept_terms, new_draw_form, new_draw_form_with};
use crate::support::server::eventually;
use crate::support::{Buyer, TestServer, club};

/// Registers a club and returns its browser and id.
async fn register_club(server: &TestServer) -> (Buyer, i64) {
    let browser = server.alice();
    let form = json!({ "name": "Jets", "email": "jets@example.com", "password": "jets forever", "phone": "0400 111 222" });
    let id = browser.post("/api/clubs/register", form).await.ok()["id"]
        .as_i64()
        .expect("a JSON number");
    (browser, id)
}

/// Waits until the cached catalogue shows whether the club is connected, without a request to the
/// provider.
async fn wait_until_connected(server: &TestServer, id: i64, connected: bool) {
    eventually("the provider's webhook is handled", async || {
        let facts = server.state.catalogue.facts();
        facts
            .club(ClubId(id))
            .is_some_and(|club| club.connected == connected)
            .then_some(())
    })
    .await;
}

/// Submits the onboarding form of the Stripe sandbox.
async fn complete_onboarding(server: &TestServer, browser: &Buyer, link: &str) {
    let (page, token) = link.split_once("?link=").expect("a single-use secret");
    let page = page.strip_prefix(&server.url).expect("the stand-in");
    let request = browser
        .bare_request(Method::POST, page)
        .header("content-type", "application/x-www-form-urlencoded");
    Buyer::send_request(request.body(format!("link={token}"))).await;
}

#[actix_web::test]
async fn new_club_completes_stripe_onboarding_and_can_sell() {
    let server = TestServer::start().await;
    let (browser, id) = register_club(&server).await;
    let path = format!("/api/clubs/{id}/stripe-connect");
    let status = format!("{path}/status");
    assert_eq!(browser.get(&status).await.ok()["connected"], false);
    accept_terms(&browser).await;
    browser
        .post("/api/draws", new_draw_form())
        .await
        .expect_refusal(403, "setup-required");
    let first = browser.post(&path, json!({})).await.ok()["onboardingUrl"].clone();
    let link = browser.post(&path, json!({})).await.ok()["onboardingUrl"]
        .as_str()
        .expect("a link")
        .to_string();
    assert_ne!(first, link, "each link opens once");
    let account = browser.get(&status).await.ok()["accountId"]
        .as_str()
        .expect("one account")
        .to_string();
    complete_onboarding(&server, &browser, &link).await;
    wait_until_connected(&server, id, true).await;
    let status_body = browser.get(&status).await.ok();
    let expected = json!({ "connected": true, "accountId": account, "chargesEnabled": true, "payoutsEnabled": true,
        "detailsSubmitted": true });
    assert_eq!(status_body, expected);
    browser.post("/api/draws", new_draw_form()).await.ok();
    let restrict = format!("/sandbox/accounts/{account}");
    browser
        .post(&restrict, json!({ "charges_enabled": false }))
        .await
        .ok();
    wait_until_connected(&server, id, false).await;
    assert_eq!(browser.get(&status).await.ok()["chargesEnabled"], false);
    accept_terms(&browser).await;
    browser
        .post("/api/draws", new_draw_form())
        .await
        .expect_refusal(403, "setup-required");
    browser
        .post(&restrict, json!({ "charges_enabled": true }))
        .await
        .ok();
    wait_until_connected(&server, id, true).await;
    browser
        .post(
            "/api/draws",
            new_draw_form_with("awayTeam", json!("Tigers")),
        )
        .await
        .ok();
    server.create_club("storm").await;
    let storm = club::sign_in_as_club(&server, "storm").await;
    storm.get(&status).await.expect_refusal(404, "not-found");
    storm
        .post(&path, json!({}))
        .await
        .expect_refusal(404, "not-found");
    server.finish().await;
}

#[actix_web::test]
async fn club_that_deauthorized_platform_can_reconnect() {
    let server = TestServer::start().await;
    let id = server.create_club("storm").await.id;
    let storm = club::sign_in_as_club(&server, "storm").await;
    // The sandbox does not know this account. It answers as if the account had revoked the
    // platform's access.
    let lost_account = AccountId("gone_storm".into());
    server
        .records
        .connect_account(id, &lost_account)
        .await
        .expect("the write succeeds");
    server
        .records
        .update_connected_account_state(&lost_account, false, false, false)
        .await
        .expect("the write succeeds");
    let path = format!("/api/clubs/{id}/stripe-connect");
    let account = async || storm.get(&format!("{path}/status")).await.ok()["accountId"].clone();
    assert_eq!(account().await, lost_account.0);
    server.sandbox.fail_next("/v1/accounts/", Fault::Error500);
    storm
        .post(&path, json!({}))
        .await
        .expect_refusal(503, "setup-required");
    assert_eq!(
        account().await,
        lost_account.0,
        "the account stays until the provider reports it as gone"
    );
    let link = storm.post(&path, json!({})).await.ok()["onboardingUrl"]
        .as_str()
        .expect("a link")
        .to_string();
    let new = account().await;
    assert!(
        new != lost_account.0 && link.contains(new.as_str().expect("an account")),
        "{new} by {link}"
    );
    storm.post(&path, json!({})).await.ok();
    assert_eq!(
        account().await,
        new,
        "a second call creates no second account"
    );
    complete_onboarding(&server, &storm, &link).await;
    wait_until_connected(&server, id.0, true).await;
    server.finish().await;
}

#[actix_web::test]
async fn stripe_outage_and_stripe_refusal_get_different_errors() {
    let server = TestServer::start().await;
    let (browser, id) = register_club(&server).await;
    let path = format!("/api/clubs/{id}/stripe-connect");
    let begin = async || browser.post(&path, json!({})).await;
    for (on, fault) in [
        ("/v2/core/accounts", Fault::Error500),
        ("/v2/core/account_links", Fault::TimeoutBefore),
    ] {
        server.sandbox.fail_next(on, fault);
        assert_eq!(
            begin().await.expect_refusal(502, "setup-failed")["message"],
            "Setup failed"
        );
        server.clock.advance_seconds(600);
        browser
            .post(
                "/api/auth/reauthenticate",
                json!({ "password": "jets forever" }),
            )
            .await
            .ok();
    }
    assert!(
        begin().await.ok()["onboardingUrl"].is_string(),
        "onboarding works after the outage"
    );
    let other = server.create_club("storm").await;
    let lost_account = AccountId("an account of another platform".into());
    server
        .records
        .connect_account(other.id, &lost_account)
        .await
        .expect("the write succeeds");
    let storm = club::sign_in_as_club(&server, "storm").await;
    let refused = storm
        .post(
            &format!("/api/clubs/{}/stripe-connect", other.id),
            json!({}),
        )
        .await;
    let refused: Value = refused.expect_refusal(503, "setup-required");
    assert_eq!(
        (&refused["setupRequired"], &refused["message"]),
        (&json!(true), &json!("Stripe Platform Setup Required"))
    );
    server.finish().await;
}
