//! Creates and updates an order's payment intent at the provider.

use domain::provider_error::ProviderErrorClass;
use domain::{Order, OrderState, PaymentStatus};
use persistence::failpoint::{self, PurchaseStep};
use persistence::stores::{Operation, OperationKind, OrderRecord};

use super::context::{Deferred, PaymentContext};
use crate::{GatewayError, NewIntent, OpenedIntent};

/// Tolerated difference between this machine's clock and the provider's, in milliseconds.
const CLOCK_SKEW_MS_MAX: i64 = 300_000;

/// Why a payment intent could not be created or updated.
pub(super) enum IntentError {
    Deferred,
    /// The provider refuses, and would refuse again.
    Refused {
        class: ProviderErrorClass,
        code: String,
        message: String,
    },
}

impl From<Deferred> for IntentError {
    fn from(_: Deferred) -> IntentError {
        IntentError::Deferred
    }
}

fn new_intent(order: &Order) -> NewIntent {
    let draws: Vec<String> = order
        .lines
        .iter()
        .map(|line| format!("{}x{}", line.draw, line.count))
        .collect();
    NewIntent {
        order: order.id,
        account: order.account.clone(),
        amount: order.total(),
        draws: draws.join(","),
    }
}

/// Creates and updates payment intents. Its methods must run in a job of the order.
#[derive(Clone, Copy)]
pub(super) struct Intents<'a> {
    context: &'a PaymentContext,
}

