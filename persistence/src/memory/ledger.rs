//! The trait `Ledger` in memory.

use async_trait::async_trait;
use domain::{Deal, Draw, DrawId, Timestamp};

use super::{Call, Memory, State};
use crate::change::Change;
use crate::error::Failure;
use crate::ledger::{Append, Claims, Elsewhere, Known, Ledger, Moved, Rider};
use crate::nodes::Boot;

#[async_trait]
impl Ledger for Memory {
    async fn claim(&self, me: Boot, draws: &[DrawId]) -> Result<Claims, Failure> {
        let now = self.now();
        self.writing(Call::Claim(draws), |state| {
            let mut claims = Claims::default();
            for draw in draws {
                let Some(row) = state.draws.get_mut(*draw) else { continue };
                let owner = row.owner.filter(|owner| *owner != me).and_then(|owner| state.nodes.living(owner, now));
                match owner {
                    Some(owner) => {
                        let view = Draw::restore(row.snapshot()).view();
                        claims.elsewhere.push(Elsewhere { view, owner: owner.clone() });
                    }
                    None => claims.taken.push(row.taken_by(Some(me))),
                }
            }
            Ok(claims)
        })
    }

    async fn append(&self, append: Append) -> Result<(), Failure> {
        let now = self.now().unwrap_or(append.at);
        self.writing(Call::Append(&append), |state| state.append(&append, now))
    }

    async fn live(&self) -> Result<Vec<DrawId>, Failure> {
        self.reading("live", |state| state.draws.live())
    }

    async fn moved(&self, me: Boot, known: &[Known]) -> Result<Vec<Moved>, Failure> {
        self.reading("moved", |state| {
            let stands = |known: &Known| {
                let row = state.draws.get(known.draw)?;
                let ours = row.owner == Some(me);
                let moved = if known.ours { !ours } else { row.base.revision > known.revision };
                moved.then(|| Moved { view: Draw::restore(row.snapshot()).view(), ours })
            };
            known.iter().filter_map(stands).collect()
        })
    }

    async fn deal(&self, draw: DrawId) -> Result<Deal, Failure> {
        let deal = self.reading("deal", |state| state.draws.get(draw).map(|row| row.base.deal.clone()))?;
        deal.ok_or(Failure::NotFound)
    }
}

impl State {
    /// Everything is checked before anything is touched: that is this ledger's transaction.
    fn append(&mut self, append: &Append, now: Timestamp) -> Result<(), Failure> {
        let row = self.draws.get(append.draw).ok_or(Failure::NotFound)?;
        if row.epoch != append.epoch || row.base.revision != append.after {
            return Err(Failure::Fenced);
        }
        if append.sells && now >= row.base.terms.closes_at {
            return Err(Failure::ClosedByClock);
        }
        if append.events.is_empty() {
            return Err(Failure::NotWritten("a commit has events".into()));
        }
        let change = Change::of(&append.events);
        row.check(&change)?;
        if let Some(rider) = &append.rider {
            self.orders.check_rider(rider)?;
        }
        let opens = match &append.rider {
            Some(Rider::Open(order)) => Some(order),
            _ => None,
        };
        for handover in &change.allocated {
            self.orders.check_allocated(append, handover, opens)?;
        }
        for handover in &change.voided {
            self.orders.check_voided(append.draw, handover)?;
        }
        self.ride(append);
        for handover in &change.allocated {
            let complete = self.orders.allocated(append.draw, handover);
            if !append.sells {
                self.operations.keep(handover.order);
            }
            if complete {
                self.operations.capture(handover.order, append.at);
            }
        }
        for handover in &change.voided {
            let rejected = self.orders.voided_line(append.draw, handover);
            self.operations.void(handover.order, rejected, append.at);
            self.orders.wait_for_refund(handover.order);
        }
        let row = self.draws.get_mut(append.draw).expect("found above");
        row.apply(&append.events, &change, now);
        Ok(())
    }

    fn ride(&mut self, append: &Append) {
        match &append.rider {
            None => {}
            Some(Rider::Open(order)) => {
                self.orders.open(order);
                self.operations.create(order.id, order.at);
            }
            Some(Rider::Reprice { order, lines }) => {
                let has_intent = self.orders.reprice(*order, lines);
                self.operations.reprice(*order, has_intent, append);
            }
            Some(Rider::Authorised { order, at }) => self.orders.authorised(*order, *at),
            // Names are nobody's business here.
            Some(Rider::Describe(_)) => {}
        }
    }
}
