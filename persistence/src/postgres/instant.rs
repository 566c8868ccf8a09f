//! Converts times between the domain (milliseconds since 1970) and the tables (`timestamptz`).

use domain::Timestamp;
use time::OffsetDateTime;

/// Converts a timestamp to its stored form. A time outside the calendar's range becomes the first
/// or last instant of the range.
pub(crate) fn to_stored_time(at: Timestamp) -> OffsetDateTime {
    // The range that both types can represent: 0001-01-01 to 9999-12-31, in milliseconds since
    // 1970.
    const FIRST_STORABLE_MS: i64 = -62_135_596_800_000;
    const LAST_STORABLE_MS: i64 = 253_402_300_799_999;
    let nanoseconds = i128::from(at.0.clamp(FIRST_STORABLE_MS, LAST_STORABLE_MS)) * 1_000_000;
    OffsetDateTime::from_unix_timestamp_nanos(nanoseconds).expect("within the calendar")
}

/// Converts a timestamp from its stored form, truncated to milliseconds.
pub(crate) fn from_stored_time(stored: OffsetDateTime) -> Timestamp {
    Timestamp(stored.unix_timestamp_nanos().div_euclid(1_000_000) as i64)
}
