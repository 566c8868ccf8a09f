//! Whether a buyer wants a mail before kick-off and a mail with the result.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Whether the buyer of an order is reminded by mail.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct OrderReminder {
    pub wanted: bool,
    /// Whether the order can be reminded of: it is paid, it has an e-mail address, and one of its
    /// games has no result yet.
    pub possible: bool,
}

/// A change of a buyer's reminder.
#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct OrderReminderForm {
    pub wanted: Option<bool>,
}
