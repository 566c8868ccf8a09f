//! What anyone may see of a draw: absolute, small, whole, latest only.

use crate::{Cents, DrawId, GameResult, Serial, Status, TICKETS, Timestamp};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    pub draw: DrawId,
    /// The draw's count of commits: newer wins.
    pub revision: u64,
    pub status: Status,
    pub sold: u16,
    /// What active reservations claim, as of the last commit.
    pub held: u16,
    pub price: Cents,
    /// Of the tickets sold so far; frozen once completed.
    pub prize: Cents,
    /// Of all 169.
    pub prize_max: Cents,
    pub closes_at: Timestamp,
    /// The result and the serial that carries it, once completed. That is one pair of the deal: before kick-off a result
    /// can still be undone, so [`View::revealed`] is what may be shown (decision E-6).
    pub result: Option<(GameResult, Serial)>,
}

impl View {
    pub fn free(&self) -> u16 {
        TICKETS - self.sold - self.held
    }

    /// The result and the winning ticket, once everybody may know them: completed, and its kick-off passed (decision E-6).
    pub fn revealed(&self, now: Timestamp) -> Option<(GameResult, Serial)> {
        self.result
            .filter(|_| self.status == Status::Completed && now >= self.closes_at)
    }
}
