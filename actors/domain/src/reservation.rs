//! Reservations: a number of tickets that are held for one order until a time.

use crate::Timestamp;

/// Duration of a reservation as the buyer sees it, in seconds (A:187).
pub const SHOWN_RESERVATION_SECONDS: i64 = 120;
/// Actual duration of a reservation, in seconds. The additional grace period lets a buyer complete
/// a 3-D Secure page late (decision C-1).
pub const ACTUAL_RESERVATION_SECONDS: i64 = 150;
/// How often one reservation can be extended with "Keep my tickets" (decision B-8).
pub const EXTENSIONS_PER_RESERVATION_MAX: u8 = 10;

/// The reservation of one order in one draw. It is active until just before `until`.
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
