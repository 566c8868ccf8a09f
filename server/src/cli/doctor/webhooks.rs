//! The webhook endpoints at Stripe: one for the platform and one for connected accounts, with the
//! right address and event types, and the secrets to verify both.

use std::collections::BTreeSet;

use actors::payments::stripe::STRIPE_API_VERSION;
use actors::payments::stripe::inspection::StripeInspector;
use serde_json::Value;

use super::{Finding, readable};
use crate::config::{Config, Secret, Stage};
use crate::http::routes::machine::webhooks::{SUBSCRIBED_EVENT_TYPES, WEBHOOK_PATHS};

const SUBJECT: &str = "webhooks";
/// Number of endpoints in one page. Stripe allows 16 of each kind.
const ENDPOINTS_PER_PAGE: usize = 100;

/// An endpoint as Stripe lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndpointFacts {
    pub url: String,
    pub event_types: BTreeSet<String>,
    /// Whether it receives the events of connected accounts.
    pub is_connect: bool,
    pub is_enabled: bool,
    pub api_version: Option<String>,
}

impl EndpointFacts {
    fn from_json(endpoint: &Value) -> EndpointFacts {
        let text = |name: &str| endpoint[name].as_str().map(str::to_owned);
        let event_types = endpoint["enabled_events"].as_array();
        EndpointFacts {
            url: text("url").unwrap_or_default(),
            event_types: event_types
                .into_iter()
                .flatten()
                .filter_map(|name| name.as_str().map(str::to_owned))
                .collect(),
            is_connect: !endpoint["application"].is_null(),
            is_enabled: endpoint["status"] == "enabled",
            api_version: text("api_version"),
        }
    }
}

/// Reads the endpoints and judges them.
pub async fn examine(inspector: &StripeInspector, config: &Config) -> Vec<Finding> {
    let path = format!("/webhook_endpoints?limit={ENDPOINTS_PER_PAGE}");
    let mut findings = match readable(SUBJECT, "the list", inspector.read(None, &path).await) {
        Ok(answer) => {
            let rows = answer.body["data"].as_array();
            let endpoints: Vec<EndpointFacts> = rows
                .into_iter()
                .flatten()
                .map(EndpointFacts::from_json)
                .collect();
            judge_endpoints(&endpoints, &config.public_url)
        }
        Err(unknown) => vec![unknown],
    };
    let secrets: Vec<&str> = config
        .stripe
        .webhook_secrets
        .iter()
        .map(Secret::expose)
        .collect();
    findings.push(if config.stage == Stage::Demo {
        Finding::green(SUBJECT, "the demo's own secret is set")
    } else {
        judge_secrets(&secrets)
    });
    findings
}

/// Judges the endpoints. `public_url`: the site's address without a trailing slash.
pub fn judge_endpoints(endpoints: &[EndpointFacts], public_url: &str) -> Vec<Finding> {
    let addresses = WEBHOOK_PATHS.map(|path| format!("{public_url}{path}"));
    [(false, "your account"), (true, "connected accounts")]
        .into_iter()
        .flat_map(|(is_connect, whose)| {
            let of_kind: Vec<&EndpointFacts> = endpoints
                .iter()
                .filter(|endpoint| endpoint.is_connect == is_connect)
                .collect();
            judge_kind(&of_kind, &addresses, whose)
        })
        .collect()
}

fn judge_kind(endpoints: &[&EndpointFacts], addresses: &[String], whose: &str) -> Vec<Finding> {
    let here: Vec<&&EndpointFacts> = endpoints
        .iter()
        .filter(|endpoint| addresses.contains(&endpoint.url))
        .collect();
    let create = format!("create one at {} in Stripe's dashboard", addresses[1]);
    let Some(first) = here.first() else {
        let elsewhere: Vec<&str> = endpoints
            .iter()
            .map(|endpoint| endpoint.url.as_str())
            .collect();
        let what = if elsewhere.is_empty() {
            format!("no endpoint receives the events of {whose}")
        } else {
            let elsewhere = elsewhere.join(", ");
            format!("the events of {whose} go to {elsewhere}, not to this site")
        };
        return vec![Finding::red(SUBJECT, what, create)];
    };
    let mut findings = Vec::new();
    if here.len() > 1 {
        findings.push(Finding::yellow(
            SUBJECT,
            format!(
                "{} endpoints receive the events of {whose}: each event comes several times",
                here.len()
            ),
            "delete all but one",
        ));
    }
    if !first.is_enabled {
        findings.push(Finding::red(
            SUBJECT,
            format!("the endpoint for the events of {whose} is disabled"),
            "enable it in Stripe's dashboard, and resend the events that it missed",
        ));
    }
    findings.extend(judge_event_types(&first.event_types, whose));
    match &first.api_version {
        Some(version) if version == STRIPE_API_VERSION => {}
        other => findings.push(Finding::yellow(
            SUBJECT,
            format!(
                "events of {whose} have the API version {}, not {STRIPE_API_VERSION}",
                other.as_deref().unwrap_or("of the account's default")
            ),
            format!("create the endpoint anew with the version {STRIPE_API_VERSION}"),
        )),
    }
    if findings.is_empty() {
        findings.push(Finding::green(
            SUBJECT,
            format!("one endpoint receives the events of {whose}, with the right types"),
        ));
    }
    findings
}

