//! The machine's clock, corrected by the database's clock. All nodes sell by the database's time
//! (reliability.md F46). A machine whose clock is minutes off would close sales too early, hold the
//! draws of a dead node too long, and reject Stripe's webhooks.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use actors::Clock;
use domain::Timestamp;
use persistence::Failure;
use persistence::records::Records;

/// Interval between readings of the database's clock.
const SYNC_INTERVAL: Duration = Duration::from_secs(10);
/// Clock offsets up to this are ignored, so that the corrected clock does not jitter.
const IGNORED_CLOCK_OFFSET_MS: i64 = 500;

/// The machine's clock, corrected to the database's clock.
pub struct DatabaseClock {
    machine: Arc<dyn Clock>,
    /// Offset of the machine's clock from the database's, in milliseconds. It changes only when the
    /// measured offset differs by more than [`IGNORED_CLOCK_OFFSET_MS`].
    ahead_ms: AtomicI64,
}

impl DatabaseClock {
    /// Creates a clock without a correction. It follows `machine` until the first reading.
    pub fn new(machine: Arc<dyn Clock>) -> DatabaseClock {
        DatabaseClock {
            machine,
            ahead_ms: AtomicI64::new(0),
        }
    }

    /// Reads the database's clock once, and corrects this clock if it differs.
    ///
    /// # Errors
    ///
    /// The database could not be read. The last measured offset stays in use.
    pub async fn sync(&self, records: &Records) -> Result<(), Failure> {
        let off_ms = measure_ms_ahead_of_database(|| self.now(), records).await?;
        if off_ms.abs() > IGNORED_CLOCK_OFFSET_MS {
            let ahead_ms = self.ahead_ms.fetch_add(off_ms, Ordering::Relaxed) + off_ms;
            tracing::error!(
                ahead_ms,
                "machine clock differs from the database clock: following the database"
            );
        }
        Ok(())
    }

    /// Corrects this clock by the database's clock at regular intervals; never returns.
    pub async fn follow_database_time(self: Arc<Self>, records: Records) {
        loop {
            tokio::time::sleep(SYNC_INTERVAL).await;
            if let Err(failure) = self.sync(&records).await {
                tracing::debug!(%failure, "database clock not read: trying again later");
            }
        }
    }
}

impl Clock for DatabaseClock {
    fn now(&self) -> Timestamp {
        self.machine
            .now()
            .plus_ms(-self.ahead_ms.load(Ordering::Relaxed))
    }

    fn uncorrected_now(&self) -> Timestamp {
        self.machine.uncorrected_now()
    }
}

/// Measures by how many milliseconds, at least, a clock is ahead of the database's clock. Negative
/// means behind.
///
/// # Errors
///
/// The database could not be read.
pub async fn measure_ms_ahead_of_database(
    clock: impl Fn() -> Timestamp,
    records: &Records,
) -> Result<i64, Failure> {
    let before = clock();
    let database = records.database_time().await?;
    Ok(smallest_clock_offset_ms(before, database, clock()))
}

/// The smallest possible offset in milliseconds. The database read its clock at some time between
/// request and response, so a time within that interval counts as no offset.
fn smallest_clock_offset_ms(before: Timestamp, database: Timestamp, after: Timestamp) -> i64 {
    before.ms_since(database).max(0) + after.ms_since(database).min(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_database_response_is_not_a_clock_offset() {
        let off = |before, database, after| {
            smallest_clock_offset_ms(Timestamp(before), Timestamp(database), Timestamp(after))
        };
        assert_eq!(off(1_000, 1_000, 1_000), 0);
        assert_eq!(off(1_000, 40_000, 90_000), 0, "it took a minute and a half");
        assert_eq!(off(601_000, 1_000, 602_000), 600_000, "ahead");
        assert_eq!(off(1_000, 602_000, 2_000), -600_000, "behind");
    }
}
