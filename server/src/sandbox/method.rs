//! Payment methods and tokens: a card the buyer typed, or one of the provider's named test cards.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::call::Call;
use super::card::{self, Behaviour, TestCard};
use super::failure::Failure;
use super::form::Form;
use super::id;
use super::record::RecordRef;
use super::state::State;
use super::table::{Key, Row};

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Method {
    pub id: String,
    pub account: String,
    pub created: i64,
    pub brand: String,
    pub last4: String,
    pub exp_month: i64,
    pub exp_year: i64,
    pub country: String,
    pub behaviour: Behaviour,
    /// `apple_pay` or `google_pay` when it came out of a sheet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wallet: Option<String>,
    pub billing: Billing,
    /// A method without a customer serves one payment only.
    pub spent: bool,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Billing {
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

impl Billing {
    fn read(form: &Form) -> Self {
        let field = |name: &str| form.owned(&format!("billing_details[{name}]"));
        let address = |name: &str| form.owned(&format!("billing_details[address][{name}]"));
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

impl Method {
    fn of(card: &TestCard, id: String, account: &str, billing: Billing) -> Self {
        Self {
            id,
            account: account.to_owned(),
            created: id::now(),
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

    /// Reads `card[number]`, `card[exp_month]`… or `card[token]`.
    fn read(state: &State, account: &str, form: &Form, id: String) -> Result<Self, Failure> {
        let field = |name: &str| form.get(&format!("card[{name}]"));
        let billing = Billing::read(form);
        if let Some(token) = field("token") {
            let found = find_token(state, account, token)?;
            return Ok(Self {
                id,
                created: id::now(),
                billing,
                ..found
            });
        }
        let number = field("number").ok_or_else(|| Failure::missing("card"))?;
        let mut method = Self::of(card::by_number(number)?, id, account, billing);
        method.exp_month = field("exp_month")
            .and_then(|month| month.parse().ok())
            .unwrap_or(0);
        if !(1..=12).contains(&method.exp_month) {
            let message = "Your card's expiration month is invalid.";
            return Err(Failure::card("invalid_expiry_month", None, message).param("exp_month"));
        }
        method.exp_year = field("exp_year")
            .and_then(|year| year.parse().ok())
            .unwrap_or(0);
        method.exp_year += if method.exp_year < 100 { 2000 } else { 0 };
        method.wallet = form.owned("card[wallet][type]");
        Ok(method)
    }

    pub fn card(&self) -> Value {
        json!({
            "brand": self.brand, "checks": { "address_line1_check": null, "address_postal_code_check": null,
                "cvc_check": "pass" }, "country": self.country, "display_brand": self.brand,
            "exp_month": self.exp_month, "exp_year": self.exp_year, "fingerprint": format!("sandbox{}", self.last4),
            "funding": "credit", "last4": self.last4, "three_d_secure_usage": { "supported": true },
            "wallet": self.wallet.as_ref().map(|wallet| json!({ "dynamic_last4": null, "type": wallet })),
        })
    }
}

impl Row for Method {
    const OBJECT: &'static str = "PaymentMethod";

    fn key(&self) -> Key<'_> {
        Key {
            id: &self.id,
            account: &self.account,
            created: self.created,
        }
    }

    fn render(&self) -> Value {
        json!({
            "id": self.id, "object": "payment_method", "allow_redisplay": "unspecified",
            "billing_details": self.billing.render(), "card": self.card(), "created": self.created,
            "customer": null, "livemode": false, "metadata": {}, "type": "card",
        })
    }

    fn record(&self) -> RecordRef<'_> {
        RecordRef::Method(self)
    }
}

/// `POST /v1/payment_methods`
pub fn create(state: &mut State, call: &Call) -> Result<Value, Failure> {
    let kind = call.form.required("type")?;
    if kind != "card" {
        return Err(
            Failure::invalid(format!("The sandbox knows cards only, not {kind}.")).param("type"),
        );
    }
    let method = Method::read(state, &call.account, &call.form, id::fresh("pm"))?;
    let shown = method.render();
    state.save(method);
    Ok(shown)
}

/// `POST /v1/tokens`
pub fn create_token(state: &mut State, call: &Call) -> Result<Value, Failure> {
    let method = Method::read(state, &call.account, &call.form, id::fresh("tok"))?;
    let shown = token(&method);
    state.save(method);
    Ok(shown)
}

/// `GET /v1/tokens/{id}`
pub fn retrieve_token(state: &State, call: &Call, id: &str) -> Result<Value, Failure> {
    Ok(token(&find_token(state, &call.account, id)?))
}

fn token(method: &Method) -> Value {
    let mut card = method.card();
    card["object"] = "card".into();
    card["name"] = method.billing.name.clone().into();
    json!({ "id": method.id, "object": "token", "card": card, "client_ip": null, "created": method.created,
        "livemode": false, "type": "card", "used": method.spent })
}

fn find_token(state: &State, account: &str, id: &str) -> Result<Method, Failure> {
    let named = id.strip_prefix("tok_").and_then(card::by_token);
    match named {
        Some(card) => Ok(Method::of(card, id.to_owned(), account, Billing::default())),
        None if id.starts_with("tok_") => state
            .find::<Method>(account, id)
            .map_err(|_| Failure::unknown("token", id)),
        None => Err(Failure::unknown("token", id)),
    }
}

/// The method a confirmation names: an own one, a named test card, or data given along with the confirmation.
pub fn named_by(state: &mut State, call: &Call) -> Result<Option<Method>, Failure> {
    let method = if let Some(data) = call.form.within("payment_method_data") {
        Method::read(state, &call.account, &data, id::fresh("pm"))?
    } else {
        let Some(wanted) = call.form.get("payment_method") else {
            return Ok(None);
        };
        match wanted.strip_prefix("pm_card_").and_then(card::by_token) {
            Some(card) => Method::of(card, id::fresh("pm"), &call.account, Billing::default()),
            None => return state.find::<Method>(&call.account, wanted).map(Some),
        }
    };
    state.save(method.clone());
    Ok(Some(method))
}
