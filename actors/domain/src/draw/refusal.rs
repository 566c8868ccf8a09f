//! Why not. A refusal changes nothing, in memory or on disk.

use thiserror::Error;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Refusal {
    #[error("only {free} tickets remaining")]
    TooFewTickets { free: u16 },
    #[error("a purchase takes 1 to {max} tickets of a draw")]
    CountOutOfRange { max: u16 },
    #[error("the draw is closed")]
    DrawClosed,
    #[error("the draw is not open for sales yet")]
    DrawNotOpen,
    #[error("the price changed since the order was quoted")]
    PriceChanged,
    #[error("the order has no reservation in this draw")]
    ReservationUnknown,
    #[error("the reservation was extended often enough")]
    ExtensionsUsedUp,
    #[error("the order already has its tickets")]
    AlreadyAllocated,
    #[error("another result was entered already")]
    AlreadyCompleted,
    #[error("no result was entered")]
    NotCompleted,
    /// Only the books know payouts; they say so when the result is being taken back (decision E-6).
    #[error("the prize was paid out already")]
    PaidOut,
    #[error("price and prize are locked once tickets are sold ({sold} sold)")]
    TermsLocked { sold: u16 },
    #[error("price and prize are locked while somebody is paying ({held} tickets reserved)")]
    TermsKept { held: u16 },
    #[error("the draw is not active")]
    DrawNotActive,
    #[error("the game has already started")]
    GameStarted,
    #[error("a time in the past, a price or a percentage out of range")]
    TermsInvalid,
}
