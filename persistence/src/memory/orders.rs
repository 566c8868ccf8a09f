//! The orders of the memory store, with an index for each of their keys.

use std::collections::{BTreeMap, BTreeSet};

use domain::{
    AccountId, Cents, DrawId, Line, Order, OrderId, OrderState, OrderTransition, PaymentIntentId,
    Timestamp,
};

use crate::change::TicketChange;
use crate::error::Failure;
use crate::ledger::{AttachedWrite, BuyerDetails, DrawCommit, NewOrder};
use crate::stores::OrderRecord;

#[derive(Clone, Default)]
pub(super) struct Orders {
    rows: BTreeMap<OrderId, MemoryOrder>,
    by_client_key: BTreeMap<String, OrderId>,
    by_token: BTreeMap<String, OrderId>,
    by_payment_intent: BTreeMap<PaymentIntentId, OrderId>,
    /// Orders whose outcome is undecided (`quoted`, `allocated` and `rejecting`), oldest first.
    open: BTreeSet<(Timestamp, OrderId)>,
    captured: BTreeSet<(Timestamp, OrderId)>,
    by_draw: BTreeMap<DrawId, BTreeSet<OrderId>>,
}

#[derive(Clone)]
pub(super) struct MemoryOrder {
    pub record: OrderRecord,
    /// The application fee that each allocated line of the order added to its draw.
    line_fees: BTreeMap<DrawId, Cents>,
    /// The part of each line's application fee that was refunded.
    fees_refunded: BTreeMap<DrawId, Cents>,
}

impl MemoryOrder {
    pub fn allocated_line_count(&self) -> usize {
        self.record.tickets.len()
    }

    pub fn state(&self) -> OrderState {
        self.record.order.state
    }

    pub fn check_transition(&self, transition: OrderTransition) -> Result<bool, Failure> {
        Ok(transition.needs_write(self.state(), self.allocated_line_count() > 0)?)
    }

    /// Returns how much of a draw's application fee the order holds.
    pub fn fee_held_for_draw(&self, draw: DrawId) -> Cents {
        let of = |fees: &BTreeMap<DrawId, Cents>| fees.get(&draw).copied().unwrap_or_default();
        of(&self.line_fees) - of(&self.fees_refunded)
    }

    /// Adds `part` to the application fee that the order has refunded for this draw, and returns
    /// the new total.
    pub fn add_refunded_fee(&mut self, draw: DrawId, part: Cents) -> Cents {
        let refunded = self.fees_refunded.entry(draw).or_default();
        *refunded += part;
        *refunded
    }
}

fn is_open(state: OrderState) -> bool {
    matches!(
        state,
        OrderState::Quoted | OrderState::Allocated | OrderState::Rejecting
    )
}

impl Orders {
    pub fn all(&self) -> impl Iterator<Item = &MemoryOrder> {
        self.rows.values()
    }

    pub fn get(&self, id: OrderId) -> Result<&MemoryOrder, Failure> {
        self.rows.get(&id).ok_or(Failure::NotFound)
    }

    pub fn get_mut(&mut self, id: OrderId) -> Result<&mut MemoryOrder, Failure> {
        self.rows.get_mut(&id).ok_or(Failure::NotFound)
    }

    pub fn find_record(&self, id: OrderId) -> Option<OrderRecord> {
        self.rows.get(&id).map(|row| row.record.clone())
    }

    pub fn by_client_key(&self, key: &str) -> Option<OrderRecord> {
        self.by_client_key
            .get(key)
            .and_then(|id| self.find_record(*id))
    }

    pub fn by_token(&self, token: &str) -> Option<OrderRecord> {
        self.by_token
            .get(token)
            .and_then(|id| self.find_record(*id))
    }

    pub fn id_by_payment_intent(&self, id: &PaymentIntentId) -> Option<OrderId> {
        self.by_payment_intent.get(id).copied()
    }

    pub fn unfinished_orders_opened_before(
        &self,
        before: Timestamp,
        limit: usize,
    ) -> Vec<OrderRecord> {
        let before = (before, OrderId(0));
        self.open
            .range(..before)
            .take(limit)
            .filter_map(|(_, id)| self.find_record(*id))
            .collect()
    }

