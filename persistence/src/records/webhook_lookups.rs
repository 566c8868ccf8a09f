//! Lookups of stored webhook events. The payment engine writes these rows.

use sqlx::PgPool;

use super::Records;
use crate::Failure;

impl Records {
    /// Returns whether this webhook event is already stored. A stored event was handled or will be
    /// handled.
    pub async fn is_webhook_event_known(&self, event_id: &str) -> Result<bool, Failure> {
        let read = sqlx::query_scalar!(
            r#"select exists (select from webhook_events where event_id = $1) as "is_known!""#,
            event_id
        );
        self.run_read(async move |pool: PgPool| read.fetch_one(&pool).await)
            .await
    }
}
