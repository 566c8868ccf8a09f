//! A club's account at the provider, from the first link to the day on which the provider shuts it (decision B-13).

use domain::{AccountId, ClubId};
use reqwest::Method;
use serde_json::{Value, json};
use server::sandbox::faults::Fault;

use super::draws::{agrees, form, with};
use crate::support::server::eventually;
use crate::support::{Buyer, TestServer, club};

/// A club that has just registered, and its number.
async fn registered(server: &TestServer) -> (Buyer, i64) {
    let browser = server.alice();
    let form = json!({ "name": "Jets", "email": "jets@example.com", "password": "jets forever", "phone": "0400 111 222" });
    let id = browser.post("/api/clubs/register", form).await.ok()["id"]
        .as_i64()
        .expect("a number");
    (browser, id)
}

/// What the catalogue says; nobody asked the provider for it.
async fn becomes(server: &TestServer, id: i64, connected: bool) {
    eventually("the provider's notice is heard", async || {
        let facts = server.state.catalogue.facts();
        facts
            .club(ClubId(id))
            .is_some_and(|club| club.connected == connected)
            .then_some(())
    })
    .await;
}

/// At the stand-in's page, everything that the provider asks of a club.
async fn completes(server: &TestServer, browser: &Buyer, link: &str) {
    let (page, token) = link.split_once("?link=").expect("a single-use secret");
    let page = page.strip_prefix(&server.url).expect("the stand-in");
    let request = browser
        .raw(Method::POST, page)
        .header("content-type", "application/x-www-form-urlencoded");
    Buyer::sent(request.body(format!("link={token}"))).await;
}

#[actix_web::test]
async fn a_new_club_goes_through_its_link_once_and_may_sell() {
    let server = TestServer::start().await;
    let (browser, id) = registered(&server).await;
    let path = format!("/api/clubs/{id}/stripe-connect");
    let status = format!("{path}/status");
    assert_eq!(browser.get(&status).await.ok()["connected"], false);
    agrees(&browser).await;
    browser
        .post("/api/draws", form())
        .await
        .refused(403, "setup-required");
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
    completes(&server, &browser, &link).await;
    becomes(&server, id, true).await;
    let told = browser.get(&status).await.ok();
    let wanted = json!({ "connected": true, "accountId": account, "chargesEnabled": true, "payoutsEnabled": true,
        "detailsSubmitted": true });
    assert_eq!(told, wanted);
    browser.post("/api/draws", form()).await.ok();
    let restrict = format!("/sandbox/accounts/{account}");
    browser
        .post(&restrict, json!({ "charges_enabled": false }))
        .await
        .ok();
    becomes(&server, id, false).await;
    assert_eq!(browser.get(&status).await.ok()["chargesEnabled"], false);
    agrees(&browser).await;
    browser
        .post("/api/draws", form())
        .await
        .refused(403, "setup-required");
    browser
        .post(&restrict, json!({ "charges_enabled": true }))
        .await
        .ok();
    becomes(&server, id, true).await;
    browser
        .post("/api/draws", with("awayTeam", json!("Tigers")))
        .await
        .ok();
    server.club("storm").await;
    let storm = club::club(&server, "storm").await;
    storm.get(&status).await.refused(404, "not-found");
    storm.post(&path, json!({})).await.refused(404, "not-found");
    server.finish().await;
}

#[actix_web::test]
async fn a_club_that_shut_the_platform_out_may_begin_anew() {
    let server = TestServer::start().await;
    let id = server.club("storm").await.id;
    let storm = club::club(&server, "storm").await;
    // The provider answers for this one as for every account that is not the platform's, or is no longer.
    let gone = AccountId("gone_storm".into());
    server
        .records
        .connect_account(id, &gone)
        .await
        .expect("written");
    server
        .records
        .account_updated(&gone, false, false, false)
        .await
        .expect("written");
    let path = format!("/api/clubs/{id}/stripe-connect");
    let account = async || storm.get(&format!("{path}/status")).await.ok()["accountId"].clone();
    assert_eq!(account().await, gone.0);
    server.sandbox.fail_next("/v1/accounts/", Fault::Error500);
    storm
        .post(&path, json!({}))
        .await
        .refused(503, "setup-required");
    assert_eq!(
        account().await,
        gone.0,
        "while the provider does not say that it is lost, it is the club's"
    );
    let link = storm.post(&path, json!({})).await.ok()["onboardingUrl"]
        .as_str()
        .expect("a link")
        .to_string();
    let new = account().await;
    assert!(
        new != gone.0 && link.contains(new.as_str().expect("an account")),
        "{new} by {link}"
    );
    storm.post(&path, json!({})).await.ok();
    assert_eq!(account().await, new, "one is enough");
    completes(&server, &storm, &link).await;
    becomes(&server, id.0, true).await;
    server.finish().await;
}

#[actix_web::test]
async fn a_provider_that_is_away_and_one_that_says_no_read_differently() {
    let server = TestServer::start().await;
    let (browser, id) = registered(&server).await;
    let path = format!("/api/clubs/{id}/stripe-connect");
    let begin = async || browser.post(&path, json!({})).await;
    for (on, fault) in [
        ("/v1/accounts", Fault::Error500),
        ("/v1/account_links", Fault::TimeoutBefore),
    ] {
        server.sandbox.fail_next(on, fault);
        assert_eq!(
            begin().await.refused(502, "setup-failed")["message"],
            "Setup failed"
        );
        server.clock.push_seconds(600);
    }
    assert!(
        begin().await.ok()["onboardingUrl"].is_string(),
        "it comes back"
    );
    let other = server.club("storm").await;
    let gone = AccountId("an account of another platform".into());
    server
        .records
        .connect_account(other.id, &gone)
        .await
        .expect("written");
    let storm = club::club(&server, "storm").await;
    let refused = storm
        .post(
            &format!("/api/clubs/{}/stripe-connect", other.id),
            json!({}),
        )
        .await;
    let refused: Value = refused.refused(503, "setup-required");
    assert_eq!(
        (&refused["setupRequired"], &refused["message"]),
        (&json!(true), &json!("Stripe Platform Setup Required"))
    );
    server.finish().await;
}
