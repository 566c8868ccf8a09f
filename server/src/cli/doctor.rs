//! The `doctor` command. It reads the configuration, Stripe, the DNS and the database, changes
//! nothing, and says what is wrong and what to do about it. With `--rehearse` it makes payments with
//! a test key and checks what the product expects of Stripe.
//!
//! Each subject has a file with two parts: one reads, and one judges what was read. A check that
//! cannot run is reported as unknown, never as good.

use std::fmt::{self, Write as _};
use std::future::Future;
use std::net::SocketAddr;
use std::time::Duration;

use actors::payments::stripe::inspection::{StripeAnswer, StripeInspector};
use actors::{GatewayError, StripeSettings};
use anyhow::Context;
use domain::AccountId;
use persistence::Postgres;
use persistence::records::Records;
use serde::Serialize;

use crate::config::Config;
#[cfg(feature = "demo")]
use crate::config::Stage;
use crate::ops::database::Database;

pub mod clock;
pub mod clubs;
pub mod mail_dns;
pub mod postgres;
pub mod rehearsal;
pub mod security_policy;
pub mod stripe_keys;
pub mod webhooks;

/// Longest time of one check.
const CHECK_TIMEOUT: Duration = Duration::from_secs(20);
/// What replaces a secret in the output.
const HIDDEN: &str = "…";

/// Path at which a demo serves the stand-in for Stripe.
#[cfg(feature = "demo")]
const STAND_IN_PATH: &str = "/sandbox/stripe";

/// How a check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FindingState {
    Green,
    /// It works, but should be looked at.
    Yellow,
    /// It does not work.
    Red,
    /// The check could not run.
    Unknown,
}

/// The result of one check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What was checked, for example `keys` or `club sharks`.
    pub subject: String,
    pub state: FindingState,
    pub what: String,
    /// What to do about it. `None`: nothing.
    pub remedy: Option<String>,
}

impl Finding {
    pub fn green(subject: &str, what: impl Into<String>) -> Finding {
        Finding::new(FindingState::Green, subject, what.into(), None)
    }

    pub fn yellow(subject: &str, what: impl Into<String>, remedy: impl Into<String>) -> Finding {
        Finding::new(
            FindingState::Yellow,
            subject,
            what.into(),
            Some(remedy.into()),
        )
    }

    pub fn red(subject: &str, what: impl Into<String>, remedy: impl Into<String>) -> Finding {
        Finding::new(FindingState::Red, subject, what.into(), Some(remedy.into()))
    }

    pub fn unknown(subject: &str, why: impl Into<String>) -> Finding {
        Finding::new(FindingState::Unknown, subject, why.into(), None)
    }

    /// Returns the lines of the table: state, subject and text, and below them the remedy.
    pub fn to_lines(&self, subject_width: usize) -> String {
        let state = match self.state {
            FindingState::Green => "ok",
            FindingState::Yellow => "LOOK",
            FindingState::Red => "WRONG",
            FindingState::Unknown => "?",
        };
        let subject = &self.subject;
        let mut lines = format!("{state:<5}  {subject:<subject_width$}  {}\n", self.what);
        if let Some(remedy) = &self.remedy {
            let _ = writeln!(lines, "       {:<subject_width$}  → {remedy}", "");
        }
        lines
    }

    fn new(state: FindingState, subject: &str, what: String, remedy: Option<String>) -> Finding {
        Finding {
            subject: subject.to_owned(),
            state,
            what,
            remedy,
        }
    }
}

/// What the command was asked for.
#[derive(Clone, Debug, Default)]
pub struct DoctorOptions {
    /// The DNS server to ask. `None`: the system's.
    pub dns_server: Option<SocketAddr>,
    /// The name under which the mail server's DKIM key is published. The DNS cannot list such names.
    pub dkim_selector: Option<String>,
}

/// The findings of one run.
#[derive(Clone, Debug, Default)]
pub struct DoctorReport(pub Vec<Finding>);

impl DoctorReport {
    /// Whether nothing is red.
    pub fn is_healthy(&self) -> bool {
        !self
            .0
            .iter()
            .any(|finding| finding.state == FindingState::Red)
    }

