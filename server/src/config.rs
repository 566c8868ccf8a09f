//! What the environment says. Secrets are read here, kept apart from everything that prints, and checked before a start.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::num::NonZeroU32;
use std::path::PathBuf;

use domain::{Cents, FeePolicy, SurchargeMode};

mod environment;
pub use environment::{Environment, Problems};

/// Port of the demo when `PORT` is not set.
pub const PORT_DEFAULT: u16 = 8080;
/// The demo's own keys: good for the sandbox and for nothing else. `serve` refuses them.
pub const DEMO_SECRET_KEY: &str = "sk_test_demo";
pub const DEMO_PUBLISHABLE_KEY: &str = "pk_test_demo";
pub const DEMO_WEBHOOK_SECRET: &str = "whsec_demo";
/// Stripe itself.
pub const STRIPE_API_URL: &str = "https://api.stripe.com";
/// Four fifths of the hundred calls a second that it documents for live keys, and of the 25 for test keys (reliability.md, F26).
const LIVE_CALLS_PER_SECOND: u32 = 80;
const TEST_CALLS_PER_SECOND: u32 = 20;
/// The version label of the specification, unless `BUILD_VERSION` is set (decision J-9).
pub const BUILD_VERSION_DEFAULT: &str = "2025-08-29T00:00Z";

/// What reports say beside the platform's fee, unless `FEE_NOTE` is set (decision D-15).
pub const FEE_NOTE_DEFAULT: &str = "incl. GST where applicable";

/// A value that is never printed. `expose` is the only way to it, and easy to search for.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    pub fn new(value: impl Into<String>) -> Secret {
        Secret(value.into())
    }

    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl Config {
    /// Where the provider's own dashboard shows a payment of a club's account; the sandbox has a page of its own.
    pub fn dashboard_url(&self, account: &str, payment_intent: &str) -> String {
        match self.stage {
            Stage::Demo => format!("/sandbox#{payment_intent}"),
            Stage::Production => {
                let mode = if self.stripe.secret_key.expose().contains("_live_") {
                    ""
                } else {
                    "test/"
                };
                format!("https://dashboard.stripe.com/{account}/{mode}payments/{payment_intent}")
            }
        }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// Who the server is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// `cargo run` and the tests: seeded, private Postgres, sandbox instead of Stripe, mailbox instead of SMTP.
    Demo,
    /// `serve`: everything from the environment, nothing made up.
    Production,
}

#[derive(Clone, Debug)]
pub struct Config {
    pub stage: Stage,
    /// Where to listen. Port 0 takes a free one.
    pub listen: SocketAddr,
    /// Where `/metrics` is, apart from everything browsers reach (decision B-24); `None`: nowhere.
    pub metrics: Option<SocketAddr>,
    /// Where other nodes on the same database ask this one, apart from everything browsers reach; `None`: there are none. It
    /// is told to them as it stands here.
    pub node: Option<SocketAddr>,
    /// Address under which browsers reach us, without a trailing slash; empty until the demo knows its port.
    pub public_url: String,
    /// The demo's own: Postgres, the sandbox's journal and the sealing key. `serve` uses no folder; clubs' pictures are in the books.
    pub data_dir: PathBuf,
    /// A built front end; `None` looks for `web/dist`.
    pub web_dir: Option<PathBuf>,
    /// Proxies whose `X-Forwarded-For` is believed (decision G-13).
    pub proxies: Vec<IpAddr>,
    pub database_url: Option<Secret>,
    /// The login that owns bank details, which `database_url`'s must not reach (decision F-7). A private Postgres has its own.
    pub bank_database_url: Option<Secret>,
    /// Seals deal seeds and bank details; kept outside the database (decisions K-3, B-4). `None`: the demo's own, made on
    /// its first start.
    pub seal_key: Option<Secret>,
    pub stripe: StripeConfig,
    pub mail: MailConfig,
    pub support: Support,
    pub fees: Fees,
    /// Beside the platform's fee in reports: what of it is tax (decision D-15).
    pub fee_note: String,
    /// How many months after the game a buyer's details are erased (decision F-8).
    pub buyers_kept_months: u8,
    pub build_version: String,
}

#[derive(Clone, Debug)]
pub struct StripeConfig {
    /// Where the API is. The demo uses its own sandbox instead, at most over another address of this machine.
    pub api_url: String,
    pub secret_key: Secret,
    pub publishable_key: String,
    /// Every secret that may have signed a notice: platform, Connect, and an old one while it is being rolled.
    pub webhook_secrets: Vec<Secret>,
    /// How many calls this process makes in a second, for all clubs together; beyond it they wait, captures first. Nodes share
    /// the provider's limit: each is given its part. `None`, which is the demo's and wherever `STRIPE_API_URL` is another than
    /// Stripe's own: as many as are asked.
    pub calls_per_second: Option<NonZeroU32>,
}

impl StripeConfig {
    /// What of the documented limit is ours to use. Stand-ins have none, and are not slowed down.
    fn calls_documented(api_url: &str, secret_key: &Secret) -> Option<NonZeroU32> {
        let is_live = secret_key.expose().contains("_live_");
        let calls = NonZeroU32::new(if is_live {
            LIVE_CALLS_PER_SECOND
        } else {
            TEST_CALLS_PER_SECOND
        });
        calls.filter(|_| api_url == STRIPE_API_URL)
    }
}

#[derive(Clone, Debug)]
pub struct MailConfig {
    /// `None`: the demo's mailbox.
    pub smtp_url: Option<Secret>,
    /// `Football Doubles <tickets@example.com>`.
    pub from: String,
}

/// Shown in header, footer, help panels and mails (A:12, decision J-10).
#[derive(Clone, Debug)]
pub struct Support {
    pub email: String,
    pub sms: String,
}

#[derive(Clone, Copy, Debug)]
pub struct Fees {
    /// Copied onto each draw when it is created (decisions D-1, D-2).
    pub policy: FeePolicy,
    pub surcharge: SurchargeMode,
    pub card_fee: CardFeePassing,
}

/// Whether a club may pass the card fee on to the buyer (decision D-14: the surcharge ban since 1 October 2026).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CardFeePassing {
    Allowed,
    Forbidden,
}

