//! The queue of commands for a draw, in order of arrival, and the batch of commands that one
//! transaction writes. Each command is decided as if the earlier ones were written. No answer that
//! depends on an uncommitted write is sent before the commit.

use std::collections::{BTreeSet, VecDeque};

use domain::{AllocationAuthority, Command, Draw, Event, HoldLimiter, OrderId, Timestamp};
use persistence::failpoint::{self, FailpointSide, PurchaseStep};
use persistence::ledger::{AttachedWrite, DrawCommit};

use super::{DrawAction, ReplySender};
use crate::{Clock, CommandOutcome, Denied, DrawRequest};

/// Largest number of commits in one transaction. With more, the added latency would outweigh the
/// saved transactions.
const BATCH_COMMITS_MAX: usize = 64;
/// If this many single commands in a row cannot be written, the database is considered the cause.
/// Then all commands that wait to be written alone are rejected.
const CONSECUTIVE_FAILURES_MAX: usize = 2;

#[derive(Default)]
pub(super) struct CommandQueue {
    waiting: VecDeque<PendingCommand>,
    /// Number of commands at the head of the queue that belonged to a failed batch. Each is written
    /// alone, so that only the faulty command fails.
    individual: usize,
    /// Number of consecutive failed writes of a single command.
    consecutive_failures: usize,
    /// Counts unpaid tickets by source. Updated from the committed draw only, so a decision that
    /// was not written does not count.
    limiter: HoldLimiter,
}

impl CommandQueue {
    pub(super) fn push(&mut self, pending: PendingCommand) {
        self.waiting.push_back(pending);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Decides as many queued commands as one transaction may write. `draw` is the committed state.
    pub(super) fn next_batch(
        &mut self,
        draw: &Draw,
        epoch: i64,
        clock: &dyn Clock,
    ) -> CommandBatch {
        let commits_max = if self.individual > 0 {
            1
        } else {
            BATCH_COMMITS_MAX
        };
        let mut batch = CommandBatch::default();
        while self
            .waiting
            .front()
            .is_some_and(|pending| batch.can_accept_command(pending, commits_max))
            && let Some(pending) = self.waiting.pop_front()
        {
            self.individual = self.individual.saturating_sub(1);
            batch.decide_and_add_command(pending, draw, &mut self.limiter, epoch, clock.now());
        }
        batch
    }

    /// Resets the failure count after a batch was written.
    pub(super) fn reset_failures(&mut self) {
        self.consecutive_failures = 0;
    }

    /// Puts a batch of several commands back into the queue, after a failure that certainly wrote
    /// nothing. One command may be the cause, so each is decided again and written alone.
    pub(super) fn retry_individually(&mut self, uncommitted: UncommittedBatch) {
        self.consecutive_failures = 0;
        self.individual += self.requeue_batch(uncommitted);
    }

    /// Answers the first command of a failed batch with `denied` and requeues the others, because
    /// they were decided as if the first were written. After several failures in a row, all
    /// commands that wait to be written alone are answered with `denied`.
    pub(super) fn reject_first_command(
        &mut self,
        mut uncommitted: UncommittedBatch,
        denied: Denied,
    ) {
        let (pending, _) = uncommitted.answers.remove(0);
        pending.send_answer(Err(denied));
        self.requeue_batch(uncommitted);
        // Only `Unavailable` may mean that the database does not work. Other denials concern this
        // command alone.
        self.consecutive_failures = if denied == Denied::Unavailable {
            self.consecutive_failures + 1
        } else {
            0
        };
        if self.consecutive_failures >= CONSECUTIVE_FAILURES_MAX {
            self.waiting
                .drain(..self.individual)
                .for_each(|pending| pending.send_answer(Err(Denied::Unavailable)));
            self.individual = 0;
        }
    }

    /// Puts the commands of a batch back at the head of the queue and returns their number. The
    /// timer's tick is dropped, because the timer is armed again.
    fn requeue_batch(&mut self, uncommitted: UncommittedBatch) -> usize {
        let before = self.waiting.len();
        let pending = uncommitted.answers.into_iter().map(|(pending, _)| pending);
        pending
            .filter(|pending| !pending.is_timer_tick())
            .rev()
            .for_each(|pending| self.waiting.push_front(pending));
        self.waiting.len() - before
    }
}

/// A queued action and the channel for its answer. The timer's tick has no channel.
pub(super) struct PendingCommand {
    action: DrawAction,
    reply: Option<ReplySender<Result<CommandOutcome, Denied>>>,
}

impl PendingCommand {
    pub(super) fn new(
        action: DrawAction,
        reply: ReplySender<Result<CommandOutcome, Denied>>,
    ) -> PendingCommand {
        PendingCommand {
            action,
            reply: Some(reply),
        }
    }

