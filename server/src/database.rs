//! Which Postgres: the one `DATABASE_URL` names, else a private one in the data folder.

use std::fs;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use persistence::embedded::{Embedded, EmbeddedError};
use persistence::postgres::bank::Doors;
use persistence::{Postgres, Sealer};
use serde::{Deserialize, Serialize};

use crate::config::{Config, Secret, Stage};

/// A reachable database.
pub struct Database {
    pub url: Secret,
    embedded: Option<Embedded>,
    /// Of the demo that runs on it, if it is not ours.
    sign: Option<Sign>,
}

impl Database {
    /// For a server: the private Postgres is started, or adopted when a killed server left it running.
    ///
    /// # Errors
    /// One line: what is missing and how to get it.
    pub async fn open(config: &Config) -> Result<Database, EmbeddedError> {
        if let Some(url) = &config.database_url {
            return Ok(Database {
                url: url.clone(),
                embedded: None,
                sign: None,
            });
        }
        let embedded = Embedded::start(&config.data_dir.join("postgres")).await?;
        Ok(Database {
            url: Secret::new(embedded.url()),
            embedded: Some(embedded),
            sign: None,
        })
    }

    /// For a command beside a server that may be running: its Postgres is used while it runs, else started for a moment.
    ///
    /// # Errors
    /// The same as [`Database::open`].
    pub async fn reach(config: &Config) -> Result<Database, EmbeddedError> {
        match Database::open(config).await {
            Err(EmbeddedError::InUse(dir)) => match Sign::read(&config.data_dir) {
                Some(sign) => Ok(Database {
                    url: Secret::new(sign.database.clone()),
                    embedded: None,
                    sign: Some(sign),
                }),
                None => Err(EmbeddedError::InUse(dir)),
            },
            opened => opened,
        }
    }

    /// Connects, with the key that seals secrets at rest.
    ///
    /// # Errors
    /// Nobody answers, or the key cannot be used.
    pub async fn connect(&self, config: &Config) -> anyhow::Result<Postgres> {
        let key = seal_key(config)?;
        let sealer =
            Sealer::from_hex(key.expose()).context("SEAL_KEY must be 64 hexadecimal digits")?;
        let connected = Postgres::connect_by(self.doors(config).await?, sealer).await;
        connected.context(
            "the database does not answer: is PostgreSQL running, and is DATABASE_URL right?",
        )
    }

    /// A private Postgres has three logins, made by itself; another one those that it was given.
    async fn doors(&self, config: &Config) -> anyhow::Result<Doors> {
        let doors = Doors::hosted(
            self.url.expose(),
            config.bank_database_url.as_ref().map(Secret::expose),
        )?;
        Ok(match (&config.database_url, config.stage) {
            (None, _) => Doors::private(doors.owner),
            (Some(_), Stage::Demo) if doors.bank.is_none() => Doors::made(doors.owner).await,
            (Some(_), _) => doors,
        })
    }

    /// For a server that serves for real: bank details are beyond the login that serves (decision F-7).
    ///
    /// # Errors
    /// One line: whose rights are too wide.
    pub async fn connect_apart(&self, config: &Config) -> anyhow::Result<Postgres> {
        let postgres = self.connect_migrated(config).await?;
        ensure!(
            postgres.bank_is_apart().await?,
            "the login of DATABASE_URL can read bank details: it must be no superuser, not BANK_DATABASE_URL's login and no \
             member of it, and `server migrate` must have run with both"
        );
        Ok(postgres)
    }

    /// The same, for a command that serves or reads for real: the tables must be the ones this program was built with.
    ///
    /// # Errors
    /// One line with what to run first.
    pub async fn connect_migrated(&self, config: &Config) -> anyhow::Result<Postgres> {
        let postgres = self.connect(config).await?;
        match postgres.migrations_missing().await? {
            0 => Ok(postgres),
            missing => {
                bail!("the database lacks {missing} of our migrations: run `server migrate` first")
            }
        }
    }

    /// Whether a private Postgres has room to work on the data folder's disk; one that runs out of it in the middle of work
    /// says so in many more words.
    ///
    /// # Errors
    /// One line: how much is free, and how much is needed.
    pub fn check_room(data_dir: &Path) -> anyhow::Result<()> {
        const ROOM_MB_MIN: u64 = 256;
        let found = nix::sys::statvfs::statvfs(data_dir)
            .with_context(|| format!("{}", data_dir.display()))?;
        let free_mb = found.blocks_available() as u64 * found.fragment_size() as u64 / (1 << 20);
        ensure!(
            free_mb >= ROOM_MB_MIN,
            "only {free_mb} MB are free in {}, and {ROOM_MB_MIN} are needed: make room, or set FD_DATA_DIR to another disk",
            data_dir.display()
        );
        Ok(())
    }

    /// Our own, in the data folder.
    pub fn is_private(&self) -> bool {
        self.embedded.is_some()
    }

    /// The sign of the demo that runs on this database beside us.
    pub fn sign(&self) -> Option<&Sign> {
        self.sign.as_ref()
    }

    /// Stops the private Postgres, if it is ours.
    pub async fn close(self) {
        if let Some(embedded) = self.embedded {
            embedded.stop().await;
        }
    }
}

/// The configured key, else the data folder's own, made on the first start: beside the database, never in it.
fn seal_key(config: &Config) -> anyhow::Result<Secret> {
    if let Some(key) = &config.seal_key {
        return Ok(key.clone());
    }
    let path = config.data_dir.join("seal.key");
    match fs::read_to_string(&path) {
        Ok(key) => return Ok(Secret::new(key.trim())),
        Err(failure) if failure.kind() == ErrorKind::NotFound => {}
        Err(failure) => return Err(failure).with_context(|| format!("reading {}", path.display())),
    }
    let mut key = [0; 32];
    getrandom::fill(&mut key)
        .map_err(|failure| anyhow::anyhow!("the system gives no random bytes: {failure}"))?;
    fs::create_dir_all(&config.data_dir)?;
    write_private(&path, &hex::encode(key))
        .with_context(|| format!("writing {}", path.display()))?;
    Ok(Secret::new(hex::encode(key)))
}

/// Only its owner may read it.
fn write_private(path: &Path, text: &str) -> std::io::Result<()> {
    let mut file = fs::OpenOptions::new()
        .create(true)
        .truncate(true)
        .write(true)
        .mode(0o600)
        .open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// What a running demo hangs out for the commands beside it. Only its owner may read it.
#[derive(Serialize, Deserialize)]
pub struct Sign {
    /// Where its server listens.
    pub address: String,
    pub database: String,
}

impl Sign {
    fn path(data_dir: &Path) -> PathBuf {
        data_dir.join("running.json")
    }

    pub fn hang_out(&self, data_dir: &Path) -> std::io::Result<()> {
        write_private(&Sign::path(data_dir), &serde_json::to_string(self)?)
    }

    pub fn read(data_dir: &Path) -> Option<Sign> {
        serde_json::from_str(&fs::read_to_string(Sign::path(data_dir)).ok()?).ok()
    }

    pub fn take_down(data_dir: &Path) {
        if let Err(failure) = fs::remove_file(Sign::path(data_dir)) {
            tracing::debug!(%failure, "the sign was gone already");
        }
    }
}
