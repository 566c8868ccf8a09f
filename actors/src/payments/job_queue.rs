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

/// Largest number of running and waiting jobs. Further jobs are rejected, and the caller answers
/// with status 503.
const JOBS_MAX: usize = 4096;
/// Largest number of jobs that wait behind the running job of the same key.
const JOBS_PER_KEY_MAX: usize = 64;

/// What a job works on. Jobs with equal keys never overlap. A `Client` job may wait for an `Order`
/// job but never the reverse, so they cannot deadlock.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum JobKey {
    Client(String),
    Order(OrderId),
}

type Job = BoxFuture<'static, ()>;
type WaitingJobs = Rc<RefCell<BTreeMap<JobKey, VecDeque<Job>>>>;

/// Message that adds a job to the queue of its key.
#[derive(Message)]
#[rtype(result = "()")]
struct SubmitJob {
    key: JobKey,
    job: Job,
}

/// Message that is answered once no job is running or waiting.
#[derive(Message)]
#[rtype(result = "()")]
struct AwaitAllJobs;

pub(crate) struct PaymentActor {
    waiting: WaitingJobs,
    /// Number of running and waiting jobs.
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
            // The rejected job is dropped with its reply channel, which tells the caller.
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

/// Runs `work` until its end, or drops it when the engine is killed.
pub(crate) async fn run_until_killed(
    mut killed: watch::Receiver<bool>,
    work: impl Future<Output = ()>,
) {
    tokio::select! {
        biased;
        // If the engine is dropped without being killed, the work continues.
        Ok(_) = killed.wait_for(|killed| *killed) => {}
        () = work => {}
    }
}

/// Runs the jobs of one key until none is waiting. A panic ends only the job that panicked.
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

impl Handler<AwaitAllJobs> for PaymentActor {
    type Result = ResponseFuture<()>;

    fn handle(&mut self, _: AwaitAllJobs, _: &mut Context<Self>) -> Self::Result {
        let mut accepted = self.accepted.subscribe();
        Box::pin(async move {
            // Waiting fails only if the actor has ended. Then no job is left either.
            let _ = accepted.wait_for(|accepted| *accepted == 0).await;
        })
    }
}

/// A handle to the payment actor. All clones share one address, because actix adds a mailbox slot
/// for each clone of an address, which would raise the mailbox limit.
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

    /// Runs `work` after the earlier jobs of its key. The work is completed even when the caller
    /// stops waiting. `None`: the queue is full, or the work panicked.
    ///
    /// The future is boxed here because it is larger than 10 KB.
    pub(crate) fn run_job<T: Send + 'static>(
        &self,
        key: JobKey,
        work: impl Future<Output = T> + Send + 'static,
    ) -> impl Future<Output = Option<T>> + Send {
        let work = work.boxed();
        async move {
            let (reply, answer) = oneshot::channel();
            let job = async move {
                // Sending fails when the caller has stopped waiting. If the caller repeats the
                // request, it gets the same answer.
                let _ = reply.send(work.await);
            };
            // The job's log lines belong to the caller's tracing span.
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
        // Sending fails only if the actor has stopped, and then no jobs are left.
        let _ = self.actor.send(AwaitAllJobs).await;
    }
}
