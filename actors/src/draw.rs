//! The actor of one live draw. Every step is decide → write → apply → publish, and steps never
//! overlap.

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

/// Commands that may wait for a draw. Further ones are answered 503.
///
/// Sized for the worst minute: two thousand browsers, each with one request in flight. Most
/// commands are answered from memory in microseconds. Only the few hundred commits of a draw's life
/// wait for the disk, some milliseconds each, so the last command of a full mailbox is answered
/// within seconds. The payment queue (4096 jobs) limits buyers before this does.
pub(crate) const MAILBOX_MAX: usize = 2048;
/// Delay of the timer after a tick that could not be written.
const TICK_RETRY_MS: i64 = 1000;

type Reply<T> = oneshot::Sender<T>;

pub(crate) struct DrawActor {
    /// The draw as of the last commit.
    draw: Draw,
    /// Commands that are not decided yet.
    queue: CommandQueue,
    /// A step is scheduled.
    is_scheduled: bool,
    /// The actor stops as soon as the queue is empty.
    is_finishing: bool,
    epoch: i64,
    ledger: Arc<dyn Ledger>,
    clock: Arc<dyn Clock>,
    publisher: ViewPublisher,
    timer: Timer,
    stop_notifier: StopNotifier,
}

/// What a draw's actor is asked to do.
pub(crate) enum DrawAction {
    Execute(Box<DrawRequest>),
    /// Read the active reservation of an order. Changes nothing.
    CurrentReservation(OrderId),
}

impl DrawAction {
    /// Converts the action for another node. Nodes exchange commands only, so a query is sent as an
    /// extension into the past: it changes nothing and is answered with the reservation.
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

/// Queues an action. The reply is sent once everything it depends on is committed.
#[derive(Message)]
#[rtype(result = "()")]
pub(crate) struct Perform {
    pub(crate) action: DrawAction,
    pub(crate) reply: Reply<Result<CommandOutcome, Denied>>,
}

/// Reads the number pairs of some tickets.
#[derive(Message)]
#[rtype(result = "()")]
pub(crate) struct ReadCells {
    pub(crate) serials: Vec<Serial>,
    pub(crate) reply: Reply<Vec<(Serial, Cell)>>,
}

/// Reads the whole deal.
#[derive(Message)]
#[rtype(result = "()")]
pub(crate) struct ReadDeal {
    pub(crate) reply: Reply<Deal>,
}

/// Lets the actor stop after everything that was queued before.
#[derive(Message)]
#[rtype(result = "()")]
pub(crate) struct FinishAndStop;

/// Publishes the views of one draw. The channel outlives the draw's actor.
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

    /// Whether this engine was killed. An actor of a killed engine must not have any effect.
    pub(crate) fn is_killed(&self) -> bool {
        *self.killed.borrow()
    }

    /// Publishes a view unless the published one is newer. An actor that stops late can therefore
    /// not replace a newer view by an older one.
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
    /// Its address was dropped: the draw was retired.
    Retired,
    /// Another node has claimed the draw.
    Fenced,
    /// The database contradicted a command. Not counted as a failure: a client that repeats an
    /// impossible request must not pause the draw.
    Contradicted,
    /// The outcome of its last commit is unknown. Not counted as a failure: the connection to the
    /// database is at fault, and a paused draw would outlast the outage.
    UnknownCommit,
    /// A stored value is unreadable, or the actor panicked.
    Failed,
}

/// Tells the supervisor that an actor stopped.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ActorStopped {
    pub(crate) draw: DrawId,
    pub(crate) generation: u64,
    pub(crate) cause: StopCause,
}

/// Sends [`ActorStopped`] when the actor is dropped, for whatever reason. actix calls no hook for
/// an actor whose task panicked, but it drops the actor's fields.
pub(crate) struct StopNotifier {
    pub(crate) stopped: ActorStopped,
    pub(crate) to: mpsc::UnboundedSender<ActorStopped>,
}

