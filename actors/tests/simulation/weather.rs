//! What goes wrong with the books and the provider, call by call, until it is calm.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use actors::testing::{self, Asked, FakeGateway, ManualClock};
use persistence::memory::{self, Call, Memory};

use super::chance::Chance;
use super::plan::{NOON, Plan, Rates};

/// Every so many beats the books may be slow for one.
const SLOW_BEAT_ONE_IN: u64 = 8;

pub struct Weather {
    rates: Rates,
    clock: ManualClock,
    calm: AtomicBool,
    books: Chance,
    provider: Chance,
    outage_from_ms: i64,
    last: Mutex<memory::Fault>,
}

impl Weather {
    pub fn new(plan: &Plan, clock: ManualClock, chance: &Chance) -> Arc<Weather> {
        let outage_from_ms = plan.first_kick_off_ms() as i64 - (plan.rates.outage_ms / 2) as i64;
        Arc::new(Weather {
            rates: plan.rates.clone(),
            clock,
            calm: AtomicBool::new(false),
            books: chance.fork(),
            provider: chance.fork(),
            outage_from_ms,
            last: Mutex::default(),
        })
    }

    /// Lets it rain on both books.
    pub fn over(self: &Arc<Weather>, memory: &Memory, provider: &FakeGateway) {
        let weather = self.clone();
        memory.set_faults(move |call| weather.books_fault(call));
        let weather = self.clone();
        provider.set_faults(move |asked| weather.provider_fault(asked));
        let weather = self.clone();
        provider.set_pace(move |_| weather.pause(weather.rates.provider_slow_ms));
    }

    pub fn calm_down(&self) {
        self.calm.store(true, Ordering::Relaxed);
    }

    pub fn is_calm(&self) -> bool {
        self.calm.load(Ordering::Relaxed)
    }

    /// A rate as it is now.
    pub fn rate(&self, of: impl FnOnce(&Rates) -> u64) -> u64 {
        if self.is_calm() { 0 } else { of(&self.rates) }
    }

    /// On the way to the books, or back.
    pub async fn books_pause(&self) {
        let pause = self.pause(self.rates.books_slow_ms);
        if !pause.is_zero() {
            tokio::time::sleep(pause).await;
        }
    }

    /// The same for what a node says and hears several times a second, lease by lease: now and then it is slow, too. Were it as
    /// often as everything else, worlds would be busy with little but that.
    pub async fn beat_pause(&self) {
        if self.rates.books_slow_ms > 0 && self.books.below(SLOW_BEAT_ONE_IN) == 0 {
            self.books_pause().await;
        }
    }

    /// The fault of the memory's latest call.
    pub fn last_books_fault(&self) -> memory::Fault {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn pause(&self, most_ms: u64) -> Duration {
        if self.is_calm() || most_ms == 0 || self.provider.coin() {
            return Duration::ZERO;
        }
        Duration::from_millis(self.provider.between(1, most_ms))
    }

    fn books_fault(&self, call: Call<'_>) -> memory::Fault {
        use memory::Fault;
        let chance = &self.books;
        let fault = match call {
            Call::Read(_) if chance.happens(self.rate(|r| r.unread)) => Fault::NotWritten,
            Call::Read(_) => Fault::None,
            _ if chance.happens(self.rate(|r| r.not_written)) => Fault::NotWritten,
            _ if chance.happens(self.rate(|r| r.written_unknown)) => Fault::UnknownWritten,
            _ if chance.happens(self.rate(|r| r.unwritten_unknown)) => Fault::UnknownNotWritten,
            _ => Fault::None,
        };
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = fault;
        fault
    }

    fn provider_fault(&self, _: Asked<'_>) -> testing::Fault {
        use testing::Fault;
        let chance = &self.provider;
        match () {
            () if self.provider_is_away() => Fault::Unavailable,
            () if chance.happens(self.rate(|r| r.unavailable)) => Fault::Unavailable,
            () if chance.happens(self.rate(|r| r.timeout_before)) => Fault::TimeoutBefore,
            () if chance.happens(self.rate(|r| r.timeout_after)) => Fault::TimeoutAfter,
            () if chance.happens(self.rate(|r| r.cached_error)) => Fault::CachedError,
            () if chance.happens(self.rate(|r| r.cached_error_after)) => Fault::CachedErrorAfter,
            () => Fault::None,
        }
    }

    fn provider_is_away(&self) -> bool {
        let now = self.clock.true_now().ms_since(NOON);
        let until = self.outage_from_ms + self.rates.outage_ms as i64;
        !self.is_calm() && (self.outage_from_ms..until).contains(&now)
    }
}
