//! The `audit` command. It checks the database's invariants, including each deal against its
//! commitment, and compares every payment with Stripe, to the cent.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use actors::Gateway;
use anyhow::Context;
use domain::{AccountId, ApplicationId, PaymentIntent, Timestamp};
use persistence::Postgres;
use persistence::auditor::{Auditor, OrderAmounts};
use persistence::records::Records;
use persistence::records::audit_chain::AuditAnchor;

use crate::config::Config;
use crate::ops::database::Database;

mod provider;

/// The result of an audit.
#[derive(Debug, Default)]
pub struct AuditReport {
    accounts: BTreeMap<String, AccountTotals>,
    rows: Vec<Disagreement>,
    anomalies: Vec<(String, i64)>,
    /// The newest entry of the audit log, to be stored outside the database.
    anchor: Option<AuditAnchor>,
}

/// One violated invariant, or one difference between the database and Stripe.
#[derive(Debug, PartialEq, Eq)]
struct Disagreement {
    check: String,
    object: String,
}

/// Sums of one Stripe account according to the database and to Stripe, in cents.
#[derive(Debug, Default, PartialEq, Eq)]
struct AccountTotals {
    payments: u64,
    ledger_side: MoneyTotals,
    provider_side: MoneyTotals,
    /// Sums of payments at Stripe that match no order and either have an open anomaly or are fully
    /// refunded.
    strays: MoneyTotals,
}

/// Sums of captured payments, fees and refunds, in cents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct MoneyTotals {
    taken: i64,
    fee: i64,
    refunded: i64,
}

/// Audits the configured database, also while a server or demo is running.
///
/// An anchor is the hash of an audit log entry, kept outside the database. If `kept` is given, the
/// audit log must still contain that entry unchanged.
///
/// # Errors
/// The database or Stripe cannot be reached.
pub async fn run(config: &Config, kept: Option<&AuditAnchor>) -> anyhow::Result<AuditReport> {
    let database = Database::open_for_command(config).await?;
    let findings = async {
        let postgres = database.connect_if_migrated(config).await?;
        let auditor = Auditor::open(database.url.expose()).await?;
        let provider = provider::connect_provider(config, database.running_demo())?;
        let findings = audit_database_and_stripe(&postgres, &auditor, &provider.gateway).await;
        provider.stop_sandbox().await;
        let mut findings = findings?;
        if let Some(anchor) = kept {
            findings
                .compare_audit_anchor(&Records::new(postgres), anchor)
                .await?;
        }
        Ok(findings)
    };
    let findings = findings.await;
    database.close().await;
    findings
}

/// Checks the database's invariants, and compares the database's payments with Stripe.
///
/// # Errors
/// The database cannot be read, or Stripe does not answer.
pub async fn audit_database_and_stripe(
    postgres: &Postgres,
    auditor: &Auditor,
    gateway: &dyn Gateway,
) -> anyhow::Result<AuditReport> {
    let mut findings = AuditReport {
        anomalies: auditor.count_open_anomalies_by_kind().await?,
        ..AuditReport::default()
    };
    let violations = postgres.violations().await?;
    findings
        .rows
        .extend(violations.into_iter().map(|found| Disagreement {
            check: found.invariant,
            object: found.object,
        }));
    let records = Records::new(postgres.clone());
    findings.anchor = records.audit_anchor().await?;
    if let Some(entry) = records.verify_audit_chain().await?.broken_at {
        let check = "A1 the audit log was rewritten from here on".to_string();
        findings.rows.push(Disagreement {
            check,
            object: format!("entry {entry}"),
        });
    }
    let orders = auditor.order_amounts().await?;
    let reported: BTreeSet<String> = auditor.payments_with_anomaly().await?.into_iter().collect();
    let accounts: BTreeSet<String> = auditor
        .club_accounts()
        .await?
        .into_iter()
        .chain(orders.iter().map(|order| order.account.clone()))
        .collect();
    let platform = gateway.platform_application().await;
    let platform = platform.context("asking the provider for the platform's application")?;
    for account in accounts {
        let intents = gateway
            .list(&AccountId(account.clone()), Timestamp(0))
            .await
            .context("asking the provider")?;
        let ledger_side: Vec<&OrderAmounts> = orders
            .iter()
            .filter(|order| order.account == account)
            .collect();
        let intents = payments_of_platform(intents, &ledger_side, platform.as_ref());
        findings
            .rows
            .extend(compare_payments(&ledger_side, &intents, &reported));
        findings.accounts.insert(
            account,
            sum_account_totals(&ledger_side, &intents, &reported),
        );
    }
    Ok(findings)
}

