//! Refunds: takes an order's tickets back, then returns its money and its part of the application
//! fee.

use std::sync::Arc;

use domain::provider_error::{LOW_BALANCE_CODE, PAYMENT_DISPUTED_CODE, ProviderErrorClass};
use domain::reconciliation::{DISPUTED_NOTE, dispute_note};
use domain::refund::LOW_BALANCE_NOTE;
use domain::{
    Anomaly, AnomalyKind, Cents, DrawId, OrderId, OrderState, PaymentIntent, PaymentIntentId,
    PendingCause, ProviderRefund, RefundStatus,
};
use persistence::Failure;
use persistence::records::audit::AuditEntry;
use persistence::stores::{Operation, OperationKind, OrderRecord};

use super::checkout::Checkout;
use super::context::{Deferred, PaymentContext, unavailable};
use super::fulfilment::Fulfilment;
use crate::{FulfilStatus, GatewayError, PaymentFailure};

/// Number of refused attempts to refund before an anomaly is raised for the operator.
const REFUND_ATTEMPTS_BEFORE_ANOMALY: u32 = 10;
/// Number of attempts at a refund that the club's balance does not cover. With
/// [`low_balance_delay_ms`] they take about thirty days.
const LOW_BALANCE_ATTEMPTS_MAX: u32 = 128;
/// Largest number of orders that one call refunds. A draw has at most 169 orders.
const REFUNDED_ORDERS_PER_CALL_MAX: u32 = 200;

/// Refunds orders. All methods but `refund_cancelled_draws` and `queue_overpaid_fee_refunds` must
/// run in a job of the order.
#[derive(Clone, Copy)]
pub(crate) struct Refunds<'a> {
    context: &'a Arc<PaymentContext>,
}

