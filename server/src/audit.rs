//! Doubts everything once: the invariants over the database (each deal against its commitment among them), and every payment
//! against the provider, to the cent.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use actors::Gateway;
use anyhow::Context;
use domain::{AccountId, PaymentIntent, Timestamp};
use persistence::Postgres;
use persistence::auditor::{Auditor, OrderMoney};
use persistence::records::Records;

use crate::config::Config;
use crate::database::Database;

mod provider;

/// What an audit found.
#[derive(Debug, Default)]
pub struct Findings {
    accounts: BTreeMap<String, Totals>,
    rows: Vec<Row>,
    anomalies: Vec<(String, i64)>,
}

/// One disagreement.
#[derive(Debug, PartialEq, Eq)]
struct Row {
    check: String,
    object: String,
}

/// One account's money on both sides, in cents.
#[derive(Debug, Default, PartialEq, Eq)]
struct Totals {
    payments: u64,
    ours: Money,
    theirs: Money,
    /// Of payments that no order holds and an open anomaly is about.
    strays: Money,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Money {
    taken: i64,
    fee: i64,
    refunded: i64,
}

/// Audits the books that the configuration leads to; a demo may be running beside.
///
/// # Errors
/// The database or the provider cannot be reached.
pub async fn run(config: &Config) -> anyhow::Result<Findings> {
    let database = Database::reach(config).await?;
    let findings = async {
        let postgres = database.connect_migrated(config).await?;
        let auditor = Auditor::open(database.url.expose()).await?;
        let provider = provider::reach(config, database.sign())?;
        let findings = examine(&postgres, &auditor, &provider.gateway).await;
        provider.leave().await;
        findings
    };
    let findings = findings.await;
    database.close().await;
    findings
}

/// Compares these books with each other and with this provider.
///
/// # Errors
/// The books cannot be read, or the provider not be asked.
pub async fn examine(
    postgres: &Postgres,
    auditor: &Auditor,
    gateway: &dyn Gateway,
) -> anyhow::Result<Findings> {
    let mut findings = Findings {
        anomalies: auditor.open_anomalies().await?,
        ..Findings::default()
    };
    let violations = postgres.violations().await?;
    findings
        .rows
        .extend(violations.into_iter().map(|found| Row {
            check: found.invariant,
            object: found.object,
        }));
    if let Some(entry) = Records::new(postgres.clone())
        .audit_chain()
        .await?
        .broken_at
    {
        let check = "A1 the audit log was rewritten from here on".to_string();
        findings.rows.push(Row {
            check,
            object: format!("entry {entry}"),
        });
    }
    let orders = auditor.orders().await?;
    let reported: BTreeSet<String> = auditor.reported().await?.into_iter().collect();
    let accounts: BTreeSet<String> = auditor
        .club_accounts()
        .await?
        .into_iter()
        .chain(orders.iter().map(|order| order.account.clone()))
        .collect();
    for account in accounts {
        let said = gateway
            .list(&AccountId(account.clone()), Timestamp(0))
            .await
            .context("asking the provider")?;
        let ours: Vec<&OrderMoney> = orders
            .iter()
            .filter(|order| order.account == account)
            .collect();
        findings.rows.extend(differences(&ours, &said, &reported));
        findings
            .accounts
            .insert(account, totals(&ours, &said, &reported));
    }
    Ok(findings)
}

/// Payment by payment. What an open anomaly is about is known already, and a person is on it.
fn differences(
    ours: &[&OrderMoney],
    theirs: &[PaymentIntent],
    reported: &BTreeSet<String>,
) -> Vec<Row> {
    let said: BTreeMap<&str, &PaymentIntent> = theirs
        .iter()
        .map(|intent| (intent.id.0.as_str(), intent))
        .collect();
    let mut rows = Vec::new();
    let mut known = BTreeSet::new();
    for order in ours {
        let id = order.payment_intent.as_deref().unwrap_or_default();
        known.insert(id);
        if order.is_reported {
            continue;
        }
        let theirs = said
            .get(id)
            .map(|intent| money_of(intent))
            .unwrap_or_default();
        let ours = money_in(order);
        if ours != theirs {
            rows.push(Row {
                check: format!("P2 ours {ours}, the provider's {theirs}"),
                object: id.to_string(),
            });
        }
    }
    for (id, intent) in said {
        let excused = known.contains(id) || reported.contains(id);
        if !excused
            && money_of(intent) != Money::default()
            && intent.amount_refunded < intent.amount_received
        {
            rows.push(Row {
                check: "P1 a payment was taken that no order knows".to_string(),
                object: id.to_string(),
            });
        }
    }
    rows
}

fn totals(ours: &[&OrderMoney], theirs: &[PaymentIntent], reported: &BTreeSet<String>) -> Totals {
    let own: BTreeSet<&str> = ours
        .iter()
        .filter_map(|order| order.payment_intent.as_deref())
        .collect();
    // One that went back whole is over, whoever noticed it first.
    let is_over = |intent: &PaymentIntent| intent.is_taken() && intent.is_refunded();
    let is_stray = |intent: &&PaymentIntent| {
        !own.contains(intent.id.0.as_str()) && (reported.contains(&intent.id.0) || is_over(intent))
    };
    let (strays, theirs): (Vec<_>, Vec<_>) = theirs.iter().partition(is_stray);
    let sum = |intents: Vec<&PaymentIntent>| {
        intents
            .into_iter()
            .map(money_of)
            .fold(Money::default(), Money::plus)
    };
    Totals {
        payments: ours.iter().filter(|order| order.is_taken).count() as u64,
        ours: ours
            .iter()
            .map(|order| money_in(order))
            .fold(Money::default(), Money::plus),
        theirs: sum(theirs),
        strays: sum(strays),
    }
}

fn money_in(order: &OrderMoney) -> Money {
    if !order.is_taken {
        return Money::default();
    }
    Money {
        taken: order.total,
        fee: order.application_fee - order.fee_refunded,
        refunded: order.refunded,
    }
}

fn money_of(intent: &PaymentIntent) -> Money {
    Money {
        taken: intent.amount_received.0,
        fee: intent.application_fee.0 - intent.application_fee_refunded.0,
        refunded: intent.amount_refunded.0,
    }
}

impl Money {
    fn plus(self, other: Money) -> Money {
        Money {
            taken: self.taken + other.taken,
            fee: self.fee + other.fee,
            refunded: self.refunded + other.refunded,
        }
    }
}

impl fmt::Display for Money {
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

impl Findings {
    /// Cents taken, kept as fee and refunded, by our books and by the provider's.
    pub fn sums(&self) -> [[i64; 3]; 2] {
        let sum = |side: fn(&Totals) -> Money| {
            let sum = self
                .accounts
                .values()
                .map(side)
                .fold(Money::default(), Money::plus);
            [sum.taken, sum.fee, sum.refunded]
        };
        [sum(|totals| totals.ours), sum(|totals| totals.theirs)]
    }

    pub fn is_clean(&self) -> bool {
        self.rows.is_empty()
    }
}

impl fmt::Display for Findings {
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
            Totals {
                payments,
                ours,
                theirs,
                strays,
            },
        ) in &self.accounts
        {
            writeln!(
                f,
                "{account:<36} {payments:>8} {:>12} {:>12} {:>10} {:>10}  {}{}",
                dollars(ours.taken),
                dollars(theirs.taken),
                dollars(ours.fee),
                dollars(theirs.fee),
                if ours == theirs {
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
