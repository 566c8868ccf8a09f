//! Draws, reservations, tickets, fee ledger and journal in memory.

use std::collections::{BTreeMap, BTreeSet};

use domain::draw::DrawSnapshot;
use domain::{
    Allocation, Cents, Draw, DrawId, Event, FeeLedgerStep, OrderId, Reservation, Serial, Status,
    TICKETS, Timestamp,
};

use crate::change::{DrawChange, TicketChange};
use crate::error::Failure;
use crate::ledger::ClaimedDraw;
use crate::nodes::InstanceId;
use crate::stores::{BuyerSource, OrderRecord};

#[derive(Clone, Default)]
pub(super) struct Draws {
    rows: BTreeMap<DrawId, MemoryDraw>,
}

#[derive(Clone)]
pub(super) struct MemoryDraw {
    /// The draw's state without its reservations and allocations, which are in separate fields of
    /// this struct.
    pub base: DrawSnapshot,
    pub epoch: i64,
    pub owner: Option<InstanceId>,
    pub tickets: BTreeMap<Serial, MemoryTicket>,
    pub steps: Vec<(u64, OrderId, FeeLedgerStep)>,
    /// The part of the application fee that the draw's orders hold in excess of the fee that is
    /// due. It must be refunded to the club.
    pub to_return: Cents,
    reservations: BTreeMap<OrderId, Reservation>,
    allocations: BTreeMap<OrderId, Allocation>,
    first: DrawSnapshot,
    journal: Vec<Vec<Event>>,
}

#[derive(Clone)]
pub(super) struct MemoryTicket {
    pub order: OrderId,
    pub sold_at: Timestamp,
}

impl Draws {
    pub fn add(&mut self, snapshot: DrawSnapshot) {
        let tickets = snapshot.allocations.iter().flat_map(|(order, allocation)| {
            allocation.serials.iter().map(|serial| {
                (
                    *serial,
                    MemoryTicket {
                        order: *order,
                        sold_at: Timestamp(0),
                    },
                )
            })
        });
        let row = MemoryDraw {
            tickets: tickets.collect(),
            epoch: 0,
            owner: None,
            steps: Vec::new(),
            to_return: Cents::ZERO,
            reservations: snapshot.reservations.iter().copied().collect(),
            allocations: snapshot.allocations.iter().cloned().collect(),
            journal: Vec::new(),
            base: DrawSnapshot {
                reservations: Vec::new(),
                allocations: Vec::new(),
                ..snapshot.clone()
            },
            first: snapshot,
        };
        self.rows.insert(row.base.id, row);
    }

    pub fn get(&self, draw: DrawId) -> Option<&MemoryDraw> {
        self.rows.get(&draw)
    }

    pub fn get_mut(&mut self, draw: DrawId) -> Option<&mut MemoryDraw> {
        self.rows.get_mut(&draw)
    }

    pub fn all(&self) -> impl Iterator<Item = &MemoryDraw> {
        self.rows.values()
    }

    pub fn draws_owing_fee_refunds(&self) -> Vec<DrawId> {
        self.rows
            .values()
            .filter(|row| row.to_return > Cents::ZERO)
            .map(|row| row.base.id)
            .collect()
    }

    /// Returns whether an order still accepts buyer details from this source, by the rule that
    /// [`BuyerSource`] documents.
    pub fn accepts_buyer_details(&self, record: &OrderRecord, source: BuyerSource) -> bool {
        let mut rows = record
            .order
            .lines
            .iter()
            .filter_map(|line| self.rows.get(&line.draw));
        match source {
            BuyerSource::Checkout => record.captured_at.is_none(),
            BuyerSource::OrderToken => {
                let is_result = |event: &Event| matches!(event, Event::Completed { .. });
                !rows.any(|row| row.journal.iter().flatten().any(is_result))
            }
            BuyerSource::Operator { approved: true, .. } => true,
            BuyerSource::Operator {
                at,
                approved: false,
            } => !rows.any(|row| row.holds_revealed_winning_ticket(record, at)),
        }
    }

    pub fn cancelled_draw_ids(&self) -> BTreeSet<DrawId> {
        self.rows
            .values()
            .filter(|row| row.base.status == Status::Cancelled)
            .map(|row| row.base.id)
            .collect()
    }

    pub fn live_draw_ids(&self) -> Vec<DrawId> {
        let live = |row: &&MemoryDraw| matches!(row.base.status, Status::Active | Status::Closed);
        self.rows
            .values()
            .filter(live)
            .map(|row| row.base.id)
            .collect()
    }
}

