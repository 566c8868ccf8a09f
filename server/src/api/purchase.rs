//! Bodies of the purchase calls, in the formats of the specification's screens.

use domain::Cents;
use persistence::ledger::BuyerDetails;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::lenient_numbers;
use crate::text::contact_format::is_email;
use crate::text::plain_text::sanitise_line;

/// The body of every purchase call. The card form, the wallet and the checkout page fill different
/// fields.
#[derive(Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Purchase {
    #[serde(
        default,
        deserialize_with = "lenient_numbers::deserialize_whole_number"
    )]
    pub draw_number: Option<i64>,
    #[serde(
        default,
        deserialize_with = "lenient_numbers::deserialize_whole_number"
    )]
    pub draw_id: Option<i64>,
    #[serde(
        default,
        deserialize_with = "lenient_numbers::deserialize_whole_number"
    )]
    pub ticket_count: Option<i64>,
    pub items: Option<Vec<CartItem>>,
    pub buyer: Option<Buyer>,
    pub customer_info: Option<Buyer>,
    /// The client's idempotency key of one attempt to buy. Repeated calls with this key get the
    /// same order.
    pub client_key: Option<String>,
    /// The total that the buyer saw, for comparison. It never sets the price (decision C-3).
    #[serde(
        default,
        deserialize_with = "lenient_numbers::deserialize_amount_in_cents"
    )]
    #[schema(value_type = Option<i64>)]
    pub expected_amount: Option<Cents>,
    pub payment_intent_id: Option<String>,
    /// Id of a Stripe payment method, `pm_…`, of a client without Stripe.js.
    pub payment_method_id: Option<String>,
    /// Id of a Stripe confirmation token, `ctoken_…`, with which Stripe.js collects a card or
    /// wallet. Exactly one of this and `paymentMethodId` is needed.
    pub confirmation_token_id: Option<String>,
    /// Id of a Stripe token, `tok_…`. Any other value is refused (decision C-6).
    #[schema(value_type = Option<String>)]
    pub payment_token: Option<serde_json::Value>,
    pub client_secret: Option<String>,
    pub order_token: Option<String>,
    pub age_confirmation: Option<bool>,
    pub terms_agreement: Option<bool>,
}

/// A line of a cart. Prices and fees in it are ignored (decision C-3).
#[derive(Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CartItem {
    #[serde(
        default,
        deserialize_with = "lenient_numbers::deserialize_whole_number"
    )]
    pub draw_id: Option<i64>,
    #[serde(
        default,
        deserialize_with = "lenient_numbers::deserialize_whole_number"
    )]
    pub draw_number: Option<i64>,
    #[serde(
        default,
        deserialize_with = "lenient_numbers::deserialize_whole_number"
    )]
    pub quantity: Option<i64>,
    /// The offer that the line was added from.
    #[serde(
        default,
        deserialize_with = "lenient_numbers::deserialize_whole_number"
    )]
    pub bundle_id: Option<i64>,
}

impl Purchase {
    /// Returns the ids of the offers in the cart; `None` when the body contains no cart.
    pub fn offer_ids(&self) -> Option<std::collections::BTreeSet<i64>> {
        Some(
            self.items
                .as_ref()?
                .iter()
                .filter_map(|item| item.bundle_id)
                .collect(),
        )
    }
}

/// The buyer's contact details. Each field has two accepted names.
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
    /// Returns the e-mail address without surrounding spaces; `None` when blank.
    fn email(&self) -> Option<&str> {
        self.email
            .as_deref()
            .map(str::trim)
            .filter(|email| !email.is_empty())
    }
}

/// Maximum stored characters of a buyer's name or phone.
const BUYER_DETAIL_CHARS_MAX: usize = 200;

impl Purchase {
    /// Returns the number of the draw that the body names outside its cart lines; `None` if it
    /// names none there.
    pub fn draw_number(&self) -> Option<i64> {
        self.draw_number.or(self.draw_id)
    }

    /// Returns the buyer's details, which the body may contain under two names.
    pub fn buyer(&self) -> Option<&Buyer> {
        self.buyer.as_ref().or(self.customer_info.as_ref())
    }

    /// Whether the body has an e-mail address that mail cannot be sent to.
    pub fn has_undeliverable_email(&self) -> bool {
        self.buyer()
            .and_then(Buyer::email)
            .is_some_and(|email| !is_email(email))
    }

    /// Returns the buyer's details for storage. Blank fields count as absent. Name and e-mail
    /// address are used only together.
    pub fn buyer_details(&self) -> BuyerDetails {
        let Some(buyer) = self.buyer() else {
            return BuyerDetails::default();
        };
        let name = trimmed_detail(buyer.name.as_deref());
        // Drop an invalid or overlong e-mail address instead of truncating it, because a truncated
        // address may belong to another person.
        let email = buyer
            .email()
            .filter(|email| is_email(email))
            .map(str::to_string);
        let (name, email) = name.zip(email).unzip();
        BuyerDetails {
            name,
            email,
            phone: trimmed_detail(buyer.phone.as_deref()),
        }
    }
}

