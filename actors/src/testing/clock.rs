//! A clock that follows tokio's clock. When tokio's time is paused, it advances only while all
//! tasks wait, and then without delay.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use domain::Timestamp;
use tokio::time::Instant;

use crate::Clock;

/// A clock that follows tokio's clock. All clones show the same time.
#[derive(Clone, Debug)]
pub struct ManualClock {
    began: Timestamp,
    since: Instant,
    skew_ms: Arc<AtomicI64>,
}

impl ManualClock {
    /// Returns a clock that now shows the time `began`. Must be called inside a tokio runtime.
    pub fn new(began: Timestamp) -> ManualClock {
        ManualClock {
            began,
            since: Instant::now(),
            skew_ms: Arc::default(),
        }
    }

    /// Advances the time, and lets the timers fire that become due. Needs paused tokio time.
    pub async fn advance(&self, by: Duration) {
        tokio::time::sleep(by).await;
    }

    /// Advances the time until this clock shows `until`.
    pub async fn advance_to(&self, until: Timestamp) {
        let left = until.ms_since(self.now()).max(0);
        self.advance(Duration::from_millis(left as u64)).await;
    }

    /// Sets how wrong this clock is, like the clock of a misconfigured machine. In milliseconds.
    pub fn set_skew_ms(&self, skew_ms: i64) {
        self.skew_ms.store(skew_ms, Ordering::Relaxed);
    }

    /// Returns the time without the skew. This is the time that the database uses.
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
