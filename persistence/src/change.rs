//! Computes which table rows a draw's events change, for one commit or for several commits that
//! share a transaction. The Postgres store and the memory store both use them.

use std::collections::BTreeMap;

use domain::draw::DrawOutcome;
use domain::{Cents, Event, FeeLedgerStep, OrderId, Reservation, Serial, Status, Terms};

/// The combined effect of a draw's events on its tables.
#[derive(Clone, Debug, Default)]
pub(crate) struct DrawChange {
    /// The new value of each changed reservation. `None` means that the reservation is deleted.
    pub reservations: BTreeMap<OrderId, Option<Reservation>>,
    pub allocated: Vec<TicketChange>,
    pub voided: Vec<TicketChange>,
    /// The draw's new status, or `None` when the status does not change.
    pub status: Option<Status>,
    pub terms: Option<Terms>,
    /// The change of the draw's result: `Some(Some(_))` when a result is entered, `Some(None)` when
    /// the result is undone, `None` when it does not change.
    pub outcome: Option<Option<DrawOutcome>>,
    pub archived: Option<bool>,
    /// Whether the draw's deal became public.
    pub revealed: bool,
    /// Whether the draw's names or contact change.
    pub described: bool,
}

/// Tickets that an order gets or returns, and the resulting change of the draw's fee.
#[derive(Clone, Debug)]
pub(crate) struct TicketChange {
    pub order: OrderId,
    pub serials: Vec<Serial>,
    pub step: FeeLedgerStep,
    /// Whether the tickets are taken back from an order whose payment was captured.
    pub charged: bool,
}

impl DrawChange {
    pub fn from_events<'a>(events: impl IntoIterator<Item = &'a Event>) -> DrawChange {
        let mut change = DrawChange::default();
        for event in events {
            change.apply_event(event);
        }
        change
    }

    fn apply_event(&mut self, event: &Event) {
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
                self.outcome = Some(Some(DrawOutcome {
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

    /// Returns by how many the draw's sold tickets grow. Returned tickets count negative.
    pub fn sold_delta(&self) -> i16 {
        let count = |ticket_changes: &[TicketChange]| {
            ticket_changes
                .iter()
                .map(|ticket_change| ticket_change.serials.len() as i16)
                .sum::<i16>()
        };
        count(&self.allocated) - count(&self.voided)
    }

    /// Returns how many tickets the changed reservations hold after the change.
    pub fn tickets_in_changed_reservations(&self) -> u16 {
        self.reservations
            .values()
            .flatten()
            .map(|reservation| reservation.count)
            .sum()
    }

    /// Returns whether the draw's row changes in other columns than its counters.
    pub fn changes_draw_row(&self) -> bool {
        self.status.is_some()
            || self.terms.is_some()
            || self.outcome.is_some()
            || self.archived.is_some()
            || self.revealed
    }

    /// Returns whether the draw's terms, result, description or archiving change. Lists of draws
    /// show these, so cached lists are then out of date.
    pub fn changes_listing(&self) -> bool {
        self.terms.is_some() || self.outcome.is_some() || self.archived.is_some() || self.described
    }

    /// Returns by how much these events increase the part of the application fee that must be
    /// refunded to the club.
    pub fn fee_refund_due_increase(&self) -> Cents {
        self.allocated
            .iter()
            .chain(&self.voided)
            .map(|ticket_change| ticket_change.step.to_return)
            .sum()
    }

    /// Returns the last fee step (change of the draw's application fee) with its order. A single
    /// commit has at most one fee step, because a command allocates or voids one order.
    pub fn last_fee_step(&self) -> Option<(OrderId, FeeLedgerStep)> {
        self.allocated
            .iter()
            .chain(&self.voided)
            .map(|ticket_change| (ticket_change.order, ticket_change.step))
            .next_back()
    }
}
