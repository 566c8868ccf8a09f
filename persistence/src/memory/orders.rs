//! Orders in memory, found by any of their names.

use std::collections::{BTreeMap, BTreeSet};

use domain::{
    AccountId, Cents, DrawId, Line, Order, OrderId, OrderState, PaymentIntentId, Timestamp,
};

use crate::books::OrderRecord;
use crate::change::Handover;
use crate::error::Failure;
use crate::ledger::{Append, BuyerDetails, NewOrder, Rider};

#[derive(Clone, Default)]
pub(super) struct Orders {
    rows: BTreeMap<OrderId, Row>,
    by_client_key: BTreeMap<String, OrderId>,
    by_token: BTreeMap<String, OrderId>,
    by_payment_intent: BTreeMap<PaymentIntentId, OrderId>,
    /// Those in `quoted`, `allocated` and `rejecting`, oldest first.
    open: BTreeSet<(Timestamp, OrderId)>,
    captured: BTreeSet<(Timestamp, OrderId)>,
    by_draw: BTreeMap<DrawId, BTreeSet<OrderId>>,
}

#[derive(Clone)]
pub(super) struct Row {
    pub record: OrderRecord,
    /// What each allocated line added to its draw's fee.
    line_fees: BTreeMap<DrawId, Cents>,
    /// What was given back of each.
    fees_refunded: BTreeMap<DrawId, Cents>,
}

impl Row {
    pub fn lines_allocated(&self) -> usize {
        self.record.tickets.len()
    }

    pub fn state(&self) -> OrderState {
        self.record.order.state
    }

    /// How much of a draw's fee it holds.
    pub fn fee_held(&self, draw: DrawId) -> Cents {
        let of = |fees: &BTreeMap<DrawId, Cents>| fees.get(&draw).copied().unwrap_or_default();
        of(&self.line_fees) - of(&self.fees_refunded)
    }

    /// Answers what it has given back so far.
    pub fn give_fee_back(&mut self, draw: DrawId, part: Cents) -> Cents {
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
    pub fn all(&self) -> impl Iterator<Item = &Row> {
        self.rows.values()
    }

    pub fn get(&self, id: OrderId) -> Result<&Row, Failure> {
        self.rows.get(&id).ok_or(Failure::NotFound)
    }

    pub fn get_mut(&mut self, id: OrderId) -> Result<&mut Row, Failure> {
        self.rows.get_mut(&id).ok_or(Failure::NotFound)
    }

    pub fn record(&self, id: OrderId) -> Option<OrderRecord> {
        self.rows.get(&id).map(|row| row.record.clone())
    }

    pub fn by_client_key(&self, key: &str) -> Option<OrderRecord> {
        self.by_client_key.get(key).and_then(|id| self.record(*id))
    }

    pub fn by_token(&self, token: &str) -> Option<OrderRecord> {
        self.by_token.get(token).and_then(|id| self.record(*id))
    }

    pub fn id_by_payment_intent(&self, id: &PaymentIntentId) -> Option<OrderId> {
        self.by_payment_intent.get(id).copied()
    }

    pub fn open_before(&self, before: Timestamp, limit: usize) -> Vec<OrderRecord> {
        let before = (before, OrderId(0));
        self.open
            .range(..before)
            .take(limit)
            .filter_map(|(_, id)| self.record(*id))
            .collect()
    }

    pub fn captured_since(&self, since: Timestamp, limit: usize) -> Vec<OrderRecord> {
        let since = (since, OrderId(0));
        self.captured
            .range(since..)
            .take(limit)
            .filter_map(|(_, id)| self.record(*id))
            .collect()
    }

    /// Captured orders that hold some of a draw's fee: refunded ones first, then by age.
    pub fn carriers(&self, draw: DrawId) -> Vec<(OrderId, Cents)> {
        let of_draw = self
            .by_draw
            .get(&draw)
            .into_iter()
            .flatten()
            .map(|id| (*id, &self.rows[id]));
        let captured = of_draw.filter_map(|(id, row)| {
            Some((row.state() != OrderState::Void, row.record.captured_at?, id))
        });
        let mut found: Vec<_> = captured.collect();
        found.sort();
        found
            .into_iter()
            .map(|(_, _, id)| (id, self.rows[&id].fee_held(draw)))
            .collect()
    }

    pub fn check_rider(&self, rider: &Rider) -> Result<(), Failure> {
        match rider {
            Rider::Open(order) => {
                let taken = self.rows.contains_key(&order.id)
                    || self.by_client_key.contains_key(&order.client_key)
                    || self.by_token.contains_key(&order.token)
                    || order
                        .payment_intent
                        .as_ref()
                        .is_some_and(|id| self.by_payment_intent.contains_key(id));
                if taken {
                    Err(Failure::NotWritten("the order exists".into()))
                } else {
                    Ok(())
                }
            }
            Rider::Reprice { order, .. } => {
                let row = self.get(*order)?;
                let fixed = row.state() != OrderState::Quoted || row.lines_allocated() > 0;
                if fixed {
                    Err(Failure::NotFound)
                } else {
                    Ok(())
                }
            }
            Rider::Authorised { order, .. } => self.get(*order).map(|_| ()),
            Rider::Describe(_) => Ok(()),
        }
    }

    pub fn check_allocated(
        &self,
        append: &Append,
        handover: &Handover,
        opens: Option<&NewOrder>,
    ) -> Result<(), Failure> {
        if opens.is_some_and(|order| order.id == handover.order) {
            return Ok(());
        }
        let row = self.get(handover.order)?;
        let line = row
            .record
            .order
            .lines
            .iter()
            .find(|line| line.draw == append.draw);
        let fits = line.is_some_and(|line| usize::from(line.count) == handover.serials.len());
        let has_them = row
            .record
            .tickets
            .iter()
            .any(|(draw, _)| *draw == append.draw);
        let may = match row.state() {
            OrderState::Quoted => true,
            OrderState::Rejecting | OrderState::Released | OrderState::Anomaly => !append.sells,
            OrderState::Allocated | OrderState::Captured | OrderState::Void => false,
        };
        if fits && !has_them && may {
            Ok(())
        } else {
            Err(Failure::NotFound)
        }
    }

    pub fn check_voided(&self, draw: DrawId, handover: &Handover) -> Result<(), Failure> {
        let row = self.get(handover.order)?;
        let has_them = row
            .record
            .tickets
            .iter()
            .any(|(of, has)| *of == draw && *has == handover.serials);
        let known = row.record.captured_at.is_some() == handover.charged;
        if has_them && known {
            Ok(())
        } else {
            Err(Failure::NotFound)
        }
    }

    pub fn open(&mut self, new: &NewOrder) {
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
            buyer: BuyerDetails::default().filled(&new.buyer),
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
            Row {
                record,
                line_fees: BTreeMap::new(),
                fees_refunded: BTreeMap::new(),
            },
        );
        if let Some(id) = &new.payment_intent {
            self.set_payment_intent(new.id, id);
        }
    }

