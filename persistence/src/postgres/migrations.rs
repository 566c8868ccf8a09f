//! Applies the SQL files in `migrations/`. Only one process at a time does so.

use std::time::Duration;

use sqlx::Connection;
use sqlx::migrate::MigrateError;
use sqlx::postgres::{PgConnectOptions, PgConnection, PgPoolOptions};

use crate::MIGRATOR;

/// The key of the advisory lock that a process holds while it migrates: `migrate1` in ASCII. No
/// other lock uses this key.
const MIGRATION_LOCK_KEY: i64 = 0x6d69_6772_6174_6531;
const LOCK_POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Applies missing migrations. Waits until no other process applies migrations.
///
/// The lock of the sqlx migrator is not enough: a process waits for it inside a statement, and
/// `create index concurrently` waits for every earlier statement. So two processes would deadlock.
/// So this function polls a lock of its own, and no statement is open between two tries.
pub(crate) async fn apply_migrations(options: &PgConnectOptions) -> Result<(), MigrateError> {
    let mut lock = PgConnection::connect_with(options).await?;
    while !sqlx::query_scalar!(
        r#"select pg_try_advisory_lock($1) as "locked!""#,
        MIGRATION_LOCK_KEY
    )
    .fetch_one(&mut lock)
    .await?
    {
        tokio::time::sleep(LOCK_POLL_INTERVAL).await;
    }
    let pool = PgPoolOptions::new()
        .max_connections(1)
        .connect_lazy_with(options.clone());
    let applied = MIGRATOR.run(&pool).await;
    pool.close().await;
    // Closing the connection releases the advisory lock that it holds.
    lock.close().await?;
    applied
}
