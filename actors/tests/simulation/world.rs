//! One simulated world for each seed: processes that run the real engine, a store, a provider and
//! buyers. A fault phase is followed by up to an hour without faults, and then by the audit.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use actors::testing::{FakeGateway, ManualClock};
use domain::{Draw, DrawId, OrderId, Terms};
use persistence::memory::MemoryStores;
use tokio::runtime::{Builder, LocalOptions};
use tokio::sync::Notify;
use tokio::time::sleep;

use super::audit;
use super::buyer::Buyer;
use super::buyer_answers::AnswerLog;
use super::fault_injector::FaultInjector;
use super::monitor::Monitor;
use super::mutant::{Mutant, MutantState};
use super::participants::Participant;
use super::plan::{IdlePollMode, MINUTE_MS, NOON, SECOND_MS, WorldPlan, account};
use super::processes::Processes;
use super::random_stream::RandomStream;
use super::trace::Trace;

/// Time without faults, in milliseconds. Afterwards no work may be unfinished.
const FAULT_FREE_PHASE_MS: u64 = 60 * MINUTE_MS;
/// Most worlds end when this many consecutive checks find no unfinished work. A few run for the
/// full hour ([`WorldPlan::runs_full_hour`]).
const IDLE_CHECKS_BEFORE_END: u32 = 2;
/// Time between two checks of a world in its fault phase, in milliseconds.
const CHECK_INTERVAL_MS: u64 = 15_000;
/// Time between two checks of a world after its fault phase, in milliseconds. All remaining work is
/// attempted at least once a minute. Retry delays grow to one minute, and draws read their clocks
/// every minute. The sweeper runs every 30 s, the mailer every 15 s, and the webhook worker every
/// 10 s.
const IDLE_CHECK_INTERVAL_MS: u64 = MINUTE_MS;
/// Time between two checks in worlds that execute every poll, in milliseconds. There the reconciler
/// makes a long list only every ten minutes. In other worlds a restarted process makes one at once
/// ([`Processes::restart_all`]).
const EVERY_POLL_CHECK_INTERVAL_MS: u64 = 6 * MINUTE_MS;

pub struct World {
    pub plan: WorldPlan,
    pub mutant: Mutant,
    /// The correct time, which the database uses.
    pub clock: ManualClock,
    pub memory: MemoryStores,
    pub provider: FakeGateway,
    pub fault_injector: Arc<FaultInjector>,
    pub processes: Processes,
    pub trace: Trace,
    pub monitor: Monitor,
    pub answers_shown: AnswerLog,
    pub network_random: RandomStream,
    pub webhooks_waiting: Notify,
    /// Notified when the ledger has been written.
    pub ledger_written: Notify,
    random: RandomStream,
    /// Cloned by every active task, so that its reference count shows whether buyers, other
    /// participants or webhook deliveries are still running.
    active_tasks: Arc<()>,
    mutant_state: Mutex<MutantState>,
}

/// The result of playing one world.
#[derive(Clone, Debug, Default)]
pub struct WorldResult {
    pub violations: Vec<String>,
    pub hash: u64,
    pub events: u64,
    pub met: BTreeMap<&'static str, u64>,
    pub text: Vec<String>,
}

thread_local! {
    /// Messages of panics on this thread while a world is played. They are collected, because
    /// actors would hide them.
    static COLLECTED_PANICS: RefCell<Option<Vec<String>>> = const { RefCell::new(None) };
}

/// Installs a panic hook that collects panics inside worlds and prints all others.
pub fn collect_panics() {
    static INSTALL_HOOK_ONCE: std::sync::Once = std::sync::Once::new();
    INSTALL_HOOK_ONCE.call_once(|| {
        let print = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panicked| {
            let is_in_world = COLLECTED_PANICS.with_borrow_mut(|panics| {
                panics
                    .as_mut()
                    .map(|p| p.push(panicked.to_string()))
                    .is_some()
            });
            if !is_in_world {
                print(panicked);
            }
        }));
    });
}

/// Runs the simulated world of one seed to its end.
pub fn simulate_seed(
    seed: u64,
    poll_mode: IdlePollMode,
    mutant: Mutant,
    readable: bool,
) -> WorldResult {
    collect_panics();
    COLLECTED_PANICS.set(Some(Vec::new()));
    let played = catch_unwind(AssertUnwindSafe(|| {
        let mut builder = Builder::new_current_thread();
        let runtime = builder
            .enable_time()
            .start_paused(true)
            .build_local(LocalOptions::default())
            .expect("a runtime");
        // The simulation runs as a spawned task, because the future given to `block_on` would be
        // polled after every step of any task.
        runtime.block_on(async move {
            actix::spawn(async move {
                World::new(WorldPlan::from_seed(seed, poll_mode), mutant, readable)
                    .run_phases()
                    .await
            })
            .await
        })
    }));
    let panics = COLLECTED_PANICS.take().unwrap_or_default();
    let unfinished = || WorldResult {
        violations: vec!["the world did not end".into()],
        ..WorldResult::default()
    };
    let mut result = played.ok().and_then(Result::ok).unwrap_or_else(unfinished);
    result
        .violations
        .extend(panics.into_iter().map(|panic| format!("a panic: {panic}")));
    result
}

