//! Reads the database's clock, and moves it ahead in a demo.

use domain::Timestamp;
use sqlx::PgPool;

use super::{Records, timestamp};
use crate::Failure;

impl Records {
    /// Returns the database's time.
    ///
    /// # Errors
    ///
    /// [`Failure::NotWritten`] when the database could not be read.
    pub async fn database_time(&self) -> Result<Timestamp, Failure> {
        let read = sqlx::query_scalar!(r#"select current_instant() as "now!""#);
        self.run_read(async move |pool: PgPool| read.fetch_one(&pool).await)
            .await
            .map(timestamp)
    }

    /// Returns by how many milliseconds a demo has moved the database's clock ahead. Zero in
    /// production.
    ///
    /// # Errors
    ///
    /// [`Failure::NotWritten`] when the database could not be read.
    pub async fn clock_ahead_ms(&self) -> Result<i64, Failure> {
        let read = sqlx::query_scalar!("select ahead_ms from clock_offset");
        self.run_read(async move |pool: PgPool| read.fetch_one(&pool).await)
            .await
    }

    /// Sets the database's clock to `ahead_ms` milliseconds ahead of the real time. The clock never
    /// goes back. Returns how many milliseconds it is ahead now.
    ///
    /// # Errors
    ///
    /// The change was not written.
    pub async fn move_clock_ahead(&self, ahead_ms: i64) -> Result<i64, Failure> {
        self.run_write(async move |pool: PgPool| {
            sqlx::query_scalar!(
                "update clock_offset set ahead_ms = greatest(ahead_ms, $1) returning ahead_ms",
                ahead_ms
            )
            .fetch_one(&pool)
            .await
        })
        .await
    }
}
