//! One seed, one world: a process with the real engine, its books, its provider, and a crowd. First everything goes wrong, then
//! it is calm for an hour, and then everything is counted.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use actors::testing::{FakeGateway, ManualClock};
use domain::{Draw, DrawId, OrderId, Terms};
use persistence::memory::Memory;
use tokio::runtime::{Builder, LocalOptions};
use tokio::sync::Notify;
use tokio::time::sleep;

use super::audit;
use super::buyer::Buyer;
use super::chance::Chance;
use super::house::House;
use super::mutant::{Kept, Mutant};
use super::people::Person;
use super::plan::{MINUTE, NOON, Pace, Plan, SECOND, account};
use super::told::Told;
use super::trace::Trace;
use super::watch::Watch;
use super::weather::Weather;

/// Calm: so long nothing goes wrong, and afterwards nothing may be under way.
const CALM_MS: u64 = 60 * MINUTE;
/// Most worlds are left when everything was at rest at so many looks, one after the other, and nobody is left who could disturb
/// it; few are watched for the whole hour ([`Plan::lasts_an_hour`]).
const RESTS: u32 = 2;
/// Between two looks at what is shown.
const LOOK_MS: u64 = 15_000;
/// The same when it is calm. What still goes on by itself comes round within a minute: pauses between attempts grow to a minute
/// at most (`payment/pause.rs`), draws look at their clocks every minute, the sweeper goes every 30 s, mails 15 s, notices 10 s.
const CALM_LOOK_MS: u64 = MINUTE;
/// The same in worlds that are played whole: the reconciler looks far back only every ten minutes, its rounds themselves left
/// out, and may have read its list right before. Where somebody touched payments past us it must; elsewhere a process that
/// starts anew does so at once ([`House::start_anew`]).
const LONG_LOOK_MS: u64 = 6 * MINUTE;

pub struct World {
    pub plan: Plan,
    pub mutant: Mutant,
    /// The true time, the database's.
    pub clock: ManualClock,
    pub memory: Memory,
    pub provider: FakeGateway,
    pub weather: Arc<Weather>,
    pub house: House,
    pub trace: Trace,
    pub watch: Watch,
    pub told: Told,
    pub courier: Chance,
    pub bell: Notify,
    /// Somebody wrote to the ledger.
    pub stirred: Notify,
    chance: Chance,
    /// Whoever still does something: buyers, people, couriers.
    busy: Arc<()>,
    kept: Mutex<Kept>,
}

/// How a world ended.
#[derive(Clone, Debug, Default)]
pub struct Ending {
    pub violations: Vec<String>,
    pub hash: u64,
    pub events: u64,
    pub met: BTreeMap<&'static str, u64>,
    pub text: Vec<String>,
}

thread_local! {
    /// Panics on this thread while a world is played; actors swallow them otherwise.
    static PANICS: RefCell<Option<Vec<String>>> = const { RefCell::new(None) };
}

/// Lets panics inside worlds be found, and others be printed as ever.
pub fn listen_for_panics() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let print = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panicked| {
            let kept = PANICS.with_borrow_mut(|panics| {
                panics
                    .as_mut()
                    .map(|p| p.push(panicked.to_string()))
                    .is_some()
            });
            if !kept {
                print(panicked);
            }
        }));
    });
}

/// Plays one seed to its end.
pub fn play(seed: u64, pace: Pace, mutant: Mutant, readable: bool) -> Ending {
    listen_for_panics();
    PANICS.set(Some(Vec::new()));
    let played = catch_unwind(AssertUnwindSafe(|| {
        let mut builder = Builder::new_current_thread();
        let runtime = builder
            .enable_time()
            .start_paused(true)
            .build_local(LocalOptions::default())
            .expect("a runtime");
        // As a task among the others: what is waited for here is looked at again after every turn of everybody's.
        runtime.block_on(async move {
            actix::spawn(async move {
                World::new(Plan::of(seed, pace), mutant, readable)
                    .live()
                    .await
            })
            .await
        })
    }));
    let panics = PANICS.take().unwrap_or_default();
    let unended = || Ending {
        violations: vec!["the world did not come to its end".into()],
        ..Ending::default()
    };
    let mut ending = played.ok().and_then(Result::ok).unwrap_or_else(unended);
    ending
        .violations
        .extend(panics.into_iter().map(|panic| format!("a panic: {panic}")));
    ending
}

