//! The operating system's user that runs Postgres. Postgres refuses to run as root, so root starts
//! it as the user `nobody`, who must be able to reach the folder of Postgres.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use nix::unistd::{User, geteuid};

use super::EmbeddedError;
use crate::stable_hash::fnv1a;

#[derive(Clone, Copy, Debug)]
struct OsUser {
    uid: u32,
    gid: u32,
}

/// Returns the user that must run Postgres, or `None` when this process may run Postgres itself.
fn postgres_user() -> Option<OsUser> {
    if !geteuid().is_root() {
        return None;
    }
    let nobody = User::from_name("nobody").ok().flatten();
    let os_user = nobody.map(|user| OsUser {
        uid: user.uid.as_raw(),
        gid: user.gid.as_raw(),
    });
    Some(os_user.unwrap_or(OsUser {
        uid: 65534,
        gid: 65534,
    }))
}

/// Returns a command for a Postgres program, with an empty environment. The program runs in a
/// separate process group, because otherwise Ctrl-C would stop Postgres before the server process.
pub(super) fn postgres_command(program: &Path, working_dir: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .current_dir(working_dir)
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("LC_ALL", "C")
        .process_group(0);
    if let Some(os_user) = postgres_user() {
        command.gid(os_user.gid).uid(os_user.uid);
    }
    command
}

/// Creates a folder that Postgres may use, and returns its path: the requested folder, or a
/// replacement under `/var/tmp` if Postgres cannot reach the requested folder.
pub(crate) fn create_postgres_folder(requested: &Path) -> Result<PathBuf, EmbeddedError> {
    create_folder(requested)?;
    let requested = requested
        .canonicalize()
        .map_err(|why| EmbeddedError::Folder {
            path: requested.to_path_buf(),
            why,
        })?;
    if requested.parent().is_none_or(postgres_can_reach) {
        give_folder_to_postgres(&requested)?;
        return Ok(requested);
    }
    let replacement = PathBuf::from(format!(
        "/var/tmp/football-doubles-{:016x}",
        path_hash(&requested)
    ));
    create_folder(&replacement)?;
    give_folder_to_postgres(&replacement)?;
    tracing::info!(
        "{} cannot be reached by the user PostgreSQL runs as; its data are in {}",
        requested.display(),
        replacement.display()
    );
    Ok(replacement)
}

/// Returns whether the user that runs Postgres can reach a folder, through every folder above it.
pub(super) fn postgres_can_reach(folder: &Path) -> bool {
    let Some(os_user) = postgres_user() else {
        return true;
    };
    let passes = |folder: &Path| {
        fs::metadata(folder).is_ok_and(|metadata| {
            let bit = match (metadata.uid() == os_user.uid, metadata.gid() == os_user.gid) {
                (true, _) => 0o100,
                (false, true) => 0o010,
                (false, false) => 0o001,
            };
            metadata.mode() & bit != 0
        })
    };
    folder.ancestors().all(passes)
}

/// Creates a folder and its missing ancestors.
fn create_folder(folder: &Path) -> Result<(), EmbeddedError> {
    fs::create_dir_all(folder).map_err(|why| EmbeddedError::Folder {
        path: folder.to_path_buf(),
        why,
    })
}

/// Gives a folder to the user that runs Postgres, and denies access to everybody else.
fn give_folder_to_postgres(folder: &Path) -> Result<(), EmbeddedError> {
    let result = match postgres_user() {
        Some(os_user) => chown(folder, Some(os_user.uid), Some(os_user.gid)),
        None => Ok(()),
    };
    result
        .and_then(|()| fs::set_permissions(folder, fs::Permissions::from_mode(0o700)))
        .map_err(|why| EmbeddedError::Folder {
            path: folder.to_path_buf(),
            why,
        })
}

/// Gives a folder with all its content to the user that runs Postgres.
pub(super) fn give_folder_tree_to_postgres(folder: &Path) -> Result<(), EmbeddedError> {
    give_folder_to_postgres(folder)?;
    let Some(os_user) = postgres_user() else {
        return Ok(());
    };
    let at = |why| EmbeddedError::Folder {
        path: folder.to_path_buf(),
        why,
    };
    for entry in fs::read_dir(folder).map_err(at)? {
        let path = entry.map_err(at)?.path();
        if path.is_dir() {
            give_folder_tree_to_postgres(&path)?;
        } else {
            chown(&path, Some(os_user.uid), Some(os_user.gid)).map_err(at)?;
        }
    }
    Ok(())
}

/// Returns a hash of a folder's path, from which the replacement folder is named. Every version of
/// the program computes the same hash, so the replacement folder is found again.
pub(super) fn path_hash(path: &Path) -> u64 {
    fnv1a(path.as_os_str().as_encoded_bytes())
}
