//! How the work that goes on by itself is doing, and how far this machine's clock is from the books', which it follows
//! ([`crate::clock`]): somebody should put it right (reliability.md, F46).

use persistence::Failure;
use persistence::records::console::vitals::Vitals;

use crate::clock::ahead_ms;
use crate::state::State;

/// A machine that is further off is shown to the operator, and somebody is woken.
pub const CLOCK_OFF_SECONDS_MAX: i64 = 60;

/// What the books say, and by how many milliseconds this machine's clock is ahead of theirs (negative: behind).
///
/// # Errors
/// The books could not be read.
pub async fn read(state: &State) -> Result<(Vitals, i64), Failure> {
    let vitals = state.records.vitals().await?;
    Ok((
        vitals,
        ahead_ms(|| state.clock.machine(), &state.records).await?,
    ))
}
