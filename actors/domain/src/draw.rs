//! A draw: the sale of 169 tickets for one game. `decide` returns the events that a command causes,
//! and `apply` applies these events to the draw.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    Allocation, Cents, Deal, DrawId, FeeLedgerStep, FeePolicy, GameResult, OrderId, Reservation,
    Serial, TICKETS, TICKETS_PER_ORDER_MAX, Timestamp, prize::prize,
    reservation::EXTENSIONS_PER_RESERVATION_MAX,
};
use command::Command;
use event::Event;
use refusal::Refusal;
use view::View;

pub use snapshot::DrawSnapshot;
pub use terms::{TICKET_PRICE_MAX, Terms, TermsEdit};

// Types that other crates use: commands, events, refusals and views.
pub mod command;
pub mod event;
pub mod hold_limit;
pub mod refusal;
pub mod view;

// Private modules: `decide` is split by topic, and `snapshot` is the stored state.
mod lifecycle;
mod sale;
mod snapshot;
mod terms;

/// The status of a draw's sale and result (decision E-1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// On sale until kick-off. After kick-off nothing is sold, even if the timer has not yet
    /// changed the status.
    Active,
    /// Closed for sales, awaiting its result.
    Closed,
    Completed,
    Cancelled,
}

/// A draw as of its last committed events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draw {
    pub(crate) id: DrawId,
    pub(crate) terms: Terms,
    pub(crate) fee_policy: FeePolicy,
    pub(crate) deal: Deal,
    pub(crate) status: Status,
    pub(crate) revision: u64,
    /// Reservations that were active at the last commit. Once a reservation is overdue, its tickets
    /// can be sold, although it is still in this map.
    pub(crate) reservations: BTreeMap<OrderId, Reservation>,
    pub(crate) allocations: BTreeMap<OrderId, Allocation>,
    pub(crate) revenue: Cents,
    pub(crate) fee: Cents,
    pub(crate) outcome: Option<DrawOutcome>,
    /// Whether the draw is removed from the public lists. The URL of its page still works (decision
    /// E-14).
    pub(crate) archived: bool,
    /// Whether the deal is public, because a result was valid at or after kick-off. Never set back
    /// to false (decision M-4).
    pub(crate) revealed: bool,
    /// Tickets that were allocated and taken back at least once, for any reason. They are sold
    /// again only after all tickets that were never sold (decision M-3).
    pub(crate) returned: BTreeSet<Serial>,
}

/// The winning ticket and the prize. A refund after the result changes neither.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawOutcome {
    pub result: GameResult,
    /// The ticket whose cell is the result, sold or not (decision D-11).
    pub winner: Serial,
    pub prize: Cents,
}

