//! What may be asked of a draw.

use crate::{Cents, GameResult, OrderId, Terms, TermsEdit, Timestamp};

/// On whose word a paid order gets its tickets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Authority {
    /// An ordinary sale: only while the draw is active and before kick-off.
    Sale,
    /// An operator's repair of a payment authorised before kick-off, while no result has been entered (rule 5).
    Repair { authorised_at: Timestamp },
}

/// Who edits a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Editor {
    /// Its club: while it is active and kick-off is ahead.
    Club,
    /// The operator also after kick-off: a game that was postponed (decision E-9).
    Operator,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Keep `count` tickets for an order until a time; asked again with another count, the reservation is resized.
    Reserve {
        order: OrderId,
        count: u16,
        until: Timestamp,
    },
    /// "Keep my tickets" (decision B-8).
    Extend { order: OrderId, until: Timestamp },
    /// Let an order's reservation go.
    Release { order: OrderId },
    /// Give an authorised order its tickets, at the price it was quoted.
    Allocate {
        order: OrderId,
        count: u16,
        unit_price: Cents,
        authority: Authority,
    },
    /// Take an order's tickets back: its cart failed elsewhere, its capture failed, or it was refunded. `charged`: its money was
    /// taken, and with it the application fee, which then goes back by refunds; else that fee was never taken.
    Void { order: OrderId, charged: bool },
    /// The timer: forget overdue reservations, and close at kick-off.
    Tick,
    /// Enter the result; closes an active draw first (decision E-5).
    Complete { result: GameResult },
    /// Take the result back (decision E-6).
    Undo,
    /// Change price, prize, opening or kick-off. `described`: names or the contact are changed in the same commit, which is
    /// then made even when the terms stay as they are.
    Amend {
        edit: TermsEdit,
        by: Editor,
        described: bool,
    },
    /// Take an ended draw out of the public lists, or put it back (B:140, decision E-14).
    Archive { archived: bool },
    /// The game is off; every order is to be refunded (decision E-9).
    Cancel,
}

impl Command {
    /// Its club makes a draw's terms these.
    pub fn amend(terms: Terms) -> Command {
        Command::Amend {
            edit: terms.into(),
            by: Editor::Club,
            described: false,
        }
    }
}
