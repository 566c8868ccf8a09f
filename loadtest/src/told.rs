//! What one buyer was told, kept outside the server: the promises the audit holds it to.

use std::time::Duration;

use crate::browser::{Answer, number};
use crate::latency::Heard;
use crate::provider::Payment;

/// A ticket by draw number and its number on that draw.
pub type Ticket = (i64, i64);

/// How the purchase looked to the buyer when they turned away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Was shown tickets.
    Bought,
    /// Was told that nothing was charged.
    NotCharged,
    /// The bank said no.
    Declined,
    /// No tickets were left.
    SoldOut,
    /// Patience ended while other buyers' reservations were still running.
    GaveUp,
    /// Sales had closed.
    Closed,
    /// Opened a payment and went away without paying.
    Abandoned,
    /// Left politely before paying.
    Released,
    /// Closed the tab after (or while) paying: only the server can finish this.
    LeftAfterPaying,
    /// Patience ended before an answer came.
    Silence,
}

impl Verdict {
    pub const ALL: [Self; 10] = [
        Self::Bought,
        Self::NotCharged,
        Self::Declined,
        Self::SoldOut,
        Self::GaveUp,
        Self::Closed,
        Self::Abandoned,
        Self::Released,
        Self::LeftAfterPaying,
        Self::Silence,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Bought => "shown their tickets",
            Self::NotCharged => "told: not charged",
            Self::Declined => "card declined",
            Self::SoldOut => "told: sold out",
            Self::GaveUp => "found every ticket reserved by others",
            Self::Closed => "told: sales closed",
            Self::Abandoned => "opened a payment, never paid",
            Self::Released => "left the checkout",
            Self::LeftAfterPaying => "closed the tab while paying",
            Self::Silence => "got no answer in time",
        }
    }
}

#[derive(Clone, Debug)]
pub struct Told {
    pub buyer: usize,
    pub verdict: Verdict,
    /// Every payment intent this buyer was ever given; more than one is a broken promise.
    pub payments: Vec<Payment>,
    /// How many tickets the last opened payment was for.
    pub wanted: u32,
    pub tickets: Vec<Ticket>,
    /// When the page was back from the bank with an authorised card, and when the server's decision was known; since the
    /// run's start.
    pub authorised_at: Option<Duration>,
    pub decided_at: Option<Duration>,
    pub heard: Vec<Heard>,
    /// Promises the buyer itself saw broken.
    pub broken: Vec<String>,
}

impl Told {
    pub fn nothing(buyer: usize) -> Self {
        Self {
            buyer,
            verdict: Verdict::Silence,
            payments: Vec::new(),
            wanted: 0,
            tickets: Vec::new(),
            authorised_at: None,
            decided_at: None,
            heard: Vec::new(),
            broken: Vec::new(),
        }
    }

    /// Keeps what was opened; a buyer who only repeats one call must never get a second payment intent.
    pub fn opened(&mut self, payment: Payment) {
        match self
            .payments
            .iter_mut()
            .find(|known| known.payment_intent == payment.payment_intent)
        {
            Some(known) => *known = payment,
            None => self.payments.push(payment),
        }
        if self.payments.len() > 1 {
            let all: Vec<&str> = self
                .payments
                .iter()
                .map(|payment| payment.payment_intent.as_str())
                .collect();
            self.broken.push(format!(
                "buyer {} was given {} payment intents: {}",
                self.buyer,
                all.len(),
                all.join(", ")
            ));
        }
    }
}

/// What an answer to any of the completing calls says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finish {
    Tickets(Vec<Ticket>),
    NotCharged,
    Declined,
    /// The bank wants to ask the buyer first.
    Asks,
    /// Decided later; the order page will say.
    Pending,
    Odd(String),
}

impl Finish {
    pub fn read(answer: &Answer) -> Self {
        let mut tickets = tickets(answer, "/tickets", None);
        match (answer.status, answer.text("/status").as_str()) {
            (200..300, "succeeded") if tickets.is_empty() => Self::Pending,
            (200..300, "succeeded") => {
                tickets.sort_unstable();
                Self::Tickets(tickets)
            }
            (200..300, "requires_action") => Self::Asks,
            (200..300, "processing" | "requires_payment_method") => Self::Pending,
            (402, _) => Self::Declined,
            (409, _) if not_charged(answer) => Self::NotCharged,
            _ => Self::Odd(format!("{} {}", answer.status, answer.body)),
        }
    }

    /// Reads `GET /api/orders/{token}`.
    pub fn read_order(answer: &Answer) -> Self {
        if !answer.ok() {
            return Self::Odd(format!("order page: {} {}", answer.status, answer.body));
        }
        let mut all = Vec::new();
        for index in 0..answer
            .body
            .pointer("/lines")
            .and_then(|lines| lines.as_array())
            .map_or(0, Vec::len)
        {
            let draw = number(&answer.body, &format!("/lines/{index}/drawNumber"));
            all.extend(tickets(answer, &format!("/lines/{index}/tickets"), draw));
        }
        all.sort_unstable();
        match (
            answer.text("/status").as_str(),
            answer.text("/state").to_lowercase().as_str(),
        ) {
            ("succeeded", _) | (_, "captured") => Self::Tickets(all),
            ("not_charged", _) | (_, "released" | "void" | "refunded") => Self::NotCharged,
            _ => Self::Pending,
        }
    }
}

