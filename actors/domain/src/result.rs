//! The result of a game: the jersey numbers of the two first try scorers.

use crate::Cell;

/// The number of a team without a try (A:8).
pub const NO_TRY: u8 = 9;

/// The result of a game: the winning cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameResult {
    pub cell: Cell,
}

impl GameResult {
    /// `None` when either number is outside 1…13.
    pub fn new(home: u8, away: u8) -> Option<GameResult> {
        Cell::new(home, away).map(|cell| GameResult { cell })
    }
}
