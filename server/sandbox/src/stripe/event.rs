//! Stripe events. Each reports a change of an object, with a snapshot of the object at that moment.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::api_call::ApiCall;
use super::failure::StripeError;
use super::id;
use super::journal_record::RecordRef;
use super::snapshot::Snapshot;
use super::state::SandboxState;
use super::table::{ObjectKey, StripeObject};

/// Version of Stripe's API in which objects are rendered. The async-stripe library 1.0.0-rc.10 is
/// generated from it.
pub const API_VERSION: &str = actors::payments::stripe::STRIPE_API_VERSION;

/// The delivery status of an event. Variant names are stored in the journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeliveryStatus {
    Pending,
    Delivered,
    /// Dropped by an injected fault. It is never sent again and stays listed as undelivered.
    Lost,
}

/// An event that is delivered to the webhook.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WebhookEvent {
    pub id: String,
    pub kind: String,
    pub account: String,
    pub created: i64,
    /// The id of the object that changed.
    pub subject: String,
    /// The object at the time of the event. Only lines that a compaction of the journal has written
    /// contain it. Otherwise the object is known from an earlier line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<Snapshot>,
    pub request: Option<String>,
    pub idempotency_key: Option<String>,
    pub delivery: DeliveryStatus,
}

impl WebhookEvent {
    pub fn new(
        kind: &str,
        account: &str,
        subject: &str,
        request: &(String, Option<String>),
        created: i64,
    ) -> Self {
        Self {
            id: id::generate("evt"),
            kind: kind.to_owned(),
            account: account.to_owned(),
            created,
            subject: subject.to_owned(),
            snapshot: None,
            request: Some(request.0.clone()).filter(|request| !request.is_empty()),
            idempotency_key: request.1.clone(),
            delivery: DeliveryStatus::Pending,
        }
    }
}

impl StripeObject for WebhookEvent {
    const OBJECT_NAME: &'static str = "event";

    /// Returns the event's key. Every event of a connected account belongs to that account, even
    /// `account.updated`, although account objects belong to the platform.
    fn key(&self) -> ObjectKey<'_> {
        ObjectKey {
            id: &self.id,
            account: &self.account,
            created: self.created,
        }
    }

    fn render(&self) -> Value {
        let object = self.snapshot.as_ref().map_or(Value::Null, Snapshot::render);
        let mut event = json!({
            "id": self.id, "object": "event", "api_version": API_VERSION, "created": self.created,
            "data": { "object": object }, "livemode": false,
            "pending_webhooks": i32::from(self.delivery != DeliveryStatus::Delivered),
            "request": { "id": self.request, "idempotency_key": self.idempotency_key }, "type": self.kind,
        });
        if !self.account.is_empty() {
            event["account"] = self.account.clone().into();
        }
        event
    }

    fn as_record(&self) -> RecordRef<'_> {
        RecordRef::Event(self)
    }
}

/// Handles `GET /v1/events/{id}`.
pub fn retrieve(state: &SandboxState, call: &ApiCall, id: &str) -> Result<Value, StripeError> {
    state
        .find::<WebhookEvent>(&call.account, id)
        .map(|event| event.render())
}
