//! Version 2 of the Accounts API: it creates connected accounts and onboarding links from JSON. Other
//! calls of version 2 do not exist here.
//!
//! The accepted parameters are those of the official library's types `V2.Core.AccountCreateParams`
//! and `V2.Core.AccountLinkCreateParams` that a platform needs for accounts that take card payments.
//! Any other parameter is refused.

use std::collections::BTreeMap;

use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::account::{self, Account};
use super::api_call::ApiCall;
use super::failure::StripeError;
use super::id;
use super::state::SandboxState;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AccountParams {
    contact_email: Option<String>,
    display_name: Option<String>,
    dashboard: Option<Dashboard>,
    identity: Option<Identity>,
    configuration: Option<Configuration>,
    defaults: Option<Defaults>,
    #[serde(default)]
    metadata: BTreeMap<String, String>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Dashboard {
    Express,
    Full,
    None,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Identity {
    country: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Configuration {
    merchant: Option<Merchant>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Merchant {
    capabilities: Option<Capabilities>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Capabilities {
    card_payments: Option<RequestedCapability>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RequestedCapability {
    requested: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Defaults {
    responsibilities: Option<Responsibilities>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Responsibilities {
    fees_collector: Collector,
    losses_collector: Collector,
}

#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
enum Collector {
    Application,
    Stripe,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LinkParams {
    account: String,
    use_case: UseCase,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct UseCase {
    #[serde(rename = "type")]
    kind: UseCaseKind,
    account_onboarding: AccountOnboarding,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum UseCaseKind {
    AccountOnboarding,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AccountOnboarding {
    refresh_url: String,
    return_url: String,
}

/// Handles `POST /v2/core/accounts`.
pub fn create(state: &mut SandboxState, call: &ApiCall) -> Result<Value, StripeError> {
    let params: AccountParams = parse(call)?;
    let is_merchant = params
        .configuration
        .and_then(|configuration| configuration.merchant)
        .and_then(|merchant| merchant.capabilities)
        .and_then(|capabilities| capabilities.card_payments)
        .is_some_and(|capability| capability.requested);
    let responsibilities = params
        .defaults
        .and_then(|defaults| defaults.responsibilities);
    if is_merchant {
        require(params.contact_email.is_some(), "contact_email")?;
        require(params.identity.is_some(), "identity.country")?;
        require(responsibilities.is_some(), "defaults.responsibilities")?;
    }
    let stripe_bears_all = responsibilities.is_some_and(|responsibilities| {
        [
            responsibilities.fees_collector,
            responsibilities.losses_collector,
        ] == [Collector::Stripe; 2]
    });
    if matches!(params.dashboard, Some(Dashboard::Full)) && !stripe_bears_all {
        return Err(StripeError::invalid_request(
            "An account with the full dashboard needs Stripe as the collector of fees and losses.",
        )
        .with_param("defaults.responsibilities"));
    }
    let mut account = Account::new(id::generate("acct"), state.now());
    account.email = params.contact_email;
    account.business_name = params.display_name;
    account.metadata = params.metadata;
    if let Some(identity) = params.identity {
        account.country = identity.country.to_uppercase();
    }
    let dashboard = params.dashboard.map(|dashboard| match dashboard {
        Dashboard::Express => "express",
        Dashboard::Full => "full",
        Dashboard::None => "none",
    });
    let response = json!({
        "id": account.id, "object": "v2.core.account",
        "applied_configurations": if is_merchant { vec!["merchant"] } else { vec![] },
        "closed": false, "configuration": null, "contact_email": account.email, "contact_phone": null,
        "created": rfc3339(account.created), "dashboard": dashboard, "defaults": null,
        "display_name": account.business_name, "future_requirements": null, "identity": null,
        "livemode": false, "metadata": account.metadata, "requirements": null,
    });
    state.save(account);
    Ok(response)
}

/// Handles `POST /v2/core/account_links`.
pub fn create_link(state: &mut SandboxState, call: &ApiCall) -> Result<Value, StripeError> {
    let LinkParams { account, use_case } = parse(call)?;
    let UseCaseKind::AccountOnboarding = use_case.kind;
    let onboarding = use_case.account_onboarding;
    let account = state.find_connected(&account)?;
    let use_case = json!({ "type": "account_onboarding", "account_onboarding": {
        "refresh_url": onboarding.refresh_url, "return_url": onboarding.return_url } });
    let link = account::save_new_link(
        state,
        call,
        &account.id,
        onboarding.refresh_url,
        onboarding.return_url,
    );
    Ok(json!({
        "object": "v2.core.account_link", "account": account.id, "created": rfc3339(state.now()),
        "expires_at": rfc3339(link.expires_at), "livemode": false, "url": link.url, "use_case": use_case,
    }))
}

fn parse<T: DeserializeOwned>(call: &ApiCall) -> Result<T, StripeError> {
    serde_json::from_str(&call.json)
        .map_err(|why| StripeError::invalid_request(format!("Invalid request body: {why}")))
}

fn require(is_present: bool, param: &'static str) -> Result<(), StripeError> {
    if is_present {
        Ok(())
    } else {
        Err(StripeError::missing_parameter(param))
    }
}

/// Returns a time as version 2 writes it.
fn rfc3339(seconds: i64) -> String {
    OffsetDateTime::from_unix_timestamp(seconds)
        .ok()
        .and_then(|time| time.format(&Rfc3339).ok())
        .expect("the sandbox's clock has four digits in its year")
}
