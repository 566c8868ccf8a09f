//! A disagreement between our books and the provider's, or money that came too late to honour.

use crate::{OrderId, PaymentIntentId};

/// The console's five types (C:133).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AnomalyKind {
    /// Money taken, no tickets.
    MissingTicket,
    /// Two payments taken for one order.
    DuplicatePayment,
    /// Authorised, allocation refused, and the authorisation is still open; or a draw that had to pause.
    FailedAllocation,
    /// Amount, currency, account or fee differ; or a dispute.
    MismatchedAmount,
    /// Tickets whose payment is not taken.
    OrphanedTicket,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Anomaly {
    pub kind: AnomalyKind,
    pub payment_intent: Option<PaymentIntentId>,
    pub order: Option<OrderId>,
    /// One sentence for the operator, without personal data.
    pub note: String,
}
