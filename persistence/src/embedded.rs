//! A private Postgres for the demo and the tests. This module finds Postgres on the machine, starts
//! it as a child process on a unix socket, and restarts it when it dies. If a killed server process
//! left its Postgres running, the next server process adopts that Postgres.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use sqlx::Connection;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use thiserror::Error;

use cluster::{Cluster, Durability, PostgresAddress};
use supervisor::Supervisor;

pub mod backup;
pub mod binaries;
pub(crate) mod cluster;
pub(crate) mod os_user;
mod pid_file;
pub mod restore;
mod supervisor;

/// Name of the only database of the demo.
pub const DATABASE_NAME: &str = "football_doubles";

/// Why a private Postgres cannot be started. Each message is one line that says what to do.
#[derive(Debug, Error)]
pub enum EmbeddedError {
    #[error(
        "no PostgreSQL found: set DATABASE_URL, or install it (Debian, Ubuntu: apt-get install postgresql; others: npm ci in web/)"
    )]
    NoBinaries,
    #[error(
        "{dir} was written by PostgreSQL {wrote}, but only {found} is installed: install {wrote}, or move {dir} away"
    )]
    WrongVersion {
        dir: PathBuf,
        wrote: String,
        found: String,
    },
    #[error("another server is running on {0}: stop it, or set FD_DATA_DIR to another folder")]
    InUse(PathBuf),
    #[error("PostgreSQL did not start ({log}): {why}")]
    NotStarted { log: PathBuf, why: String },
    #[error("cannot use {path}: {why}")]
    Folder { path: PathBuf, why: std::io::Error },
    #[error("the private PostgreSQL does not answer: {0}")]
    Silent(#[from] sqlx::Error),
}

/// A running private Postgres, restarted when it dies. When this value is dropped without `stop`,
/// Postgres keeps running, and the next `start` adopts it.
pub struct EmbeddedPostgres {
    dir: PathBuf,
    address: PostgresAddress,
    adopted: bool,
    supervisor: Supervisor,
    /// File lock on the folder, so that no second server process uses the folder. The operating
    /// system releases the lock even after a crash.
    _lock: File,
}

impl EmbeddedPostgres {
    /// Starts Postgres in a folder, and creates its data directory the first time. If the user that
    /// runs Postgres cannot reach the folder, a folder under `/var/tmp` is used instead and logged.
    pub async fn start(dir: &Path) -> Result<EmbeddedPostgres, EmbeddedError> {
        let dir = os_user::create_postgres_folder(dir)?;
        let lock = lock_data_folder(&dir)?;
        let cluster = Cluster::start(&dir, Durability::Full).await?;
        let (address, adopted) = (cluster.address(), cluster.adopted_running_postgres());
        let embedded = EmbeddedPostgres {
            dir,
            address,
            adopted,
            supervisor: Supervisor::start(cluster),
            _lock: lock,
        };
        embedded.create_database().await?;
        Ok(embedded)
    }

    /// Returns the folder that Postgres uses. It may differ from the folder that was passed to
    /// `start`.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    pub fn options(&self) -> PgConnectOptions {
        self.address.options(DATABASE_NAME)
    }

    /// Returns the database URL for other programs on this machine, such as the load test's audit.
    pub fn url(&self) -> String {
        self.address.url(DATABASE_NAME)
    }

    /// Returns whether this Postgres was already running, because an earlier server process was
    /// killed.
    pub fn adopted_running_postgres(&self) -> bool {
        self.adopted
    }

    /// Ends every connection, writes all data to disk and stops Postgres.
    pub async fn stop(self) {
        self.supervisor.stop().await;
    }

    async fn create_database(&self) -> Result<(), EmbeddedError> {
        let mut connection = PgConnection::connect_with(&self.address.options("postgres")).await?;
        let exists = sqlx::query_scalar!(
            r#"select exists (select 1 from pg_database where datname = $1) as "exists!""#,
            DATABASE_NAME
        )
        .fetch_one(&mut connection)
        .await?;
        if !exists {
            sqlx::query!("create database football_doubles")
                .execute(&mut connection)
                .await?;
        }
        crate::postgres::bank::create_missing_logins(&mut connection).await?;
        connection.close().await?;
        Ok(())
    }
}

fn lock_data_folder(dir: &Path) -> Result<File, EmbeddedError> {
    let path = dir.join("server.lock");
    let folder = |why| EmbeddedError::Folder {
        path: path.clone(),
        why,
    };
    let file = fs::OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path)
        .map_err(folder)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(EmbeddedError::InUse(dir.to_path_buf())),
        Err(TryLockError::Error(why)) => Err(folder(why)),
    }
}
