//! The events of a draw, as the journal stores them.

use crate::{Cents, FeeLedgerStep, GameResult, OrderId, Reservation, Serial, Status, Terms};

/// A change of a draw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A reservation was made for an order. It replaces the order's earlier reservation.
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
    /// Tickets were allocated to an order. The order's reservation has ended.
    Allocated {
        order: OrderId,
        serials: Vec<Serial>,
        step: FeeLedgerStep,
    },
    /// An order's tickets were taken back. They have no owner any more.
    Voided {
        order: OrderId,
        serials: Vec<Serial>,
        step: FeeLedgerStep,
        /// Whether the payment had been captured.
        charged: bool,
    },
    Closed,
    /// The result was entered. `winner` is the ticket whose cell is the result, sold or not.
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
    /// The draw's names or contact were changed. The new texts are stored with the commit; no rule
    /// of the draw depends on them.
    Described,
    /// The game was postponed after its original kick-off, and the draw is on sale again.
    Reopened,
    Archived {
        archived: bool,
    },
    Cancelled,
}
