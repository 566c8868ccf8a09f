//! The trait `Ledger` in memory.

use std::borrow::Cow;

use async_trait::async_trait;
use domain::{Deal, Draw, DrawId, Timestamp};

use super::draws::Row;
use super::{Call, Memory, State};
use crate::change::Change;
use crate::error::Failure;
use crate::ledger::{Append, Claims, Elsewhere, Known, Ledger, Moved, Rider, check_together};
use crate::nodes::Boot;

#[async_trait]
impl Ledger for Memory {
    async fn claim(&self, me: Boot, draws: &[DrawId]) -> Result<Claims, Failure> {
        let now = self.now();
        self.writing(Call::Claim(draws), |state| {
            Ok(state.claim(me, draws, None, now))
        })
    }

    async fn take_over(&self, me: Boot, draw: DrawId, from: Boot) -> Result<Claims, Failure> {
        let now = self.now();
        self.writing(Call::Claim(&[draw]), |state| {
            Ok(state.claim(me, &[draw], Some(from), now))
        })
    }

    async fn append(&self, appends: Vec<Append>) -> Result<(), Failure> {
        check_together(&appends)?;
        let now = self.now();
        self.writing(Call::Append(&appends), |state| state.append(&appends, now))
    }

    async fn live(&self) -> Result<Vec<DrawId>, Failure> {
        self.reading("live", |state| state.draws.live())
    }

    async fn moved(&self, me: Boot, known: &[Known]) -> Result<Vec<Moved>, Failure> {
        self.reading("moved", |state| {
            let stands = |known: &Known| {
                let row = state.draws.get(known.draw)?;
                let ours = row.owner == Some(me);
                let moved = if known.ours {
                    !ours
                } else {
                    row.base.revision > known.revision
                };
                moved.then(|| Moved {
                    view: Draw::restore(row.snapshot()).view(),
                    ours,
                })
            };
            known.iter().filter_map(stands).collect()
        })
    }

    async fn deal(&self, draw: DrawId) -> Result<Deal, Failure> {
        let deal = self.reading("deal", |state| {
            state.draws.get(draw).map(|row| row.base.deal.clone())
        })?;
        deal.ok_or(Failure::NotFound)
    }
}

impl State {
    /// `from` is an owner whose lease does not count.
    fn claim(
        &mut self,
        me: Boot,
        draws: &[DrawId],
        from: Option<Boot>,
        now: Option<Timestamp>,
    ) -> Claims {
        let mut claims = Claims::default();
        for draw in draws {
            let Some(row) = self.draws.get_mut(*draw) else {
                continue;
            };
            let owner = row
                .owner
                .filter(|owner| *owner != me && Some(*owner) != from);
            match owner.and_then(|owner| self.nodes.living(owner, now)) {
                Some(owner) => {
                    let view = Draw::restore(row.snapshot()).view();
                    claims.elsewhere.push(Elsewhere {
                        view,
                        owner: owner.clone(),
                    });
                }
                None => claims.taken.push(row.taken_by(Some(me))),
            }
        }
        claims
    }

    /// Everything is checked before anything is touched: that is this ledger's transaction.
    fn append(&mut self, appends: &[Append], now: Option<Timestamp>) -> Result<(), Failure> {
        let (first, last) = (&appends[0], appends.len() - 1);
        let row = self.draws.get(first.draw).ok_or(Failure::NotFound)?;
        if row.epoch != first.epoch || row.base.revision != first.after {
            return Err(Failure::Fenced);
        }
        // Each is checked as if those before it were written.
        let mut trial = Cow::Borrowed(row);
        for (place, append) in appends.iter().enumerate() {
            let now = now.unwrap_or(append.at);
            let change = Change::of(&append.events);
            self.check(append, &change, &trial, now)?;
            self.check_opens(append, &appends[..place])?;
            if place < last {
                trial.to_mut().apply(&append.events, &change, now);
            }
        }
        appends
            .iter()
            .for_each(|append| self.write(append, now.unwrap_or(append.at)));
        Ok(())
    }

    fn check(
        &self,
        append: &Append,
        change: &Change,
        row: &Row,
        now: Timestamp,
    ) -> Result<(), Failure> {
        if append.sells && now >= row.base.terms.closes_at {
            return Err(Failure::ClosedByClock);
        }
        row.check(change)?;
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
        Ok(())
    }

    /// No two that are written together open the same.
    fn check_opens(&self, append: &Append, earlier: &[Append]) -> Result<(), Failure> {
        let Some(Rider::Open(new)) = &append.rider else {
            return Ok(());
        };
        let same = |other: &Append| match &other.rider {
            Some(Rider::Open(other)) => {
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

    /// One checked commit.
    fn write(&mut self, append: &Append, now: Timestamp) {
        let change = Change::of(&append.events);
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
        let row = self.draws.get_mut(append.draw).expect("checked before");
        row.apply(&append.events, &change, now);
    }

    fn ride(&mut self, append: &Append) {
        match &append.rider {
            None => {}
            Some(Rider::Open(order)) => {
                self.orders.open(order);
                if order.payment_intent.is_none() {
                    self.operations.create(order.id, order.at);
                }
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