fn trimmed_detail(text: Option<&str>) -> Option<String> {
    let text: String = sanitise_line(text?)
        .chars()
        .take(BUYER_DETAIL_CHARS_MAX)
        .collect();
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_string())
}

/// The response to opening a payment.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenedPayment {
    /// The payment intent's client secret. Only the browser that opened the order receives it.
    pub client_secret: String,
    pub payment_intent_id: String,
    /// Amount in cents.
    pub amount: i64,
    pub connected_account_id: String,
    /// Equal to the order's id.
    pub reservation_id: String,
    pub order_token: String,
    /// The end of the reservation that is shown to the buyer.
    pub expires_at: String,
    pub server_time: String,
    pub ticket_count: u16,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub items: Option<Vec<OpenedItem>>,
}

/// The tickets of one draw in an opened payment.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenedItem {
    pub draw_id: i64,
    pub draw_number: i64,
    pub quantity: u16,
    pub ticket_price: String,
    pub card_fee: String,
}

/// The response of a completion call (decision C-4).
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PurchaseResult {
    pub success: bool,
    /// `succeeded`, `processing`, `requires_action`, `requires_payment_method` or `not_charged`.
    pub status: &'static str,
    pub payment_intent_id: Option<String>,
    /// The order's secret token, only for the browser that opened the order.
    pub order_token: Option<String>,
    pub tickets: Vec<BoughtTicket>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub message: Option<String>,
    /// The payment intent's client secret, present when the browser must authenticate the payment
    /// (3-D Secure) and call again.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub client_secret: Option<String>,
}

/// A bought ticket with its number pair.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BoughtTicket {
    pub ticket_number: u16,
    pub serial_number: String,
    pub draw_number: i64,
    pub home_number: u8,
    pub away_number: u8,
}

/// The result of checking a purchase before the payment.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PurchaseValidation {
    pub valid: bool,
    pub errors: Vec<String>,
}

/// The response to extending a reservation: its new end.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReservationExtended {
    pub expires_at: String,
    pub server_time: String,
    pub extensions_left: u8,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_purchase(json: &str) -> Purchase {
        serde_json::from_str(json).expect("a purchase")
    }

    #[test]
    fn all_body_formats_are_parsed_alike() {
        let card = r#"{"drawNumber":1042,"ticketCount":2,"buyer":{"buyerName":"Jo","buyerEmail":"jo@x.test","buyerPhone":"0400"}}"#;
        let wallet = r#"{"drawId":"1042","ticketCount":"2","customerInfo":{"name":"Jo","email":"jo@x.test","phone":"0400"}}"#;
        let page = r#"{"drawNumber":"1042","ticketCount":2,"customerInfo":{"name":" Jo ","email":"jo@x.test","phone":"0400\n"}}"#;
        for json in [card, wallet, page] {
            let read = parse_purchase(json);
            assert_eq!(
                (read.draw_number(), read.ticket_count),
                (Some(1042), Some(2))
            );
            let buyer = read.buyer_details();
            assert_eq!(buyer.name.as_deref(), Some("Jo"));
            assert_eq!(buyer.email.as_deref(), Some("jo@x.test"));
            assert_eq!(buyer.phone.as_deref(), Some("0400"));
        }
    }

    /// Tests both field names under which a body may contain the buyer's details.
    #[test]
    fn buyer_details_lose_hidden_characters() {
        let hidden = "Jo\u{202e}\u{200b} Lee\u{7}\u{2028}";
        for form in ["buyer", "customerInfo"] {
            let body = serde_json::json!({ form: { "name": hidden, "email": "jo@x.test", "phone": "0400\u{2066} 111" } });
            let buyer = parse_purchase(&body.to_string()).buyer_details();
            assert_eq!(
                (buyer.name.as_deref(), buyer.phone.as_deref()),
                (Some("Jo Lee"), Some("0400 111")),
                "{form}"
            );
        }
    }

    #[test]
    fn buyer_name_without_valid_email_is_dropped() {
        let buyer =
            parse_purchase(r#"{"buyer":{"name":"Jo","email":"not an address","phone":"0400"}}"#)
                .buyer_details();
        assert_eq!(
            (buyer.name, buyer.email, buyer.phone.as_deref()),
            (None, None, Some("0400"))
        );
        assert_eq!(
            parse_purchase("{}").buyer_details(),
            BuyerDetails::default()
        );
    }

    #[test]
    fn undeliverable_email_is_dropped_and_never_truncated() {
        let purchase = |email: &str| Purchase {
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
            let purchase = purchase(email);
            assert_eq!(
                (
                    purchase.buyer_details().email,
                    purchase.has_undeliverable_email()
                ),
                (None, true),
                "{email:?}"
            );
        }
        assert_eq!(
            purchase(" a@b.co ").buyer_details().email.as_deref(),
            Some("a@b.co")
        );
        assert!(
            !purchase("a@b.co").has_undeliverable_email()
                && !purchase(" ").has_undeliverable_email()
        );
    }
}
