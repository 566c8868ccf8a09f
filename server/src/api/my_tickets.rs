//! All orders of an e-mail address, for the owner of its mailbox.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::order::Order;

/// A request to mail a link to all orders of an e-mail address.
#[derive(Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct TicketLinkRequest {
    /// The e-mail address that the tickets were bought with.
    pub email: Option<String>,
}

/// All orders of an e-mail address.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MyTickets {
    /// Masked e-mail address: `j…@example.com`.
    pub email_masked: String,
    /// When the mailed link to these orders expires.
    pub until: String,
    /// The orders, newest first, at most 100.
    pub orders: Vec<Order>,
}
