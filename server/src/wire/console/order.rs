//! One purchase, its refund, and tickets that nobody can be told of.

use domain::Cents;
use persistence::records::console::orders::{OrderDesk, OrderDeskLine};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::instant;

#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConsoleTicket {
    pub ticket_number: i16,
    /// `FD-1042-007`.
    pub serial_number: String,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConsoleLine {
    pub draw_number: i64,
    pub home_team: String,
    pub away_team: String,
    pub draw_status: String,
    pub ticket_count: i16,
    pub ticket_price: String,
    /// Without number pairs: nobody but the owner sees them before the reveal.
    pub tickets: Vec<ConsoleTicket>,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConsoleRefund {
    /// `pending`, `succeeded` or `failed`.
    pub state: String,
    pub amount: String,
    pub fee_returned: String,
    pub reason: String,
    pub created_at: Option<String>,
}

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
    pub fn new(order: &OrderDesk, lines: &[OrderDeskLine]) -> ConsoleOrder {
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
            created_at: instant(order.opened_at),
            captured_at: order.captured_at.map(instant),
            consented: order.consented,
            lines: lines.iter().map(line).collect(),
            refund: refund(order),
            refundable: why_not.is_none(),
            why_not,
        }
    }
}

/// Money that was taken and not given back can be given back, also after the provider refused it once.
fn why_not_refundable(order: &OrderDesk) -> Option<&'static str> {
    match (order.captured_at, order.refund_state.as_deref()) {
        (None, None) => Some("This payment was never taken."),
        (_, None | Some("failed")) => None,
        (_, Some(_)) => Some("This payment was refunded already."),
    }
}

fn refund(order: &OrderDesk) -> Option<ConsoleRefund> {
    Some(ConsoleRefund {
        state: order.refund_state.clone()?,
        amount: Cents(order.refund_cents?).decimal(),
        fee_returned: Cents(order.refund_fee_cents.unwrap_or_default()).decimal(),
        reason: order.refund_reason.clone().unwrap_or_default(),
        created_at: order.refunded_at.map(instant),
    })
}

fn line(line: &OrderDeskLine) -> ConsoleLine {
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

/// Why, and for what cannot be taken back the draw's number once more.
#[derive(Default, Deserialize, ToSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct Reasoned {
    pub reason: Option<String>,
    #[serde(deserialize_with = "crate::wire::loose::whole")]
    pub draw_number: Option<i64>,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Refunded {
    pub order_id: String,
    pub state: String,
    pub amount: String,
    pub fee_returned: String,
    pub tickets_voided: Vec<String>,
}

/// A ticket that is paid for and belongs to nobody we could write to (C:108).
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrphanedTicket {
    /// Its serial number, `FD-1042-007`.
    pub id: String,
    pub serial_number: String,
    pub draw_number: i64,
    pub ticket_number: i16,
    pub home_team: String,
    pub away_team: String,
    /// Null until the reveal (decision F-1).
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

/// Both spellings (decision I-12).
#[derive(Default, Deserialize, ToSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct Recovery {
    #[serde(alias = "buyerName")]
    pub name: Option<String>,
    #[serde(alias = "buyerEmail")]
    pub email: Option<String>,
    #[serde(alias = "buyerPhone")]
    pub phone: Option<String>,
    pub second_approval: Option<SecondApproval>,
}

/// Another operator's code, for a winning ticket after the reveal (decision I-8).
#[derive(Default, Deserialize, Serialize, ToSchema)]
#[serde(default)]
pub struct SecondApproval {
    pub email: String,
    pub code: String,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RecoveredTicket {
    pub id: String,
    pub serial_number: String,
    pub buyer_name: String,
    pub buyer_email: String,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Recovered {
    pub ticket: RecoveredTicket,
    /// All tickets of that order.
    pub recovered: usize,
    /// The mail that waited for an address is on its way.
    pub notified: bool,
}
