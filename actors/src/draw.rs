//! The actor of one draw in memory. It repeats four actions: decide commands, write events, apply
//! them, publish the view. A repetition never overlaps the next.

use std::sync::Arc;

use actix::fut::wrap_future;
use actix::{Actor, ActorContext, ActorFutureExt, AsyncContext, Context, Handler, Message, fut};
use domain::{Cell, Command, Deal, Draw, DrawId, OrderId, Refusal, Serial, Timestamp, View};
use persistence::failpoint::{self, FailpointSide, PurchaseStep};
use persistence::{Failure, Ledger};
use tokio::sync::{mpsc, oneshot, watch};

use crate::{Clock, CommandOutcome, Denied, DrawRequest};
use queue::{CommandQueue, PendingCommand, UncommittedBatch};
use timer::Timer;

mod queue;
mod timer;

/// Number of commands that may wait for a draw. Further commands are answered with 503.
///
/// Sized for the busiest minute: two thousand browsers with one request each. Most commands are
/// answered from memory in microseconds. Only the few hundred commits of a draw wait for the disk,
/// some milliseconds each. So the last command of a full mailbox is answered within seconds. The
/// payment queue (4096 jobs) usually limits the load first.
pub(crate) const DRAW_MAILBOX_COMMANDS_MAX: usize = 2048;
/// Milliseconds before the timer fires again after its tick could not be written.
const TICK_RETRY_DELAY_MS: i64 = 1000;

type ReplySender<T> = oneshot::Sender<T>;

pub(crate) struct DrawActor {
    /// The draw as of the last commit.
    draw: Draw,
    /// Commands that wait to be decided.
    queue: CommandQueue,
    /// Whether the next call of `decide_and_write_batch` is scheduled.
    is_scheduled: bool,
    /// Whether the actor stops as soon as its queue is empty.
    is_finishing: bool,
    epoch: i64,
    ledger: Arc<dyn Ledger>,
    clock: Arc<dyn Clock>,
    publisher: ViewPublisher,
    timer: Timer,
    stop_notifier: StopNotifier,
}

/// A request to a draw's actor.
pub(crate) enum DrawAction {
    Execute(Box<DrawRequest>),
    /// Reads the active reservation of an order, without changing the draw.
    CurrentReservation(OrderId),
}

impl DrawAction {
    /// Converts the action into a request to another node. Nodes send each other only commands. So
    /// a read becomes a command to extend the reservation until a time in the past. That command
    /// changes nothing, and its answer contains the reservation.
    pub(crate) fn to_request(&self) -> DrawRequest {
        match self {
            DrawAction::Execute(request) => (**request).clone(),
            DrawAction::CurrentReservation(order) => DrawRequest {
                command: Command::Extend {
                    order: *order,
                    until: Timestamp(0),
                },
                attached_write: None,
                audit_entry: None,
                source: None,
            },
        }
    }
}

/// Message that queues an action on a draw. The reply is sent once every write that the reply
/// depends on is committed.
#[derive(Message)]
#[rtype(result = "()")]
pub(crate) struct PerformAction {
    pub(crate) action: DrawAction,
    pub(crate) reply: ReplySender<Result<CommandOutcome, Denied>>,
}

/// Message that reads the number pairs of some tickets.
#[derive(Message)]
#[rtype(result = "()")]
pub(crate) struct ReadCells {
    pub(crate) serials: Vec<Serial>,
    pub(crate) reply: ReplySender<Vec<(Serial, Cell)>>,
}

/// Message that reads the whole deal.
#[derive(Message)]
#[rtype(result = "()")]
pub(crate) struct ReadDeal {
    pub(crate) reply: ReplySender<Deal>,
}

/// Message that stops the actor after it has executed everything that was queued before.
#[derive(Message)]
#[rtype(result = "()")]
pub(crate) struct FinishAndStop;