    /// Answers whether its payment intent exists.
    pub fn reprice(&mut self, id: OrderId, lines: &[Line]) -> bool {
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

    pub fn authorised(&mut self, id: OrderId, at: Timestamp) {
        let row = self.rows.get_mut(&id).expect("checked before");
        row.record.authorised_at.get_or_insert(at);
    }

    /// Answers whether this was the order's last line.
    pub fn allocated(&mut self, draw: DrawId, handover: &Handover) -> bool {
        let row = self.rows.get_mut(&handover.order).expect("checked before");
        row.record.tickets.push((draw, handover.serials.clone()));
        row.record.tickets.sort_by_key(|(draw, _)| *draw);
        row.line_fees.insert(draw, handover.step.fee_delta);
        row.record.order.application_fee += handover.step.fee_delta;
        let complete = row.record.tickets.len() == row.record.order.lines.len();
        if complete {
            row.record.reason = None;
        }
        self.turn(
            handover.order,
            if complete {
                OrderState::Allocated
            } else {
                OrderState::Quoted
            },
        );
        complete
    }

    /// Answers whether the order is being rejected by this.
    pub fn voided_line(&mut self, draw: DrawId, handover: &Handover) -> bool {
        let row = self.rows.get_mut(&handover.order).expect("checked before");
        row.record.tickets.retain(|(of, _)| *of != draw);
        if row.record.captured_at.is_none() {
            row.record.order.application_fee -= row.line_fees.remove(&draw).unwrap_or_default();
        }
        let rejects = matches!(row.state(), OrderState::Allocated | OrderState::Rejecting);
        if rejects {
            self.turn(handover.order, OrderState::Rejecting);
        }
        rejects
    }

    /// A captured order that lost tickets waits for its refund.
    pub fn wait_for_refund(&mut self, id: OrderId) {
        let row = &self.rows[&id];
        if row.state() == OrderState::Captured
            && row.lines_allocated() < row.record.order.lines.len()
        {
            self.open.insert((row.record.opened_at, id));
        }
    }

    pub fn set_payment_intent(&mut self, id: OrderId, payment_intent: &PaymentIntentId) {
        self.by_payment_intent.insert(payment_intent.clone(), id);
    }

    pub fn turn(&mut self, id: OrderId, state: OrderState) {
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

    pub fn accounts(&self) -> impl Iterator<Item = AccountId> {
        self.rows
            .values()
            .map(|row| row.record.order.account.clone())
    }
}
