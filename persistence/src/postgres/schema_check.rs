//! Compares the migrations that the database has with the migrations that are compiled into this
//! program.

use crate::MIGRATOR;
use crate::error::Failure;
use crate::postgres::Postgres;

impl Postgres {
    /// Returns how many migrations are missing in the database. If any is missing, a production
    /// server refuses to start, because it does not migrate the database itself.
    ///
    /// # Errors
    ///
    /// [`Failure::NotWritten`] when the database cannot be read.
    pub async fn count_missing_migrations(&self) -> Result<usize, Failure> {
        let postgres = self.clone();
        let count = async move {
            let has_migrations_table = sqlx::query_scalar!(
                r#"select to_regclass('_sqlx_migrations') is not null as "exists!""#
            )
            .fetch_one(postgres.background_pool())
            .await
            .map_err(Failure::from_read_error)?;
            if !has_migrations_table {
                return Ok(MIGRATOR.iter().count());
            }
            let applied = sqlx::query_scalar!("select version from _sqlx_migrations where success")
                .fetch_all(postgres.background_pool())
                .await
                .map_err(Failure::from_read_error)?;
            Ok(MIGRATOR
                .iter()
                .filter(|migration| !applied.contains(&migration.version))
                .count())
        };
        self.run_on_database_threads(count).await
    }
}