/// Publishes the views of one draw. Its channel continues to exist when the draw's actor stops.
#[derive(Clone)]
pub(crate) struct ViewPublisher {
    view: watch::Sender<View>,
    /// Counts the changes of all views of this node.
    changes: watch::Sender<u64>,
    killed: watch::Receiver<bool>,
}

impl ViewPublisher {
    pub(crate) fn new(
        view: watch::Sender<View>,
        changes: watch::Sender<u64>,
        killed: watch::Receiver<bool>,
    ) -> ViewPublisher {
        ViewPublisher {
            view,
            changes,
            killed,
        }
    }

    /// Whether the engine was killed. The actors of a killed engine must have no further effect.
    pub(crate) fn is_killed(&self) -> bool {
        *self.killed.borrow()
    }

    /// Publishes a view unless a newer one is published already. So an actor that stops late cannot
    /// replace a newer view by an older one.
    pub(crate) fn publish(&self, view: View) {
        if self.is_killed() {
            return;
        }
        let is_newer = self.view.send_if_modified(|published| {
            let is_newer = view.revision >= published.revision && view != *published;
            if is_newer {
                *published = view;
            }
            is_newer
        });
        if is_newer {
            self.changes.send_modify(|count| *count += 1);
        }
    }
}

/// Why an actor stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StopCause {
    /// The actor's address was dropped, because the draw was removed from memory.
    Retired,
    /// Another node has claimed the draw.
    Fenced,
    /// The database rejected a write that contradicts stored data. Not counted as a failure, so
    /// that a client that repeats an impossible request cannot pause the draw.
    Contradicted,
    /// It is unknown whether the last commit was written. Not counted as a failure: the database
    /// connection is the cause, and a paused draw would stay paused after the outage.
    UnknownCommit,
    /// A stored value could not be parsed, or the actor panicked.
    Failed,
}

/// Message that tells the supervisor that an actor stopped.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ActorStopped {
    pub(crate) draw: DrawId,
    pub(crate) generation: u64,
    pub(crate) cause: StopCause,
}

/// Sends [`ActorStopped`] when it is dropped together with its actor. This also works after a
/// panic, when actix calls no hook but drops the actor's fields.
pub(crate) struct StopNotifier {
    pub(crate) stopped: ActorStopped,
    pub(crate) to: mpsc::UnboundedSender<ActorStopped>,
}

impl Drop for StopNotifier {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.stopped.cause = StopCause::Failed;
        }
        // Sending fails if the supervisor has already ended, for example when the process ends.
        let _ = self.to.send(self.stopped);
    }
}

impl DrawActor {
    pub(crate) fn new(
        epoch: i64,
        draw: Draw,
        ledger: Arc<dyn Ledger>,
        clock: Arc<dyn Clock>,
        publisher: ViewPublisher,
        stop_notifier: StopNotifier,
    ) -> DrawActor {
        let (queue, timer) = (CommandQueue::default(), Timer::default());
        DrawActor {
            draw,
            queue,
            is_scheduled: false,
            is_finishing: false,
            epoch,
            ledger,
            clock,
            publisher,
            timer,
            stop_notifier,
        }
    }

    /// Schedules a call of `decide_and_write_batch`. Before actix polls spawned futures, it
    /// delivers all messages in the mailbox. So commands that arrived during a commit are decided
    /// together.
    fn schedule_batch_write(&mut self, ctx: &mut Context<DrawActor>) {
        if !std::mem::replace(&mut self.is_scheduled, true) {
            ctx.spawn(fut::ready(()).map(
                |(), actor: &mut DrawActor, ctx: &mut Context<DrawActor>| {
                    actor.decide_and_write_batch(ctx);
                },
            ));
        }
    }

