//! One game's sale of 169 tickets: `decide` says what would happen, `apply` makes it so.

use std::collections::BTreeMap;

use crate::{
    Allocation, Cents, Deal, DrawId, FeePolicy, FeeStep, GameResult, OrderId, Reservation, Serial,
    TICKETS, TICKETS_PER_ORDER_MAX, Timestamp, prize::prize, reservation::EXTENSIONS_MAX,
};
use command::Command;
use event::Event;
use refusal::Refusal;
use view::View;

pub use snapshot::Snapshot;
pub use terms::{PRICE_MAX, Terms, TermsEdit};

// What may be asked, what happened, why not, what anyone may see.
pub mod command;
pub mod event;
pub mod refusal;
pub mod view;

// The branches of `decide`, and what a draw is rebuilt from.
mod ending;
mod sale;
mod snapshot;
mod terms;

/// Where a draw is in its life (decision E-1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// On sale until kick-off. Past kick-off it is closed already, whether or not the timer has fired.
    Active,
    /// Awaiting its result.
    Closed,
    Completed,
    Cancelled,
}

/// A live draw. What it says is true as of its last commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draw {
    pub(crate) id: DrawId,
    pub(crate) terms: Terms,
    pub(crate) fee_policy: FeePolicy,
    pub(crate) deal: Deal,
    pub(crate) status: Status,
    pub(crate) revision: u64,
    /// Reservations that were active at the last commit. An overdue one is free the instant someone asks.
    pub(crate) reservations: BTreeMap<OrderId, Reservation>,
    pub(crate) allocations: BTreeMap<OrderId, Allocation>,
    pub(crate) revenue: Cents,
    pub(crate) fee: Cents,
    pub(crate) outcome: Option<Outcome>,
    /// Out of the public lists; a link still finds it (decision E-14).
    pub(crate) archived: bool,
}

/// What a result decided. Frozen: a ticket refunded afterwards changes neither winner nor prize.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    pub result: GameResult,
    /// The ticket that carries the result's cell, sold or not (decision D-11).
    pub winner: Serial,
    pub prize: Cents,
}

impl Draw {
    /// A draw nothing has happened to yet.
    pub fn new(id: DrawId, terms: Terms, fee_policy: FeePolicy, deal: Deal) -> Draw {
        Draw {
            id,
            terms,
            fee_policy,
            deal,
            status: Status::Active,
            revision: 0,
            reservations: BTreeMap::new(),
            allocations: BTreeMap::new(),
            revenue: Cents::ZERO,
            fee: Cents::ZERO,
            outcome: None,
            archived: false,
        }
    }

    /// Says what would happen at `now`. Changes nothing. Idempotence comes first: a command that was already carried out
    /// decides on no events, and the reply is read from `reservation` or `allocation`.
    pub fn decide(&self, now: Timestamp, command: &Command) -> Result<Vec<Event>, Refusal> {
        match *command {
            Command::Reserve {
                order,
                count,
                until,
            } => self.reserve(now, order, count, until),
            Command::Extend { order, until } => self.extend(now, order, until),
            Command::Release { order } => Ok(self.release(order)),
            Command::Allocate {
                order,
                count,
                unit_price,
                authority,
            } => self.allocate(now, order, count, unit_price, authority),
            Command::Void { order, charged } => Ok(self.void(order, charged)),
            Command::Tick => Ok(self.tick(now)),
            Command::Complete { result } => self.complete(result),
            Command::Undo => self.undo(now),
            Command::Amend {
                ref edit,
                by,
                described,
            } => self.amend(now, edit, by, described),
            Command::Archive { archived } => self.archive(archived),
            Command::Cancel => self.cancel(),
        }
    }

    /// Makes one commit so. Total on everything that `decide` returned for this state; no events, no commit.
    pub fn apply(&mut self, events: &[Event]) {
        if events.is_empty() {
            return;
        }
        for event in events {
            self.apply_one(event);
        }
        self.revision += 1;
        if cfg!(debug_assertions) {
            self.check();
        }
    }

    /// When the draw next wants to be woken, if ever.
    pub fn next_deadline(&self) -> Option<Timestamp> {
        let close = (self.status == Status::Active).then_some(self.terms.closes_at);
        self.reservations
            .values()
            .map(|reservation| reservation.until)
            .chain(close)
            .min()
    }

    /// What anyone may see, as of the last commit.
    pub fn view(&self) -> View {
        View {
            draw: self.id,
            revision: self.revision,
            status: self.status,
            sold: self.sold(),
            held: self.held(),
            price: self.terms.price,
            prize: self
                .outcome
                .map_or_else(|| self.prize_of(self.sold()), |outcome| outcome.prize),
            prize_max: self.prize_of(TICKETS),
            closes_at: self.terms.closes_at,
            result: self.outcome.map(|outcome| (outcome.result, outcome.winner)),
        }
    }

    pub fn id(&self) -> DrawId {
        self.id
    }

    pub fn status(&self) -> Status {
        self.status
    }

    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    pub fn fee_policy(&self) -> FeePolicy {
        self.fee_policy
    }

