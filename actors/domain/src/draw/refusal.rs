//! Why a draw refuses a command. A refusal changes nothing.

use thiserror::Error;

/// Why a draw refuses a command.
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
    /// The buyer's network or browser may not reserve this many unpaid tickets now.
    #[error("at most {available} more tickets may be reserved from there now")]
    HoldLimit { available: u16 },
    #[error("the reservation was extended often enough")]
    ExtensionsUsedUp,
    #[error("the order already has its tickets")]
    AlreadyAllocated,
    #[error("another result was entered already")]
    AlreadyCompleted,
    #[error("no result was entered")]
    NotCompleted,
    /// A payout of the prize was completed, so the result cannot be undone (decision E-6). The
    /// store checks this, because a draw does not know its payouts.
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
    /// The number pairs are public, so no ticket may be sold and kick-off may not move (decision
    /// M-4).
    #[error("the draw was revealed")]
    Revealed,
    #[error("a time in the past, a price or a percentage out of range")]
    TermsInvalid,
}
