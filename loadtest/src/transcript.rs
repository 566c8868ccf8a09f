//! The transcript of one buyer: what the server told the buyer, recorded outside the server. The
//! audit compares it with the final state.

use std::time::Duration;

use crate::browser::{ServerResponse, json_number_at};
use crate::latency::CallRecord;
use crate::provider::Payment;

/// A ticket: draw number and ticket number.
pub type Ticket = (i64, i64);

/// The outcome of a purchase as the buyer knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PurchaseVerdict {
    /// The buyer was shown tickets.
    Bought,
    /// The buyer was told that nothing was charged.
    NotCharged,
    /// The bank declined the card.
    Declined,
    /// No tickets were left.
    SoldOut,
    /// The buyer stopped waiting while reservations of other buyers had not expired yet.
    GaveUp,
    /// Sales of the draw had closed.
    Closed,
    /// The buyer opened a payment and never paid.
    Abandoned,
    /// The buyer left the checkout before paying.
    Released,
    /// The buyer closed the tab after or while paying. Only the server can complete the order.
    LeftAfterPaying,
    /// The buyer's retry time ended before a response came.
    NoAnswer,
}

impl PurchaseVerdict {
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
        Self::NoAnswer,
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
            Self::NoAnswer => "got no answer in time",
        }
    }
}

#[derive(Clone, Debug)]
pub struct BuyerTranscript {
    pub buyer: usize,
    pub verdict: PurchaseVerdict,
    /// Every payment that was opened for this buyer. More than one payment intent is a failure of
    /// the server.
    pub payments: Vec<Payment>,
    /// Number of tickets in the payment that was opened last.
    pub ticket_count: u32,
    /// The draws in which the buyer wanted tickets.
    pub draws: Vec<i64>,
    pub tickets: Vec<Ticket>,
    /// When the card was authorised, as time since the start of the run.
    pub authorised_at: Option<Duration>,
    /// When the buyer knew the outcome, as time since the start of the run.
    pub decided_at: Option<Duration>,
    pub call_records: Vec<CallRecord>,
    /// Failures of the server that this buyer noticed.
    pub failures: Vec<String>,
}

impl BuyerTranscript {
    pub fn empty(buyer: usize) -> Self {
        Self {
            buyer,
            verdict: PurchaseVerdict::NoAnswer,
            payments: Vec::new(),
            ticket_count: 0,
            draws: Vec::new(),
            tickets: Vec::new(),
            authorised_at: None,
            decided_at: None,
            call_records: Vec::new(),
            failures: Vec::new(),
        }
    }

    /// Records a payment that was opened. A buyer who repeats the call must never get a second
    /// payment intent.
    pub fn record_payment(&mut self, payment: Payment) {
        match self
            .payments
            .iter_mut()
            .find(|payment_seen| payment_seen.intent == payment.intent)
        {
            Some(payment_seen) => *payment_seen = payment,
            None => self.payments.push(payment),
        }
        if self.payments.len() > 1 {
            let all: Vec<&str> = self
                .payments
                .iter()
                .map(|payment| payment.intent.as_str())
                .collect();
            self.failures.push(format!(
                "buyer {} was given {} payment intents: {}",
                self.buyer,
                all.len(),
                all.join(", ")
            ));
        }
    }
}

/// The outcome that the server reports in its response to a completing call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompletionOutcome {
    Tickets(Vec<Ticket>),
    NotCharged,
    Declined,
    /// The bank requires an authentication by the buyer first.
    AuthenticationRequired,
    /// The outcome is not decided yet. The order page shows it later.
    Pending,
    Unexpected(String),
}

impl CompletionOutcome {
    pub fn from_completion_response(answer: &ServerResponse) -> Self {
        let mut tickets = read_tickets(answer, "/tickets", None);
        match (answer.status, answer.body_text_at("/status").as_str()) {
            (200..300, "succeeded") if tickets.is_empty() => Self::Pending,
            (200..300, "succeeded") => {
                tickets.sort_unstable();
                Self::Tickets(tickets)
            }
            (200..300, "requires_action") => Self::AuthenticationRequired,
            (200..300, "processing" | "requires_payment_method") => Self::Pending,
            (402, _) => Self::Declined,
            (409, _) if says_not_charged(answer) => Self::NotCharged,
            _ => Self::Unexpected(format!("{} {}", answer.status, answer.body)),
        }
    }

    /// Reads the outcome from a response to `GET /api/orders/{token}`.
    pub fn from_order_page(answer: &ServerResponse) -> Self {
        if !answer.ok() {
            return Self::Unexpected(format!("order page: {} {}", answer.status, answer.body));
        }
        let mut all = Vec::new();
        for index in 0..answer
            .body
            .pointer("/lines")
            .and_then(|lines| lines.as_array())
            .map_or(0, Vec::len)
        {
            let draw = json_number_at(&answer.body, &format!("/lines/{index}/drawNumber"));
            all.extend(read_tickets(
                answer,
                &format!("/lines/{index}/tickets"),
                draw,
            ));
        }
        all.sort_unstable();
        match (
            answer.body_text_at("/status").as_str(),
            answer.body_text_at("/state").to_lowercase().as_str(),
        ) {
            ("succeeded", _) | (_, "captured") => Self::Tickets(all),
            ("not_charged", _) | (_, "released" | "void" | "refunded") => Self::NotCharged,
            _ => Self::Pending,
        }
    }
}

fn says_not_charged(answer: &ServerResponse) -> bool {
    answer.body_text_at("/status") == "not_charged"
        || answer.body_text_at("/message").contains("not been charged")
}

