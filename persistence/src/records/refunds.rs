//! Money on its way back, as its buyer may know of it.

use domain::OrderId;
use sqlx::PgPool;
use uuid::Uuid;

use super::Records;
use crate::Failure;

impl Records {
    /// Whether the provider has sent an order's money back; a refund that failed is tried again by hand, so it is still to come.
    pub async fn is_refunded(&self, order: OrderId) -> Result<bool, Failure> {
        let read =
            sqlx::query_scalar("select exists (select from refunds where order_id = $1 and state = 'succeeded')")
                .bind(Uuid::from_u128(order.0));
        self.read(async move |pool: PgPool| read.fetch_one(&pool).await).await
    }
}
