//! A private Postgres for the demo and the tests: found on the machine, started as a child on a unix socket, adopted when
//! an earlier server was killed and left it running, started again when it dies.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use sqlx::Connection;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use thiserror::Error;

use cluster::{Cluster, Door, Durability};
use keeper::Keeper;

pub mod backup;
pub mod binaries;
pub(crate) mod cluster;
mod keeper;
mod note;
pub(crate) mod owner;
pub mod restore;

/// The one database of the demo.
pub const DATABASE: &str = "football_doubles";

/// Why there is no private Postgres. Each message is one line that says what to do.
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

/// A running private Postgres, started again if it dies. Dropped without `stop` it keeps running, and the next `start`
/// adopts it.
pub struct Embedded {
    dir: PathBuf,
    door: Door,
    adopted: bool,
    keeper: Keeper,
    /// Held as long as this server lives; the system lets go of it however the server ends.
    _lock: File,
}

impl Embedded {
    /// Starts Postgres in a folder, making its data directory the first time. If the folder cannot be reached by the user
    /// that Postgres must run as, a folder under `/var/tmp` stands in for it and the log says so.
    pub async fn start(dir: &Path) -> Result<Embedded, EmbeddedError> {
        let dir = owner::folder(dir)?;
        let lock = lock(&dir)?;
        let cluster = Cluster::start(&dir, Durability::Full).await?;
        let (door, adopted) = (cluster.door(), cluster.adopted());
        let embedded = Embedded {
            dir,
            door,
            adopted,
            keeper: Keeper::keep(cluster),
            _lock: lock,
        };
        embedded.create_database().await?;
        Ok(embedded)
    }

    /// Where the data really is.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    pub fn options(&self) -> PgConnectOptions {
        self.door.options(DATABASE)
    }

    /// For `DATABASE_URL` of another program on this machine, for example the load test's audit.
    pub fn url(&self) -> String {
        self.door.url(DATABASE)
    }

    /// Whether it was left running by a server that was killed.
    pub fn adopted(&self) -> bool {
        self.adopted
    }

    /// Ends every connection, writes everything down and stops.
    pub async fn stop(self) {
        self.keeper.stop().await;
    }

    async fn create_database(&self) -> Result<(), EmbeddedError> {
        let mut connection = PgConnection::connect_with(&self.door.options("postgres")).await?;
        let known: bool =
            sqlx::query_scalar("select exists (select 1 from pg_database where datname = $1)")
                .bind(DATABASE)
                .fetch_one(&mut connection)
                .await?;
        if !known {
            sqlx::query("create database football_doubles")
                .execute(&mut connection)
                .await?;
        }
        crate::postgres::bank::make_logins(&mut connection).await?;
        connection.close().await?;
        Ok(())
    }
}

fn lock(dir: &Path) -> Result<File, EmbeddedError> {
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
