//! The database's clock, and how far a demo has moved it ahead.

use domain::Timestamp;
use sqlx::{PgPool, query_scalar};

use super::{Records, timestamp};
use crate::Failure;

impl Records {
    /// Returns the database's time.
    ///
    /// # Errors
    /// [`Failure::NotWritten`] when it could not be read.
    pub async fn time(&self) -> Result<Timestamp, Failure> {
        let read = query_scalar("select current_instant()");
        self.read(async move |pool: PgPool| read.fetch_one(&pool).await)
            .await
            .map(timestamp)
    }

    /// Returns by how many milliseconds the database's clock was moved ahead. It is zero except in
    /// a demo.
    ///
    /// # Errors
    /// [`Failure::NotWritten`] when it could not be read.
    pub async fn clock_ahead_ms(&self) -> Result<i64, Failure> {
        let read = query_scalar("select ahead_ms from clock_offset");
        self.read(async move |pool: PgPool| read.fetch_one(&pool).await)
            .await
    }

    /// Moves the database's clock to `ahead_ms`, and returns how far ahead it is now. The clock
    /// never goes back.
    ///
    /// # Errors
    /// The change was not written.
    pub async fn move_clock_ahead(&self, ahead_ms: i64) -> Result<i64, Failure> {
        let write = "update clock_offset set ahead_ms = greatest(ahead_ms, $1) returning ahead_ms";
        self.write(async move |pool: PgPool| {
            query_scalar(write).bind(ahead_ms).fetch_one(&pool).await
        })
        .await
    }
}
