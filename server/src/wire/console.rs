//! What the operator's console is told: everything about everybody, so every type here is for the operator's eyes only.

pub mod anomaly;
pub mod audit;
pub mod club;
pub mod desk;
pub mod health;
pub mod money;
pub mod order;
pub mod system;

use domain::Timestamp;
use time::OffsetDateTime;

/// A database's instant as the wire writes it.
pub fn instant(at: OffsetDateTime) -> String {
    super::instant::rfc3339(Timestamp((at.unix_timestamp_nanos() / 1_000_000) as i64))
}
