//! What time it is: the system's clock, or a test's.

use domain::Timestamp;

pub trait Clock: Send + Sync {
    fn now(&self) -> Timestamp;

    /// What the machine's own clock says, which may be put right before it is told as `now`.
    fn machine(&self) -> Timestamp {
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
