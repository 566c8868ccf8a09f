//! The result of a game: the jersey numbers of the two first try scorers.

use crate::Cell;

/// The jersey number that counts for a team that scored no try (A:8).
pub const NO_TRY_JERSEY_NUMBER: u8 = 9;

/// The result of a game: the winning cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameResult {
    pub cell: Cell,
}

impl GameResult {
    /// Returns the result of two jersey numbers. `None`: a number is outside 1…13.
    pub fn new(home: u8, away: u8) -> Option<GameResult> {
        Cell::new(home, away).map(|cell| GameResult { cell })
    }
}
