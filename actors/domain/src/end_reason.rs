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
pub enum EndCause {
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
pub struct EndReason {
    text: String,
    cause: EndCause,
}

impl EndReason {
    pub fn cause(&self) -> EndCause {
        self.cause
    }
}

impl From<String> for EndReason {
    fn from(text: String) -> EndReason {
        let cause = parse_cause(&text);
        EndReason { text, cause }
    }
}

impl From<&str> for EndReason {
    fn from(text: &str) -> EndReason {
        EndReason::from(text.to_owned())
    }
}

impl Default for EndReason {
    /// Returns the value for an order without a stored reason.
    fn default() -> EndReason {
        EndReason::from("")
    }
}

impl Deref for EndReason {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

/// Parses the stored reason of an ended order. The text may start with the draw, as in `draw 1001:
/// the draw is closed`.
fn parse_cause(text: &str) -> EndCause {
    let remaining = text
        .split_once("only ")
        .and_then(|(_, rest)| rest.split_once(" tickets remaining"));
    if let Some(free) = remaining.and_then(|(free, _)| free.parse().ok()) {
        return EndCause::TooFewTickets { free };
    }
    let causes = [
        ("draw is closed", EndCause::DrawClosed),
        (
            "reservation lapsed",
            EndCause::Abandoned(AbandonReason::ReservationLapsed),
        ),
        ("buyer left", EndCause::Abandoned(AbandonReason::BuyerLeft)),
        (
            "no longer available",
            EndCause::Abandoned(AbandonReason::TicketsUnavailable),
        ),
        (
            "amount was not the one",
            EndCause::Abandoned(AbandonReason::AmountChanged),
        ),
    ];
    causes
        .into_iter()
        .find(|(words, _)| text.contains(words))
        .map_or(EndCause::Other, |(_, cause)| cause)
}

#[cfg(test)]
mod tests {
    use super::{AbandonReason, EndCause, EndReason};
    use crate::Refusal;

    #[test]
    fn abandon_reason_is_stored_as_its_text_and_parsed_back() {
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
            let parsed = EndReason::from(text);
            assert_eq!(
                (&*parsed, parsed.cause()),
                (text, EndCause::Abandoned(reason))
            );
        }
    }

    #[test]
    fn stored_refusal_keeps_its_text_and_names_its_cause() {
        for (text, cause) in [
            (
                Refusal::TooFewTickets { free: 3 }.to_string(),
                EndCause::TooFewTickets { free: 3 },
            ),
            (
                "draw 1001: only 3 tickets remaining".to_owned(),
                EndCause::TooFewTickets { free: 3 },
            ),
            (Refusal::DrawClosed.to_string(), EndCause::DrawClosed),
            (Refusal::PriceChanged.to_string(), EndCause::Other),
            (String::new(), EndCause::Other),
        ] {
            let parsed = EndReason::from(text.as_str());
            assert_eq!((&*parsed, parsed.cause()), (text.as_str(), cause));
        }
    }
}
