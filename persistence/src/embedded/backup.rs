//! Backs up a running private Postgres into one file: a base backup with the WAL that makes it
//! consistent. Restoring needs only Postgres itself. Sealed values stay sealed in the backup,
//! because the sealing key is not in the database folder.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use sqlx::Connection;
use sqlx::postgres::PgConnection;
use tar::{Builder, EntryType, Header};
use thiserror::Error;

use super::EmbeddedError;

/// Name of the archive's first entry. The entry contains the program's name and the Postgres
/// version that can open the backup.
pub(super) const HEADER_ENTRY_NAME: &str = "about";
pub(super) const HEADER_TEXT_PREFIX: &str = "football-doubles backup, postgres ";
/// Name of the folder in the archive that holds the database's files.
pub(super) const DATA_ENTRY_NAME: &str = "data";
/// Folders that the archive contains without the files in them, because Postgres creates those
/// files when it starts.
const FOLDERS_BACKED_UP_EMPTY: [&str; 8] = [
    "pg_dynshmem",
    "pg_notify",
    "pg_replslot",
    "pg_serial",
    "pg_snapshots",
    "pg_stat_tmp",
    "pg_subtrans",
    "pg_wal",
];
/// Files that belong to the running Postgres process. The archive does not contain them.
const EXCLUDED_FILES: [&str; 5] = [
    "postmaster.pid",
    "postmaster.opts",
    "pg_internal.init",
    "backup_label",
    "tablespace_map",
];
const CONTROL_FILE: &str = "global/pg_control";
/// The first Postgres version with `pg_backup_start`. A backup can then be made without a restart.
const POSTGRES_VERSION_MIN: i32 = 150_000;

