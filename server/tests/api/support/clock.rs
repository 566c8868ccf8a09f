//! The clock of the test server.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use actors::Clock;
use domain::Timestamp;
use sandbox::clock::SandboxClock;

/// The sandbox's clock plus an offset that a test can change.
#[derive(Default)]
pub struct AdvanceableClock {
    sandbox: Arc<SandboxClock>,
    ahead_ms: AtomicI64,
}

impl AdvanceableClock {
    pub fn new(sandbox: Arc<SandboxClock>) -> AdvanceableClock {
        AdvanceableClock {
            sandbox,
            ahead_ms: AtomicI64::new(0),
        }
    }

    /// Moves the clock forward; a negative number moves it back.
    pub fn advance_seconds(&self, seconds: i64) {
        self.ahead_ms.fetch_add(seconds * 1000, Ordering::Relaxed);
    }
}

impl Clock for AdvanceableClock {
    fn now(&self) -> Timestamp {
        self.sandbox
            .now()
            .plus_ms(self.ahead_ms.load(Ordering::Relaxed))
    }
}
