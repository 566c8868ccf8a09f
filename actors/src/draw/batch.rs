//! Commands that waited together: decided one after the other, each as if those before it were written, and then written in
//! one transaction. Until that is committed nobody is told anything that rests on it.

use std::collections::BTreeSet;

use domain::{Authority, Command, Draw, Event, OrderId, Timestamp};
use persistence::failpoint::{self, Side, Step};
use persistence::ledger::{Append, Rider};

use super::Reply;
use crate::{Committed, Denied, Errand};

/// A command that waits, and who waits for its answer: nobody for the timer's.
pub(super) struct Asker {
    errand: Errand,
    reply: Option<Reply<Result<Committed, Denied>>>,
}

impl Asker {
    pub(super) fn new(errand: Errand, reply: Reply<Result<Committed, Denied>>) -> Asker {
        Asker {
            errand,
            reply: Some(reply),
        }
    }

    pub(super) fn timer() -> Asker {
        Asker {
            errand: Errand {
                command: Command::Tick,
                rider: None,
                act: None,
            },
            reply: None,
        }
    }

    pub(super) fn is_timer(&self) -> bool {
        self.reply.is_none()
    }

    pub(super) fn answer(self, answer: Result<Committed, Denied>) {
        if let Some(reply) = self.reply {
            // An asker that has gone away gets the same answer when it asks again.
            let _ = reply.send(answer);
        }
    }

    fn order(&self) -> Option<OrderId> {
        match &self.errand.command {
            Command::Reserve { order, .. }
            | Command::Extend { order, .. }
            | Command::Release { order }
            | Command::Allocate { order, .. }
            | Command::Void { order, .. } => Some(*order),
            Command::Tick
            | Command::Complete { .. }
            | Command::Undo
            | Command::Amend { .. }
            | Command::Archive { .. }
            | Command::Cancel => None,
        }
    }

    /// Only what buyers and the timer do all day is written together. What a person decides has a transaction to itself.
    fn shares(&self) -> bool {
        let ordinary = match &self.errand.command {
            Command::Reserve { .. }
            | Command::Extend { .. }
            | Command::Release { .. }
            | Command::Tick => true,
            Command::Allocate { authority, .. } => matches!(authority, Authority::Sale),
            Command::Void { .. }
            | Command::Complete { .. }
            | Command::Undo
            | Command::Amend { .. }
            | Command::Archive { .. }
            | Command::Cancel => false,
        };
        ordinary
            && self.errand.act.is_none()
            && !matches!(self.errand.rider, Some(Rider::Describe(_)))
    }
}

/// What is decided and not yet written.
#[derive(Default)]
pub(super) struct Batch {
    /// The draw after the last of the appends; `None` while there is nothing to write.
    next: Option<Draw>,
    appends: Vec<Append>,
    /// Whose commands are among them.
    orders: BTreeSet<OrderId>,
    /// They may have more beside them.
    shares: bool,
    allocates: bool,
    ticked: bool,
    /// Who hears what once it is written, in the order they asked: from the first that something is written for.
    held: Vec<(Asker, Result<Committed, Denied>)>,
}

impl Batch {
    /// Whether this command may be decided on top of the others, `most` commits being the limit. What follows the first that
    /// is written must not need a transaction of its own, and an order is decided on again only when its commit is known.
    pub(super) fn admits(&self, asker: &Asker, most: usize) -> bool {
        let again = || {
            asker
                .order()
                .is_some_and(|order| self.orders.contains(&order))
        };
        self.appends.is_empty()
            || (self.shares && self.appends.len() < most && asker.shares() && !again())
    }

    /// Beats 1 and 3 for one command: decides on the draw as it will be, and goes on from there. `draw` is what is written.
    /// Whoever is answered from what is written is answered at once.
    pub(super) fn take(&mut self, asker: Asker, draw: &Draw, epoch: i64, now: Timestamp) {
        let command = &asker.errand.command;
        let (order, reserves) = (asker.order(), matches!(command, Command::Reserve { .. }));
        self.ticked |= asker.is_timer();
        if reserves {
            failpoint::reach(Step::Hold, Side::Before);
        }
        let before = self.next.as_ref().unwrap_or(draw);
        let answer = match before.decide(now, command) {
            Err(refusal) => Err(Denied::Refused(refusal)),
            Ok(events) if events.is_empty() => Ok(committed(before, order, false)),
            Ok(events) => {
                if reserves {
                    failpoint::reach(Step::Hold, Side::After);
                }
                self.shares = asker.shares();
                self.allocates |= matches!(command, Command::Allocate { .. });
                self.orders.extend(order);
                Ok(self.write(&asker, draw, epoch, now, events))
            }
        };
        if self.appends.is_empty() {
            asker.answer(answer);
        } else {
            self.held.push((asker, answer));
        }
    }

    fn write(
        &mut self,
        asker: &Asker,
        draw: &Draw,
        epoch: i64,
        now: Timestamp,
        events: Vec<Event>,
    ) -> Committed {
        let next = self.next.get_or_insert_with(|| draw.clone());
        let Errand {
            command,
            rider,
            act,
        } = &asker.errand;
        let (id, after, sells) = (next.id(), next.revision(), sells(command, &events));
        next.apply(&events);
        let (rider, act) = (rider.clone(), act.clone());
        self.appends.push(Append {
            draw: id,
            epoch,
            after,
            events,
            at: now,
            sells,
            rider,
            act,
        });
        committed(next, asker.order(), true)
    }

    /// The timer's command is among those that were taken.
    pub(super) fn ticked(&self) -> bool {
        self.ticked
    }

    /// What is to be written, and what is said once it is; `None`: nothing.
    pub(super) fn close(self) -> Option<(Vec<Append>, Unsaid)> {
        let next = self.next?;
        let unsaid = Unsaid {
            next,
            commits: self.appends.len(),
            allocates: self.allocates,
            answers: self.held,
        };
        Some((self.appends, unsaid))
    }
}

/// What nobody may hear before it is written.
pub(super) struct Unsaid {
    /// The draw as it will be.
    pub(super) next: Draw,
    pub(super) commits: usize,
    pub(super) allocates: bool,
    pub(super) answers: Vec<(Asker, Result<Committed, Denied>)>,
}

/// What a command came to, on the draw after it.
fn committed(draw: &Draw, order: Option<OrderId>, written: bool) -> Committed {
    Committed {
        view: draw.view(),
        reservation: order.and_then(|order| draw.reservation(order)),
        allocation: order.and_then(|order| draw.allocation(order)).cloned(),
        written,
    }
}

/// An ordinary sale must be written before kick-off by the database's clock; an operator's repair need not (rule 5).
fn sells(command: &Command, events: &[Event]) -> bool {
    matches!(
        command,
        Command::Allocate {
            authority: Authority::Sale,
            ..
        }
    ) && events
        .iter()
        .any(|event| matches!(event, Event::Allocated { .. }))
}
