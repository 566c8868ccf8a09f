//! A buyer's own orders, all of an address: asked for, and shown to who can read its mail.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::order::Order;

#[derive(Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct TicketsWanted {
    /// The address the tickets were bought with.
    pub email: Option<String>,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MyTickets {
    /// `j…@example.com`.
    pub email_masked: String,
    /// Until when the link works.
    pub until: String,
    /// The newest first, at most a hundred.
    pub orders: Vec<Order>,
}
