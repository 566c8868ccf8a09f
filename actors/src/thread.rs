//! Where actors and workers run: on a thread of the engine's own, or on the one that started it.

use actix::{Actor, Addr, ArbiterHandle, Context};

#[derive(Clone)]
pub(crate) enum Thread {
    Own(ArbiterHandle),
    /// No arbiter is asked, so that it need not be an actix System's: simulated worlds run on nothing but tokio.
    Current,
}

impl Thread {
    pub(crate) fn start<A>(&self, make: impl FnOnce() -> A + Send + 'static) -> Addr<A>
    where
        A: Actor<Context = Context<A>>,
    {
        match self {
            Thread::Own(arbiter) => A::start_in_arbiter(arbiter, move |_| make()),
            Thread::Current => make().start(),
        }
    }

    pub(crate) fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        match self {
            // A thread that has ended does no work any more.
            Thread::Own(arbiter) => drop(arbiter.spawn(work)),
            Thread::Current => drop(actix::spawn(work)),
        }
    }
}
