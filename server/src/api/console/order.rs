//! An order with its refund, and tickets without a contact address, for the operator.

use domain::Cents;
use persistence::records::console::orders::{OrderDetails, OrderDetailsLine};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::format_timestamp;

/// A ticket of an order.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConsoleTicket {
    pub ticket_number: i16,
    /// Serial number of the ticket: `FD-1042-007`.
    pub serial_number: String,
}

/// The tickets of one draw in an order.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConsoleLine {
    pub draw_number: i64,
    pub home_team: String,
    pub away_team: String,
    pub draw_status: String,
    pub ticket_count: i16,
    pub ticket_price: String,
    /// Tickets without their number pairs, because only the buyer may read the pairs before the
    /// reveal.
    pub tickets: Vec<ConsoleTicket>,
}

/// The refund of an order.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConsoleRefund {
    /// State of the refund: `pending`, `succeeded` or `failed`.
    pub state: String,
    pub amount: String,
    pub fee_returned: String,
    pub reason: String,
    pub created_at: Option<String>,
}

/// An order with all details, for the operator.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConsoleOrder {
    pub id: String,
    pub state: String,
    pub payment_intent_id: Option<String>,
    pub club_name: Option<String>,
    pub buyer_name: Option<String>,
    pub buyer_email: Option<String>,
    pub buyer_phone: Option<String>,
    pub total: String,
    pub subtotal: String,
    pub card_fee: String,
    pub platform_fee: String,
    pub created_at: String,
    pub captured_at: Option<String>,
    pub consented: bool,
    pub lines: Vec<ConsoleLine>,
    pub refund: Option<ConsoleRefund>,
    pub refundable: bool,
    pub why_not: Option<&'static str>,
}

impl ConsoleOrder {
    pub fn new(order: &OrderDetails, lines: &[OrderDetailsLine]) -> ConsoleOrder {
        let why_not = why_not_refundable(order);
        ConsoleOrder {
            id: order.id.to_string(),
            state: order.state.clone(),
            payment_intent_id: order.payment_intent_id.clone(),
            club_name: order.club_name.clone(),
            buyer_name: order.buyer_name.clone(),
            buyer_email: order.buyer_email.clone(),
            buyer_phone: order.buyer_phone.clone(),
            total: Cents(order.total_cents).decimal(),
            subtotal: Cents(order.subtotal_cents).decimal(),
            card_fee: Cents(order.card_fee_cents).decimal(),
            platform_fee: Cents(order.application_fee_cents).decimal(),
            created_at: format_timestamp(order.opened_at),
            captured_at: order.captured_at.map(format_timestamp),
            consented: order.consented,
            lines: lines.iter().map(console_line).collect(),
            refund: console_refund(order),
            refundable: why_not.is_none(),
            why_not,
        }
    }
}

/// Returns why a payment cannot be refunded; `None` for a captured payment, even after Stripe
/// refused an earlier refund.
fn why_not_refundable(order: &OrderDetails) -> Option<&'static str> {
    match (order.captured_at, order.refund_state.as_deref()) {
        (None, None) => Some("This payment was never taken."),
        (_, None | Some("failed")) => None,
        (_, Some(_)) => Some("This payment was refunded already."),
    }
}

fn console_refund(order: &OrderDetails) -> Option<ConsoleRefund> {
    Some(ConsoleRefund {
        state: order.refund_state.clone()?,
        amount: Cents(order.refund_cents?).decimal(),
        fee_returned: Cents(order.refund_fee_cents.unwrap_or_default()).decimal(),
        reason: order.refund_reason.clone().unwrap_or_default(),
        created_at: order.refunded_at.map(format_timestamp),
    })
}

fn console_line(line: &OrderDetailsLine) -> ConsoleLine {
    let ticket = |serial: &i16| ConsoleTicket {
        ticket_number: *serial,
        serial_number: format!("FD-{}-{serial:03}", line.draw_id),
    };
    ConsoleLine {
        draw_number: line.draw_id,
        home_team: line.home_team.clone(),
        away_team: line.away_team.clone(),
        draw_status: line.draw_status.clone(),
        ticket_count: line.count,
        ticket_price: Cents(line.unit_price_cents).decimal(),
        tickets: line.serials.iter().map(ticket).collect(),
    }
}

/// The operator's reason for an action. For an irreversible action also the draw's number, which
/// the operator types again as confirmation.
#[derive(Default, Deserialize, ToSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct Reason {
    pub reason: Option<String>,
    #[serde(deserialize_with = "crate::api::lenient_numbers::deserialize_whole_number")]
    pub draw_number: Option<i64>,
}

/// The response to a refund.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrderRefunded {
    pub order_id: String,
    pub state: String,
    pub amount: String,
    pub fee_returned: String,
    pub tickets_voided: Vec<String>,
}

/// A paid ticket without a contact address.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrphanedTicket {
    /// The ticket's serial number, `FD-1042-007`.
    pub id: String,
    pub serial_number: String,
    pub draw_number: i64,
    pub ticket_number: i16,
    pub home_team: String,
    pub away_team: String,
    /// The ticket's number for the home team; null before the reveal (decision F-1).
    pub home_number: Option<u8>,
    pub away_number: Option<u8>,
    pub amount: String,
    pub payment_intent_id: Option<String>,
    pub purchase_date: String,
    pub order_id: String,
    pub club_name: Option<String>,
    pub draw_status: &'static str,
    pub revealed: bool,
    pub is_winner: Option<bool>,
}

/// The buyer to assign to tickets without buyer. Each field has two accepted names (decision I-12).
#[derive(Default, Deserialize, ToSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct TicketRecoveryForm {
    #[serde(alias = "buyerName")]
    pub name: Option<String>,
    #[serde(alias = "buyerEmail")]
    pub email: Option<String>,
    #[serde(alias = "buyerPhone")]
    pub phone: Option<String>,
    pub second_approval: Option<SecondApproval>,
}

/// E-mail address and second-factor code of another operator. Required to assign a buyer to a
/// winning ticket after the reveal (decision I-8).
#[derive(Default, Deserialize, Serialize, ToSchema)]
#[serde(default)]
pub struct SecondApproval {
    pub email: String,
    pub code: String,
}

/// The ticket that the operator chose, with the buyer who was assigned to it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RecoveredTicket {
    pub id: String,
    pub serial_number: String,
    pub buyer_name: String,
    pub buyer_email: String,
}

/// The response to assigning a buyer.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct TicketsRecovered {
    pub ticket: RecoveredTicket,
    /// Number of tickets that the buyer was assigned to: all of the order.
    pub recovered: usize,
    /// Whether the order's confirmation mail, which waited for an e-mail address, is now queued.
    pub notified: bool,
}
