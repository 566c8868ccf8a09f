//! The small writes of a purchase beside its tickets. Many of them share one transaction.

use domain::{OrderId, PaymentIntent, PaymentIntentId, Timestamp};
use sqlx::postgres::PgConnection;

use super::writer::{BatchTransaction, TransactionError};
use super::{Postgres, operations, orders, outbox, payments, webhook_events};
use crate::error::Failure;
use crate::link_secrets::LinkSecrets;
use crate::nodes::InstanceId;
use crate::stable_hash::fnv1a;
use crate::stores::{Attempt, Operation, OperationKind, StoredWebhookEvent, TermsAgreed};

/// Writes in one transaction.
pub(super) const BATCH_SIZE_MAX: usize = 256;

/// One write of a purchase. Each variant is a method of a store.
pub(super) enum PurchaseWrite {
    RecordConsent {
        order: OrderId,
        at: Timestamp,
        ip: String,
        terms: TermsAgreed,
    },
    RecordPaymentIntent {
        order: OrderId,
        id: PaymentIntentId,
        client_secret: String,
    },
    RecordCapture {
        order: OrderId,
        intent: PaymentIntent,
        at: Timestamp,
    },
    ClaimOperation {
        order: OrderId,
        kind: OperationKind,
        now: Timestamp,
        lease_ms: i64,
    },
    RecordAttempt {
        operation: i64,
        attempt: Attempt,
    },
    StoreWebhookEvent {
        event: StoredWebhookEvent,
        receiver: InstanceId,
        at: Timestamp,
    },
    MarkEventHandled {
        event_id: String,
        at: Timestamp,
    },
    MarkMailSent {
        mail: i64,
        at: Timestamp,
    },
}

/// The outcome of a write.
pub(super) enum WriteOutcome {
    Done,
    Claimed(Option<Operation>),
    /// Whether the webhook event was stored for the first time.
    IsNewEvent(bool),
}

/// The transaction that carries a batch of [`PurchaseWrite`]s.
pub(super) struct PurchaseWrites;

/// The outcome of each write of a batch, by its position in the batch.
pub(super) type Outcomes = Vec<Option<Result<WriteOutcome, Failure>>>;

impl Postgres {
    /// Submits a write to the batch queue and waits for its outcome.
    pub(super) async fn submit(&self, write: PurchaseWrite) -> Result<WriteOutcome, Failure> {
        let outcome = self.inner.purchase_writes.submit(write).await;
        outcome.unwrap_or_else(|_| Err(Failure::Unknown("the writer panicked".into())))
    }
}

impl BatchTransaction for PurchaseWrites {
    type Request = PurchaseWrite;
    type Response = WriteOutcome;

    fn conflict_key(write: &PurchaseWrite) -> Option<u128> {
        Some(match write {
            PurchaseWrite::RecordConsent { order, .. }
            | PurchaseWrite::RecordPaymentIntent { order, .. }
            | PurchaseWrite::RecordCapture { order, .. }
            | PurchaseWrite::ClaimOperation { order, .. } => order.0,
            PurchaseWrite::RecordAttempt { operation: id, .. }
            | PurchaseWrite::MarkMailSent { mail: id, .. } => id.cast_unsigned().into(),
            PurchaseWrite::StoreWebhookEvent {
                event: StoredWebhookEvent { event_id, .. },
                ..
            }
            | PurchaseWrite::MarkEventHandled { event_id, .. } => fnv1a(event_id.as_bytes()).into(),
        })
    }

    async fn transact(
        connection: &mut PgConnection,
        secrets: &LinkSecrets,
        batch: &[&PurchaseWrite],
    ) -> Result<Vec<Result<WriteOutcome, Failure>>, TransactionError> {
        let mut outcomes: Outcomes = batch.iter().map(|_| None).collect();
        // Always in this order, so that two writers lock orders before operations and mails.
        orders::record_consents(connection, batch, &mut outcomes).await?;
        payments::record_intents_and_captures(connection, secrets, batch, &mut outcomes).await?;
        operations::claim_each(connection, batch, &mut outcomes).await?;
        operations::record_attempts(connection, batch, &mut outcomes).await?;
        webhook_events::store(connection, batch, &mut outcomes).await?;
        webhook_events::mark_handled(connection, batch, &mut outcomes).await?;
        outbox::mark_sent(connection, batch, &mut outcomes).await?;
        Ok(outcomes
            .into_iter()
            .map(|outcome| outcome.unwrap_or(Err(Failure::NotFound)))
            .collect())
    }
}
