//! Converts timestamps: milliseconds in the domain, `timestamptz` in the tables.

use domain::Timestamp;
use time::OffsetDateTime;

/// Converts to the stored form. A time outside the calendar becomes its first or last instant.
pub(crate) fn stored(at: Timestamp) -> OffsetDateTime {
    // 0001-01-01 … 9999-12-31: the range that both types have.
    const FIRST_MS: i64 = -62_135_596_800_000;
    const LAST_MS: i64 = 253_402_300_799_999;
    let nanoseconds = i128::from(at.0.clamp(FIRST_MS, LAST_MS)) * 1_000_000;
    OffsetDateTime::from_unix_timestamp_nanos(nanoseconds).expect("within the calendar")
}

/// Converts from the stored form, truncated to milliseconds.
pub(crate) fn read(stored: OffsetDateTime) -> Timestamp {
    Timestamp(stored.unix_timestamp_nanos().div_euclid(1_000_000) as i64)
}
