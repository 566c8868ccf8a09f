//! Reads how the Postgres server is set up, for reports on the configuration.

use sqlx::PgPool;

use super::Records;
use crate::Failure;

/// How the Postgres server, this login and this connection are set up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatabaseFacts {
    /// For example 170002 for 17.2.
    pub version_number: i32,
    pub uses_tls: bool,
    /// Whether the connection leaves this machine.
    pub is_remote: bool,
    pub synchronous_commit: String,
    pub fsync: String,
    pub full_page_writes: String,
    /// `off`, `on` or `always`.
    pub archive_mode: String,
    /// Seconds since the last file of the write-ahead log was archived. `None`: none was.
    pub archived_seconds_ago: Option<i64>,
    /// Whether the last attempt to archive a file failed.
    pub archiving_fails: bool,
    /// Whether the login of the connection is a superuser.
    pub is_superuser: bool,
}

impl Records {
    /// Reads how the Postgres server is set up.
    ///
    /// # Errors
    ///
    /// [`Failure::NotWritten`] when the database could not be read.
    pub async fn database_facts(&self) -> Result<DatabaseFacts, Failure> {
        let read = sqlx::query_as!(
            DatabaseFacts,
            r#"select current_setting('server_version_num')::int as "version_number!",
                 exists (select from pg_stat_ssl where pid = pg_backend_pid() and ssl) as "uses_tls!",
                 not (inet_client_addr() is null or inet_client_addr() << inet '127.0.0.0/8'
                   or inet_client_addr() = inet '::1') as "is_remote!",
                 current_setting('synchronous_commit') as "synchronous_commit!",
                 current_setting('fsync') as "fsync!",
                 current_setting('full_page_writes') as "full_page_writes!",
                 current_setting('archive_mode') as "archive_mode!",
                 extract(epoch from now() - a.last_archived_time)::bigint as archived_seconds_ago,
                 a.last_failed_time is not null
                   and a.last_failed_time > coalesce(a.last_archived_time, '-infinity') as "archiving_fails!",
                 coalesce((select rolsuper from pg_roles where rolname = current_user), false) as "is_superuser!"
               from pg_stat_archiver a"#
        );
        self.run_read(async move |pool: PgPool| read.fetch_one(&pool).await)
            .await
    }
}
