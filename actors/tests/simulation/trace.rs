//! The events of a simulated world in order: always as a hash, and as text on request.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use actors::testing::ManualClock;

use super::plan::NOON;

pub struct Trace {
    clock: ManualClock,
    hash: AtomicU64,
    events: AtomicU64,
    text: Option<Mutex<Vec<String>>>,
}

impl Trace {
    pub fn new(clock: ManualClock, readable: bool) -> Trace {
        let text = readable.then(Mutex::default);
        Trace {
            clock,
            hash: AtomicU64::new(0xCBF2_9CE4_8422_2325),
            events: AtomicU64::new(0),
            text,
        }
    }

    /// Records an event. The numbers always go into the hash; `sentence` is called only if text was
    /// requested.
    pub fn record_event(
        &self,
        what: &'static str,
        numbers: &[u64],
        sentence: impl FnOnce() -> String,
    ) {
        let now = self.clock.true_now().ms_since(NOON);
        let mut hash = self.hash.load(Ordering::Relaxed);
        let bytes = what.bytes().map(u64::from);
        for number in bytes.chain([now as u64]).chain(numbers.iter().copied()) {
            hash = (hash ^ number)
                .wrapping_mul(0x0000_0100_0000_01B3)
                .rotate_left(5);
        }
        self.hash.store(hash, Ordering::Relaxed);
        self.events.fetch_add(1, Ordering::Relaxed);
        if let Some(text) = &self.text {
            let line = format!(
                "{:>5}.{:03} {what:<9} {}",
                now / 1000,
                now % 1000,
                sentence()
            );
            text.lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(line);
        }
    }

    pub fn hash(&self) -> u64 {
        self.hash.load(Ordering::Relaxed)
    }

    pub fn event_count(&self) -> u64 {
        self.events.load(Ordering::Relaxed)
    }

    pub fn text(&self) -> Vec<String> {
        let text = self
            .text
            .as_ref()
            .map(|text| text.lock().unwrap_or_else(PoisonError::into_inner).clone());
        text.unwrap_or_default()
    }
}
