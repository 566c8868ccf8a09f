//! The sale: reserve tickets for an order, allocate them, void them.

use super::command::AllocationAuthority;
use super::{Draw, Event, Refusal, Status};
use crate::{
    Cents, FeeLedgerStep, OrderId, Reservation, Serial, TICKETS, TICKETS_PER_ORDER_MAX, Timestamp,
    reservation::EXTENSIONS_PER_RESERVATION_MAX,
};

impl Draw {
    /// Reserves tickets for an order. Repeating the same request changes nothing; another count
    /// resizes the reservation (decision C-2).
    pub(super) fn reserve_tickets(
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
        check_ticket_count(count)?;
        if until <= now {
            return Err(Refusal::TermsInvalid);
        }
        self.check_free_tickets(now, order, count)?;
        let until = until.min(self.terms.closes_at);
        let extensions = earlier.map_or(0, |reservation| reservation.extensions);
        let mut events = self.expiry_events(now, Some(order));
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

    /// Extends a reservation, at most ten times and never past kick-off (decision B-8).
    pub(super) fn extend_reservation(
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
        if earlier.extensions >= EXTENSIONS_PER_RESERVATION_MAX {
            return Err(Refusal::ExtensionsUsedUp);
        }
        let reservation = Reservation {
            until,
            extensions: earlier.extensions + 1,
            ..earlier
        };
        let mut events = self.expiry_events(now, Some(order));
        events.push(Event::Reserved { order, reservation });
        Ok(events)
    }

    pub(super) fn release_reservation(&self, order: OrderId) -> Vec<Event> {
        self.reservation(order)
            .map(|_| Event::Released { order })
            .into_iter()
            .collect()
    }

    /// Allocates tickets to an order. If its reservation is overdue, it still gets tickets while
    /// enough are free (decision C-9).
    pub(super) fn allocate_tickets(
        &self,
        now: Timestamp,
        order: OrderId,
        count: u16,
        unit_price: Cents,
        authority: AllocationAuthority,
    ) -> Result<Vec<Event>, Refusal> {
        match self.allocations.get(&order) {
            Some(allocation) if allocation.serials.len() == usize::from(count) => {
                return Ok(Vec::new());
            }
            // The order already has a different number of tickets than it paid for, so the request
            // cannot be fulfilled.
            Some(_) => return Err(Refusal::AlreadyAllocated),
            None => {}
        }
        match authority {
            AllocationAuthority::Sale => self.check_on_sale(now)?,
            AllocationAuthority::Repair { authorised_at } => {
                self.check_repair_allowed(authorised_at)?;
            }
        }
        check_ticket_count(count)?;
        if unit_price != self.terms.price {
            return Err(Refusal::PriceChanged);
        }
        self.check_free_tickets(now, order, count)?;
        let step = self.allocation_fee_step(self.terms.price * count.into());
        let mut events = self.expiry_events(now, Some(order));
        events.push(Event::Allocated {
            order,
            serials: self.next_serials(count),
            step,
        });
        Ok(events)
    }

    /// Takes an order's tickets back. Allowed in every status of the draw, so that a refund is
    /// never blocked.
    pub(super) fn void_tickets(&self, order: OrderId, charged: bool) -> Vec<Event> {
        let Some(allocation) = self.allocations.get(&order) else {
            return Vec::new();
        };
        let unpaid_fee = if charged { Cents::ZERO } else { allocation.fee };
        let step = self.void_fee_step(
            self.terms.price * allocation.serials.len() as i64,
            unpaid_fee,
        );
        vec![Event::Voided {
            order,
            serials: allocation.serials.clone(),
            step,
            charged,
        }]
    }

    /// Returns the serials to sell next, ascending. Serials that were never sold come first
    /// (decision K-1). Returned serials come last, because their former owner may have seen the
    /// pairs (decision M-3).
    pub(super) fn next_serials(&self, count: u16) -> Vec<Serial> {
        let (returned, unsold): (Vec<Serial>, Vec<Serial>) = self
            .free_serials()
            .partition(|serial| self.returned.contains(serial));
        let mut next: Vec<Serial> = unsold
            .into_iter()
            .chain(returned)
            .take(count.into())
            .collect();
        next.sort_unstable();
        next
    }

    /// Whether these serials are the next ones to sell, by decision M-3 or by the rule of older
    /// journals, which sold the lowest free serials.
    pub(super) fn are_next_serials(&self, serials: &[Serial]) -> bool {
        self.next_serials(serials.len() as u16) == serials
            || self
                .free_serials()
                .take(serials.len())
                .eq(serials.iter().copied())
    }

    fn free_serials(&self) -> impl Iterator<Item = Serial> {
        let mut taken = [false; TICKETS as usize + 1];
        for serial in self
            .allocations
            .values()
            .flat_map(|allocation| &allocation.serials)
        {
            taken[usize::from(serial.number())] = true;
        }
        Serial::all().filter(move |serial| !taken[usize::from(serial.number())])
    }

    /// Returns the expiry events of overdue reservations. They are written with the next commit.
    /// The reservation of order `except` is left out, because the caller replaces that reservation.
    pub(super) fn expiry_events(&self, now: Timestamp, except: Option<OrderId>) -> Vec<Event> {
        self.reservations
            .iter()
            .filter(|(order, reservation)| Some(**order) != except && !reservation.is_active(now))
            .map(|(order, _)| Event::Expired { order: *order })
            .collect()
    }

    /// Checks that the draw is on sale. At and after kick-off nothing is on sale, even if the timer
    /// has not closed the draw yet.
    fn check_on_sale(&self, now: Timestamp) -> Result<(), Refusal> {
        if self.status != Status::Active || now >= self.terms.closes_at {
            return Err(Refusal::DrawClosed);
        }
        // Before decision M-4, a draw whose deal was public could be reopened. Such a draw may
        // still be active.
        if self.revealed {
            return Err(Refusal::Revealed);
        }
        match self.terms.opens_at {
            Some(opens_at) if now < opens_at => Err(Refusal::DrawNotOpen),
            _ => Ok(()),
        }
    }

    /// Checks that a repair is allowed: the payment was authorised before kick-off, and no result
    /// is entered (rule 5 of the decisions). A draw whose number pairs are public allows no repair
    /// (decision M-4).
    fn check_repair_allowed(&self, authorised_at: Timestamp) -> Result<(), Refusal> {
        match self.status {
            Status::Active | Status::Closed if self.revealed => Err(Refusal::Revealed),
            Status::Active | Status::Closed if authorised_at < self.terms.closes_at => Ok(()),
            _ => Err(Refusal::DrawClosed),
        }
    }

    /// Checks that enough tickets are neither sold nor reserved for other orders.
    fn check_free_tickets(
        &self,
        now: Timestamp,
        order: OrderId,
        count: u16,
    ) -> Result<(), Refusal> {
        let reserved: u16 = self
            .reservations
            .iter()
            .filter(|(holder, reservation)| **holder != order && reservation.is_active(now))
            .map(|(_, reservation)| reservation.count)
            .sum();
        let free = TICKETS - self.sold() - reserved;
        if count > free {
            Err(Refusal::TooFewTickets { free })
        } else {
            Ok(())
        }
    }

    /// Returns the change of the fee ledger when tickets for the amount `line` are allocated. The
    /// ledger rises to the fee due on the draw's whole revenue. So this order also pays fee that is
    /// missing since an order was voided without a charge, but never more than `line`.
    fn allocation_fee_step(&self, line: Cents) -> FeeLedgerStep {
        let revenue_after = self.revenue + line;
        let fee_delta =
            (self.fee_policy.fee_on_revenue(revenue_after) - self.fee).clamp(Cents::ZERO, line);
        let fee_after = self.fee + fee_delta;
        FeeLedgerStep {
            revenue_delta: line,
            fee_delta,
            revenue_after,
            fee_after,
            to_return: Cents::ZERO,
        }
    }

    /// Returns the change of the fee ledger when tickets for the amount `line` are voided. The
    /// ledger falls at least to the fee due on the remaining revenue. `unpaid_fee` is removed
    /// without a refund, because no order paid it; the rest of the reduction is refunded. If the
    /// ledger falls below the fee due, later sales collect the difference.
    fn void_fee_step(&self, line: Cents, unpaid_fee: Cents) -> FeeLedgerStep {
        let revenue_after = self.revenue - line;
        let held = self.fee - unpaid_fee;
        let fee_after = self
            .fee_policy
            .fee_on_revenue(revenue_after)
            .min(held)
            .max(Cents::ZERO);
        let fee_delta = fee_after - self.fee;
        FeeLedgerStep {
            revenue_delta: -line,
            fee_delta,
            revenue_after,
            fee_after,
            to_return: held - fee_after,
        }
    }
}

fn check_ticket_count(count: u16) -> Result<(), Refusal> {
    match count {
        1..=TICKETS_PER_ORDER_MAX => Ok(()),
        _ => Err(Refusal::CountOutOfRange {
            max: TICKETS_PER_ORDER_MAX,
        }),
    }
}
