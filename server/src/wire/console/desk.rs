//! Draws as the operator sees them, and what cancelling one does.

use domain::Cents;
use persistence::records::console::draws::DrawDesk as Row;
use persistence::records::console::search::Found;
use serde::Serialize;
use utoipa::ToSchema;

use super::instant;
use crate::wire::draw::Draw;

#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConsoleDraw {
    #[serde(flatten)]
    pub draw: Draw,
    pub revenue: String,
    pub platform_fee: String,
    pub orders: i64,
    pub created_at: Option<String>,
    /// Its league contains "test" (decision E-15).
    pub is_test: bool,
    pub winners_notified: bool,
    pub payout_status: Option<String>,
    /// Tickets whose buyer left no address.
    pub orphaned_tickets: i64,
}

impl ConsoleDraw {
    pub fn new(draw: Draw, row: &Row) -> ConsoleDraw {
        let is_test = draw
            .league
            .as_deref()
            .is_some_and(|league| league.to_lowercase().contains("test"));
        ConsoleDraw {
            draw,
            revenue: Cents(row.revenue_cents).decimal(),
            platform_fee: Cents(row.fee_cents).decimal(),
            orders: row.orders,
            created_at: row.created_at.map(instant),
            is_test,
            winners_notified: row.winners_notified,
            payout_status: row.payout_status.clone(),
            orphaned_tickets: row.orphaned_tickets,
        }
    }
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Undone {
    pub new_status: &'static str,
    pub corrections_sent: i64,
    pub payouts_cleared: i64,
}

#[derive(Clone, Copy, Debug, Default, Serialize, ToSchema)]
pub struct RefundsSoFar {
    pub pending: i64,
    pub succeeded: i64,
    pub failed: i64,
}

/// What cancelling a draw would do, and once it is cancelled how far it is.
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

/// Something found, and where the console shows it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct SearchHit {
    pub kind: String,
    pub id: String,
    pub title: String,
    pub detail: String,
    /// The console's section.
    pub section: &'static str,
    /// What goes into its search field.
    pub key: String,
}

impl From<Found> for SearchHit {
    fn from(found: Found) -> SearchHit {
        let section = match found.kind.as_str() {
            "club" => "clubs",
            "draw" => "draws",
            "order" => "transactions",
            "anomaly" => "payments",
            "ticket" => "draws",
            _ => "waitlist",
        };
        // What the section's own list has in a column.
        let key = match found.kind.as_str() {
            "draw" | "ticket" => found.detail.clone(),
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

#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Closed {
    pub message: String,
    pub closed: usize,
}
