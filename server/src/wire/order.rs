//! An order as its buyer sees it (decision B-9).

use serde::Serialize;
use utoipa::ToSchema;

#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Order {
    /// `quoted`, `allocated`, `captured`, `rejecting`, `released`, `void` or `anomaly`.
    pub state: &'static str,
    /// The same in the words of the purchase calls.
    pub status: &'static str,
    pub payment_intent_id: Option<String>,
    pub order_token: String,
    /// Cents.
    pub amount: i64,
    pub subtotal: String,
    pub card_fee: String,
    pub club_name: String,
    pub club_slug: String,
    pub buyer_name: Option<String>,
    /// `j…@example.com`.
    pub buyer_email_masked: Option<String>,
    pub purchased_at: Option<String>,
    /// Why it was not charged, or why the money goes back.
    pub reason: Option<String>,
    pub refund: Option<Refund>,
    pub lines: Vec<OrderLine>,
}

#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Refund {
    /// `pending` or `succeeded`.
    pub state: &'static str,
    pub amount: String,
}

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

/// The buyer sees own pairs before everybody else (decision F-4).
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

/// `j…@example.com`: enough to recognise, not enough to write to.
pub fn masked(email: &str) -> String {
    let (local, domain) = email.rsplit_once('@').unwrap_or(("", email));
    let first: String = local.chars().take(1).collect();
    format!("{first}…@{domain}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_masked_but_for_its_first_letter() {
        assert_eq!(masked("jordan@example.com"), "j…@example.com");
        assert_eq!(masked("é@x.test"), "é…@x.test");
    }
}
