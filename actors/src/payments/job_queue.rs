//! The payment actor: runs jobs with the same key one after the other, and jobs with different keys
//! concurrently.

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

/// Jobs that are running or waiting. Further jobs are rejected: the caller answers 503.
const JOBS_MAX: usize = 4096;
/// Jobs that may wait behind the running job of one key.
const JOBS_PER_KEY_MAX: usize = 64;

/// Jobs with equal keys never overlap. A `Client` job may wait for an `Order` job, never the
/// reverse, so the two cannot deadlock.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum JobKey {
    Client(String),
    Order(OrderId),
}

type Job = BoxFuture<'static, ()>;
type WaitingJobs = Rc<RefCell<BTreeMap<JobKey, VecDeque<Job>>>>;

/// Adds a job to its key's queue.
#[derive(Message)]
#[rtype(result = "()")]
struct SubmitJob {
    key: JobKey,
    job: Job,
}

/// Asks for an answer once no job is running or waiting.
#[derive(Message)]
#[rtype(result = "()")]
struct Drain;

pub(crate) struct PaymentActor {
    waiting: WaitingJobs,
    /// Jobs that are running or waiting.
    accepted: watch::Sender<usize>,
    killed: watch::Receiver<bool>,
}

impl PaymentActor {
    pub(crate) fn new(killed: watch::Receiver<bool>) -> PaymentActor {
        PaymentActor {
            waiting: Rc::default(),
            accepted: watch::Sender::default(),
            killed,
        }
    }
}

impl Actor for PaymentActor {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Context<Self>) {
        ctx.set_mailbox_capacity(JOBS_MAX);
    }
}

impl Handler<SubmitJob> for PaymentActor {
    type Result = ();

    fn handle(&mut self, submitted: SubmitJob, _: &mut Context<Self>) {
        if *self.accepted.borrow() >= JOBS_MAX {
            // Dropping the job drops its reply channel, which tells the caller.
            return;
        }
        let mut waiting = self.waiting.borrow_mut();
        match waiting.get_mut(&submitted.key) {
            Some(jobs) if jobs.len() >= JOBS_PER_KEY_MAX => return,
            Some(jobs) => jobs.push_back(submitted.job),
            None => {
                waiting.insert(submitted.key.clone(), VecDeque::new());
                let jobs = run_jobs(
                    self.waiting.clone(),
                    self.accepted.clone(),
                    submitted.key,
                    submitted.job,
                );
                actix::spawn(run_until_killed(self.killed.clone(), jobs));
            }
        }
        self.accepted.send_modify(|accepted| *accepted += 1);
    }
}

/// Runs `work` and drops it as soon as the engine is killed.
pub(crate) async fn run_until_killed(
    mut killed: watch::Receiver<bool>,
    work: impl Future<Output = ()>,
) {
    tokio::select! {
        biased;
        // An engine that was dropped without a kill does not stop the work.
        Ok(_) = killed.wait_for(|killed| *killed) => {}
        () = work => {}
    }
}

/// Runs the jobs of one key until none waits. A panic ends its job only.
async fn run_jobs(waiting: WaitingJobs, accepted: watch::Sender<usize>, key: JobKey, first: Job) {
    let mut job = first;
    loop {
        if AssertUnwindSafe(job).catch_unwind().await.is_err() {
            tracing::error!(?key, "payment job failed: it panicked");
        }
        accepted.send_modify(|accepted| *accepted -= 1);
        let mut waiting = waiting.borrow_mut();
        if let Some(next) = waiting.get_mut(&key).and_then(VecDeque::pop_front) {
            job = next;
        } else {
            waiting.remove(&key);
            return;
        }
    }
}

impl Handler<Drain> for PaymentActor {
    type Result = ResponseFuture<()>;

    fn handle(&mut self, _: Drain, _: &mut Context<Self>) -> Self::Result {
        let mut accepted = self.accepted.subscribe();
        Box::pin(async move {
            // The sender lives in the actor. Without the actor no job is left either.
            let _ = accepted.wait_for(|accepted| *accepted == 0).await;
        })
    }
}

/// Handle to the payment actor. All clones share one address: actix grants each clone of an address
/// a slot beyond the mailbox limit, which would defeat the limit.
#[derive(Clone)]
pub(crate) struct KeyedJobQueue {
    actor: Arc<Addr<PaymentActor>>,
}

impl KeyedJobQueue {
    pub(crate) fn new(actor: Addr<PaymentActor>) -> KeyedJobQueue {
        KeyedJobQueue {
            actor: Arc::new(actor),
        }
    }

    /// Runs `work` after the earlier jobs of its key. The work runs to its end even when the caller
    /// stops waiting. `None`: the queue is full, or the work panicked.
    ///
    /// Boxed here: the future is larger than 10 KB.
    pub(crate) fn run<T: Send + 'static>(
        &self,
        key: JobKey,
        work: impl Future<Output = T> + Send + 'static,
    ) -> impl Future<Output = Option<T>> + Send {
        let work = work.boxed();
        async move {
            let (reply, answer) = oneshot::channel();
            let job = async move {
                // A caller that stopped waiting gets the same answer when it calls again.
                let _ = reply.send(work.await);
            };
            // The job logs in the caller's span.
            self.actor
                .try_send(SubmitJob {
                    key,
                    job: job.in_current_span().boxed(),
                })
                .ok()?;
            answer.await.ok()
        }
    }

    /// Waits until no job is running or waiting.
    pub(crate) async fn drain(&self) {
        // A stopped actor has no jobs left.
        let _ = self.actor.send(Drain).await;
    }
}
