//! The machine's clock, put right by the books': every node sells by one time, and that is the database's (reliability.md F46). A
//! machine that is minutes off would end sales too soon, hold what it claims for a node that is gone, and refuse the provider's
//! notices.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use actors::Clock;
use domain::Timestamp;
use persistence::Failure;
use persistence::records::Records;

/// How often the books are asked.
const LOOK_EVERY: Duration = Duration::from_secs(10);
/// So far off a clock is left alone: machines that are kept in time are, and what was put right does not tremble.
const OFF_MS_MAX: i64 = 500;

pub struct BooksClock {
    machine: Arc<dyn Clock>,
    /// The machine's clock less the books', when they last differed by more than [`OFF_MS_MAX`] from what was known.
    ahead_ms: AtomicI64,
}

impl BooksClock {
    /// Says what `machine` says, until the books were asked.
    pub fn over(machine: Arc<dyn Clock>) -> BooksClock {
        BooksClock {
            machine,
            ahead_ms: AtomicI64::new(0),
        }
    }

    /// Asks the books once.
    ///
    /// # Errors
    /// They could not be read: what was known stays.
    pub async fn look(&self, records: &Records) -> Result<(), Failure> {
        let off_ms = ahead_ms(|| self.now(), records).await?;
        if off_ms.abs() > OFF_MS_MAX {
            let ahead_ms = self.ahead_ms.fetch_add(off_ms, Ordering::Relaxed) + off_ms;
            tracing::error!(
                ahead_ms,
                "this machine's clock is not the database's, which is followed"
            );
        }
        Ok(())
    }

    /// Asks them again and again, for ever.
    pub async fn follow(self: Arc<Self>, records: Records) {
        loop {
            tokio::time::sleep(LOOK_EVERY).await;
            if let Err(failure) = self.look(&records).await {
                tracing::debug!(%failure, "what time it is by the books is asked later");
            }
        }
    }
}

impl Clock for BooksClock {
    fn now(&self) -> Timestamp {
        self.machine
            .now()
            .plus_ms(-self.ahead_ms.load(Ordering::Relaxed))
    }

    fn machine(&self) -> Timestamp {
        self.machine.machine()
    }
}

/// By how many milliseconds a clock is ahead of the books' (negative: behind), as far as is certain.
///
/// # Errors
/// The books could not be read.
pub async fn ahead_ms(clock: impl Fn() -> Timestamp, records: &Records) -> Result<i64, Failure> {
    let asked = clock();
    let books = records.time().await?;
    Ok(off_ms(asked, books, clock()))
}

/// The books looked at their clock between our question and their answer: only what lies outside is a difference.
fn off_ms(asked: Timestamp, books: Timestamp, answered: Timestamp) -> i64 {
    asked.ms_since(books).max(0) + answered.ms_since(books).min(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_answer_is_no_wrong_clock() {
        let off = |asked, books, answered| {
            off_ms(Timestamp(asked), Timestamp(books), Timestamp(answered))
        };
        assert_eq!(off(1_000, 1_000, 1_000), 0);
        assert_eq!(off(1_000, 40_000, 90_000), 0, "it took a minute and a half");
        assert_eq!(off(601_000, 1_000, 602_000), 600_000, "ahead");
        assert_eq!(off(1_000, 602_000, 2_000), -600_000, "behind");
    }
}