impl World {
    fn new(plan: Plan, mutant: Mutant, readable: bool) -> Arc<World> {
        let chance = Chance::new(!plan.seed);
        let clock = ManualClock::new(NOON);
        let memory = Memory::new();
        for (draw, club) in plan.draws.iter().zip(&plan.clubs) {
            memory.add_club(*club, account(*club));
            memory.add_draw(draw.clone());
        }
        let database_clock = clock.clone();
        memory.set_clock(move || database_clock.true_now());
        let provider = FakeGateway::new(Arc::new(clock.clone()));
        let weather = Weather::new(&plan, clock.clone(), &chance);
        weather.over(&memory, &provider);
        Arc::new(World {
            plan,
            mutant,
            memory,
            provider,
            weather,
            house: House::default(),
            trace: Trace::new(clock.clone(), readable),
            clock,
            watch: Watch::default(),
            told: Told::default(),
            courier: chance.fork(),
            bell: Notify::new(),
            stirred: Notify::new(),
            chance,
            busy: Arc::default(),
            kept: Mutex::default(),
        })
    }

    async fn live(self: Arc<World>) -> Ending {
        for _ in 0..self.plan.nodes {
            self.house.start(&self, None).await;
        }
        for number in 1..=self.plan.buyers {
            self.sends(Buyer::new(self.clone(), number, self.chance.fork()).live());
        }
        Person::send_all(&self, &self.chance);
        actix::spawn(self.clone().carry_notices());
        self.look_on(self.plan.safety_ms).await;
        self.weather.calm_down();
        self.trace
            .note("calm", &[], || "from now on nothing goes wrong".into());
        self.house.settle(&self).await;
        self.look_on(CALM_MS).await;
        if !self.watch.is_violated() {
            audit::everything(&self).await;
        }
        let ending = self.ending();
        self.house.close();
        ending
    }

    /// Lets time pass, and looks at what is shown; stops at the first violation.
    async fn look_on(self: &Arc<World>, for_ms: u64) {
        let until = self.clock.true_now().plus_ms(for_ms as i64);
        let is_whole = self.plan.pace == Pace::Whole;
        let (mut rests, mut anew) = (0, is_whole || !self.watch.is_touched());
        let mut pause_ms = if is_whole { self.look_ms() } else { SECOND };
        while self.clock.true_now() < until && !self.watch.is_violated() && rests < RESTS {
            sleep(Duration::from_millis(pause_ms)).await;
            pause_ms = self.look_ms();
            self.watch.check_views(self);
            rests = if anew && self.is_at_rest().await {
                rests + 1
            } else {
                0
            };
            if !anew && self.weather.is_calm() && !self.is_busy() {
                self.house.start_anew(self).await;
                anew = true;
            }
        }
    }

    fn look_ms(&self) -> u64 {
        match self.plan.pace {
            _ if !self.weather.is_calm() => LOOK_MS,
            Pace::Brisk => CALM_LOOK_MS,
            Pace::Whole => LONG_LOOK_MS,
        }
    }

    async fn is_at_rest(&self) -> bool {
        let may_leave = self.weather.is_calm() && !self.plan.lasts_an_hour();
        may_leave
            && !self.is_busy()
            && audit::pending(self).await.is_empty()
            && !audit::waits_to_be_healed(self)
    }

    fn is_busy(&self) -> bool {
        Arc::strong_count(&self.busy) > 1
    }

    /// Lets somebody do something beside everybody else; the world waits for its end.
    pub fn sends(&self, task: impl Future<Output = ()> + 'static) {
        // Kilobytes: into a box at once, so that nobody carries it about.
        let (busy, task) = (self.busy.clone(), Box::pin(task));
        actix::spawn(async move {
            task.await;
            drop(busy);
        });
    }

    fn ending(&self) -> Ending {
        let facts = self.watch.facts();
        Ending {
            violations: facts.violations.clone(),
            hash: self.trace.hash(),
            events: self.trace.events(),
            met: facts.met.clone(),
            text: self.trace.text(),
        }
    }

    /// How far the clock of a new process is off.
    pub fn skew_ms(&self) -> i64 {
        let most = self.weather.rate(|_| self.plan.fates.skew_ms);
        let chosen = self.chance.below(2 * most + 1) as i64 - most as i64;
        self.mutant.skew_ms().unwrap_or(chosen)
    }

    pub fn post_is_shut(&self) -> bool {
        self.courier.happens(self.weather.rate(|r| r.post_shut))
    }

    pub fn draw(&self, id: DrawId) -> Option<Draw> {
        self.memory.draw(id)
    }

    pub fn terms(&self, id: DrawId) -> Option<Terms> {
        self.draw(id).map(|draw| *draw.terms())
    }

    /// Somebody did something with this order's payment, past us.
    pub fn is_meddled(&self, order: OrderId) -> bool {
        let meddled = &self.watch.facts().meddled;
        // Most often nobody did anything with anybody's.
        !meddled.is_empty()
            && self
                .provider
                .intents()
                .iter()
                .any(|intent| intent.said.order == Some(order) && meddled.contains(&intent.said.id))
    }

    pub fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
