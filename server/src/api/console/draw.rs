//! Draws, cancellations and search hits, for the operator.

use domain::Cents;
use persistence::records::console::draws::DrawFigures;
use persistence::records::console::search::SearchResult as FoundObject;
use serde::Serialize;
use utoipa::ToSchema;

use super::format_timestamp;
use crate::api::draw::Draw;

/// A draw with its totals.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConsoleDraw {
    #[serde(flatten)]
    pub draw: Draw,
    pub revenue: String,
    pub platform_fee: String,
    pub orders: i64,
    pub created_at: Option<String>,
    /// Whether this is a test draw: its league's name contains "test" (decision E-15).
    pub is_test: bool,
    pub winners_notified: bool,
    pub payout_status: Option<String>,
    /// Number of paid tickets without a contact address.
    pub orphaned_tickets: i64,
}

impl ConsoleDraw {
    pub fn new(draw: Draw, row: &DrawFigures) -> ConsoleDraw {
        let is_test = draw
            .league
            .as_deref()
            .is_some_and(|league| league.to_lowercase().contains("test"));
        ConsoleDraw {
            draw,
            revenue: Cents(row.revenue_cents).decimal(),
            platform_fee: Cents(row.fee_cents).decimal(),
            orders: row.orders,
            created_at: row.created_at.map(format_timestamp),
            is_test,
            winners_notified: row.winners_notified,
            payout_status: row.payout_status.clone(),
            orphaned_tickets: row.orphaned_tickets,
        }
    }
}

/// The response to undoing a result.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResultUndone {
    pub new_status: &'static str,
    pub corrections_sent: i64,
    pub payouts_cleared: i64,
}

/// The response to reminding a club of a due result.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClubReminded {
    /// False when the club got this mail within the last hour.
    pub sent: bool,
    pub message: String,
}

/// Numbers of refunds by state.
#[derive(Clone, Copy, Debug, Default, Serialize, ToSchema)]
pub struct RefundsSoFar {
    pub pending: i64,
    pub succeeded: i64,
    pub failed: i64,
}

/// What cancelling a draw would refund; after the cancellation, its progress.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Cancellation {
    pub draw_number: i64,
    pub status: &'static str,
    pub orders: i64,
    pub tickets: i64,
    pub refund_total: String,
    pub platform_fee_returned: String,
    pub refunds: RefundsSoFar,
    pub why_not: Option<&'static str>,
}

/// A search hit and the console section that shows it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct SearchHit {
    pub kind: String,
    pub id: String,
    pub title: String,
    pub detail: String,
    /// The console section that shows the found object, such as `draws`.
    pub section: &'static str,
    /// The text to enter into the search field of the console section.
    pub key: String,
}

impl From<FoundObject> for SearchHit {
    fn from(found: FoundObject) -> SearchHit {
        let section = match found.kind.as_str() {
            "club" => "clubs",
            "draw" => "draws",
            "order" => "transactions",
            "anomaly" => "payments",
            "ticket" => "draws",
            _ => "waitlist",
        };
        // Each console section searches its list by another value, so choose it by the hit's kind.
        let key = match found.kind.as_str() {
            "draw" => format!("FD-{}", found.key),
            "ticket" => found.detail.clone(),
            "order" | "anomaly" => found
                .payment_intent_id
                .clone()
                .unwrap_or_else(|| found.key.clone()),
            _ => found.title.clone(),
        };
        SearchHit {
            kind: found.kind,
            id: found.key,
            title: found.title,
            detail: found.detail,
            section,
            key,
        }
    }
}

/// The response to closing expired draws.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct DrawsClosed {
    pub message: String,
    pub closed: usize,
}
