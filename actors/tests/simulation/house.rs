//! The processes that run the real engine: started, crashed, hung, replaced. All share the books and the provider, and nothing
//! else.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use actors::testing::ManualClock;
use actors::{Anomalies, Draws, Engine, EngineParts, Neighbourhood, Payments, Placement};
use domain::View;
use persistence::nodes::{Boot, Node};
use tokio::sync::Notify;

use super::chance::Chance;
use super::ports::{BooksPort, GatewayPort, LedgerPort, NodesPort, PostPort, Street};
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
    cut_off: AtomicBool,
    clock: ManualClock,
    /// Not a `watch`: that wakes its waiters in random order.
    turned: Notify,
    engine: Mutex<Option<Engine>>,
}

/// What a request handler has.
#[derive(Clone)]
pub struct Handles {
    pub draws: Draws,
    pub payments: Payments,
    pub anomalies: Anomalies,
}

impl Process {
    fn new(number: u64, clock: ManualClock) -> Arc<Process> {
        let (stand, cut_off) = (Mutex::new(Stand::Running), AtomicBool::new(false));
        Arc::new(Process {
            number,
            stand,
            cut_off,
            clock,
            turned: Notify::new(),
            engine: Mutex::default(),
        })
    }

    /// Its clock is set, for better or worse.
    pub fn set_clock(&self, skew_ms: i64) {
        self.clock.set_skew_ms(skew_ms);
    }

    /// Cuts it off from the books, or ends that.
    pub fn cut_off(&self, cut_off: bool) {
        self.cut_off.store(cut_off, Ordering::Relaxed);
    }

    pub fn is_cut_off(&self) -> bool {
        self.cut_off.load(Ordering::Relaxed)
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

    pub fn is_running(&self) -> bool {
        *self.stand() == Stand::Running
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
            engine.hand_over().await;
            engine.stop().await;
        }
        self.stands(Stand::Dead);
    }

    pub fn handles(&self) -> Option<Handles> {
        let handles = |e: &Engine| Handles {
            draws: e.draws.clone(),
            payments: e.payments.clone(),
            anomalies: e.anomalies.clone(),
        };
        self.engine().as_ref().map(handles)
    }
}

/// Which processes the door leads to: any of them, request by request.
#[derive(Default)]
pub struct House {
    door: Mutex<Vec<Arc<Process>>>,
    count: AtomicU64,
    everybody: Mutex<Vec<Arc<Process>>>,
    /// One starts at a time.
    starting: tokio::sync::Mutex<()>,
}

impl House {
    fn door(&self) -> MutexGuard<'_, Vec<Arc<Process>>> {
        self.door.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Who is behind the door, dead ones left out.
    pub fn all_serving(&self) -> Vec<Arc<Process>> {
        self.door()
            .iter()
            .filter(|process| !process.is_dead())
            .cloned()
            .collect()
    }

    /// One of them.
    pub fn serving(&self, chance: &Chance) -> Option<Arc<Process>> {
        let serving = self.all_serving();
        (!serving.is_empty()).then(|| chance.one_of(&serving).clone())
    }

    pub fn is_serving(&self, process: &Process) -> bool {
        self.door()
            .iter()
            .any(|serving| serving.number == process.number)
    }

    pub fn process_of(&self, boot: Boot) -> Option<Arc<Process>> {
        self.everybody()
            .iter()
            .find(|process| u128::from(process.number) == boot.0)
            .cloned()
    }

    /// What the serving processes show to anyone.
    pub fn views(&self) -> Vec<View> {
        let handles = self
            .all_serving()
            .into_iter()
            .filter_map(|process| process.handles());
        handles.flat_map(|handles| handles.draws.views()).collect()
    }

    fn everybody(&self) -> MutexGuard<'_, Vec<Arc<Process>>> {
        self.everybody
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a process and leads the door to it, and no more to the one it replaces. It tries until the books can be read.
    pub async fn start(&self, world: &Arc<World>, instead_of: Option<u64>) {
        let _starting = self.starting.lock().await;
        self.start_alone(world, instead_of).await;
    }

    async fn start_alone(&self, world: &Arc<World>, instead_of: Option<u64>) {
        loop {
            let number = self.count.fetch_add(1, Ordering::Relaxed) + 1;
            let clock = ManualClock::new(world.clock.true_now());
            clock.set_skew_ms(world.skew_ms());
            let process = Process::new(number, clock.clone());
            let with = || (world.clone(), process.clone());
            let parts = EngineParts {
                ledger: Arc::new(LedgerPort::new(with())),
                books: Arc::new(BooksPort::new(with())),
                gateway: Arc::new(GatewayPort::new(with())),
                clock: Arc::new(clock),
                mail: Arc::new(PostPort::new(with())),
                neighbourhood: Neighbourhood {
                    me: Node {
                        boot: Boot(u128::from(number)),
                        address: format!("node-{number}"),
                    },
                    nodes: Arc::new(NodesPort::new(with())),
                    neighbours: Arc::new(Street::new(with())),
                },
            };
            match Engine::start_at(parts, Placement::Current).await {
                Ok(engine) => {
                    *process.engine() = Some(engine);
                    self.everybody().push(process.clone());
                    let mut door = self.door();
                    door.retain(|serving| !serving.is_dead() && Some(serving.number) != instead_of);
                    door.push(process.clone());
                    world
                        .trace
                        .note("starts", &[number], || format!("process {number}"));
                    return;
                }
                Err(_) => tokio::time::sleep(Duration::from_millis(500)).await,
            }
        }
    }

    pub fn kill(&self, world: &World, process: &Process) {
        world.trace.note("dies", &[process.number], || {
            format!("process {}", process.number)
        });
        process.kill();
    }

    /// Those behind the door are left, and run; one at least.
    pub async fn settle(&self, world: &Arc<World>) {
        let _starting = self.starting.lock().await;
        let others: Vec<Arc<Process>> = self.everybody().clone();
        for process in others.iter().filter(|process| !process.is_dead()) {
            if self.is_serving(process) {
                process.stands(Stand::Running);
                process.cut_off(false);
            } else {
                self.kill(world, process);
            }
        }
        if self.all_serving().is_empty() {
            self.start_alone(world, None).await;
        }
        // Most often all but one go politely: two that only listen to each other for an hour have little to tell.
        let spared = if world.plan.lasts_an_hour() {
            usize::MAX
        } else {
            1
        };
        for process in self.all_serving().iter().skip(spared) {
            world.trace.note("leaves", &[process.number], || {
                format!("process {}", process.number)
            });
            process.stop().await;
        }
    }

    /// Who serves when it is calm dies, and another starts in its place, whose first round looks as far back as the reconciler
    /// ever does.
    pub async fn start_anew(&self, world: &Arc<World>) {
        let _starting = self.starting.lock().await;
        for process in self.all_serving() {
            self.kill(world, &process);
        }
        self.start_alone(world, None).await;
    }

    /// Ends everything, so that the world can be forgotten.
    pub fn close(&self) {
        self.everybody()
            .drain(..)
            .for_each(|process| process.kill());
        self.door().clear();
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
        let process = self.serving(chance)?;
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
