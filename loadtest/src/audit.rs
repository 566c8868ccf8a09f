//! After the storm: every order decided, every promise kept, every cent in both books.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use futures_util::{StreamExt, stream};

use crate::browser::{Browser, Request, Site};
use crate::latency::{Call, Heard};
use crate::provider::{self, Payment};
use crate::told::{Finish, Ticket, Told, Verdict};

/// How the two witnesses describe one payment in the end: our order page, and the provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settled {
    pub buyer: usize,
    pub payment: Payment,
    pub order: Finish,
    /// The payment intent's status in the provider's words; empty when it did not answer.
    pub provider: String,
}

impl Settled {
    /// Neither witness may still be about to change by itself. An unpaid order may wait for its buyer as long as it likes.
    fn decided(&self) -> bool {
        match (&self.order, self.provider.as_str()) {
            (Finish::Tickets(tickets), "succeeded") => !tickets.is_empty(),
            (Finish::NotCharged, "canceled") => true,
            (
                Finish::NotCharged | Finish::Pending,
                "requires_payment_method" | "requires_confirmation",
            ) => true,
            (Finish::NotCharged | Finish::Pending, "requires_action") => true,
            _ => false,
        }
    }
}

/// What one check found; empty `broken` is a pass.
#[derive(Clone, Debug, Default)]
pub struct Check {
    pub name: String,
    /// How many things were looked at.
    pub looked_at: usize,
    pub broken: Vec<String>,
}

impl Check {
    pub fn new(name: impl Into<String>, looked_at: usize, broken: Vec<String>) -> Self {
        Self {
            name: name.into(),
            looked_at,
            broken,
        }
    }
}