impl Config {
    /// The demo, and what the tests start from. Reads `PORT`, `FD_DATA_DIR`, `FD_WEB_DIR` and a few others; needs nothing.
    pub fn demo(environment: &Environment) -> Result<Config, Problems> {
        let mut problems = Problems::default();
        let port = problems.keep(environment.parse("PORT", PORT_DEFAULT));
        let config = Config {
            stage: Stage::Demo,
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, port.unwrap_or(PORT_DEFAULT))),
            metrics: problems
                .keep(environment.parse_optional("METRICS_ADDR"))
                .flatten(),
            node: problems
                .keep(environment.parse_optional("NODE_ADDRESS"))
                .flatten(),
            public_url: environment.get("PUBLIC_URL").unwrap_or_default(),
            data_dir: environment
                .path("FD_DATA_DIR")
                .unwrap_or_else(|| PathBuf::from(".data")),
            web_dir: environment.path("FD_WEB_DIR"),
            proxies: Vec::new(),
            database_url: environment.secret("DATABASE_URL"),
            bank_database_url: environment.secret("BANK_DATABASE_URL"),
            seal_key: environment.secret("SEAL_KEY"),
            stripe: StripeConfig {
                api_url: environment
                    .get("STRIPE_API_URL")
                    .unwrap_or_else(|| STRIPE_API_URL.to_string()),
                calls_per_second: environment.calls_per_second(&mut problems),
                secret_key: Secret::new(DEMO_SECRET_KEY),
                publishable_key: DEMO_PUBLISHABLE_KEY.to_string(),
                webhook_secrets: vec![Secret::new(DEMO_WEBHOOK_SECRET)],
            },
            mail: MailConfig {
                smtp_url: None,
                from: "Football Doubles <tickets@demo.test>".to_string(),
            },
            support: Support {
                email: "support@demo.test".to_string(),
                sms: "0400 000 000".to_string(),
            },
            fees: Fees::read(environment, &mut problems),
            fee_note: environment
                .get("FEE_NOTE")
                .unwrap_or_else(|| FEE_NOTE_DEFAULT.to_string()),
            buyers_kept_months: environment.buyers_kept(&mut problems),
            build_version: environment
                .get("BUILD_VERSION")
                .unwrap_or_else(|| BUILD_VERSION_DEFAULT.to_string()),
        };
        problems.or(config)
    }

    /// `serve`: says everything that is missing or still has the demo's value at once, one line each.
    pub fn production(environment: &Environment) -> Result<Config, Problems> {
        let mut problems = Problems::default();
        let mut need = |name| {
            problems
                .keep(environment.required(name))
                .unwrap_or_default()
        };
        let public_url = need("PUBLIC_URL").trim_end_matches('/').to_string();
        let database_url = Some(Secret::new(need("DATABASE_URL")));
        let bank_database_url = Some(Secret::new(need("BANK_DATABASE_URL")));
        let seal_key = Some(Secret::new(need("SEAL_KEY")));
        let api_url = environment
            .get("STRIPE_API_URL")
            .unwrap_or_else(|| STRIPE_API_URL.to_string());
        let secret_key = Secret::new(need("STRIPE_SECRET_KEY"));
        let mut stripe = StripeConfig {
            calls_per_second: StripeConfig::calls_documented(&api_url, &secret_key),
            api_url,
            secret_key,
            publishable_key: need("STRIPE_PUBLISHABLE_KEY"),
            webhook_secrets: split(&need("STRIPE_WEBHOOK_SECRETS"))
                .map(Secret::new)
                .collect(),
        };
        let mail = MailConfig {
            smtp_url: Some(Secret::new(need("SMTP_URL"))),
            from: need("MAIL_FROM"),
        };
        let support = Support {
            email: need("SUPPORT_EMAIL"),
            sms: need("SUPPORT_SMS"),
        };
        stripe.calls_per_second = environment
            .calls_per_second(&mut problems)
            .or(stripe.calls_per_second);
        environment.check_seal_key(&mut problems);
        environment.check_public_url(&mut problems);
        let config = Config {
            stage: Stage::Production,
            listen: SocketAddr::from((
                problems
                    .keep(environment.parse("BIND_ADDR", Ipv4Addr::UNSPECIFIED))
                    .unwrap_or(Ipv4Addr::UNSPECIFIED),
                problems
                    .keep(environment.parse("PORT", PORT_DEFAULT))
                    .unwrap_or(PORT_DEFAULT),
            )),
            metrics: problems
                .keep(environment.parse_optional("METRICS_ADDR"))
                .flatten(),
            node: problems
                .keep(environment.parse_optional("NODE_ADDRESS"))
                .flatten(),
            public_url,
            data_dir: environment
                .path("FD_DATA_DIR")
                .unwrap_or_else(|| PathBuf::from(".data")),
            web_dir: environment.path("FD_WEB_DIR"),
            proxies: problems
                .keep(environment.addresses("TRUSTED_PROXIES"))
                .unwrap_or_default(),
            database_url,
            bank_database_url,
            seal_key,
            stripe,
            mail,
            support,
            fees: Fees::read(environment, &mut problems),
            fee_note: environment
                .get("FEE_NOTE")
                .unwrap_or_else(|| FEE_NOTE_DEFAULT.to_string()),
            buyers_kept_months: environment.buyers_kept(&mut problems),
            build_version: environment
                .get("BUILD_VERSION")
                .unwrap_or_else(|| BUILD_VERSION_DEFAULT.to_string()),
        };
        problems.or(config)
    }

    /// A command beside a server: production when the environment describes one, else the demo in `FD_DATA_DIR`.
    pub fn tool(environment: &Environment) -> Result<Config, Problems> {
        match environment.get("STRIPE_SECRET_KEY") {
            Some(_) => Config::production(environment),
            None => Config::demo(environment),
        }
    }

    /// Cookies are `Secure` and carry the `__Host-` prefix only when browsers reach us over TLS (decision G-5).
    pub fn over_tls(&self) -> bool {
        self.public_url.starts_with("https://")
    }
}

