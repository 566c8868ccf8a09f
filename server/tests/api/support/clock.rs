//! The machine's clock, and some more.

use std::sync::atomic::{AtomicI64, Ordering};

use actors::{Clock, SystemClock};
use domain::Timestamp;

/// Runs with the machine; a test may push it ahead.
#[derive(Default)]
pub struct PushedClock {
    ahead_ms: AtomicI64,
}

impl PushedClock {
    pub fn push_seconds(&self, seconds: i64) {
        self.ahead_ms.fetch_add(seconds * 1000, Ordering::Relaxed);
    }
}

impl Clock for PushedClock {
    fn now(&self) -> Timestamp {
        SystemClock
            .now()
            .plus_ms(self.ahead_ms.load(Ordering::Relaxed))
    }
}
