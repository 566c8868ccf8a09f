//! Checks of single values at startup. Each problem names the variable and what to do, and never
//! repeats the value.

use actix_web::http::uri::Authority;
use domain::FeePolicy;
use url::Url;

use super::environment::{ConfigProblems, Environment};
use super::{STRIPE_API_URL, split_list};
use crate::text::contact_format::{is_email, is_mailbox, is_phone};

/// Highest allowed rate of the platform fee in basis points: 100 % of the price.
const FEE_RATE_BPS_MAX: u32 = 10_000;
/// Highest allowed cap of the platform fee of one draw, in cents.
const FEE_CAP_CENTS_MAX: i64 = 100_000;
/// Minimum number of characters of a webhook secret after `whsec_`. Stripe's secrets have 32.
const WEBHOOK_SECRET_CHARS_MIN: usize = 12;
const STRIPE_CALLS_PER_SECOND_MAX: u32 = 10_000;

/// The mode of a Stripe key: test or live.
#[derive(Clone, Copy, PartialEq, Eq)]
enum StripeKeyMode {
    Live,
    Test,
}

impl Environment {
    /// Returns the value of a variable; `None` if it is missing or still has a demo value. Both are
    /// problems that `Environment::required` reports.
    fn configured_value(&self, name: &str) -> Option<String> {
        self.required(name).ok()
    }

    /// Checks that the variables of a production configuration have usable values. Most missing
    /// variables are reported by `Environment::required` instead.
    pub(super) fn check_production(&self, problems: &mut ConfigProblems) {
        self.check_seal_key(problems);
        self.check_public_url(problems);
        self.check_stripe_keys(problems);
        self.check_mail(problems);
        for name in ["DATABASE_URL", "BANK_DATABASE_URL"] {
            let is_postgres =
                |url: String| url.starts_with("postgres://") || url.starts_with("postgresql://");
            let is_valid = self.configured_value(name).is_none_or(is_postgres);
            problems.require(is_valid, || {
                format!("{name} must begin with postgres://, as in .env.example")
            });
        }
        if self.get("FEE_PASSTHROUGH").is_none() {
            problems.add("FEE_PASSTHROUGH is missing: set it to allowed or forbidden, as the law on card fees says");
        }
        self.check_listeners(problems);
    }

    /// Checks that numbers are within their ranges and that the source's address is a web address,
    /// in production and in the demo.
    pub(super) fn check_ranges(&self, problems: &mut ConfigProblems) {
        let is_web = |url: String| {
            Url::parse(&url).is_ok_and(|url| url.scheme() == "https" && url.has_host())
        };
        problems.require(self.get("SOURCE_URL").is_none_or(is_web), || {
            "SOURCE_URL must begin with https://".to_string()
        });
        let rate = self
            .parse("FEE_RATE_BPS", FeePolicy::DEFAULT.rate_bps)
            .unwrap_or_default();
        problems.require(rate <= FEE_RATE_BPS_MAX, || {
            format!("FEE_RATE_BPS must be from 0 to {FEE_RATE_BPS_MAX}")
        });
        let cap = self
            .parse("FEE_CAP_CENTS", FeePolicy::DEFAULT.cap.0)
            .unwrap_or_default();
        let is_valid = (0..=FEE_CAP_CENTS_MAX).contains(&cap);
        problems.require(is_valid, || {
            format!("FEE_CAP_CENTS must be from 0 to {FEE_CAP_CENTS_MAX}")
        });
        let calls = self.parse("STRIPE_CALLS_PER_SECOND", 1).unwrap_or(1);
        let is_valid = calls <= STRIPE_CALLS_PER_SECOND_MAX;
        problems.require(is_valid, || {
            format!("STRIPE_CALLS_PER_SECOND must be from 1 to {STRIPE_CALLS_PER_SECOND_MAX}")
        });
    }

    /// Checks that the sealing key is 32 bytes as 64 hexadecimal digits, and not one repeated byte.
    fn check_seal_key(&self, problems: &mut ConfigProblems) {
        let Some(key) = self.get("SEAL_KEY") else {
            return;
        };
        let is_valid = hex::decode(&key)
            .is_ok_and(|key| key.len() == 32 && key.iter().any(|byte| *byte != key[0]));
        problems.require(is_valid, || {
            "SEAL_KEY must be 64 hexadecimal digits from a random generator".to_string()
        });
    }

    /// Checks that the public URL uses TLS or names this machine. Otherwise session cookies would
    /// be sent unencrypted.
    fn check_public_url(&self, problems: &mut ConfigProblems) {
        let Some(url) = self.configured_value("PUBLIC_URL") else {
            return;
        };
        let (is_secure, rest) = match (url.strip_prefix("https://"), url.strip_prefix("http://")) {
            (Some(rest), _) => (true, rest),
            (None, Some(rest)) => (false, rest),
            (None, None) => return problems.add("PUBLIC_URL must begin with https://"),
        };
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        let local = matches!(
            rest.split([':', '/']).next(),
            Some("localhost" | "127.0.0.1")
        );
        if !is_secure && !local {
            return problems.add("PUBLIC_URL must begin with https://");
        }
        let is_origin = rest
            .parse::<Authority>()
            .is_ok_and(|found| !found.host().is_empty())
            && !rest.contains('@');
        problems.require(is_origin, || {
            "PUBLIC_URL must be a host alone, as https://doubles.example.com: no path, no query, no user".to_string()
        });
    }

