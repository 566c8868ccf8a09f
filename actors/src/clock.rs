//! The current time, from the system clock or from a test clock.

use domain::Timestamp;

/// A source of the current time.
pub trait Clock: Send + Sync {
    fn now(&self) -> Timestamp;

    /// Returns the time of the machine's own clock. Unlike `now`, it is never corrected.
    fn uncorrected_now(&self) -> Timestamp {
        self.now()
    }
}

/// The machine's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let since_1970 = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .unwrap_or_default();
        Timestamp(since_1970.as_millis() as i64)
    }
}