    pub fn deal(&self) -> &Deal {
        &self.deal
    }

    pub fn revision(&self) -> u64 {
        self.revision
    }

    pub fn revenue(&self) -> Cents {
        self.revenue
    }

    pub fn fee(&self) -> Cents {
        self.fee
    }

    pub fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    pub fn is_archived(&self) -> bool {
        self.archived
    }

    pub fn reservation(&self, order: OrderId) -> Option<Reservation> {
        self.reservations.get(&order).copied()
    }

    pub fn allocation(&self, order: OrderId) -> Option<&Allocation> {
        self.allocations.get(&order)
    }

    /// Tickets that have an owner. Counted, not cached: there are at most 169 to count, so a refusal stays cheap and no
    /// second number can drift from the first.
    pub fn sold(&self) -> u16 {
        self.allocations
            .values()
            .map(|allocation| allocation.serials.len() as u16)
            .sum()
    }

    /// Tickets that reservations claimed at the last commit.
    pub fn held(&self) -> u16 {
        self.reservations
            .values()
            .map(|reservation| reservation.count)
            .sum()
    }

    fn prize_of(&self, sold: u16) -> Cents {
        prize(
            sold,
            self.terms.price,
            self.terms.prize_percentage,
            self.terms.round_up_prize,
        )
    }

    fn apply_one(&mut self, event: &Event) {
        match event {
            Event::Reserved { order, reservation } => {
                self.reservations.insert(*order, *reservation);
            }
            Event::Released { order } | Event::Expired { order } => {
                self.reservations.remove(order);
            }
            Event::Allocated {
                order,
                serials,
                step,
            } => {
                debug_assert_eq!(
                    *serials,
                    self.next_serials(serials.len() as u16),
                    "D5: draw {} order",
                    self.id
                );
                self.reservations.remove(order);
                self.allocations.insert(
                    *order,
                    Allocation {
                        serials: serials.clone(),
                        fee: step.fee_delta,
                    },
                );
                self.take(step);
            }
            Event::Voided { order, step, .. } => {
                self.allocations.remove(order);
                self.take(step);
            }
            Event::Closed => self.status = Status::Closed,
            Event::Completed {
                result,
                winner,
                prize,
            } => {
                self.status = Status::Completed;
                self.outcome = Some(Outcome {
                    result: *result,
                    winner: *winner,
                    prize: *prize,
                });
            }
            Event::Undone { status } => {
                self.status = *status;
                self.outcome = None;
                self.archived = false;
            }
            Event::Amended { terms } => self.terms = *terms,
            Event::Described => {}
            Event::Reopened => self.status = Status::Active,
            Event::Archived { archived } => self.archived = *archived,
            Event::Cancelled => self.status = Status::Cancelled,
        }
    }

    fn take(&mut self, step: &FeeStep) {
        self.revenue = step.revenue_after;
        self.fee = step.fee_after;
    }

    /// Everything that must always hold: the README's D1 to D6, as far as one draw can see. Panics when something does
    /// not; that is a bug, and nothing more may be sold on top of it.
    pub fn check(&self) {
        let id = self.id;
        assert!(
            self.sold() + self.held() <= TICKETS,
            "D1: draw {id} sold {} held {}",
            self.sold(),
            self.held()
        );
        for (order, reservation) in &self.reservations {
            assert_eq!(
                self.status,
                Status::Active,
                "D2: draw {id} is not on sale but keeps tickets for {order}"
            );
            assert!(
                reservation.until <= self.terms.closes_at,
                "D2: draw {id} keeps {order} past its close"
            );
            assert!(
                (1..=TICKETS_PER_ORDER_MAX).contains(&reservation.count),
                "D4: draw {id} {order} {reservation:?}"
            );
            assert!(
                reservation.extensions <= EXTENSIONS_MAX,
                "D4: draw {id} {order} {reservation:?}"
            );
            assert!(
                !self.allocations.contains_key(order),
                "D4: draw {id} keeps tickets for {order}, which has its own"
            );
        }
        let mut owned = [false; TICKETS as usize];
        for (order, allocation) in &self.allocations {
            assert!(
                !allocation.serials.is_empty(),
                "D6: draw {id} order {order} was allocated nothing"
            );
            for serial in &allocation.serials {
                let owned = &mut owned[usize::from(serial.number()) - 1];
                assert!(
                    !*owned,
                    "D3: draw {id} ticket {} has two owners",
                    serial.number()
                );
                *owned = true;
            }
        }
        assert_eq!(
            self.revenue,
            self.terms.price * self.sold().into(),
            "D6: draw {id} revenue"
        );
        let due = self.fee_policy.on(self.revenue);
        assert!(
            (Cents::ZERO..=due).contains(&self.fee),
            "D6: draw {id} fee {} of {due}",
            self.fee
        );
        assert_eq!(
            self.status == Status::Completed,
            self.outcome.is_some(),
            "D6: draw {id} outcome"
        );
    }
}
