//! Refunds: takes an order's tickets back, then returns its money and its part of the application
//! fee.

use std::sync::Arc;

use domain::{Anomaly, AnomalyKind, Cents, DrawId, OrderId, OrderState};
use persistence::Failure;
use persistence::records::audit::AuditEntry;
use persistence::stores::{Operation, OperationKind, OrderRecord};

use super::checkout::Checkout;
use super::context::{Deferred, PaymentContext, unavailable};
use super::fulfilment::Fulfilment;
use crate::{FulfilStatus, GatewayError, PaymentFailure};

/// Number of refused attempts to refund before an anomaly is raised for the operator.
const REFUND_ATTEMPTS_BEFORE_ANOMALY: u32 = 10;
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
            .fee_reduction_by_voids(order.id)
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
        self.queue_refund_mail(record).await;
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

    /// Queues one mail per refund. If the refund is interrupted before this call, the next attempt
    /// queues the mail.
    async fn queue_refund_mail(self, record: &OrderRecord) {
        let Some(to) = &record.buyer.email else {
            return;
        };
        let (order, now) = (record.order.id, self.context.clock.now());
        let queued = self
            .context
            .store
            .queue_mail(
                &format!("refunded-{order}"),
                "refunded",
                Some(order),
                to,
                "{}",
                now,
            )
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
        let context = self.context;
        let gateway = &context.gateway;
        let (order, amount) = (&record.order, operation.amount.unwrap_or_default());
        let Some(id) = &order.payment_intent else {
            let why = "there is no payment to give back".into();
            return context.fail_operation(operation, why).await;
        };
        let key = &operation.key;
        let refunded = match operation.kind {
            OperationKind::FeeRefund => gateway.refund_fee(key, &order.account, id, amount).await,
            _ => gateway.refund(key, &order.account, id, amount).await,
        };
        let error = match refunded {
            Ok(()) => return self.complete_refund(record, operation).await,
            Err(error) => error,
        };
        tracing::warn!(%error, order.id = %operation.order, kind = ?operation.kind, "refund failed: provider error");
        if matches!(error, GatewayError::Unavailable(_)) {
            return Err(context.schedule_retry(operation, false).await);
        }
        let Ok(intent) = gateway.retrieve(&order.account, id).await else {
            return Err(context.schedule_retry(operation, false).await);
        };
        let is_refunded = match operation.kind {
            // An order's fee may be refunded in several parts, so earlier fee refunds do not show
            // that this operation succeeded.
            OperationKind::FeeRefund => {
                intent.application_fee_refunded
                    >= context.store.fee_refunded_so_far(order.id).await? + amount
            }
            _ => intent.amount_refunded >= amount,
        };
        match error {
            _ if is_refunded => self.complete_refund(record, operation).await,
            GatewayError::Refused { code, .. }
                if operation.attempts >= REFUND_ATTEMPTS_BEFORE_ANOMALY =>
            {
                let anomaly = Anomaly {
                    kind: AnomalyKind::MismatchedAmount,
                    payment_intent: Some(id.clone()),
                    order: Some(order.id),
                    note: format!("the provider refuses to give money back: {code}"),
                };
                context
                    .store
                    .raise_anomaly(&anomaly, Some(amount), context.clock.now())
                    .await?;
                context.fail_operation(operation, code).await
            }
            error => Err(context
                .schedule_retry(operation, error.is_stored_under_idempotency_key())
                .await),
        }
    }

    async fn complete_refund(
        self,
        record: &OrderRecord,
        operation: &Operation,
    ) -> Result<(), Deferred> {
        let context = self.context;
        if let (OperationKind::Refund, Some(id)) = (operation.kind, &record.order.payment_intent) {
            context
                .store
                .resolve_healed_anomalies(id, AnomalyKind::MissingTicket, context.clock.now())
                .await?;
            context
                .store
                .resolve_healed_anomalies(id, AnomalyKind::OrphanedTicket, context.clock.now())
                .await?;
        }
        // This write is last, because a completed operation is never attempted again.
        context.complete_operation(operation).await
    }
}
