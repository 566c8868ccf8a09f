//! The end of a draw: kick-off, result, undone result, cancellation, archive.

use super::{Draw, Event, Refusal, Status};
use crate::{GameResult, Timestamp};

impl Draw {
    /// Closes the draw if `now` is at or after kick-off, otherwise expires overdue reservations. If
    /// the timer calls this late, nothing is sold after kick-off: every sale checks the time
    /// itself.
    pub(super) fn apply_deadlines(&self, now: Timestamp) -> Vec<Event> {
        if self.status == Status::Active && now >= self.terms.closes_at {
            return self.end_sales(Event::Closed);
        }
        self.expiry_events(now, None)
    }

    /// Enters the result. An active draw is closed first, in the same commit (decision E-5).
    pub(super) fn enter_result(
        &self,
        now: Timestamp,
        result: GameResult,
    ) -> Result<Vec<Event>, Refusal> {
        let mut events = match self.status {
            Status::Completed if self.outcome.is_some_and(|outcome| outcome.result == result) => {
                return Ok(Vec::new());
            }
            Status::Completed => return Err(Refusal::AlreadyCompleted),
            Status::Cancelled => return Err(Refusal::DrawClosed),
            Status::Active => self.end_sales(Event::Closed),
            Status::Closed => Vec::new(),
        };
        let winner = self.deal.serial(result.cell);
        events.extend(self.reveal_event(now));
        events.push(Event::Completed {
            result,
            winner,
            prize: self.prize_for_tickets_sold(self.sold()),
        });
        Ok(events)
    }

    /// Undoes the result. The draw is on sale again only if the deal is not public (decisions E-6,
    /// M-4). A result entered before kick-off makes the deal public when kick-off passes. If no
    /// `Revealed` event was recorded for that yet, this function adds it.
    pub(super) fn undo_result(&self, now: Timestamp) -> Result<Vec<Event>, Refusal> {
        if self.status != Status::Completed {
            return Err(Refusal::NotCompleted);
        }
        let revealed = self.reveal_event(now);
        let is_revealed = self.revealed || revealed.is_some();
        let status = if is_revealed {
            Status::Closed
        } else {
            Status::Active
        };
        Ok(revealed
            .into_iter()
            .chain([Event::Undone { status }])
            .collect())
    }

    /// Returns the event `Revealed` if kick-off has passed and the deal is not public yet.
    /// Called only when a result is entered or undone.
    fn reveal_event(&self, now: Timestamp) -> Option<Event> {
        (!self.revealed && now >= self.terms.closes_at).then_some(Event::Revealed)
    }

    /// Cancels the draw. Each order keeps its tickets until it is refunded and voided (decision
    /// E-9).
    pub(super) fn cancel_sale(&self) -> Result<Vec<Event>, Refusal> {
        match self.status {
            Status::Cancelled => Ok(Vec::new()),
            Status::Completed => Err(Refusal::AlreadyCompleted),
            Status::Active | Status::Closed => Ok(self.end_sales(Event::Cancelled)),
        }
    }

    /// Archives a draw that has ended (B:140). Restoring an archived draw is always allowed.
    pub(super) fn set_archived(&self, archived: bool) -> Result<Vec<Event>, Refusal> {
        match self.status {
            _ if archived == self.archived => Ok(Vec::new()),
            Status::Active | Status::Closed if archived => Err(Refusal::NotCompleted),
            _ => Ok(vec![Event::Archived { archived }]),
        }
    }

    /// Returns the expiry events of all reservations, followed by `end`, the event that ends the
    /// sale.
    fn end_sales(&self, end: Event) -> Vec<Event> {
        let expired = self
            .reservations
            .keys()
            .map(|order| Event::Expired { order: *order });
        expired.chain([end]).collect()
    }
}
