//! Confirmation tokens: the payment details that a browser collected. The server confirms one
//! payment intent with each.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::api_call::{ApiCall, ApiKeyKind};
use super::card;
use super::failure::StripeError;
use super::form::StripeForm;
use super::id;
use super::intent::Intent;
use super::journal_record::RecordRef;
use super::payment_method::PaymentMethod;
use super::state::SandboxState;
use super::table::{ObjectKey, StripeObject};

/// Lifetime of an unused token in seconds: 12 hours, as in the example of Stripe's API reference.
const TOKEN_SECONDS: i64 = 43_200;
/// Message for a call that only Stripe.js may make.
const SECRET_KEY_MESSAGE: &str =
    "This API call cannot be made with a secret API key. Please use a publishable API key.";

/// A confirmation token. Its id begins with `ctoken_`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ConfirmationToken {
    pub id: String,
    pub account: String,
    pub created: i64,
    pub expires_at: i64,
    /// The payment method that a confirmation with this token creates.
    pub method: PaymentMethod,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub return_url: Option<String>,
    /// What the buyer was shown. A payment intent that differs is not confirmed.
    pub shown: ShownPayment,
    /// The payment intent that this token confirmed, or tried to confirm.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub intent: Option<String>,
}

/// The amount in cents, currency and capture method with which the page created its elements.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ShownPayment {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub amount: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capture_method: Option<String>,
}

impl ShownPayment {
    fn from_form(form: &StripeForm) -> Result<Self, StripeError> {
        Ok(Self {
            amount: form.get_integer("client_context[amount]")?,
            currency: form.get_owned("client_context[currency]"),
            capture_method: form.get_owned("client_context[capture_method]"),
        })
    }

    /// Returns an error if the payment intent differs from what the buyer was shown.
    fn check_intent(&self, intent: &Intent) -> Result<(), StripeError> {
        let differs = |name: &str, shown: &str, actual: &str| {
            let message = format!(
                "Your payment was not processed: the PaymentIntent's {name} ({actual}) does not match what was passed \
                 to Elements ({shown})."
            );
            Err(StripeError::invalid_request(message).with_param("confirmation_token"))
        };
        if let Some(amount) = self.amount.filter(|amount| *amount != intent.amount) {
            return differs("amount", &amount.to_string(), &intent.amount.to_string());
        }
        if let Some(currency) = self
            .currency
            .as_deref()
            .filter(|shown| **shown != intent.currency)
        {
            return differs("currency", currency, &intent.currency);
        }
        let actual = intent.capture_method.stripe_name();
        match self.capture_method.as_deref() {
            Some(shown) if shown != actual => differs("capture_method", shown, actual),
            _ => Ok(()),
        }
    }
}

impl StripeObject for ConfirmationToken {
    const OBJECT_NAME: &'static str = "confirmation_token";

    fn key(&self) -> ObjectKey<'_> {
        ObjectKey {
            id: &self.id,
            account: &self.account,
            created: self.created,
        }
    }

    fn render(&self) -> Value {
        let expires_at = self.intent.is_none().then_some(self.expires_at);
        json!({
            "id": self.id, "object": "confirmation_token", "created": self.created, "expires_at": expires_at,
            "livemode": false, "mandate_data": null, "metadata": null, "payment_intent": self.intent,
            "payment_method_options": null,
            "payment_method_preview": { "allow_redisplay": "unspecified",
                "billing_details": self.method.billing.render(), "card": self.method.render_card(),
                "customer": null, "customer_account": null, "type": "card" },
            "return_url": self.return_url, "setup_future_usage": null, "setup_intent": null, "shipping": null,
            "use_stripe_sdk": true,
        })
    }

    fn as_record(&self) -> RecordRef<'_> {
        RecordRef::ConfirmationToken(self)
    }
}

/// Handles `POST /v1/confirmation_tokens` of Stripe.js. Servers cannot create tokens with it.
pub fn create(state: &mut SandboxState, call: &ApiCall) -> Result<Value, StripeError> {
    if call.access != ApiKeyKind::Publishable {
        return Err(StripeError::unauthorized(SECRET_KEY_MESSAGE));
    }
    let data = call
        .form
        .nested_form("payment_method_data")
        .ok_or_else(|| StripeError::missing_parameter("payment_method_data"))?;
    let method = PaymentMethod::from_form(state, &call.account, &data, id::generate("pm"))?;
    save_new_token(state, call, method)
}

