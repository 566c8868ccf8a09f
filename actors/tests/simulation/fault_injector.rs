//! Injects faults into calls to the store and the provider, until the fault phase ends.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use actors::testing::{self, FakeGateway, GatewayCall, ManualClock};
use persistence::memory::{MemoryCall, MemoryFault, MemoryStores};

use super::plan::{FaultRates, NOON, WorldPlan};
use super::random_stream::RandomStream;

/// One lease renewal or poll in this many may be slow.
const SLOW_POLL_ONE_IN: u64 = 8;

pub struct FaultInjector {
    rates: FaultRates,
    clock: ManualClock,
    faults_over: AtomicBool,
    store_random: RandomStream,
    provider_random: RandomStream,
    outage_from_ms: i64,
    last: Mutex<MemoryFault>,
}

impl FaultInjector {
    pub fn new(plan: &WorldPlan, clock: ManualClock, random: &RandomStream) -> Arc<FaultInjector> {
        let outage_from_ms = plan.first_kick_off_ms() as i64 - (plan.rates.outage_ms / 2) as i64;
        Arc::new(FaultInjector {
            rates: plan.rates.clone(),
            clock,
            faults_over: AtomicBool::new(false),
            store_random: random.fork(),
            provider_random: random.fork(),
            outage_from_ms,
            last: Mutex::default(),
        })
    }

    /// Installs the faults in the store and the provider.
    pub fn install(self: &Arc<FaultInjector>, memory: &MemoryStores, provider: &FakeGateway) {
        let injector = self.clone();
        memory.set_faults(move |call| injector.choose_store_fault(call));
        let injector = self.clone();
        provider.set_faults(move |asked| injector.choose_provider_fault(asked));
        let injector = self.clone();
        provider.set_call_delays(move |_| injector.random_delay(injector.rates.provider_slow_ms));
    }

    pub fn end_faults(&self) {
        self.faults_over.store(true, Ordering::Relaxed);
    }

    pub fn have_faults_ended(&self) -> bool {
        self.faults_over.load(Ordering::Relaxed)
    }

    /// Returns the current rate of a fault, per thousand. Zero after the fault phase.
    pub fn current_fault_rate(&self, of: impl FnOnce(&FaultRates) -> u64) -> u64 {
        if self.have_faults_ended() {
            0
        } else {
            of(&self.rates)
        }
    }

    /// Delays a request to the database, or its answer, by a random time. No delay after the fault
    /// phase.
    pub async fn delay_store_call(&self) {
        let pause = self.random_delay(self.rates.database_slow_ms);
        if !pause.is_zero() {
            tokio::time::sleep(pause).await;
        }
    }

    /// Delays a lease renewal or a poll by a random time. Both happen several times a second, so
    /// they are delayed less often; otherwise a world would mostly wait for them.
    pub async fn delay_poll(&self) {
        if self.rates.database_slow_ms > 0 && self.store_random.below(SLOW_POLL_ONE_IN) == 0 {
            self.delay_store_call().await;
        }
    }

    /// Returns the fault that the latest call to the store had.
    pub fn last_store_fault(&self) -> MemoryFault {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn random_delay(&self, most_ms: u64) -> Duration {
        if self.have_faults_ended() || most_ms == 0 || self.provider_random.coin_flip() {
            return Duration::ZERO;
        }
        Duration::from_millis(self.provider_random.between(1, most_ms))
    }

    fn choose_store_fault(&self, call: MemoryCall<'_>) -> MemoryFault {
        let random = &self.store_random;
        let fault = match call {
            MemoryCall::Read(_) if random.happens(self.current_fault_rate(|r| r.read_failed)) => {
                MemoryFault::NotWritten
            }
            MemoryCall::Read(_) => MemoryFault::None,
            _ if random.happens(self.current_fault_rate(|r| r.not_written)) => {
                MemoryFault::NotWritten
            }
            _ if random.happens(self.current_fault_rate(|r| r.written_unknown)) => {
                MemoryFault::UnknownWritten
            }
            _ if random.happens(self.current_fault_rate(|r| r.unwritten_unknown)) => {
                MemoryFault::UnknownNotWritten
            }
            _ => MemoryFault::None,
        };
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = fault;
        fault
    }

    fn choose_provider_fault(&self, _: GatewayCall<'_>) -> testing::Fault {
        use testing::Fault;
        let random = &self.provider_random;
        match () {
            () if self.is_provider_down() => Fault::Unavailable,
            () if random.happens(self.current_fault_rate(|r| r.unavailable)) => Fault::Unavailable,
            () if random.happens(self.current_fault_rate(|r| r.timeout_before)) => {
                Fault::TimeoutBefore
            }
            () if random.happens(self.current_fault_rate(|r| r.timeout_after)) => {
                Fault::TimeoutAfter
            }
            () if random.happens(self.current_fault_rate(|r| r.cached_error)) => Fault::CachedError,
            () if random.happens(self.current_fault_rate(|r| r.cached_error_after)) => {
                Fault::CachedErrorAfter
            }
            () => Fault::None,
        }
    }

    fn is_provider_down(&self) -> bool {
        let now = self.clock.true_now().ms_since(NOON);
        let until = self.outage_from_ms + self.rates.outage_ms as i64;
        !self.have_faults_ended() && (self.outage_from_ms..until).contains(&now)
    }
}
