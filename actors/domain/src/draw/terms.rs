//! The terms of a draw (price, prize, opening, kick-off) and when they may be changed.

use super::command::TermsEditor;
use super::{Draw, Event, Refusal, Status};
use crate::{Cents, Reservation, Timestamp};

/// Highest ticket price, $10,000. Sums over 169 tickets stay far below the limit of an `i64`.
pub const TICKET_PRICE_MAX: Cents = Cents(1_000_000);

/// The price, prize, opening time and kick-off of a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// Ticket price, from 1 cent (decision C-23) to `TICKET_PRICE_MAX`.
    pub price: Cents,
    /// Percentage of the revenue that is the prize, 1…100 (decision D-10).
    pub prize_percentage: u8,
    pub round_up_prize: bool,
    /// Start of the sale. `None`: on sale immediately (decision E-20).
    pub opens_at: Option<Timestamp>,
    /// Kick-off. No ticket is allocated at or after this instant (rule 5 of the decisions).
    pub closes_at: Timestamp,
}

impl Terms {
    /// Whether a draw may be created with these terms, or amended to them, at `now`.
    pub fn are_valid(&self, now: Timestamp) -> bool {
        (Cents(1)..=TICKET_PRICE_MAX).contains(&self.price)
            && (1..=100).contains(&self.prize_percentage)
            && self.closes_at > now
            && self
                .opens_at
                .is_none_or(|opens_at| opens_at < self.closes_at)
    }

    /// Returns the terms that are promised to the buyers: price, prize percentage, rounding
    /// (B:158).
    fn terms_promised_to_buyers(&self) -> (Cents, u8, bool) {
        (self.price, self.prize_percentage, self.round_up_prize)
    }
}

/// A change of a draw's terms. `None` leaves a value unchanged. The draw merges the change with its
/// current terms, so that concurrent edits of different values do not overwrite each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TermsEdit {
    pub price: Option<Cents>,
    pub prize_percentage: Option<u8>,
    pub round_up_prize: Option<bool>,
    /// `None`: unchanged. `Some(None)`: on sale immediately.
    pub opens_at: Option<Option<Timestamp>>,
    pub closes_at: Option<Timestamp>,
}

impl TermsEdit {
    fn merge_into(&self, terms: Terms) -> Terms {
        Terms {
            price: self.price.unwrap_or(terms.price),
            prize_percentage: self.prize_percentage.unwrap_or(terms.prize_percentage),
            round_up_prize: self.round_up_prize.unwrap_or(terms.round_up_prize),
            opens_at: self.opens_at.unwrap_or(terms.opens_at),
            closes_at: self.closes_at.unwrap_or(terms.closes_at),
        }
    }
}

impl From<Terms> for TermsEdit {
    fn from(terms: Terms) -> TermsEdit {
        TermsEdit {
            price: Some(terms.price),
            prize_percentage: Some(terms.prize_percentage),
            round_up_prize: Some(terms.round_up_prize),
            opens_at: Some(terms.opens_at),
            closes_at: Some(terms.closes_at),
        }
    }
}

impl Draw {
    /// Changes the terms. Price and prize cannot change while a ticket is sold or reserved (B:158,
    /// decision E-12). Names and times may change until kick-off. An earlier kick-off also shortens
    /// the reservations that would end after it.
    pub(super) fn change_terms(
        &self,
        now: Timestamp,
        edit: &TermsEdit,
        by: TermsEditor,
        described: bool,
    ) -> Result<Vec<Event>, Refusal> {
        let terms = edit.merge_into(self.terms);
        let changes = terms != self.terms;
        if !changes && !described {
            return Ok(Vec::new());
        }
        self.check_editable(now, by, changes)?;
        if changes && self.revealed {
            return Err(Refusal::Revealed);
        }
        if changes {
            self.check_terms(now, &terms)?;
        }
        let mut events = self.expiry_events(now, None);
        for (order, reservation) in &self.reservations {
            if reservation.is_active(now) && reservation.until > terms.closes_at {
                let shortened = Reservation {
                    until: terms.closes_at,
                    ..*reservation
                };
                events.push(Event::Reserved {
                    order: *order,
                    reservation: shortened,
                });
            }
        }
        events.extend(described.then_some(Event::Described));
        events.extend(changes.then_some(Event::Amended { terms }));
        if changes && self.status == Status::Closed {
            events.push(Event::Reopened);
        }
        Ok(events)
    }

    /// Checks that `by` may edit the draw. After kick-off only the operator may, to postpone a game
    /// or to correct a name. The terms of a draw that has ended cannot change.
    fn check_editable(
        &self,
        now: Timestamp,
        by: TermsEditor,
        changes: bool,
    ) -> Result<(), Refusal> {
        match (self.status, by) {
            (Status::Completed | Status::Cancelled, TermsEditor::Operator) if !changes => Ok(()),
            (Status::Completed | Status::Cancelled, _) => Err(Refusal::DrawNotActive),
            (Status::Active | Status::Closed, TermsEditor::Operator) => Ok(()),
            (Status::Active, TermsEditor::Club) if now < self.terms.closes_at => Ok(()),
            (Status::Active | Status::Closed, TermsEditor::Club) => Err(Refusal::GameStarted),
        }
    }

    fn check_terms(&self, now: Timestamp, terms: &Terms) -> Result<(), Refusal> {
        if !terms.are_valid(now) {
            return Err(Refusal::TermsInvalid);
        }
        if terms.terms_promised_to_buyers() == self.terms.terms_promised_to_buyers() {
            return Ok(());
        }
        let active = self
            .reservations
            .values()
            .filter(|reservation| reservation.is_active(now));
        match (
            self.sold(),
            active.map(|reservation| reservation.count).sum(),
        ) {
            (0, 0) => Ok(()),
            (0, held) => Err(Refusal::TermsKept { held }),
            (sold, _) => Err(Refusal::TermsLocked { sold }),
        }
    }
}