    /// Returns the findings as a JSON array.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(&self.0).expect("findings are plain data")
    }

    /// Removes every secret of the configuration from the texts.
    fn without_secrets(mut self, config: &Config) -> DoctorReport {
        let secrets = secrets_of(config);
        for finding in &mut self.0 {
            hide(&mut finding.what, &secrets);
            if let Some(remedy) = &mut finding.remedy {
                hide(remedy, &secrets);
            }
        }
        self
    }
}

impl fmt::Display for DoctorReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.0.iter().map(|finding| finding.subject.len()).max();
        let width = width.unwrap_or_default();
        for finding in &self.0 {
            f.write_str(&finding.to_lines(width))?;
        }
        let count = |state| {
            self.0
                .iter()
                .filter(|finding| finding.state == state)
                .count()
        };
        writeln!(
            f,
            "\n{} green, {} yellow, {} red, {} unknown.",
            count(FindingState::Green),
            count(FindingState::Yellow),
            count(FindingState::Red),
            count(FindingState::Unknown)
        )
    }
}

fn secrets_of(config: &Config) -> Vec<String> {
    let stripe = [&config.stripe.secret_key]
        .into_iter()
        .chain(&config.stripe.webhook_secrets);
    let others = [
        &config.database_url,
        &config.bank_database_url,
        &config.seal_key,
        &config.mail.smtp_url,
    ];
    stripe
        .chain(others.into_iter().flatten())
        .map(|secret| secret.expose().to_owned())
        .filter(|secret| !secret.is_empty())
        .collect()
}

fn hide(text: &mut String, secrets: &[String]) {
    for secret in secrets {
        if text.contains(secret.as_str()) {
            *text = text.replace(secret.as_str(), HIDDEN);
        }
    }
}

/// Examines the configuration. Reads only.
///
/// # Errors
///
/// The private Postgres cannot be opened, or the Stripe key is no header value.
pub async fn examine(config: &Config, options: &DoctorOptions) -> anyhow::Result<DoctorReport> {
    let database = Database::open_for_command(config).await?;
    let report = examine_with_database(config, options, &database).await;
    database.close().await;
    report
}

async fn examine_with_database(
    config: &Config,
    options: &DoctorOptions,
    database: &Database,
) -> anyhow::Result<DoctorReport> {
    let config = &with_public_url(config, database);
    let inspector =
        StripeInspector::new(&stripe_settings(config, database)?).map_err(anyhow::Error::msg)?;
    let connected = tokio::time::timeout(CHECK_TIMEOUT, database.connect_if_migrated(config))
        .await
        .unwrap_or_else(|_| Err(anyhow::anyhow!("no answer in time")));
    let mut findings = stripe_keys::judge_keys(
        config.stripe.secret_key.expose(),
        &config.stripe.publishable_key,
        config.stage,
    );
    let account = match &connected {
        Ok(postgres) => first_connected_account(postgres).await,
        Err(_) => None,
    };
    findings.extend(
        limited(
            "keys",
            stripe_keys::examine(&inspector, config, account.as_ref()),
        )
        .await,
    );
    findings.extend(limited("webhooks", webhooks::examine(&inspector, config)).await);
    match &connected {
        Ok(postgres) => {
            let records = Records::new(postgres.clone());
            findings.extend(clubs::examine(&inspector, &records, config).await);
            findings.extend(limited("clock", clock::examine(&inspector, Some(&records))).await);
            findings.extend(limited("database", postgres::examine(postgres, config)).await);
        }
        Err(why) => {
            findings.push(Finding::unknown(
                "clubs",
                "not checked, because the database does not answer",
            ));
            findings.extend(limited("clock", clock::examine(&inspector, None)).await);
            findings.push(Finding::red(
                "database",
                format!("{why:#}"),
                "make the database of DATABASE_URL answer, then run this again",
            ));
        }
    }
    findings.extend(limited("pages", security_policy::examine(config)).await);
    findings.extend(limited("mail", mail_dns::examine(config, options)).await);
    Ok(DoctorReport(findings).without_secrets(config))
}

