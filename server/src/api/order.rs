//! An order as its buyer reads it (decision B-9).

use serde::Serialize;
use utoipa::ToSchema;

/// An order with its tickets.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Order {
    /// `quoted`, `allocated`, `captured`, `rejecting`, `released`, `void` or `anomaly`.
    pub state: &'static str,
    /// The order's state as one of the `status` values of purchase calls.
    pub status: &'static str,
    pub payment_intent_id: Option<String>,
    pub order_token: String,
    /// Amount in cents.
    pub amount: i64,
    pub subtotal: String,
    pub card_fee: String,
    pub club_name: String,
    pub club_slug: String,
    pub buyer_name: Option<String>,
    /// Masked e-mail address: `j…@example.com`.
    pub buyer_email_masked: Option<String>,
    pub purchased_at: Option<String>,
    /// Why the order was not charged, or why it is refunded.
    pub reason: Option<String>,
    pub refund: Option<Refund>,
    pub lines: Vec<OrderLine>,
}

/// The refund of an order.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Refund {
    /// State of the refund: `pending`, `succeeded`, or `failed` when the money is not refunded.
    pub state: &'static str,
    pub amount: String,
}

/// The tickets of one draw in an order.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrderLine {
    pub draw_number: i64,
    pub home_team: String,
    pub away_team: String,
    pub league: Option<String>,
    pub game_date: String,
    pub timezone: String,
    pub status: &'static str,
    pub ticket_count: u16,
    pub ticket_price: String,
    pub current_prize: String,
    pub tickets_sold: u16,
    pub tickets: Vec<OrderTicket>,
}

/// A ticket with its number pair, which its buyer reads before the reveal (decision F-4).
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrderTicket {
    pub ticket_number: u16,
    pub serial_number: String,
    pub home_number: u8,
    pub away_number: u8,
    /// Null until the draw is completed.
    pub is_winner: Option<bool>,
}

/// Masks an e-mail address as `j…@example.com`, so that only its owner can recognise it.
pub fn masked_email(email: &str) -> String {
    let (local, domain) = email.rsplit_once('@').unwrap_or(("", email));
    let first: String = local.chars().take(1).collect();
    format!("{first}…@{domain}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masked_address_shows_first_letter_and_domain() {
        assert_eq!(masked_email("jordan@example.com"), "j…@example.com");
        assert_eq!(masked_email("é@x.test"), "é…@x.test");
    }
}