    /// Returns the command that the timer queues.
    pub(super) fn timer_tick() -> PendingCommand {
        let tick = DrawRequest {
            command: Command::Tick,
            attached_write: None,
            audit_entry: None,
            source: None,
        };
        PendingCommand {
            action: DrawAction::Execute(Box::new(tick)),
            reply: None,
        }
    }

    pub(super) fn is_timer_tick(&self) -> bool {
        self.reply.is_none()
    }

    pub(super) fn send_answer(self, answer: Result<CommandOutcome, Denied>) {
        if let Some(reply) = self.reply {
            // Sending fails when the caller has stopped waiting. If the caller repeats the command,
            // it gets the same answer.
            let _ = reply.send(answer);
        }
    }

    fn order(&self) -> Option<OrderId> {
        match &self.action {
            DrawAction::CurrentReservation(order) => Some(*order),
            DrawAction::Execute(request) => order_of_command(&request.command),
        }
    }

    /// Whether the command may share a transaction with others. True for reads, reservations,
    /// ordinary sales and ticks, unless an audit entry or a draw's description is written with
    /// them. Every other command has a transaction of its own.
    fn may_share_transaction(&self) -> bool {
        let DrawAction::Execute(request) = &self.action else {
            return true;
        };
        let is_ordinary = match &request.command {
            Command::Reserve { .. }
            | Command::Extend { .. }
            | Command::Release { .. }
            | Command::Tick => true,
            Command::Allocate { authority, .. } => matches!(authority, AllocationAuthority::Sale),
            Command::Void { .. }
            | Command::Complete { .. }
            | Command::Undo
            | Command::Amend { .. }
            | Command::Archive { .. }
            | Command::Cancel => false,
        };
        is_ordinary
            && request.audit_entry.is_none()
            && !matches!(request.attached_write, Some(AttachedWrite::Describe(_)))
    }
}

fn order_of_command(command: &Command) -> Option<OrderId> {
    match command {
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

/// Commands that are decided but not yet written.
#[derive(Default)]
pub(super) struct CommandBatch {
    /// The draw after the last commit of the batch. `None`: there is nothing to write.
    next: Option<Draw>,
    appends: Vec<DrawCommit>,
    /// The orders that have a command in `appends`.
    orders: BTreeSet<OrderId>,
    /// Whether further commands may be added to the transaction.
    may_share_transaction: bool,
    allocates: bool,
    has_timer_tick: bool,
    has_tick_from_caller: bool,
    /// Answers to send after the commit, in the order of the requests. The first one belongs to the
    /// first command that writes.
    answers: Vec<(PendingCommand, Result<CommandOutcome, Denied>)>,
}

impl CommandBatch {
    /// Whether a command may be added to a batch of at most `commits_max` commits. Once the batch
    /// contains a write, only commands that may share its transaction are added. A second command
    /// of the same order waits until the outcome of the first is known.
    pub(super) fn can_accept_command(&self, pending: &PendingCommand, commits_max: usize) -> bool {
        let is_order_in_batch = || {
            pending
                .order()
                .is_some_and(|order| self.orders.contains(&order))
        };
        self.appends.is_empty()
            || (self.may_share_transaction
                && self.appends.len() < commits_max
                && pending.may_share_transaction()
                && !is_order_in_batch())
    }

    /// Decides one command on the draw after the earlier commands of the batch. `draw` is the
    /// committed state. The answer is sent at once if neither the earlier commands nor this one
    /// write anything.
    pub(super) fn decide_and_add_command(
        &mut self,
        pending: PendingCommand,
        draw: &Draw,
        limiter: &mut HoldLimiter,
        epoch: i64,
        now: Timestamp,
    ) {
        let answer = match &pending.action {
            DrawAction::CurrentReservation(order) => {
                let before = self.next.as_ref().unwrap_or(draw);
                Ok(CommandOutcome {
                    reservation: before.current_reservation(now, *order),
                    ..outcome_for_order(before, Some(*order), false)
                })
            }
            DrawAction::Execute(request) => {
                let is_tick = matches!(request.command, Command::Tick);
                self.has_timer_tick |= pending.is_timer_tick();
                self.has_tick_from_caller |= is_tick && !pending.is_timer_tick();
                let may_share_transaction = pending.may_share_transaction();
                let answer = self.decide_command(request, draw, limiter, epoch, now);
                if answer.as_ref().is_ok_and(|outcome| outcome.written) {
                    self.may_share_transaction = may_share_transaction;
                }
                answer
            }
        };
        if self.appends.is_empty() {
            pending.send_answer(answer);
        } else {
            self.answers.push((pending, answer));
        }
    }

    fn decide_command(
        &mut self,
        request: &DrawRequest,
        draw: &Draw,
        limiter: &mut HoldLimiter,
        epoch: i64,
        now: Timestamp,
    ) -> Result<CommandOutcome, Denied> {
        let command = &request.command;
        let order = order_of_command(command);
        let reserves = matches!(command, Command::Reserve { .. });
        if reserves {
            failpoint::reach_failpoint(PurchaseStep::Hold, FailpointSide::Before);
        }
        let before = self.next.as_ref().unwrap_or(draw);
        let events = limiter.decide(before, now, command, request.source)?;
        if events.is_empty() {
            return Ok(outcome_for_order(before, order, false));
        }
        if reserves {
            failpoint::reach_failpoint(PurchaseStep::Hold, FailpointSide::After);
        }
        self.allocates |= matches!(command, Command::Allocate { .. });
        self.orders.extend(order);
        let committed = self.append_commit(request, draw, epoch, now, events);
        if let Some(next) = &self.next {
            limiter.sync_with_draw(next, now);
        }
        Ok(committed)
    }

    /// Adds a commit for a command to the transaction, and applies its events to the batch's copy
    /// of the draw.
    fn append_commit(
        &mut self,
        request: &DrawRequest,
        draw: &Draw,
        epoch: i64,
        now: Timestamp,
        events: Vec<Event>,
    ) -> CommandOutcome {
        let next = self.next.get_or_insert_with(|| draw.clone());
        let DrawRequest {
            command,
            attached_write,
            audit_entry: act,
            ..
        } = request;
        let (id, after, sells) = (next.id(), next.revision(), is_sale(command, &events));
        next.apply(&events);
        let (attached_write, act) = (attached_write.clone(), act.clone());
        self.appends.push(DrawCommit {
            draw: id,
            epoch,
            after,
            events,
            at: now,
            sells,
            attached_write,
            act,
        });
        outcome_for_order(next, order_of_command(command), true)
    }

    /// Whether the timer's tick is in the batch.
    pub(super) fn has_timer_tick(&self) -> bool {
        self.has_timer_tick
    }

    /// Whether the batch contains a `Tick` that a caller sent. It means that the clock may have
    /// been changed.
    pub(super) fn has_tick_from_caller(&self) -> bool {
        self.has_tick_from_caller
    }

    /// Returns the commits to write, and the state of the draw after them. `None`: there is nothing
    /// to write.
    pub(super) fn into_uncommitted(self) -> Option<(Vec<DrawCommit>, UncommittedBatch)> {
        let next = self.next?;
        let uncommitted = UncommittedBatch {
            next,
            commits: self.appends.len(),
            allocates: self.allocates,
            answers: self.answers,
        };
        Some((self.appends, uncommitted))
    }
}

/// A batch that is being written. Its answers are sent after the commit.
pub(super) struct UncommittedBatch {
    /// The draw after the commit.
    pub(super) next: Draw,
    pub(super) commits: usize,
    pub(super) allocates: bool,
    pub(super) answers: Vec<(PendingCommand, Result<CommandOutcome, Denied>)>,
}

fn outcome_for_order(draw: &Draw, order: Option<OrderId>, written: bool) -> CommandOutcome {
    CommandOutcome {
        view: draw.view(),
        reservation: order.and_then(|order| draw.reservation(order)),
        allocation: order.and_then(|order| draw.allocation(order)).cloned(),
        written,
    }
}

/// Whether a commit is an ordinary sale. The database accepts a sale only before kick-off by its
/// own clock. An operator's repair is allowed later (rule 5 of the decisions).
fn is_sale(command: &Command, events: &[Event]) -> bool {
    matches!(
        command,
        Command::Allocate {
            authority: AllocationAuthority::Sale,
            ..
        }
    ) && events
        .iter()
        .any(|event| matches!(event, Event::Allocated { .. }))
}