/// Returns the payments that an order has or that this platform created. All others are sales of the
/// club's own, which are not audited (decision M-10).
fn payments_of_platform(
    intents: Vec<PaymentIntent>,
    ledger_side: &[&OrderAmounts],
    platform: Option<&ApplicationId>,
) -> Vec<PaymentIntent> {
    let known: BTreeSet<&str> = ledger_side
        .iter()
        .filter_map(|order| order.payment_intent.as_deref())
        .collect();
    let is_of_platform = |intent: &PaymentIntent| {
        known.contains(intent.id.0.as_str()) || intent.origin.foreign_kind(platform).is_none()
    };
    intents.into_iter().filter(is_of_platform).collect()
}

/// Compares each payment in the database with Stripe. Payments with an open anomaly are skipped,
/// because an operator handles them.
fn compare_payments(
    ledger_side: &[&OrderAmounts],
    provider_side: &[PaymentIntent],
    reported: &BTreeSet<String>,
) -> Vec<Disagreement> {
    let intents: BTreeMap<&str, &PaymentIntent> = provider_side
        .iter()
        .map(|intent| (intent.id.0.as_str(), intent))
        .collect();
    let mut rows = Vec::new();
    let mut known = BTreeSet::new();
    for order in ledger_side {
        let id = order.payment_intent.as_deref().unwrap_or_default();
        known.insert(id);
        if order.is_reported {
            continue;
        }
        let provider_side = intents
            .get(id)
            .map(|intent| intent_totals(intent))
            .unwrap_or_default();
        let ledger_side = order_totals(order);
        if ledger_side != provider_side {
            rows.push(Disagreement {
                check: format!("P2 ours {ledger_side}, the provider's {provider_side}"),
                object: id.to_string(),
            });
        }
    }
    for (id, intent) in intents {
        let handled = known.contains(id) || reported.contains(id);
        if !handled
            && intent_totals(intent) != MoneyTotals::default()
            && intent.amount_refunded < intent.amount_received
        {
            rows.push(Disagreement {
                check: "P1 a payment was taken that no order knows".to_string(),
                object: id.to_string(),
            });
        }
    }
    rows
}

fn sum_account_totals(
    ledger_side: &[&OrderAmounts],
    provider_side: &[PaymentIntent],
    reported: &BTreeSet<String>,
) -> AccountTotals {
    let own: BTreeSet<&str> = ledger_side
        .iter()
        .filter_map(|order| order.payment_intent.as_deref())
        .collect();
    // A payment that was fully refunded at Stripe needs no order in the database.
    let is_over = |intent: &PaymentIntent| intent.is_captured() && intent.is_refunded();
    let is_stray = |intent: &&PaymentIntent| {
        !own.contains(intent.id.0.as_str()) && (reported.contains(&intent.id.0) || is_over(intent))
    };
    let (strays, provider_side): (Vec<_>, Vec<_>) = provider_side.iter().partition(is_stray);
    let sum = |intents: Vec<&PaymentIntent>| {
        intents
            .into_iter()
            .map(intent_totals)
            .fold(MoneyTotals::default(), MoneyTotals::plus)
    };
    AccountTotals {
        payments: ledger_side.iter().filter(|order| order.is_taken).count() as u64,
        ledger_side: ledger_side
            .iter()
            .map(|order| order_totals(order))
            .fold(MoneyTotals::default(), MoneyTotals::plus),
        provider_side: sum(provider_side),
        strays: sum(strays),
    }
}

