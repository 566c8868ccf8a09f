//! The provider's notices that were taken in; payments owns them.

use sqlx::PgPool;

use super::Records;
use crate::Failure;

impl Records {
    /// Whether a notice was stored before: what it brought about is done, or will be.
    pub async fn notice_is_known(&self, event_id: &str) -> Result<bool, Failure> {
        let read = "select exists (select from webhook_events where event_id = $1)";
        let read = sqlx::query_scalar(read).bind(event_id.to_string());
        self.read(async move |pool: PgPool| read.fetch_one(&pool).await)
            .await
    }
}
