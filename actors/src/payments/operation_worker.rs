//! The background worker for payment operations. It claims the operations that are due, and
//! attempts each in a job of its order.

use std::sync::Arc;
use std::time::Duration;

use domain::OrderState;
use persistence::stores::{Operation, OperationKind};
use tokio::sync::{Semaphore, watch};

use super::context::{Deferred, PaymentContext};
use super::fulfilment::Fulfilment;
use super::intents::{IntentError, Intents};
use super::operations::OPERATION_LEASE_MS;
use super::refunds::Refunds;
use crate::poll_backoff::PollBackoff;
use crate::{FulfilStatus, PaymentFailure};

/// Largest number of concurrent operations. If the provider hangs on some, the others continue.
const CONCURRENT_OPERATIONS_MAX: usize = 64;
/// Shortest and longest pause between polls while no operation is due.
const POLL_DELAY_RANGE: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(8));

/// Attempts due operations until the engine stops.
pub(crate) async fn run_operation_worker(
    context: Arc<PaymentContext>,
    stop: watch::Receiver<bool>,
) {
    let permits = Arc::new(Semaphore::new(CONCURRENT_OPERATIONS_MAX));
    let mut backoff = PollBackoff::new(POLL_DELAY_RANGE, stop);
    while backoff
        .wait_for_next_poll(&context.wakeups.operations)
        .await
    {
        let free = permits.available_permits() as u32;
        let claimed = match free {
            0 => Ok(Vec::new()),
            _ => {
                context
                    .store
                    .claim_operations(context.clock.now(), OPERATION_LEASE_MS, free)
                    .await
            }
        };
        match claimed {
            Ok(operations) if operations.is_empty() => backoff.increase_delay(),
            Ok(operations) => {
                backoff.reset_delay();
                for operation in operations {
                    let (context, permit) = (context.clone(), permits.clone().try_acquire_owned());
                    tokio::spawn(async move {
                        attempt_operation_in_order_job(&context, operation).await;
                        drop(permit);
                    });
                }
            }
            Err(failure) => {
                tracing::warn!(%failure, "payment operations not claimed: database error");
                backoff.increase_delay();
            }
        }
    }
}

async fn attempt_operation_in_order_job(context: &Arc<PaymentContext>, operation: Operation) {
    let (job_context, order) = (context.clone(), operation.order);
    let attempted = context
        .run_for_order(order, async move {
            attempt_operation(&job_context, operation).await
        })
        .await;
    if let Err(failure) = attempted {
        tracing::warn!(%failure, order.id = %order, "payment operation deferred until lease expiry");
    }
}

/// Attempts one operation once, and stores the outcome in every case.
async fn attempt_operation(
    context: &Arc<PaymentContext>,
    operation: Operation,
) -> Result<(), PaymentFailure> {
    let record = context.load_order(operation.order).await;
    let mut record = match record {
        Ok(record) => record,
        Err(failure) => {
            context.schedule_retry(&operation, false).await;
            return Err(failure);
        }
    };
    let is_decided = record.order.state != OrderState::Quoted;
    let attempted = match operation.kind {
        // An order whose outcome is decided needs no intent any more.
        OperationKind::Create | OperationKind::Update if is_decided => context
            .complete_operation(&operation)
            .await
            .map_err(IntentError::from),
        OperationKind::Create => {
            Intents::new(context)
                .create_intent(&mut record, &operation)
                .await
        }
        OperationKind::Update => {
            Intents::new(context)
                .update_intent(&record, &operation)
                .await
        }
        OperationKind::Capture | OperationKind::Cancel => capture_or_cancel(context, operation)
            .await
            .map_err(IntentError::from),
        OperationKind::Refund | OperationKind::FeeRefund => Refunds::new(context)
            .attempt_refund(&record, &operation)
            .await
            .map_err(IntentError::from),
    };
    match attempted {
        Ok(()) | Err(IntentError::Deferred | IntentError::Refused { .. }) => Ok(()),
    }
}

/// Fulfils the order of an operation, which captures or cancels its payment.
async fn capture_or_cancel(
    context: &Arc<PaymentContext>,
    operation: Operation,
) -> Result<(), Deferred> {
    let order = operation.order;
    let mut claimed = Some(operation);
    let fulfilled = Fulfilment::new(context).fulfil(order, &mut claimed).await;
    let Some(unused) = claimed else {
        return Ok(());
    };
    match fulfilled.map(|fulfilled| fulfilled.status) {
        // Another call has fulfilled the order, so the operation is no longer needed.
        Ok(FulfilStatus::Succeeded | FulfilStatus::Refunding | FulfilStatus::NotCharged { .. }) => {
            context.complete_operation(&unused).await
        }
        _ => Err(context.schedule_retry(&unused, false).await),
    }
}
