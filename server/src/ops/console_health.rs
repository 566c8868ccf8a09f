//! The state of background work, and the offset of this machine's clock from the database's. The
//! server corrects the offset ([`crate::ops::clock`]), but an operator should set the machine's
//! clock right (reliability.md, F46).

use actors::Clock;
use persistence::Failure;
use persistence::records::Records;
use persistence::records::console::vitals::BackgroundWorkHealth;

use crate::ops::clock::measure_ms_ahead_of_database;

/// Maximum accepted clock offset in seconds. A larger offset is shown to the operator and raises an
/// alert.
pub const CLOCK_OFFSET_SECONDS_MAX: i64 = 60;

/// Reads the state of background work, and the number of milliseconds by which this machine's clock
/// is ahead of the database's (negative: behind).
///
/// # Errors
///
/// The database could not be read.
pub async fn read_vitals(
    clock: &dyn Clock,
    records: &Records,
) -> Result<(BackgroundWorkHealth, i64), Failure> {
    let vitals = records.background_work_health().await?;
    Ok((
        vitals,
        measure_ms_ahead_of_database(|| clock.uncorrected_now(), records).await?,
    ))
}
