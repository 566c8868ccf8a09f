//! A buyer's exclusive, time-limited claim on a count of tickets.

use crate::Timestamp;

/// How long the buyer sees the tickets kept (A:187).
pub const SHOWN_SECONDS: i64 = 120;
/// How long they really are, so that a 3-D Secure page that finishes late still gets its tickets (decision C-1).
pub const KEPT_SECONDS: i64 = 150;
/// How often "Keep my tickets" may be pressed (decision B-8).
pub const EXTENSIONS_MAX: u8 = 10;

/// One order's claim on one draw: a count until a time, exclusive of that instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reservation {
    pub count: u16,
    pub until: Timestamp,
    pub extensions: u8,
}

impl Reservation {
    pub fn is_active(&self, now: Timestamp) -> bool {
        now < self.until
    }
}