fn order_totals(order: &OrderAmounts) -> MoneyTotals {
    if !order.is_taken {
        return MoneyTotals::default();
    }
    MoneyTotals {
        taken: order.total,
        fee: order.application_fee - order.fee_refunded,
        refunded: order.refunded,
    }
}

fn intent_totals(intent: &PaymentIntent) -> MoneyTotals {
    MoneyTotals {
        taken: intent.amount_received.0,
        fee: intent.application_fee.0 - intent.application_fee_refunded.0,
        refunded: intent.amount_refunded.0,
    }
}

impl MoneyTotals {
    fn plus(self, other: MoneyTotals) -> MoneyTotals {
        MoneyTotals {
            taken: self.taken + other.taken,
            fee: self.fee + other.fee,
            refunded: self.refunded + other.refunded,
        }
    }
}

impl fmt::Display for MoneyTotals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dollars = |cents| domain::Cents(cents).to_string();
        write!(
            f,
            "{} taken, {} fee, {} refunded",
            dollars(self.taken),
            dollars(self.fee),
            dollars(self.refunded)
        )
    }
}

impl AuditReport {
    /// Adds a disagreement to the report if the anchored entry of the audit log is missing or was
    /// changed.
    ///
    /// # Errors
    /// The audit log could not be read.
    pub async fn compare_audit_anchor(
        &mut self,
        records: &Records,
        anchor: &AuditAnchor,
    ) -> anyhow::Result<()> {
        if !records.audit_log_contains_anchor(anchor).await? {
            let check =
                "A1 the audit log lacks this anchored entry, or holds it changed".to_string();
            self.rows.push(Disagreement {
                check,
                object: format!("entry {}", anchor.entry),
            });
        }
        Ok(())
    }

    /// Returns the sums of all accounts in cents: captured, kept as platform fee, and refunded. The
    /// first row is from the database, the second from Stripe.
    pub fn database_and_stripe_sums(&self) -> [[i64; 3]; 2] {
        let sum = |side: fn(&AccountTotals) -> MoneyTotals| {
            let sum = self
                .accounts
                .values()
                .map(side)
                .fold(MoneyTotals::default(), MoneyTotals::plus);
            [sum.taken, sum.fee, sum.refunded]
        };
        [
            sum(|totals| totals.ledger_side),
            sum(|totals| totals.provider_side),
        ]
    }

    /// Whether the audit found no disagreement.
    pub fn is_clean(&self) -> bool {
        self.rows.is_empty()
    }
}

impl fmt::Display for AuditReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dollars = |cents| domain::Cents(cents).to_string();
        let head = [
            "account",
            "payments",
            "taken",
            "provider's",
            "fees",
            "provider's",
        ];
        writeln!(
            f,
            "{:<36} {:>8} {:>12} {:>12} {:>10} {:>10}",
            head[0], head[1], head[2], head[3], head[4], head[5]
        )?;
        for (
            account,
            AccountTotals {
                payments,
                ledger_side,
                provider_side,
                strays,
            },
        ) in &self.accounts
        {
            writeln!(
                f,
                "{account:<36} {payments:>8} {:>12} {:>12} {:>10} {:>10}  {}{}",
                dollars(ledger_side.taken),
                dollars(provider_side.taken),
                dollars(ledger_side.fee),
                dollars(provider_side.fee),
                if ledger_side == provider_side {
                    "the same"
                } else {
                    "DIFFERENT"
                },
                match strays.taken {
                    0 => String::new(),
                    taken => format!(", beside {} that open anomalies are about", dollars(taken)),
                },
            )?;
        }
        writeln!(f)?;
        for (kind, count) in &self.anomalies {
            writeln!(f, "open anomaly: {count} × {kind}")?;
        }
        if let Some(anchor) = &self.anchor {
            writeln!(f, "audit log anchor: {anchor}")?;
        }
        writeln!(f)?;
        for row in &self.rows {
            writeln!(f, "{:<40} {}", row.object, row.check)?;
        }
        match self.rows.len() {
            0 => writeln!(f, "Nothing disagrees."),
            1 => writeln!(f, "1 row disagrees."),
            rows => writeln!(f, "{rows} rows disagree."),
        }
    }
}

#[cfg(test)]
mod tests;
