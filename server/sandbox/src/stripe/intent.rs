//! Payment intents: the amount the buyer is asked to pay, and the state of the payment.

pub mod capture_and_cancel;
pub mod confirm;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::api_call::{ApiCall, ApiKeyKind, Creator};
use super::failure::StripeError;
use super::form::StripeForm;
use super::id;
use super::journal_record::RecordRef;
use super::state::SandboxState;
use super::table::{ObjectKey, StripeObject};
use super::validation::{self, METADATA_KEYS_MAX};

/// Stripe's minimum amount of a payment, in Australian cents.
pub const INTENT_AMOUNT_CENTS_MIN: i64 = 50;
pub const INTENT_AMOUNT_CENTS_MAX: i64 = 99_999_999;

/// The status of a payment intent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IntentStatus {
    RequiresPaymentMethod,
    RequiresConfirmation,
    RequiresAction,
    RequiresCapture,
    Succeeded,
    Canceled,
}

impl IntentStatus {
    /// Returns the status in Stripe's spelling.
    pub fn stripe_name(self) -> &'static str {
        match self {
            Self::RequiresPaymentMethod => "requires_payment_method",
            Self::RequiresConfirmation => "requires_confirmation",
            Self::RequiresAction => "requires_action",
            Self::RequiresCapture => "requires_capture",
            Self::Succeeded => "succeeded",
            Self::Canceled => "canceled",
        }
    }

    /// Whether the payment is not authorised yet. The buyer may still confirm the intent, and its
    /// amount may still change.
    pub fn is_open(self) -> bool {
        matches!(
            self,
            Self::RequiresPaymentMethod | Self::RequiresConfirmation | Self::RequiresAction
        )
    }
}

/// Whether a confirmed payment is captured at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CaptureMethod {
    Automatic,
    Manual,
}

impl CaptureMethod {
    /// Returns the capture method in Stripe's spelling.
    pub fn stripe_name(self) -> &'static str {
        match self {
            Self::Automatic => "automatic",
            Self::Manual => "manual",
        }
    }
}

/// A payment intent. Amounts are in cents, times in seconds since 1970.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Intent {
    pub id: String,
    pub account: String,
    #[serde(default)]
    pub creator: Creator,
    pub created: i64,
    pub status: IntentStatus,
    pub amount: i64,
    pub amount_capturable: i64,
    pub amount_received: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub application_fee_amount: Option<i64>,
    pub capture_method: CaptureMethod,
    pub client_secret: String,
    pub currency: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receipt_email: Option<String>,
    pub metadata: BTreeMap<String, String>,
    /// The `automatic_payment_methods[enabled]` parameter of the request that created the intent.
    pub automatic: bool,
    /// Text after the club's name on the buyer's bank statement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub descriptor_suffix: Option<String>,
    /// The `allowed_payment_method_types[]` parameter of the request that created the intent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowed_methods: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payment_method: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latest_charge: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_error: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub canceled_at: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cancellation_reason: Option<String>,
}

impl StripeObject for Intent {
    const OBJECT_NAME: &'static str = "payment_intent";

    fn key(&self) -> ObjectKey<'_> {
        ObjectKey {
            id: &self.id,
            account: &self.account,
            created: self.created,
        }
    }

    fn render(&self) -> Value {
        json!({
            "id": self.id, "object": "payment_intent", "amount": self.amount,
            "amount_capturable": self.amount_capturable, "amount_details": { "tip": {} },
            "amount_received": self.amount_received, "application": self.creator.application_id(),
            "application_fee_amount": self.application_fee_amount,
            "automatic_payment_methods": self.automatic.then(|| json!({ "allow_redirects": "always", "enabled": true })),
            "canceled_at": self.canceled_at, "cancellation_reason": self.cancellation_reason,
            "capture_method": self.capture_method.stripe_name(), "client_secret": self.client_secret,
            "confirmation_method": "automatic", "created": self.created, "currency": self.currency, "customer": null,
            "description": self.description, "last_payment_error": self.last_error,
            "latest_charge": self.latest_charge, "livemode": false, "metadata": self.metadata,
            "next_action": self.next_action(), "on_behalf_of": null, "payment_method": self.payment_method,
            "payment_method_options": { "card": { "installments": null, "mandate_options": null, "network": null,
                "request_three_d_secure": "automatic" } },
            "payment_method_types": ["card"], "processing": null, "receipt_email": self.receipt_email,
            "review": null, "setup_future_usage": null, "shipping": null, "source": null,
            "statement_descriptor": null, "statement_descriptor_suffix": self.descriptor_suffix, "status": self.status.stripe_name(),
            "transfer_data": null, "transfer_group": null,
            "allowed_payment_method_types": self.allowed_methods, "customer_account": null,
            "excluded_payment_method_types": null, "managed_payments": null,
            "payment_method_configuration_details": null, "payment_record": null,
        })
    }

    fn as_record(&self) -> RecordRef<'_> {
        RecordRef::Intent(self)
    }
}

