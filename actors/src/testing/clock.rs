//! A clock that follows tokio's: with paused time it moves only when every task waits, and then at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use domain::Timestamp;
use tokio::time::Instant;

use crate::Clock;

/// Clones show the same time.
#[derive(Clone, Debug)]
pub struct ManualClock {
    began: Timestamp,
    since: Instant,
    skew_ms: Arc<AtomicI64>,
}

impl ManualClock {
    /// Shows `began` now. Must be made inside a tokio runtime.
    pub fn new(began: Timestamp) -> ManualClock {
        ManualClock {
            began,
            since: Instant::now(),
            skew_ms: Arc::default(),
        }
    }

    /// Lets the time pass, timers and all; needs paused time.
    pub async fn advance(&self, by: Duration) {
        tokio::time::sleep(by).await;
    }

    /// Lets the time pass until this clock shows `until`.
    pub async fn advance_to(&self, until: Timestamp) {
        let left = until.ms_since(self.now()).max(0);
        self.advance(Duration::from_millis(left as u64)).await;
    }

    /// How far this clock is off: a badly set machine.
    pub fn set_skew_ms(&self, skew_ms: i64) {
        self.skew_ms.store(skew_ms, Ordering::Relaxed);
    }

    /// The same clock without its skew: the database's.
    pub fn true_now(&self) -> Timestamp {
        self.began.plus_ms(self.since.elapsed().as_millis() as i64)
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        self.true_now()
            .plus_ms(self.skew_ms.load(Ordering::Relaxed))
    }
}
