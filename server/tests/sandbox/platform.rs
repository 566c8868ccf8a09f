//! What a platform sees beside payments: webhook endpoints, capabilities, payouts, restricted keys, the
//! end of a club's connection, and balance transactions that appear late.

use std::num::NonZeroU32;
use std::sync::Arc;

use sandbox::clock::SandboxClock;
use sandbox::{AccountChange, PayoutInterval, RateLimits, SandboxOptions};
use serde_json::{Value, json};

use crate::support::{
    CLUB_ACCOUNT_ID, OTHER_ACCOUNT_ID, SandboxProvider, TempDir, WebhookReceiver,
};

const ENDPOINT: &str =
    "url=https://doubles.example.com/hook&enabled_events[]=account.updated&connect=true";

#[actix_web::test]
async fn webhook_endpoint_shows_its_secret_only_when_created() {
    let dir = TempDir::new();
    let provider = SandboxProvider::open(Some(dir.0.clone()), SandboxOptions::default());
    let created = provider
        .post("webhook_endpoints", ENDPOINT)
        .on_platform_account()
        .send()
        .await
        .ok();
    assert!(created["secret"].as_str().unwrap().starts_with("whsec_"));
    assert_eq!(created["application"], "ca_sandbox");
    let path = format!("webhook_endpoints/{}", created["id"].as_str().unwrap());
    let change = "enabled_events[]=payout.paid&disabled=true";
    let changed = provider
        .post(&path, change)
        .on_platform_account()
        .send()
        .await
        .ok();
    assert_eq!(
        (&changed["enabled_events"], &changed["status"]),
        (&json!(["payout.paid"]), &json!("disabled"))
    );
    provider.stop().await;
    let provider = SandboxProvider::open(Some(dir.0.clone()), SandboxOptions::default());
    let read = async |path: &str| provider.get(path).on_platform_account().send().await;
    assert_eq!(read(&path).await.ok(), changed, "a restart keeps it");
    assert_eq!(changed.get("secret"), None);
    assert_eq!(
        read("webhook_endpoints").await.ok()["data"],
        json!([changed])
    );
    let deleted = provider.delete(&path).on_platform_account().send().await;
    assert_eq!(deleted.ok()["deleted"], true);
    assert_eq!(read(&path).await.status, 404);
    assert_eq!(read("webhook_endpoints").await.ok()["data"], json!([]));
    for wrong in [
        "url=https://a.example",
        "url=ftp://a.example&enabled_events[]=*",
        "url=https://a.example&enabled_events[]=no.such_event",
        "url=https://a.example&enabled_events[]=*&secret=whsec_own",
    ] {
        let refused = provider
            .post("webhook_endpoints", wrong)
            .on_platform_account()
            .send()
            .await;
        assert_eq!(refused.status, 400, "{wrong}: {}", refused.body);
    }
}

