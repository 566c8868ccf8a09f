//! The actor of one live draw: decide → write → apply → show, one motion at a time.

use std::sync::Arc;

use actix::fut::wrap_future;
use actix::{Actor, ActorContext, ActorFutureExt, AsyncContext, Context, Handler, Message, fut};
use domain::{Cell, Deal, Draw, DrawId, Refusal, Serial};
use persistence::failpoint::{self, Side, Step};
use persistence::{Failure, Ledger};
use tokio::sync::{mpsc, oneshot};

use crate::supervisor::roster::Window;
use crate::{Clock, Committed, Denied, Errand};
use batch::{Asker, Unsaid};
use queue::Queue;
use timer::Timer;

mod batch;
mod queue;
mod timer;

/// Commands that may wait for a draw; the next one is told to try again (503). As many as come at once in the worst minute: a
/// rush of two thousand on one game, each asking once, because a browser waits for its answer before it asks again. Most are
/// answered from memory in microseconds; only the few hundred commits of a draw's whole life wait for the disk, some
/// milliseconds each, so that even the last in a full mailbox is answered within seconds, before its connection gives up.
/// With the payment desk's limit of work (4096) before it, more than this cannot come from buyers; it is the last fence.
pub(crate) const MAILBOX_MAX: usize = 2048;
/// After a tick that could not be written, the timer tries again.
const TICK_AGAIN_MS: i64 = 1000;

type Reply<T> = oneshot::Sender<T>;

pub(crate) struct DrawActor {
    /// As it is written.
    draw: Draw,
    /// What was asked and is not decided.
    queue: Queue,
    /// The next motion will begin by itself.
    scheduled: bool,
    /// It goes when everything that was asked is answered.
    leaving: bool,
    epoch: i64,
    ledger: Arc<dyn Ledger>,
    clock: Arc<dyn Clock>,
    window: Window,
    timer: Timer,
    obituary: Obituary,
}

/// Do this.
#[derive(Message)]
#[rtype(result = "()")]
pub(crate) struct Execute {
    pub(crate) errand: Errand,
    pub(crate) reply: Reply<Result<Committed, Denied>>,
}

/// The pairs on some tickets.
#[derive(Message)]
#[rtype(result = "()")]
pub(crate) struct AskCells {
    pub(crate) serials: Vec<Serial>,
    pub(crate) reply: Reply<Vec<(Serial, Cell)>>,
}

/// The whole deal.
#[derive(Message)]
#[rtype(result = "()")]
pub(crate) struct AskDeal {
    pub(crate) reply: Reply<Deal>,
}

/// Go, after everything that was asked before.
#[derive(Message)]
#[rtype(result = "()")]
pub(crate) struct Leave;

/// Why an actor is no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    /// Nobody knows its address any more: it was retired.
    Retired,
    /// Another owner has claimed the draw.
    Fenced,
    /// The books did not have what a command took for granted. Not counted as a failure: asking for something impossible again
    /// and again must not pause a draw for everybody.
    Contradicted,
    /// Nobody knows whether its last commit was written. Not counted as a failure either: it is the line to the database that is
    /// bad, and a draw that was paused for it would keep everybody waiting who has paid, long after the line is mended.
    Unsure,
    /// A stored value is unreadable, or it panicked.
    Failed,
}

/// "I stopped": all that ever travels upward from a draw.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stopped {
    pub(crate) draw: DrawId,
    pub(crate) generation: u64,
    pub(crate) cause: Cause,
}

/// Tells the supervisor when the actor is dropped, however it came to that: actix runs no hook for an actor whose task
/// panicked, but its fields are dropped all the same.
pub(crate) struct Obituary {
    pub(crate) stopped: Stopped,
    pub(crate) to: mpsc::UnboundedSender<Stopped>,
}

impl Drop for Obituary {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.stopped.cause = Cause::Failed;
        }
        // Nobody is listening any more when the whole process goes down.
        let _ = self.to.send(self.stopped);
    }
}

impl DrawActor {
    pub(crate) fn new(
        epoch: i64,
        draw: Draw,
        ledger: Arc<dyn Ledger>,
        clock: Arc<dyn Clock>,
        window: Window,
        obituary: Obituary,
    ) -> DrawActor {
        let (queue, timer) = (Queue::default(), Timer::default());
        DrawActor {
            draw,
            queue,
            scheduled: false,
            leaving: false,
            epoch,
            ledger,
            clock,
            window,
            timer,
            obituary,
        }
    }

    /// A motion follows, after everything that is in the mailbox: actix empties that before it looks at what was spawned, so
    /// that whatever was asked while a commit was being written is decided together.
    fn schedule(&mut self, ctx: &mut Context<DrawActor>) {
        if !std::mem::replace(&mut self.scheduled, true) {
            ctx.spawn(
                fut::ready(()).map(|(), actor: &mut DrawActor, ctx: &mut Context<DrawActor>| {
                    actor.motion(ctx)
                }),
            );
        }
    }

    /// The four beats, for as many commands as may share a transaction. What follows the write owns everything it needs: an
    /// actor cannot be borrowed across an await. So beat 3 is made beforehand, on a copy, because each command is decided as
    /// if those before it were written; the copy takes the draw's place when they are.
    fn motion(&mut self, ctx: &mut Context<DrawActor>) {
        self.scheduled = false;
        if self.window.is_killed() {
            return ctx.terminate();
        }
        // 1 decide
        let batch = self.queue.next_batch(&self.draw, self.epoch, &*self.clock);
        if batch.ticked() {
            self.timer.went_off();
        }
        // 2 write
        if let Some((appends, unsaid)) = batch.close() {
            self.make_room(unsaid.answers.len(), ctx);
            let ledger = self.ledger.clone();
            let write = wrap_future::<_, DrawActor>(async move { ledger.append(appends).await });
            return ctx
                .wait(write.map(|written, actor: &mut DrawActor, ctx| {
                    actor.written(written, unsaid, ctx)
                }));
        }
        // A timer that came too early wrote nothing, and must be armed again.
        if self.timer.is_idle() {
            self.arm(true, ctx);
        }
        self.go_on(ctx);
    }

