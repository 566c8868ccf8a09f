//! Implements [`Ledger`] in memory.

use std::borrow::Cow;

use async_trait::async_trait;
use domain::{Deal, Draw, DrawId, Timestamp};

use super::draws::MemoryDraw;
use super::{MemoryCall, MemoryState, MemoryStores};
use crate::change::DrawChange;
use crate::error::Failure;
use crate::ledger::{
    AttachedWrite, ChangedDraw, DrawClaims, DrawCommit, DrawOfAnotherNode, KnownDraw, Ledger,
    check_shared_transaction,
};
use crate::nodes::InstanceId;

#[async_trait]
impl Ledger for MemoryStores {
    async fn claim(&self, me: InstanceId, draws: &[DrawId]) -> Result<DrawClaims, Failure> {
        let now = self.now();
        self.write_state(MemoryCall::Claim(draws), |state| {
            Ok(state.claim(me, draws, None, now))
        })
    }

    async fn take_over(
        &self,
        me: InstanceId,
        draw: DrawId,
        from: InstanceId,
    ) -> Result<DrawClaims, Failure> {
        let now = self.now();
        self.write_state(MemoryCall::Claim(&[draw]), |state| {
            Ok(state.claim(me, &[draw], Some(from), now))
        })
    }

    async fn append(&self, appends: Vec<DrawCommit>) -> Result<(), Failure> {
        check_shared_transaction(&appends)?;
        let now = self.now();
        self.write_state(MemoryCall::Append(&appends), |state| {
            state.append(&appends, now)
        })
    }

    async fn live_draws(&self) -> Result<Vec<DrawId>, Failure> {
        self.read_state("live", |state| state.draws.live_draw_ids())
    }

    async fn changed_draws(
        &self,
        me: InstanceId,
        known: &[KnownDraw],
    ) -> Result<Vec<ChangedDraw>, Failure> {
        self.read_state("moved", |state| {
            let stands = |known: &KnownDraw| {
                let row = state.draws.get(known.draw)?;
                let ours = row.owner == Some(me);
                let moved = if known.ours {
                    !ours
                } else {
                    row.base.revision > known.revision
                };
                moved.then(|| ChangedDraw {
                    view: Draw::restore(row.snapshot()).view(),
                    ours,
                })
            };
            known.iter().filter_map(stands).collect()
        })
    }

    async fn deal(&self, draw: DrawId) -> Result<Deal, Failure> {
        let deal = self.read_state("deal", |state| {
            state.draws.get(draw).map(|row| row.base.deal.clone())
        })?;
        deal.ok_or(Failure::NotFound)
    }
}

impl MemoryState {
    /// Claims draws. Draws of the node `from` are claimed even if its lease has not ended.
    fn claim(
        &mut self,
        me: InstanceId,
        draws: &[DrawId],
        from: Option<InstanceId>,
        now: Option<Timestamp>,
    ) -> DrawClaims {
        let mut claims = DrawClaims::default();
        for draw in draws {
            let Some(row) = self.draws.get_mut(*draw) else {
                continue;
            };
            let owner = row
                .owner
                .filter(|owner| *owner != me && Some(*owner) != from);
            match owner.and_then(|owner| self.nodes.find_living_node(owner, now)) {
                Some(owner) => {
                    let view = Draw::restore(row.snapshot()).view();
                    claims.elsewhere.push(DrawOfAnotherNode {
                        view,
                        owner: owner.clone(),
                    });
                }
                None => claims.taken.push(row.change_owner(Some(me))),
            }
        }
        claims
    }

