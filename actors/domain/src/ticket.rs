//! The serial number of a ticket within its draw.

use crate::{DrawId, TICKETS};

/// The serial number of a ticket, 1…169.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Serial(u8);

impl Serial {
    pub fn new(number: u16) -> Option<Serial> {
        (1..=TICKETS)
            .contains(&number)
            .then_some(Serial(number as u8))
    }

    pub fn number(self) -> u16 {
        self.0.into()
    }

    /// Returns all serial numbers of a draw, ascending.
    pub fn all() -> impl Iterator<Item = Serial> {
        (1..=TICKETS as u8).map(Serial)
    }

    /// Returns the ticket number that the buyer sees, for example `FD-1042-007` (decision E-19).
    pub fn label(self, draw: DrawId) -> String {
        format!("FD-{draw}-{:03}", self.0)
    }
}