impl Draw {
    /// Returns a new draw without sold tickets.
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
            revealed: false,
            returned: BTreeSet::new(),
        }
    }

    /// Returns the events that a command causes at `now`, without changing the draw. A command that
    /// was executed before causes no events. The caller then reads its reply from `reservation` or
    /// `allocation`.
    ///
    /// # Errors
    /// The first rule that the command breaks.
    pub fn decide(&self, now: Timestamp, command: &Command) -> Result<Vec<Event>, Refusal> {
        match *command {
            Command::Reserve {
                order,
                count,
                until,
            } => self.reserve_tickets(now, order, count, until),
            Command::Extend { order, until } => self.extend_reservation(now, order, until),
            Command::Release { order } => Ok(self.release_reservation(order)),
            Command::Allocate {
                order,
                count,
                unit_price,
                authority,
            } => self.allocate_tickets(now, order, count, unit_price, authority),
            Command::Void { order, charged } => Ok(self.void_tickets(order, charged)),
            Command::Tick => Ok(self.apply_deadlines(now)),
            Command::Complete { result } => self.enter_result(now, result),
            Command::Undo => self.undo_result(now),
            Command::Amend {
                ref edit,
                by,
                described,
            } => self.change_terms(now, edit, by, described),
            Command::Archive { archived } => self.set_archived(archived),
            Command::Cancel => self.cancel_sale(),
        }
    }

    /// Applies the events of one commit and increases the revision. Without events there is no
    /// commit, so the revision stays. Cannot fail for events that `decide` returned for this state.
    pub fn apply(&mut self, events: &[Event]) {
        if events.is_empty() {
            return;
        }
        for event in events {
            self.apply_event(event);
        }
        self.revision += 1;
        if cfg!(debug_assertions) {
            self.assert_invariants();
        }
    }

    /// Returns the next time at which a reservation ends or the draw closes. `None`: there is none.
    pub fn next_deadline(&self) -> Option<Timestamp> {
        let close = (self.status == Status::Active).then_some(self.terms.closes_at);
        self.reservations
            .values()
            .map(|reservation| reservation.until)
            .chain(close)
            .min()
    }

    /// Returns the public view as of the last commit.
    pub fn view(&self) -> View {
        View {
            draw: self.id,
            revision: self.revision,
            status: self.status,
            sold: self.sold(),
            held: self.held(),
            price: self.terms.price,
            prize: self.outcome.map_or_else(
                || self.prize_for_tickets_sold(self.sold()),
                |outcome| outcome.prize,
            ),
            prize_max: self.prize_for_tickets_sold(TICKETS),
            closes_at: self.terms.closes_at,
            deal_public: self.revealed,
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

    pub fn outcome(&self) -> Option<DrawOutcome> {
        self.outcome
    }

    pub fn is_archived(&self) -> bool {
        self.archived
    }

    /// Whether the deal is public. A draw whose deal is public never sells again (decision M-4).
    pub fn is_revealed(&self) -> bool {
        self.revealed
    }

    /// Returns the tickets that were allocated and taken back at least once, ascending.
    pub fn returned_serials(&self) -> impl Iterator<Item = Serial> + '_ {
        self.returned.iter().copied()
    }

    pub fn reservation(&self, order: OrderId) -> Option<Reservation> {
        self.reservations.get(&order).copied()
    }

    /// Returns the order's reservation if it is still active at `now`.
    pub fn current_reservation(&self, now: Timestamp, order: OrderId) -> Option<Reservation> {
        self.reservation(order)
            .filter(|reservation| reservation.is_active(now))
    }

    pub fn allocation(&self, order: OrderId) -> Option<&Allocation> {
        self.allocations.get(&order)
    }

    /// Returns the number of sold tickets. It is counted from the at most 169 allocations at each
    /// call, so it is always correct.
    pub fn sold(&self) -> u16 {
        self.allocations
            .values()
            .map(|allocation| allocation.serials.len() as u16)
            .sum()
    }

    /// Returns the number of tickets reserved as of the last commit.
    pub fn held(&self) -> u16 {
        self.reservations
            .values()
            .map(|reservation| reservation.count)
            .sum()
    }

    fn prize_for_tickets_sold(&self, sold: u16) -> Cents {
        prize(
            sold,
            self.terms.price,
            self.terms.prize_percentage,
            self.terms.round_up_prize,
        )
    }

    fn apply_event(&mut self, event: &Event) {
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
                debug_assert!(self.are_next_serials(serials), "D5: draw {} order", self.id);
                self.reservations.remove(order);
                self.allocations.insert(
                    *order,
                    Allocation {
                        serials: serials.clone(),
                        fee: step.fee_delta,
                    },
                );
                self.apply_fee_step(step);
            }
            Event::Voided {
                order,
                serials,
                step,
                ..
            } => {
                self.allocations.remove(order);
                self.returned.extend(serials);
                self.apply_fee_step(step);
            }
            Event::Closed => self.status = Status::Closed,
            Event::Completed {
                result,
                winner,
                prize,
            } => {
                self.status = Status::Completed;
                self.outcome = Some(DrawOutcome {
                    result: *result,
                    winner: *winner,
                    prize: *prize,
                });
            }
            Event::Undone { status } => {
                // Undoing a result sets `Closed` only if the deal is public. Journals older than
                // the event `Revealed` have no other record that the deal is public.
                self.revealed |= *status == Status::Closed;
                self.status = *status;
                self.outcome = None;
                self.archived = false;
            }
            Event::Amended { terms } => self.terms = *terms,
            Event::Described => {}
            Event::Revealed => self.revealed = true,
            Event::Reopened => self.status = Status::Active,
            Event::Archived { archived } => self.archived = *archived,
            Event::Cancelled => self.status = Status::Cancelled,
        }
    }

    fn apply_fee_step(&mut self, step: &FeeLedgerStep) {
        self.revenue = step.revenue_after;
        self.fee = step.fee_after;
    }

    /// Asserts those of the invariants D1 to D6 (see the README of this crate) that concern a
    /// single draw.
    ///
    /// # Panics
    /// An invariant is broken. That is a bug, and the draw must stop selling.
    pub fn assert_invariants(&self) {
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
                reservation.extensions <= EXTENSIONS_PER_RESERVATION_MAX,
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
        let due = self.fee_policy.fee_on_revenue(self.revenue);
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
