//! The demo's clock: the machine's clock plus an offset that can only grow.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use actors::{Clock, SystemClock};
use domain::Timestamp;
use persistence::Failure;
use persistence::records::Records;

/// The demo's clock. The server, the Stripe sandbox and the mailbox share it, and the database's
/// clock has the same offset.
#[derive(Debug, Default)]
pub struct SandboxClock {
    ahead_ms: AtomicI64,
    /// Locked while the clock is moved, so that concurrent requests move it one after the other.
    moving: tokio::sync::Mutex<()>,
}

impl SandboxClock {
    /// Creates the clock with the offset that the database stores.
    ///
    /// # Errors
    ///
    /// The database could not be read.
    pub async fn load(records: &Records) -> Result<Arc<SandboxClock>, Failure> {
        let clock = SandboxClock::default();
        clock
            .ahead_ms
            .store(records.clock_ahead_ms().await?, Ordering::Relaxed);
        Ok(Arc::new(clock))
    }

    /// Whether the clock was ever moved.
    pub fn is_moved(&self) -> bool {
        self.ahead_ms.load(Ordering::Relaxed) > 0
    }

    /// Returns the time in seconds since 1970.
    pub fn unix_seconds(&self) -> i64 {
        self.now().0 / 1000
    }

    /// Moves the database's clock by `by_ms`, then this clock. The caller must wake tasks that
    /// sleep until a deadline, because they do not notice the change.
    ///
    /// # Errors
    ///
    /// The database could not be written.
    pub async fn advance(&self, records: &Records, by_ms: i64) -> Result<(), Failure> {
        let _guard = self.moving.lock().await;
        let ahead_ms = records
            .move_clock_ahead(self.ahead_ms.load(Ordering::Relaxed) + by_ms)
            .await?;
        self.ahead_ms.fetch_max(ahead_ms, Ordering::Relaxed);
        Ok(())
    }

    /// Moves only this clock by `by_ms`, for tests of the sandbox without a database.
    pub fn advance_without_database(&self, by_ms: i64) {
        self.ahead_ms.fetch_add(by_ms, Ordering::Relaxed);
    }
}

impl Clock for SandboxClock {
    fn now(&self) -> Timestamp {
        SystemClock
            .now()
            .plus_ms(self.ahead_ms.load(Ordering::Relaxed))
    }
}
