//! The content security policy of the pages: it must let the browser load Stripe's script, frames and
//! calls. A proxy in front of the server may have replaced it.

use std::time::Duration;

use http_body_util::Empty;
use hyper::header::{CONTENT_SECURITY_POLICY, HeaderName};
use hyper::{Request, StatusCode};
use hyper_rustls::HttpsConnectorBuilder;
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;

use super::Finding;
use crate::config::{Config, Stage};
use crate::render::security_policy;

const SUBJECT: &str = "pages";
const PAGE_TIMEOUT: Duration = Duration::from_secs(10);
/// The directives of the policy, and Stripe's hosts that each must name
/// (<https://docs.stripe.com/security/guide#content-security-policy>).
const STRIPE_HOSTS: [(&str, &[&str]); 3] = [
    (
        "script-src",
        &["https://js.stripe.com", "https://*.js.stripe.com"],
    ),
    (
        "frame-src",
        &[
            "https://js.stripe.com",
            "https://*.js.stripe.com",
            "https://hooks.stripe.com",
        ],
    ),
    ("connect-src", &["https://api.stripe.com"]),
];

/// Judges the policy that this configuration makes, and the one that the site answers with.
pub async fn examine(config: &Config) -> Vec<Finding> {
    if config.stage == Stage::Demo {
        return vec![Finding::green(
            SUBJECT,
            "the demo's pages load the stand-in's script, and nothing from Stripe",
        )];
    }
    vec![
        judge_policy("the server's policy", &security_policy::page_policy(config)),
        match served_headers(&config.public_url).await {
            Ok(headers) => judge_served(&headers),
            Err(why) => Finding::unknown(
                SUBJECT,
                format!(
                    "{} does not answer from here, so its headers were not read: {why}",
                    config.public_url
                ),
            ),
        },
    ]
}

/// The headers of a page that matter for payments.
#[derive(Clone, Debug, Default)]
pub struct PageHeaders {
    pub policy: Option<String>,
    pub opener_policy: Option<String>,
}

async fn served_headers(public_url: &str) -> anyhow::Result<PageHeaders> {
    let connector = HttpsConnectorBuilder::new()
        .with_webpki_roots()
        .https_or_http()
        .enable_http1()
        .build();
    let client = Client::builder(TokioExecutor::new()).build(connector);
    let request = Request::get(format!("{public_url}/")).body(Empty::<bytes::Bytes>::new())?;
    let answer = tokio::time::timeout(PAGE_TIMEOUT, client.request(request)).await??;
    anyhow::ensure!(
        answer.status() == StatusCode::OK,
        "status {}",
        answer.status()
    );
    let text = |name: HeaderName| {
        let value = answer.headers().get(name)?;
        value.to_str().ok().map(str::to_owned)
    };
    Ok(PageHeaders {
        policy: text(CONTENT_SECURITY_POLICY),
        opener_policy: text(HeaderName::from_static("cross-origin-opener-policy")),
    })
}

/// Judges the headers that the site answers with.
pub fn judge_served(headers: &PageHeaders) -> Finding {
    if headers.opener_policy.as_deref() == Some("same-origin") {
        return Finding::red(
            SUBJECT,
            "the site answers with Cross-Origin-Opener-Policy: same-origin, which cuts off the windows of wallets",
            "let the proxy pass the server's own header (same-origin-allow-popups)",
        );
    }
    match &headers.policy {
        Some(policy) => judge_policy("the site's policy", policy),
        None => Finding::red(
            SUBJECT,
            "the site answers without a content security policy",
            "let the proxy pass the server's own header",
        ),
    }
}

/// Judges a content security policy.
pub fn judge_policy(whose: &str, policy: &str) -> Finding {
    let sources_of = |directive: &str| {
        let mut directives = policy.split(';').map(str::split_whitespace);
        directives.find_map(|mut words| (words.next() == Some(directive)).then_some(words))
    };
    for (directive, hosts) in STRIPE_HOSTS {
        let Some(sources) = sources_of(directive) else {
            return Finding::red(
                SUBJECT,
                format!("{whose} has no {directive}"),
                "let the proxy pass the server's own header",
            );
        };
        let sources: Vec<&str> = sources.collect();
        if let Some(missing) = hosts.iter().find(|host| !sources.contains(host)) {
            return Finding::red(
                SUBJECT,
                format!(
                    "{whose} does not allow {missing} in {directive}, so the card form stays empty"
                ),
                "let the proxy pass the server's own header",
            );
        }
    }
    Finding::green(
        SUBJECT,
        format!("{whose} allows Stripe's script, frames and calls"),
    )
}

#[cfg(test)]
mod tests {
    use super::super::FindingState::{Green, Red};
    use super::*;
    use crate::config::Environment;

    fn production_policy() -> String {
        let mut config = Config::for_demo(&Environment::default()).expect("the demo needs nothing");
        config.stage = Stage::Production;
        security_policy::page_policy(&config)
    }

    #[test]
    fn each_host_of_stripe_must_be_allowed() {
        let policy = production_policy();
        assert_eq!(judge_policy("it", &policy).state, Green, "{policy}");
        for (directive, hosts) in STRIPE_HOSTS {
            for host in hosts {
                let broken: Vec<String> = policy
                    .split(';')
                    .map(|part| {
                        let is_it = part.trim_start().starts_with(directive);
                        let kept = part
                            .split_whitespace()
                            .filter(|word| !is_it || word != host);
                        kept.collect::<Vec<_>>().join(" ")
                    })
                    .collect();
                let finding = judge_policy("it", &broken.join(";"));
                assert_eq!(finding.state, Red, "{directive} {host}");
            }
        }
        assert_eq!(judge_policy("it", "default-src 'none'").state, Red);
    }

    #[test]
    fn served_headers_must_not_be_replaced() {
        let good = PageHeaders {
            policy: Some(production_policy()),
            opener_policy: Some("same-origin-allow-popups".into()),
        };
        assert_eq!(judge_served(&good).state, Green);
        let isolated = PageHeaders {
            opener_policy: Some("same-origin".into()),
            ..good.clone()
        };
        assert_eq!(judge_served(&isolated).state, Red);
        let without = PageHeaders {
            policy: None,
            ..good
        };
        assert_eq!(judge_served(&without).state, Red);
    }
}
