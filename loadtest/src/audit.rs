//! Checks after the load: the outcome of every order is decided, every buyer got what the server
//! confirmed, and the database agrees with the provider to the cent.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use futures_util::{StreamExt, stream};

use crate::browser::{Browser, Request, RunSettings};
use crate::latency::{CallKind, CallRecord};
use crate::provider::{self, Payment};
use crate::transcript::{BuyerTranscript, CompletionOutcome, PurchaseVerdict, Ticket};

/// The final state of one payment, from two independent sources: the server's order page and the
/// payment provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettledPayment {
    pub buyer: usize,
    pub payment: Payment,
    pub order: CompletionOutcome,
    /// The payment intent's status according to the provider. Empty when the provider did not
    /// answer.
    pub provider: String,
}

impl SettledPayment {
    /// Returns whether neither state can change without the buyer. An unpaid order counts as
    /// decided, because it may wait for its buyer for ever.
    fn has_final_outcome(&self) -> bool {
        match (&self.order, self.provider.as_str()) {
            (CompletionOutcome::Tickets(tickets), "succeeded") => !tickets.is_empty(),
            (CompletionOutcome::NotCharged, "canceled") => true,
            (
                CompletionOutcome::NotCharged | CompletionOutcome::Pending,
                "requires_payment_method" | "requires_confirmation",
            ) => true,
            (CompletionOutcome::NotCharged | CompletionOutcome::Pending, "requires_action") => true,
            _ => false,
        }
    }
}

/// The result of one check. The check passed if `failures` is empty.
#[derive(Clone, Debug, Default)]
pub struct AuditCheck {
    pub name: String,
    /// Number of objects that were checked, such as payments or log lines.
    pub examined: usize,
    pub failures: Vec<String>,
}

impl AuditCheck {
    pub fn new(name: impl Into<String>, examined: usize, failures: Vec<String>) -> Self {
        Self {
            name: name.into(),
            examined,
            failures,
        }
    }
}

