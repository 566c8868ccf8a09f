//! Routes for the platform operator only.

use crate::api::console::order::Reason;
use crate::api::error::Problem;
use crate::api::form::trimmed;

pub mod anomalies;
pub mod audit;
pub mod clubs;
pub mod configuration;
pub mod descriptions;
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

/// Maximum characters of the reason that an operator gives for an action.
const REASON_CHARS_MAX: usize = 500;

/// Reads the reason that an operator must give for an irreversible action.
///
/// # Errors
/// 400 `reason-required` with the given message.
fn required_reason(form: &Reason, message_if_missing: &str) -> Result<String, Problem> {
    let reason: String = trimmed(form.reason.as_deref())
        .chars()
        .take(REASON_CHARS_MAX)
        .collect();
    if reason.is_empty() {
        Err(Problem::bad_request("reason-required", message_if_missing))
    } else {
        Ok(reason)
    }
}
