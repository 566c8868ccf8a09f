//! Why an order is abandoned before its tickets are allocated.

/// Why an order is abandoned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AbandonReason {
    BuyerLeft,
    ReservationLapsed,
    /// Not every line of the order has its tickets, and the missing ones are no longer available.
    TicketsUnavailable,
    /// The buyer was shown another amount than the order's (decision C-3). Even an authorised
    /// payment is cancelled.
    AmountChanged,
}

impl AbandonReason {
    /// The reason as it is stored with the order and shown to the buyer. Orders in the database
    /// have these texts: they must not change.
    pub(super) fn stored_text(self) -> &'static str {
        match self {
            AbandonReason::BuyerLeft => "the buyer left",
            AbandonReason::ReservationLapsed => {
                "the reservation lapsed before the payment was authorised"
            }
            AbandonReason::TicketsUnavailable => "the tickets were no longer available",
            AbandonReason::AmountChanged => "the amount was not the one the buyer was shown",
        }
    }

    /// Parses a stored reason. `None`: the order ended for another reason.
    pub(super) fn from_stored_text(text: &str) -> Option<AbandonReason> {
        [
            AbandonReason::BuyerLeft,
            AbandonReason::ReservationLapsed,
            AbandonReason::TicketsUnavailable,
            AbandonReason::AmountChanged,
        ]
        .into_iter()
        .find(|reason| reason.stored_text() == text)
    }
}