    /// Writes consecutive commits of one draw. Checks all of them before it changes anything, so
    /// that either all are written or none.
    fn append(&mut self, appends: &[DrawCommit], now: Option<Timestamp>) -> Result<(), Failure> {
        let (first, last) = (&appends[0], appends.len() - 1);
        let row = self.draws.get(first.draw).ok_or(Failure::NotFound)?;
        if row.epoch != first.epoch || row.base.revision != first.after {
            return Err(Failure::Fenced);
        }
        // A copy of the draw takes each checked commit, so that the next commit is checked as if
        // the earlier ones were written.
        let mut trial = Cow::Borrowed(row);
        for (place, append) in appends.iter().enumerate() {
            let now = now.unwrap_or(append.at);
            let change = DrawChange::from_events(&append.events);
            self.check_commit(append, &change, &trial, now)?;
            self.refuse_order_opened_twice(append, &appends[..place])?;
            if place < last {
                trial.to_mut().apply(&append.events, &change, now);
            }
        }
        for append in appends {
            self.write_commit(append, now.unwrap_or(append.at));
        }
        Ok(())
    }

    fn check_commit(
        &self,
        append: &DrawCommit,
        change: &DrawChange,
        row: &MemoryDraw,
        now: Timestamp,
    ) -> Result<(), Failure> {
        if append.sells && now >= row.base.terms.closes_at {
            return Err(Failure::ClosedByClock);
        }
        row.check_change(change)?;
        if let Some(attached_write) = &append.attached_write {
            self.orders.check_attached_write(attached_write)?;
        }
        let opened_order = match &append.attached_write {
            Some(AttachedWrite::Open(order)) => Some(order),
            _ => None,
        };
        for ticket_change in &change.allocated {
            self.orders
                .check_allocation(append, ticket_change, opened_order)?;
        }
        for ticket_change in &change.voided {
            self.orders.check_void(append.draw, ticket_change)?;
        }
        Ok(())
    }

    /// Refuses two commits of the same call that open the same order.
    fn refuse_order_opened_twice(
        &self,
        append: &DrawCommit,
        earlier: &[DrawCommit],
    ) -> Result<(), Failure> {
        let Some(AttachedWrite::Open(new)) = &append.attached_write else {
            return Ok(());
        };
        let same = |other: &DrawCommit| match &other.attached_write {
            Some(AttachedWrite::Open(other)) => {
                other.client_key == new.client_key || other.token == new.token
            }
            _ => false,
        };
        if earlier.iter().any(same) {
            Err(Failure::NotWritten("the order exists".into()))
        } else {
            Ok(())
        }
    }

    /// Writes one commit that [`MemoryState::check_commit`] has accepted.
    fn write_commit(&mut self, append: &DrawCommit, now: Timestamp) {
        let change = DrawChange::from_events(&append.events);
        self.write_attached(append);
        for ticket_change in &change.allocated {
            let complete = self.orders.add_line_tickets(append.draw, ticket_change);
            if !append.sells {
                self.operations
                    .drop_pending_cancel_operation(ticket_change.order);
            }
            if complete {
                self.operations
                    .add_capture_operation(ticket_change.order, append.at);
            }
        }
        for ticket_change in &change.voided {
            let rejected = self.orders.remove_line_tickets(append.draw, ticket_change);
            self.operations
                .drop_capture_operation(ticket_change.order, rejected, append.at);
            self.orders
                .mark_unfinished_if_tickets_missing(ticket_change.order);
        }
        let row = self.draws.get_mut(append.draw).expect("checked before");
        row.apply(&append.events, &change, now);
    }

    fn write_attached(&mut self, append: &DrawCommit) {
        match &append.attached_write {
            None => {}
            Some(AttachedWrite::Open(order)) => {
                self.orders.insert_order(order);
                if order.payment_intent.is_none() {
                    self.operations.add_create_operation(order.id, order.at);
                }
            }
            Some(AttachedWrite::Reprice { order, lines }) => {
                let has_intent = self.orders.replace_order_lines(*order, lines);
                self.operations
                    .replace_update_operation(*order, has_intent, append);
            }
            Some(AttachedWrite::Authorised { order, at }) => {
                self.orders.record_authorisation(*order, *at);
            }
            // The memory store does not hold names of draws.
            Some(AttachedWrite::Describe(_)) => {}
        }
    }
}
