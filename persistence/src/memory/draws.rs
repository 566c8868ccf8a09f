//! Draws, reservations, tickets, fee ledger and journal in memory.

use std::collections::{BTreeMap, BTreeSet};

use domain::draw::Snapshot;
use domain::{
    Allocation, Cents, Draw, DrawId, Event, FeeStep, OrderId, Reservation, Serial, Status, TICKETS,
    Timestamp,
};

use crate::change::{Change, Handover};
use crate::error::Failure;
use crate::ledger::Claimed;
use crate::nodes::Boot;

#[derive(Clone, Default)]
pub(super) struct Draws {
    rows: BTreeMap<DrawId, Row>,
}

#[derive(Clone)]
pub(super) struct Row {
    /// Everything but reservations and allocations, which have maps of their own.
    pub base: Snapshot,
    pub epoch: i64,
    pub owner: Option<Boot>,
    pub tickets: BTreeMap<Serial, Ticket>,
    pub steps: Vec<(u64, OrderId, FeeStep)>,
    /// What its orders hold of its fee beyond what is due.
    pub to_return: Cents,
    reservations: BTreeMap<OrderId, Reservation>,
    allocations: BTreeMap<OrderId, Allocation>,
    first: Snapshot,
    journal: Vec<Vec<Event>>,
}

#[derive(Clone)]
pub(super) struct Ticket {
    pub order: OrderId,
    pub sold_at: Timestamp,
}

impl Draws {
    pub fn add(&mut self, snapshot: Snapshot) {
        let tickets = snapshot.allocations.iter().flat_map(|(order, allocation)| {
            allocation.serials.iter().map(|serial| {
                (
                    *serial,
                    Ticket {
                        order: *order,
                        sold_at: Timestamp(0),
                    },
                )
            })
        });
        let row = Row {
            tickets: tickets.collect(),
            epoch: 0,
            owner: None,
            steps: Vec::new(),
            to_return: Cents::ZERO,
            reservations: snapshot.reservations.iter().copied().collect(),
            allocations: snapshot.allocations.iter().cloned().collect(),
            journal: Vec::new(),
            base: Snapshot {
                reservations: Vec::new(),
                allocations: Vec::new(),
                ..snapshot.clone()
            },
            first: snapshot,
        };
        self.rows.insert(row.base.id, row);
    }

    pub fn get(&self, draw: DrawId) -> Option<&Row> {
        self.rows.get(&draw)
    }

    pub fn get_mut(&mut self, draw: DrawId) -> Option<&mut Row> {
        self.rows.get_mut(&draw)
    }

    pub fn all(&self) -> impl Iterator<Item = &Row> {
        self.rows.values()
    }

    pub fn owing(&self) -> Vec<DrawId> {
        self.rows
            .values()
            .filter(|row| row.to_return > Cents::ZERO)
            .map(|row| row.base.id)
            .collect()
    }

    pub fn cancelled(&self) -> BTreeSet<DrawId> {
        self.rows
            .values()
            .filter(|row| row.base.status == Status::Cancelled)
            .map(|row| row.base.id)
            .collect()
    }

    pub fn live(&self) -> Vec<DrawId> {
        let live = |row: &&Row| matches!(row.base.status, Status::Active | Status::Closed);
        self.rows
            .values()
            .filter(live)
            .map(|row| row.base.id)
            .collect()
    }
}

impl Row {
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            reservations: self
                .reservations
                .iter()
                .map(|(order, held)| (*order, *held))
                .collect(),
            allocations: self
                .allocations
                .iter()
                .map(|(order, has)| (*order, has.clone()))
                .collect(),
            ..self.base.clone()
        }
    }

    /// A new owner, with an epoch that fences every earlier one.
    pub fn taken_by(&mut self, owner: Option<Boot>) -> Claimed {
        self.epoch += 1;
        self.owner = owner;
        Claimed {
            epoch: self.epoch,
            snapshot: self.snapshot(),
        }
    }

    /// What the database would refuse, before anything is touched.
    pub fn check(&self, change: &Change) -> Result<(), Failure> {
        let refused = |why: &str| Err(Failure::NotWritten(format!("draw {}: {why}", self.base.id)));
        for handover in &change.allocated {
            if handover
                .serials
                .iter()
                .any(|serial| self.tickets.contains_key(serial))
            {
                return refused("a ticket is sold already");
            }
        }
        for handover in &change.voided {
            let owned = |serial| {
                self.tickets
                    .get(serial)
                    .is_some_and(|ticket| ticket.order == handover.order)
            };
            if !handover.serials.iter().all(owned) {
                return Err(Failure::NotFound);
            }
        }
        let freed: u16 = change
            .reservations
            .keys()
            .filter_map(|order| self.reservations.get(order))
            .map(|held| held.count)
            .sum();
        let held = self.held() + change.kept() - freed;
        let sold = self.tickets.len() as i16 + change.sold_delta();
        if sold + held as i16 > TICKETS as i16 {
            return refused("oversold");
        }
        match change.step() {
            Some((_, step)) if step.fee_after != self.base.fee + step.fee_delta => {
                refused("the fee does not telescope")
            }
            Some((_, step))
                if !(Cents::ZERO..=self.base.fee_policy.on(step.revenue_after))
                    .contains(&step.fee_after) =>
            {
                refused("the fee is more than is due")
            }
            Some((_, step)) if self.to_return + step.to_return < Cents::ZERO => {
                refused("more went back than was owed")
            }
            Some((_, step)) if step.revenue_after != self.base.terms.price * i64::from(sold) => {
                refused("revenue is not sold times price")
            }
            _ => Ok(()),
        }
    }

    pub fn held(&self) -> u16 {
        self.reservations
            .values()
            .map(|reservation| reservation.count)
            .sum()
    }

    /// Makes one checked commit so.
    pub fn apply(&mut self, events: &[Event], change: &Change, now: Timestamp) {
        self.base.revision += 1;
        for (order, becomes) in &change.reservations {
            match becomes {
                Some(reservation) => self.reservations.insert(*order, *reservation),
                None => self.reservations.remove(order),
            };
        }
        for Handover {
            order,
            serials,
            step,
            ..
        } in &change.allocated
        {
            self.tickets.extend(serials.iter().map(|serial| {
                (
                    *serial,
                    Ticket {
                        order: *order,
                        sold_at: now,
                    },
                )
            }));
            self.allocations.insert(
                *order,
                Allocation {
                    serials: serials.clone(),
                    fee: step.fee_delta,
                },
            );
        }
        for Handover { order, serials, .. } in &change.voided {
            for serial in serials {
                self.tickets.remove(serial);
            }
            self.allocations.remove(order);
        }
        if let Some((order, step)) = change.step() {
            self.steps.push((self.base.revision, order, step));
            self.base.revenue = step.revenue_after;
            self.base.fee = step.fee_after;
            self.to_return += step.to_return;
        }
        self.base.status = change.status.unwrap_or(self.base.status);
        self.base.terms = change.terms.unwrap_or(self.base.terms);
        self.base.outcome = change.outcome.unwrap_or(self.base.outcome);
        self.base.archived = change.archived.unwrap_or(self.base.archived);
        self.journal.push(events.to_vec());
    }

    /// The draw its journal tells of.
    pub fn replay(&self) -> Draw {
        let mut draw = Draw::restore(self.first.clone());
        self.journal.iter().for_each(|events| draw.apply(events));
        draw
    }
}
