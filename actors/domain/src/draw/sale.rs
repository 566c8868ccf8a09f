//! Selling: keep tickets for an order, give them to it, take them back.

use super::command::Authority;
use super::{Draw, Event, Refusal, Status};
use crate::{
    Cents, FeeStep, OrderId, Reservation, Serial, TICKETS, TICKETS_PER_ORDER_MAX, Timestamp,
    reservation::EXTENSIONS_MAX,
};

impl Draw {
    /// A repeated request leaves the reservation as it is; one with another count resizes it (decision C-2).
    pub(super) fn reserve(
        &self,
        now: Timestamp,
        order: OrderId,
        count: u16,
        until: Timestamp,
    ) -> Result<Vec<Event>, Refusal> {
        if self.allocations.contains_key(&order) {
            return Err(Refusal::AlreadyAllocated);
        }
        let earlier = self
            .reservation(order)
            .filter(|reservation| reservation.is_active(now));
        if earlier.is_some_and(|reservation| reservation.count == count) {
            return Ok(Vec::new());
        }
        self.check_on_sale(now)?;
        check_count(count)?;
        if until <= now {
            return Err(Refusal::TermsInvalid);
        }
        self.check_room(now, order, count)?;
        let until = until.min(self.terms.closes_at);
        let extensions = earlier.map_or(0, |reservation| reservation.extensions);
        let mut events = self.overdue(now, Some(order));
        events.push(Event::Reserved {
            order,
            reservation: Reservation {
                count,
                until,
                extensions,
            },
        });
        Ok(events)
    }

    /// "Keep my tickets": later, at most ten times, never past kick-off (decision B-8).
    pub(super) fn extend(
        &self,
        now: Timestamp,
        order: OrderId,
        until: Timestamp,
    ) -> Result<Vec<Event>, Refusal> {
        if self.allocations.contains_key(&order) {
            return Err(Refusal::AlreadyAllocated);
        }
        let earlier = self
            .reservation(order)
            .filter(|r| r.is_active(now))
            .ok_or(Refusal::ReservationUnknown)?;
        let until = until.min(self.terms.closes_at);
        if until <= earlier.until {
            return Ok(Vec::new());
        }
        if earlier.extensions >= EXTENSIONS_MAX {
            return Err(Refusal::ExtensionsUsedUp);
        }
        let reservation = Reservation {
            until,
            extensions: earlier.extensions + 1,
            ..earlier
        };
        let mut events = self.overdue(now, Some(order));
        events.push(Event::Reserved { order, reservation });
        Ok(events)
    }

    pub(super) fn release(&self, order: OrderId) -> Vec<Event> {
        self.reservation(order)
            .map(|_| Event::Released { order })
            .into_iter()
            .collect()
    }

    /// An order whose reservation is overdue still gets its tickets if there is room for it (decision C-9).
    pub(super) fn allocate(
        &self,
        now: Timestamp,
        order: OrderId,
        count: u16,
        unit_price: Cents,
        authority: Authority,
    ) -> Result<Vec<Event>, Refusal> {
        match self.allocations.get(&order) {
            Some(allocation) if allocation.serials.len() == usize::from(count) => {
                return Ok(Vec::new());
            }
            // An order paid for another number of tickets than it has: no reply would be true, so none is given.
            Some(_) => return Err(Refusal::AlreadyAllocated),
            None => {}
        }
        match authority {
            Authority::Sale => self.check_on_sale(now)?,
            Authority::Repair { authorised_at } => self.check_repairable(authorised_at)?,
        }
        check_count(count)?;
        if unit_price != self.terms.price {
            return Err(Refusal::PriceChanged);
        }
        self.check_room(now, order, count)?;
        let step = self.fee_taken(self.terms.price * count.into());
        let mut events = self.overdue(now, Some(order));
        events.push(Event::Allocated {
            order,
            serials: self.next_serials(count),
            step,
        });
        Ok(events)
    }

    /// Takes an order's tickets back, whatever the draw's state: money that goes back must never wait for a status.
    pub(super) fn void(&self, order: OrderId, charged: bool) -> Vec<Event> {
        let Some(allocation) = self.allocations.get(&order) else {
            return Vec::new();
        };
        let vanishes = if charged { Cents::ZERO } else { allocation.fee };
        let step =
            self.fee_given_back(self.terms.price * allocation.serials.len() as i64, vanishes);
        vec![Event::Voided {
            order,
            serials: allocation.serials.clone(),
            step,
            charged,
        }]
    }

