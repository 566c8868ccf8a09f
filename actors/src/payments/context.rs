//! The state and the ports that all payment services share.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use domain::OrderId;
use persistence::stores::OrderRecord;
use persistence::{Failure, PaymentStores};
use tokio::sync::Notify;

use super::job_queue::{JobKey, KeyedJobQueue};
use super::order_index::OrderIndex;
use crate::{Clock, Draws, EngineMetrics, Gateway, PaymentFailure};

/// Everything a payment service needs. One per engine, shared by all services and workers.
pub(crate) struct PaymentContext {
    pub(crate) draws: Draws,
    pub(crate) store: Arc<dyn PaymentStores>,
    pub(crate) gateway: Arc<dyn Gateway>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) jobs: KeyedJobQueue,
    pub(crate) index: OrderIndex,
    pub(crate) wakeups: WorkerWakeups,
    /// Attempts to confirm a payment since this process started. Makes each attempt's key unique.
    pub(crate) confirmation_attempts: AtomicU64,
    pub(crate) metrics: EngineMetrics,
}

/// Wakes a worker as soon as it has work, so that it can poll rarely.
#[derive(Default)]
pub(crate) struct WorkerWakeups {
    pub(crate) operations: Notify,
    pub(crate) mail: Notify,
    pub(crate) webhook_events: Notify,
}

/// The work could not be finished now. What was done is stored, and a later call continues from
/// there.
#[derive(Debug)]
pub(crate) struct Deferred;

impl From<Failure> for Deferred {
    fn from(failure: Failure) -> Deferred {
        tracing::warn!(%failure, "payment work deferred: database error");
        Deferred
    }
}

impl From<Deferred> for PaymentFailure {
    fn from(_: Deferred) -> PaymentFailure {
        PaymentFailure::Unavailable
    }
}

/// Logs a database error and converts it for the caller.
pub(super) fn unavailable(failure: Failure) -> PaymentFailure {
    Deferred::from(failure).into()
}

impl PaymentContext {
    /// Runs `work` after all earlier work of the same order. The work runs to its end even when the
    /// caller stops waiting.
    pub(crate) fn run_for_order<T: Send + 'static>(
        &self,
        order: OrderId,
        work: impl Future<Output = Result<T, PaymentFailure>> + Send + 'static,
    ) -> impl Future<Output = Result<T, PaymentFailure>> + Send {
        let result = self.jobs.run(JobKey::Order(order), work);
        async move { result.await.unwrap_or(Err(PaymentFailure::Unavailable)) }
    }

    /// Reads an order from the database.
    pub(super) async fn load_order(&self, order: OrderId) -> Result<OrderRecord, PaymentFailure> {
        match self.store.order(order).await {
            Ok(Some(record)) => Ok(record),
            Ok(None) => Err(PaymentFailure::OrderUnknown),
            Err(failure) => {
                tracing::warn!(%failure, order.id = %order, "order could not be read: database error");
                Err(PaymentFailure::Unavailable)
            }
        }
    }
}