    fn written(
        &mut self,
        written: Result<(), Failure>,
        unsaid: Unsaid,
        ctx: &mut Context<DrawActor>,
    ) {
        if self.window.is_killed() {
            return ctx.terminate();
        }
        // Whoever could be guilty of it is found by trying them one by one, at once.
        let parts = unsaid.commits > 1 && written.as_ref().is_err_and(is_certain);
        let again_at_once = written.is_ok() || parts;
        match written {
            Ok(()) => self.apply_and_show(unsaid),
            Err(failure) if parts => {
                let (draw, commits) = (self.draw.id(), unsaid.commits);
                tracing::warn!(draw.id = %draw, commits, %failure, "not written together, so one by one");
                self.queue.part(unsaid);
            }
            Err(failure) => {
                let denied = self.failed(&failure, ctx);
                self.queue.miss(unsaid, denied);
            }
        }
        self.arm(again_at_once, ctx);
        self.go_on(ctx);
    }

    fn apply_and_show(&mut self, unsaid: Unsaid) {
        self.draw = unsaid.next; // 3 apply
        if unsaid.allocates {
            failpoint::reach(Step::Show, Side::Before);
        }
        self.window.show(self.draw.view()); // 4 show
        if unsaid.allocates {
            failpoint::reach(Step::Show, Side::After);
        }
        self.queue.went_well();
        unsaid
            .answers
            .into_iter()
            .for_each(|(asker, answer)| asker.answer(answer));
    }

    /// After a motion: the next one, or none.
    fn go_on(&mut self, ctx: &mut Context<DrawActor>) {
        self.make_room(0, ctx);
        if !self.queue.is_empty() {
            self.schedule(ctx);
        } else if self.leaving {
            ctx.stop();
        }
    }

    /// Whoever waits here, or for the commit under way, takes a place in the mailbox. Nought would mean no limit.
    fn make_room(&self, under_way: usize, ctx: &mut Context<DrawActor>) {
        ctx.set_mailbox_capacity(
            MAILBOX_MAX
                .saturating_sub(self.queue.len() + under_way)
                .max(1),
        );
    }

    /// What a failed write means. When nobody knows, memory may be wrong: stop, and be rebuilt from the books.
    fn failed(&mut self, failure: &Failure, ctx: &mut Context<DrawActor>) -> Denied {
        let draw = self.draw.id();
        match failure {
            Failure::NotWritten(why) | Failure::Collided(why) => {
                tracing::warn!(draw.id = %draw, why, "a commit was not written");
                return Denied::Unavailable;
            }
            Failure::ClosedByClock => return Denied::Refused(Refusal::DrawClosed),
            Failure::PaidOut => return Denied::Refused(Refusal::PaidOut),
            Failure::Fenced => self.obituary.stopped.cause = Cause::Fenced,
            Failure::NotFound => self.obituary.stopped.cause = Cause::Contradicted,
            Failure::Unknown(_) => self.obituary.stopped.cause = Cause::Unsure,
            Failure::Corrupt(_) => self.obituary.stopped.cause = Cause::Failed,
        }
        tracing::warn!(draw.id = %draw, %failure, "the draw's actor stops and is rebuilt from the books");
        ctx.stop();
        Denied::Unavailable
    }

    /// The timer went off: forget overdue reservations, close at kick-off.
    fn tick(&mut self, ctx: &mut Context<Self>) {
        self.queue.push(Asker::timer());
        self.schedule(ctx);
    }

    fn arm(&mut self, written: bool, ctx: &mut Context<DrawActor>) {
        let now = self.clock.now();
        let earliest = if written {
            now
        } else {
            now.plus_ms(TICK_AGAIN_MS)
        };
        self.timer
            .arm(now, self.draw.next_deadline(), earliest, ctx);
    }
}

/// Nothing was written, and the writer is the draw's owner still: memory is right.
fn is_certain(failure: &Failure) -> bool {
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
        self.window.show(self.draw.view());
        self.arm(true, ctx);
    }
}

impl Handler<Execute> for DrawActor {
    type Result = ();

    fn handle(&mut self, asked: Execute, ctx: &mut Context<Self>) {
        if self.window.is_killed() {
            return ctx.terminate();
        }
        // Who comes after the farewell gets no answer, and asks the next owner.
        if !self.leaving {
            self.queue.push(Asker::new(asked.errand, asked.reply));
            self.schedule(ctx);
        }
    }
}

impl Handler<AskCells> for DrawActor {
    type Result = ();

    fn handle(&mut self, asked: AskCells, _: &mut Context<Self>) {
        let cells = asked
            .serials
            .iter()
            .map(|serial| (*serial, self.draw.deal().cell(*serial)))
            .collect();
        let _ = asked.reply.send(cells);
    }
}

impl Handler<AskDeal> for DrawActor {
    type Result = ();

    fn handle(&mut self, asked: AskDeal, _: &mut Context<Self>) {
        let _ = asked.reply.send(self.draw.deal().clone());
    }
}

impl Handler<Leave> for DrawActor {
    type Result = ();

    fn handle(&mut self, _: Leave, ctx: &mut Context<Self>) {
        self.leaving = true;
        if self.queue.is_empty() {
            ctx.stop();
        }
    }
}
