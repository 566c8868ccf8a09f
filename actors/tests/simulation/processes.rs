//! The simulated server processes, which can be started, crashed, paused and replaced. They share
//! only the store and the provider.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use actors::testing::ManualClock;
use actors::{Anomalies, Draws, Engine, EngineDependencies, Payments, Peers, ThreadPlacement};
use domain::View;
use persistence::nodes::{InstanceId, Node};
use tokio::sync::Notify;

use super::ports::{
    SimulatedGateway, SimulatedLedger, SimulatedMailer, SimulatedNodes, SimulatedPaymentStores,
    SimulatedPeerClient,
};
use super::random_stream::RandomStream;
use super::world::World;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcessState {
    Running,
    /// Stopped as by SIGSTOP. The process later continues where it was stopped.
    Paused,
    /// Calls to and from the process are never answered.
    Dead,
}

pub struct Process {
    pub number: u64,
    state: Mutex<ProcessState>,
    cut_off: AtomicBool,
    clock: ManualClock,
    /// A `Notify` is used because a `watch` channel would wake its waiters in random order.
    state_changed: Notify,
    engine: Mutex<Option<Engine>>,
}

/// The handles to the engine that a request handler has.
#[derive(Clone)]
pub struct EngineHandles {
    pub draws: Draws,
    pub payments: Payments,
    pub anomalies: Anomalies,
}

impl Process {
    fn new(number: u64, clock: ManualClock) -> Arc<Process> {
        let (state, cut_off) = (Mutex::new(ProcessState::Running), AtomicBool::new(false));
        Arc::new(Process {
            number,
            state,
            cut_off,
            clock,
            state_changed: Notify::new(),
            engine: Mutex::default(),
        })
    }

    /// Sets the error of the process's clock, in milliseconds.
    pub fn set_clock_skew_ms(&self, skew_ms: i64) {
        self.clock.set_skew_ms(skew_ms);
    }

    /// Cuts the process off from the database, or reconnects it.
    pub fn set_cut_off(&self, cut_off: bool) {
        self.cut_off.store(cut_off, Ordering::Relaxed);
    }

    pub fn is_cut_off(&self) -> bool {
        self.cut_off.load(Ordering::Relaxed)
    }

    fn lock_state(&self) -> MutexGuard<'_, ProcessState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn wait_for_state(&self, matches: impl Fn(ProcessState) -> bool) {
        if matches(*self.lock_state()) {
            return;
        }
        loop {
            // The waiter is registered before the check, so that no change is missed. No lock is
            // held while it waits.
            let state_changed = self.state_changed.notified();
            if matches(*self.lock_state()) {
                return;
            }
            state_changed.await;
        }
    }

    /// Waits while the process is paused, and forever when it is dead. Everything that a process
    /// sends or receives calls this.
    pub async fn wait_until_running(&self) {
        self.wait_for_state(|state| state == ProcessState::Running)
            .await;
    }

    pub fn set_state(&self, state: ProcessState) {
        if !self.is_dead() {
            *self.lock_state() = state;
            self.state_changed.notify_waiters();
        }
    }

    pub fn is_running(&self) -> bool {
        *self.lock_state() == ProcessState::Running
    }

    pub fn is_dead(&self) -> bool {
        *self.lock_state() == ProcessState::Dead
    }

    async fn wait_for_death(&self) {
        self.wait_for_state(|state| state == ProcessState::Dead)
            .await;
    }

    fn engine(&self) -> MutexGuard<'_, Option<Engine>> {
        self.engine.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Kills the process, as `kill -9` does.
    pub fn kill(&self) {
        self.set_state(ProcessState::Dead);
        if let Some(engine) = self.engine().take() {
            engine.kill();
        }
    }

    /// Stops the process in order, as SIGTERM does.
    pub async fn stop(&self) {
        let engine = self.engine().take();
        if let Some(engine) = engine {
            engine.hand_over_draws().await;
            engine.stop().await;
        }
        self.set_state(ProcessState::Dead);
    }

    pub fn engine_handles(&self) -> Option<EngineHandles> {
        let handles = |e: &Engine| EngineHandles {
            draws: e.draws.clone(),
            payments: e.payments.clone(),
            anomalies: e.anomalies.clone(),
        };
        self.engine().as_ref().map(handles)
    }
}

/// The load balancer. It sends each request to one of the serving processes.
#[derive(Default)]
pub struct Processes {
    load_balancer: Mutex<Vec<Arc<Process>>>,
    count: AtomicU64,
    /// Every process that was started and not closed.
    all: Mutex<Vec<Arc<Process>>>,
    /// Ensures that only one process starts at a time.
    starting: tokio::sync::Mutex<()>,
}

impl Processes {
    fn load_balancer(&self) -> MutexGuard<'_, Vec<Arc<Process>>> {
        self.load_balancer
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the serving processes that are alive.
    pub fn serving_processes(&self) -> Vec<Arc<Process>> {
        self.load_balancer()
            .iter()
            .filter(|process| !process.is_dead())
            .cloned()
            .collect()
    }

    /// Returns a random serving process.
    pub fn random_serving_process(&self, random: &RandomStream) -> Option<Arc<Process>> {
        let serving = self.serving_processes();
        (!serving.is_empty()).then(|| random.one_of(&serving).clone())
    }

    pub fn is_serving(&self, process: &Process) -> bool {
        self.load_balancer()
            .iter()
            .any(|serving| serving.number == process.number)
    }