#[actix_web::test]
async fn capabilities_and_settings_show_what_was_changed() {
    let provider = SandboxProvider::start();
    let path = format!("accounts/{CLUB_ACCOUNT_ID}/capabilities");
    let statuses = async || {
        let listed = provider.get(&path).on_platform_account().send().await.ok();
        let rows = listed["data"].as_array().unwrap().clone();
        rows.iter()
            .map(|row| row["status"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(statuses().await, ["active", "active"]);
    let change = AccountChange {
        card_payments: Some(false),
        statement_descriptor: Some(String::new()),
        payout_interval: Some(PayoutInterval::Weekly),
        currently_due: Some(vec!["company.tax_id".to_owned()]),
        ..AccountChange::default()
    };
    assert!(provider.sandbox.change_account(CLUB_ACCOUNT_ID, &change));
    assert_eq!(statuses().await, ["inactive", "active"]);
    let account = provider
        .get(&format!("accounts/{CLUB_ACCOUNT_ID}"))
        .on_platform_account()
        .send()
        .await
        .ok();
    assert_eq!(account["capabilities"]["card_payments"], "inactive");
    assert_eq!(
        account["requirements"]["currently_due"],
        json!(["company.tax_id"])
    );
    let settings = &account["settings"];
    assert_eq!(settings["payments"]["statement_descriptor"], Value::Null);
    assert_eq!(settings["payouts"]["schedule"]["interval"], "weekly");
    let refused = provider
        .post("payment_intents", "amount=1000&currency=aud")
        .send()
        .await;
    assert_eq!(refused.status, 400, "{}", refused.body);
}

#[actix_web::test]
async fn payout_is_listed_and_reported() {
    let provider = SandboxProvider::start();
    let mut receiver = WebhookReceiver::start(vec![]);
    provider.sandbox.set_webhook(&receiver.url, "whsec_1");
    for (status, kind) in [("paid", "payout.paid"), ("failed", "payout.failed")] {
        let body = json!({ "account": CLUB_ACCOUNT_ID, "amount": 5000, "status": status });
        let payout = provider.call_control_endpoint("payouts", body).await.ok();
        let event = receiver.next_webhook_of_type(kind).await.event;
        assert_eq!(event["data"]["object"], payout);
        assert_eq!(event["account"], CLUB_ACCOUNT_ID);
        let path = format!("payouts/{}", payout["id"].as_str().unwrap());
        assert_eq!(provider.get(&path).send().await.ok(), payout);
    }
    let listed = provider.get("payouts").send().await.ok();
    assert_eq!(listed["data"].as_array().unwrap().len(), 2);
}

#[actix_web::test]
async fn disconnected_account_is_refused_and_reported() {
    let provider = SandboxProvider::start();
    let mut receiver = WebhookReceiver::start(vec![]);
    provider.sandbox.set_webhook(&receiver.url, "whsec_1");
    let path = format!("accounts/{CLUB_ACCOUNT_ID}/disconnect");
    provider.call_control_endpoint(&path, json!({})).await.ok();
    let event = receiver
        .next_webhook_of_type("account.application.deauthorized")
        .await
        .event;
    assert_eq!(event["account"], CLUB_ACCOUNT_ID);
    assert_eq!(event["data"]["object"]["object"], "application");
    let refused = provider.get("payment_intents").send().await;
    assert_eq!(
        (refused.status, &refused.error()["code"]),
        (403, &json!("account_invalid"))
    );
    let account = format!("accounts/{CLUB_ACCOUNT_ID}");
    for path in [account.as_str(), &format!("{account}/capabilities")] {
        let refused = provider.get(path).on_platform_account().send().await;
        assert_eq!(refused.status, 403, "{path}");
    }
    let listed = provider.get("accounts").on_platform_account().send().await;
    let listed = listed.ok();
    let ids: Vec<&Value> = listed["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| &row["id"])
        .collect();
    assert_eq!(ids, [OTHER_ACCOUNT_ID]);
}

#[actix_web::test]
async fn restricted_key_without_permission_is_refused() {
    let provider = SandboxProvider::start();
    let key = provider
        .sandbox
        .create_restricted_key(&["payment_intent_write", "charge_read"]);
    let form = "amount=1000&currency=aud";
    let created = provider
        .post("payment_intents", form)
        .with_api_key(&key)
        .send()
        .await;
    created.ok();
    provider.get("charges").with_api_key(&key).send().await.ok();
    // The permission is checked before the parameters.
    let refused = provider
        .post("refunds", "no_such_parameter=1")
        .with_api_key(&key)
        .send()
        .await;
    assert_eq!(refused.status, 403, "{}", refused.body);
    let message = refused.error()["message"].as_str().unwrap();
    assert!(message.contains("'rak_charge_write'"), "{message}");
    assert!(
        message.contains(CLUB_ACCOUNT_ID) && !message.contains(&key),
        "{message}"
    );
    assert_eq!(refused.error().get("code"), None);
}

#[actix_web::test]
async fn balance_transaction_appears_after_its_delay() {
    let clock = Arc::new(SandboxClock::default());
    let options = SandboxOptions {
        balance_transaction_delay_seconds: 60,
        clock: Some(clock.clone()),
        ..SandboxOptions::default()
    };
    let dir = TempDir::new();
    let provider = SandboxProvider::open(Some(dir.0.clone()), options.clone());
    let id = provider.create_captured_intent(1000, 35).await;
    assert_eq!(
        provider.fetch_charge(&id).await["balance_transaction"],
        Value::Null
    );
    let totals = provider.fetch_sandbox_ledger().await["total"].clone();
    assert_eq!(totals["stripe_fees"], 47, "the ledger knows it at once");
    provider.stop().await;
    let provider = SandboxProvider::open(Some(dir.0.clone()), options);
    clock.advance_without_database(60_000);
    let charge = provider.fetch_charge(&id).await;
    assert_eq!(charge["balance_transaction"]["fee"], 82);
    let events = provider.get("events?type=charge.updated").send().await.ok();
    assert_eq!(events["data"].as_array().unwrap().len(), 1);
}

#[actix_web::test]
async fn request_beyond_the_limit_of_its_endpoint_is_refused() {
    let provider = SandboxProvider::start();
    let strict = SandboxOptions::default().rate_limits;
    assert_eq!(strict, Some(RateLimits::STRIPE));
    let one = NonZeroU32::MIN;
    provider.sandbox.set_rate_limits(Some(RateLimits {
        per_endpoint: one,
        overall: RateLimits::STRIPE.overall,
    }));
    provider.get("charges").send().await.ok();
    let refused = provider.get("charges").send().await;
    assert_eq!(
        (refused.status, &refused.error()["code"]),
        (429, &json!("rate_limit"))
    );
}