impl Intent {
    fn next_action(&self) -> Option<Value> {
        (self.status == IntentStatus::RequiresAction).then(|| {
            json!({ "type": "use_stripe_sdk", "use_stripe_sdk": {
                "type": "three_d_secure_redirect", "source": self.id, "stripe_js": "/sandbox/stripe.js" } })
        })
    }

    /// Renders the intent for the holder of this kind of API key. A browser sees no metadata, fees,
    /// charges or application.
    pub fn render_for(&self, access: ApiKeyKind) -> Value {
        let mut response = self.render();
        if access == ApiKeyKind::Publishable
            && let Some(fields) = response.as_object_mut()
        {
            for hidden in [
                "application",
                "metadata",
                "application_fee_amount",
                "latest_charge",
                "amount_received",
            ] {
                fields.remove(hidden);
            }
        }
        response
    }

    /// Saves the intent and emits an event.
    fn save_and_emit_event(self, state: &mut SandboxState, kind: &'static str) {
        let (id, account) = (self.id.clone(), self.account.clone());
        state.save(self);
        state.emit_event(kind, &account, &id);
    }

    fn unexpected_state(&self, message: String) -> StripeError {
        StripeError::state_conflict("payment_intent_unexpected_state", message)
            .with_field("payment_intent", self.render())
    }
}

/// Handles `POST /v1/payment_intents`.
pub fn create(state: &mut SandboxState, call: &ApiCall) -> Result<Value, StripeError> {
    let form = &call.form;
    let currency = form.get_required("currency")?.to_lowercase();
    let amount = parse_amount(form)?.ok_or_else(|| StripeError::missing_parameter("amount"))?;
    state.check_charges_enabled(&call.account)?;
    let id = id::generate("pi");
    let mut intent = Intent {
        client_secret: format!("{id}_{}", id::generate("secret")),
        id,
        account: call.account.clone(),
        creator: call.creator.clone(),
        created: state.now(),
        status: IntentStatus::RequiresPaymentMethod,
        amount,
        amount_capturable: 0,
        amount_received: 0,
        application_fee_amount: parse_application_fee(call, amount)?,
        capture_method: match form.get("capture_method") {
            Some("manual") => CaptureMethod::Manual,
            _ => CaptureMethod::Automatic,
        },
        currency,
        description: form.get_owned("description"),
        receipt_email: form.get_owned("receipt_email"),
        metadata: merge_metadata(form, BTreeMap::new())?,
        automatic: form
            .get_flag("automatic_payment_methods[enabled]")?
            .unwrap_or(false),
        allowed_methods: Some(form.get_list("allowed_payment_method_types"))
            .filter(|methods| !methods.is_empty())
            .map(|methods| methods.into_iter().map(str::to_owned).collect()),
        descriptor_suffix: form.get_owned("statement_descriptor_suffix"),
        payment_method: None,
        latest_charge: None,
        last_error: None,
        canceled_at: None,
        cancellation_reason: None,
    };
    if let Some(method) = super::payment_method::resolve_payment_method(state, call)? {
        intent.payment_method = Some(method.id);
        intent.status = IntentStatus::RequiresConfirmation;
    }
    let id = intent.id.clone();
    intent.save_and_emit_event(state, "payment_intent.created");
    if form.get_flag("confirm")? == Some(true) {
        return confirm::confirm(state, call, &id);
    }
    Ok(state
        .find::<Intent>(&call.account, &id)?
        .render_for(call.access))
}