impl MemoryDraw {
    pub fn snapshot(&self) -> DrawSnapshot {
        DrawSnapshot {
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

    /// Returns whether an order holds the draw's winning ticket and kick-off has passed.
    fn holds_revealed_winning_ticket(&self, record: &OrderRecord, at: Timestamp) -> bool {
        let outcome = self
            .base
            .outcome
            .as_ref()
            .filter(|_| self.base.terms.closes_at <= at);
        let of_draw = record
            .tickets
            .iter()
            .filter(|(draw, _)| *draw == self.base.id);
        outcome.is_some_and(|outcome| {
            of_draw
                .flat_map(|(_, serials)| serials)
                .any(|serial| *serial == outcome.winner)
        })
    }

    /// Sets the draw's new owner. Increments the epoch, which fences every earlier owner.
    pub fn change_owner(&mut self, owner: Option<InstanceId>) -> ClaimedDraw {
        self.epoch += 1;
        self.owner = owner;
        ClaimedDraw {
            epoch: self.epoch,
            snapshot: self.snapshot(),
        }
    }

    /// Refuses a change that the database's constraints would refuse.
    pub fn check_change(&self, change: &DrawChange) -> Result<(), Failure> {
        let refused = |why: &str| Err(Failure::NotWritten(format!("draw {}: {why}", self.base.id)));
        for ticket_change in &change.allocated {
            if ticket_change
                .serials
                .iter()
                .any(|serial| self.tickets.contains_key(serial))
            {
                return refused("a ticket is sold already");
            }
        }
        for ticket_change in &change.voided {
            let owned = |serial| {
                self.tickets
                    .get(serial)
                    .is_some_and(|ticket| ticket.order == ticket_change.order)
            };
            if !ticket_change.serials.iter().all(owned) {
                return Err(Failure::NotFound);
            }
        }
        let freed: u16 = change
            .reservations
            .keys()
            .filter_map(|order| self.reservations.get(order))
            .map(|held| held.count)
            .sum();
        let held = self.reserved_ticket_count() + change.tickets_in_changed_reservations() - freed;
        let sold = self.tickets.len() as i16 + change.sold_delta();
        if sold + held as i16 > TICKETS as i16 {
            return refused("oversold");
        }
        if self.base.revealed && (change.status == Some(Status::Active) || change.terms.is_some()) {
            return refused("a revealed draw stays off sale");
        }
        if self.base.revealed && !change.allocated.is_empty() {
            return refused("a revealed draw allocates nothing");
        }
        match change.last_fee_step() {
            Some((_, step)) if step.fee_after != self.base.fee + step.fee_delta => {
                refused("the fee does not telescope")
            }
            Some((_, step))
                if !(Cents::ZERO..=self.base.fee_policy.fee_on_revenue(step.revenue_after))
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

    pub fn reserved_ticket_count(&self) -> u16 {
        self.reservations
            .values()
            .map(|reservation| reservation.count)
            .sum()
    }

    /// Applies the events and table changes of one commit that [`MemoryDraw::check_change`] has
    /// accepted.
    pub fn apply(&mut self, events: &[Event], change: &DrawChange, now: Timestamp) {
        self.base.revision += 1;
        for (order, becomes) in &change.reservations {
            match becomes {
                Some(reservation) => self.reservations.insert(*order, *reservation),
                None => self.reservations.remove(order),
            };
        }
        for TicketChange {
            order,
            serials,
            step,
            ..
        } in &change.allocated
        {
            self.tickets.extend(serials.iter().map(|serial| {
                (
                    *serial,
                    MemoryTicket {
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
        for TicketChange { order, serials, .. } in &change.voided {
            for serial in serials {
                self.tickets.remove(serial);
                if !self.base.returned.contains(serial) {
                    self.base.returned.push(*serial);
                }
            }
            self.allocations.remove(order);
        }
        if let Some((order, step)) = change.last_fee_step() {
            self.steps.push((self.base.revision, order, step));
            self.base.revenue = step.revenue_after;
            self.base.fee = step.fee_after;
            self.to_return += step.to_return;
        }
        self.base.status = change.status.unwrap_or(self.base.status);
        self.base.terms = change.terms.unwrap_or(self.base.terms);
        self.base.outcome = change.outcome.unwrap_or(self.base.outcome);
        self.base.archived = change.archived.unwrap_or(self.base.archived);
        self.base.revealed |= change.revealed;
        self.journal.push(events.to_vec());
    }

    /// Replays the journal from the state in which the draw was added.
    pub fn replay(&self) -> Draw {
        let mut draw = Draw::restore(self.first.clone());
        self.journal.iter().for_each(|events| draw.apply(events));
        draw
    }
}