    fn check_stripe_keys(&self, problems: &mut ConfigProblems) {
        let secret = self.configured_value("STRIPE_SECRET_KEY");
        let publishable = self.configured_value("STRIPE_PUBLISHABLE_KEY");
        let secret_mode = secret
            .as_deref()
            .map(|key| stripe_key_mode(key, &["sk_", "rk_"]));
        let publishable_mode = publishable
            .as_deref()
            .map(|key| stripe_key_mode(key, &["pk_"]));
        problems.require(secret_mode != Some(None), || {
            "STRIPE_SECRET_KEY must begin with sk_live_, sk_test_, rk_live_ or rk_test_: take the secret key of the \
             dashboard's API keys"
                .to_string()
        });
        problems.require(publishable_mode != Some(None), || {
            "STRIPE_PUBLISHABLE_KEY must begin with pk_live_ or pk_test_: every browser reads it, so never set a secret \
             key there"
                .to_string()
        });
        if let (Some(Some(secret)), Some(Some(publishable))) = (secret_mode, publishable_mode) {
            problems.require(secret == publishable, || {
                "STRIPE_SECRET_KEY and STRIPE_PUBLISHABLE_KEY are of different modes: take both live or both test"
                    .to_string()
            });
        }
        if let Some(secrets) = self.configured_value("STRIPE_WEBHOOK_SECRETS") {
            let is_secret = |text: &str| {
                text.strip_prefix("whsec_")
                    .is_some_and(|rest| rest.len() >= WEBHOOK_SECRET_CHARS_MIN)
            };
            let is_valid = split_list(&secrets).count() > 0 && split_list(&secrets).all(is_secret);
            problems.require(is_valid, || {
                "STRIPE_WEBHOOK_SECRETS must be signing secrets that begin with whsec_: copy them from the webhook's page"
                    .to_string()
            });
        }
        let api_url = self
            .get("STRIPE_API_URL")
            .unwrap_or_else(|| STRIPE_API_URL.to_string());
        let is_valid = api_url.starts_with("https://") || api_url.starts_with("http://");
        problems.require(is_valid, || {
            "STRIPE_API_URL must begin with https://".to_string()
        });
    }

    fn check_mail(&self, problems: &mut ConfigProblems) {
        let is_smtp = |url: String| url.starts_with("smtp://") || url.starts_with("smtps://");
        let is_valid = self.configured_value("SMTP_URL").is_none_or(is_smtp);
        problems.require(is_valid, || {
            "SMTP_URL must begin with smtps:// or smtp://".to_string()
        });
        let is_valid = self
            .configured_value("MAIL_FROM")
            .is_none_or(|from| is_mailbox(&from));
        problems.require(is_valid, || {
            "MAIL_FROM must be an e-mail address, as Football Doubles <tickets@example.com>"
                .to_string()
        });
        let is_valid = self
            .configured_value("SUPPORT_EMAIL")
            .is_none_or(|email| is_email(&email));
        problems.require(is_valid, || {
            "SUPPORT_EMAIL must be an e-mail address".to_string()
        });
        let is_valid = self
            .configured_value("SUPPORT_SMS")
            .is_none_or(|phone| is_phone(&phone));
        problems.require(is_valid, || {
            "SUPPORT_SMS must be a phone number".to_string()
        });
    }

    /// Checks that browsers, Prometheus and other nodes use three different ports.
    fn check_listeners(&self, problems: &mut ConfigProblems) {
        let port = |name: &str| {
            let address: Option<std::net::SocketAddr> = self.parse_optional(name).ok().flatten();
            address
                .map(|address| address.port())
                .filter(|port| *port != 0)
        };
        let browsers: u16 = self.parse("PORT", super::PORT_DEFAULT).unwrap_or_default();
        let (metrics, node) = (port("METRICS_ADDR"), port("NODE_ADDRESS"));
        problems.require(metrics != Some(browsers), || {
            "METRICS_ADDR must have another port than PORT".to_string()
        });
        problems.require(node != Some(browsers), || {
            "NODE_ADDRESS must have another port than PORT".to_string()
        });
        let are_distinct = metrics.is_none() || metrics != node;
        problems.require(are_distinct, || {
            "METRICS_ADDR must have another port than NODE_ADDRESS".to_string()
        });
    }
}

/// Returns the mode of a Stripe key that starts with one of `prefixes` and a mode; `None` for any
/// other text.
fn stripe_key_mode(key: &str, prefixes: &[&str]) -> Option<StripeKeyMode> {
    let rest = prefixes
        .iter()
        .find_map(|prefix| key.strip_prefix(prefix))?;
    let has_text = |rest: &str, mode: StripeKeyMode| (!rest.is_empty()).then_some(mode);
    match (rest.strip_prefix("live_"), rest.strip_prefix("test_")) {
        (Some(rest), _) => has_text(rest, StripeKeyMode::Live),
        (_, Some(rest)) => has_text(rest, StripeKeyMode::Test),
        _ => None,
    }
}
