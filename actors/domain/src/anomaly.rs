//! Anomalies: disagreements between the database and the payment provider, and payments that came
//! too late.

use crate::{OrderId, PaymentIntentId};

/// The five types of anomalies in the operator console (C:133).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AnomalyKind {
    /// The payment was captured, but the order has no tickets.
    MissingTicket,
    /// Two payments were captured for one order.
    DuplicatePayment,
    /// The allocation was refused and the authorisation is still open; or a draw is paused.
    FailedAllocation,
    /// Amount, currency, account or fee differ; or the payment is disputed.
    MismatchedAmount,
    /// The order has tickets, but its payment is not captured; or the tickets have no buyer.
    OrphanedTicket,
}

impl AnomalyKind {
    pub const ALL: [AnomalyKind; 5] = [
        AnomalyKind::MissingTicket,
        AnomalyKind::DuplicatePayment,
        AnomalyKind::FailedAllocation,
        AnomalyKind::MismatchedAmount,
        AnomalyKind::OrphanedTicket,
    ];
}

/// A problem of one payment that an operator must see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Anomaly {
    pub kind: AnomalyKind,
    pub payment_intent: Option<PaymentIntentId>,
    pub order: Option<OrderId>,
    /// One sentence for the operator, without personal data.
    pub note: String,
}