/// Handles `GET /v1/payment_intents/{id}`.
pub fn retrieve(state: &SandboxState, call: &ApiCall, id: &str) -> Result<Value, StripeError> {
    let intent = state.find::<Intent>(&call.account, id)?;
    call.check_client_secret(&intent)?;
    Ok(intent.render_for(call.access))
}

/// Handles `POST /v1/payment_intents/{id}`. The amount can change only while the payment is not
/// authorised.
pub fn update(state: &mut SandboxState, call: &ApiCall, id: &str) -> Result<Value, StripeError> {
    let form = &call.form;
    let mut intent = state.find::<Intent>(&call.account, id)?;
    let amount = parse_amount(form)?.unwrap_or(intent.amount);
    if amount != intent.amount {
        if !intent.status.is_open() {
            return Err(intent.unexpected_state(format!(
                "This PaymentIntent's amount could not be updated because it has a status of {}. You may only update \
                 the amount of a PaymentIntent with one of the following statuses: requires_payment_method, \
                 requires_confirmation, requires_action.",
                intent.status.stripe_name()
            )));
        }
        // The 3-D Secure challenge is for the old amount, so the intent must be confirmed again.
        if intent.status == IntentStatus::RequiresAction {
            intent.status = IntentStatus::RequiresConfirmation;
        }
        intent.amount = amount;
    }
    if form.get("application_fee_amount").is_some() {
        intent.application_fee_amount = parse_application_fee(call, intent.amount)?;
    }
    intent.metadata = merge_metadata(form, intent.metadata)?;
    for (name, field) in [
        ("description", &mut intent.description),
        ("receipt_email", &mut intent.receipt_email),
        ("statement_descriptor_suffix", &mut intent.descriptor_suffix),
    ] {
        if let Some(get_or_empty) = form.get_or_empty(name) {
            *field = Some(get_or_empty.to_owned()).filter(|text| !text.is_empty());
        }
    }
    let response = intent.render_for(call.access);
    state.save(intent);
    Ok(response)
}

fn parse_amount(form: &StripeForm) -> Result<Option<i64>, StripeError> {
    let Some(amount) = form.get_integer("amount")? else {
        return Ok(None);
    };
    match amount {
        ..1 => Err(
            StripeError::invalid_request("This value must be greater than or equal to 1.")
                .with_code("parameter_invalid_integer")
                .with_param("amount"),
        ),
        1..INTENT_AMOUNT_CENTS_MIN => Err(StripeError::invalid_request(
            "Amount must be at least $0.50 aud",
        )
        .with_code("amount_too_small")
        .with_param("amount")),
        INTENT_AMOUNT_CENTS_MIN..=INTENT_AMOUNT_CENTS_MAX => Ok(Some(amount)),
        _ => Err(
            StripeError::invalid_request("Amount must be no more than $999,999.99 aud")
                .with_code("amount_too_large")
                .with_param("amount"),
        ),
    }
}

/// Returns the platform's fee on a connected account's payment, in cents. A fee above the amount is
/// an error.
fn parse_application_fee(call: &ApiCall, amount: i64) -> Result<Option<i64>, StripeError> {
    let Some(fee) = call.form.get_integer("application_fee_amount")? else {
        return Ok(None);
    };
    let fee_error =
        |message: &str| StripeError::invalid_request(message).with_param("application_fee_amount");
    if call.account.is_empty() {
        return Err(fee_error(
            "Can only apply an application_fee_amount to a charge on a connected account.",
        ));
    }
    if fee < 0 || fee > amount {
        return Err(fee_error(
            "Application fee must be positive and no more than the amount.",
        ));
    }
    Ok(Some(fee))
}

/// Merges new metadata into the existing, as Stripe does: an empty value deletes its key.
fn merge_metadata(
    form: &StripeForm,
    mut merged: BTreeMap<String, String>,
) -> Result<BTreeMap<String, String>, StripeError> {
    if form.get_or_empty("metadata") == Some("") {
        merged.clear();
    }
    for (key, value) in form.get_map("metadata") {
        if value.is_empty() {
            merged.remove(&key);
        } else {
            merged.insert(key, value);
        }
    }
    if merged.len() > METADATA_KEYS_MAX {
        return Err(validation::too_many_metadata_keys(merged.len()));
    }
    Ok(merged)
}
