//! Buying: what browsers send, in the shapes the specification's screens send them (A:239-250).

use domain::Cents;
use persistence::ledger::BuyerDetails;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::loose;
use crate::form::is_email;

/// One body for the card form, the wallet and the checkout page: they differ in which fields they fill.
#[derive(Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Purchase {
    #[serde(default, deserialize_with = "loose::whole")]
    pub draw_number: Option<i64>,
    #[serde(default, deserialize_with = "loose::whole")]
    pub draw_id: Option<i64>,
    #[serde(default, deserialize_with = "loose::whole")]
    pub ticket_count: Option<i64>,
    pub items: Option<Vec<Item>>,
    pub buyer: Option<Buyer>,
    pub customer_info: Option<Buyer>,
    /// The browser's name for one attempt to buy: the same key again is the same order.
    pub client_key: Option<String>,
    /// What the buyer was shown; never the price (decision C-3).
    #[serde(default, deserialize_with = "loose::amount")]
    #[schema(value_type = Option<i64>)]
    pub expected_amount: Option<Cents>,
    pub payment_intent_id: Option<String>,
    pub payment_method_id: Option<String>,
    /// The provider's token id, `tok_…`, nothing else (decision C-6).
    #[schema(value_type = Option<String>)]
    pub payment_token: Option<serde_json::Value>,
    pub client_secret: Option<String>,
    pub order_token: Option<String>,
    pub age_confirmation: Option<bool>,
    pub terms_agreement: Option<bool>,
}

/// A line of a cart. What it says of prices and fees is ignored (decision C-3).
#[derive(Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Item {
    #[serde(default, deserialize_with = "loose::whole")]
    pub draw_id: Option<i64>,
    #[serde(default, deserialize_with = "loose::whole")]
    pub draw_number: Option<i64>,
    #[serde(default, deserialize_with = "loose::whole")]
    pub quantity: Option<i64>,
    /// The offer it was added from.
    #[serde(default, deserialize_with = "loose::whole")]
    pub bundle_id: Option<i64>,
}

impl Purchase {
    /// The offers a cart says it was put together from; `None` for what is no cart.
    pub fn offers(&self) -> Option<std::collections::BTreeSet<i64>> {
        Some(
            self.items
                .as_ref()?
                .iter()
                .filter_map(|item| item.bundle_id)
                .collect(),
        )
    }
}

/// Both spellings of the same three fields.
#[derive(Default, Deserialize, ToSchema)]
pub struct Buyer {
    #[serde(alias = "buyerName")]
    pub name: Option<String>,
    #[serde(alias = "buyerEmail")]
    pub email: Option<String>,
    #[serde(alias = "buyerPhone")]
    pub phone: Option<String>,
}

impl Buyer {
    /// Without the spaces around it; blank is unknown.
    fn email(&self) -> Option<&str> {
        self.email
            .as_deref()
            .map(str::trim)
            .filter(|email| !email.is_empty())
    }
}

/// Longest text of a buyer's detail.
const DETAIL_CHARS_MAX: usize = 200;

impl Purchase {
    pub fn draw(&self) -> Option<i64> {
        self.draw_number.or(self.draw_id)
    }

    pub fn buyer(&self) -> Option<&Buyer> {
        self.buyer.as_ref().or(self.customer_info.as_ref())
    }

    /// Whether an address is given that no mail could be sent to.
    pub fn has_unreadable_email(&self) -> bool {
        self.buyer()
            .and_then(Buyer::email)
            .is_some_and(|email| !is_email(email))
    }

    /// What the body says of the buyer; blanks are unknown, and a name without an address (or the reverse) is no contact.
    pub fn buyer_details(&self) -> BuyerDetails {
        let Some(buyer) = self.buyer() else {
            return BuyerDetails::default();
        };
        let name = tidy(buyer.name.as_deref());
        // An address is taken as it is or not at all: a part of one may be somebody else's.
        let email = buyer
            .email()
            .filter(|email| is_email(email))
            .map(str::to_string);
        let (name, email) = name.zip(email).unzip();
        BuyerDetails {
            name,
            email,
            phone: tidy(buyer.phone.as_deref()),
        }
    }
}

fn tidy(text: Option<&str>) -> Option<String> {
    let text: String = text?
        .chars()
        .filter(|c| !c.is_control())
        .take(DETAIL_CHARS_MAX)
        .collect();
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_string())
}

