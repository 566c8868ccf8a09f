//! The two first try scorers' jersey numbers.

use crate::Cell;

/// The number a team gets when it does not score (A:8).
pub const NO_TRY: u8 = 9;

/// The result of a game, as a volunteer enters it: the cell that wins.
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