fn read_tickets(answer: &ServerResponse, pointer: &str, draw: Option<i64>) -> Vec<Ticket> {
    let rows = answer
        .body
        .pointer(pointer)
        .and_then(|rows| rows.as_array())
        .cloned()
        .unwrap_or_default();
    rows.iter()
        .filter_map(|row| {
            Some((
                draw.or_else(|| json_number_at(row, "/drawNumber"))?,
                json_number_at(row, "/ticketNumber")?,
            ))
        })
        .collect()
}

/// Combines the responses to a completing call that was repeated. Returns the outcome, and a
/// message for every contradiction. The card is good, so "declined" is a failure: the buyer would
/// pay again with another card.
pub fn combine_completion_responses(
    buyer: usize,
    answers: &[ServerResponse],
) -> (Option<CompletionOutcome>, Vec<String>) {
    let mut story: Option<CompletionOutcome> = None;
    let mut failures = Vec::new();
    for finish in answers
        .iter()
        .map(CompletionOutcome::from_completion_response)
    {
        let contradicts = match (&story, &finish) {
            (Some(CompletionOutcome::Tickets(before)), CompletionOutcome::Tickets(now)) => {
                before != now
            }
            (_, CompletionOutcome::Declined) => true,
            (Some(CompletionOutcome::Tickets(_)), CompletionOutcome::NotCharged) => true,
            (Some(CompletionOutcome::NotCharged), CompletionOutcome::Tickets(_)) => true,
            _ => false,
        };
        if contradicts {
            failures.push(match &story {
                Some(story) => {
                    format!("buyer {buyer} was first told {story:?} and then {finish:?}")
                }
                None => format!("buyer {buyer} was told {finish:?}, and the card was a good one"),
            });
        }
        let settled = matches!(
            story,
            Some(CompletionOutcome::Tickets(_) | CompletionOutcome::NotCharged)
        );
        if !settled {
            story = Some(finish);
        }
    }
    (story, failures)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn server_response(status: u16, body: Value) -> ServerResponse {
        ServerResponse {
            status,
            body,
            retry_after: None,
        }
    }

    fn bought_response(numbers: &[i64]) -> ServerResponse {
        let tickets: Vec<Value> = numbers
            .iter()
            .map(|n| json!({"drawNumber": 1001, "ticketNumber": n}))
            .collect();
        server_response(
            200,
            json!({"success": true, "status": "succeeded", "tickets": tickets}),
        )
    }

    #[test]
    fn same_tickets_in_any_order_are_consistent() {
        let (story, failures) =
            combine_completion_responses(1, &[bought_response(&[2, 1]), bought_response(&[1, 2])]);
        assert_eq!(
            (story, failures.len()),
            (
                Some(CompletionOutcome::Tickets(vec![(1001, 1), (1001, 2)])),
                0
            )
        );
    }

    #[test]
    fn different_tickets_or_withdrawn_sale_is_reported() {
        assert_eq!(
            combine_completion_responses(1, &[bought_response(&[1]), bought_response(&[2])])
                .1
                .len(),
            1
        );
        let refused = server_response(
            409,
            json!({"message": "Sold out. You have not been charged."}),
        );
        assert_eq!(
            combine_completion_responses(1, &[bought_response(&[1]), refused.clone()])
                .1
                .len(),
            1
        );
        assert_eq!(
            combine_completion_responses(1, &[refused, bought_response(&[1])])
                .1
                .len(),
            1
        );
    }

    #[test]
    fn declined_good_card_is_reported() {
        let declined =
            || server_response(402, json!({"message": "Your payment was not accepted."}));
        let waits = || server_response(200, json!({"status": "processing", "tickets": []}));
        assert_eq!(combine_completion_responses(1, &[declined()]).1.len(), 1);
        assert_eq!(
            combine_completion_responses(1, &[waits(), declined(), bought_response(&[1])])
                .1
                .len(),
            1
        );
        assert_eq!(
            combine_completion_responses(1, &[bought_response(&[1]), declined()])
                .1
                .len(),
            1
        );
    }

    #[test]
    fn processing_may_become_any_outcome() {
        let waits = server_response(200, json!({"status": "processing", "tickets": []}));
        let (story, failures) = combine_completion_responses(1, &[waits, bought_response(&[5])]);
        assert_eq!(
            (story, failures.len()),
            (Some(CompletionOutcome::Tickets(vec![(1001, 5)])), 0)
        );
    }

    #[test]
    fn order_page_tickets_are_read_from_every_line() {
        let page = server_response(
            200,
            json!({"status": "succeeded", "state": "captured", "lines": [
                {"drawNumber": 1002, "tickets": [{"ticketNumber": 9}]},
                {"drawNumber": 1001, "tickets": [{"ticketNumber": 3}]}]}),
        );
        assert_eq!(
            CompletionOutcome::from_order_page(&page),
            CompletionOutcome::Tickets(vec![(1001, 3), (1002, 9)])
        );
    }

    #[test]
    fn second_payment_intent_is_reported() {
        let payment = |id: &str| Payment {
            intent: id.into(),
            client_secret: "s".into(),
            ..Payment::default()
        };
        let mut transcript = BuyerTranscript::empty(4);
        transcript.record_payment(payment("pi_1"));
        transcript.record_payment(payment("pi_1"));
        assert!(transcript.failures.is_empty());
        transcript.record_payment(payment("pi_2"));
        assert_eq!(transcript.failures.len(), 1);
    }
}
