//! Events: what changed, as it was at that moment.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::call::Call;
use super::failure::Failure;
use super::id;
use super::record::RecordRef;
use super::snapshot::Snapshot;
use super::state::State;
use super::table::{Key, Row};

/// The API version that shapes our objects: the one async-stripe 1.0.0-rc.10 is generated from.
pub const API_VERSION: &str = "2026-09-30.endive";

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Delivery {
    Pending,
    Delivered,
    /// A fault swallowed it: it is never sent again, but it stays listed as not delivered.
    Lost,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Event {
    pub id: String,
    pub kind: String,
    pub account: String,
    pub created: i64,
    /// The id of the object that changed.
    pub subject: String,
    /// The object as it was. A journal line has it only if the line with the object's own change is gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<Snapshot>,
    pub request: Option<String>,
    pub idempotency_key: Option<String>,
    pub delivery: Delivery,
}

impl Event {
    pub fn new(
        kind: &str,
        account: &str,
        subject: &str,
        request: &(String, Option<String>),
    ) -> Self {
        Self {
            id: id::fresh("evt"),
            kind: kind.to_owned(),
            account: account.to_owned(),
            created: id::now(),
            subject: subject.to_owned(),
            snapshot: None,
            request: Some(request.0.clone()).filter(|request| !request.is_empty()),
            idempotency_key: request.1.clone(),
            delivery: Delivery::Pending,
        }
    }
}

impl Row for Event {
    const OBJECT: &'static str = "event";

    /// An account's own events are that account's; `account.updated` too.
    fn key(&self) -> Key<'_> {
        Key {
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
            "pending_webhooks": i32::from(self.delivery != Delivery::Delivered),
            "request": { "id": self.request, "idempotency_key": self.idempotency_key }, "type": self.kind,
        });
        if !self.account.is_empty() {
            event["account"] = self.account.clone().into();
        }
        event
    }

    fn record(&self) -> RecordRef<'_> {
        RecordRef::Event(self)
    }
}

/// `GET /v1/events/{id}`
pub fn retrieve(state: &State, call: &Call, id: &str) -> Result<Value, Failure> {
    state
        .find::<Event>(&call.account, id)
        .map(|event| event.render())
}