fn judge_event_types(event_types: &BTreeSet<String>, whose: &str) -> Option<Finding> {
    if event_types.contains("*") {
        return Some(Finding::yellow(
            SUBJECT,
            format!("the endpoint for {whose} receives events of all types"),
            "choose only the types of server/deploy/stripe.md, because each event costs two writes",
        ));
    }
    let missing: Vec<&str> = SUBSCRIBED_EVENT_TYPES
        .into_iter()
        .filter(|name| !event_types.contains(*name))
        .collect();
    if !missing.is_empty() {
        return Some(Finding::red(
            SUBJECT,
            format!("the endpoint for {whose} lacks {}", missing.join(", ")),
            "add these event types in Stripe's dashboard",
        ));
    }
    let extra: Vec<&str> = event_types
        .iter()
        .map(String::as_str)
        .filter(|name| !SUBSCRIBED_EVENT_TYPES.contains(name))
        .collect();
    (!extra.is_empty()).then(|| {
        Finding::yellow(
            SUBJECT,
            format!(
                "the endpoint for {whose} also receives {}",
                extra.join(", ")
            ),
            "remove these event types: the server does not use them",
        )
    })
}

/// Judges the secrets. Stripe shows a secret only once, so which endpoint one belongs to cannot be
/// read.
pub fn judge_secrets(secrets: &[&str]) -> Finding {
    let different: BTreeSet<&&str> = secrets.iter().collect();
    if !secrets.iter().all(|secret| secret.starts_with("whsec_")) {
        return Finding::red(
            SUBJECT,
            "a value of STRIPE_WEBHOOK_SECRETS is no signing secret",
            "set the secrets that begin with whsec_, separated by commas",
        );
    }
    if different.len() < 2 {
        return Finding::red(
            SUBJECT,
            format!(
                "{} signing secret is set, and two endpoints have two",
                different.len()
            ),
            "add the other endpoint's secret to STRIPE_WEBHOOK_SECRETS",
        );
    }
    Finding::green(
        SUBJECT,
        format!(
            "{} signing secrets are set (only a test event shows whether they are those of the endpoints)",
            different.len()
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::super::FindingState::{self, Green, Red, Yellow};
    use super::*;

    const SITE: &str = "https://doubles.example.com";

    fn endpoint(is_connect: bool) -> EndpointFacts {
        EndpointFacts {
            url: format!("{SITE}/api/webhooks/stripe"),
            event_types: SUBSCRIBED_EVENT_TYPES.map(str::to_owned).into(),
            is_connect,
            is_enabled: true,
            api_version: Some(STRIPE_API_VERSION.to_owned()),
        }
    }

    fn states(change: impl FnOnce(&mut Vec<EndpointFacts>)) -> Vec<FindingState> {
        let mut endpoints = vec![endpoint(false), endpoint(true)];
        change(&mut endpoints);
        judge_endpoints(&endpoints, SITE)
            .into_iter()
            .map(|finding| finding.state)
            .collect()
    }

    #[test]
    fn each_kind_of_events_needs_one_enabled_complete_endpoint() {
        assert_eq!(states(|_| {}), [Green, Green]);
        assert_eq!(states(|all| drop(all.remove(1))), [Green, Red]);
        assert_eq!(states(Vec::clear), [Red, Red]);
        assert_eq!(states(|all| all.push(endpoint(true))), [Green, Yellow]);
        assert_eq!(states(|all| all[0].is_enabled = false), [Red, Green]);
        let elsewhere =
            |all: &mut Vec<EndpointFacts>| all[0].url = "https://old.example/hook".into();
        assert_eq!(states(elsewhere), [Red, Green]);
        let version = |all: &mut Vec<EndpointFacts>| all[1].api_version = Some("2020-08-27".into());
        assert_eq!(states(version), [Green, Yellow]);
    }

    #[test]
    fn event_types_must_be_those_that_the_server_handles() {
        for name in SUBSCRIBED_EVENT_TYPES {
            let lacking =
                |all: &mut Vec<EndpointFacts>| all[0].event_types.retain(|kind| kind != name);
            assert_eq!(states(lacking), [Red, Green], "{name}");
        }
        let extra =
            |all: &mut Vec<EndpointFacts>| all[0].event_types.extend(["plan.created".to_owned()]);
        assert_eq!(states(extra), [Yellow, Green]);
        let all_types = |all: &mut Vec<EndpointFacts>| all[0].event_types = ["*".to_owned()].into();
        assert_eq!(states(all_types), [Yellow, Green]);
    }

    #[test]
    fn two_endpoints_need_two_different_secrets() {
        assert_eq!(judge_secrets(&["whsec_a", "whsec_b"]).state, Green);
        assert_eq!(judge_secrets(&["whsec_a"]).state, Red);
        assert_eq!(judge_secrets(&["whsec_a", "whsec_a"]).state, Red);
        assert_eq!(judge_secrets(&["whsec_a", "sk_test_b"]).state, Red);
    }
}