/// Handles `POST /v1/test_helpers/confirmation_tokens`, with which a server's tests create a token
/// from a named test card.
pub fn create_for_test(state: &mut SandboxState, call: &ApiCall) -> Result<Value, StripeError> {
    let name = call.form.get_required("payment_method")?;
    let card = name
        .strip_prefix("pm_card_")
        .and_then(card::find_card_by_token);
    let method = match card {
        Some(card) => PaymentMethod::from_named_card(card, &call.account, state.now()),
        None => state.find::<PaymentMethod>(&call.account, name)?,
    };
    save_new_token(state, call, method)
}

fn save_new_token(
    state: &mut SandboxState,
    call: &ApiCall,
    method: PaymentMethod,
) -> Result<Value, StripeError> {
    let return_url = call.form.get_owned("return_url");
    let created = state.now();
    let token = ConfirmationToken {
        id: id::generate("ctoken"),
        account: call.account.clone(),
        created,
        expires_at: created + TOKEN_SECONDS,
        method,
        return_url,
        shown: ShownPayment::from_form(&call.form)?,
        intent: None,
    };
    let response = token.render();
    state.save(token);
    Ok(response)
}

/// Uses up the token with which a request confirms an intent, and returns its payment method.
///
/// # Errors
/// The token is unknown, used or expired, or the buyer was shown another payment. Nothing changes.
pub fn use_token(
    state: &mut SandboxState,
    call: &ApiCall,
    token_id: &str,
    intent: &Intent,
) -> Result<PaymentMethod, StripeError> {
    let refused = |message: String| {
        Err(StripeError::invalid_request(message).with_param("confirmation_token"))
    };
    for other in ["payment_method", "payment_method_data[type]"] {
        if call.form.get(other).is_some() {
            return refused(
                "You may only specify one of these parameters: confirmation_token, payment_method."
                    .to_owned(),
            );
        }
    }
    let Ok(mut token) = state.find::<ConfirmationToken>(&call.account, token_id) else {
        let message = format!("No such confirmation_token: '{token_id}'");
        return Err(StripeError::invalid_request(message)
            .with_code("resource_missing")
            .with_param("confirmation_token"));
    };
    if token.intent.is_some() {
        return refused(format!(
            "The ConfirmationToken {token_id} was already used to confirm a PaymentIntent or SetupIntent. Create a new \
             ConfirmationToken."
        ));
    }
    if token.expires_at <= state.now() {
        return refused(format!(
            "The ConfirmationToken {token_id} has expired. Create a new ConfirmationToken."
        ));
    }
    if call
        .form
        .get("return_url")
        .or(token.return_url.as_deref())
        .is_none()
    {
        return Err(StripeError::invalid_request(
            "You must provide a `return_url` when confirming a PaymentIntent with payment methods that may redirect \
             your customer.",
        )
        .with_param("return_url"));
    }
    token.shown.check_intent(intent)?;
    token.intent = Some(intent.id.clone());
    let method = token.method.clone();
    state.save(token);
    state.save(method.clone());
    Ok(method)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stripe::api_call::{ApiVersion, Creator};

    #[test]
    fn expired_confirmation_token_confirms_nothing() {
        let mut state = SandboxState::default();
        let call = ApiCall {
            version: ApiVersion::V1,
            creator: Creator::Platform,
            json: String::new(),
            method: "POST".to_owned(),
            path: String::new(),
            account: "acct_club".to_owned(),
            access: ApiKeyKind::Secret,
            form: StripeForm::parse(
                "payment_method=pm_card_visa&amount=1000&currency=aud&return_url=https://fd.test/x",
            ),
            idempotency_key: None,
            base: String::new(),
        };
        state.create_account_if_missing("acct_club", None);
        let intent_id = super::super::intent::create(&mut state, &call).unwrap()["id"].clone();
        let intent = state
            .find::<Intent>("acct_club", intent_id.as_str().unwrap())
            .unwrap();
        let token_id = create_for_test(&mut state, &call).unwrap()["id"].clone();
        let token_id = token_id.as_str().unwrap();
        let call = ApiCall {
            form: StripeForm::parse("return_url=https://fd.test/x"),
            ..call
        };
        let mut token = state
            .find::<ConfirmationToken>("acct_club", token_id)
            .unwrap();
        token.expires_at = state.now();
        state.save(token);
        let refused = use_token(&mut state, &call, token_id, &intent).unwrap_err();
        let message = refused.error_object()["message"].to_string();
        assert!(message.contains("has expired"), "{message}");
    }
}