    pub fn orders_captured_since(&self, since: Timestamp, limit: usize) -> Vec<OrderRecord> {
        let since = (since, OrderId(0));
        self.captured
            .range(since..)
            .take(limit)
            .filter_map(|(_, id)| self.find_record(*id))
            .collect()
    }

    /// Returns the captured orders that hold a part of a draw's application fee, each with that
    /// part. They are in the sequence in which the fee is refunded: refunded orders first, then the
    /// earliest captured.
    pub fn orders_holding_fee(&self, draw: DrawId) -> Vec<(OrderId, Cents)> {
        let of_draw = self
            .by_draw
            .get(&draw)
            .into_iter()
            .flatten()
            .map(|id| (*id, &self.rows[id]));
        let captured = of_draw.filter_map(|(id, row)| {
            Some((row.state() != OrderState::Void, row.record.captured_at?, id))
        });
        let mut captured_orders: Vec<_> = captured.collect();
        captured_orders.sort();
        captured_orders
            .into_iter()
            .map(|(_, _, id)| (id, self.rows[&id].fee_held_for_draw(draw)))
            .collect()
    }

    pub fn check_attached_write(&self, attached_write: &AttachedWrite) -> Result<(), Failure> {
        match attached_write {
            AttachedWrite::Open(order) => {
                let exists = self.rows.contains_key(&order.id)
                    || self.by_client_key.contains_key(&order.client_key)
                    || self.by_token.contains_key(&order.token)
                    || order
                        .payment_intent
                        .as_ref()
                        .is_some_and(|id| self.by_payment_intent.contains_key(id));
                if exists {
                    Err(Failure::NotWritten("the order exists".into()))
                } else {
                    Ok(())
                }
            }
            AttachedWrite::Reprice { order, .. } => {
                let row = self.get(*order)?;
                let fixed = row.state() != OrderState::Quoted || row.allocated_line_count() > 0;
                if fixed {
                    Err(Failure::NotFound)
                } else {
                    Ok(())
                }
            }
            AttachedWrite::Authorised { order, .. } => self.get(*order).map(|_| ()),
            AttachedWrite::Describe(_) => Ok(()),
        }
    }

    pub fn check_allocation(
        &self,
        append: &DrawCommit,
        ticket_change: &TicketChange,
        opened_order: Option<&NewOrder>,
    ) -> Result<(), Failure> {
        if opened_order.is_some_and(|order| order.id == ticket_change.order) {
            return Ok(());
        }
        let row = self.get(ticket_change.order)?;
        let line = row
            .record
            .order
            .lines
            .iter()
            .find(|line| line.draw == append.draw);
        let fits = line.is_some_and(|line| usize::from(line.count) == ticket_change.serials.len());
        let has_tickets = row
            .record
            .tickets
            .iter()
            .any(|(draw, _)| *draw == append.draw);
        let allocate = OrderTransition::Allocate {
            is_sale: append.sells,
        };
        let is_allowed = row.check_transition(allocate) == Ok(true);
        if fits && !has_tickets && is_allowed {
            Ok(())
        } else {
            Err(Failure::NotFound)
        }
    }

    pub fn check_void(&self, draw: DrawId, ticket_change: &TicketChange) -> Result<(), Failure> {
        let row = self.get(ticket_change.order)?;
        let has_tickets = row
            .record
            .tickets
            .iter()
            .any(|(of, serials)| *of == draw && *serials == ticket_change.serials);
        let flag_matches = row.record.captured_at.is_some() == ticket_change.charged;
        if has_tickets && flag_matches {
            Ok(())
        } else {
            Err(Failure::NotFound)
        }
    }

