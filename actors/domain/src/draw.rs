//! One game's sale of 169 tickets: `decide` says what would happen, `apply` makes it so.

use std::collections::BTreeMap;

use crate::{
    Allocation, Cents, Deal, DrawId, FeePolicy, FeeStep, GameResult, OrderId, Reservation, Serial, TICKETS,
    TICKETS_PER_ORDER_MAX, Timestamp, prize::prize, reservation::EXTENSIONS_MAX,
};
use command::{Authority, Command};
use event::Event;
use refusal::Refusal;
use view::View;

pub mod command;
pub mod event;
pub mod refusal;
pub mod view;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    Active,
    Closed,
    Completed,
    Cancelled,
}

/// What a draw sells, for how much, until when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    pub price: Cents,
    /// 1…100 (decision D-10).
    pub prize_percentage: u8,
    pub round_up_prize: bool,
    /// `None`: at once (decision E-20).
    pub opens_at: Option<Timestamp>,
    /// Kick-off. No ticket is allocated at or after this instant (rule 5).
    pub closes_at: Timestamp,
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
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    pub result: GameResult,
    pub winner: Serial,
    pub prize: Cents,
}

/// Everything a draw is rebuilt from: what the tables hold.
#[derive(Clone, Debug)]
pub struct Snapshot {
    pub id: DrawId,
    pub terms: Terms,
    pub fee_policy: FeePolicy,
    pub deal: Deal,
    pub status: Status,
    pub revision: u64,
    pub reservations: Vec<(OrderId, Reservation)>,
    pub allocations: Vec<(OrderId, Allocation)>,
    pub revenue: Cents,
    pub fee: Cents,
    pub outcome: Option<Outcome>,
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
        }
    }

    pub fn restore(from: Snapshot) -> Draw {
        let draw = Draw {
            id: from.id,
            terms: from.terms,
            fee_policy: from.fee_policy,
            deal: from.deal,
            status: from.status,
            revision: from.revision,
            reservations: from.reservations.into_iter().collect(),
            allocations: from.allocations.into_iter().collect(),
            revenue: from.revenue,
            fee: from.fee,
            outcome: from.outcome,
        };
        draw.check();
        draw
    }

    /// Says what would happen at `now`. Changes nothing. Idempotence comes first: a command that was already carried out
    /// decides on no events, and the reply is read from `reservation` or `allocation`.
    pub fn decide(&self, now: Timestamp, command: &Command) -> Result<Vec<Event>, Refusal> {
        match *command {
            Command::Reserve { order, count, until } => self.reserve(now, order, count, until),
            Command::Extend { order, until } => self.extend(now, order, until),
            Command::Release { order } => Ok(self.release(order)),
            Command::Allocate { order, count, unit_price, authority } => {
                self.allocate(now, order, count, unit_price, authority)
            }
            Command::Void { order } => Ok(self.void(order)),
            Command::Tick => Ok(self.tick(now)),
            Command::Complete { result } => self.complete(result),
            Command::Undo => self.undo(now),
            Command::Amend { terms } => self.amend(now, terms),
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
        self.reservations.values().map(|reservation| reservation.until).chain(close).min()
    }

    pub fn view(&self) -> View {
        let prize_of = |sold| prize(sold, self.terms.price, self.terms.prize_percentage, self.terms.round_up_prize);
        View {
            draw: self.id,
            revision: self.revision,
            status: self.status,
            sold: self.sold(),
            held: self.held(),
            price: self.terms.price,
            prize: self.outcome.map_or_else(|| prize_of(self.sold()), |outcome| outcome.prize),
            prize_max: prize_of(TICKETS),
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

    pub fn reservation(&self, order: OrderId) -> Option<Reservation> {
        self.reservations.get(&order).copied()
    }

    pub fn allocation(&self, order: OrderId) -> Option<&Allocation> {
        self.allocations.get(&order)
    }

    /// Tickets that have an owner.
    pub fn sold(&self) -> u16 {
        self.allocations.values().map(|allocation| allocation.serials.len() as u16).sum()
    }

    /// Tickets that reservations claimed at the last commit.
    pub fn held(&self) -> u16 {
        self.reservations.values().map(|reservation| reservation.count).sum()
    }

    /// Tickets an order may still take at `now`: not sold, and not kept for somebody else.
    fn room_for(&self, now: Timestamp, order: OrderId) -> u16 {
        let kept: u16 = self
            .reservations
            .iter()
            .filter(|(holder, reservation)| **holder != order && reservation.is_active(now))
            .map(|(_, reservation)| reservation.count)
            .sum();
        TICKETS - self.sold() - kept
    }

    fn check_on_sale(&self, now: Timestamp) -> Result<(), Refusal> {
        if self.status != Status::Active || now >= self.terms.closes_at {
            return Err(Refusal::DrawClosed);
        }
        match self.terms.opens_at {
            Some(opens_at) if now < opens_at => Err(Refusal::DrawNotOpen),
            _ => Ok(()),
        }
    }

    fn check_count(count: u16) -> Result<(), Refusal> {
        match count {
            1..=TICKETS_PER_ORDER_MAX => Ok(()),
            _ => Err(Refusal::CountOutOfRange { max: TICKETS_PER_ORDER_MAX }),
        }
    }

    /// Overdue reservations of others leave the books whenever something else is written.
    fn overdue(&self, now: Timestamp, except: OrderId) -> Vec<Event> {
        self.reservations
            .iter()
            .filter(|(order, reservation)| **order != except && !reservation.is_active(now))
            .map(|(order, _)| Event::Expired { order: *order })
            .collect()
    }

    fn reserve(&self, now: Timestamp, order: OrderId, count: u16, until: Timestamp) -> Result<Vec<Event>, Refusal> {
        if self.allocations.contains_key(&order) {
            return Err(Refusal::AlreadyAllocated);
        }
        let earlier = self.reservation(order);
        if earlier.is_some_and(|r| r.count == count && r.is_active(now)) {
            return Ok(Vec::new());
        }
        self.check_on_sale(now)?;
        Self::check_count(count)?;
        let free = self.room_for(now, order);
        if count > free {
            return Err(Refusal::TooFewTickets { free });
        }
        let until = until.min(self.terms.closes_at);
        let extensions = earlier.filter(|r| r.is_active(now)).map_or(0, |r| r.extensions);
        let mut events = self.overdue(now, order);
        events.push(Event::Reserved { order, reservation: Reservation { count, until, extensions } });
        Ok(events)
    }

    fn extend(&self, now: Timestamp, order: OrderId, until: Timestamp) -> Result<Vec<Event>, Refusal> {
        let earlier = self.reservation(order).filter(|r| r.is_active(now)).ok_or(Refusal::ReservationUnknown)?;
        let until = until.min(self.terms.closes_at);
        if until <= earlier.until {
            return Ok(Vec::new());
        }
        if earlier.extensions == EXTENSIONS_MAX {
            return Err(Refusal::ExtensionsUsedUp);
        }
        let reservation = Reservation { until, extensions: earlier.extensions + 1, ..earlier };
        let mut events = self.overdue(now, order);
        events.push(Event::Reserved { order, reservation });
        Ok(events)
    }

    fn release(&self, order: OrderId) -> Vec<Event> {
        self.reservation(order).map(|_| Event::Released { order }).into_iter().collect()
    }

    fn allocate(
        &self,
        now: Timestamp,
        order: OrderId,
        count: u16,
        unit_price: Cents,
        authority: Authority,
    ) -> Result<Vec<Event>, Refusal> {
        if self.allocations.contains_key(&order) {
            return Ok(Vec::new());
        }
        Self::check_count(count)?;
        match authority {
            Authority::Sale => self.check_on_sale(now)?,
            Authority::Repair { authorised_at } => {
                let repairable = matches!(self.status, Status::Active | Status::Closed);
                if !repairable || authorised_at >= self.terms.closes_at {
                    return Err(Refusal::DrawClosed);
                }
            }
        }
        if unit_price != self.terms.price {
            return Err(Refusal::PriceChanged);
        }
        let free = self.room_for(now, order);
        if count > free {
            return Err(Refusal::TooFewTickets { free });
        }
        let serials = self.next_serials(count);
        let step = self.fee_step(self.terms.price * count.into());
        let mut events = self.overdue(now, order);
        events.push(Event::Allocated { order, serials, step });
        Ok(events)
    }

    /// The lowest free serials (decision K-1): a voided number is the next to leave (decision K-2).
    fn next_serials(&self, count: u16) -> Vec<Serial> {
        let mut taken = [false; TICKETS as usize + 1];
        for serial in self.allocations.values().flat_map(|allocation| &allocation.serials) {
            taken[usize::from(serial.number())] = true;
        }
        Serial::all().filter(|serial| !taken[usize::from(serial.number())]).take(count.into()).collect()
    }

    fn fee_step(&self, revenue_delta: Cents) -> FeeStep {
        let revenue_after = self.revenue + revenue_delta;
        let fee_after = self.fee_policy.on(revenue_after);
        FeeStep { revenue_delta, fee_delta: fee_after - self.fee, revenue_after, fee_after }
    }

    fn void(&self, order: OrderId) -> Vec<Event> {
        let Some(allocation) = self.allocations.get(&order) else {
            return Vec::new();
        };
        let step = self.fee_step(-(self.terms.price * allocation.serials.len() as i64));
        vec![Event::Voided { order, serials: allocation.serials.clone(), step }]
    }

    fn tick(&self, now: Timestamp) -> Vec<Event> {
        if self.status == Status::Active && now >= self.terms.closes_at {
            return self.close();
        }
        self.reservations
            .iter()
            .filter(|(_, reservation)| !reservation.is_active(now))
            .map(|(order, _)| Event::Expired { order: *order })
            .collect()
    }

    /// At the whistle no reservation can become a ticket any more.
    fn close(&self) -> Vec<Event> {
        let expired = self.reservations.keys().map(|order| Event::Expired { order: *order });
        expired.chain([Event::Closed]).collect()
    }

    fn complete(&self, result: GameResult) -> Result<Vec<Event>, Refusal> {
        let mut events = match self.status {
            Status::Completed if self.outcome.is_some_and(|outcome| outcome.result == result) => return Ok(Vec::new()),
            Status::Completed => return Err(Refusal::AlreadyCompleted),
            Status::Cancelled => return Err(Refusal::DrawClosed),
            Status::Active => self.close(),
            Status::Closed => Vec::new(),
        };
        let winner = self.deal.serial(result.cell);
        events.push(Event::Completed { result, winner, prize: self.view().prize });
        Ok(events)
    }

    fn undo(&self, now: Timestamp) -> Result<Vec<Event>, Refusal> {
        if self.status != Status::Completed {
            return Err(Refusal::NotCompleted);
        }
        let status = if now < self.terms.closes_at { Status::Active } else { Status::Closed };
        Ok(vec![Event::Undone { status }])
    }

    fn amend(&self, now: Timestamp, terms: Terms) -> Result<Vec<Event>, Refusal> {
        if terms == self.terms {
            return Ok(Vec::new());
        }
        if self.status != Status::Active || now >= self.terms.closes_at {
            return Err(Refusal::DrawClosed);
        }
        let money = |t: &Terms| (t.price, t.prize_percentage, t.round_up_prize);
        if money(&terms) != money(&self.terms) && self.sold() + self.held() > 0 {
            return Err(Refusal::TermsLocked { sold: self.sold() });
        }
        if terms.closes_at <= now || terms.price < Cents(1) || !(1..=100).contains(&terms.prize_percentage) {
            return Err(Refusal::TermsInvalid);
        }
        Ok(vec![Event::Amended { terms }])
    }

    fn cancel(&self) -> Result<Vec<Event>, Refusal> {
        match self.status {
            Status::Cancelled => Ok(Vec::new()),
            Status::Completed => Err(Refusal::AlreadyCompleted),
            Status::Active | Status::Closed => {
                let expired = self.reservations.keys().map(|order| Event::Expired { order: *order });
                Ok(expired.chain([Event::Cancelled]).collect())
            }
        }
    }

    fn apply_one(&mut self, event: &Event) {
        match event {
            Event::Reserved { order, reservation } => {
                self.reservations.insert(*order, *reservation);
            }
            Event::Released { order } | Event::Expired { order } => {
                self.reservations.remove(order);
            }
            Event::Allocated { order, serials, step } => {
                self.reservations.remove(order);
                self.allocations.insert(*order, Allocation { serials: serials.clone(), fee: step.fee_delta });
                self.take(step);
            }
            Event::Voided { order, step, .. } => {
                self.allocations.remove(order);
                self.take(step);
            }
            Event::Closed => self.status = Status::Closed,
            Event::Completed { result, winner, prize } => {
                self.status = Status::Completed;
                self.outcome = Some(Outcome { result: *result, winner: *winner, prize: *prize });
            }
            Event::Undone { status } => {
                self.status = *status;
                self.outcome = None;
            }
            Event::Amended { terms } => self.terms = *terms,
            Event::Cancelled => self.status = Status::Cancelled,
        }
    }

    fn take(&mut self, step: &FeeStep) {
        self.revenue = step.revenue_after;
        self.fee = step.fee_after;
    }

    /// Everything that must always hold: D1…D5 of the README. Panics when one does not; that is a bug.
    pub fn check(&self) {
        assert!(self.sold() + self.held() <= TICKETS, "D1: draw {} sold {} held {}", self.id, self.sold(), self.held());
        let mut owners = [0u8; TICKETS as usize + 1];
        for serial in self.allocations.values().flat_map(|allocation| &allocation.serials) {
            owners[usize::from(serial.number())] += 1;
        }
        assert!(owners.iter().all(|count| *count <= 1), "D3: draw {} has a ticket with two owners", self.id);
        assert!(
            self.reservations.keys().all(|order| !self.allocations.contains_key(order)),
            "D4: draw {} keeps tickets for an order that has its own",
            self.id
        );
        assert!(
            self.status == Status::Active || self.reservations.is_empty(),
            "D2: draw {} is not on sale but has reservations",
            self.id
        );
        assert_eq!(self.revenue, self.terms.price * self.sold().into(), "D6: draw {} revenue", self.id);
        assert_eq!(self.fee, self.fee_policy.on(self.revenue), "D6: draw {} fee", self.id);
        assert_eq!(self.status == Status::Completed, self.outcome.is_some(), "draw {} outcome", self.id);
    }
}
