//! Widget data for displays and other sites: counts, prize and times only (decision F-9).

use serde::Serialize;
use utoipa::ToSchema;

/// The widget of a draw or an offer.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Widget {
    pub r#type: &'static str,
    pub title: String,
    /// The draw's status, or `scheduled` before its sales open.
    pub status: &'static str,
    pub opens_at: Option<String>,
    pub closes_at: Option<String>,
    pub earliest_opens_at: Option<String>,
    pub earliest_closes_at: Option<String>,
    pub purchase_url: String,
    pub prize_pool_cents: i64,
    pub tickets_sold: u16,
    pub tickets_cap: u16,
}