    pub fn insert_order(&mut self, new: &NewOrder) {
        let order = Order {
            id: new.id,
            club: new.club,
            account: new.account.clone(),
            state: OrderState::Quoted,
            lines: new.lines.clone(),
            payment_intent: new.payment_intent.clone(),
            application_fee: Cents::ZERO,
        };
        let record = OrderRecord {
            order,
            client_key: new.client_key.clone(),
            token: new.token.clone(),
            client_secret: None,
            buyer: BuyerDetails::default().with_blanks_filled_from(&new.buyer),
            consent_at: None,
            opened_at: new.at,
            authorised_at: new.authorised_at,
            captured_at: None,
            reason: None,
            tickets: Vec::new(),
        };
        self.by_client_key.insert(new.client_key.clone(), new.id);
        self.by_token.insert(new.token.clone(), new.id);
        self.open.insert((new.at, new.id));
        for line in &new.lines {
            self.by_draw.entry(line.draw).or_default().insert(new.id);
        }
        self.rows.insert(
            new.id,
            MemoryOrder {
                record,
                line_fees: BTreeMap::new(),
                fees_refunded: BTreeMap::new(),
            },
        );
        if let Some(id) = &new.payment_intent {
            self.set_payment_intent(new.id, id);
        }
    }

    /// Replaces the lines of an order. Returns whether the order already has a payment intent.
    pub fn replace_order_lines(&mut self, id: OrderId, lines: &[Line]) -> bool {
        let row = self.rows.get_mut(&id).expect("checked before");
        for line in &row.record.order.lines {
            self.by_draw.entry(line.draw).or_default().remove(&id);
        }
        for line in lines {
            self.by_draw.entry(line.draw).or_default().insert(id);
        }
        row.record.order.lines = lines.to_vec();
        row.record.order.payment_intent.is_some()
    }

    pub fn record_authorisation(&mut self, id: OrderId, at: Timestamp) {
        let row = self.rows.get_mut(&id).expect("checked before");
        row.record.authorised_at.get_or_insert(at);
    }

    /// Adds the tickets of one order line. Returns whether all lines of the order have tickets now.
    pub fn add_line_tickets(&mut self, draw: DrawId, ticket_change: &TicketChange) -> bool {
        let row = self
            .rows
            .get_mut(&ticket_change.order)
            .expect("checked before");
        row.record
            .tickets
            .push((draw, ticket_change.serials.clone()));
        row.record.tickets.sort_by_key(|(draw, _)| *draw);
        row.line_fees.insert(draw, ticket_change.step.fee_delta);
        row.record.order.application_fee += ticket_change.step.fee_delta;
        let complete = row.record.tickets.len() == row.record.order.lines.len();
        if complete {
            row.record.reason = None;
        }
        self.set_state(
            ticket_change.order,
            if complete {
                OrderState::Allocated
            } else {
                OrderState::Quoted
            },
        );
        complete
    }

    /// Removes the tickets of one order line. Returns whether the order became `rejecting`.
    pub fn remove_line_tickets(&mut self, draw: DrawId, ticket_change: &TicketChange) -> bool {
        let row = self
            .rows
            .get_mut(&ticket_change.order)
            .expect("checked before");
        row.record.tickets.retain(|(of, _)| *of != draw);
        if row.record.captured_at.is_none() {
            row.record.order.application_fee -= row.line_fees.remove(&draw).unwrap_or_default();
        }
        let rejects = matches!(row.state(), OrderState::Allocated | OrderState::Rejecting);
        if rejects {
            self.set_state(ticket_change.order, OrderState::Rejecting);
        }
        rejects
    }

    /// Counts a captured order that lost tickets as undecided again, because it must be refunded.
    pub fn mark_unfinished_if_tickets_missing(&mut self, id: OrderId) {
        let row = &self.rows[&id];
        if row.state() == OrderState::Captured
            && row.allocated_line_count() < row.record.order.lines.len()
        {
            self.open.insert((row.record.opened_at, id));
        }
    }

    pub fn set_payment_intent(&mut self, id: OrderId, payment_intent: &PaymentIntentId) {
        self.by_payment_intent.insert(payment_intent.clone(), id);
    }

    pub fn set_state(&mut self, id: OrderId, state: OrderState) {
        let row = self.rows.get_mut(&id).expect("asked before");
        row.record.order.state = state;
        let at = (row.record.opened_at, id);
        if is_open(state) {
            self.open.insert(at)
        } else {
            self.open.remove(&at)
        };
        if let Some(captured_at) = row.record.captured_at {
            self.captured.insert((captured_at, id));
        }
    }

    pub fn connected_accounts(&self) -> impl Iterator<Item = AccountId> {
        self.rows
            .values()
            .map(|row| row.record.order.account.clone())
    }
}
