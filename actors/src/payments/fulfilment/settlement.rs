//! The last steps of a fulfilment: capture or cancel at the provider, then store the outcome.

use domain::{AnomalyKind, OrderState, PaymentStatus};
use persistence::failpoint::{self, PurchaseStep};
use persistence::stores::{NotifyBuyer, Operation, OperationKind};

use super::{Fulfilment, FulfilmentContext};
use crate::GatewayError;
use crate::payments::abandon_reason::AbandonReason;
use crate::payments::context::Deferred;

/// Attempts to cancel an authorisation before an anomaly is raised for the operator.
const CANCEL_ATTEMPTS_BEFORE_ANOMALY: u32 = 3;

impl Fulfilment<'_> {
    /// Captures the payment with the application fee of the order's fee steps.
    pub(super) async fn capture(self, state: &mut FulfilmentContext) -> Result<(), Deferred> {
        let context = self.context;
        let order = state.record.order.id;
        // The fulfilment that stored the operation tries it at once under its first key. It claims
        // the operation only when the attempt fails.
        let first_key = std::mem::take(&mut state.just_allocated)
            .then(|| OperationKind::Capture.first_key(order))
            .flatten();
        let (key, claimed) = match first_key {
            Some(key) => (key, None),
            None => {
                let operation = self.claim(state, OperationKind::Capture).await?;
                (operation.key.clone(), Some(operation))
            }
        };
        let (account, fee) = (
            &state.record.order.account,
            state.record.order.application_fee,
        );
        let capture = failpoint::around(
            PurchaseStep::Capture,
            context
                .gateway
                .capture(&key, account, &state.intent.id, fee),
        );
        let error = match capture.await {
            Ok(intent) => {
                state.intent = intent;
                return Ok(());
            }
            Err(error) => error,
        };
        let operation = match claimed {
            Some(operation) => operation,
            None => self.claim(state, OperationKind::Capture).await?,
        };
        self.refresh_intent(state, &operation, &error).await?;
        if state.intent.status != PaymentStatus::RequiresCapture {
            return Ok(());
        }
        if let GatewayError::Refused { code, .. } = &error {
            let note = format!("the provider refuses to capture an authorised payment: {code}");
            self.raise_anomaly(state, AnomalyKind::FailedAllocation, &note)
                .await?;
        }
        Err(context
            .retry_later(&operation, error.is_stored_under_key())
            .await)
    }

    /// Cancels the payment intent, authorised or not.
    pub(super) async fn cancel(self, state: &mut FulfilmentContext) -> Result<(), Deferred> {
        let context = self.context;
        let order = state.record.order.id;
        if state.record.order.state != OrderState::Rejecting {
            // The order is released or void, and its intent was found open afterwards. Nothing else
            // depends on this cancellation, so it needs no stored operation.
            let key = format!("cancel-{order}-late");
            let canceled = context
                .gateway
                .cancel(&key, &state.record.order.account, &state.intent.id)
                .await;
            return match canceled {
                Ok(intent) => {
                    state.intent = intent;
                    Ok(())
                }
                Err(error) => {
                    tracing::warn!(%error, order.id = %order, "cancellation of an ended order's intent deferred: provider error");
                    Err(Deferred)
                }
            };
        }
        let operation = self.claim(state, OperationKind::Cancel).await?;
        match context
            .gateway
            .cancel(
                &operation.key,
                &state.record.order.account,
                &state.intent.id,
            )
            .await
        {
            Ok(intent) => {
                state.intent = intent;
                context.complete_operation(&operation).await
            }
            Err(error) => {
                self.refresh_intent(state, &operation, &error).await?;
                if matches!(
                    state.intent.status,
                    PaymentStatus::Canceled | PaymentStatus::Succeeded
                ) {
                    return context.complete_operation(&operation).await;
                }
                if operation.attempts >= CANCEL_ATTEMPTS_BEFORE_ANOMALY {
                    let note = "a refused order's authorisation could not be cancelled yet";
                    self.raise_anomaly(state, AnomalyKind::FailedAllocation, note)
                        .await?;
                }
                Err(context
                    .retry_later(&operation, error.is_stored_under_key())
                    .await)
            }
        }
    }

    /// Reads the payment intent again after a failed attempt, to learn whether it had an effect.
    async fn refresh_intent(
        self,
        state: &mut FulfilmentContext,
        operation: &Operation,
        error: &GatewayError,
    ) -> Result<(), Deferred> {
        tracing::warn!(%error, order.id = %operation.order, kind = ?operation.kind, "payment operation failed: provider error");
        if matches!(error, GatewayError::Unavailable(_)) {
            return Err(self.context.retry_later(operation, false).await);
        }
        match self
            .context
            .gateway
            .retrieve(&state.record.order.account, &state.intent.id)
            .await
        {
            Ok(intent) => {
                state.intent = intent;
                Ok(())
            }
            Err(_) => Err(self.context.retry_later(operation, false).await),
        }
    }

    /// Stores that the payment was captured. The same transaction queues the confirmation mail.
    pub(super) async fn record_capture(
        self,
        state: &mut FulfilmentContext,
    ) -> Result<(), Deferred> {
        let at = self.context.clock.now();
        failpoint::around(
            PurchaseStep::Record,
            self.context
                .store
                .record_capture(state.record.order.id, &state.intent, at),
        )
        .await?;
        state.record.order.state = OrderState::Captured;
        state.record.captured_at = Some(at);
        self.context.wakeups.mail.notify_one();
        Ok(())
    }

    /// Ends an order that was not charged: returns what it holds and stores the outcome.
    pub(super) async fn release(self, state: &mut FulfilmentContext) -> Result<(), Deferred> {
        let context = self.context;
        context.return_tickets(&state.record).await?;
        let notice = self.release_notice(state).await?;
        let reason = state
            .record
            .reason
            .clone()
            .unwrap_or_else(|| "the payment was cancelled".into());
        let at = context.clock.now();
        // Resolved before the order ends: an ended order is not processed again.
        context
            .store
            .resolve_healed(&state.intent.id, AnomalyKind::FailedAllocation, at)
            .await?;
        context
            .store
            .release(state.record.order.id, &reason, notice, at)
            .await?;
        if notice == NotifyBuyer::Buyer {
            context.wakeups.mail.notify_one();
        }
        state.record.order.state = OrderState::Released;
        state.record.reason = Some(reason);
        state.record.tickets.clear();
        Ok(())
    }

    /// Decides whether the buyer is mailed that there are no tickets. A buyer who authorised the
    /// payment is waiting for them, unless the buyer left.
    async fn release_notice(self, state: &FulfilmentContext) -> Result<NotifyBuyer, Deferred> {
        let (record, intent) = (&state.record, &state.intent);
        if record.authorised_at.is_none() && intent.authorised_at.is_none() {
            return Ok(NotifyBuyer::Nobody);
        }
        let reason = match &record.reason {
            Some(reason) => Some(reason.clone()),
            // Another node may have rejected the order since this one read it.
            None => self
                .context
                .store
                .order(record.order.id)
                .await?
                .and_then(|record| record.reason),
        };
        let abandoned = reason.as_deref().and_then(AbandonReason::from_stored_text);
        Ok(if abandoned == Some(AbandonReason::BuyerLeft) {
            NotifyBuyer::Nobody
        } else {
            NotifyBuyer::Buyer
        })
    }

    /// Ends an order that had tickets, and whose authorisation ended before the capture.
    pub(super) async fn void(self, state: &mut FulfilmentContext) -> Result<(), Deferred> {
        let context = self.context;
        context.return_tickets(&state.record).await?;
        let reason = "the authorisation ended before it could be captured";
        let at = context.clock.now();
        // Resolved before the order ends: an ended order is not processed again.
        context
            .store
            .resolve_healed(&state.intent.id, AnomalyKind::FailedAllocation, at)
            .await?;
        context
            .store
            .void(state.record.order.id, reason, NotifyBuyer::Buyer, at)
            .await?;
        context.wakeups.mail.notify_one();
        state.record.order.state = OrderState::Void;
        state.record.reason = Some(reason.into());
        state.record.tickets.clear();
        Ok(())
    }
}
