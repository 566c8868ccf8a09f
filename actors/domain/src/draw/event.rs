//! The events of a draw. The journal stores them.

use crate::{Cents, FeeStep, GameResult, OrderId, Reservation, Serial, Status, Terms};

/// A change of a draw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// An order has this reservation, instead of an earlier one.
    Reserved {
        order: OrderId,
        reservation: Reservation,
    },
    Released {
        order: OrderId,
    },
    Expired {
        order: OrderId,
    },
    /// An order has these tickets. Its reservation is gone.
    Allocated {
        order: OrderId,
        serials: Vec<Serial>,
        step: FeeStep,
    },
    /// These tickets have no owner any more.
    Voided {
        order: OrderId,
        serials: Vec<Serial>,
        step: FeeStep,
        /// The payment had been captured.
        charged: bool,
    },
    Closed,
    /// The result was entered. `winner` has its cell, sold or not.
    Completed {
        result: GameResult,
        winner: Serial,
        prize: Cents,
    },
    /// The result was undone.
    Undone {
        status: Status,
    },
    /// The deal became public. The draw never sells again (decision M-4).
    Revealed,
    Amended {
        terms: Terms,
    },
    /// Names or the contact were changed. They are stored with the commit and do not affect the
    /// rules.
    Described,
    /// The game was postponed after its kick-off, and the draw is on sale again.
    Reopened,
    Archived {
        archived: bool,
    },
    Cancelled,
}