impl World {
    fn new(plan: WorldPlan, mutant: Mutant, readable: bool) -> Arc<World> {
        let random = RandomStream::new(!plan.seed);
        let clock = ManualClock::new(NOON);
        let memory = MemoryStores::new();
        for (draw, club) in plan.draws.iter().zip(&plan.clubs) {
            memory.add_club(*club, account(*club));
            memory.add_draw(draw.clone());
        }
        let database_clock = clock.clone();
        memory.set_clock(move || database_clock.true_now());
        let provider = FakeGateway::new(Arc::new(clock.clone()));
        let injector = FaultInjector::new(&plan, clock.clone(), &random);
        injector.install(&memory, &provider);
        Arc::new(World {
            plan,
            mutant,
            memory,
            provider,
            fault_injector: injector,
            processes: Processes::default(),
            trace: Trace::new(clock.clone(), readable),
            clock,
            monitor: Monitor::default(),
            answers_shown: AnswerLog::default(),
            network_random: random.fork(),
            webhooks_waiting: Notify::new(),
            ledger_written: Notify::new(),
            random,
            active_tasks: Arc::default(),
            mutant_state: Mutex::default(),
        })
    }

    async fn run_phases(self: Arc<World>) -> WorldResult {
        for _ in 0..self.plan.nodes {
            self.processes.start(&self, None).await;
        }
        for number in 1..=self.plan.buyers {
            self.spawn_task(Buyer::new(self.clone(), number, self.random.fork()).simulate_visits());
        }
        Participant::spawn_all(&self, &self.random);
        actix::spawn(self.clone().deliver_webhooks());
        self.advance_and_check(self.plan.fault_phase_ms).await;
        self.fault_injector.end_faults();
        self.trace
            .record_event("calm", &[], || "no more faults from now on".into());
        self.processes.end_fault_phase(&self).await;
        self.advance_and_check(FAULT_FREE_PHASE_MS).await;
        if !self.monitor.has_violations() {
            audit::audit_world(&self).await;
        }
        let result = self.result();
        self.processes.kill_all();
        result
    }

    /// Advances the time by `for_ms` and checks the views regularly. Stops earlier at the first
    /// violation, or when the world has no unfinished work.
    async fn advance_and_check(self: &Arc<World>, for_ms: u64) {
        let until = self.clock.true_now().plus_ms(for_ms as i64);
        let polls_all = self.plan.poll_mode == IdlePollMode::EveryPoll;
        let (mut consecutive_rests, mut restarted) =
            (0, polls_all || !self.monitor.has_external_changes());
        let mut pause_ms = if polls_all {
            self.check_interval_ms()
        } else {
            SECOND_MS
        };
        while self.clock.true_now() < until
            && !self.monitor.has_violations()
            && consecutive_rests < IDLE_CHECKS_BEFORE_END
        {
            sleep(Duration::from_millis(pause_ms)).await;
            pause_ms = self.check_interval_ms();
            self.monitor.check_views(self);
            consecutive_rests = if restarted && self.is_idle_and_may_end().await {
                consecutive_rests + 1
            } else {
                0
            };
            if !restarted && self.fault_injector.have_faults_ended() && !self.has_active_tasks() {
                self.processes.restart_all(self).await;
                restarted = true;
            }
        }
    }

    fn check_interval_ms(&self) -> u64 {
        match self.plan.poll_mode {
            _ if !self.fault_injector.have_faults_ended() => CHECK_INTERVAL_MS,
            IdlePollMode::SkipIdlePolls => IDLE_CHECK_INTERVAL_MS,
            IdlePollMode::EveryPoll => EVERY_POLL_CHECK_INTERVAL_MS,
        }
    }

    async fn is_idle_and_may_end(&self) -> bool {
        let may_leave = self.fault_injector.have_faults_ended() && !self.plan.runs_full_hour();
        may_leave
            && !self.has_active_tasks()
            && audit::pending_work(self).await.is_empty()
            && !audit::awaits_anomaly_resolution(self)
    }

    fn has_active_tasks(&self) -> bool {
        Arc::strong_count(&self.active_tasks) > 1
    }

    /// Spawns a task. The world does not end before the task.
    pub fn spawn_task(&self, task: impl Future<Output = ()> + 'static) {
        // The future is boxed at once, because it is several kilobytes large.
        let (active_tasks, task) = (self.active_tasks.clone(), Box::pin(task));
        actix::spawn(async move {
            task.await;
            drop(active_tasks);
        });
    }

    fn result(&self) -> WorldResult {
        let state = self.monitor.state();
        WorldResult {
            violations: state.violations.clone(),
            hash: self.trace.hash(),
            events: self.trace.event_count(),
            met: state.met.clone(),
            text: self.trace.text(),
        }
    }

    /// Returns the clock error of a new process, in milliseconds.
    pub fn random_clock_skew_ms(&self) -> i64 {
        let most = self
            .fault_injector
            .current_fault_rate(|_| self.plan.rare_events.skew_ms);
        let chosen = self.random.below(2 * most + 1) as i64 - most as i64;
        self.mutant.clock_skew_ms().unwrap_or(chosen)
    }

    pub fn is_mail_rejected(&self) -> bool {
        self.network_random.happens(
            self.fault_injector
                .current_fault_rate(|r| r.mail_server_down),
        )
    }

    pub fn draw(&self, id: DrawId) -> Option<Draw> {
        self.memory.draw(id)
    }

    pub fn terms(&self, id: DrawId) -> Option<Terms> {
        self.draw(id).map(|draw| *draw.terms())
    }

    /// Returns whether this order's payment was changed at the provider directly.
    pub fn is_externally_changed(&self, order: OrderId) -> bool {
        let externally_changed = &self.monitor.state().externally_changed;
        // Checked first because it is cheap: most worlds have no such payment.
        !externally_changed.is_empty()
            && self.provider.intents().iter().any(|intent| {
                intent.said.order == Some(order) && externally_changed.contains(&intent.said.id)
            })
    }

    pub fn mutant_state(&self) -> MutexGuard<'_, MutantState> {
        self.mutant_state
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
