//! The table changes that a draw's events cause, for one commit or several that are written
//! together. Both stores use them.

use std::collections::BTreeMap;

use domain::draw::Outcome;
use domain::{Cents, Event, FeeStep, OrderId, Reservation, Serial, Status, Terms};

/// The combined effect of events on the tables.
#[derive(Clone, Debug, Default)]
pub(crate) struct DrawChange {
    /// The new value of each changed reservation. `None` deletes it.
    pub reservations: BTreeMap<OrderId, Option<Reservation>>,
    pub allocated: Vec<TicketChange>,
    pub voided: Vec<TicketChange>,
    /// The new status, if it changes.
    pub status: Option<Status>,
    pub terms: Option<Terms>,
    /// A result that is entered (`Some(Some)`) or undone (`Some(None)`).
    pub outcome: Option<Option<Outcome>>,
    pub archived: Option<bool>,
    /// The deal became public.
    pub revealed: bool,
    /// The names or the contact change.
    pub described: bool,
}

/// Tickets given to an order or taken back, and the fee step.
#[derive(Clone, Debug)]
pub(crate) struct TicketChange {
    pub order: OrderId,
    pub serials: Vec<Serial>,
    pub step: FeeStep,
    /// Taken back from an order that was captured.
    pub charged: bool,
}

impl DrawChange {
    pub fn from_events<'a>(events: impl IntoIterator<Item = &'a Event>) -> DrawChange {
        let mut change = DrawChange::default();
        for event in events {
            change.fold(event);
        }
        change
    }

    fn fold(&mut self, event: &Event) {
        match event {
            Event::Reserved { order, reservation } => {
                self.reservations.insert(*order, Some(*reservation));
            }
            Event::Released { order } | Event::Expired { order } => {
                self.reservations.insert(*order, None);
            }
            Event::Allocated {
                order,
                serials,
                step,
            } => {
                self.reservations.insert(*order, None);
                let ticket_change = TicketChange {
                    order: *order,
                    serials: serials.clone(),
                    step: *step,
                    charged: false,
                };
                self.allocated.push(ticket_change);
            }
            Event::Voided {
                order,
                serials,
                step,
                charged,
            } => {
                let ticket_change = TicketChange {
                    order: *order,
                    serials: serials.clone(),
                    step: *step,
                    charged: *charged,
                };
                self.voided.push(ticket_change);
            }
            Event::Closed => self.status = Some(Status::Closed),
            Event::Completed {
                result,
                winner,
                prize,
            } => {
                self.status = Some(Status::Completed);
                self.outcome = Some(Some(Outcome {
                    result: *result,
                    winner: *winner,
                    prize: *prize,
                }));
            }
            Event::Undone { status } => {
                self.status = Some(*status);
                self.outcome = Some(None);
                self.archived = Some(false);
            }
            Event::Revealed => self.revealed = true,
            Event::Amended { terms } => self.terms = Some(*terms),
            Event::Described => self.described = true,
            Event::Reopened => self.status = Some(Status::Active),
            Event::Archived { archived } => self.archived = Some(*archived),
            Event::Cancelled => self.status = Some(Status::Cancelled),
        }
    }

    /// Returns the number of tickets sold, less those taken back.
    pub fn sold_delta(&self) -> i16 {
        let count = |ticket_changes: &[TicketChange]| {
            ticket_changes
                .iter()
                .map(|ticket_change| ticket_change.serials.len() as i16)
                .sum::<i16>()
        };
        count(&self.allocated) - count(&self.voided)
    }

    /// Returns how many tickets the changed reservations hold afterwards.
    pub fn reserved_after(&self) -> u16 {
        self.reservations
            .values()
            .flatten()
            .map(|reservation| reservation.count)
            .sum()
    }

    /// Returns whether the draw's own row changes beyond its counters.
    pub fn changes_draw_row(&self) -> bool {
        self.status.is_some()
            || self.terms.is_some()
            || self.outcome.is_some()
            || self.archived.is_some()
            || self.revealed
    }

    /// Returns whether lists change beyond what the draw's view shows.
    pub fn changes_listing(&self) -> bool {
        self.terms.is_some() || self.outcome.is_some() || self.archived.is_some() || self.described
    }

    /// Returns by how much the fee to refund grows.
    pub fn to_return(&self) -> Cents {
        self.allocated
            .iter()
            .chain(&self.voided)
            .map(|ticket_change| ticket_change.step.to_return)
            .sum()
    }

    /// Returns the last fee step. A commit has at most one, because a command allocates or voids
    /// one order. Only allocations are written together.
    pub fn last_fee_step(&self) -> Option<(OrderId, FeeStep)> {
        self.allocated
            .iter()
            .chain(&self.voided)
            .map(|ticket_change| (ticket_change.order, ticket_change.step))
            .next_back()
    }
}
