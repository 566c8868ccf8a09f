//! Applies `migrations/`, one process at a time.

use std::time::Duration;

use sqlx::Connection;
use sqlx::migrate::MigrateError;
use sqlx::postgres::{PgConnectOptions, PgConnection, PgPoolOptions};

use crate::MIGRATOR;

/// The advisory lock that a migrating process holds: `migrate1` in ASCII. No other lock has this
/// number.
const MIGRATING: i64 = 0x6d69_6772_6174_6531;
const POLL: Duration = Duration::from_millis(100);

/// Applies missing migrations, after any other process that is applying them.
///
/// The migrator's own lock waits inside a statement, and `create index concurrently` waits for
/// every earlier statement. Two processes would deadlock. So this lock is polled, with no statement
/// open in between.
pub(crate) async fn apply(options: &PgConnectOptions) -> Result<(), MigrateError> {
    let mut lock = PgConnection::connect_with(options).await?;
    let free = "select pg_try_advisory_lock($1)";
    while !sqlx::query_scalar::<_, bool>(free)
        .bind(MIGRATING)
        .fetch_one(&mut lock)
        .await?
    {
        tokio::time::sleep(POLL).await;
    }
    let pool = PgPoolOptions::new()
        .max_connections(1)
        .connect_lazy_with(options.clone());
    let applied = MIGRATOR.run(&pool).await;
    pool.close().await;
    // Closing the session releases its lock.
    lock.close().await?;
    applied
}
