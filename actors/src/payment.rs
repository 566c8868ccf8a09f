//! The payment actor: money work of one order never overlaps, and nobody who stops listening stops it.

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::panic::AssertUnwindSafe;
use std::rc::Rc;
use std::sync::Arc;

use actix::{Actor, Addr, Context, Handler, Message, ResponseFuture};
use domain::OrderId;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tokio::sync::{oneshot, watch};
use tracing::Instrument;

mod adopting;
pub mod connect;
pub(crate) mod effects;
pub mod gateway;
pub(crate) mod index;
mod leaving;
mod opening;
pub(crate) mod operations;
pub(crate) mod pause;
pub(crate) mod room;
mod settling;
pub mod signature;
pub mod strangers;
pub mod stripe;
mod tickets;

/// Work that is running or waiting for its order; more is told to try again (503).
const WORK_MAX: usize = 4096;
/// Work that waits for one order.
const LANE_MAX: usize = 64;

/// Work of one lane runs one after the other. Work in a client's lane may wait for an order's lane, never the reverse.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Lane {
    Client(String),
    Order(OrderId),
}

type Job = BoxFuture<'static, ()>;

/// A piece of work, complete in itself.
#[derive(Message)]
#[rtype(result = "()")]
struct Work {
    lane: Lane,
    job: Job,
}

/// Answered when no work is left.
#[derive(Message)]
#[rtype(result = "()")]
struct Drain;

pub(crate) struct PaymentActor {
    lanes: Rc<RefCell<BTreeMap<Lane, VecDeque<Job>>>>,
    accepted: watch::Sender<usize>,
    killed: watch::Receiver<bool>,
}

impl PaymentActor {
    pub(crate) fn new(killed: watch::Receiver<bool>) -> PaymentActor {
        PaymentActor {
            lanes: Rc::default(),
            accepted: watch::Sender::default(),
            killed,
        }
    }
}

impl Actor for PaymentActor {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Context<Self>) {
        ctx.set_mailbox_capacity(WORK_MAX);
    }
}

impl Handler<Work> for PaymentActor {
    type Result = ();

    fn handle(&mut self, work: Work, _: &mut Context<Self>) {
        if *self.accepted.borrow() >= WORK_MAX {
            // Dropping the work tells whoever waits for it.
            return;
        }
        let mut lanes = self.lanes.borrow_mut();
        match lanes.get_mut(&work.lane) {
            Some(waiting) if waiting.len() >= LANE_MAX => return,
            Some(waiting) => waiting.push_back(work.job),
            None => {
                lanes.insert(work.lane.clone(), VecDeque::new());
                let lane = run_lane(
                    self.lanes.clone(),
                    self.accepted.clone(),
                    work.lane,
                    work.job,
                );
                actix::spawn(until_killed(self.killed.clone(), lane));
            }
        }
        self.accepted.send_modify(|accepted| *accepted += 1);
    }
}

/// Drops what it runs the moment the engine is killed.
pub(crate) async fn until_killed(
    mut killed: watch::Receiver<bool>,
    work: impl Future<Output = ()>,
) {
    tokio::select! {
        biased;
        // An engine that was let go without a word is no reason to stop.
        Ok(_) = killed.wait_for(|killed| *killed) => {}
        () = work => {}
    }
}

/// Runs a lane's work until none waits. A panic ends its work, not the lane.
async fn run_lane(
    lanes: Rc<RefCell<BTreeMap<Lane, VecDeque<Job>>>>,
    accepted: watch::Sender<usize>,
    lane: Lane,
    first: Job,
) {
    let mut job = first;
    loop {
        if AssertUnwindSafe(job).catch_unwind().await.is_err() {
            tracing::error!(?lane, "payment work panicked");
        }
        accepted.send_modify(|accepted| *accepted -= 1);
        let mut lanes = lanes.borrow_mut();
        match lanes.get_mut(&lane).and_then(VecDeque::pop_front) {
            Some(next) => job = next,
            None => {
                lanes.remove(&lane);
                return;
            }
        }
    }
}

impl Handler<Drain> for PaymentActor {
    type Result = ResponseFuture<()>;

    fn handle(&mut self, _: Drain, _: &mut Context<Self>) -> Self::Result {
        let mut accepted = self.accepted.subscribe();
        Box::pin(async move {
            // The sender lives in the actor; when that is gone no work is left either.
            let _ = accepted.wait_for(|accepted| *accepted == 0).await;
        })
    }
}

/// Where work is handed in. All askers share one address, because a mailbox's limit shared by clones is none.
#[derive(Clone)]
pub(crate) struct Desk {
    actor: Arc<Addr<PaymentActor>>,
}

impl Desk {
    pub(crate) fn new(actor: Addr<PaymentActor>) -> Desk {
        Desk {
            actor: Arc::new(actor),
        }
    }

    /// Runs work in its lane, to its end, even when the caller goes away. `None`: too much work, or it panicked.
    ///
    /// A visit to the room is ten kilobytes and more: it goes into its box here, and nobody on the way carries it.
    pub(crate) fn run<T: Send + 'static>(
        &self,
        lane: Lane,
        work: impl Future<Output = T> + Send + 'static,
    ) -> impl Future<Output = Option<T>> + Send {
        let work = work.boxed();
        async move {
            let (reply, answer) = oneshot::channel();
            let job = async move {
                // A caller that has gone away finds the same answer when it asks again.
                let _ = reply.send(work.await);
            };
            // Its log lines belong to whoever asked for it.
            self.actor
                .try_send(Work {
                    lane,
                    job: job.in_current_span().boxed(),
                })
                .ok()?;
            answer.await.ok()
        }
    }

    pub(crate) async fn drain(&self) {
        // An actor that is gone has nothing left to drain.
        let _ = self.actor.send(Drain).await;
    }
}
