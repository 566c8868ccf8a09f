//! Payment method domains, without which no wallet button appears.

use serde_json::json;

use crate::support::SandboxProvider;

const HOST: &str = "doubles.example.com";

async fn wallets(provider: &SandboxProvider, host: &str) -> serde_json::Value {
    provider
        .get(&format!("elements/sessions?host={host}"))
        .with_publishable_key()
        .send()
        .await
        .ok()
}

#[actix_web::test]
async fn wallets_appear_only_on_an_enabled_domain_of_the_account() {
    let provider = SandboxProvider::start();
    let none = json!({ "apple_pay": false, "google_pay": false });
    assert_eq!(wallets(&provider, HOST).await, none);
    let elsewhere = provider
        .post("payment_method_domains", &format!("domain_name={HOST}"))
        .on_account("acct_other")
        .send()
        .await
        .ok();
    assert_eq!(elsewhere["object"], "payment_method_domain");
    assert_eq!(wallets(&provider, HOST).await, none);

    let form = format!("domain_name={HOST}");
    let domain = provider
        .post("payment_method_domains", &form)
        .send()
        .await
        .ok();
    assert_eq!(
        (&domain["enabled"], &domain["apple_pay"]["status"]),
        (&json!(true), &json!("active"))
    );
    let all = json!({ "apple_pay": true, "google_pay": true });
    assert_eq!(wallets(&provider, HOST).await, all);
    assert_eq!(wallets(&provider, "other.example.com").await, none);

    let path = format!("payment_method_domains/{}", domain["id"].as_str().unwrap());
    provider.post(&path, "enabled=false").send().await.ok();
    assert_eq!(wallets(&provider, HOST).await, none);
}

#[actix_web::test]
async fn domain_is_listed_by_name_and_validated() {
    let provider = SandboxProvider::start();
    let host = "shop.unreachable.test";
    let create = format!("domain_name={host}");
    let domain = provider
        .post("payment_method_domains", &create)
        .send()
        .await
        .ok();
    let details = &domain["apple_pay"]["status_details"]["error_message"];
    assert!(details.is_string(), "{domain}");
    let again = provider
        .post("payment_method_domains", &create)
        .send()
        .await;
    assert_eq!(
        (again.status, &again.error()["param"]),
        (400, &json!("domain_name"))
    );
    for (name, count) in [(host, 1), (HOST, 0)] {
        let path = format!("payment_method_domains?domain_name={name}&limit=1");
        let listed = provider.get(&path).send().await.ok();
        assert_eq!(listed["data"].as_array().unwrap().len(), count, "{name}");
    }
    let path = format!(
        "payment_method_domains/{}/validate",
        domain["id"].as_str().unwrap()
    );
    let validated = provider.post(&path, "").send().await.ok();
    assert_eq!(validated["apple_pay"]["status"], "inactive");
}

#[actix_web::test]
async fn only_public_host_names_are_registered() {
    let provider = SandboxProvider::start();
    for name in [
        "https://doubles.example.com",
        "doubles.example.com:443",
        "doubles.example.com/x",
        "localhost",
        "127.0.0.1",
        "Doubles.example.com",
    ] {
        let form = format!("domain_name={name}");
        let refused = provider.post("payment_method_domains", &form).send().await;
        assert_eq!(refused.status, 400, "{name}");
    }
}
