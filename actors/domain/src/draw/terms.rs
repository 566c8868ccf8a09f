//! What a draw sells, for how much, until when; and when that may still be changed.

use super::{Draw, Event, Refusal, Status};
use crate::{Cents, Reservation, Timestamp};

/// Dearest ticket, $10,000: with 169 of them no sum comes near the end of an `i64`.
pub const PRICE_MAX: Cents = Cents(1_000_000);

/// What a draw sells, for how much, until when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// 1 cent (decision C-23) to `PRICE_MAX`.
    pub price: Cents,
    /// 1…100 (decision D-10).
    pub prize_percentage: u8,
    pub round_up_prize: bool,
    /// `None`: at once (decision E-20).
    pub opens_at: Option<Timestamp>,
    /// Kick-off. No ticket is allocated at or after this instant (rule 5).
    pub closes_at: Timestamp,
}

impl Terms {
    /// Whether a draw may be created with these terms, or amended to them, at `now`.
    pub fn are_valid(&self, now: Timestamp) -> bool {
        (Cents(1)..=PRICE_MAX).contains(&self.price)
            && (1..=100).contains(&self.prize_percentage)
            && self.closes_at > now
            && self.opens_at.is_none_or(|opens_at| opens_at < self.closes_at)
    }

    /// Price and prize: what a buyer was promised (B:158).
    fn promise(&self) -> (Cents, u8, bool) {
        (self.price, self.prize_percentage, self.round_up_prize)
    }
}

impl Draw {
    /// Price and prize are locked while a ticket is sold or kept for somebody (decision E-12); times may move until
    /// kick-off. An earlier kick-off shortens the reservations that would outlive it, in the same commit.
    pub(super) fn amend(&self, now: Timestamp, terms: Terms) -> Result<Vec<Event>, Refusal> {
        if terms == self.terms {
            return Ok(Vec::new());
        }
        if self.status != Status::Active || now >= self.terms.closes_at {
            return Err(Refusal::DrawClosed);
        }
        if !terms.are_valid(now) {
            return Err(Refusal::TermsInvalid);
        }
        let kept = self.reservations.values().any(|reservation| reservation.is_active(now));
        if terms.promise() != self.terms.promise() && (self.sold() > 0 || kept) {
            return Err(Refusal::TermsLocked { sold: self.sold() });
        }
        let mut events = self.overdue(now, None);
        for (order, reservation) in &self.reservations {
            if reservation.is_active(now) && reservation.until > terms.closes_at {
                let shortened = Reservation { until: terms.closes_at, ..*reservation };
                events.push(Event::Reserved { order: *order, reservation: shortened });
            }
        }
        events.push(Event::Amended { terms });
        Ok(events)
    }
}