    /// Decides and writes as many commands as may share a transaction.
    ///
    /// The write future must own its data, because an actor cannot be borrowed across an await. So
    /// the events are applied to a copy of the draw beforehand, and each command is decided as if
    /// the earlier ones were written. The copy replaces the draw when the transaction commits.
    fn decide_and_write_batch(&mut self, ctx: &mut Context<DrawActor>) {
        self.is_scheduled = false;
        if self.publisher.is_killed() {
            return ctx.terminate();
        }
        // Step 1 of 4: decide the queued commands.
        let batch = self.queue.next_batch(&self.draw, self.epoch, &*self.clock);
        if batch.has_timer_tick() {
            self.timer.mark_fired();
        }
        if batch.has_tick_from_caller() {
            self.timer.disarm(ctx);
        }
        // Step 2 of 4: write the events.
        if let Some((appends, uncommitted)) = batch.into_uncommitted() {
            self.update_mailbox_capacity(uncommitted.answers.len(), ctx);
            let ledger = self.ledger.clone();
            let write = wrap_future::<_, DrawActor>(async move { ledger.append(appends).await });
            return ctx.wait(write.map(|written, actor: &mut DrawActor, ctx| {
                actor.handle_write_result(written, uncommitted, ctx);
            }));
        }
        // A timer that fired before its deadline wrote nothing, so it must be armed again.
        if self.timer.is_idle() {
            self.arm_timer(true, ctx);
        }
        self.continue_or_stop(ctx);
    }

    fn handle_write_result(
        &mut self,
        written: Result<(), Failure>,
        uncommitted: UncommittedBatch,
        ctx: &mut Context<DrawActor>,
    ) {
        if self.publisher.is_killed() {
            return ctx.terminate();
        }
        // One command of the batch may have caused the failure, so each command is now written
        // alone.
        let retry_individually =
            uncommitted.commits > 1 && written.as_ref().is_err_and(is_certainly_not_written);
        let arm_now = written.is_ok() || retry_individually;
        match written {
            Ok(()) => self.apply_and_publish(uncommitted),
            Err(failure) if retry_individually => {
                let (draw, commits) = (self.draw.id(), uncommitted.commits);
                tracing::warn!(draw.id = %draw, commits, %failure, "batch not written: retrying its commands one by one");
                self.queue.retry_individually(uncommitted);
            }
            Err(failure) => {
                let denied = self.handle_write_failure(&failure, ctx);
                self.queue.reject_first_command(uncommitted, denied);
            }
        }
        self.arm_timer(arm_now, ctx);
        self.continue_or_stop(ctx);
    }

    fn apply_and_publish(&mut self, uncommitted: UncommittedBatch) {
        // Step 3 of 4: adopt the draw with the events applied.
        self.draw = uncommitted.next;
        if uncommitted.allocates {
            failpoint::reach_failpoint(PurchaseStep::Show, FailpointSide::Before);
        }
        // Step 4 of 4: publish the new view.
        self.publisher.publish(self.draw.view());
        if uncommitted.allocates {
            failpoint::reach_failpoint(PurchaseStep::Show, FailpointSide::After);
        }
        self.queue.reset_failures();
        uncommitted
            .answers
            .into_iter()
            .for_each(|(pending, answer)| pending.send_answer(answer));
    }

    /// After `decide_and_write_batch`: schedules the next call, or stops the actor if it is
    /// finishing.
    fn continue_or_stop(&mut self, ctx: &mut Context<DrawActor>) {
        self.update_mailbox_capacity(0, ctx);
        if !self.queue.is_empty() {
            self.schedule_batch_write(ctx);
        } else if self.is_finishing {
            ctx.stop();
        }
    }

    /// Reduces the mailbox capacity by the commands that are queued or being written. At least one
    /// slot remains, because actix takes a capacity of zero as unlimited.
    fn update_mailbox_capacity(&mut self, in_flight: usize, ctx: &mut Context<DrawActor>) {
        ctx.set_mailbox_capacity(
            DRAW_MAILBOX_COMMANDS_MAX
                .saturating_sub(self.queue.len() + in_flight)
                .max(1),
        );
    }

