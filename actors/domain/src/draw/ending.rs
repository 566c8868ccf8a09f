//! How a draw ends: the whistle, the result, the result taken back, the game called off.

use super::{Draw, Event, Refusal, Status};
use crate::{GameResult, Timestamp};

impl Draw {
    /// The timer's command. Late or early, it only writes down what the clock has decided already.
    pub(super) fn tick(&self, now: Timestamp) -> Vec<Event> {
        if self.status == Status::Active && now >= self.terms.closes_at {
            return self.ending_with(Event::Closed);
        }
        self.overdue(now, None)
    }

    /// A result on an active draw closes it first, in the same commit (decision E-5).
    pub(super) fn complete(&self, result: GameResult) -> Result<Vec<Event>, Refusal> {
        let mut events = match self.status {
            Status::Completed if self.outcome.is_some_and(|outcome| outcome.result == result) => {
                return Ok(Vec::new());
            }
            Status::Completed => return Err(Refusal::AlreadyCompleted),
            Status::Cancelled => return Err(Refusal::DrawClosed),
            Status::Active => self.ending_with(Event::Closed),
            Status::Closed => Vec::new(),
        };
        let winner = self.deal.serial(result.cell);
        events.push(Event::Completed {
            result,
            winner,
            prize: self.prize_of(self.sold()),
        });
        Ok(events)
    }

    /// Back to sale only while kick-off is still ahead, because then the deal was not revealed (decision E-6).
    pub(super) fn undo(&self, now: Timestamp) -> Result<Vec<Event>, Refusal> {
        if self.status != Status::Completed {
            return Err(Refusal::NotCompleted);
        }
        let status = if now < self.terms.closes_at {
            Status::Active
        } else {
            Status::Closed
        };
        Ok(vec![Event::Undone { status }])
    }

    /// The tickets stay with their orders until each is refunded and voided (decision E-9).
    pub(super) fn cancel(&self) -> Result<Vec<Event>, Refusal> {
        match self.status {
            Status::Cancelled => Ok(Vec::new()),
            Status::Completed => Err(Refusal::AlreadyCompleted),
            Status::Active | Status::Closed => Ok(self.ending_with(Event::Cancelled)),
        }
    }

    /// Only what has ended leaves the lists (B:140); coming back is always allowed.
    pub(super) fn archive(&self, archived: bool) -> Result<Vec<Event>, Refusal> {
        match self.status {
            _ if archived == self.archived => Ok(Vec::new()),
            Status::Active | Status::Closed if archived => Err(Refusal::NotCompleted),
            _ => Ok(vec![Event::Archived { archived }]),
        }
    }

    /// Once sales end no reservation can become a ticket any more.
    fn ending_with(&self, end: Event) -> Vec<Event> {
        let expired = self
            .reservations
            .keys()
            .map(|order| Event::Expired { order: *order });
        expired.chain([end]).collect()
    }
}
