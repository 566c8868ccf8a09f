//! Selects the Postgres server: the one in `DATABASE_URL`, or else a private one in the data
//! folder.

use std::fs;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use persistence::embedded::{EmbeddedError, EmbeddedPostgres};
use persistence::postgres::bank::DatabaseLogins;
use persistence::postgres::canary::SealingKeyCheck;
use persistence::{Postgres, Sealer};
use serde::{Deserialize, Serialize};

use crate::config::{Config, Secret, Stage};
use crate::ops::private_files;

/// A reachable database.
pub struct Database {
    pub url: Secret,
    embedded: Option<EmbeddedPostgres>,
    /// The demo that runs in another process and owns this database; `None` when there is none.
    running_demo: Option<RunningInstance>,
}

impl Database {
    /// Opens the database for a server. Starts the private Postgres, or uses one that is still
    /// running after its server was killed.
    ///
    /// # Errors
    ///
    /// A one-line error: what is missing and how to get it.
    pub async fn open(config: &Config) -> Result<Database, EmbeddedError> {
        if let Some(url) = &config.database_url {
            return Ok(Database {
                url: url.clone(),
                embedded: None,
                running_demo: None,
            });
        }
        let embedded = EmbeddedPostgres::start(&config.data_dir.join("postgres")).await?;
        Ok(Database {
            url: Secret::new(embedded.url()),
            embedded: Some(embedded),
            running_demo: None,
        })
    }

    /// Opens the database for a command. Uses the Postgres of a running server, or else starts one
    /// for the duration of the command.
    ///
    /// # Errors
    ///
    /// A one-line error: what is missing and how to get it.
    pub async fn open_for_command(config: &Config) -> Result<Database, EmbeddedError> {
        match Database::open(config).await {
            Err(EmbeddedError::InUse(dir)) => match RunningInstance::read(&config.data_dir) {
                Some(running_demo) => Ok(Database {
                    url: Secret::new(running_demo.database.clone()),
                    embedded: None,
                    running_demo: Some(running_demo),
                }),
                None => Err(EmbeddedError::InUse(dir)),
            },
            opened => opened,
        }
    }

    /// Connects with the sealing key, which encrypts secrets in the database.
    ///
    /// # Errors
    ///
    /// The database does not answer, or the key cannot be used.
    pub async fn connect(&self, config: &Config) -> anyhow::Result<Postgres> {
        let key = read_or_create_sealing_key(config)?;
        let sealer =
            Sealer::from_hex(key.expose()).context("SEAL_KEY must be 64 hexadecimal digits")?;
        let connected =
            Postgres::connect_with_logins(self.database_logins(config).await?, sealer).await;
        let postgres = connected.context(
            "the database does not answer: is PostgreSQL running, and is DATABASE_URL right?",
        )?;
        ensure!(
            postgres.check_sealing_key().await? != SealingKeyCheck::WrongKey,
            wrong_sealing_key_message(config)
        );
        Ok(postgres)
    }

    /// Migrates the schema. Stores an encrypted test value in a new database, by which a wrong
    /// sealing key is detected later.
    ///
    /// # Errors
    ///
    /// A migration failed, or the database was sealed with another key in the meantime.
    pub async fn migrate(postgres: &Postgres, config: &Config) -> anyhow::Result<()> {
        postgres.migrate().await?;
        verify_sealing_key(postgres, config).await
    }

    /// Returns the database logins to connect with. The private Postgres has three logins of its
    /// own. For another database, the configured logins are used; a demo creates missing ones if it
    /// may.
    async fn database_logins(&self, config: &Config) -> anyhow::Result<DatabaseLogins> {
        let logins = DatabaseLogins::from_urls(
            self.url.expose(),
            config.bank_database_url.as_ref().map(Secret::expose),
        )?;
        Ok(match (&config.database_url, config.stage) {
            (None, _) => DatabaseLogins::for_private_postgres(logins.owner),
            (Some(_), Stage::Demo) if logins.bank.is_none() => {
                DatabaseLogins::separate_if_possible(logins.owner).await
            }
            (Some(_), _) => logins,
        })
    }

    /// Connects for production. Refuses a serving login that can read bank details (decision F-7).
    ///
    /// # Errors
    ///
    /// A one-line error that says which login has too many rights.
    pub async fn connect_for_production(&self, config: &Config) -> anyhow::Result<Postgres> {
        let postgres = self.connect_if_migrated(config).await?;
        let bank = postgres.check_bank_login().await;
        bank.context(
            "the database does not let BANK_DATABASE_URL's login in: check its name and password",
        )?;
        ensure!(
            postgres.are_bank_details_hidden_from_pages().await?,
            "the login of DATABASE_URL can read bank details: it must be no superuser, not BANK_DATABASE_URL's login and no \
             member of it, and `server migrate` must have run with both"
        );
        Ok(postgres)
    }