    pub fn process_with_instance(&self, boot: InstanceId) -> Option<Arc<Process>> {
        self.all_processes()
            .iter()
            .find(|process| u128::from(process.number) == boot.0)
            .cloned()
    }

    /// Returns the views that the serving processes show.
    pub fn views(&self) -> Vec<View> {
        let handles = self
            .serving_processes()
            .into_iter()
            .filter_map(|process| process.engine_handles());
        handles.flat_map(|handles| handles.draws.views()).collect()
    }

    fn all_processes(&self) -> MutexGuard<'_, Vec<Arc<Process>>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a process, which replaces process `replaces` in the load balancer. Retries until the
    /// database can be read.
    pub async fn start(&self, world: &Arc<World>, replaces: Option<u64>) {
        let _starting = self.starting.lock().await;
        self.start_while_locked(world, replaces).await;
    }

    async fn start_while_locked(&self, world: &Arc<World>, replaces: Option<u64>) {
        loop {
            let number = self.count.fetch_add(1, Ordering::Relaxed) + 1;
            let clock = ManualClock::new(world.clock.true_now());
            clock.set_skew_ms(world.random_clock_skew_ms());
            let process = Process::new(number, clock.clone());
            let with = || (world.clone(), process.clone());
            let parts = EngineDependencies {
                ledger: Arc::new(SimulatedLedger::new(with())),
                store: Arc::new(SimulatedPaymentStores::new(with())),
                gateway: Arc::new(SimulatedGateway::new(with())),
                clock: Arc::new(clock),
                mail: Arc::new(SimulatedMailer::new(with())),
                peers: Peers {
                    me: Node {
                        boot: InstanceId(u128::from(number)),
                        address: format!("node-{number}"),
                    },
                    nodes: Arc::new(SimulatedNodes::new(with())),
                    client: Arc::new(SimulatedPeerClient::new(with())),
                },
            };
            match Engine::start_with_placement(parts, ThreadPlacement::Current).await {
                Ok(engine) => {
                    *process.engine() = Some(engine);
                    self.all_processes().push(process.clone());
                    let mut load_balancer = self.load_balancer();
                    load_balancer
                        .retain(|serving| !serving.is_dead() && Some(serving.number) != replaces);
                    load_balancer.push(process.clone());
                    world
                        .trace
                        .record_event("starts", &[number], || format!("process {number}"));
                    return;
                }
                Err(_) => tokio::time::sleep(Duration::from_millis(500)).await,
            }
        }
    }

    pub fn kill(&self, world: &World, process: &Process) {
        world.trace.record_event("dies", &[process.number], || {
            format!("process {}", process.number)
        });
        process.kill();
    }

    /// Ends the fault phase. Serving processes continue, all others are killed, and at least one
    /// process serves afterwards.
    pub async fn end_fault_phase(&self, world: &Arc<World>) {
        let _starting = self.starting.lock().await;
        let others: Vec<Arc<Process>> = self.all_processes().clone();
        for process in others.iter().filter(|process| !process.is_dead()) {
            if self.is_serving(process) {
                process.set_state(ProcessState::Running);
                process.set_cut_off(false);
            } else {
                self.kill(world, process);
            }
        }
        if self.serving_processes().is_empty() {
            self.start_while_locked(world, None).await;
        }
        // In most simulated worlds only one node goes on after the faults, because simulating a full
        // hour with two idle nodes takes long and finds few errors.
        let kept_alive = if world.plan.runs_full_hour() {
            usize::MAX
        } else {
            1
        };
        for process in self.serving_processes().iter().skip(kept_alive) {
            world.trace.record_event("leaves", &[process.number], || {
                format!("process {}", process.number)
            });
            process.stop().await;
        }
    }

    /// Kills all serving processes and starts a new one. The first pass of its reconciler covers
    /// the longest period.
    pub async fn restart_all(&self, world: &Arc<World>) {
        let _starting = self.starting.lock().await;
        for process in self.serving_processes() {
            self.kill(world, &process);
        }
        self.start_while_locked(world, None).await;
    }

    /// Kills all processes.
    pub fn kill_all(&self) {
        self.all_processes()
            .drain(..)
            .for_each(|process| process.kill());
        self.load_balancer().clear();
    }

    /// Sends a request to a process. The request or its answer may be lost. After `patience` the
    /// caller stops waiting, which drops the handler's future.
    pub async fn call_random_process<T, F>(
        &self,
        random: &RandomStream,
        lost: u64,
        patience: Duration,
        work: impl FnOnce(EngineHandles) -> F,
    ) -> Option<T>
    where
        F: Future<Output = T>,
    {
        tokio::time::sleep(Duration::from_millis(random.between(2, 60))).await;
        if random.happens(lost / 2) {
            return None;
        }
        let process = self.random_serving_process(random)?;
        let handles = process.engine_handles()?;
        let answer = tokio::select! {
            biased;
            () = process.wait_for_death() => None,
            answer = work(handles) => Some(answer),
            () = tokio::time::sleep(patience) => None,
        };
        // A paused process answers after it continues, if the caller still waits.
        tokio::select! {
            biased;
            () = process.wait_until_running() => {}
            () = tokio::time::sleep(patience) => return None,
        }
        answer.filter(|_| !process.is_dead() && !random.happens(lost / 2))
    }
}
