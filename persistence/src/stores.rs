//! The stores for payments: one trait for each kind of record. The modules `postgres` and `memory`
//! implement all of them.

mod anomalies;
mod orders;
mod outbox;
mod payment_operations;
mod reconciliation;
mod webhook_events;

pub use anomalies::{AnomalyRecord, AnomalyStore};
pub use orders::{AgreedTerms, BuyerSource, NotifyBuyer, OrderRecord, OrderStore};
pub use outbox::{Mail, OutboxStore};
pub use payment_operations::{
    AttemptOutcome, FAST_PATH_EXCLUSIVE_MS, Operation, OperationKind, PaymentOperationStore,
    PaymentRepair, REPAIR_BLOCK_MS,
};
pub use reconciliation::ReconciliationStore;
pub use webhook_events::{StoredWebhookEvent, WebhookEventStore};

/// All stores for payments together, for use as one trait object.
pub trait PaymentStores:
    OrderStore
    + ReconciliationStore
    + PaymentOperationStore
    + WebhookEventStore
    + OutboxStore
    + AnomalyStore
{
}

impl<S> PaymentStores for S where
    S: OrderStore
        + ReconciliationStore
        + PaymentOperationStore
        + WebhookEventStore
        + OutboxStore
        + AnomalyStore
        + ?Sized
{
}
