//! What has happened to a draw. The journal is a list of these.

use crate::{Cents, FeeStep, GameResult, OrderId, Reservation, Serial, Status, Terms};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// An order has a reservation; it replaces an earlier one of the same order.
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
    /// An order has these tickets, and no reservation any more.
    Allocated {
        order: OrderId,
        serials: Vec<Serial>,
        step: FeeStep,
    },
    /// These tickets are free again (or, after the close, nobody's).
    Voided {
        order: OrderId,
        serials: Vec<Serial>,
        step: FeeStep,
        /// Its money had been taken.
        charged: bool,
    },
    Closed,
    /// The result stands; `winner` carries its cell, sold or not.
    Completed {
        result: GameResult,
        winner: Serial,
        prize: Cents,
    },
    /// The result was taken back.
    Undone {
        status: Status,
    },
    Amended {
        terms: Terms,
    },
    /// Names or the contact were changed; they ride with the commit and are none of the rules' business.
    Described,
    /// The game was put off after its kick-off: on sale again.
    Reopened,
    Archived {
        archived: bool,
    },
    Cancelled,
}
