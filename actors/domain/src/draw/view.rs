//! The public view of a draw. It is complete and small, so only the latest one matters.

use crate::{Cents, DrawId, GameResult, Serial, Status, TICKETS, Timestamp};

/// The public view of a draw as of its last commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    pub draw: DrawId,
    /// The number of commits of the draw. A view with a higher revision is newer.
    pub revision: u64,
    pub status: Status,
    pub sold: u16,
    /// Tickets in active reservations.
    pub held: u16,
    pub price: Cents,
    /// The prize for the tickets sold so far; fixed once the draw is completed.
    pub prize: Cents,
    /// The prize if all 169 tickets are sold.
    pub prize_max: Cents,
    pub closes_at: Timestamp,
    /// The deal is public, also while the result is undone (decision M-4).
    pub deal_public: bool,
    /// The result and the winning serial, once completed. They are one pair of the deal, and before
    /// kick-off the result can still be undone. Only [`View::revealed`] may be shown (decision
    /// E-6).
    pub result: Option<(GameResult, Serial)>,
}

impl View {
    pub fn free(&self) -> u16 {
        TICKETS - self.sold - self.held
    }

    /// Returns the result and the winning serial if they are public: the draw is completed and
    /// kick-off has passed (decision E-6).
    pub fn revealed(&self, now: Timestamp) -> Option<(GameResult, Serial)> {
        self.result
            .filter(|_| self.status == Status::Completed && now >= self.closes_at)
    }

    /// Whether the seed and all pairs may be shown.
    pub fn is_deal_public(&self, now: Timestamp) -> bool {
        self.deal_public || self.revealed(now).is_some()
    }
}
