//! For the platform operator alone.

use crate::error::Problem;
use crate::form::trimmed;
use crate::wire::console::order::Reasoned;

pub mod anomalies;
pub mod audit;
pub mod clubs;
pub mod configuration;
pub mod described;
pub mod draws;
pub mod fees;
pub mod footers;
pub mod health;
pub mod missing_tickets;
pub mod orders;
pub mod orphans;
pub mod overview;
pub mod reports;
pub mod search;
pub mod second_factor;
pub mod settings;
pub mod waitlist;

const REASON_CHARS_MAX: usize = 500;

/// Why something is done that cannot be taken back.
///
/// # Errors
/// 400 `reason-required`, in these words.
fn reason(form: &Reasoned, otherwise: &str) -> Result<String, Problem> {
    let reason: String = trimmed(&form.reason)
        .chars()
        .take(REASON_CHARS_MAX)
        .collect();
    if reason.is_empty() {
        Err(Problem::bad_request("reason-required", otherwise))
    } else {
        Ok(reason)
    }
}