    /// Handles a failed write. If it is unknown whether the write happened, the draw in memory may
    /// be wrong, so the actor stops and is rebuilt from the database.
    fn handle_write_failure(&mut self, failure: &Failure, ctx: &mut Context<DrawActor>) -> Denied {
        let draw = self.draw.id();
        match failure {
            Failure::NotWritten(why) | Failure::Collided(why) => {
                tracing::warn!(draw.id = %draw, why, "commit not written: database error");
                return Denied::Unavailable;
            }
            Failure::ClosedByClock => return Denied::Refused(Refusal::DrawClosed),
            Failure::PaidOut => return Denied::Refused(Refusal::PaidOut),
            Failure::Fenced => self.stop_notifier.stopped.cause = StopCause::Fenced,
            Failure::NotFound => self.stop_notifier.stopped.cause = StopCause::Contradicted,
            Failure::Unknown(_) => self.stop_notifier.stopped.cause = StopCause::UnknownCommit,
            Failure::Corrupt(_) => self.stop_notifier.stopped.cause = StopCause::Failed,
        }
        tracing::warn!(draw.id = %draw, %failure, "draw actor stops and is rebuilt: write failed");
        ctx.stop();
        Denied::Unavailable
    }

    /// Runs when the timer fires. Expires overdue reservations and closes the draw at kick-off.
    fn queue_timer_tick(&mut self, ctx: &mut Context<Self>) {
        self.queue.push(PendingCommand::timer_tick());
        self.schedule_batch_write(ctx);
    }

    /// Arms the timer for the draw's next deadline. After a failed write, it does not fire before
    /// [`TICK_RETRY_DELAY_MS`] have passed.
    fn arm_timer(&mut self, may_fire_now: bool, ctx: &mut Context<DrawActor>) {
        let now = self.clock.now();
        let earliest = if may_fire_now {
            now
        } else {
            now.plus_ms(TICK_RETRY_DELAY_MS)
        };
        self.timer
            .arm(now, self.draw.next_deadline(), earliest, ctx);
    }
}

/// Whether the failed write certainly changed nothing and this node still owns the draw. Then the
/// draw in memory is correct.
fn is_certainly_not_written(failure: &Failure) -> bool {
    match failure {
        Failure::NotWritten(_)
        | Failure::Collided(_)
        | Failure::ClosedByClock
        | Failure::PaidOut
        | Failure::NotFound => true,
        Failure::Fenced | Failure::Unknown(_) | Failure::Corrupt(_) => false,
    }
}

impl Actor for DrawActor {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Context<Self>) {
        ctx.set_mailbox_capacity(DRAW_MAILBOX_COMMANDS_MAX);
        self.publisher.publish(self.draw.view());
        self.arm_timer(true, ctx);
    }
}

impl Handler<PerformAction> for DrawActor {
    type Result = ();

    fn handle(&mut self, message: PerformAction, ctx: &mut Context<Self>) {
        if self.publisher.is_killed() {
            return ctx.terminate();
        }
        // A finishing actor drops the reply channel, so that the caller asks the draw's next owner.
        if !self.is_finishing {
            self.queue
                .push(PendingCommand::new(message.action, message.reply));
            self.schedule_batch_write(ctx);
        }
    }
}

impl Handler<ReadCells> for DrawActor {
    type Result = ();

    fn handle(&mut self, message: ReadCells, _: &mut Context<Self>) {
        let cells = message
            .serials
            .iter()
            .map(|serial| (*serial, self.draw.deal().cell(*serial)))
            .collect();
        let _ = message.reply.send(cells);
    }
}

impl Handler<ReadDeal> for DrawActor {
    type Result = ();

    fn handle(&mut self, message: ReadDeal, _: &mut Context<Self>) {
        let _ = message.reply.send(self.draw.deal().clone());
    }
}

impl Handler<FinishAndStop> for DrawActor {
    type Result = ();

    fn handle(&mut self, _: FinishAndStop, ctx: &mut Context<Self>) {
        self.is_finishing = true;
        if self.queue.is_empty() {
            ctx.stop();
        }
    }
}