/// Why a backup or a restore failed. Each message is one line.
#[derive(Debug, Error)]
pub enum BackupError {
    #[error("cannot use {path}: {why}")]
    Io { path: PathBuf, why: io::Error },
    #[error("{0} exists already: name another file")]
    Exists(PathBuf),
    #[error("{0} is no backup of Football Doubles, or it was cut short")]
    Unreadable(PathBuf),
    #[error(
        "{file} was written by PostgreSQL {wrote}, but only {found} is installed: install PostgreSQL {wrote}"
    )]
    WrongVersion {
        file: PathBuf,
        wrote: String,
        found: String,
    },
    #[error("a backup needs PostgreSQL 15 or newer")]
    TooOld,
    #[error(transparent)]
    Postgres(#[from] EmbeddedError),
    #[error("the private PostgreSQL does not answer: {0}")]
    Silent(#[from] sqlx::Error),
}

impl BackupError {
    pub(super) fn io_error_at(path: &Path) -> impl Fn(io::Error) -> BackupError {
        let path = path.to_path_buf();
        move |why| BackupError::Io {
            path: path.clone(),
            why,
        }
    }
}

/// Writes a new backup file that only its owner can read. `beside` lists additional folders, each
/// with its name in the archive. A folder that does not exist is skipped. Returns the file's size
/// in bytes.
///
/// # Errors
///
/// The backup failed. The incomplete file is removed.
pub async fn back_up(url: &str, beside: &[(&str, &Path)], file: &Path) -> Result<u64, BackupError> {
    if file.exists() {
        return Err(BackupError::Exists(file.to_path_buf()));
    }
    let unfinished = file.with_added_extension("unfinished");
    let done = write_backup(url, beside, &unfinished)
        .await
        .and_then(|bytes| {
            fs::rename(&unfinished, file).map_err(BackupError::io_error_at(file))?;
            Ok(bytes)
        });
    if done.is_err() {
        let _ = fs::remove_file(&unfinished);
    }
    done
}

async fn write_backup(
    url: &str,
    beside: &[(&str, &Path)],
    file: &Path,
) -> Result<u64, BackupError> {
    let mut connection = PgConnection::connect(url).await?;
    let (version, data) = read_version_and_data_dir(&mut connection).await?;
    let mut open = fs::OpenOptions::new();
    let open = open
        .create(true)
        .truncate(true)
        .write(true)
        .mode(0o600)
        .open(file)
        .map_err(BackupError::io_error_at(file))?;
    let mut archive = Archive {
        to: Builder::new(GzEncoder::new(open, Compression::fast())),
        file,
    };
    archive.archive_text(
        HEADER_ENTRY_NAME,
        &format!("{HEADER_TEXT_PREFIX}{}\n", version / 10_000),
    )?;

    // A replication slot keeps the WAL of the backup until this connection ends.
    let slot = format!(
        "select pg_create_physical_replication_slot('backup_{}', true, true)::text",
        std::process::id()
    );
    sqlx::query(sqlx::AssertSqlSafe(slot))
        .execute(&mut connection)
        .await?;
    let begun = sqlx::query_scalar!(
        r#"select pg_walfile_name(pg_backup_start('football-doubles', true)) as "file!""#
    )
    .fetch_one(&mut connection)
    .await?;
    archive.archive_folder(&data, Path::new(DATA_ENTRY_NAME), SkippedFiles::OfPostgres)?;
    archive.archive_file(
        &data.join(CONTROL_FILE),
        &Path::new(DATA_ENTRY_NAME).join(CONTROL_FILE),
    )?;
    let stopped = sqlx::query!(
        r#"select labelfile as "label!", spcmapfile as "map!", pg_walfile_name(lsn) as "ended!"
         from pg_backup_stop(wait_for_archive => false)"#
    )
    .fetch_one(&mut connection)
    .await?;
    archive.archive_text(&format!("{DATA_ENTRY_NAME}/backup_label"), &stopped.label)?;
    if !stopped.map.is_empty() {
        archive.archive_text(&format!("{DATA_ENTRY_NAME}/tablespace_map"), &stopped.map)?;
    }
    archive.archive_wal(&data.join("pg_wal"), &begun, &stopped.ended)?;
    connection.close().await?;
    for (name, folder) in beside {
        if folder.is_dir() {
            archive.archive_folder(folder, Path::new(name), SkippedFiles::Nothing)?;
        }
    }
    archive.finish()
}

/// Returns the Postgres version as one number, such as 150000, and the data directory.
async fn read_version_and_data_dir(
    connection: &mut PgConnection,
) -> Result<(i32, PathBuf), BackupError> {
    let server = sqlx::query!(
        r#"select current_setting('server_version_num')::int4 as "version!",
           current_setting('data_directory') as "data_dir!""#
    )
    .fetch_one(connection)
    .await?;
    if server.version < POSTGRES_VERSION_MIN {
        return Err(BackupError::TooOld);
    }
    Ok((server.version, PathBuf::from(server.data_dir)))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum SkippedFiles {
    Nothing,
    OfPostgres,
}

struct Archive<'a> {
    to: Builder<GzEncoder<File>>,
    file: &'a Path,
}

impl Archive<'_> {
    /// Archives a folder with its content. Files may change while they are read, because replaying
    /// the WAL repairs them.
    fn archive_folder(
        &mut self,
        folder: &Path,
        name: &Path,
        skipped: SkippedFiles,
    ) -> Result<(), BackupError> {
        self.append_entry(name, EntryType::Directory, 0, io::empty())?;
        let mut entries = fs::read_dir(folder)
            .and_then(Iterator::collect::<io::Result<Vec<_>>>)
            .map_err(BackupError::io_error_at(folder))?;
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let (path, entry_name) = (entry.path(), entry.file_name());
            let within = name.join(&entry_name);
            let plain = entry_name.to_string_lossy();
            if skipped == SkippedFiles::OfPostgres && is_skipped(&plain, &within) {
                continue;
            }
            match fs::metadata(&path) {
                Ok(found)
                    if found.is_dir()
                        && skipped == SkippedFiles::OfPostgres
                        && FOLDERS_BACKED_UP_EMPTY.contains(&&*plain) =>
                {
                    self.append_entry(&within, EntryType::Directory, 0, io::empty())?;
                }
                Ok(found) if found.is_dir() => self.archive_folder(&path, &within, skipped)?,
                Ok(_) => self.archive_file(&path, &within)?,
                Err(why) if why.kind() == io::ErrorKind::NotFound => {}
                Err(why) => return Err(BackupError::io_error_at(&path)(why)),
            }
        }
        Ok(())
    }

    fn archive_file(&mut self, path: &Path, name: &Path) -> Result<(), BackupError> {
        let found = match File::open(path) {
            Err(why) if why.kind() == io::ErrorKind::NotFound => return Ok(()),
            found => found.map_err(BackupError::io_error_at(path))?,
        };
        let bytes = found
            .metadata()
            .map_err(BackupError::io_error_at(path))?
            .len();
        self.append_entry(
            name,
            EntryType::Regular,
            bytes,
            found.chain(io::repeat(0)).take(bytes),
        )
    }

    /// Archives the WAL files from the start of the backup to its end.
    fn archive_wal(&mut self, folder: &Path, begun: &str, ended: &str) -> Result<(), BackupError> {
        let mut segments = Vec::new();
        for entry in fs::read_dir(folder)
            .map_err(BackupError::io_error_at(folder))?
            .flatten()
        {
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_segment = name.len() == begun.len() && (begun..=ended).contains(&name.as_str());
            if is_segment || name.ends_with(".history") {
                segments.push(name);
            }
        }
        segments.sort();
        for name in segments {
            self.archive_file(
                &folder.join(&name),
                &Path::new(DATA_ENTRY_NAME).join("pg_wal").join(&name),
            )?;
        }
        Ok(())
    }

    fn archive_text(&mut self, name: &str, text: &str) -> Result<(), BackupError> {
        self.append_entry(
            Path::new(name),
            EntryType::Regular,
            text.len() as u64,
            text.as_bytes(),
        )
    }

    fn append_entry(
        &mut self,
        name: &Path,
        kind: EntryType,
        bytes: u64,
        from: impl Read,
    ) -> Result<(), BackupError> {
        let mut header = Header::new_gnu();
        header.set_entry_type(kind);
        header.set_mode(if kind == EntryType::Directory {
            0o700
        } else {
            0o600
        });
        header.set_size(bytes);
        self.to
            .append_data(&mut header, name, from)
            .map_err(BackupError::io_error_at(self.file))
    }

    /// Writes everything to disk, then returns the archive's size in bytes.
    fn finish(self) -> Result<u64, BackupError> {
        let written = self
            .to
            .into_inner()
            .and_then(GzEncoder::finish)
            .and_then(|written| {
                written.sync_all()?;
                Ok(written.metadata()?.len())
            });
        written.map_err(BackupError::io_error_at(self.file))
    }
}

fn is_skipped(name: &str, within: &Path) -> bool {
    EXCLUDED_FILES.contains(&name)
        || name.starts_with("pgsql_tmp")
        || within.ends_with(CONTROL_FILE)
}
