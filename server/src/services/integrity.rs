//! Checks the invariants that the database defines for its own data (decision B-24).

use std::collections::BTreeMap;

use domain::Timestamp;
use persistence::Failure;
use persistence::records::Records;
use tokio::sync::Mutex;

/// Cached result of the invariant check: the number of violating rows by invariant.
#[derive(Default)]
pub struct IntegrityCache(Mutex<Option<(Timestamp, BTreeMap<String, u64>)>>);

impl IntegrityCache {
    /// Returns the violated invariants with the number of violating rows. A cached result is at
    /// most `seconds` old.
    ///
    /// # Errors
    /// The database could not be read.
    pub async fn violations_not_older_than(
        &self,
        records: &Records,
        now: Timestamp,
        seconds: i64,
    ) -> Result<BTreeMap<String, u64>, Failure> {
        let mut last = self.0.lock().await;
        if let Some((_, found)) = last
            .as_ref()
            .filter(|(at, _)| now < at.plus_seconds(seconds))
        {
            return Ok(found.clone());
        }
        let mut found = BTreeMap::new();
        for violation in records.violations().await? {
            *found.entry(violation.invariant).or_default() += 1;
        }
        Ok(last.insert((now, found)).1.clone())
    }
}
