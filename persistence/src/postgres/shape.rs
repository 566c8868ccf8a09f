//! Whether the tables are the ones this program was built with.

use crate::MIGRATOR;
use crate::error::Failure;
use crate::postgres::Postgres;

impl Postgres {
    /// How many migrations this database still lacks. A server that serves for real does not migrate by itself.
    ///
    /// # Errors
    /// `NotWritten` when the database cannot be asked.
    pub async fn migrations_missing(&self) -> Result<usize, Failure> {
        let postgres = self.clone();
        let counted = async move {
            let known: bool =
                sqlx::query_scalar("select to_regclass('_sqlx_migrations') is not null")
                    .fetch_one(postgres.background())
                    .await
                    .map_err(Failure::from_read)?;
            if !known {
                return Ok(MIGRATOR.iter().count());
            }
            let applied: Vec<i64> =
                sqlx::query_scalar("select version from _sqlx_migrations where success")
                    .fetch_all(postgres.background())
                    .await
                    .map_err(Failure::from_read)?;
            Ok(MIGRATOR
                .iter()
                .filter(|migration| !applied.contains(&migration.version))
                .count())
        };
        self.run(counted).await
    }
}
