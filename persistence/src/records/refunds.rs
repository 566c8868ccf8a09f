//! Money on its way back: as its buyer may know of it, and asked for once more when the provider refused.

use domain::OrderId;
use sqlx::PgPool;
use uuid::Uuid;

use super::Records;
use super::audit::Entry;
use crate::Failure;

impl Records {
    /// Whether the provider has sent an order's money back; a refund that failed is tried again by hand, so it is still to come.
    pub async fn is_refunded(&self, order: OrderId) -> Result<bool, Failure> {
        let read = sqlx::query_scalar(
            "select exists (select from refunds where order_id = $1 and state = 'succeeded')",
        )
        .bind(Uuid::from_u128(order.0));
        self.read(async move |pool: PgPool| read.fetch_one(&pool).await)
            .await
    }

    /// A refund that the provider refused is asked for again, under a key that it has not answered yet; if the money went back
    /// meanwhile, whoever carries it out finds that it did. `false`: none was refused.
    pub async fn refund_again(&self, order: OrderId, entry: Entry) -> Result<bool, Failure> {
        let write = "with again as (
               update payment_ops set state = 'pending', ended_at = null, due_at = 'epoch', key = key || '/' || attempts
               where order_id = $1 and kind = 'refund' and state = 'failed' returning order_id
             )
             update refunds r set state = 'pending', ended_at = null from again where r.order_id = again.order_id";
        self.act(
            sqlx::query(write).bind(Uuid::from_u128(order.0)),
            entry,
            false,
        )
        .await
    }
}
