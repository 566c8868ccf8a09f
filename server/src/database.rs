//! Which Postgres: the one `DATABASE_URL` names, else a private one in the data folder.

use std::fs;
use std::path::{Path, PathBuf};

use persistence::embedded::{Embedded, EmbeddedError};
use serde::{Deserialize, Serialize};

use crate::config::{Config, Secret};

/// A reachable database.
pub struct Database {
    pub url: Secret,
    embedded: Option<Embedded>,
}

impl Database {
    /// For a server: the private Postgres is started, or adopted when a killed server left it running.
    ///
    /// # Errors
    /// One line: what is missing and how to get it.
    pub async fn open(config: &Config) -> Result<Database, EmbeddedError> {
        if let Some(url) = &config.database_url {
            return Ok(Database { url: url.clone(), embedded: None });
        }
        let embedded = Embedded::start(&config.data_dir.join("postgres")).await?;
        Ok(Database { url: Secret::new(embedded.url()), embedded: Some(embedded) })
    }

    /// For a command beside a server that may be running: its Postgres is used while it runs, else started for a moment.
    ///
    /// # Errors
    /// The same as [`Database::open`].
    pub async fn reach(config: &Config) -> Result<Database, EmbeddedError> {
        match Database::open(config).await {
            Err(EmbeddedError::InUse(dir)) => match Sign::read(&config.data_dir) {
                Some(sign) => Ok(Database { url: Secret::new(sign.database), embedded: None }),
                None => Err(EmbeddedError::InUse(dir)),
            },
            opened => opened,
        }
    }

    /// Stops the private Postgres, if it is ours.
    pub async fn close(self) {
        if let Some(embedded) = self.embedded {
            embedded.stop().await;
        }
    }
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
        use std::io::Write;
        use std::os::unix::fs::OpenOptionsExt;
        let mut file =
            fs::OpenOptions::new().create(true).truncate(true).write(true).mode(0o600).open(Sign::path(data_dir))?;
        file.write_all(serde_json::to_string(self)?.as_bytes())
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
