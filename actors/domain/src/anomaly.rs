//! Anomalies: disagreements between the database and the payment provider, and payments that came
//! too late.

use std::fmt;

use crate::{DrawId, OrderId, PaymentIntentId};

/// The types of anomalies in the operator console: the five that the specification names (C:133),
/// disputes, and refunds that the buyer has not got.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AnomalyKind {
    /// The payment was captured, but the order has no tickets and can still get them.
    MissingTicket,
    /// Two payments were captured for one order.
    DuplicatePayment,
    /// The draw refused the tickets while the payment was still authorised; or the draw is paused.
    FailedAllocation,
    /// Amount, currency, account or fee differ.
    MismatchedAmount,
    /// The order has tickets, but its payment is not captured; or its buyer left no e-mail address.
    OrphanedTicket,
    /// The buyer's bank disputes the payment, or the club lost the dispute.
    Dispute,
    /// The order's tickets were returned, and the buyer's money is not: the refund waits for the
    /// club's balance, failed, or was not requested. The order can get no tickets again.
    OwedRefund,
}

impl AnomalyKind {
    pub const ALL: [AnomalyKind; 7] = [
        AnomalyKind::MissingTicket,
        AnomalyKind::DuplicatePayment,
        AnomalyKind::FailedAllocation,
        AnomalyKind::MismatchedAmount,
        AnomalyKind::OrphanedTicket,
        AnomalyKind::Dispute,
        AnomalyKind::OwedRefund,
    ];
}

/// A problem of a payment or a draw that an operator must see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Anomaly {
    pub kind: AnomalyKind,
    pub payment_intent: Option<PaymentIntentId>,
    pub order: Option<OrderId>,
    /// One sentence for the operator, without personal data.
    pub note: String,
}

/// Why a draw is paused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PauseCause {
    /// The stored state of the draw breaks an invariant.
    BrokenInvariant,
    UnreadableState,
    RestartedTooOften,
}

impl PauseCause {
    const ALL: [PauseCause; 3] = [
        PauseCause::BrokenInvariant,
        PauseCause::UnreadableState,
        PauseCause::RestartedTooOften,
    ];
}

impl fmt::Display for PauseCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PauseCause::BrokenInvariant => "its stored state breaks an invariant",
            PauseCause::UnreadableState => "its stored state cannot be read",
            PauseCause::RestartedTooOften => "its actor stopped again and again",
        })
    }
}

/// A paused draw, as an anomaly reports it. Such an anomaly has no payment and no order, so only
/// its note names the draw and the cause. The note is parsed when anomalies are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawPause {
    pub draw: DrawId,
    pub cause: PauseCause,
}

impl DrawPause {
    /// Returns the note of the anomaly that reports this pause. The database contains notes in this
    /// format, so the format must not change.
    pub fn to_note(self) -> String {
        format!("draw {} is paused: {}", self.draw, self.cause)
    }

    /// Parses the note of an anomaly. `None`: the anomaly is not about a paused draw.
    pub fn from_note(note: &str) -> Option<DrawPause> {
        let (draw, cause) = note.strip_prefix("draw ")?.split_once(" is paused: ")?;
        Some(DrawPause {
            draw: DrawId(draw.parse().ok()?),
            cause: PauseCause::ALL
                .into_iter()
                .find(|known| known.to_string() == cause)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{DrawPause, PauseCause};
    use crate::DrawId;

    #[test]
    fn draw_pause_is_parsed_back_from_its_anomaly_note() {
        for (cause, note) in [
            (
                PauseCause::BrokenInvariant,
                "draw 1001 is paused: its stored state breaks an invariant",
            ),
            (
                PauseCause::UnreadableState,
                "draw 1001 is paused: its stored state cannot be read",
            ),
            (
                PauseCause::RestartedTooOften,
                "draw 1001 is paused: its actor stopped again and again",
            ),
        ] {
            let pause = DrawPause {
                draw: DrawId(1001),
                cause,
            };
            assert_eq!(pause.to_note(), note);
            assert_eq!(DrawPause::from_note(note), Some(pause));
        }
        assert_eq!(DrawPause::from_note("draw 1001 is paused: by hand"), None);
    }
}