impl Fees {
    fn read(environment: &Environment, problems: &mut Problems) -> Fees {
        let policy = FeePolicy::DEFAULT;
        let rate_bps = problems
            .keep(environment.parse("FEE_RATE_BPS", policy.rate_bps))
            .unwrap_or(policy.rate_bps);
        let cap = problems
            .keep(environment.parse("FEE_CAP_CENTS", policy.cap.0))
            .unwrap_or(policy.cap.0);
        let surcharge = problems.keep(environment.choice(
            "SURCHARGE_MODE",
            [
                ("per_line", SurchargeMode::PerLine),
                ("per_charge", SurchargeMode::PerCharge),
            ],
        ));
        let card_fee = problems.keep(environment.choice(
            "FEE_PASSTHROUGH",
            [
                ("allowed", CardFeePassing::Allowed),
                ("forbidden", CardFeePassing::Forbidden),
            ],
        ));
        Fees {
            policy: FeePolicy {
                rate_bps,
                cap: Cents(cap),
            },
            surcharge: surcharge.unwrap_or_default(),
            card_fee: card_fee.unwrap_or(CardFeePassing::Allowed),
        }
    }
}

/// Comma-separated values, without blanks.
fn split(list: &str) -> impl Iterator<Item = &str> {
    list.split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty())
}

#[cfg(test)]
mod tests;