/// An open payment (A:239-242).
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PaymentOpened {
    /// Secret; handed only to the session that opened the order.
    pub client_secret: String,
    pub payment_intent_id: String,
    /// Cents.
    pub amount: i64,
    pub connected_account_id: String,
    /// Same as the order's id.
    pub reservation_id: String,
    pub order_token: String,
    /// When the tickets stop being kept, as shown.
    pub expires_at: String,
    pub server_time: String,
    pub ticket_count: u16,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub items: Option<Vec<ItemOpened>>,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ItemOpened {
    pub draw_id: i64,
    pub draw_number: i64,
    pub quantity: u16,
    pub ticket_price: String,
    pub card_fee: String,
}

/// What a completion call came to (decision C-4).
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PurchaseAnswer {
    pub success: bool,
    /// `succeeded`, `processing`, `requires_action`, `requires_payment_method` or `not_charged`.
    pub status: &'static str,
    pub payment_intent_id: Option<String>,
    /// Only for the session that opened the order.
    pub order_token: Option<String>,
    pub tickets: Vec<TicketBought>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub message: Option<String>,
    /// The browser has to finish (3-D Secure) and call again.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub client_secret: Option<String>,
}

/// The owner's own ticket, pair included.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TicketBought {
    pub ticket_number: u16,
    pub serial_number: String,
    pub draw_number: i64,
    pub home_number: u8,
    pub away_number: u8,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Validated {
    pub valid: bool,
    pub errors: Vec<String>,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Extended {
    pub expires_at: String,
    pub server_time: String,
    pub extensions_left: u8,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Purchase {
        serde_json::from_str(json).expect("a purchase")
    }

    #[test]
    fn the_three_bodies_of_a_payment_intent_read_the_same() {
        let card = r#"{"drawNumber":1042,"ticketCount":2,"buyer":{"buyerName":"Jo","buyerEmail":"jo@x.test","buyerPhone":"0400"}}"#;
        let wallet = r#"{"drawId":"1042","ticketCount":"2","customerInfo":{"name":"Jo","email":"jo@x.test","phone":"0400"}}"#;
        let page = r#"{"drawNumber":"1042","ticketCount":2,"customerInfo":{"name":" Jo ","email":"jo@x.test","phone":"0400\n"}}"#;
        for json in [card, wallet, page] {
            let read = read(json);
            assert_eq!((read.draw(), read.ticket_count), (Some(1042), Some(2)));
            let buyer = read.buyer_details();
            assert_eq!(buyer.name.as_deref(), Some("Jo"));
            assert_eq!(buyer.email.as_deref(), Some("jo@x.test"));
            assert_eq!(buyer.phone.as_deref(), Some("0400"));
        }
    }

    #[test]
    fn a_name_without_an_address_is_no_contact() {
        let buyer = read(r#"{"buyer":{"name":"Jo","email":"not an address","phone":"0400"}}"#)
            .buyer_details();
        assert_eq!(
            (buyer.name, buyer.email, buyer.phone.as_deref()),
            (None, None, Some("0400"))
        );
        assert_eq!(read("{}").buyer_details(), BuyerDetails::default());
    }

    #[test]
    fn an_address_that_no_mail_could_be_sent_to_is_no_contact_and_none_is_made_of_a_part() {
        let asked = |email: &str| Purchase {
            buyer: Some(Buyer {
                name: Some("Jo".into()),
                email: Some(email.into()),
                phone: None,
            }),
            ..Purchase::default()
        };
        let unreadable = [
            "a..b@x.au",
            "jo.@x.au",
            "a@b.co\r\nBcc: x@y.z",
            "a\u{1}@b.co",
            &format!("a@{}.au", "b.".repeat(120)),
        ];
        for email in unreadable {
            let asked = asked(email);
            assert_eq!(
                (asked.buyer_details().email, asked.has_unreadable_email()),
                (None, true),
                "{email:?}"
            );
        }
        assert_eq!(
            asked(" a@b.co ").buyer_details().email.as_deref(),
            Some("a@b.co")
        );
        assert!(!asked("a@b.co").has_unreadable_email() && !asked(" ").has_unreadable_email());
    }
}