fn not_charged(answer: &Answer) -> bool {
    answer.text("/status") == "not_charged" || answer.text("/message").contains("not been charged")
}

fn tickets(answer: &Answer, pointer: &str, draw: Option<i64>) -> Vec<Ticket> {
    let rows = answer
        .body
        .pointer(pointer)
        .and_then(|rows| rows.as_array())
        .cloned()
        .unwrap_or_default();
    rows.iter()
        .filter_map(|row| {
            Some((
                draw.or_else(|| number(row, "/drawNumber"))?,
                number(row, "/ticketNumber")?,
            ))
        })
        .collect()
}

/// All answers to one repeated completing call must tell one story. Gives the story, and what contradicts it. The card was
/// a good one, so no answer may say that it was declined: whoever reads that pays again with another card.
pub fn one_story(buyer: usize, answers: &[Answer]) -> (Option<Finish>, Vec<String>) {
    let mut story: Option<Finish> = None;
    let mut broken = Vec::new();
    for finish in answers.iter().map(Finish::read) {
        let contradicts = match (&story, &finish) {
            (Some(Finish::Tickets(before)), Finish::Tickets(now)) => before != now,
            (_, Finish::Declined) => true,
            (Some(Finish::Tickets(_)), Finish::NotCharged) => true,
            (Some(Finish::NotCharged), Finish::Tickets(_)) => true,
            _ => false,
        };
        if contradicts {
            broken.push(match &story {
                Some(story) => {
                    format!("buyer {buyer} was first told {story:?} and then {finish:?}")
                }
                None => format!("buyer {buyer} was told {finish:?}, and the card was a good one"),
            });
        }
        let settled = matches!(story, Some(Finish::Tickets(_) | Finish::NotCharged));
        if !settled {
            story = Some(finish);
        }
    }
    (story, broken)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn answer(status: u16, body: Value) -> Answer {
        Answer {
            status,
            body,
            retry_after: None,
        }
    }

    fn bought(numbers: &[i64]) -> Answer {
        let tickets: Vec<Value> = numbers
            .iter()
            .map(|n| json!({"drawNumber": 1001, "ticketNumber": n}))
            .collect();
        answer(
            200,
            json!({"success": true, "status": "succeeded", "tickets": tickets}),
        )
    }

    #[test]
    fn the_same_tickets_in_any_order_are_one_story() {
        let (story, broken) = one_story(1, &[bought(&[2, 1]), bought(&[1, 2])]);
        assert_eq!(
            (story, broken.len()),
            (Some(Finish::Tickets(vec![(1001, 1), (1001, 2)])), 0)
        );
    }

    #[test]
    fn other_tickets_or_a_withdrawn_sale_are_a_contradiction() {
        assert_eq!(one_story(1, &[bought(&[1]), bought(&[2])]).1.len(), 1);
        let refused = answer(
            409,
            json!({"message": "Sold out. You have not been charged."}),
        );
        assert_eq!(one_story(1, &[bought(&[1]), refused.clone()]).1.len(), 1);
        assert_eq!(one_story(1, &[refused, bought(&[1])]).1.len(), 1);
    }

    #[test]
    fn a_good_card_that_is_called_declined_is_a_broken_promise() {
        let declined = || answer(402, json!({"message": "Your payment was not accepted."}));
        let waits = || answer(200, json!({"status": "processing", "tickets": []}));
        assert_eq!(one_story(1, &[declined()]).1.len(), 1);
        assert_eq!(
            one_story(1, &[waits(), declined(), bought(&[1])]).1.len(),
            1
        );
        assert_eq!(one_story(1, &[bought(&[1]), declined()]).1.len(), 1);
    }

    #[test]
    fn processing_may_become_anything() {
        let waits = answer(200, json!({"status": "processing", "tickets": []}));
        let (story, broken) = one_story(1, &[waits, bought(&[5])]);
        assert_eq!(
            (story, broken.len()),
            (Some(Finish::Tickets(vec![(1001, 5)])), 0)
        );
    }

    #[test]
    fn the_order_page_tells_tickets_line_by_line() {
        let page = answer(
            200,
            json!({"status": "succeeded", "state": "captured", "lines": [
                {"drawNumber": 1002, "tickets": [{"ticketNumber": 9}]},
                {"drawNumber": 1001, "tickets": [{"ticketNumber": 3}]}]}),
        );
        assert_eq!(
            Finish::read_order(&page),
            Finish::Tickets(vec![(1001, 3), (1002, 9)])
        );
    }

    #[test]
    fn a_second_payment_intent_is_a_broken_promise() {
        let payment = |id: &str| Payment {
            payment_intent: id.into(),
            client_secret: "s".into(),
            ..Payment::default()
        };
        let mut told = Told::nothing(4);
        told.opened(payment("pi_1"));
        told.opened(payment("pi_1"));
        assert!(told.broken.is_empty());
        told.opened(payment("pi_2"));
        assert_eq!(told.broken.len(), 1);
    }
}
