//! Why an order ended without a charge. The database stores only a text. This module parses the
//! text, so that no other code depends on its wording.

use std::ops::Deref;

/// Why an order is abandoned before its tickets are allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AbandonReason {
    BuyerLeft,
    ReservationLapsed,
    /// At least one line of the order could not get its tickets: they are no longer available.
    TicketsUnavailable,
    /// The buyer was shown a different amount than the order's (decision C-3). The payment is
    /// cancelled even if it is authorised.
    AmountChanged,
}

impl AbandonReason {
    /// Returns the text that is stored with the order. The database contains these texts, so they
    /// must not change.
    pub fn stored_text(self) -> &'static str {
        match self {
            AbandonReason::BuyerLeft => "the buyer left",
            AbandonReason::ReservationLapsed => {
                "the reservation lapsed before the payment was authorised"
            }
            AbandonReason::TicketsUnavailable => "the tickets were no longer available",
            AbandonReason::AmountChanged => "the amount was not the one the buyer was shown",
        }
    }
}

/// The causes for which the buyer is shown a specific message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrderEndCause {
    Abandoned(AbandonReason),
    /// A draw had fewer tickets left than the order requested from it.
    TooFewTickets {
        free: u16,
    },
    DrawClosed,
    Other,
}

/// Why an order ended without a charge: the stored text, and the cause parsed from it. Derefs to
/// the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderEndReason {
    text: String,
    cause: OrderEndCause,
}

impl OrderEndReason {
    pub fn cause(&self) -> OrderEndCause {
        self.cause
    }
}

impl From<String> for OrderEndReason {
    fn from(text: String) -> OrderEndReason {
        let cause = parse_cause(&text);
        OrderEndReason { text, cause }
    }
}

impl From<&str> for OrderEndReason {
    fn from(text: &str) -> OrderEndReason {
        OrderEndReason::from(text.to_owned())
    }
}

impl Default for OrderEndReason {
    /// Returns the value for an order without a stored reason.
    fn default() -> OrderEndReason {
        OrderEndReason::from("")
    }
}

impl Deref for OrderEndReason {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

/// Parses the stored reason of an ended order. The text may start with the draw, as in `draw 1001:
/// the draw is closed`.
fn parse_cause(text: &str) -> OrderEndCause {
    let remaining = text
        .split_once("only ")
        .and_then(|(_, rest)| rest.split_once(" tickets remaining"));
    if let Some(free) = remaining.and_then(|(free, _)| free.parse().ok()) {
        return OrderEndCause::TooFewTickets { free };
    }
    let causes = [
        ("draw is closed", OrderEndCause::DrawClosed),
        (
            "reservation lapsed",
            OrderEndCause::Abandoned(AbandonReason::ReservationLapsed),
        ),
        (
            "buyer left",
            OrderEndCause::Abandoned(AbandonReason::BuyerLeft),
        ),
        (
            "no longer available",
            OrderEndCause::Abandoned(AbandonReason::TicketsUnavailable),
        ),
        (
            "amount was not the one",
            OrderEndCause::Abandoned(AbandonReason::AmountChanged),
        ),
    ];
    causes
        .into_iter()
        .find(|(words, _)| text.contains(words))
        .map_or(OrderEndCause::Other, |(_, cause)| cause)
}

#[cfg(test)]
mod tests {
    use super::{AbandonReason, OrderEndCause, OrderEndReason};
    use crate::Refusal;

    #[test]
    fn abandon_reason_is_parsed_back_from_its_stored_text() {
        for (reason, text) in [
            (AbandonReason::BuyerLeft, "the buyer left"),
            (
                AbandonReason::ReservationLapsed,
                "the reservation lapsed before the payment was authorised",
            ),
            (
                AbandonReason::TicketsUnavailable,
                "the tickets were no longer available",
            ),
            (
                AbandonReason::AmountChanged,
                "the amount was not the one the buyer was shown",
            ),
        ] {
            assert_eq!(reason.stored_text(), text);
            let parsed = OrderEndReason::from(text);
            assert_eq!(
                (&*parsed, parsed.cause()),
                (text, OrderEndCause::Abandoned(reason))
            );
        }
    }

    #[test]
    fn stored_refusal_keeps_its_text_and_names_its_cause() {
        for (text, cause) in [
            (
                Refusal::TooFewTickets { free: 3 }.to_string(),
                OrderEndCause::TooFewTickets { free: 3 },
            ),
            (
                "draw 1001: only 3 tickets remaining".to_owned(),
                OrderEndCause::TooFewTickets { free: 3 },
            ),
            (Refusal::DrawClosed.to_string(), OrderEndCause::DrawClosed),
            (Refusal::PriceChanged.to_string(), OrderEndCause::Other),
            (String::new(), OrderEndCause::Other),
        ] {
            let parsed = OrderEndReason::from(text.as_str());
            assert_eq!((&*parsed, parsed.cause()), (text.as_str(), cause));
        }
    }
}
