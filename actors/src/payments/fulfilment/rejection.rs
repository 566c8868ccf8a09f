//! The steps of a fulfilment that ends without a charge: reject the order, cancel the
//! authorisation, return the tickets and reservations.

use domain::{AbandonReason, AnomalyKind, OrderEndCause, OrderState, PaymentIntent, PaymentStatus};
use persistence::stores::{NotifyBuyer, OperationKind, OrderRecord};

use super::{Fulfilment, FulfilmentContext};
use crate::payments::context::{Deferred, unavailable};
use crate::{FulfilStatus, FulfilmentResult, PaymentFailure};

/// Attempts to cancel an authorisation before an anomaly is raised for the operator.
const CANCEL_ATTEMPTS_BEFORE_ANOMALY: u32 = 3;

impl Fulfilment<'_> {
    /// Handles an order without a payment intent. A rejected order is released; any other order
    /// waits for its intent.
    pub(super) async fn finish_without_intent(
        self,
        mut record: OrderRecord,
    ) -> Result<FulfilmentResult, PaymentFailure> {
        let reason = record.reason.clone().unwrap_or_default();
        if record.order.state == OrderState::Rejecting {
            self.context.return_tickets(&record).await?;
            let at = self.context.clock.now();
            self.context
                .store
                .release_order(record.order.id, &reason, NotifyBuyer::Nobody, at)
                .await
                .map_err(unavailable)?;
            record.order.state = OrderState::Released;
        }
        let status = match record.order.state {
            OrderState::Released | OrderState::Void => FulfilStatus::NotCharged { reason },
            _ => FulfilStatus::Waiting,
        };
        Ok(FulfilmentResult { record, status })
    }

    /// Rejects the order: stores the decision, then returns its tickets to the draws. The caller
    /// then cancels the authorisation.
    ///
    /// `false`: another node has allocated or ended the order in the meantime. Then nothing is
    /// returned, and the buyer's answer follows the stored state.
    pub(super) async fn reject_order(
        self,
        state: &mut FulfilmentContext,
        reason: &str,
    ) -> Result<bool, Deferred> {
        let context = self.context;
        let order = state.record.order.id;
        context
            .store
            .reject_order(order, reason, context.clock.now())
            .await?;
        state.record = context.store.order(order).await?.ok_or(Deferred)?;
        if state.record.order.state != OrderState::Rejecting {
            return Ok(false);
        }
        context.wakeups.operations.notify_one();
        // If this call is interrupted, the release step returns the tickets again.
        context.return_tickets(&state.record).await?;
        state.record.tickets.clear();
        Ok(true)
    }

    /// Rejects an order that is not captured, so that its payment can still be cancelled.
    pub(in crate::payments) async fn reject_uncaptured_order(
        self,
        record: OrderRecord,
        intent: PaymentIntent,
        reason: &str,
    ) -> Result<(), Deferred> {
        let mut state = FulfilmentContext {
            record,
            intent,
            claimed: None,
            just_allocated: false,
        };
        self.reject_order(&mut state, reason).await.map(drop)
    }

    /// Cancels the payment intent, whether it is authorised or not.
    pub(super) async fn cancel_intent(self, state: &mut FulfilmentContext) -> Result<(), Deferred> {
        let context = self.context;
        let order = state.record.order.id;
        if state.record.order.state != OrderState::Rejecting {
            // The order is released or void, but its intent is still open. No other step waits for
            // this cancellation, so it needs no stored operation.
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
        let operation = self
            .ensure_operation_claimed(state, OperationKind::Cancel)
            .await?;
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
                    .schedule_retry(&operation, error.is_stored_under_idempotency_key())
                    .await)
            }
        }
    }

    /// Ends an order that was not charged: returns its tickets and reservations, and stores the
    /// outcome.
    pub(super) async fn release_order(self, state: &mut FulfilmentContext) -> Result<(), Deferred> {
        let context = self.context;
        context.return_tickets(&state.record).await?;
        let notify = self.decide_release_notification(state).await?;
        let reason = state
            .record
            .reason
            .clone()
            .unwrap_or_else(|| "the payment was cancelled".into());
        let at = context.clock.now();
        // The anomaly is resolved before the order ends, because an ended order is not processed
        // again.
        context
            .store
            .resolve_healed_anomalies(&state.intent.id, AnomalyKind::FailedAllocation, at)
            .await?;
        context
            .store
            .release_order(state.record.order.id, &reason, notify, at)
            .await?;
        if notify == NotifyBuyer::Buyer {
            context.wakeups.mail.notify_one();
        }
        state.record.order.state = OrderState::Released;
        state.record.reason = Some(reason);
        state.record.tickets.clear();
        Ok(())
    }

    /// Decides whether the buyer gets a mail that there are no tickets. A buyer who authorised the
    /// payment expects tickets, unless the buyer abandoned the order.
    async fn decide_release_notification(
        self,
        state: &FulfilmentContext,
    ) -> Result<NotifyBuyer, Deferred> {
        let (record, intent) = (&state.record, &state.intent);
        if record.authorised_at.is_none() && intent.authorised_at.is_none() {
            return Ok(NotifyBuyer::Nobody);
        }
        let reason = match &record.reason {
            Some(reason) => Some(reason.clone()),
            // Another node may have rejected the order after this node read it.
            None => self
                .context
                .store
                .order(record.order.id)
                .await?
                .and_then(|record| record.reason),
        };
        let left = OrderEndCause::Abandoned(AbandonReason::BuyerLeft);
        Ok(if reason.is_some_and(|reason| reason.cause() == left) {
            NotifyBuyer::Nobody
        } else {
            NotifyBuyer::Buyer
        })
    }

    /// Ends an order that had tickets, because its authorisation ended before the capture.
    pub(super) async fn void_order(self, state: &mut FulfilmentContext) -> Result<(), Deferred> {
        let context = self.context;
        context.return_tickets(&state.record).await?;
        let reason = "the authorisation ended before it could be captured";
        let at = context.clock.now();
        // The anomaly is resolved before the order ends, because an ended order is not processed
        // again.
        context
            .store
            .resolve_healed_anomalies(&state.intent.id, AnomalyKind::FailedAllocation, at)
            .await?;
        context
            .store
            .void_order(state.record.order.id, reason, NotifyBuyer::Buyer, at)
            .await?;
        context.wakeups.mail.notify_one();
        state.record.order.state = OrderState::Void;
        state.record.reason = Some(reason.into());
        state.record.tickets.clear();
        Ok(())
    }
}
