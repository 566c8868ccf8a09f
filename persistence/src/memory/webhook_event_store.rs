//! Implements [`WebhookEventStore`] in memory.

use async_trait::async_trait;
use domain::Timestamp;

use super::{MemoryCall, MemoryStores};
use crate::error::Failure;
use crate::nodes::InstanceId;
use crate::stores::{StoredWebhookEvent, WebhookEventStore};

#[async_trait]
impl WebhookEventStore for MemoryStores {
    async fn store_event(
        &self,
        notice: &StoredWebhookEvent,
        receiver: InstanceId,
        at: Timestamp,
    ) -> Result<bool, Failure> {
        self.write_state(MemoryCall::Write("notice"), |state| {
            Ok(state.webhook_events.store_once(notice, receiver, at))
        })
    }

    async fn unhandled_events(
        &self,
        receiver: InstanceId,
        overdue: Timestamp,
        limit: u32,
    ) -> Result<Vec<StoredWebhookEvent>, Failure> {
        let now = self.now();
        self.read_state("notices_unhandled", |state| {
            let is_for_receiver = |of: InstanceId, at: Timestamp| {
                of == receiver || at < overdue || state.nodes.is_gone(of, now)
            };
            state
                .webhook_events
                .find_unhandled_events(is_for_receiver, limit as usize)
        })
    }

    async fn mark_event_handled(&self, event_id: &str, _at: Timestamp) -> Result<(), Failure> {
        self.write_state(MemoryCall::Write("notice_handled"), |state| {
            state.webhook_events.mark_handled(event_id)
        })
    }
}
