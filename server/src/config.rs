//! Configuration from the environment. Secrets are read into a type that is never printed. All
//! values are checked before the server starts.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::num::NonZeroU32;
use std::path::PathBuf;

use actors::AccountsApi;
use domain::{Cents, FeePolicy, SurchargeMode};

mod checks;
mod environment;
mod variable_names;
pub use environment::{ConfigProblems, Environment};
use variable_names::UnknownVariableCheck;

/// TCP port of the demo when the variable `PORT` is not set.
pub const PORT_DEFAULT: u16 = 8080;
/// The demo's secret key for the sandbox, which stands in for Stripe. `serve` refuses it.
pub const DEMO_SECRET_KEY: &str = "sk_test_demo";
pub const DEMO_PUBLISHABLE_KEY: &str = "pk_test_demo";
pub const DEMO_WEBHOOK_SECRET: &str = "whsec_demo";
/// Base URL of Stripe's API.
pub const STRIPE_API_URL: &str = "https://api.stripe.com";
/// Default maximum of Stripe calls per second with a live key: four fifths of Stripe's documented
/// limit of 100 (reliability.md, F26).
const STRIPE_LIVE_CALLS_PER_SECOND: u32 = 80;
/// Default maximum of Stripe calls per second with a test key: four fifths of Stripe's documented
/// limit of 25 (reliability.md, F26).
const STRIPE_TEST_CALLS_PER_SECOND: u32 = 20;
/// The specification's version label, used unless `BUILD_VERSION` is set (decision J-9).
pub const BUILD_VERSION_DEFAULT: &str = "2025-08-29T00:00Z";

/// The tax note next to the platform's fee in reports, used unless `FEE_NOTE` is set (decision
/// D-15).
pub const FEE_NOTE_DEFAULT: &str = "incl. GST where applicable";

/// A value that is never printed. `expose` is the only access to it, and easy to search for.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    pub fn new(value: impl Into<String>) -> Secret {
        Secret(value.into())
    }

    /// Returns the secret value in clear text.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl Config {
    /// Returns the URL of a payment of a club's account in Stripe's dashboard. In the demo it is
    /// the payment's page in the sandbox.
    pub fn dashboard_url(&self, account: &str, payment_intent: &str) -> String {
        #[cfg(feature = "demo")]
        if self.stage == Stage::Demo {
            return format!("/sandbox#{payment_intent}");
        }
        let mode = if self.stripe.secret_key.expose().contains("_live_") {
            ""
        } else {
            "test/"
        };
        format!("https://dashboard.stripe.com/{account}/{mode}payments/{payment_intent}")
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// The environment that the server runs in: demo or production.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// `cargo run` and the tests: seeded data, private Postgres, sandbox instead of Stripe, mailbox
    /// instead of SMTP.
    Demo,
    /// `serve`: all settings come from the environment.
    Production,
}

/// All settings of a server.
#[derive(Clone, Debug)]
pub struct Config {
    pub stage: Stage,
    /// IP address and port on which the server listens for browsers. With port 0 the operating
    /// system chooses a free port.
    pub listen: SocketAddr,
    /// IP address and port on which `/metrics` is served, apart from the listener for browsers
    /// (decision B-24). `None` serves no metrics.
    pub metrics: Option<SocketAddr>,
    /// IP address and port at which other nodes of the same database call this node, apart from
    /// the listener for browsers. Other nodes receive it exactly as written here. `None` runs a
    /// single node.
    pub node: Option<SocketAddr>,
    /// The URL under which browsers reach the server, without a trailing slash. Empty until the
    /// demo knows its port.
    pub public_url: String,
    /// The demo's folder: Postgres, the sandbox's journal and the sealing key. `serve` uses no
    /// folder, because uploaded pictures are stored in the database.
    pub data_dir: PathBuf,
    /// The folder of a built front end. With `None` the server looks for `web/dist`.
    pub web_dir: Option<PathBuf>,
    /// The program that decodes uploaded pictures in a child process: this program, except in
    /// tests.
    pub picture_program: PathBuf,
    /// Proxies whose `X-Forwarded-For` is trusted (decision G-13).
    pub proxies: Vec<IpAddr>,
    pub database_url: Option<Secret>,
    /// Connection URL with the database login that owns bank details. The login of `database_url`
    /// must not reach bank details (decision F-7). A private Postgres creates its own bank login.
    pub bank_database_url: Option<Secret>,
    /// The key that seals deal seeds and bank details. It is kept outside the database (decisions
    /// K-3, B-4). `None` uses the demo's own key, created on its first start.
    pub seal_key: Option<Secret>,
    pub stripe: StripeConfig,
    pub mail: MailConfig,
    pub support: SupportConfig,
    pub fees: FeeConfig,
    /// The tax note next to the platform's fee in reports (decision D-15).
    pub fee_note: String,
    /// Months after the game at which a buyer's details are erased (decision F-8).
    pub buyer_details_kept_months: u8,
    pub build_version: String,
    /// The address of this server's source code, which the AGPL requires to offer. `None` shows the
    /// support address instead.
    pub source_url: Option<String>,
}

