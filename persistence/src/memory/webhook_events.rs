//! The webhook events and provider snapshots of the memory store.

use std::collections::{BTreeMap, BTreeSet};

use domain::{PaymentIntent, PaymentIntentId, Timestamp};

use crate::error::Failure;
use crate::nodes::InstanceId;
use crate::stores::StoredWebhookEvent;

/// The newest provider snapshot of a payment intent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderSnapshot {
    pub intent: PaymentIntent,
    pub at: Timestamp,
}

#[derive(Clone, Default)]
pub(super) struct WebhookEvents {
    rows: BTreeMap<String, (StoredWebhookEvent, InstanceId)>,
    unhandled: BTreeSet<(Timestamp, String)>,
    received: BTreeMap<String, Timestamp>,
    provider_snapshots: BTreeMap<PaymentIntentId, ProviderSnapshot>,
}

impl WebhookEvents {
    pub fn store_once(
        &mut self,
        event: &StoredWebhookEvent,
        receiver: InstanceId,
        at: Timestamp,
    ) -> bool {
        if self.rows.contains_key(&event.event_id) {
            return false;
        }
        self.rows
            .insert(event.event_id.clone(), (event.clone(), receiver));
        self.received.insert(event.event_id.clone(), at);
        self.unhandled.insert((at, event.event_id.clone()))
    }

    /// Returns the unhandled events for which `is_for_receiver` returns true, oldest first. The
    /// predicate gets the node that received the event and the time of receipt.
    pub fn find_unhandled_events(
        &self,
        is_for_receiver: impl Fn(InstanceId, Timestamp) -> bool,
        limit: usize,
    ) -> Vec<StoredWebhookEvent> {
        let rows = self.unhandled.iter().map(|(at, id)| (at, &self.rows[id]));
        let is_for_receiver = rows.filter(|(at, (_, receiver))| is_for_receiver(*receiver, **at));
        is_for_receiver
            .take(limit)
            .map(|(_, (event, _))| event.clone())
            .collect()
    }

    pub fn mark_handled(&mut self, event_id: &str) -> Result<(), Failure> {
        let at = self.received.get(event_id).ok_or(Failure::NotFound)?;
        self.unhandled.remove(&(*at, event_id.to_string()));
        Ok(())
    }

    pub fn store_provider_snapshot(&mut self, intent: &PaymentIntent, at: Timestamp) {
        if self
            .provider_snapshots
            .get(&intent.id)
            .is_none_or(|stored| stored.at <= at)
        {
            self.provider_snapshots.insert(
                intent.id.clone(),
                ProviderSnapshot {
                    intent: intent.clone(),
                    at,
                },
            );
        }
    }

    pub fn provider_snapshots(&self) -> impl Iterator<Item = &ProviderSnapshot> {
        self.provider_snapshots.values()
    }
}
