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
    /// can still be undone, so whoever shows the serial then has revealed it (decision E-6).
    pub result: Option<(GameResult, Serial)>,
}

impl View {
    pub fn free(&self) -> u16 {
        TICKETS - self.sold - self.held
    }
}