/// Settings of the Stripe client.
#[derive(Clone, Debug)]
pub struct StripeConfig {
    /// Base URL of Stripe's API. The demo calls its own sandbox instead, unless this URL is on
    /// `127.0.0.1`.
    pub api_url: String,
    pub secret_key: Secret,
    pub publishable_key: String,
    /// All secrets that may have signed a webhook: the platform's, Connect's, and an old secret
    /// during a rotation.
    pub webhook_secrets: Vec<Secret>,
    /// Maximum number of Stripe calls per second of this process, for all clubs together. Further
    /// calls wait, captures first. All nodes share Stripe's limit, so each node must get only a
    /// part of the limit. `None` sets no limit: the demo, and any `STRIPE_API_URL` other than
    /// Stripe's own.
    pub calls_per_second: Option<NonZeroU32>,
    pub accounts_api: AccountsApi,
}

impl StripeConfig {
    /// Returns the default maximum of Stripe calls per second, by the kind of key. `None` if
    /// `api_url` is not Stripe's own, because a simulated Stripe has no limit.
    fn default_stripe_calls_per_second(api_url: &str, secret_key: &Secret) -> Option<NonZeroU32> {
        let is_live = secret_key.expose().contains("_live_");
        let calls = NonZeroU32::new(if is_live {
            STRIPE_LIVE_CALLS_PER_SECOND
        } else {
            STRIPE_TEST_CALLS_PER_SECOND
        });
        calls.filter(|_| api_url == STRIPE_API_URL)
    }
}

/// Settings of outgoing mail.
#[derive(Clone, Debug)]
pub struct MailConfig {
    /// URL of the mail server with its password. `None` stores mails in the demo's mailbox.
    pub smtp_url: Option<Secret>,
    /// The sender address of mails, such as `Football Doubles <tickets@example.com>`.
    pub from: String,
}

/// Support contacts, shown in header, footer, help panels and mails (specification A, line 12;
/// decision J-10).
#[derive(Clone, Debug)]
pub struct SupportConfig {
    pub email: String,
    pub sms: String,
}

/// Settings of the platform's fee and of card fees.
#[derive(Clone, Copy, Debug)]
pub struct FeeConfig {
    /// Rate and cap of the platform fee, copied to each draw when the draw is created (decisions
    /// D-1, D-2).
    pub policy: FeePolicy,
    pub surcharge: SurchargeMode,
    pub card_fee: CardFeePassing,
}

/// Whether a club may pass the card fee on to the buyer (decision D-14: the surcharge ban since 1
/// October 2026).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CardFeePassing {
    Allowed,
    Forbidden,
}

