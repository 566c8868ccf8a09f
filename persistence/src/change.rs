//! What events leave in the tables, folded: those of one commit, or of several that are written together. Both ledgers write
//! the same.

use std::collections::BTreeMap;

use domain::draw::Outcome;
use domain::{Cents, Event, FeeStep, OrderId, Reservation, Serial, Status, Terms};

/// Events, folded.
#[derive(Clone, Debug, Default)]
pub(crate) struct Change {
    /// What becomes of each reservation that is touched; `None` goes.
    pub reservations: BTreeMap<OrderId, Option<Reservation>>,
    pub allocated: Vec<Handover>,
    pub voided: Vec<Handover>,
    /// The new status, if it changes.
    pub status: Option<Status>,
    pub terms: Option<Terms>,
    /// A result entered (`Some(Some)`) or taken back (`Some(None)`).
    pub outcome: Option<Option<Outcome>>,
    pub archived: Option<bool>,
    /// Names or the contact ride along.
    pub described: bool,
}

/// Tickets given to an order, or taken back from it, and the step this makes in the fee ledger.
#[derive(Clone, Debug)]
pub(crate) struct Handover {
    pub order: OrderId,
    pub serials: Vec<Serial>,
    pub step: FeeStep,
    /// Taken back from an order whose money had been taken.
    pub charged: bool,
}

impl Change {
    pub fn of<'a>(events: impl IntoIterator<Item = &'a Event>) -> Change {
        let mut change = Change::default();
        for event in events {
            change.take(event);
        }
        change
    }

    fn take(&mut self, event: &Event) {
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
                let given = Handover {
                    order: *order,
                    serials: serials.clone(),
                    step: *step,
                    charged: false,
                };
                self.allocated.push(given);
            }
            Event::Voided {
                order,
                serials,
                step,
                charged,
            } => {
                let taken = Handover {
                    order: *order,
                    serials: serials.clone(),
                    step: *step,
                    charged: *charged,
                };
                self.voided.push(taken);
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
            Event::Amended { terms } => self.terms = Some(*terms),
            Event::Described => self.described = true,
            Event::Reopened => self.status = Some(Status::Active),
            Event::Archived { archived } => self.archived = Some(*archived),
            Event::Cancelled => self.status = Some(Status::Cancelled),
        }
    }

    /// Tickets sold, less those taken back.
    pub fn sold_delta(&self) -> i16 {
        let count = |handovers: &[Handover]| {
            handovers
                .iter()
                .map(|handover| handover.serials.len() as i16)
                .sum::<i16>()
        };
        count(&self.allocated) - count(&self.voided)
    }

    /// Tickets that the touched reservations claim from now on.
    pub fn kept(&self) -> u16 {
        self.reservations
            .values()
            .flatten()
            .map(|reservation| reservation.count)
            .sum()
    }

    /// Whether the draw's own row changes in more than its counters.
    pub fn turns(&self) -> bool {
        self.status.is_some()
            || self.terms.is_some()
            || self.outcome.is_some()
            || self.archived.is_some()
    }

    /// Whether lists show something else from now on than what its view says.
    pub fn relists(&self) -> bool {
        self.terms.is_some() || self.outcome.is_some() || self.archived.is_some() || self.described
    }

    /// What has to go back of the draw's fee.
    pub fn to_return(&self) -> Cents {
        self.allocated
            .iter()
            .chain(&self.voided)
            .map(|handover| handover.step.to_return)
            .sum()
    }

    /// The last step of the fee ledger. A commit makes at most one, because a command allocates or voids one order; and only
    /// allocations are written together.
    pub fn step(&self) -> Option<(OrderId, FeeStep)> {
        self.allocated
            .iter()
            .chain(&self.voided)
            .map(|handover| (handover.order, handover.step))
            .next_back()
    }
}
