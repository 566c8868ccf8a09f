//! Refunds of orders: whether the money was returned, and retries of a refund that the provider
//! refused.

use domain::OrderId;
use sqlx::PgPool;
use uuid::Uuid;

use super::Records;
use super::audit::AuditEntry;
use crate::Failure;

impl Records {
    /// Returns the state of the order's refund: `pending`, `succeeded` or `failed`. `None` when no
    /// refund was queued.
    pub async fn refund_state(&self, order: OrderId) -> Result<Option<String>, Failure> {
        let read = sqlx::query_scalar!(
            "select state from refunds where order_id = $1",
            Uuid::from_u128(order.0)
        );
        self.run_read(async move |pool: PgPool| read.fetch_optional(&pool).await)
            .await
    }

    /// Queues a refused refund again, under a new idempotency key. If the money was returned
    /// meanwhile, the operation finds that out. Returns `false` when no refund of the order was
    /// refused.
    pub async fn retry_refused_refund(
        &self,
        order: OrderId,
        entry: AuditEntry,
    ) -> Result<bool, Failure> {
        self.write_with_audit_entry(
            sqlx::query!(
                "with again as (
               update payment_ops set state = 'pending', ended_at = null, due_at = 'epoch', key = key || '/' || attempts, why = null
               where order_id = $1 and kind = 'refund' and state = 'failed' returning order_id
             )
             update refunds r set state = 'pending', ended_at = null from again where r.order_id = again.order_id",
                Uuid::from_u128(order.0)
            ),
            entry,
            false,
        )
        .await
    }
}