impl Config {
    /// Builds the configuration of the demo and the tests. Every environment variable has a
    /// default.
    pub fn for_demo(environment: &Environment) -> Result<Config, ConfigProblems> {
        let mut problems = ConfigProblems::default();
        environment.check_variable_names(UnknownVariableCheck::Similar, &mut problems);
        environment.check_ranges(&mut problems);
        let port = problems.ok_or_record(environment.parse("PORT", PORT_DEFAULT));
        let config = Config {
            stage: Stage::Demo,
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, port.unwrap_or(PORT_DEFAULT))),
            metrics: problems
                .ok_or_record(environment.parse_optional("METRICS_ADDR"))
                .flatten(),
            node: problems
                .ok_or_record(environment.parse_optional("NODE_ADDRESS"))
                .flatten(),
            public_url: environment.get("PUBLIC_URL").unwrap_or_default(),
            data_dir: environment
                .get_path("FD_DATA_DIR")
                .unwrap_or_else(|| PathBuf::from(".data")),
            web_dir: environment.get_path("FD_WEB_DIR"),
            picture_program: running_program_path(),
            proxies: Vec::new(),
            // `DATABASE_URL` may name a real database in a developer's shell. The demo would migrate
            // it and seed it.
            database_url: environment.get_secret("FD_DEMO_DATABASE_URL"),
            bank_database_url: None,
            seal_key: environment.get_secret("SEAL_KEY"),
            stripe: StripeConfig {
                api_url: environment
                    .get("STRIPE_API_URL")
                    .unwrap_or_else(|| STRIPE_API_URL.to_string()),
                calls_per_second: environment.stripe_calls_per_second(&mut problems),
                accounts_api: environment.stripe_accounts_api(&mut problems),
                secret_key: Secret::new(DEMO_SECRET_KEY),
                publishable_key: DEMO_PUBLISHABLE_KEY.to_string(),
                webhook_secrets: vec![Secret::new(DEMO_WEBHOOK_SECRET)],
            },
            mail: MailConfig {
                smtp_url: None,
                from: "Football Doubles <tickets@demo.test>".to_string(),
            },
            support: SupportConfig {
                email: "support@demo.test".to_string(),
                sms: "0400 000 000".to_string(),
            },
            fees: FeeConfig::from_environment(environment, &mut problems),
            fee_note: environment
                .get("FEE_NOTE")
                .unwrap_or_else(|| FEE_NOTE_DEFAULT.to_string()),
            buyer_details_kept_months: environment.buyer_details_kept_months(&mut problems),
            build_version: environment
                .get("BUILD_VERSION")
                .unwrap_or_else(|| BUILD_VERSION_DEFAULT.to_string()),
            source_url: environment.get("SOURCE_URL"),
        };
        problems.into_result(config)
    }

    /// Builds the configuration of `serve`. Reports all missing variables and all refused demo
    /// values at once, one line each.
    pub fn for_production(environment: &Environment) -> Result<Config, ConfigProblems> {
        let mut problems = ConfigProblems::default();
        let mut required = |name| {
            problems
                .ok_or_record(environment.required(name))
                .unwrap_or_default()
        };
        let public_url = required("PUBLIC_URL").trim_end_matches('/').to_string();
        let database_url = Some(Secret::new(required("DATABASE_URL")));
        let bank_database_url = Some(Secret::new(required("BANK_DATABASE_URL")));
        let seal_key = Some(Secret::new(required("SEAL_KEY")));
        let api_url = environment
            .get("STRIPE_API_URL")
            .unwrap_or_else(|| STRIPE_API_URL.to_string());
        let secret_key = Secret::new(required("STRIPE_SECRET_KEY"));
        let mut stripe = StripeConfig {
            calls_per_second: StripeConfig::default_stripe_calls_per_second(&api_url, &secret_key),
            api_url,
            secret_key,
            publishable_key: required("STRIPE_PUBLISHABLE_KEY"),
            webhook_secrets: split_list(&required("STRIPE_WEBHOOK_SECRETS"))
                .map(Secret::new)
                .collect(),
            accounts_api: AccountsApi::default(),
        };
        let mail = MailConfig {
            smtp_url: Some(Secret::new(required("SMTP_URL"))),
            from: required("MAIL_FROM"),
        };
        let support = SupportConfig {
            email: required("SUPPORT_EMAIL"),
            sms: required("SUPPORT_SMS"),
        };
        stripe.calls_per_second = environment
            .stripe_calls_per_second(&mut problems)
            .or(stripe.calls_per_second);
        stripe.accounts_api = environment.stripe_accounts_api(&mut problems);
        environment.check_variable_names(UnknownVariableCheck::SimilarOrOwnPrefix, &mut problems);
        environment.check_production(&mut problems);
        environment.check_ranges(&mut problems);
        let config = Config {
            stage: Stage::Production,
            listen: SocketAddr::from((
                problems
                    .ok_or_record(environment.parse("BIND_ADDR", Ipv4Addr::UNSPECIFIED))
                    .unwrap_or(Ipv4Addr::UNSPECIFIED),
                problems
                    .ok_or_record(environment.parse("PORT", PORT_DEFAULT))
                    .unwrap_or(PORT_DEFAULT),
            )),
            metrics: problems
                .ok_or_record(environment.parse_optional("METRICS_ADDR"))
                .flatten(),
            node: problems
                .ok_or_record(environment.parse_optional("NODE_ADDRESS"))
                .flatten(),
            public_url,
            data_dir: environment
                .get_path("FD_DATA_DIR")
                .unwrap_or_else(|| PathBuf::from(".data")),
            web_dir: environment.get_path("FD_WEB_DIR"),
            picture_program: running_program_path(),
            proxies: problems
                .ok_or_record(environment.parse_ip_addresses("TRUSTED_PROXIES"))
                .unwrap_or_default(),
            database_url,
            bank_database_url,
            seal_key,
            stripe,
            mail,
            support,
            fees: FeeConfig::from_environment(environment, &mut problems),
            fee_note: environment
                .get("FEE_NOTE")
                .unwrap_or_else(|| FEE_NOTE_DEFAULT.to_string()),
            buyer_details_kept_months: environment.buyer_details_kept_months(&mut problems),
            build_version: environment
                .get("BUILD_VERSION")
                .unwrap_or_else(|| BUILD_VERSION_DEFAULT.to_string()),
            source_url: environment.get("SOURCE_URL"),
        };
        problems.into_result(config)
    }

    /// Builds the configuration of a command that works on the database of `DATABASE_URL`. It never
    /// uses a private Postgres: a command started without its environment variables would then
    /// report success about an empty database.
    pub fn for_database_tool(environment: &Environment) -> Result<Config, ConfigProblems> {
        if environment.get("STRIPE_SECRET_KEY").is_some() {
            return Config::for_production(environment);
        }
        let mut problems = ConfigProblems::default();
        for name in ["DATABASE_URL", "SEAL_KEY"] {
            problems.require(environment.get(name).is_some(), || {
                if cfg!(feature = "demo") {
                    format!("{name} is missing: set it, or say --demo for the private Postgres in FD_DATA_DIR")
                } else {
                    format!("{name} is missing")
                }
            });
        }
        problems.into_result(())?;
        Ok(Config {
            database_url: environment.get_secret("DATABASE_URL"),
            bank_database_url: environment.get_secret("BANK_DATABASE_URL"),
            ..Config::for_demo(environment)?
        })
    }

    /// Whether the server is behind a TLS proxy but trusts no proxy. All callers then have
    /// the proxy's IP address, and share its rate limits.
    pub fn lacks_trusted_proxies(&self) -> bool {
        self.uses_tls() && self.proxies.is_empty()
    }

    /// Whether browsers reach the server over TLS. Only then do cookies have the attribute `Secure`
    /// and the prefix `__Host-` (decision G-5).
    pub fn uses_tls(&self) -> bool {
        self.public_url.starts_with("https://")
    }
}

