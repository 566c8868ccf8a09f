//! Reads both books on a schedule, asks the domain, records and repairs.

use domain::Timestamp;
use persistence::Failure;

/// The reconciler's handle, for the operator's buttons; the schedule runs by itself.
#[derive(Clone)]
pub struct Reconciler {}

/// What a scan found (decision I-3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scanned {
    /// Payments compared.
    pub checked: u64,
    /// Anomalies that were not open before.
    pub raised: u64,
    /// Open anomalies that turned out to be mended.
    pub healed: u64,
}

impl Reconciler {
    /// Compares every payment since a time with the provider, of all accounts with orders since then, and mends what can be
    /// mended: the operator's `check` and `scan` (decision I-3).
    ///
    /// # Errors
    /// The books could not be read.
    pub async fn scan(&self, _since: Timestamp) -> Result<Scanned, Failure> {
        Err(Failure::NotWritten("starting".into()))
    }
}