impl Drop for StopNotifier {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.stopped.cause = StopCause::Failed;
        }
        // The supervisor may be gone already when the process ends.
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

    /// Schedules a step after everything that is in the mailbox. actix empties the mailbox before
    /// it polls spawned futures, so commands that arrived during a commit are decided together.
    fn schedule(&mut self, ctx: &mut Context<DrawActor>) {
        if !std::mem::replace(&mut self.is_scheduled, true) {
            ctx.spawn(
                fut::ready(())
                    .map(|(), actor: &mut DrawActor, ctx: &mut Context<DrawActor>| actor.step(ctx)),
            );
        }
    }

    /// Decides and writes as many commands as may share a transaction.
    ///
    /// The write future must own its data, because an actor cannot be borrowed across an await. So
    /// the events are applied to a copy beforehand, and each command is decided as if the earlier
    /// ones were written. The copy replaces the draw when the transaction commits.
    fn step(&mut self, ctx: &mut Context<DrawActor>) {
        self.is_scheduled = false;
        if self.publisher.is_killed() {
            return ctx.terminate();
        }
        // 1. Decide.
        let batch = self.queue.next_batch(&self.draw, self.epoch, &*self.clock);
        if batch.has_timer_tick() {
            self.timer.mark_fired();
        }
        if batch.has_external_tick() {
            self.timer.disarm(ctx);
        }
        // 2. Write.
        if let Some((appends, uncommitted)) = batch.finish() {
            self.update_mailbox_capacity(uncommitted.answers.len(), ctx);
            let ledger = self.ledger.clone();
            let write = wrap_future::<_, DrawActor>(async move { ledger.append(appends).await });
            return ctx.wait(write.map(|written, actor: &mut DrawActor, ctx| {
                actor.handle_written(written, uncommitted, ctx);
            }));
        }
        // A timer that fired too early wrote nothing and must be armed again.
        if self.timer.is_idle() {
            self.arm(true, ctx);
        }
        self.continue_or_stop(ctx);
    }

    fn handle_written(
        &mut self,
        written: Result<(), Failure>,
        uncommitted: UncommittedBatch,
        ctx: &mut Context<DrawActor>,
    ) {
        if self.publisher.is_killed() {
            return ctx.terminate();
        }
        // One of several commands may be the cause: each is tried alone, at once.
        let retry_individually =
            uncommitted.commits > 1 && written.as_ref().is_err_and(is_not_written);
        let arm_now = written.is_ok() || retry_individually;
        match written {
            Ok(()) => self.apply_and_publish(uncommitted),
            Err(failure) if retry_individually => {
                let (draw, commits) = (self.draw.id(), uncommitted.commits);
                tracing::warn!(draw.id = %draw, commits, %failure, "batch not written: retrying its commands one by one");
                self.queue.retry_individually(uncommitted);
            }
            Err(failure) => {
                let denied = self.handle_failure(&failure, ctx);
                self.queue.fail_first(uncommitted, denied);
            }
        }
        self.arm(arm_now, ctx);
        self.continue_or_stop(ctx);
    }

    fn apply_and_publish(&mut self, uncommitted: UncommittedBatch) {
        // 3. Apply.
        self.draw = uncommitted.next;
        if uncommitted.allocates {
            failpoint::reach(PurchaseStep::Show, FailpointSide::Before);
        }
        // 4. Publish.
        self.publisher.publish(self.draw.view());
        if uncommitted.allocates {
            failpoint::reach(PurchaseStep::Show, FailpointSide::After);
        }
        self.queue.reset_failures();
        uncommitted
            .answers
            .into_iter()
            .for_each(|(pending, answer)| pending.answer(answer));
    }

    /// After a step: schedules the next one, or stops if the actor is finishing.
    fn continue_or_stop(&mut self, ctx: &mut Context<DrawActor>) {
        self.update_mailbox_capacity(0, ctx);
        if !self.queue.is_empty() {
            self.schedule(ctx);
        } else if self.is_finishing {
            ctx.stop();
        }
    }

    /// Commands in the queue or in the running commit count against the mailbox capacity. At least
    /// one slot remains, because actix takes zero as "no limit".
    fn update_mailbox_capacity(&mut self, in_flight: usize, ctx: &mut Context<DrawActor>) {
        ctx.set_mailbox_capacity(
            MAILBOX_MAX
                .saturating_sub(self.queue.len() + in_flight)
                .max(1),
        );
    }

    /// Handles a failed write. If its outcome is unknown, the draw in memory may be wrong: the
    /// actor stops and is rebuilt from the database.
    fn handle_failure(&mut self, failure: &Failure, ctx: &mut Context<DrawActor>) -> Denied {
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

    /// Called by the timer: expires overdue reservations and closes the draw at kick-off.
    fn tick(&mut self, ctx: &mut Context<Self>) {
        self.queue.push(PendingCommand::timer());
        self.schedule(ctx);
    }

    /// Arms the timer for the draw's next deadline; after a failed write not before
    /// [`TICK_RETRY_MS`].
    fn arm(&mut self, may_fire_now: bool, ctx: &mut Context<DrawActor>) {
        let now = self.clock.now();
        let earliest = if may_fire_now {
            now
        } else {
            now.plus_ms(TICK_RETRY_MS)
        };
        self.timer
            .arm(now, self.draw.next_deadline(), earliest, ctx);
    }
}

/// Whether nothing was written and this node still owns the draw, so that the draw in memory is
/// right.
fn is_not_written(failure: &Failure) -> bool {
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
        ctx.set_mailbox_capacity(MAILBOX_MAX);
        self.publisher.publish(self.draw.view());
        self.arm(true, ctx);
    }
}

impl Handler<Perform> for DrawActor {
    type Result = ();

    fn handle(&mut self, message: Perform, ctx: &mut Context<Self>) {
        if self.publisher.is_killed() {
            return ctx.terminate();
        }
        // A finishing actor drops the reply. The caller then asks the next owner.
        if !self.is_finishing {
            self.queue
                .push(PendingCommand::new(message.action, message.reply));
            self.schedule(ctx);
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
