//! An order with its refund, and tickets without a contact address, for the operator.

use domain::provider_error::ProviderErrorClass;
use domain::refund::LOW_BALANCE_NOTE;
use domain::{Cents, DisputeStatus, PendingCause, RefundStatus};
use persistence::records::console::orders::{OrderDetails, OrderDetailsLine, OrderMailRow};
use persistence::records::webhook_lookups::BankNoticeRow;
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
    /// Why the refund is not complete, or why it failed; null for a refund that succeeded.
    pub detail: Option<String>,
    pub created_at: Option<String>,
}

/// What the buyer's bank said about a payment: a dispute, an inquiry or an early fraud warning.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct BankNotice {
    pub at: String,
    /// One or two sentences for the operator.
    pub text: String,
}

impl BankNotice {
    /// Builds the notice of a webhook event. An event that cannot be parsed is described by its
    /// type.
    pub fn new(row: &BankNoticeRow) -> BankNotice {
        let event: serde_json::Value = serde_json::from_str(&row.payload).unwrap_or_default();
        let object = &event["data"]["object"];
        let text = match row.kind.as_str() {
            "charge.dispute.funds_withdrawn" => {
                "The buyer's bank has taken the money from the club.".to_string()
            }
            "charge.dispute.funds_reinstated" => {
                "The buyer's bank has returned the money to the club.".to_string()
            }
            "radar.early_fraud_warning.created" => {
                let kind = object["fraud_type"].as_str().unwrap_or_default();
                format!(
                    "Early fraud warning: {}. No money was taken. A refund now may avoid a dispute.",
                    fraud_type_text(kind)
                )
            }
            _ => {
                let status = object["status"].as_str().unwrap_or_default();
                DisputeStatus::from_name(status).description().to_string()
            }
        };
        BankNotice {
            at: format_timestamp(row.received_at),
            text,
        }
    }
}

/// Describes the type of a possible fraud. Source: `fraud_type` of Stripe's early fraud warning.
fn fraud_type_text(fraud_type: &str) -> &'static str {
    match fraud_type {
        "card_never_received" => "the owner never received the card",
        "fraudulent_card_application" => "the card was applied for in another person's name",
        "made_with_counterfeit_card" => "the card was counterfeit",
        "made_with_lost_card" => "the card was lost",
        "made_with_stolen_card" => "the card was stolen",
        "unauthorized_use_of_card" => "the owner did not allow the payment",
        _ => "the bank gives no reason",
    }
}

/// A mail about an order.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrderMail {
    /// Kind of the mail, such as `tickets` or `refunded`.
    pub kind: String,
    /// Address of the recipient; null while the buyer left none.
    pub to: Option<String>,
    /// State of the mail: `pending`, `sent` or `dead`.
    pub state: String,
    pub queued_at: String,
    pub sent_at: Option<String>,
}

impl From<&OrderMailRow> for OrderMail {
    fn from(row: &OrderMailRow) -> OrderMail {
        OrderMail {
            kind: row.kind.clone(),
            to: row.to_address.clone(),
            state: row.state.clone(),
            queued_at: format_timestamp(row.queued_at),
            sent_at: row.sent_at.map(format_timestamp),
        }
    }
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
    pub authorised_at: Option<String>,
    pub allocated_at: Option<String>,
    pub captured_at: Option<String>,
    /// When the order was released or became void.
    pub ended_at: Option<String>,
    /// Why the order ended.
    pub end_reason: Option<String>,
    /// Stripe's fee; null while Stripe has not reported it.
    pub stripe_fee: Option<String>,
    pub payment_method: Option<String>,
    /// The mails about the order, oldest first.
    pub mails: Vec<OrderMail>,
    pub consented: bool,
    pub lines: Vec<ConsoleLine>,
    pub refund: Option<ConsoleRefund>,
    /// What the buyer's bank said about the payment, newest first.
    pub bank_notices: Vec<BankNotice>,
    pub refundable: bool,
    pub why_not: Option<&'static str>,
}

impl ConsoleOrder {
    pub fn new(
        order: &OrderDetails,
        lines: &[OrderDetailsLine],
        notices: &[BankNoticeRow],
        mails: &[OrderMailRow],
    ) -> ConsoleOrder {
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
            authorised_at: order.authorised_at.map(format_timestamp),
            allocated_at: order.allocated_at.map(format_timestamp),
            captured_at: order.captured_at.map(format_timestamp),
            ended_at: order.ended_at.map(format_timestamp),
            end_reason: order.end_reason.clone(),
            stripe_fee: order.provider_fee_cents.map(|cents| Cents(cents).decimal()),
            payment_method: order.payment_method.clone(),
            mails: mails.iter().map(OrderMail::from).collect(),
            consented: order.consented,
            lines: lines.iter().map(console_line).collect(),
            refund: console_refund(order),
            bank_notices: notices.iter().map(BankNotice::new).collect(),
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
        detail: refund_detail(order),
        created_at: order.refunded_at.map(format_timestamp),
    })
}

/// Says why a refund is not complete, or why it failed.
fn refund_detail(order: &OrderDetails) -> Option<String> {
    if order.refund_state.as_deref() == Some("succeeded") {
        return None;
    }
    let refusal = order
        .refund_refusal
        .as_deref()
        .map(ProviderErrorClass::from_code);
    match refusal {
        Some(ProviderErrorClass::LowBalance) => {
            let is_retried = order.refund_state.as_deref() == Some("pending");
            let next = if is_retried { "again" } else { "no more" };
            return Some(format!("{LOW_BALANCE_NOTE}. It is tried {next}."));
        }
        Some(class @ ProviderErrorClass::PaymentDisputed) => {
            return Some(class.guide().operator.to_owned());
        }
        _ => {}
    }
    let reason = order.refund_provider_reason.as_deref();
    let status = order
        .refund_provider_status
        .as_deref()
        .and_then(|status| RefundStatus::from_names(status, reason, reason));
    Some(match status {
        Some(RefundStatus::Pending(PendingCause::InsufficientFunds)) => {
            format!("{LOW_BALANCE_NOTE}.")
        }
        Some(status) if status.is_pending() => {
            "Stripe has accepted the refund and has not completed it.".to_string()
        }
        Some(status) => format!("{}.", status.failure()?.description()),
        None => format!(
            "Stripe refused the refund ({}). {}",
            order.refund_refusal.as_deref()?,
            refusal?.guide().operator
        ),
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
