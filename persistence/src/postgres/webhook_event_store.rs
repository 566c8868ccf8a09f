//! Implements [`WebhookEventStore`] in Postgres.

use async_trait::async_trait;
use domain::Timestamp;

use super::purchase_writes::{PurchaseWrite, WriteOutcome};
use super::{Postgres, webhook_events};
use crate::error::Failure;
use crate::nodes::InstanceId;
use crate::stores::{StoredWebhookEvent, WebhookEventStore};

#[async_trait]
impl WebhookEventStore for Postgres {
    async fn store_event(
        &self,
        notice: &StoredWebhookEvent,
        receiver: InstanceId,
        at: Timestamp,
    ) -> Result<bool, Failure> {
        let outcome = self
            .submit(PurchaseWrite::StoreWebhookEvent {
                event: notice.clone(),
                receiver,
                at,
            })
            .await?;
        Ok(matches!(outcome, WriteOutcome::IsNewEvent(true)))
    }

    async fn unhandled_events(
        &self,
        receiver: InstanceId,
        overdue: Timestamp,
        limit: u32,
    ) -> Result<Vec<StoredWebhookEvent>, Failure> {
        let postgres = self.clone();
        self.run_on_database_threads(async move {
            webhook_events::find_unhandled_events(
                postgres.background_pool(),
                receiver,
                overdue,
                limit,
            )
            .await
        })
        .await
    }

    async fn mark_event_handled(&self, event_id: &str, at: Timestamp) -> Result<(), Failure> {
        self.submit(PurchaseWrite::MarkEventHandled {
            event_id: event_id.into(),
            at,
        })
        .await
        .map(drop)
    }
}
