//! Faults that a database client can cause: it ends all other connections, or occupies all free
//! ones. `loadtest crashes` uses these faults on the demo's Postgres.

use std::time::Duration;

use anyhow::{Context, Result};
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{ConnectOptions, Connection};

/// Limit of attempts to connect. It exceeds the number of connections that our Postgres accepts.
const CONNECTION_ATTEMPTS_MAX: usize = 1_000;

/// A database login that may end the connections of others.
pub struct ConnectionFaults {
    options: PgConnectOptions,
}

impl ConnectionFaults {
    /// Reads the login from a database URL. Does not connect.
    ///
    /// # Errors
    ///
    /// The URL is invalid.
    pub fn from_url(url: &str) -> Result<ConnectionFaults> {
        let options: PgConnectOptions = url.parse().context("reading the database's URL")?;
        let options = options.log_statements("off".parse().expect("a level"));
        Ok(ConnectionFaults { options })
    }

    /// Ends all other connections to this database, `times` times with a `pause` in between.
    /// Returns how many connections ended.
    ///
    /// # Errors
    ///
    /// Postgres does not answer.
    pub async fn end_all_connections(&self, times: usize, pause: Duration) -> Result<i64> {
        let mut connection = PgConnection::connect_with(&self.options).await?;
        let mut cut = 0;
        for _ in 0..times {
            let ended =
                "select count(*) filter (where pg_terminate_backend(pid)) from pg_stat_activity
                 where datname = current_database() and pid <> pg_backend_pid()";
            let ended: i64 = sqlx::query_scalar(ended).fetch_one(&mut connection).await?;
            cut += ended;
            tokio::time::sleep(pause).await;
        }
        connection.close().await?;
        Ok(cut)
    }

    /// Ends all other connections, occupies every free one, and keeps them for the duration `hold`.
    /// Returns how many it occupied.
    ///
    /// # Errors
    ///
    /// Postgres does not answer.
    pub async fn occupy_connections(&self, hold: Duration) -> Result<usize> {
        let mut connections = Vec::new();
        let mut cut = PgConnection::connect_with(&self.options).await?;
        for _ in 0..2 {
            while let (true, Ok(one)) = (
                connections.len() < CONNECTION_ATTEMPTS_MAX,
                PgConnection::connect_with(&self.options).await,
            ) {
                connections.push(one);
            }
            let others = "select count(*) filter (where pg_terminate_backend(pid)) from pg_stat_activity
                 where datname = current_database() and application_name <> 'crowd' and pid <> pg_backend_pid()";
            for one in &mut connections {
                sqlx::raw_sql("set application_name = 'crowd'")
                    .execute(one)
                    .await?;
            }
            sqlx::raw_sql(others).execute(&mut cut).await?;
        }
        tokio::time::sleep(hold).await;
        Ok(connections.len())
    }
}