/// Makes payments with a test key, and checks each answer. `account`: the connected account that
/// takes them; `None` chooses the first club's. `on_step` is called after each step.
///
/// # Errors
///
/// The key is a live key, no connected account is known, or the database does not answer.
pub async fn rehearse(
    config: &Config,
    account: Option<AccountId>,
    mut on_step: impl FnMut(&Finding),
) -> anyhow::Result<DoctorReport> {
    rehearsal::refuse_live_key(config.stripe.secret_key.expose())?;
    let database = Database::open_for_command(config).await?;
    let run = async {
        let account = match account {
            Some(account) => account,
            None => first_connected_account(&database.connect_if_migrated(config).await?)
                .await
                .context("no club has a connected account: name one with --account acct_…")?,
        };
        let settings = stripe_settings(config, &database)?.returning_to(format!(
            "{}/thank-you",
            with_public_url(config, &database).public_url
        ));
        let secrets = secrets_of(config);
        let findings = rehearsal::run(&settings, &account, |finding| {
            hide(&mut finding.what, &secrets);
            on_step(finding);
        });
        findings.await
    };
    let findings = run.await;
    database.close().await;
    Ok(DoctorReport(findings?))
}

/// Returns the configuration with the URL of the running demo, which only the demo itself knows.
fn with_public_url(config: &Config, database: &Database) -> Config {
    let mut config = config.clone();
    if let Some(demo) = database.running_demo() {
        config.public_url.clone_from(&demo.address);
    }
    config
}

/// Returns how to call Stripe, or in a demo the stand-in of the running demo.
fn stripe_settings(config: &Config, database: &Database) -> anyhow::Result<StripeSettings> {
    let url = stripe_url(config, database)?;
    let mut settings = StripeSettings::new(config.stripe.secret_key.expose(), url)
        .rate_limited(config.stripe.calls_per_second);
    settings.accounts_api = config.stripe.accounts_api;
    Ok(settings)
}

#[cfg(feature = "demo")]
fn stripe_url(config: &Config, database: &Database) -> anyhow::Result<String> {
    match (config.stage, database.running_demo()) {
        (Stage::Production, _) => Ok(config.stripe.api_url.clone()),
        (Stage::Demo, Some(demo)) => Ok(format!("{}{STAND_IN_PATH}", demo.address)),
        (Stage::Demo, None) => anyhow::bail!(
            "no demo is running, so no Stripe answers: start it, or set the variables of .env.example"
        ),
    }
}

#[cfg(not(feature = "demo"))]
#[expect(clippy::unnecessary_wraps, reason = "the demo's variant fails")]
fn stripe_url(config: &Config, _: &Database) -> anyhow::Result<String> {
    Ok(config.stripe.api_url.clone())
}

async fn first_connected_account(postgres: &Postgres) -> Option<AccountId> {
    let clubs = Records::new(postgres.clone()).clubs().await.ok()?;
    clubs
        .into_iter()
        .filter(|club| !club.archived)
        .find_map(|club| club.account)
}

/// Runs a check within its time limit.
async fn limited(subject: &str, check: impl Future<Output = Vec<Finding>>) -> Vec<Finding> {
    tokio::time::timeout(CHECK_TIMEOUT, check)
        .await
        .unwrap_or_else(|_| {
            let seconds = CHECK_TIMEOUT.as_secs();
            vec![Finding::unknown(
                subject,
                format!("not finished within {seconds} s"),
            )]
        })
}

/// Returns the successful answer, or the finding that it could not be read.
fn readable(
    subject: &str,
    question: &str,
    answer: Result<StripeAnswer, GatewayError>,
) -> Result<StripeAnswer, Finding> {
    match answer {
        Ok(answer) if answer.is_success() => Ok(answer),
        Ok(answer) => Err(Finding::unknown(
            subject,
            format!(
                "{question}: Stripe answered {}: {}",
                answer.status,
                answer.error_message()
            ),
        )),
        Err(why) => Err(Finding::unknown(subject, format!("{question}: {why}"))),
    }
}
