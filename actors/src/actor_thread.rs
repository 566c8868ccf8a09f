//! Where actors and workers run: on a thread of the engine, or on the current thread.

use actix::{Actor, Addr, ArbiterHandle, Context};

/// Where an actor or a worker runs.
#[derive(Clone)]
pub(crate) enum ActorThread {
    Own(ArbiterHandle),
    /// The current thread. Needs no actix `System`: simulations run on tokio alone.
    Current,
}

impl ActorThread {
    pub(crate) fn start_actor<A>(&self, make: impl FnOnce() -> A + Send + 'static) -> Addr<A>
    where
        A: Actor<Context = Context<A>>,
    {
        match self {
            ActorThread::Own(arbiter) => A::start_in_arbiter(arbiter, move |_| make()),
            ActorThread::Current => make().start(),
        }
    }

    pub(crate) fn spawn_worker(&self, work: impl Future<Output = ()> + Send + 'static) {
        match self {
            // If the thread has stopped, the future is dropped without being run.
            ActorThread::Own(arbiter) => drop(arbiter.spawn(work)),
            ActorThread::Current => drop(actix::spawn(work)),
        }
    }
}
