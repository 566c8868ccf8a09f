//! Timestamps on their way in and out: milliseconds here, `timestamptz` there.

use domain::Timestamp;
use time::OffsetDateTime;

/// As stored. A time beyond the calendar is pulled to its edge.
pub(crate) fn stored(at: Timestamp) -> OffsetDateTime {
    // 0001-01-01 … 9999-12-31: what both sides can say.
    const FIRST_MS: i64 = -62_135_596_800_000;
    const LAST_MS: i64 = 253_402_300_799_999;
    let nanoseconds = i128::from(at.0.clamp(FIRST_MS, LAST_MS)) * 1_000_000;
    OffsetDateTime::from_unix_timestamp_nanos(nanoseconds).expect("within the calendar")
}

/// Anything finer than a millisecond is cut off.
pub(crate) fn read(stored: OffsetDateTime) -> Timestamp {
    Timestamp(stored.unix_timestamp_nanos().div_euclid(1_000_000) as i64)
}
