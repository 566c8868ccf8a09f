//! The processes that run the real engine: started, crashed, hung, replaced. All share the books and the provider, and nothing
//! else.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use actors::testing::ManualClock;
use actors::{Draws, Engine, EngineParts, Neighbourhood, Payments, Placement};
use domain::View;
use persistence::nodes::Boot;
use tokio::sync::Notify;

use super::chance::Chance;
use super::ports::{BooksPort, GatewayPort, LedgerPort, PostPort};
use super::world::World;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stand {
    Running,
    /// Stopped by the system, as by SIGSTOP: it goes on where it was, later.
    Hung,
    /// Whatever it still asks is never answered.
    Dead,
}

pub struct Process {
    pub number: u64,
    stand: Mutex<Stand>,
    /// Not a `watch`: that wakes its waiters in random order.
    turned: Notify,
    engine: Mutex<Option<Engine>>,
}

/// What a request handler has.
#[derive(Clone)]
pub struct Handles {
    pub draws: Draws,
    pub payments: Payments,
}

impl Process {
    fn new(number: u64) -> Arc<Process> {
        let stand = Mutex::new(Stand::Running);
        Arc::new(Process { number, stand, turned: Notify::new(), engine: Mutex::default() })
    }

    fn stand(&self) -> MutexGuard<'_, Stand> {
        self.stand.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn until(&self, meets: impl Fn(Stand) -> bool) {
        if meets(*self.stand()) {
            return;
        }
        loop {
            // It listens before it looks, so that no turn is missed; and nothing is held while it waits.
            let turned = self.turned.notified();
            if meets(*self.stand()) {
                return;
            }
            turned.await;
        }
    }

    /// Everything that a process says to the outside, or hears, goes through here. A dead one waits for ever.
    pub async fn pass(&self) {
        self.until(|stand| stand == Stand::Running).await;
    }

    pub fn stands(&self, stand: Stand) {
        if !self.is_dead() {
            *self.stand() = stand;
            self.turned.notify_waiters();
        }
    }

    pub fn is_dead(&self) -> bool {
        *self.stand() == Stand::Dead
    }

    async fn died(&self) {
        self.until(|stand| stand == Stand::Dead).await;
    }

    fn engine(&self) -> MutexGuard<'_, Option<Engine>> {
        self.engine.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// `kill -9`.
    pub fn kill(&self) {
        self.stands(Stand::Dead);
        if let Some(engine) = self.engine().take() {
            engine.kill();
        }
    }

    /// SIGTERM.
    pub async fn stop(&self) {
        let engine = self.engine().take();
        if let Some(engine) = engine {
            engine.stop().await;
        }
        self.stands(Stand::Dead);
    }

    fn handles(&self) -> Option<Handles> {
        self.engine().as_ref().map(|e| Handles { draws: e.draws.clone(), payments: e.payments.clone() })
    }
}

/// Which process the door leads to.
#[derive(Default)]
pub struct House {
    serving: Mutex<Option<Arc<Process>>>,
    count: AtomicU64,
    everybody: Mutex<Vec<Arc<Process>>>,
    /// One starts at a time.
    starting: tokio::sync::Mutex<()>,
}

impl House {
    pub fn serving(&self) -> Option<Arc<Process>> {
        self.serving.lock().unwrap_or_else(PoisonError::into_inner).clone().filter(|process| !process.is_dead())
    }

    /// What the serving process shows to anyone.
    pub fn views(&self) -> Option<Vec<View>> {
        Some(self.serving()?.handles()?.draws.views())
    }

    fn everybody(&self) -> MutexGuard<'_, Vec<Arc<Process>>> {
        self.everybody.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a process and leads the door to it. It tries until the books can be read.
    pub async fn start(&self, world: &Arc<World>) {
        let _starting = self.starting.lock().await;
        self.start_alone(world).await;
    }

    async fn start_alone(&self, world: &Arc<World>) {
        loop {
            let number = self.count.fetch_add(1, Ordering::Relaxed) + 1;
            let process = Process::new(number);
            let clock = ManualClock::new(world.clock.true_now());
            clock.set_skew_ms(world.skew_ms());
            let with = || (world.clone(), process.clone());
            let parts = EngineParts {
                ledger: Arc::new(LedgerPort::new(with())),
                books: Arc::new(BooksPort::new(with())),
                gateway: Arc::new(GatewayPort::new(with())),
                clock: Arc::new(clock),
                mail: Arc::new(PostPort::new(with())),
                neighbourhood: Neighbourhood::alone(Boot(u128::from(number)), Arc::new(world.memory.clone())),
            };
            match Engine::start_at(parts, Placement::Current).await {
                Ok(engine) => {
                    *process.engine() = Some(engine);
                    self.everybody().push(process.clone());
                    *self.serving.lock().unwrap_or_else(PoisonError::into_inner) = Some(process.clone());
                    world.trace.note("starts", &[number], || format!("process {number}"));
                    return;
                }
                Err(_) => tokio::time::sleep(Duration::from_millis(500)).await,
            }
        }
    }

    pub fn kill(&self, world: &World, process: &Process) {
        world.trace.note("dies", &[process.number], || format!("process {}", process.number));
        process.kill();
    }

    /// One process is left, and runs.
    pub async fn settle(&self, world: &Arc<World>) {
        let _starting = self.starting.lock().await;
        let serving = self.serving();
        let others: Vec<Arc<Process>> = self.everybody().clone();
        for process in others {
            let serves = serving.as_ref().is_some_and(|serving| serving.number == process.number);
            if !serves && !process.is_dead() {
                self.kill(world, &process);
            }
        }
        match serving {
            Some(process) => process.stands(Stand::Running),
            None => self.start_alone(world).await,
        }
    }

    /// Ends everything, so that the world can be forgotten.
    pub fn close(&self) {
        self.everybody().drain(..).for_each(|process| process.kill());
        self.serving.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    /// A request: it may be lost on its way, or its answer; and nobody waits for ever. Whoever stops waiting drops the
    /// handler's future.
    pub async fn call<T, F>(
        &self,
        chance: &Chance,
        lost: u64,
        patience: Duration,
        work: impl FnOnce(Handles) -> F,
    ) -> Option<T>
    where
        F: Future<Output = T>,
    {
        tokio::time::sleep(Duration::from_millis(chance.between(2, 60))).await;
        if chance.happens(lost / 2) {
            return None;
        }
        let process = self.serving()?;
        let handles = process.handles()?;
        let answer = tokio::select! {
            biased;
            () = process.died() => None,
            answer = work(handles) => Some(answer),
            () = tokio::time::sleep(patience) => None,
        };
        // A hung process answers when it wakes, if anybody still waits.
        tokio::select! {
            biased;
            () = process.pass() => {}
            () = tokio::time::sleep(patience) => return None,
        }
        answer.filter(|_| !process.is_dead() && !chance.happens(lost / 2))
    }
}
