//! The public view of a draw. Each view is complete, so a reader needs only the latest one.

use crate::{Cents, DrawId, GameResult, Serial, Status, TICKETS, Timestamp};

/// The public view of a draw as of its last commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    pub draw: DrawId,
    /// The number of commits of the draw. A view with a higher revision is newer.
    pub revision: u64,
    pub status: Status,
    pub sold: u16,
    /// Number of tickets in active reservations.
    pub held: u16,
    pub price: Cents,
    /// The prize for the tickets sold so far. Fixed once the result is entered.
    pub prize: Cents,
    /// The prize if all 169 tickets are sold.
    pub prize_max: Cents,
    pub closes_at: Timestamp,
    /// Whether the deal is public. It stays public while the result is undone (decision M-4).
    pub deal_public: bool,
    /// The result and the winning serial, once the result is entered. Secret until kick-off,
    /// because the result can still be undone, and the winning serial discloses the number pair of
    /// one ticket. Show only [`View::public_result`] (decision E-6).
    pub result: Option<(GameResult, Serial)>,
}

impl View {
    pub fn free(&self) -> u16 {
        TICKETS - self.sold - self.held
    }

    /// Returns the result and the winning serial if they are public: the result is entered and
    /// kick-off has passed (decision E-6).
    pub fn public_result(&self, now: Timestamp) -> Option<(GameResult, Serial)> {
        self.result
            .filter(|_| self.status == Status::Completed && now >= self.closes_at)
    }

    /// Whether the seed and all number pairs may be shown.
    pub fn is_deal_public(&self, now: Timestamp) -> bool {
        self.deal_public || self.public_result(now).is_some()
    }
}
