use sandbox::SandboxOptions;
use serde_json::{Value, json};

use crate::support::{SandboxProvider, WebhookReceiver};

/// The options of a platform that may still create accounts with version 1 of the API.
pub fn with_accounts_v1() -> SandboxOptions {
    SandboxOptions {
        creates_accounts_v1: true,
        ..SandboxOptions::default()
    }
}

#[actix_web::test]
async fn unknown_account_is_refused() {
    let provider = SandboxProvider::start();
    let refused = provider
        .get("payment_intents")
        .on_account("acct_new")
        .send()
        .await;
    assert_eq!(
        (refused.status, &refused.error()["code"]),
        (403, &"account_invalid".into())
    );
    let unknown = provider
        .get("accounts/acct_new")
        .on_platform_account()
        .send()
        .await;
    assert_eq!(unknown.error()["code"], "account_invalid");
    provider
        .sandbox
        .ensure_account("acct_new", "Broncos")
        .unwrap();
    provider
        .get("payment_intents")
        .on_account("acct_new")
        .send()
        .await
        .ok();
}

#[actix_web::test]
async fn unknown_account_is_treated_as_onboarded_where_it_is_set() {
    let options = SandboxOptions {
        creates_unknown_accounts: true,
        ..SandboxOptions::default()
    };
    let provider = SandboxProvider::open(None, options);
    let adopted = provider
        .get("accounts/acct_seeded")
        .on_platform_account()
        .send()
        .await
        .ok();
    assert_eq!(
        (&adopted["charges_enabled"], &adopted["details_submitted"]),
        (&true.into(), &true.into())
    );
}

#[actix_web::test]
async fn restricted_account_accepts_no_charge() {
    let provider = SandboxProvider::start();
    let intent = provider.create_unpaid_intent(1000).await;
    let restricted = provider
        .call_control_endpoint("accounts/acct_club", json!({ "chargesEnabled": false }))
        .await
        .ok();
    assert_eq!(restricted["charges_enabled"], false);
    let new = provider
        .post("payment_intents", "amount=1000&currency=aud")
        .send()
        .await;
    assert_eq!(new.error()["type"], "invalid_request_error");
    let path = format!("payment_intents/{}/confirm", intent["id"].as_str().unwrap());
    assert_eq!(
        provider
            .post(&path, "payment_method=pm_card_visa")
            .send()
            .await
            .status,
        400
    );
    let events = provider
        .get("events?type=account.updated")
        .send()
        .await
        .ok();
    assert_eq!(
        events["data"][0]["data"]["object"]["charges_enabled"],
        false
    );
}

#[actix_web::test]
async fn onboarding_link_works_once() {
    let provider = SandboxProvider::open(None, with_accounts_v1());
    let mut receiver = WebhookReceiver::start(vec![]);
    provider.sandbox.set_webhook(&receiver.url, "whsec_1");
    let form = "type=standard&country=AU&business_profile[name]=Burleigh <b>Bears</b>";
    let account = provider
        .post("accounts", form)
        .on_platform_account()
        .send()
        .await
        .ok();
    assert_eq!(
        (&account["charges_enabled"], &account["details_submitted"]),
        (&false.into(), &false.into())
    );
    let id = account["id"].as_str().unwrap();
    let refused = provider
        .post("payment_intents", "amount=1000&currency=aud")
        .on_account(id)
        .send()
        .await;
    assert_eq!(refused.error()["type"], "invalid_request_error");
    let back = format!("{}/sandbox/ledger", provider.address);
    let form =
        format!("account={id}&type=account_onboarding&refresh_url={back}?stale&return_url={back}");
    let link = provider
        .post("account_links", &form)
        .on_platform_account()
        .send()
        .await
        .ok();
    let url = link["url"].as_str().unwrap();
    let page = reqwest::get(url).await.unwrap().text().await.unwrap();
    assert!(page.contains("Burleigh &lt;b&gt;Bears&lt;/b&gt;"));
    let (address, token) = url.split_once("?link=").unwrap();
    let done = reqwest::Client::new()
        .post(address)
        .header("content-type", "application/x-www-form-urlencoded")
        .body(format!("link={token}"))
        .send()
        .await
        .unwrap();
    assert_eq!(
        done.url().as_str(),
        back,
        "the browser is sent back to the product"
    );
    let received = receiver.next_webhook_of_type("account.updated").await.event;
    assert_eq!(
        (
            &received["account"],
            &received["data"]["object"]["charges_enabled"]
        ),
        (&id.into(), &true.into())
    );
    provider
        .post("payment_intents", "amount=1000&currency=aud")
        .on_account(id)
        .send()
        .await
        .ok();
    let stale = reqwest::get(url).await.unwrap();
    assert_eq!(
        stale.url().query(),
        Some("stale"),
        "a used link leads to where a new one is made"
    );
}

/// The parameters of an account that takes card payments, as version 2 takes them.
fn merchant_account() -> Value {
    json!({
        "contact_email": "club@example.org", "dashboard": "full", "identity": { "country": "AU" },
        "configuration": { "merchant": { "capabilities": { "card_payments": { "requested": true } } } },
        "defaults": { "responsibilities": { "fees_collector": "stripe", "losses_collector": "stripe" } },
    })
}

#[actix_web::test]
async fn new_platform_creates_accounts_with_version_2_only() {
    let provider = SandboxProvider::start();
    let refused = provider
        .post("accounts", "country=AU")
        .on_platform_account()
        .send()
        .await;
    assert_eq!(refused.status, 400, "{}", refused.body);
    let created = provider
        .post_v2("core/accounts", &merchant_account())
        .send()
        .await
        .ok();
    let id = created["id"].as_str().unwrap();
    let read = provider
        .get(&format!("accounts/{id}"))
        .on_platform_account()
        .send()
        .await
        .ok();
    assert_eq!(
        (&read["email"], &read["country"], &read["charges_enabled"]),
        (&"club@example.org".into(), &"AU".into(), &false.into()),
        "version 1 reads it"
    );
    let link = json!({ "account": id, "use_case": { "type": "account_onboarding",
        "account_onboarding": { "refresh_url": "http://x.test/r", "return_url": "http://x.test/d" } } });
    let link = provider
        .post_v2("core/account_links", &link)
        .send()
        .await
        .ok();
    assert!(link["url"].as_str().unwrap().contains(id), "{link}");
}

#[actix_web::test]
async fn version_2_refuses_what_its_types_do_not_have() {
    let provider = SandboxProvider::start();
    let changed = |pointer: &str, value: Value| {
        let mut account = merchant_account();
        *account.pointer_mut(pointer).unwrap() = value;
        account
    };
    for (why, body) in [
        (
            "unknown parameter",
            changed("/identity", json!({ "country": "AU", "email": "x" })),
        ),
        (
            "unknown dashboard",
            changed("/dashboard", json!("standard")),
        ),
        (
            "losses with the full dashboard",
            changed(
                "/defaults/responsibilities/losses_collector",
                json!("application"),
            ),
        ),
        ("no email", changed("/contact_email", json!(null))),
        ("no country", changed("/identity", json!(null))),
        ("not an object", json!([1])),
    ] {
        let refused = provider.post_v2("core/accounts", &body).send().await;
        assert_eq!(refused.status, 400, "{why}: {}", refused.body);
    }
    let restricted = provider
        .post_v2("core/accounts", &merchant_account())
        .with_api_key("rk_test_1")
        .send()
        .await;
    assert_eq!(restricted.status, 401, "{}", restricted.body);
    let unknown = provider.post_v2("core/customers", &json!({})).send().await;
    assert_eq!(unknown.status, 404);
}
