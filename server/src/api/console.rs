//! Bodies of the operator console. They hold data of all clubs and buyers, so only operators read
//! them.

pub mod anomaly;
pub mod audit;
pub mod club;
pub mod draw;
pub mod health;
pub mod money;
pub mod order;
pub mod system;

use domain::Timestamp;
use time::OffsetDateTime;

/// Formats a database timestamp as RFC 3339.
pub fn format_timestamp(at: OffsetDateTime) -> String {
    super::time_format::rfc3339(Timestamp((at.unix_timestamp_nanos() / 1_000_000) as i64))
}
