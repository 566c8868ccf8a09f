//! As whom Postgres runs. It refuses to run as root, so root starts it as `nobody`, who must be able to reach its folder.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use nix::unistd::{User, geteuid};

use super::EmbeddedError;

#[derive(Clone, Copy, Debug)]
struct Owner {
    uid: u32,
    gid: u32,
}

/// `None` when this process may run Postgres as itself.
fn other() -> Option<Owner> {
    if !geteuid().is_root() {
        return None;
    }
    let nobody = User::from_name("nobody").ok().flatten();
    let owner = nobody.map(|user| Owner {
        uid: user.uid.as_raw(),
        gid: user.gid.as_raw(),
    });
    Some(owner.unwrap_or(Owner {
        uid: 65534,
        gid: 65534,
    }))
}

/// A command of Postgres: as its owner, in a process group of its own (so that Ctrl-C reaches only the server, which then
/// stops Postgres in order), with nothing inherited from this process's environment.
pub(super) fn command(program: &Path, working_dir: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .current_dir(working_dir)
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("LC_ALL", "C")
        .process_group(0);
    if let Some(owner) = other() {
        command.gid(owner.gid).uid(owner.uid);
    }
    command
}

/// Makes a folder that Postgres may use: this one, or one under `/var/tmp` named after it.
pub(crate) fn folder(wanted: &Path) -> Result<PathBuf, EmbeddedError> {
    make(wanted)?;
    let wanted = wanted.canonicalize().map_err(|why| EmbeddedError::Folder {
        path: wanted.to_path_buf(),
        why,
    })?;
    if wanted.parent().is_none_or(reaches) {
        give(&wanted)?;
        return Ok(wanted);
    }
    let stand_in = PathBuf::from(format!(
        "/var/tmp/football-doubles-{:016x}",
        name_hash(&wanted)
    ));
    make(&stand_in)?;
    give(&stand_in)?;
    tracing::info!(
        "{} cannot be reached by the user PostgreSQL runs as; its data are in {}",
        wanted.display(),
        stand_in.display()
    );
    Ok(stand_in)
}

/// Whether the owner of Postgres can get to a folder: every folder above lets it pass.
pub(super) fn reaches(folder: &Path) -> bool {
    let Some(owner) = other() else {
        return true;
    };
    let passes = |folder: &Path| {
        fs::metadata(folder).is_ok_and(|found| {
            let bit = match (found.uid() == owner.uid, found.gid() == owner.gid) {
                (true, _) => 0o100,
                (false, true) => 0o010,
                (false, false) => 0o001,
            };
            found.mode() & bit != 0
        })
    };
    folder.ancestors().all(passes)
}

/// Makes a folder and what is above it.
fn make(folder: &Path) -> Result<(), EmbeddedError> {
    fs::create_dir_all(folder).map_err(|why| EmbeddedError::Folder {
        path: folder.to_path_buf(),
        why,
    })
}

/// Hands a folder to the owner of Postgres and shuts everybody else out.
fn give(folder: &Path) -> Result<(), EmbeddedError> {
    let given = match other() {
        Some(owner) => chown(folder, Some(owner.uid), Some(owner.gid)),
        None => Ok(()),
    };
    given
        .and_then(|()| fs::set_permissions(folder, fs::Permissions::from_mode(0o700)))
        .map_err(|why| EmbeddedError::Folder {
            path: folder.to_path_buf(),
            why,
        })
}

/// Hands over a folder with all that is in it.
pub(super) fn give_all(folder: &Path) -> Result<(), EmbeddedError> {
    give(folder)?;
    let Some(owner) = other() else { return Ok(()) };
    let at = |why| EmbeddedError::Folder {
        path: folder.to_path_buf(),
        why,
    };
    for entry in fs::read_dir(folder).map_err(at)? {
        let path = entry.map_err(at)?.path();
        if path.is_dir() {
            give_all(&path)?;
        } else {
            chown(&path, Some(owner.uid), Some(owner.gid)).map_err(at)?;
        }
    }
    Ok(())
}

/// The same folder has the same stand-in for ever.
pub(super) fn name_hash(path: &Path) -> u64 {
    hash(path.as_os_str().as_encoded_bytes())
}

/// FNV-1a: unlike the standard library's, the same in every version.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
