//! What a bad day does to a Postgres from within: every connection is cut, or all of them are taken. `loadtest crashes` makes it
//! happen to a demo's own Postgres; nothing else does.

use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{ConnectOptions, Connection};

use crate::error::Failure;

/// More connections than any Postgres of ours accepts.
const CONNECTIONS_MAX: usize = 1_000;

/// Somebody with the right to disturb.
pub struct Disturbance {
    options: PgConnectOptions,
}

fn undone(why: sqlx::Error) -> Failure {
    Failure::NotWritten(why.to_string())
}

impl Disturbance {
    /// # Errors
    /// The URL cannot be read.
    pub fn of(url: &str) -> Result<Disturbance, Failure> {
        let options: PgConnectOptions = url
            .parse()
            .map_err(|_| Failure::NotWritten("not a database url".into()))?;
        let options = options.log_statements("off".parse().expect("a level"));
        Ok(Disturbance { options })
    }

    /// Ends every other connection to this database, so often; says how many went.
    ///
    /// # Errors
    /// Postgres does not answer.
    pub async fn cut(&self, times: usize, pause: Duration) -> Result<i64, Failure> {
        let mut connection = PgConnection::connect_with(&self.options)
            .await
            .map_err(undone)?;
        let mut cut = 0;
        for _ in 0..times {
            let ended =
                "select count(*) filter (where pg_terminate_backend(pid)) from pg_stat_activity
                 where datname = current_database() and pid <> pg_backend_pid()";
            let ended: i64 = sqlx::query_scalar(ended)
                .fetch_one(&mut connection)
                .await
                .map_err(undone)?;
            cut += ended;
            tokio::time::sleep(pause).await;
        }
        connection.close().await.map_err(undone)?;
        Ok(cut)
    }

    /// Ends every other connection and takes their places, until nobody gets in any more; holds them for a while. Says how many
    /// places were taken.
    ///
    /// # Errors
    /// Postgres does not answer.
    pub async fn crowd(&self, hold: Duration) -> Result<usize, Failure> {
        let mut taken = Vec::new();
        let mut cut = PgConnection::connect_with(&self.options)
            .await
            .map_err(undone)?;
        for _ in 0..2 {
            while let (true, Ok(one)) = (
                taken.len() < CONNECTIONS_MAX,
                PgConnection::connect_with(&self.options).await,
            ) {
                taken.push(one);
            }
            let others = "select count(*) filter (where pg_terminate_backend(pid)) from pg_stat_activity
                 where datname = current_database() and application_name <> 'crowd' and pid <> pg_backend_pid()";
            for one in &mut taken {
                sqlx::raw_sql("set application_name = 'crowd'")
                    .execute(one)
                    .await
                    .map_err(undone)?;
            }
            sqlx::raw_sql(others)
                .execute(&mut cut)
                .await
                .map_err(undone)?;
        }
        tokio::time::sleep(hold).await;
        Ok(taken.len())
    }
}
