//! Payment methods and tokens: a card the buyer entered, or one of Stripe's named test cards.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use time::OffsetDateTime;

use super::api_call::{ApiCall, ApiKeyKind};
use super::card::{self, CardBehaviour, TestCard};
use super::failure::StripeError;
use super::form::StripeForm;
use super::id;
use super::journal_record::RecordRef;
use super::state::SandboxState;
use super::table::{ObjectKey, StripeObject};

/// A payment method or token. Its ids begin with `pm_` or `tok_`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PaymentMethod {
    pub id: String,
    pub account: String,
    pub created: i64,
    pub brand: String,
    pub last4: String,
    pub exp_month: i64,
    pub exp_year: i64,
    pub country: String,
    pub behaviour: CardBehaviour,
    /// `apple_pay` or `google_pay` when the method came from a wallet sheet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wallet: Option<String>,
    pub billing: BillingDetails,
    /// Whether a payment has used this method. A method without a customer can be used only once.
    pub spent: bool,
}

/// Billing details of a payment method: the payer's name and address.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct BillingDetails {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phone: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub postal_code: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub country: Option<String>,
}

impl BillingDetails {
    fn from_form(form: &StripeForm) -> Self {
        let field = |name: &str| form.get_owned(&format!("billing_details[{name}]"));
        let address = |name: &str| form.get_owned(&format!("billing_details[address][{name}]"));
        Self {
            name: field("name"),
            email: field("email"),
            phone: field("phone"),
            postal_code: address("postal_code"),
            country: address("country"),
        }
    }

    pub fn render(&self) -> Value {
        json!({
            "address": { "city": null, "country": self.country, "line1": null, "line2": null,
                "postal_code": self.postal_code, "state": null },
            "email": self.email, "name": self.name, "phone": self.phone, "tax_id": null,
        })
    }
}

impl PaymentMethod {
    fn from_test_card(
        card: &TestCard,
        id: String,
        account: &str,
        billing: BillingDetails,
        created: i64,
    ) -> Self {
        Self {
            id,
            account: account.to_owned(),
            created,
            brand: card.brand().to_owned(),
            last4: card.last4().to_owned(),
            exp_month: 12,
            exp_year: 2034,
            country: card.country.to_owned(),
            behaviour: card.behaviour,
            wallet: None,
            billing,
            spent: false,
        }
    }

    /// Creates a payment method from a named test card, such as `pm_card_visa`.
    pub fn from_named_card(card: &TestCard, account: &str, created: i64) -> Self {
        let billing = BillingDetails::default();
        Self::from_test_card(card, id::generate("pm"), account, billing, created)
    }

    /// Creates a payment method from the card in the fields `card[number]`, `card[exp_month]` and
    /// others, or from the token in `card[token]`.
    pub fn from_form(
        state: &SandboxState,
        account: &str,
        form: &StripeForm,
        id: String,
    ) -> Result<Self, StripeError> {
        let field = |name: &str| form.get(&format!("card[{name}]"));
        let billing = BillingDetails::from_form(form);
        if let Some(token) = field("token") {
            let token_method = find_token(state, account, token)?;
            return Ok(Self {
                id,
                created: state.now(),
                billing,
                ..token_method
            });
        }
        let number = field("number").ok_or_else(|| StripeError::missing_parameter("card"))?;
        let mut method = Self::from_test_card(
            card::find_card_by_number(number)?,
            id,
            account,
            billing,
            state.now(),
        );
        method.exp_month = field("exp_month")
            .and_then(|month| month.parse().ok())
            .unwrap_or(0);
        if !(1..=12).contains(&method.exp_month) {
            let message = "Your card's expiration month is invalid.";
            return Err(
                StripeError::card_rejected("invalid_expiry_month", None, message)
                    .with_param("exp_month"),
            );
        }
        method.exp_year = field("exp_year")
            .and_then(|year| year.parse().ok())
            .unwrap_or(0);
        method.exp_year += if method.exp_year < 100 { 2000 } else { 0 };
        check_expiry(method.exp_year, method.exp_month, state.now())?;
        method.wallet = form.get_owned("card[wallet][type]");
        Ok(method)
    }

    /// Returns the card's public data, as Stripe shows it.
    pub fn render_card(&self) -> Value {
        json!({
            "brand": self.brand, "checks": { "address_line1_check": null, "address_postal_code_check": null,
                "cvc_check": "pass" }, "country": self.country, "display_brand": self.brand,
            "exp_month": self.exp_month, "exp_year": self.exp_year, "fingerprint": format!("sandbox{}", self.last4),
            "funding": "credit", "last4": self.last4, "three_d_secure_usage": { "supported": true },
            "generated_from": null, "networks": { "available": [self.brand], "preferred": null },
            "regulated_status": "unregulated",
            "wallet": self.wallet.as_ref().map(|wallet| json!({ "dynamic_last4": null, "type": wallet })),
        })
    }
}

/// Years after the current one from which an expiry year is a typing error.
const EXPIRY_YEARS_MAX: i64 = 50;