    /// The lowest free serials (decision K-1): a voided number is the next to leave (decision K-2).
    pub(super) fn next_serials(&self, count: u16) -> Vec<Serial> {
        let mut taken = [false; TICKETS as usize + 1];
        for serial in self
            .allocations
            .values()
            .flat_map(|allocation| &allocation.serials)
        {
            taken[usize::from(serial.number())] = true;
        }
        Serial::all()
            .filter(|serial| !taken[usize::from(serial.number())])
            .take(count.into())
            .collect()
    }

    /// Overdue reservations leave the books whenever something else is written. The asker's own is spared: what the asker
    /// gets replaces it.
    pub(super) fn overdue(&self, now: Timestamp, asker: Option<OrderId>) -> Vec<Event> {
        self.reservations
            .iter()
            .filter(|(order, reservation)| Some(**order) != asker && !reservation.is_active(now))
            .map(|(order, _)| Event::Expired { order: *order })
            .collect()
    }

    /// Kick-off itself is too late. The clock decides, not the timer: the status may not say so yet.
    fn check_on_sale(&self, now: Timestamp) -> Result<(), Refusal> {
        if self.status != Status::Active || now >= self.terms.closes_at {
            return Err(Refusal::DrawClosed);
        }
        match self.terms.opens_at {
            Some(opens_at) if now < opens_at => Err(Refusal::DrawNotOpen),
            _ => Ok(()),
        }
    }

    /// After kick-off only a payment that was authorised before it, and only while no result has been entered (rule 5).
    fn check_repairable(&self, authorised_at: Timestamp) -> Result<(), Refusal> {
        match self.status {
            Status::Active | Status::Closed if authorised_at < self.terms.closes_at => Ok(()),
            _ => Err(Refusal::DrawClosed),
        }
    }

    /// An order may take what is neither sold nor kept for somebody else.
    fn check_room(&self, now: Timestamp, order: OrderId, count: u16) -> Result<(), Refusal> {
        let kept: u16 = self
            .reservations
            .iter()
            .filter(|(holder, reservation)| **holder != order && reservation.is_active(now))
            .map(|(_, reservation)| reservation.count)
            .sum();
        let free = TICKETS - self.sold() - kept;
        if count > free {
            Err(Refusal::TooFewTickets { free })
        } else {
            Ok(())
        }
    }

    /// The step of an allocation: up to the fee that is due on all revenue. When an order that carried a part of it was let go
    /// uncharged, that part is made up here, as far as the line goes.
    fn fee_taken(&self, line: Cents) -> FeeStep {
        let revenue_after = self.revenue + line;
        let fee_delta = (self.fee_policy.on(revenue_after) - self.fee).clamp(Cents::ZERO, line);
        let fee_after = self.fee + fee_delta;
        FeeStep {
            revenue_delta: line,
            fee_delta,
            revenue_after,
            fee_after,
            to_return: Cents::ZERO,
        }
    }

    /// The step of a void: down to the fee that is still due. `vanishes` was never taken and needs no return; what is more than
    /// that is held by somebody and goes back from whoever has it. A fee that was not taken cannot stay due either: then the
    /// ledger falls below what is due, and later sales make it up.
    fn fee_given_back(&self, line: Cents, vanishes: Cents) -> FeeStep {
        let revenue_after = self.revenue - line;
        let held = self.fee - vanishes;
        let fee_after = self.fee_policy.on(revenue_after).min(held).max(Cents::ZERO);
        let fee_delta = fee_after - self.fee;
        FeeStep {
            revenue_delta: -line,
            fee_delta,
            revenue_after,
            fee_after,
            to_return: held - fee_after,
        }
    }
}

fn check_count(count: u16) -> Result<(), Refusal> {
    match count {
        1..=TICKETS_PER_ORDER_MAX => Ok(()),
        _ => Err(Refusal::CountOutOfRange {
            max: TICKETS_PER_ORDER_MAX,
        }),
    }
}
