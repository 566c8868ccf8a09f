//! Restores a backup into the data folder. The previous data is moved aside, never deleted.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use tar::Archive;

use super::backup::{BackupError, DATA_ENTRY_NAME, HEADER_ENTRY_NAME, HEADER_TEXT_PREFIX};
use super::cluster::Cluster;
use super::{binaries, lock_data_folder, os_user};

/// Replaces the database of a private Postgres by the database in the backup, and the folders
/// `beside` by the folders in the backup. Returns where the previous folders were moved.
///
/// # Errors
///
/// A server runs on the folder, the file is not a complete backup, or its Postgres version is not
/// installed. In all these cases nothing has changed.
pub async fn restore(
    dir: &Path,
    beside: &[(&str, &Path)],
    file: &Path,
) -> Result<Vec<PathBuf>, BackupError> {
    let wrote = postgres_version_of_backup(file)?;
    let dir = os_user::create_postgres_folder(dir)?;
    let _lock = lock_data_folder(&dir)?;
    check_version_installed(&dir, file, &wrote)?;
    Cluster::stop_leftover_postgres(&dir).await;
    let unpacked = dir.join("restored.unfinished");
    clear_folder(&unpacked)?;
    let placed =
        unpack_backup(file, &unpacked).and_then(|()| put_folders_in_place(&dir, beside, &unpacked));
    clear_folder(&unpacked)?;
    placed
}

/// Returns the Postgres version that wrote the backup file.
fn postgres_version_of_backup(file: &Path) -> Result<String, BackupError> {
    let open = File::open(file).map_err(BackupError::io_error_at(file))?;
    let unreadable = || BackupError::Unreadable(file.to_path_buf());
    let mut archive = Archive::new(GzDecoder::new(open));
    let mut entries = archive.entries().map_err(|_| unreadable())?;
    let mut first = entries.next().and_then(Result::ok).ok_or_else(unreadable)?;
    let mut about = String::new();
    let is_ours = first
        .path()
        .is_ok_and(|path| path == Path::new(HEADER_ENTRY_NAME));
    if !is_ours || first.read_to_string(&mut about).is_err() {
        return Err(unreadable());
    }
    about
        .strip_prefix(HEADER_TEXT_PREFIX)
        .map(|version| version.trim().to_string())
        .ok_or_else(unreadable)
}

fn check_version_installed(dir: &Path, file: &Path, wrote: &str) -> Result<(), BackupError> {
    let found = binaries::choose_version(dir, None)?;
    if binaries::find_all()
        .iter()
        .any(|binaries| binaries.major == wrote)
    {
        return Ok(());
    }
    Err(BackupError::WrongVersion {
        file: file.to_path_buf(),
        wrote: wrote.to_string(),
        found: found.major,
    })
}

/// Unpacks the whole archive or fails. A truncated file is detected, because the compressed stream
/// ends with a checksum.
fn unpack_backup(file: &Path, to: &Path) -> Result<(), BackupError> {
    fs::create_dir_all(to).map_err(BackupError::io_error_at(to))?;
    let open = File::open(file).map_err(BackupError::io_error_at(file))?;
    let mut archive = Archive::new(GzDecoder::new(open));
    archive.set_preserve_permissions(true);
    archive.set_preserve_mtime(false);
    archive.unpack(to).map_err(|why| match why.kind() {
        std::io::ErrorKind::StorageFull => BackupError::io_error_at(to)(why),
        _ => BackupError::Unreadable(file.to_path_buf()),
    })?;
    // Reads the rest of the compressed stream after the end of the archive, because the stream's
    // checksum comes last.
    let mut rest = archive.into_inner();
    std::io::copy(&mut rest, &mut std::io::sink())
        .map_err(|_| BackupError::Unreadable(file.to_path_buf()))?;
    let is_whole = to.join(DATA_ENTRY_NAME).join("backup_label").is_file();
    is_whole
        .then_some(())
        .ok_or_else(|| BackupError::Unreadable(file.to_path_buf()))
}

fn put_folders_in_place(
    dir: &Path,
    beside: &[(&str, &Path)],
    unpacked: &Path,
) -> Result<Vec<PathBuf>, BackupError> {
    let data = unpacked.join(DATA_ENTRY_NAME);
    os_user::give_folder_tree_to_postgres(&data)?;
    let mut aside = Vec::new();
    aside.extend(replace_folder(&data, &dir.join("data"))?);
    for (name, folder) in beside {
        if unpacked.join(name).is_dir() {
            aside.extend(replace_folder(&unpacked.join(name), folder)?);
        }
    }
    Ok(aside)
}

/// Moves the old folder aside and puts the new one into its place. Returns the path of the moved
/// old folder, or `None` when there was none.
fn replace_folder(new: &Path, old: &Path) -> Result<Option<PathBuf>, BackupError> {
    let aside = (1..).map(|number| old.with_added_extension(format!("before-restore-{number}")));
    let aside = aside
        .into_iter()
        .find(|path| !path.exists())
        .expect("numbers do not end");
    let was_there = old.exists();
    if was_there {
        fs::rename(old, &aside).map_err(BackupError::io_error_at(&aside))?;
    }
    move_folder(new, old)?;
    Ok(was_there.then_some(aside))
}

/// Moves a folder. Copies it if needed, because the database's folder may be on another disk (see
/// `os_user::create_postgres_folder`).
fn move_folder(from: &Path, to: &Path) -> Result<(), BackupError> {
    match fs::rename(from, to) {
        Err(why) if why.kind() == std::io::ErrorKind::CrossesDevices => copy_folder(from, to),
        moved => moved.map_err(BackupError::io_error_at(to)),
    }
}

fn copy_folder(from: &Path, to: &Path) -> Result<(), BackupError> {
    fs::create_dir_all(to).map_err(BackupError::io_error_at(to))?;
    for entry in fs::read_dir(from).map_err(BackupError::io_error_at(from))? {
        let entry = entry.map_err(BackupError::io_error_at(from))?;
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy_folder(&path, &target)?;
        } else {
            fs::copy(&path, &target).map_err(BackupError::io_error_at(&target))?;
        }
    }
    Ok(())
}

fn clear_folder(folder: &Path) -> Result<(), BackupError> {
    match fs::remove_dir_all(folder) {
        Err(why) if why.kind() != std::io::ErrorKind::NotFound => {
            Err(BackupError::io_error_at(folder)(why))
        }
        _ => Ok(()),
    }
}
