//! Builds the front end when it is missing or older than its sources, so that `cargo run` needs no
//! second command.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use nix::fcntl::{Flock, FlockArg};
use sha2::{Digest, Sha256};

use super::WebBuildError;

/// Folders of `web` that are not sources of the pages: created by a build or a test run, or read
/// only by tests.
const NON_SOURCE_FOLDERS: [&str; 7] = [
    "node_modules",
    "dist",
    ".parcel-cache",
    "e2e",
    "test-results",
    "playwright-report",
    "coverage",
];
const NODE_MISSING_ERROR: &str = "Node.js 20 or newer with npm is needed to build the web pages: \
    `apt-get install nodejs npm`, or https://nodejs.org";
/// The oldest Node.js that the build tools support.
const NODE_MAJOR_MIN: u32 = 20;
/// Maximum number of lines of npm's output in an error.
const OUTPUT_LINES_MAX: usize = 12;

/// Builds `web/dist` unless it matches the sources, and returns its path. If several processes call
/// this at the same time, only one of them builds.
pub fn ensure_built(web: &Path) -> Result<PathBuf, WebBuildError> {
    let dist = web.join("dist");
    let sources = source_hash(web)?;
    if has_build_stamp(&dist, &sources) {
        return Ok(dist);
    }
    let _lock = lock_build(web)?;
    if has_build_stamp(&dist, &sources) {
        return Ok(dist);
    }
    check_node()?;
    install_packages(web)?;
    eprintln!("Building the web pages …");
    run_npm(web, &["run", "build"])?;
    write_build_stamp(&dist, &sources)?;
    Ok(dist)
}

/// Runs `npm ci`, unless `node_modules` already matches the lock file.
pub fn install_packages(web: &Path) -> Result<(), WebBuildError> {
    let lock_file = web.join("package-lock.json");
    let lock_hash = hex::encode(Sha256::digest(
        fs::read(&lock_file).map_err(WebBuildError::io_error(&lock_file))?,
    ));
    let modules = web.join("node_modules");
    if has_build_stamp(&modules, &lock_hash) {
        return Ok(());
    }
    eprintln!("Fetching what the web pages are built with (npm ci) …");
    run_npm(web, &["ci"])?;
    write_build_stamp(&modules, &lock_hash)
}

/// Returns a one-line error when Node.js is missing or too old.
fn check_node() -> Result<(), WebBuildError> {
    let output = Command::new("node")
        .arg("--version")
        .output()
        .map_err(|_| WebBuildError::Missing(NODE_MISSING_ERROR.to_string()))?;
    let version = String::from_utf8_lossy(&output.stdout).trim().to_string();
    let major = version
        .trim_start_matches('v')
        .split('.')
        .next()
        .and_then(|major| major.parse().ok());
    match major {
        Some(NODE_MAJOR_MIN..) => Ok(()),
        _ => Err(WebBuildError::Missing(format!(
            "{NODE_MISSING_ERROR} (found {version})"
        ))),
    }
}

fn run_npm(web: &Path, arguments: &[&str]) -> Result<(), WebBuildError> {
    let run = Command::new("npm")
        .args(arguments)
        .current_dir(web)
        .env("CI", "1")
        .output();
    match run {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(WebBuildError::Build(format!(
            "npm {}: {}",
            arguments.join(" "),
            last_output_lines(&output)
        ))),
        Err(failure) if failure.kind() == ErrorKind::NotFound => {
            Err(WebBuildError::Missing(NODE_MISSING_ERROR.to_string()))
        }
        Err(failure) => Err(WebBuildError::Build(failure.to_string())),
    }
}

/// Returns the last lines of a failed command's output.
fn last_output_lines(output: &Output) -> String {
    let output = [&output.stdout, &output.stderr]
        .map(|bytes| String::from_utf8_lossy(bytes).into_owned())
        .join("\n");
    let lines: Vec<&str> = output
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    lines[lines.len().saturating_sub(OUTPUT_LINES_MAX)..].join("\n")
}