/// Asks the server and the provider about every payment, until the outcome of each is decided or
/// `limit` has passed. Returns the payments and the time this took.
pub async fn wait_for_final_outcomes(
    site: &Arc<RunSettings>,
    transcripts: &[BuyerTranscript],
    limit: Duration,
) -> Result<(Vec<SettledPayment>, Duration)> {
    let started = Instant::now();
    let browser = Browser::open(Arc::clone(site), 0)?;
    let mut open: Vec<(usize, Payment)> = transcripts
        .iter()
        .flat_map(|transcript| {
            transcript
                .payments
                .iter()
                .map(|payment| (transcript.buyer, payment.clone()))
        })
        .collect();
    let mut settled = Vec::new();
    loop {
        let answers = stream::iter(
            open.drain(..)
                .map(|(buyer, payment)| fetch_settled(&browser, buyer, payment)),
        );
        let (done, rest): (Vec<_>, Vec<_>) = answers
            .buffer_unordered(8)
            .collect::<Vec<_>>()
            .await
            .into_iter()
            .partition(SettledPayment::has_final_outcome);
        settled.extend(done);
        if rest.is_empty() || started.elapsed() > limit {
            settled.extend(rest);
            settled.sort_by_key(|settled| settled.buyer);
            return Ok((settled, started.elapsed()));
        }
        open = rest
            .into_iter()
            .map(|settled| (settled.buyer, settled.payment))
            .collect();
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
}

async fn fetch_settled(browser: &Browser, buyer: usize, payment: Payment) -> SettledPayment {
    let page = Request::get(format!("/api/orders/{}", payment.token));
    let order = match browser.send_with_retries(CallKind::Order, &page).await {
        Some(page) => CompletionOutcome::from_order_page(&page),
        None => CompletionOutcome::Unexpected("no answer".to_owned()),
    };
    let provider = provider::intent_status(browser, &payment)
        .await
        .unwrap_or_default();
    SettledPayment {
        buyer,
        payment,
        order,
        provider,
    }
}

/// Runs all checks that need only transcripts (what the server told each buyer) and final payment
/// states.
pub fn check_transcripts(
    transcripts: &[BuyerTranscript],
    settled: &[SettledPayment],
) -> Vec<AuditCheck> {
    let by_intent: HashMap<&str, &SettledPayment> = settled
        .iter()
        .map(|settled| (settled.payment.intent.as_str(), settled))
        .collect();
    let intents: usize = transcripts
        .iter()
        .map(|transcript| transcript.payments.len())
        .sum();
    vec![
        check_confirmed_purchases(transcripts, &by_intent),
        check_tickets_sold_once(settled),
        check_unpaid_buyers_not_charged(transcripts, &by_intent),
        check_final_outcomes(settled),
        AuditCheck::new(
            "one payment intent a buyer, one story in all repeated answers",
            intents,
            transcripts
                .iter()
                .flat_map(|transcript| transcript.failures.clone())
                .collect(),
        ),
    ]
}

/// Checks that each confirmed purchase still has exactly the tickets that the buyer was shown, and
/// is paid.
fn check_confirmed_purchases(
    transcripts: &[BuyerTranscript],
    by_intent: &HashMap<&str, &SettledPayment>,
) -> AuditCheck {
    let bought: Vec<&BuyerTranscript> = transcripts
        .iter()
        .filter(|transcript| transcript.verdict == PurchaseVerdict::Bought)
        .collect();
    let mut failures = Vec::new();
    for transcript in &bought {
        let latest = transcript
            .payments
            .last()
            .and_then(|payment| by_intent.get(payment.intent.as_str()));
        match latest {
            Some(settled)
                if settled.order == CompletionOutcome::Tickets(transcript.tickets.clone()) =>
            {
                if settled.provider != "succeeded" {
                    failures.push(format!(
                        "buyer {} has tickets, but the provider says {}",
                        transcript.buyer, settled.provider
                    ));
                }
                if transcript.tickets.len() != transcript.ticket_count as usize {
                    failures.push(format!(
                        "buyer {} paid for {} and got {:?}",
                        transcript.buyer, transcript.ticket_count, transcript.tickets
                    ));
                }
            }
            other => failures.push(format!(
                "buyer {} was shown {:?}, now it is {:?}",
                transcript.buyer,
                transcript.tickets,
                other.map(|settled| &settled.order)
            )),
        }
    }
    AuditCheck::new(
        "every acknowledged purchase is there, whole and paid",
        bought.len(),
        failures,
    )
}

/// Checks that no ticket belongs to two orders.
fn check_tickets_sold_once(settled: &[SettledPayment]) -> AuditCheck {
    let mut owners: HashMap<Ticket, usize> = HashMap::new();
    let mut failures = Vec::new();
    for one in settled {
        let CompletionOutcome::Tickets(tickets) = &one.order else {
            continue;
        };
        for ticket in tickets {
            if let Some(other) = owners.insert(*ticket, one.buyer) {
                failures.push(format!(
                    "ticket {ticket:?} belongs to buyers {other} and {}",
                    one.buyer
                ));
            }
        }
    }
    AuditCheck::new("no ticket sold twice", owners.len(), failures)
}

/// Checks that no buyer was charged who was told "not charged" or who never paid.
fn check_unpaid_buyers_not_charged(
    transcripts: &[BuyerTranscript],
    by_intent: &HashMap<&str, &SettledPayment>,
) -> AuditCheck {
    let unpaid = [
        PurchaseVerdict::NotCharged,
        PurchaseVerdict::Declined,
        PurchaseVerdict::Abandoned,
        PurchaseVerdict::Released,
    ];
    let all: Vec<_> = transcripts
        .iter()
        .filter(|transcript| unpaid.contains(&transcript.verdict))
        .collect();
    let mut failures = Vec::new();
    for transcript in &all {
        for settled in transcript
            .payments
            .iter()
            .filter_map(|payment| by_intent.get(payment.intent.as_str()))
        {
            if settled.provider == "succeeded"
                || matches!(settled.order, CompletionOutcome::Tickets(_))
            {
                failures.push(format!(
                    "buyer {} ({}) has {:?} in the database and {} at the provider",
                    transcript.buyer,
                    transcript.verdict.name(),
                    settled.order,
                    settled.provider
                ));
            }
        }
    }
    AuditCheck::new(
        "no buyer was charged who was told otherwise",
        all.len(),
        failures,
    )
}

fn check_final_outcomes(settled: &[SettledPayment]) -> AuditCheck {
    let stuck = settled
        .iter()
        .filter(|settled| !settled.has_final_outcome());
    let failures = stuck
        .map(|settled| {
            let (intent, order) = (&settled.payment.intent, &settled.order);
            format!(
                "buyer {}, {intent}: our order {order:?}, the provider {}",
                settled.buyer, settled.provider
            )
        })
        .collect();
    AuditCheck::new(
        "every order decided within a minute",
        settled.len(),
        failures,
    )
}

/// Checks that no response was a server error (5xx). If `troubled` is set, faults were injected and
/// a 503 is allowed.
pub fn check_server_errors(call_records: &[CallRecord], troubled: bool) -> AuditCheck {
    let mut counts: BTreeMap<(CallKind, u16), usize> = BTreeMap::new();
    let server_errors = call_records
        .iter()
        .filter(|record| record.call != CallKind::Card && record.status >= 500);
    for record in server_errors.filter(|record| !(troubled && record.status == 503)) {
        *counts.entry((record.call, record.status)).or_default() += 1;
    }
    let failures = counts
        .into_iter()
        .map(|((call, status), count)| format!("{count} × {status} for {}", call.name()))
        .collect();
    let name = if troubled {
        "no answer of 5xx but 503 while something was down"
    } else {
        "no answer of 5xx"
    };
    AuditCheck::new(name, call_records.len(), failures)
}

/// Checks that the server log contains no panic and no buyer's email address.
pub fn check_log(log: &str) -> AuditCheck {
    let bad = |line: &&str| line.contains("panicked at") || line.contains("@crowd.test");
    let failures: Vec<String> = log
        .lines()
        .filter(bad)
        .take(10)
        .map(|line| line.chars().take(200).collect())
        .collect();
    AuditCheck::new(
        "no panic and no buyer in the server's log",
        log.lines().count(),
        failures,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn payment_with_id(id: &str) -> Payment {
        Payment {
            intent: id.into(),
            client_secret: "s".into(),
            ..Payment::default()
        }
    }

    fn transcript_with_tickets(
        buyer: usize,
        verdict: PurchaseVerdict,
        tickets: &[i64],
    ) -> BuyerTranscript {
        let mut transcript = BuyerTranscript::empty(buyer);
        transcript.verdict = verdict;
        transcript.tickets = tickets.iter().map(|number| (1001, *number)).collect();
        transcript.ticket_count = u32::try_from(tickets.len()).unwrap();
        transcript.payments = vec![payment_with_id(&format!("pi_{buyer}"))];
        transcript
    }

    fn settled_payment(buyer: usize, order: CompletionOutcome, provider: &str) -> SettledPayment {
        SettledPayment {
            buyer,
            payment: payment_with_id(&format!("pi_{buyer}")),
            order,
            provider: provider.into(),
        }
    }

    fn bought_tickets(numbers: &[i64]) -> CompletionOutcome {
        CompletionOutcome::Tickets(numbers.iter().map(|number| (1001, *number)).collect())
    }

    fn audit_failures(transcripts: &[BuyerTranscript], settled: &[SettledPayment]) -> Vec<String> {
        check_transcripts(transcripts, settled)
            .into_iter()
            .flat_map(|check| check.failures)
            .collect()
    }

    #[test]
    fn clean_run_passes_every_check() {
        let transcripts = [
            transcript_with_tickets(1, PurchaseVerdict::Bought, &[1, 2]),
            transcript_with_tickets(2, PurchaseVerdict::NotCharged, &[]),
            transcript_with_tickets(3, PurchaseVerdict::LeftAfterPaying, &[]),
            transcript_with_tickets(4, PurchaseVerdict::Abandoned, &[]),
        ];
        let settled = [
            settled_payment(1, bought_tickets(&[1, 2]), "succeeded"),
            settled_payment(2, CompletionOutcome::NotCharged, "canceled"),
            settled_payment(3, bought_tickets(&[3]), "succeeded"),
            settled_payment(4, CompletionOutcome::Pending, "requires_payment_method"),
        ];
        assert_eq!(audit_failures(&transcripts, &settled), Vec::<String>::new());
    }

    #[test]
    fn lost_confirmed_purchase_is_reported() {
        let transcripts = [transcript_with_tickets(1, PurchaseVerdict::Bought, &[1])];
        assert_eq!(
            audit_failures(
                &transcripts,
                &[settled_payment(
                    1,
                    CompletionOutcome::NotCharged,
                    "canceled"
                )]
            )
            .len(),
            1
        );
        assert_eq!(
            audit_failures(
                &transcripts,
                &[settled_payment(1, bought_tickets(&[2]), "succeeded")]
            )
            .len(),
            1
        );
        assert!(
            !audit_failures(
                &transcripts,
                &[settled_payment(1, bought_tickets(&[1]), "requires_capture")]
            )
            .is_empty()
        );
        assert_eq!(
            audit_failures(&transcripts, &[]).len(),
            1,
            "an order that is nowhere"
        );
    }

    #[test]
    fn ticket_sold_twice_is_reported() {
        let transcripts = [
            transcript_with_tickets(1, PurchaseVerdict::Bought, &[1]),
            transcript_with_tickets(2, PurchaseVerdict::Bought, &[1]),
        ];
        let both = [
            settled_payment(1, bought_tickets(&[1]), "succeeded"),
            settled_payment(2, bought_tickets(&[1]), "succeeded"),
        ];
        assert_eq!(
            audit_failures(&transcripts, &both),
            vec!["ticket (1001, 1) belongs to buyers 1 and 2"]
        );
    }

    #[test]
    fn charge_after_not_charged_message_is_reported() {
        let transcripts = [transcript_with_tickets(1, PurchaseVerdict::NotCharged, &[])];
        assert_eq!(
            audit_failures(
                &transcripts,
                &[settled_payment(1, bought_tickets(&[1]), "succeeded")]
            )
            .len(),
            1
        );
    }

    #[test]
    fn authorised_payment_without_outcome_is_reported() {
        let transcripts = [transcript_with_tickets(
            1,
            PurchaseVerdict::LeftAfterPaying,
            &[],
        )];
        assert_eq!(
            audit_failures(
                &transcripts,
                &[settled_payment(
                    1,
                    CompletionOutcome::Pending,
                    "requires_capture"
                )]
            )
            .len(),
            1
        );
    }

    #[test]
    fn other_5xx_is_always_reported_and_503_without_faults() {
        let record = |status| CallRecord {
            call: CallKind::Open,
            at: Duration::ZERO,
            took: Duration::ZERO,
            status,
        };
        assert_eq!(
            check_server_errors(&[record(200), record(0), record(503)], true)
                .failures
                .len(),
            0
        );
        assert_eq!(
            check_server_errors(&[record(200), record(503)], false).failures,
            vec!["1 × 503 for open payment"]
        );
        assert_eq!(
            check_server_errors(&[record(500), record(500)], true).failures,
            vec!["2 × 500 for open payment"]
        );
    }

    #[test]
    fn log_with_panic_or_buyer_address_is_reported() {
        assert!(check_log("all is well").failures.is_empty());
        assert_eq!(
            check_log("thread 'x' panicked at y\nmail to buyer7@crowd.test")
                .failures
                .len(),
            2
        );
    }
}
