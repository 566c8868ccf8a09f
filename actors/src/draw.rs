//! The actor of one live draw: decide → write → apply → show, one command at a time.

use std::sync::Arc;

use actix::fut::wrap_future;
use actix::{Actor, ActorContext, ActorFutureExt, AtomicResponse, Context, Handler, Message, fut};
use domain::{Authority, Cell, Command, Deal, Draw, DrawId, Event, OrderId, Refusal, Serial};
use persistence::failpoint::{self, Side, Step};
use persistence::ledger::Append;
use persistence::{Failure, Ledger};
use tokio::sync::{mpsc, oneshot};

use crate::supervisor::roster::Window;
use crate::{Clock, Committed, Denied, Errand};
use timer::Timer;

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
/// The rest of a motion, polled while the mailbox waits.
type Motion = fut::LocalBoxActorFuture<DrawActor, ()>;

pub(crate) struct DrawActor {
    draw: Draw,
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
        DrawActor { draw, epoch, ledger, clock, window, timer: Timer::default(), obituary }
    }

    /// The four beats. What follows the write owns everything it needs: an actor cannot be borrowed across an await, and so
    /// must decide before and apply after, which is just what it should do.
    fn motion(&mut self, errand: Errand, reply: Option<Reply<Result<Committed, Denied>>>) -> Motion {
        let Errand { command, rider, act } = errand;
        let now = self.clock.now();
        let order = order_of(&command);
        let reserves = matches!(command, Command::Reserve { .. });
        if reserves {
            failpoint::reach(Step::Hold, Side::Before);
        }
        // 1 decide
        let events = match self.draw.decide(now, &command) {
            Err(refusal) => return self.done(reply, Err(Denied::Refused(refusal))),
            Ok(events) if events.is_empty() => return self.done(reply, Ok(self.committed(order, false))),
            Ok(events) => events,
        };
        if reserves {
            failpoint::reach(Step::Hold, Side::After);
        }
        let allocates = matches!(command, Command::Allocate { .. });
        // 2 write
        let append = Append {
            draw: self.draw.id(),
            epoch: self.epoch,
            after: self.draw.revision(),
            events: events.clone(),
            at: now,
            sells: sells(&command, &events),
            rider,
            act,
        };
        let ledger = self.ledger.clone();
        let write = wrap_future::<_, DrawActor>(async move { ledger.append(append).await });
        Box::pin(write.map(move |written, actor: &mut DrawActor, ctx| {
            if actor.window.is_killed() {
                return ctx.terminate();
            }
            let answer = match written {
                Ok(()) => {
                    actor.draw.apply(&events); // 3 apply
                    if allocates {
                        failpoint::reach(Step::Show, Side::Before);
                    }
                    actor.window.show(actor.draw.view()); // 4 show
                    if allocates {
                        failpoint::reach(Step::Show, Side::After);
                    }
                    Ok(actor.committed(order, true))
                }
                Err(failure) => Err(actor.failed(&failure, ctx)),
            };
            actor.arm(answer.is_ok(), ctx);
            if let Some(reply) = reply {
                // An asker that has gone away gets the same answer when it asks again.
                let _ = reply.send(answer);
            }
        }))
    }

    /// A command that wrote nothing.
    fn done(&self, reply: Option<Reply<Result<Committed, Denied>>>, answer: Result<Committed, Denied>) -> Motion {
        if let Some(reply) = reply {
            let _ = reply.send(answer);
        }
        Box::pin(fut::ready(()))
    }

    /// What a failed write means. When nobody knows, memory may be wrong: stop, and be rebuilt from the books.
    fn failed(&mut self, failure: &Failure, ctx: &mut Context<DrawActor>) -> Denied {
        let draw = self.draw.id();
        match failure {
            Failure::NotWritten(why) => {
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
    fn tick(&mut self, ctx: &mut Context<Self>) -> Motion {
        if self.window.is_killed() {
            ctx.terminate();
            return Box::pin(fut::ready(()));
        }
        let motion = self.motion(Errand { command: Command::Tick, rider: None, act: None }, None);
        // A timer that came too early wrote nothing, and must be armed again.
        Box::pin(motion.map(|(), actor: &mut DrawActor, ctx| {
            if actor.timer.is_idle() {
                actor.arm(true, ctx);
            }
        }))
    }

    fn arm(&mut self, written: bool, ctx: &mut Context<DrawActor>) {
        let now = self.clock.now();
        let earliest = if written { now } else { now.plus_ms(TICK_AGAIN_MS) };
        self.timer.arm(now, self.draw.next_deadline(), earliest, ctx);
    }

    fn committed(&self, order: Option<OrderId>, written: bool) -> Committed {
        Committed {
            view: self.draw.view(),
            reservation: order.and_then(|order| self.draw.reservation(order)),
            allocation: order.and_then(|order| self.draw.allocation(order)).cloned(),
            written,
        }
    }
}

fn order_of(command: &Command) -> Option<OrderId> {
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

/// An ordinary sale must be written before kick-off by the database's clock; an operator's repair need not (rule 5).
fn sells(command: &Command, events: &[Event]) -> bool {
    matches!(command, Command::Allocate { authority: Authority::Sale, .. })
        && events.iter().any(|event| matches!(event, Event::Allocated { .. }))
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
    type Result = AtomicResponse<Self, ()>;

    fn handle(&mut self, asked: Execute, ctx: &mut Context<Self>) -> Self::Result {
        if self.window.is_killed() {
            ctx.terminate();
            return AtomicResponse::new(Box::pin(fut::ready(())));
        }
        AtomicResponse::new(self.motion(asked.errand, Some(asked.reply)))
    }
}

impl Handler<AskCells> for DrawActor {
    type Result = ();

    fn handle(&mut self, asked: AskCells, _: &mut Context<Self>) {
        let cells = asked.serials.iter().map(|serial| (*serial, self.draw.deal().cell(*serial))).collect();
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
        ctx.stop();
    }
}