/// Locks a file of the folder `web`, so that only one process builds the front end at a time.
fn lock_build(web: &Path) -> Result<Flock<File>, WebBuildError> {
    // Keep the lock file in `web` itself, because `node_modules` and `dist` are emptied by a build.
    let path = web.join(".build-lock");
    let file = File::create(&path).map_err(WebBuildError::io_error(&path))?;
    Flock::lock(file, FlockArg::LockExclusive).map_err(|(_, errno)| WebBuildError::Io {
        path,
        source: errno.into(),
    })
}

fn has_build_stamp(dir: &Path, stamp: &str) -> bool {
    fs::read_to_string(dir.join(".stamp")).is_ok_and(|found| found == stamp)
}

fn write_build_stamp(dir: &Path, stamp: &str) -> Result<(), WebBuildError> {
    let path = dir.join(".stamp");
    fs::write(&path, stamp).map_err(WebBuildError::io_error(&path))
}

/// Computes a hash over the paths and bytes of all source files of the front end.
fn source_hash(web: &Path) -> Result<String, WebBuildError> {
    let mut paths = Vec::new();
    collect_sources(web, &mut paths)?;
    paths.sort();
    let mut hash = Sha256::new();
    for path in paths {
        let bytes = fs::read(&path).map_err(WebBuildError::io_error(&path))?;
        hash.update(
            path.strip_prefix(web)
                .unwrap_or(&path)
                .to_string_lossy()
                .as_bytes(),
        );
        hash.update((bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    }
    Ok(hex::encode(hash.finalize()))
}

fn collect_sources(dir: &Path, found: &mut Vec<PathBuf>) -> Result<(), WebBuildError> {
    for entry in fs::read_dir(dir).map_err(WebBuildError::io_error(dir))? {
        let entry = entry.map_err(WebBuildError::io_error(dir))?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let path = entry.path();
        if path.is_dir() {
            if !NON_SOURCE_FOLDERS.contains(&name.as_ref()) {
                collect_sources(&path, found)?;
            }
        } else if is_source(&name) {
            found.push(path);
        }
    }
    Ok(())
}

/// Whether a file of `web` affects the built pages. Tests and Markdown files do not.
fn is_source(name: &str) -> bool {
    name != ".build-lock" && !name.ends_with(".md") && !name.contains(".test.")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test_web_folder() -> PathBuf {
        let dir = std::env::temp_dir().join(format!("fd-web-{}", uuid::Uuid::new_v4()));
        fs::create_dir_all(dir.join("src")).expect("a folder");
        fs::create_dir_all(dir.join("node_modules")).expect("a folder");
        fs::write(dir.join("src/main.tsx"), "1").expect("a file");
        dir
    }

    #[test]
    fn changed_source_makes_the_build_stale_but_changed_test_does_not() {
        let web = test_web_folder();
        let before = source_hash(&web).expect("a stamp");
        fs::write(web.join("src/main.test.tsx"), "2").expect("a file");
        fs::write(web.join("node_modules/x.js"), "2").expect("a file");
        assert_eq!(source_hash(&web).expect("a stamp"), before);
        fs::write(web.join("src/main.tsx"), "2").expect("a file");
        assert_ne!(source_hash(&web).expect("a stamp"), before);
        fs::remove_dir_all(web).expect("removed");
    }

    #[test]
    fn up_to_date_build_is_not_repeated() {
        let web = test_web_folder();
        let dist = web.join("dist");
        fs::create_dir_all(&dist).expect("a folder");
        write_build_stamp(&dist, &source_hash(&web).expect("a stamp")).expect("stamped");
        // No build has run, because a build would fail without a package.json.
        assert_eq!(ensure_built(&web).expect("nothing to do"), dist);
        fs::remove_dir_all(web).expect("removed");
    }
}
