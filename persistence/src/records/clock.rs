//! What time it is by the books' own clock.

use domain::Timestamp;
use sqlx::PgPool;

use super::{Records, timestamp};
use crate::Failure;

impl Records {
    /// # Errors
    /// `NotWritten`: they could not be read.
    pub async fn time(&self) -> Result<Timestamp, Failure> {
        let read = sqlx::query_scalar("select clock_timestamp()");
        self.read(async move |pool: PgPool| read.fetch_one(&pool).await)
            .await
            .map(timestamp)
    }
}