impl<'a> Intents<'a> {
    pub(super) fn new(context: &'a PaymentContext) -> Intents<'a> {
        Intents { context }
    }

    /// Creates the intent of an order that this node has just opened. No other worker knows the new
    /// create operation yet, so the first attempt does not claim it. If the attempt fails, the
    /// operation is claimed in order to record the failure.
    pub(super) async fn create_first_intent(
        self,
        record: &mut OrderRecord,
    ) -> Result<(), IntentError> {
        let order = record.order.id;
        let key = OperationKind::Create
            .first_idempotency_key(order)
            .unwrap_or_default();
        match failpoint::run_between_failpoints(
            PurchaseStep::Intent,
            self.context
                .gateway
                .create(&key, &new_intent(&record.order)),
        )
        .await
        {
            Ok(opened) => self.store_intent(record, opened).await,
            Err(error) => {
                let operation = self
                    .context
                    .claim_operation(order, OperationKind::Create)
                    .await?
                    .ok_or(IntentError::Deferred)?;
                let opened = self
                    .recover_failed_intent_creation(record, &operation, error)
                    .await?;
                self.store_intent(record, opened).await
            }
        }
    }

    /// Ensures that the order's intent exists and has the order's amount.
    pub(super) async fn ensure_intent(self, record: &mut OrderRecord) -> Result<(), IntentError> {
        let order = record.order.id;
        if record.order.payment_intent.is_none() {
            let operation = self
                .context
                .claim_operation(order, OperationKind::Create)
                .await?
                .ok_or(IntentError::Deferred)?;
            return self.create_intent(record, &operation).await;
        }
        match self
            .context
            .claim_operation(order, OperationKind::Update)
            .await?
        {
            Some(operation) => match self.update_intent(record, &operation).await {
                // The intent was authorised or cancelled in the meantime. The order is returned
                // unchanged, and its fulfilment reports the outcome.
                Err(IntentError::Refused { .. }) => Ok(()),
                updated => updated,
            },
            None => Ok(()),
        }
    }

    /// Creates the order's intent, or finds the intent of an earlier attempt whose answer was lost.
    pub(super) async fn create_intent(
        self,
        record: &mut OrderRecord,
        operation: &Operation,
    ) -> Result<(), IntentError> {
        let found = if operation.attempts > 1 {
            self.find_created_intent(record).await
        } else {
            None
        };
        let opened = match found {
            Some(opened) => opened,
            None => match self
                .context
                .gateway
                .create(&operation.key, &new_intent(&record.order))
                .await
            {
                Ok(opened) => opened,
                Err(error) => {
                    self.recover_failed_intent_creation(record, operation, error)
                        .await?
                }
            },
        };
        self.store_intent(record, opened).await
    }

    async fn store_intent(
        self,
        record: &mut OrderRecord,
        opened: OpenedIntent,
    ) -> Result<(), IntentError> {
        let order = record.order.id;
        let stored = failpoint::run_between_failpoints(
            PurchaseStep::Name,
            self.context
                .store
                .record_payment_intent(order, &opened.id, &opened.client_secret),
        )
        .await;
        if let Err(failure) = stored {
            self.cancel_stray_intent(record, &opened).await;
            return Err(Deferred::from(failure).into());
        }
        self.context.index.insert_intent(&opened.id, order);
        record.order.payment_intent = Some(opened.id);
        record.client_secret = Some(opened.client_secret);
        Ok(())
    }

    /// Cancels an intent that the order does not need, because another process has ended the order
    /// or stored another intent. If only the database write failed, the intent is not cancelled,
    /// and the next attempt finds it.
    async fn cancel_stray_intent(self, record: &OrderRecord, opened: &OpenedIntent) {
        let order = record.order.id;
        let Ok(Some(now)) = self.context.store.order(order).await else {
            return;
        };
        let stored = now.order.payment_intent.as_ref();
        if stored == Some(&opened.id) || (stored.is_none() && now.order.state == OrderState::Quoted)
        {
            return;
        }
        let key = format!("disown-{}", opened.id);
        if let Err(error) = self
            .context
            .gateway
            .cancel(&key, &record.order.account, &opened.id)
            .await
        {
            // No buyer was shown the client secret of this intent, so it can never be paid.
            tracing::warn!(%error, order.id = %order, "stray payment intent stays open: provider error");
        }
    }

    async fn find_created_intent(self, record: &OrderRecord) -> Option<OpenedIntent> {
        let since = record.opened_at.plus_ms(-CLOCK_SKEW_MS_MAX);
        // If the search fails, the next attempt under the same idempotency key returns the intent.
        self.context
            .gateway
            .find_open_intent(&record.order.account, record.order.id, since)
            .await
            .ok()
            .flatten()
    }

    /// Handles a failed attempt to create an intent. Returns the intent if it was created
    /// nevertheless.
    async fn recover_failed_intent_creation(
        self,
        record: &OrderRecord,
        operation: &Operation,
        error: GatewayError,
    ) -> Result<OpenedIntent, IntentError> {
        tracing::warn!(%error, order.id = %operation.order, "payment intent not created: provider error");
        match error {
            GatewayError::Refused {
                class,
                code,
                message,
            } => {
                self.context
                    .fail_operation(operation, format!("{code}: {message}"))
                    .await?;
                Err(IntentError::Refused {
                    class,
                    code,
                    message,
                })
            }
            GatewayError::Unavailable { .. } => {
                Err(self.context.schedule_retry(operation, false).await.into())
            }
            GatewayError::Unknown { .. } | GatewayError::Failed { .. } => {
                match self.find_created_intent(record).await {
                    Some(opened) => Ok(opened),
                    // If the intent is created later, no buyer is shown its client secret, so it
                    // can never be paid.
                    None => Err(self
                        .context
                        .schedule_retry(operation, error.is_stored_under_idempotency_key())
                        .await
                        .into()),
                }
            }
        }
    }

    /// Sets the intent's amount to the order's total.
    pub(super) async fn update_intent(
        self,
        record: &OrderRecord,
        operation: &Operation,
    ) -> Result<(), IntentError> {
        let context = self.context;
        let (order, Some(id)) = (&record.order, &record.order.payment_intent) else {
            // The intent does not exist yet. It will be created with the new amount.
            return Ok(context.complete_operation(operation).await?);
        };
        match context
            .gateway
            .update(&operation.key, &order.account, id, &new_intent(order))
            .await
        {
            Ok(_) => Ok(context.complete_operation(operation).await?),
            Err(GatewayError::Refused {
                class,
                code,
                message,
            }) => {
                // The intent was authorised or cancelled in the meantime, so fulfilment decides
                // about the order.
                context
                    .fail_operation(operation, format!("{code}: {message}"))
                    .await?;
                Err(IntentError::Refused {
                    class,
                    code,
                    message,
                })
            }
            Err(GatewayError::Unavailable { .. }) => {
                Err(context.schedule_retry(operation, false).await.into())
            }
            Err(error) => match context.gateway.retrieve(&order.account, id).await {
                Ok(intent) if intent.amount == order.total() => {
                    Ok(context.complete_operation(operation).await?)
                }
                retrieved => Err(context
                    .schedule_retry(
                        operation,
                        retrieved.is_ok() && error.is_stored_under_idempotency_key(),
                    )
                    .await
                    .into()),
            },
        }
    }
}

/// Whether an intent in this state may still be changed.
pub(super) fn is_changeable(status: PaymentStatus) -> bool {
    matches!(
        status,
        PaymentStatus::RequiresPaymentMethod
            | PaymentStatus::RequiresConfirmation
            | PaymentStatus::RequiresAction
    )
}
