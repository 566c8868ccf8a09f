//! The commands of a draw.

use crate::{Cents, GameResult, OrderId, Terms, TermsEdit, Timestamp};

/// Why a paid order may get its tickets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Authority {
    /// An ordinary sale: only while the draw is active and before kick-off.
    Sale,
    /// The repair of a payment that was authorised before kick-off, while no result is entered
    /// (rule 5 of the decisions).
    Repair { authorised_at: Timestamp },
}

/// Who edits a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Editor {
    /// The draw's club. It may edit while the draw is active and kick-off is ahead.
    Club,
    /// The operator. May edit after kick-off as well, for a postponed game (decision E-9).
    Operator,
}

/// A command to a draw. Every command is idempotent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Reserve `count` tickets for an order until a time. Another count resizes an existing
    /// reservation.
    Reserve {
        order: OrderId,
        count: u16,
        until: Timestamp,
    },
    /// Extend a reservation ("Keep my tickets", decision B-8).
    Extend { order: OrderId, until: Timestamp },
    /// End an order's reservation.
    Release { order: OrderId },
    /// Allocate tickets to an authorised order at its quoted price.
    Allocate {
        order: OrderId,
        count: u16,
        unit_price: Cents,
        authority: Authority,
    },
    /// Take an order's tickets back, because another line of its cart failed, its capture failed,
    /// or it was refunded. `charged`: the payment was captured with its application fee, so the fee
    /// must be returned by refunds. Otherwise the fee was never paid.
    Void { order: OrderId, charged: bool },
    /// Expire overdue reservations, and close the draw at kick-off. Sent by the timer.
    Tick,
    /// Enter the result. An active draw is closed first (decision E-5).
    Complete { result: GameResult },
    /// Take the result back (decision E-6).
    Undo,
    /// Change price, prize, opening or kick-off. `described`: the same commit changes names or the
    /// contact. It is then made even if the terms stay the same.
    Amend {
        edit: TermsEdit,
        by: Editor,
        described: bool,
    },
    /// Remove an ended draw from the public lists, or put it back (B:140, decision E-14).
    Archive { archived: bool },
    /// Cancel the draw. Every order is then refunded (decision E-9).
    Cancel,
}

impl Command {
    /// Returns the command with which a draw's club sets its terms.
    pub fn amend(terms: Terms) -> Command {
        Command::Amend {
            edit: terms.into(),
            by: Editor::Club,
            described: false,
        }
    }
}