impl<'a> Refunds<'a> {
    pub(crate) fn new(context: &'a Arc<PaymentContext>) -> Refunds<'a> {
        Refunds { context }
    }

    /// Refunds an order, or abandons it if it is not charged yet. The tickets are taken back first,
    /// so that no ticket is both owned and refunded (decision D-3).
    pub(crate) async fn refund_order(
        self,
        order: OrderId,
        reason: &str,
        audit_entry: Option<AuditEntry>,
    ) -> Result<(), PaymentFailure> {
        let fulfilled = Fulfilment::new(self.context)
            .fulfil(order, &mut None)
            .await?;
        match (fulfilled.record.order.state, fulfilled.status) {
            (OrderState::Captured, _) => {
                self.refund_captured_order(&fulfilled.record, reason, audit_entry)
                    .await
            }
            (_, FulfilStatus::Processing) => Err(PaymentFailure::Unavailable),
            (_, FulfilStatus::Waiting) => Checkout::new(self.context)
                .abandon_for_buyer(order)
                .await
                .map(drop),
            // The order was not charged, or its payment is already being refunded.
            _ => Ok(()),
        }
    }

    /// Starts the refund of a captured order.
    pub(super) async fn refund_captured_order(
        self,
        record: &OrderRecord,
        reason: &str,
        mut audit_entry: Option<AuditEntry>,
    ) -> Result<(), PaymentFailure> {
        let context = self.context;
        let order = &record.order;
        context
            .return_tickets_audited(record, &mut audit_entry)
            .await?;
        // If an earlier call took the tickets back, the audit entry is not written yet. It must be
        // in the audit log before the refund starts.
        if let Some(entry) = audit_entry {
            context
                .store
                .write_audit_entry(&entry)
                .await
                .map_err(unavailable)?;
        }
        let fee = context
            .store
            .fee_to_refund_for_voided_tickets(order.id)
            .await
            .map_err(unavailable)?;
        context
            .store
            .queue_refund(order.id, order.total(), fee.max(Cents::ZERO), reason)
            .await
            .map_err(unavailable)?;
        for line in &order.lines {
            self.queue_overpaid_fee_refunds(line.draw).await;
        }
        context.wakeups.operations.notify_one();
        Ok(())
    }

    /// Queues refunds of the application fee that the draw's captured orders have overpaid.
    pub(crate) async fn queue_overpaid_fee_refunds(self, draw: DrawId) {
        match self.context.store.queue_fee_refunds(draw).await {
            Ok(()) => self.context.wakeups.operations.notify_one(),
            // The sweeper retries the fee refunds of every draw that owes fees.
            Err(failure) => {
                tracing::warn!(%failure, draw.id = %draw, "fee refunds deferred: database error");
            }
        }
    }

    /// Queues a mail to the buyer once per order and kind. If the refund is interrupted before this
    /// call, the next attempt queues the mail.
    async fn queue_buyer_mail(self, record: &OrderRecord, kind: &str) {
        let Some(to) = &record.buyer.email else {
            return;
        };
        let (order, now) = (record.order.id, self.context.clock.now());
        let key = format!("{kind}-{order}");
        let queued = self
            .context
            .store
            .queue_mail(&key, kind, Some(order), to, "{}", now)
            .await;
        if let Err(failure) = queued {
            // Without the mail the refund is still stored, and the order page shows it.
            tracing::warn!(%failure, order.id = %order, "refund mail not queued: database error");
        }
        self.context.wakeups.mail.notify_one();
    }

    /// Refunds every order with a ticket in a cancelled draw, completely (decisions E-9, C-10). The
    /// sweeper completes the refunds that fail now. Returns how many orders had to be refunded.
    pub(crate) async fn refund_cancelled_draws(self, reason: &str) -> Result<u32, Failure> {
        let due = self
            .context
            .store
            .orders_of_cancelled_draws(REFUNDED_ORDERS_PER_CALL_MAX)
            .await?;
        let count = due.len() as u32;
        for record in due {
            let (context, reason, order) =
                (self.context.clone(), reason.to_owned(), record.order.id);
            let refunded = self
                .context
                .run_for_order(order, async move {
                    Refunds::new(&context)
                        .refund_order(order, &reason, None)
                        .await
                })
                .await;
            if let Err(failure) = refunded {
                tracing::warn!(%failure, order.id = %order, "refund of a cancelled draw's order deferred to the sweeper");
            }
        }
        Ok(count)
    }

    /// Attempts a refund of a payment or of its application fee at the provider.
    pub(super) async fn attempt_refund(
        self,
        record: &OrderRecord,
        operation: &Operation,
    ) -> Result<(), Deferred> {
        let Some(id) = &record.order.payment_intent else {
            let why = "there is no payment to give back".into();
            return self.context.fail_operation(operation, why).await;
        };
        match operation.kind {
            OperationKind::FeeRefund => self.attempt_fee_refund(record, operation, id).await,
            _ => self.attempt_payment_refund(record, operation, id).await,
        }
    }

    /// Refunds the payment of an order. A disputed payment is not refunded: the buyer's bank
    /// returns its money, and a refund would return the money twice.
    async fn attempt_payment_refund(
        self,
        record: &OrderRecord,
        operation: &Operation,
        id: &PaymentIntentId,
    ) -> Result<(), Deferred> {
        let context = self.context;
        let (gateway, account) = (&context.gateway, &record.order.account);
        let amount = operation.amount.unwrap_or_default();
        match gateway.retrieve(account, id).await {
            Ok(intent) if intent.is_disputed() || has_refunded(&intent, amount) => {
                return self.finish_refund(record, operation, &intent, amount).await;
            }
            // A refund of a payment that the provider does not show is refused too, and reported.
            Ok(_) | Err(GatewayError::Refused { .. }) => {}
            Err(error) => {
                tracing::warn!(%error, order.id = %operation.order, "refund deferred: provider error");
                return Err(context.schedule_retry(operation, false).await);
            }
        }
        let error = match gateway.refund(&operation.key, account, id, amount).await {
            Ok(refund) => return self.record_refund(record, operation, &refund).await,
            Err(error) => error,
        };
        let intent = context
            .read_intent_after_failure(account, id, operation, &error)
            .await?;
        if intent.is_disputed() || has_refunded(&intent, amount) {
            return self.finish_refund(record, operation, &intent, amount).await;
        }
        match error {
            GatewayError::Refused {
                class: ProviderErrorClass::LowBalance,
                ..
            } => self.wait_for_balance(record, operation).await,
            // The provider does not show the dispute yet.
            GatewayError::Refused {
                class: ProviderErrorClass::PaymentDisputed,
                ..
            } => {
                self.end_disputed_refund(record, operation, DISPUTED_NOTE)
                    .await
            }
            error => self.retry_or_report(record, operation, error).await,
        }
    }

    /// Refunds a part of the order's application fee.
    async fn attempt_fee_refund(
        self,
        record: &OrderRecord,
        operation: &Operation,
        id: &PaymentIntentId,
    ) -> Result<(), Deferred> {
        let context = self.context;
        let (gateway, account) = (&context.gateway, &record.order.account);
        let amount = operation.amount.unwrap_or_default();
        let error = match gateway
            .refund_fee(&operation.key, account, id, amount)
            .await
        {
            Ok(()) => return context.complete_operation(operation).await,
            Err(error) => error,
        };
        let intent = context
            .read_intent_after_failure(account, id, operation, &error)
            .await?;
        // An order's fee may be refunded in several parts, so earlier fee refunds do not show that
        // this operation succeeded.
        let refunded_before = context.store.fee_refunded_so_far(record.order.id).await?;
        if intent.application_fee_refunded >= refunded_before + amount {
            return context.complete_operation(operation).await;
        }
        self.retry_or_report(record, operation, error).await
    }

    /// Schedules the next attempt. After [`REFUND_ATTEMPTS_BEFORE_ANOMALY`] refused attempts an
    /// anomaly is raised, and the operator decides.
    async fn retry_or_report(
        self,
        record: &OrderRecord,
        operation: &Operation,
        error: GatewayError,
    ) -> Result<(), Deferred> {
        let context = self.context;
        // The provider stores refusals too. A retry under the same key would return the same one.
        let is_stored = error.is_stored_under_idempotency_key()
            || matches!(error, GatewayError::Refused { .. });
        match error {
            GatewayError::Refused { class, code, .. }
                if operation.attempts >= REFUND_ATTEMPTS_BEFORE_ANOMALY =>
            {
                let words = class.guide().operator;
                let note = format!("the provider refuses to give money back: {code}. {words}");
                self.raise_anomaly(record, operation, AnomalyKind::MismatchedAmount, note)
                    .await?;
                context.fail_operation(operation, code).await
            }
            _ => Err(context.schedule_retry(operation, is_stored).await),
        }
    }

    /// Reports a refund that the club's balance does not cover, and schedules the next attempt.
    /// The anomaly is resolved when the refund succeeds.
    async fn wait_for_balance(
        self,
        record: &OrderRecord,
        operation: &Operation,
    ) -> Result<(), Deferred> {
        let (kind, note) = (AnomalyKind::OwedRefund, LOW_BALANCE_NOTE.to_owned());
        self.raise_anomaly(record, operation, kind, note).await?;
        self.queue_buyer_mail(record, "refund-pending").await;
        if operation.attempts >= LOW_BALANCE_ATTEMPTS_MAX {
            return self
                .context
                .fail_operation(operation, LOW_BALANCE_CODE.into())
                .await;
        }
        let delay_ms = low_balance_delay_ms(operation.attempts);
        Err(self
            .context
            .schedule_refused_retry(operation, delay_ms, LOW_BALANCE_CODE)
            .await)
    }

    /// Ends the refund of a disputed payment without a call to the provider. If the club wins the
    /// dispute, the payment is reported as one without tickets, and the operator refunds it. `note`:
    /// the note of the dispute's anomaly.
    async fn end_disputed_refund(
        self,
        record: &OrderRecord,
        operation: &Operation,
        note: &str,
    ) -> Result<(), Deferred> {
        let (kind, note) = (AnomalyKind::Dispute, note.to_owned());
        self.raise_anomaly(record, operation, kind, note).await?;
        self.context
            .fail_operation(operation, PAYMENT_DISPUTED_CODE.into())
            .await
    }

    async fn raise_anomaly(
        self,
        record: &OrderRecord,
        operation: &Operation,
        kind: AnomalyKind,
        note: String,
    ) -> Result<(), Deferred> {
        let (store, now) = (&self.context.store, self.context.clock.now());
        let anomaly = Anomaly {
            kind,
            payment_intent: record.order.payment_intent.clone(),
            order: Some(record.order.id),
            note,
        };
        if store.raise_anomaly(&anomaly, operation.amount, now).await? {
            tracing::error!(order.id = %record.order.id, ?kind, anomaly.note, "an anomaly was raised");
        }
        Ok(())
    }

    /// Ends a refund whose payment is disputed, or refunded already.
    async fn finish_refund(
        self,
        record: &OrderRecord,
        operation: &Operation,
        intent: &PaymentIntent,
        amount: Cents,
    ) -> Result<(), Deferred> {
        if !has_refunded(intent, amount) {
            let note = dispute_note(intent).unwrap_or(DISPUTED_NOTE);
            return self.end_disputed_refund(record, operation, note).await;
        }
        let live = intent
            .refund_of(amount)
            .filter(|refund| refund.status.failure().is_none());
        let Some(refund) = live else {
            // The amount was refunded in parts outside this system.
            self.queue_buyer_mail(record, "refunded").await;
            return self.complete_refund(record, operation).await;
        };
        self.record_refund(record, operation, refund).await
    }

    /// Stores the refund that the provider made for an operation, and ends the operation. The
    /// refund itself may still be pending, and later succeed or fail.
    async fn record_refund(
        self,
        record: &OrderRecord,
        operation: &Operation,
        refund: &ProviderRefund,
    ) -> Result<(), Deferred> {
        let context = self.context;
        // The same write queues the mails that the status causes.
        context
            .store
            .record_refund_status(record.order.id, refund, context.clock.now())
            .await?;
        context.wakeups.mail.notify_one();
        if let (Some(failure), Some(note)) = (refund.status.failure(), refund.failure_note()) {
            let kind = AnomalyKind::OwedRefund;
            self.raise_anomaly(record, operation, kind, note).await?;
            return context
                .fail_operation(operation, failure.name().into())
                .await;
        }
        if refund.status == RefundStatus::Pending(PendingCause::InsufficientFunds) {
            let (kind, note) = (AnomalyKind::OwedRefund, LOW_BALANCE_NOTE.to_owned());
            self.raise_anomaly(record, operation, kind, note).await?;
            return context.complete_operation(operation).await;
        }
        self.complete_refund(record, operation).await
    }

    async fn complete_refund(
        self,
        record: &OrderRecord,
        operation: &Operation,
    ) -> Result<(), Deferred> {
        let context = self.context;
        if let Some(id) = &record.order.payment_intent {
            for kind in [
                AnomalyKind::MissingTicket,
                AnomalyKind::OrphanedTicket,
                AnomalyKind::OwedRefund,
            ] {
                context
                    .store
                    .resolve_healed_anomalies(id, kind, context.clock.now())
                    .await?;
            }
        }
        // This write is last, because a completed operation is never attempted again.
        context.complete_operation(operation).await
    }
}

/// Whether the provider has refunded the amount, or has accepted its refund.
fn has_refunded(intent: &PaymentIntent, amount: Cents) -> bool {
    intent.amount_refunded >= amount
}

/// Returns the delay in milliseconds before the next attempt at a refund that the balance does not
/// cover: 5 minutes, 10, 20 … 6 hours.
fn low_balance_delay_ms(attempts: u32) -> i64 {
    const MINUTE_MS: i64 = 60_000;
    let doubled = (5 * MINUTE_MS) << attempts.saturating_sub(1).min(10);
    doubled.min(360 * MINUTE_MS)
}

#[cfg(test)]
mod tests {
    use super::{LOW_BALANCE_ATTEMPTS_MAX, low_balance_delay_ms};

    #[test]
    fn low_balance_delay_grows_to_six_hours_for_a_month() {
        let minutes = |attempts| low_balance_delay_ms(attempts) / 60_000;
        assert_eq!([1, 2, 3, 7, 8, 99].map(minutes), [5, 10, 20, 320, 360, 360]);
        let days = (1..LOW_BALANCE_ATTEMPTS_MAX).map(minutes).sum::<i64>() / 1440;
        assert_eq!(days, 30);
    }
}
