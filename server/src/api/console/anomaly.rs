//! Payment anomalies for the operator console.

use domain::Cents;
use persistence::records::console::anomalies::{AnomalyCounts, AnomalyRow};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::format_timestamp;

/// An anomaly of a payment.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Anomaly {
    /// Id of the anomaly, a UUID.
    pub id: String,
    /// `missing_ticket`, `duplicate_payment`, `failed_allocation`, `mismatched_amount`,
    /// `orphaned_ticket`, `dispute` or `owed_refund`.
    pub r#type: String,
    pub payment_intent_id: Option<String>,
    pub amount: Option<String>,
    pub customer_email: Option<String>,
    pub detected_at: String,
    pub resolved: bool,
    /// Data about the anomaly. Each `type` has the same fields.
    #[schema(value_type = Object)]
    pub details: Value,
    pub resolved_at: Option<String>,
    /// Who resolved the anomaly: `Super Admin` for an operator, `System` for the reconciler.
    pub resolved_by: Option<String>,
    /// E-mail address of the operator who resolved the anomaly, if an operator did.
    pub resolved_by_email: Option<String>,
    /// Name of the operator who resolved the anomaly, if an operator did.
    pub resolved_by_name: Option<String>,
    pub resolution: Option<String>,
    /// Id of the payment's order; `null` when no order matches.
    pub order_id: Option<String>,
    pub draw_numbers: Vec<i64>,
    pub ticket_count: Option<i64>,
    pub club_id: Option<i64>,
    pub club_name: Option<String>,
    pub customer_name: Option<String>,
    pub customer_phone: Option<String>,
    /// URL of the payment in Stripe's dashboard, or in the sandbox's.
    pub stripe_url: Option<String>,
}

impl Anomaly {
    pub fn new(row: &AnomalyRow, stripe_url: Option<String>) -> Anomaly {
        let dollars = |cents: Option<i64>| cents.map(|cents| Cents(cents).decimal());
        Anomaly {
            id: row.id.to_string(),
            r#type: row.kind.clone(),
            payment_intent_id: row.payment_intent_id.clone(),
            amount: dollars(row.amount_cents),
            customer_email: row.customer_email.clone(),
            detected_at: format_timestamp(row.detected_at),
            resolved: row.resolved_at.is_some(),
            details: json!({
                "note": row.note,
                "orderState": row.order_state,
                "orderTotal": dollars(row.order_total_cents),
                "orderReason": row.order_reason,
                "refundState": row.refund_state,
                "providerStatus": row.provider_status,
                "providerAmount": dollars(row.provider_amount_cents),
                "providerReceived": dollars(row.provider_received_cents),
                "providerRefunded": dollars(row.provider_refunded_cents),
            }),
            resolved_at: row.resolved_at.map(format_timestamp),
            resolved_by: row.resolved_at.map(|_| {
                row.resolved_by
                    .clone()
                    .map_or("System", |_| "Super Admin")
                    .to_string()
            }),
            resolved_by_email: row.resolved_by_email.clone(),
            resolved_by_name: row.resolved_by_name.clone(),
            resolution: row.resolution.clone(),
            order_id: row.order_id.map(|id| id.to_string()),
            draw_numbers: row.draws.clone(),
            ticket_count: row.tickets,
            club_id: row.club_id,
            club_name: row.club_name.clone(),
            customer_name: row.customer_name.clone(),
            customer_phone: row.customer_phone.clone(),
            stripe_url,
        }
    }
}

/// Numbers of payment anomalies, resolved and unresolved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AnomalyStats {
    pub total: i64,
    pub unresolved: i64,
    pub resolved: i64,
    pub oldest_unresolved_at: Option<String>,
}

impl From<AnomalyCounts> for AnomalyStats {
    fn from(counts: AnomalyCounts) -> AnomalyStats {
        AnomalyStats {
            total: counts.total,
            unresolved: counts.unresolved,
            resolved: counts.total - counts.unresolved,
            oldest_unresolved_at: counts.oldest_unresolved_at.map(format_timestamp),
        }
    }
}

/// The body that closes an anomaly.
#[derive(Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct Resolution {
    pub note: Option<String>,
}

/// The customer who gets the tickets of a payment without tickets.
#[derive(Default, Deserialize, ToSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct MissingTicket {
    pub payment_intent_id: Option<String>,
    pub customer_name: Option<String>,
    pub customer_email: Option<String>,
    pub customer_phone: Option<String>,
    /// Number of the draw whose tickets are allocated. Given together with `ticketCount` for a
    /// payment that matches no order (decision M-9).
    pub draw_number: Option<i64>,
    /// Number of tickets to allocate, 1 to 50.
    pub ticket_count: Option<i64>,
}

/// The tickets that a payment was made for, as its order or its Stripe metadata tells.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PaidTickets {
    /// Id of the payment's order; `null` when no order matches.
    pub order_id: Option<String>,
    pub lines: Vec<PaidLine>,
}

/// Paid tickets of one draw.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PaidLine {
    pub draw_number: i64,
    pub ticket_count: u16,
}

/// The body that starts a scan of payments for anomalies.
#[derive(Default, Deserialize, ToSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct ScanForm {
    pub hours_back: Option<i64>,
}

/// A ticket that was allocated.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AllocatedTicket {
    pub draw_number: i64,
    pub ticket_number: u16,
    /// Serial number of the ticket: `FD-1042-007`.
    pub serial_number: String,
}

/// The tickets that were allocated for a payment that had none.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MissingTicketResolved {
    pub allocated_tickets: Vec<AllocatedTicket>,
    pub customer_name: String,
}

/// The result of a scan of payments for anomalies.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScanResult {
    pub hours_back: i64,
    /// Number of anomalies that were not known before this scan (decision I-3).
    pub new_anomalies: u64,
    pub healed: u64,
    pub examined: u64,
}