/// Returns Stripe's error for a card whose last month is over at `now`, in seconds since 1970.
fn check_expiry(year: i64, month: i64, now: i64) -> Result<(), StripeError> {
    let today = OffsetDateTime::from_unix_timestamp(now).expect("the clock is a date");
    let (this_year, this_month) = (i64::from(today.year()), i64::from(u8::from(today.month())));
    if year < this_year || year > this_year + EXPIRY_YEARS_MAX {
        let message = "Your card's expiration year is invalid.";
        return Err(
            StripeError::card_rejected("invalid_expiry_year", None, message).with_param("exp_year"),
        );
    }
    if year == this_year && month < this_month {
        let message = "Your card's expiration month is invalid.";
        return Err(
            StripeError::card_rejected("invalid_expiry_month", None, message)
                .with_param("exp_month"),
        );
    }
    Ok(())
}

impl StripeObject for PaymentMethod {
    const OBJECT_NAME: &'static str = "PaymentMethod";

    fn key(&self) -> ObjectKey<'_> {
        ObjectKey {
            id: &self.id,
            account: &self.account,
            created: self.created,
        }
    }

    fn render(&self) -> Value {
        json!({
            "id": self.id, "object": "payment_method", "allow_redisplay": "unspecified",
            "billing_details": self.billing.render(), "card": self.render_card(), "created": self.created,
            "customer": null, "customer_account": null, "livemode": false, "metadata": {}, "type": "card",
        })
    }

    fn as_record(&self) -> RecordRef<'_> {
        RecordRef::Method(self)
    }
}

/// Handles `POST /v1/payment_methods`.
pub fn create(state: &mut SandboxState, call: &ApiCall) -> Result<Value, StripeError> {
    let kind = call.form.get_required("type")?;
    if kind != "card" {
        return Err(StripeError::invalid_request(format!(
            "The sandbox knows cards only, not {kind}."
        ))
        .with_param("type"));
    }
    let method = PaymentMethod::from_form(state, &call.account, &call.form, id::generate("pm"))?;
    let response = method.render();
    state.save(method);
    Ok(response)
}

/// Handles `POST /v1/tokens`.
pub fn create_token(state: &mut SandboxState, call: &ApiCall) -> Result<Value, StripeError> {
    let method = PaymentMethod::from_form(state, &call.account, &call.form, id::generate("tok"))?;
    let response = render_token(&method);
    state.save(method);
    Ok(response)
}

/// Handles `GET /v1/tokens/{id}`.
pub fn retrieve_token(
    state: &SandboxState,
    call: &ApiCall,
    id: &str,
) -> Result<Value, StripeError> {
    Ok(render_token(&find_token(state, &call.account, id)?))
}

fn render_token(method: &PaymentMethod) -> Value {
    let mut card = method.render_card();
    card["object"] = "card".into();
    card["name"] = method.billing.name.clone().into();
    json!({ "id": method.id, "object": "token", "card": card, "client_ip": null, "created": method.created,
        "livemode": false, "type": "card", "used": method.spent })
}

fn find_token(state: &SandboxState, account: &str, id: &str) -> Result<PaymentMethod, StripeError> {
    let test_card = id.strip_prefix("tok_").and_then(card::find_card_by_token);
    match test_card {
        Some(card) => Ok(PaymentMethod::from_test_card(
            card,
            id.to_owned(),
            account,
            BillingDetails::default(),
            state.now(),
        )),
        None if id.starts_with("tok_") => state
            .find::<PaymentMethod>(account, id)
            .map_err(|_| StripeError::not_found("token", id)),
        None => Err(StripeError::not_found("token", id)),
    }
}

/// Returns the payment method that a request names, or `None` if it names none. The method is an
/// existing one, a named test card, or created from data in the request.
pub fn resolve_payment_method(
    state: &mut SandboxState,
    call: &ApiCall,
) -> Result<Option<PaymentMethod>, StripeError> {
    let method = if let Some(data) = call.form.nested_form("payment_method_data") {
        // Only Stripe.js sends card data here. Stripe's API has no such field.
        if call.access == ApiKeyKind::Secret && data.nested_form("card").is_some() {
            let message = "Received unknown parameter: payment_method_data[card]";
            return Err(StripeError::invalid_request(message)
                .with_code("parameter_unknown")
                .with_param("payment_method_data[card]"));
        }
        PaymentMethod::from_form(state, &call.account, &data, id::generate("pm"))?
    } else {
        let Some(method_id) = call.form.get("payment_method") else {
            return Ok(None);
        };
        match method_id
            .strip_prefix("pm_card_")
            .and_then(card::find_card_by_token)
        {
            Some(card) => PaymentMethod::from_named_card(card, &call.account, state.now()),
            None => {
                return state
                    .find::<PaymentMethod>(&call.account, method_id)
                    .map(Some);
            }
        }
    };
    state.save(method.clone());
    Ok(Some(method))
}

#[cfg(test)]
mod tests {
    use super::check_expiry;

    #[test]
    fn card_is_valid_until_the_end_of_its_last_month() {
        // 2026-11-26.
        let now = 1_795_651_200;
        let code = |year, month| {
            let failure = check_expiry(year, month, now).err()?;
            failure.error_object()["code"].as_str().map(str::to_owned)
        };
        assert_eq!(code(2026, 11), None);
        assert_eq!(code(2034, 1), None);
        assert_eq!(code(2026, 10).as_deref(), Some("invalid_expiry_month"));
        assert_eq!(code(2025, 12).as_deref(), Some("invalid_expiry_year"));
        assert_eq!(code(2099, 12).as_deref(), Some("invalid_expiry_year"));
    }
}
