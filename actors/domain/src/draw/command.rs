//! The commands of a draw.

use crate::{Cents, GameResult, OrderId, Terms, TermsEdit, Timestamp};

/// The rule under which tickets are allocated to a paid order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AllocationAuthority {
    /// An ordinary sale: allowed only while the draw is active and before kick-off.
    Sale,
    /// The repair of a payment that was authorised before kick-off. Allowed while no result is
    /// entered (rule 5 of the decisions).
    Repair { authorised_at: Timestamp },
}

/// Who changes a draw's terms or description.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TermsEditor {
    /// The draw's club. It may edit only while the draw is active and before kick-off.
    Club,
    /// The operator. May edit after kick-off as well, for a postponed game (decision E-9).
    Operator,
}

/// A command to a draw. Executing a command twice has the same effect as executing it once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Reserve `count` tickets for an order until the given time. If the order has a reservation
    /// with another count, that reservation is resized.
    Reserve {
        order: OrderId,
        count: u16,
        until: Timestamp,
    },
    /// Extend a reservation ("Keep my tickets", decision B-8).
    Extend { order: OrderId, until: Timestamp },
    /// End an order's reservation.
    Release { order: OrderId },
    /// Allocate tickets to an authorised order at the price stored with the order.
    Allocate {
        order: OrderId,
        count: u16,
        unit_price: Cents,
        authority: AllocationAuthority,
    },
    /// Take an order's tickets back: another line of the order failed, the capture failed, or the
    /// order was refunded. `charged`: whether the payment was captured with its application fee, so
    /// that the fee must be refunded.
    Void { order: OrderId, charged: bool },
    /// Expire overdue reservations, and close the draw at kick-off. The draw's timer sends this
    /// command.
    Tick,
    /// Enter the result. An active draw is closed first (decision E-5).
    Complete { result: GameResult },
    /// Undo the result (decision E-6).
    Undo,
    /// Change price, prize, opening or kick-off. `described`: whether the same commit also changes
    /// the draw's names or contact. Such a commit is made even if the terms stay the same.
    Amend {
        edit: TermsEdit,
        by: TermsEditor,
        described: bool,
    },
    /// Remove an ended draw from the public lists, or put it back (B:140, decision E-14).
    Archive { archived: bool },
    /// Cancel the draw. Every order is then refunded (decision E-9).
    Cancel,
}

impl Command {
    /// Returns the command by which a draw's club changes its terms.
    pub fn amend_command_of_club(terms: Terms) -> Command {
        Command::Amend {
            edit: terms.into(),
            by: TermsEditor::Club,
            described: false,
        }
    }
}