/// Asks both witnesses about every payment until each is decided or the limit has passed. Gives how long that took from
/// the moment the crowd had gone.
pub async fn settle(
    site: &Arc<Site>,
    tolds: &[Told],
    limit: Duration,
) -> Result<(Vec<Settled>, Duration)> {
    let calm = Instant::now();
    let browser = Browser::open(Arc::clone(site), 0)?;
    let mut open: Vec<(usize, Payment)> = tolds
        .iter()
        .flat_map(|told| {
            told.payments
                .iter()
                .map(|payment| (told.buyer, payment.clone()))
        })
        .collect();
    let mut settled = Vec::new();
    loop {
        let answers = stream::iter(
            open.drain(..)
                .map(|(buyer, payment)| look(&browser, buyer, payment)),
        );
        let (done, rest): (Vec<_>, Vec<_>) = answers
            .buffer_unordered(8)
            .collect::<Vec<_>>()
            .await
            .into_iter()
            .partition(Settled::decided);
        settled.extend(done);
        if rest.is_empty() || calm.elapsed() > limit {
            settled.extend(rest);
            settled.sort_by_key(|settled| settled.buyer);
            return Ok((settled, calm.elapsed()));
        }
        open = rest
            .into_iter()
            .map(|settled| (settled.buyer, settled.payment))
            .collect();
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
}

async fn look(browser: &Browser, buyer: usize, payment: Payment) -> Settled {
    let page = Request::get(format!("/api/orders/{}", payment.token));
    let order = match browser.ask(Call::Order, &page).await {
        Some(page) => Finish::read_order(&page),
        None => Finish::Odd("no answer".to_owned()),
    };
    let provider = provider::status(browser, &payment)
        .await
        .unwrap_or_default();
    Settled {
        buyer,
        payment,
        order,
        provider,
    }
}

/// Everything that can be judged from what buyers were told and what both witnesses say in the end.
pub fn promises(tolds: &[Told], settled: &[Settled]) -> Vec<Check> {
    let by_intent: HashMap<&str, &Settled> = settled
        .iter()
        .map(|settled| (settled.payment.payment_intent.as_str(), settled))
        .collect();
    let intents: usize = tolds.iter().map(|told| told.payments.len()).sum();
    vec![
        acknowledged(tolds, &by_intent),
        sold_once(settled),
        not_charged(tolds, &by_intent),
        undecided(settled),
        Check::new(
            "one payment intent a buyer, one story in all repeated answers",
            intents,
            tolds.iter().flat_map(|told| told.broken.clone()).collect(),
        ),
    ]
}

/// The set-full check: what a buyer was shown is there in the end, exactly that, and paid.
fn acknowledged(tolds: &[Told], by_intent: &HashMap<&str, &Settled>) -> Check {
    let bought: Vec<&Told> = tolds
        .iter()
        .filter(|told| told.verdict == Verdict::Bought)
        .collect();
    let mut broken = Vec::new();
    for told in &bought {
        let found = told
            .payments
            .last()
            .and_then(|payment| by_intent.get(payment.payment_intent.as_str()));
        match found {
            Some(settled) if settled.order == Finish::Tickets(told.tickets.clone()) => {
                if settled.provider != "succeeded" {
                    broken.push(format!(
                        "buyer {} has tickets, but the provider says {}",
                        told.buyer, settled.provider
                    ));
                }
                if told.tickets.len() != told.wanted as usize {
                    broken.push(format!(
                        "buyer {} paid for {} and got {:?}",
                        told.buyer, told.wanted, told.tickets
                    ));
                }
            }
            other => broken.push(format!(
                "buyer {} was shown {:?}, now it is {:?}",
                told.buyer,
                told.tickets,
                other.map(|settled| &settled.order)
            )),
        }
    }
    Check::new(
        "every acknowledged purchase is there, whole and paid",
        bought.len(),
        broken,
    )
}

/// No ticket belongs to two orders.
fn sold_once(settled: &[Settled]) -> Check {
    let mut owners: HashMap<Ticket, usize> = HashMap::new();
    let mut broken = Vec::new();
    for one in settled {
        let Finish::Tickets(tickets) = &one.order else {
            continue;
        };
        for ticket in tickets {
            if let Some(other) = owners.insert(*ticket, one.buyer) {
                broken.push(format!(
                    "ticket {ticket:?} belongs to buyers {other} and {}",
                    one.buyer
                ));
            }
        }
    }
    Check::new("no ticket sold twice", owners.len(), broken)
}

/// Whoever was told that nothing was charged, was not charged; whoever never paid, too.
fn not_charged(tolds: &[Told], by_intent: &HashMap<&str, &Settled>) -> Check {
    let unpaid = [
        Verdict::NotCharged,
        Verdict::Declined,
        Verdict::Abandoned,
        Verdict::Released,
    ];
    let all: Vec<_> = tolds
        .iter()
        .filter(|told| unpaid.contains(&told.verdict))
        .collect();
    let mut broken = Vec::new();
    for told in &all {
        for settled in told
            .payments
            .iter()
            .filter_map(|payment| by_intent.get(payment.payment_intent.as_str()))
        {
            if settled.provider == "succeeded" || matches!(settled.order, Finish::Tickets(_)) {
                broken.push(format!(
                    "buyer {} ({}) has {:?} at our side and {} at the provider's",
                    told.buyer,
                    told.verdict.name(),
                    settled.order,
                    settled.provider
                ));
            }
        }
    }
    Check::new(
        "nobody who was not to be charged was charged",
        all.len(),
        broken,
    )
}

fn undecided(settled: &[Settled]) -> Check {
    let stuck = settled.iter().filter(|settled| !settled.decided());
    let broken = stuck
        .map(|settled| {
            let (intent, order) = (&settled.payment.payment_intent, &settled.order);
            format!(
                "buyer {}, {intent}: our order {order:?}, the provider {}",
                settled.buyer, settled.provider
            )
        })
        .collect();
    Check::new(
        "every order decided within a minute of calm",
        settled.len(),
        broken,
    )
}

/// No answer of 5xx. While the server is being killed or the provider fails, 503 with a plea to come back is an honest one.
pub fn no_server_errors(heard: &[Heard], troubled: bool) -> Check {
    let mut counts: BTreeMap<(Call, u16), usize> = BTreeMap::new();
    let ours = heard
        .iter()
        .filter(|heard| heard.call != Call::Card && heard.status >= 500);
    for heard in ours.filter(|heard| !(troubled && heard.status == 503)) {
        *counts.entry((heard.call, heard.status)).or_default() += 1;
    }
    let broken = counts
        .into_iter()
        .map(|((call, status), count)| format!("{count} × {status} for {}", call.name()))
        .collect();
    let name = if troubled {
        "no answer of 5xx but 503 while something was down"
    } else {
        "no answer of 5xx"
    };
    Check::new(name, heard.len(), broken)
}

/// What must never be in a log: a panic's trace, a buyer's address.
pub fn clean_log(log: &str) -> Check {
    let bad = |line: &&str| line.contains("panicked at") || line.contains("@crowd.test");
    let broken: Vec<String> = log
        .lines()
        .filter(bad)
        .take(10)
        .map(|line| line.chars().take(200).collect())
        .collect();
    Check::new(
        "no panic and no buyer in the server's log",
        log.lines().count(),
        broken,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn payment(id: &str) -> Payment {
        Payment {
            payment_intent: id.into(),
            client_secret: "s".into(),
            ..Payment::default()
        }
    }

    fn told(buyer: usize, verdict: Verdict, tickets: &[i64]) -> Told {
        let mut told = Told::nothing(buyer);
        told.verdict = verdict;
        told.tickets = tickets.iter().map(|number| (1001, *number)).collect();
        told.wanted = u32::try_from(tickets.len()).unwrap();
        told.payments = vec![payment(&format!("pi_{buyer}"))];
        told
    }

    fn settled(buyer: usize, order: Finish, provider: &str) -> Settled {
        Settled {
            buyer,
            payment: payment(&format!("pi_{buyer}")),
            order,
            provider: provider.into(),
        }
    }

    fn tickets(numbers: &[i64]) -> Finish {
        Finish::Tickets(numbers.iter().map(|number| (1001, *number)).collect())
    }

    fn broken(tolds: &[Told], settled: &[Settled]) -> Vec<String> {
        promises(tolds, settled)
            .into_iter()
            .flat_map(|check| check.broken)
            .collect()
    }

    #[test]
    fn a_clean_run_breaks_nothing() {
        let tolds = [
            told(1, Verdict::Bought, &[1, 2]),
            told(2, Verdict::NotCharged, &[]),
            told(3, Verdict::LeftAfterPaying, &[]),
            told(4, Verdict::Abandoned, &[]),
        ];
        let settled = [
            settled(1, tickets(&[1, 2]), "succeeded"),
            settled(2, Finish::NotCharged, "canceled"),
            settled(3, tickets(&[3]), "succeeded"),
            settled(4, Finish::Pending, "requires_payment_method"),
        ];
        assert_eq!(broken(&tolds, &settled), Vec::<String>::new());
    }

    #[test]
    fn a_lost_acknowledged_purchase_is_found() {
        let tolds = [told(1, Verdict::Bought, &[1])];
        assert_eq!(
            broken(&tolds, &[settled(1, Finish::NotCharged, "canceled")]).len(),
            1
        );
        assert_eq!(
            broken(&tolds, &[settled(1, tickets(&[2]), "succeeded")]).len(),
            1
        );
        assert!(!broken(&tolds, &[settled(1, tickets(&[1]), "requires_capture")]).is_empty());
        assert_eq!(broken(&tolds, &[]).len(), 1, "an order that is nowhere");
    }

    #[test]
    fn a_ticket_sold_twice_is_found() {
        let tolds = [
            told(1, Verdict::Bought, &[1]),
            told(2, Verdict::Bought, &[1]),
        ];
        let both = [
            settled(1, tickets(&[1]), "succeeded"),
            settled(2, tickets(&[1]), "succeeded"),
        ];
        assert_eq!(
            broken(&tolds, &both),
            vec!["ticket (1001, 1) belongs to buyers 1 and 2"]
        );
    }

    #[test]
    fn a_charge_after_not_charged_is_found() {
        let tolds = [told(1, Verdict::NotCharged, &[])];
        assert_eq!(
            broken(&tolds, &[settled(1, tickets(&[1]), "succeeded")]).len(),
            1
        );
    }

    #[test]
    fn an_authorisation_that_hangs_is_found() {
        let tolds = [told(1, Verdict::LeftAfterPaying, &[])];
        assert_eq!(
            broken(&tolds, &[settled(1, Finish::Pending, "requires_capture")]).len(),
            1
        );
    }

    #[test]
    fn a_500_is_always_bad_and_a_503_only_in_calm() {
        let heard = |status| Heard {
            call: Call::Open,
            at: Duration::ZERO,
            took: Duration::ZERO,
            status,
        };
        assert_eq!(
            no_server_errors(&[heard(200), heard(0), heard(503)], true)
                .broken
                .len(),
            0
        );
        assert_eq!(
            no_server_errors(&[heard(200), heard(503)], false).broken,
            vec!["1 × 503 for open payment"]
        );
        assert_eq!(
            no_server_errors(&[heard(500), heard(500)], true).broken,
            vec!["2 × 500 for open payment"]
        );
    }

    #[test]
    fn a_log_with_a_panic_or_a_buyer_is_not_clean() {
        assert!(clean_log("all is well").broken.is_empty());
        assert_eq!(
            clean_log("thread 'x' panicked at y\nmail to buyer7@crowd.test")
                .broken
                .len(),
            2
        );
    }
}
