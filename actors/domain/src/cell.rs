//! A cell of the grid: a pair of jersey numbers, home and away, each 1…13.

use crate::TICKETS;

/// Number of jersey numbers per team, 1 to 13 (A:8).
pub const JERSEY_NUMBERS_PER_TEAM: u8 = 13;
const _: () = assert!(JERSEY_NUMBERS_PER_TEAM as u16 * JERSEY_NUMBERS_PER_TEAM as u16 == TICKETS);

/// One cell of the grid. Both numbers are within 1…13 by construction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cell {
    home: u8,
    away: u8,
}

impl Cell {
    /// Returns the cell of two jersey numbers. `None`: a number is outside 1…13.
    pub fn new(home: u8, away: u8) -> Option<Cell> {
        let fits = |number| (1..=JERSEY_NUMBERS_PER_TEAM).contains(&number);
        (fits(home) && fits(away)).then_some(Cell { home, away })
    }

    /// Returns the cell at a position of the grid, 0…168 (decision K-1):
    /// `home = index / 13 + 1`, `away = index % 13 + 1`.
    pub(crate) fn from_grid_index(index: u8) -> Cell {
        Cell {
            home: index / JERSEY_NUMBERS_PER_TEAM + 1,
            away: index % JERSEY_NUMBERS_PER_TEAM + 1,
        }
    }

    pub fn home(self) -> u8 {
        self.home
    }

    pub fn away(self) -> u8 {
        self.away
    }
}