impl FeeConfig {
    fn from_environment(environment: &Environment, problems: &mut ConfigProblems) -> FeeConfig {
        let policy = FeePolicy::DEFAULT;
        let rate_bps = problems
            .ok_or_record(environment.parse("FEE_RATE_BPS", policy.rate_bps))
            .unwrap_or(policy.rate_bps);
        let cap = problems
            .ok_or_record(environment.parse("FEE_CAP_CENTS", policy.cap.0))
            .unwrap_or(policy.cap.0);
        let surcharge = problems.ok_or_record(environment.parse_choice(
            "SURCHARGE_MODE",
            [
                ("per_line", SurchargeMode::PerLine),
                ("per_charge", SurchargeMode::PerCharge),
            ],
        ));
        let card_fee = problems.ok_or_record(environment.parse_choice(
            "FEE_PASSTHROUGH",
            [
                ("allowed", CardFeePassing::Allowed),
                ("forbidden", CardFeePassing::Forbidden),
            ],
        ));
        FeeConfig {
            policy: FeePolicy {
                rate_bps,
                cap: Cents(cap),
            },
            surcharge: surcharge.unwrap_or_default(),
            card_fee: card_fee.unwrap_or(CardFeePassing::Allowed),
        }
    }
}

/// Splits comma-separated values and drops blanks.
fn split_list(list: &str) -> impl Iterator<Item = &str> {
    list.split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty())
}

/// The path of the running program. It works even after a deploy replaced the program's file.
pub fn running_program_path() -> PathBuf {
    if cfg!(target_os = "linux") {
        return PathBuf::from("/proc/self/exe");
    }
    std::env::current_exe().unwrap_or_else(|_| PathBuf::from("server"))
}

#[cfg(test)]
mod tests;