    /// Connects for commands that serve or read in production. The schema version must be the one
    /// this program was built with.
    ///
    /// # Errors
    ///
    /// A one-line error with the command to run first.
    pub async fn connect_if_migrated(&self, config: &Config) -> anyhow::Result<Postgres> {
        let postgres = self.connect(config).await?;
        match postgres.count_missing_migrations().await? {
            0 => {
                verify_sealing_key(&postgres, config).await?;
                Ok(postgres)
            }
            missing => {
                bail!("the database lacks {missing} of our migrations: run `server migrate` first")
            }
        }
    }

    /// Checks that the data folder's disk has room for a private Postgres. This message is much
    /// shorter than the one of Postgres itself on a full disk.
    ///
    /// # Errors
    ///
    /// A one-line error: how much disk space is free, and how much is needed.
    pub fn check_free_disk_space(data_dir: &Path) -> anyhow::Result<()> {
        const FREE_DISK_MB_MIN: u64 = 256;
        let found = nix::sys::statvfs::statvfs(data_dir)
            .with_context(|| format!("{}", data_dir.display()))?;
        let free_mb = found.blocks_available() as u64 * found.fragment_size() as u64 / (1 << 20);
        ensure!(
            free_mb >= FREE_DISK_MB_MIN,
            "only {free_mb} MB are free in {}, and {FREE_DISK_MB_MIN} are needed: make room, or set FD_DATA_DIR to another disk",
            data_dir.display()
        );
        Ok(())
    }

    /// Whether the selected server is the private Postgres in the data folder.
    pub fn uses_private_postgres(&self) -> bool {
        self.embedded.is_some()
    }

    /// The demo that runs in another process and owns this database; `None` when there is none.
    pub fn running_demo(&self) -> Option<&RunningInstance> {
        self.running_demo.as_ref()
    }

    /// Stops the private Postgres, if this process started it.
    pub async fn close(self) {
        if let Some(embedded) = self.embedded {
            embedded.stop().await;
        }
    }
}

/// Stores an encrypted test value in a new database, and checks that the sealing key decrypts the
/// stored value. A server with another key is refused here.
async fn verify_sealing_key(postgres: &Postgres, config: &Config) -> anyhow::Result<()> {
    if postgres.check_sealing_key().await? == SealingKeyCheck::Missing {
        postgres.plant_seal_canary().await?;
    }
    ensure!(
        postgres.check_sealing_key().await? == SealingKeyCheck::Opens,
        wrong_sealing_key_message(config)
    );
    Ok(())
}

fn wrong_sealing_key_message(config: &Config) -> String {
    let key = match config.seal_key {
        Some(_) => "SEAL_KEY".to_string(),
        None => config.data_dir.join("seal.key").display().to_string(),
    };
    format!(
        "{key} does not open what is sealed in this database: set the key that it was sealed with"
    )
}

/// Returns the configured sealing key, or else the key from the key file in the data folder. The
/// file is created on the first start. It is never stored in the database itself.
fn read_or_create_sealing_key(config: &Config) -> anyhow::Result<Secret> {
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
    private_files::protect_data_dir(&config.data_dir)?;
    write_private_file(&path, &hex::encode(key))
        .with_context(|| format!("writing {}", path.display()))?;
    Ok(Secret::new(hex::encode(key)))
}

/// Writes a file that only its owner may read.
fn write_private_file(path: &Path, text: &str) -> std::io::Result<()> {
    let mut file = fs::OpenOptions::new()
        .create(true)
        .truncate(true)
        .write(true)
        .mode(0o600)
        .open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// The contents of the file `running.json`, which a running demo writes for commands started beside
/// it. Only the file's owner may read it.
#[derive(Serialize, Deserialize)]
pub struct RunningInstance {
    /// The URL that the demo's server listens on.
    pub address: String,
    pub database: String,
}

impl RunningInstance {
    fn file_path(data_dir: &Path) -> PathBuf {
        data_dir.join("running.json")
    }

    /// Writes the instance file into the data folder.
    pub fn write(&self, data_dir: &Path) -> std::io::Result<()> {
        write_private_file(
            &RunningInstance::file_path(data_dir),
            &serde_json::to_string(self)?,
        )
    }

    /// Reads the instance file; `None` if it is missing or unreadable.
    pub fn read(data_dir: &Path) -> Option<RunningInstance> {
        serde_json::from_str(&fs::read_to_string(RunningInstance::file_path(data_dir)).ok()?).ok()
    }

    /// Removes the instance file when the demo stops.
    pub fn remove(data_dir: &Path) {
        if let Err(failure) = fs::remove_file(RunningInstance::file_path(data_dir)) {
            tracing::debug!(%failure, "running.json was not removed");
        }
    }
}
