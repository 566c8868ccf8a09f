//! The demo's clock: the machine's clock plus an offset that only grows.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use actors::{Clock, SystemClock};
use domain::Timestamp;
use persistence::Failure;
use persistence::records::Records;

/// The demo's clock. The server, the Stripe stand-in, the mailbox and the database share it.
#[derive(Debug, Default)]
pub struct SandboxClock {
    ahead_ms: AtomicI64,
    /// Held while the clock moves, so that moves run one at a time.
    moving: tokio::sync::Mutex<()>,
}

impl SandboxClock {
    /// Reads the clock's offset from the database.
    ///
    /// # Errors
    ///
    /// The database could not be read.
    pub async fn read(records: &Records) -> Result<Arc<SandboxClock>, Failure> {
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

    /// Seconds since 1970.
    pub fn unix_seconds(&self) -> i64 {
        self.now().0 / 1000
    }

    /// Moves the database's clock, then this one. The caller must wake tasks that sleep until a
    /// deadline.
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
}

impl Clock for SandboxClock {
    fn now(&self) -> Timestamp {
        SystemClock
            .now()
            .plus_ms(self.ahead_ms.load(Ordering::Relaxed))
    }
}
