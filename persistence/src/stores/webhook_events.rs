//! The store for webhook events: messages from the payment provider, which are stored once and
//! handled later.

use async_trait::async_trait;
use domain::{PaymentIntentId, Timestamp};

use crate::error::Failure;
use crate::nodes::InstanceId;

/// A webhook event from the payment provider.
#[derive(Clone, Debug)]
pub struct StoredWebhookEvent {
    /// The provider's id of the event. An event with a known id is not stored again.
    pub event_id: String,
    pub account: Option<String>,
    pub kind: String,
    pub payment_intent: Option<PaymentIntentId>,
    /// The event's JSON text as the server received it.
    pub payload: String,
}

/// Stores webhook events until they are handled.
///
/// # Errors
/// Every method returns [`Failure::NotWritten`] when the database certainly changed nothing, and
/// [`Failure::Unknown`] when a write may or may not have happened.
#[async_trait]
pub trait WebhookEventStore: Send + Sync {
    /// Stores a webhook event that the node `receiver` will handle. Returns `false` when an event
    /// with this id was stored before.
    async fn store_event(
        &self,
        notice: &StoredWebhookEvent,
        receiver: InstanceId,
        at: Timestamp,
    ) -> Result<bool, Failure>;
    /// Returns the events that the node `receiver` has to handle, oldest first.
    ///
    /// These are the events that `receiver` itself received, and events of another node that is
    /// gone or received the event before the time `overdue`. Handling an event twice is harmless.
    async fn unhandled_events(
        &self,
        receiver: InstanceId,
        overdue: Timestamp,
        limit: u32,
    ) -> Result<Vec<StoredWebhookEvent>, Failure>;
    /// Marks an event as handled.
    async fn mark_event_handled(&self, event_id: &str, at: Timestamp) -> Result<(), Failure>;
}
