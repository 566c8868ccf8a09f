//! How the work that goes on by itself is doing, and how far this node's clock is from the books'. Theirs decides when sales end;
//! a node's own decides which notices are of now, and refuses on its own account what it takes for late (reliability.md, F46).

use domain::Timestamp;
use persistence::Failure;
use persistence::records::console::vitals::Vitals;

use crate::state::State;

/// A clock that is further off is shown to the operator, and somebody is woken. Notices are refused from five minutes.
pub const CLOCK_OFF_SECONDS_MAX: i64 = 60;

/// What the books say, and by how many milliseconds this node's clock is ahead of theirs (negative: behind).
///
/// # Errors
/// The books could not be read.
pub async fn read(state: &State) -> Result<(Vitals, i64), Failure> {
    let asked = state.clock.now();
    let vitals = state.records.vitals().await?;
    let books = Timestamp((vitals.at.unix_timestamp_nanos() / 1_000_000) as i64);
    let off_ms = off_ms(asked, books, state.clock.now());
    Ok((vitals, off_ms))
}

/// The books looked at their clock between our question and their answer: only what lies outside is a difference.
fn off_ms(asked: Timestamp, books: Timestamp, answered: Timestamp) -> i64 {
    asked.ms_since(books).max(0) + answered.ms_since(books).min(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_answer_is_no_wrong_clock() {
        let off = |asked, books, answered| off_ms(Timestamp(asked), Timestamp(books), Timestamp(answered));
        assert_eq!(off(1_000, 1_000, 1_000), 0);
        assert_eq!(off(1_000, 40_000, 90_000), 0, "it took a minute and a half");
        assert_eq!(off(601_000, 1_000, 602_000), 600_000, "ahead");
        assert_eq!(off(1_000, 602_000, 2_000), -600_000, "behind");
    }
}
