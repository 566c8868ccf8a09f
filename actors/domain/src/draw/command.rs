//! What may be asked of a draw.

use crate::{Cents, GameResult, OrderId, Terms, Timestamp};

/// On whose word a paid order gets its tickets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Authority {
    /// An ordinary sale: only while the draw is active and before kick-off.
    Sale,
    /// An operator's repair of a payment authorised before kick-off, while no result has been entered (rule 5).
    Repair { authorised_at: Timestamp },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Keep `count` tickets for an order until a time; asked again with another count, the reservation is resized.
    Reserve { order: OrderId, count: u16, until: Timestamp },
    /// "Keep my tickets" (decision B-8).
    Extend { order: OrderId, until: Timestamp },
    /// Let an order's reservation go.
    Release { order: OrderId },
    /// Give an authorised order its tickets, at the price it was quoted.
    Allocate { order: OrderId, count: u16, unit_price: Cents, authority: Authority },
    /// Take an order's tickets back: its cart failed elsewhere, its capture failed, or it was refunded.
    Void { order: OrderId },
    /// The timer: forget overdue reservations, and close at kick-off.
    Tick,
    /// Enter the result; closes an active draw first (decision E-5).
    Complete { result: GameResult },
    /// Take the result back (decision E-6).
    Undo,
    /// Change price, prize, kick-off.
    Amend { terms: Terms },
    /// The game is off; every order is to be refunded (decision E-9).
    Cancel,
}
