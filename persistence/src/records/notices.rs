//! Stored webhook events. The payment engine owns them.

use sqlx::PgPool;

use super::Records;
use crate::Failure;

impl Records {
    /// Returns whether a webhook event was stored before. Then it is handled, or will be.
    pub async fn is_webhook_event_known(&self, event_id: &str) -> Result<bool, Failure> {
        let read = "select exists (select from webhook_events where event_id = $1)";
        let read = sqlx::query_scalar(read).bind(event_id.to_string());
        self.read(async move |pool: PgPool| read.fetch_one(&pool).await)
            .await
    }
}
