//! One data directory and the Postgres process that serves it.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{ConnectOptions, Connection};

use super::binaries::{self, PostgresBinaries};
use super::pid_file::PidFile;
use super::{EmbeddedError, os_user, pid_file};

/// The database role that every connection uses.
const DATABASE_ROLE: &str = "app";
/// The file name that Postgres gives to its unix socket.
const SOCKET_FILE_NAME: &str = ".s.PGSQL.5432";
const POSTGRES_START_SECONDS_MAX: u64 = 60;
const POSTGRES_STOP_SECONDS_MAX: u64 = 60;
const STATE_POLL_INTERVAL: Duration = Duration::from_millis(10);

/// Whether an acknowledged commit must survive a power cut. Tests use faster commits that a power
/// cut may lose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Durability {
    Full,
    #[cfg_attr(
        not(feature = "testing"),
        allow(dead_code, reason = "only the tests' Postgres does without")
    )]
    None,
}

pub(crate) struct Cluster {
    dir: PathBuf,
    address: PostgresAddress,
    pid: Pid,
    /// The Postgres process. `None` when Postgres was adopted: a killed server process started it,
    /// so it is no child of this process.
    child: Option<Child>,
}

impl Cluster {
    /// Starts Postgres, or adopts the Postgres that already runs on this data directory. `dir` must
    /// already belong to the user that runs Postgres.
    pub(crate) async fn start(
        dir: &Path,
        durability: Durability,
    ) -> Result<Cluster, EmbeddedError> {
        let data = dir.join("data");
        if let Some(running) = adopt_running_postgres(dir).await {
            return Ok(running);
        }
        let wrote = fs::read_to_string(data.join("PG_VERSION"))
            .ok()
            .map(|text| text.trim().to_string());
        let binaries = binaries::choose_version(dir, wrote.as_deref())?;
        if wrote.is_none() {
            create_data_dir(&binaries, dir, durability)?;
        }
        launch_postgres(&binaries, dir, durability).await
    }

    /// Stops the Postgres that a killed server process left running on this folder, if there is
    /// one.
    pub(super) async fn stop_leftover_postgres(dir: &Path) {
        if let Some(running) = adopt_running_postgres(dir).await {
            running.stop().await;
        }
    }

    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    pub(crate) fn adopted_running_postgres(&self) -> bool {
        self.child.is_none()
    }

    #[cfg_attr(
        not(feature = "testing"),
        allow(dead_code, reason = "only the tests' guardian asks")
    )]
    pub(crate) fn pid(&self) -> i32 {
        self.pid.as_raw()
    }

    /// Returns the socket folder of this Postgres. It does not change when Postgres is restarted.
    pub(super) fn address(&self) -> PostgresAddress {
        self.address.clone()
    }

    #[cfg(feature = "testing")]
    pub(crate) fn options(&self, database: &str) -> PgConnectOptions {
        self.address.options(database)
    }

    #[cfg(feature = "testing")]
    pub(crate) fn url_with_login(&self, login: Option<&str>, database: &str) -> String {
        self.address
            .url_with_login(login.unwrap_or(DATABASE_ROLE), database)
    }

    /// Stops Postgres by a fast shutdown, which rolls back open transactions and writes committed
    /// data to disk.
    pub(crate) async fn stop(mut self) {
        if !self.is_running() || kill(self.pid, Signal::SIGINT).is_err() {
            return;
        }
        let deadline = Instant::now() + Duration::from_secs(POSTGRES_STOP_SECONDS_MAX);
        while self.is_running() && Instant::now() < deadline {
            tokio::time::sleep(STATE_POLL_INTERVAL).await;
        }
    }

    pub(super) fn is_running(&mut self) -> bool {
        match &mut self.child {
            Some(child) => matches!(child.try_wait(), Ok(None)),
            None => {
                PidFile::read(&self.dir.join("data")).is_some_and(|pid_file| pid_file.is_running())
            }
        }
    }
}

/// The socket folder through which the Postgres of a data directory is reached. It is known even
/// while Postgres does not run.
#[derive(Clone)]
pub(super) struct PostgresAddress {
    socket_dir: PathBuf,
}

impl PostgresAddress {
    pub(super) fn options(&self, database: &str) -> PgConnectOptions {
        options(&self.socket_dir, database)
    }

    pub(super) fn url(&self, database: &str) -> String {
        self.url_with_login(DATABASE_ROLE, database)
    }

    fn url_with_login(&self, login: &str, database: &str) -> String {
        format!(
            "postgres://{login}@localhost/{database}?host={}",
            self.socket_dir.display()
        )
    }
}

fn options(socket_dir: &Path, database: &str) -> PgConnectOptions {
    PgConnectOptions::new_without_pgpass()
        .socket(socket_dir)
        .username(DATABASE_ROLE)
        .database(database)
        .log_statements(
            // The text of SQL statements may contain personal data, so statements are never logged.
            "off".parse().expect("a level filter"),
        )
}

/// Returns the Postgres that a killed server process left running on this data directory. `None`
/// when none runs.
async fn adopt_running_postgres(dir: &Path) -> Option<Cluster> {
    let data = dir.join("data");
    let deadline = Instant::now() + Duration::from_secs(POSTGRES_START_SECONDS_MAX);
    // The Postgres that was left running may still be starting or stopping, so it is checked
    // several times.
    while Instant::now() < deadline {
        let pid_file = PidFile::read(&data)?;
        if !pid_file.is_running() {
            return None;
        }
        if socket_serves_data_dir(&pid_file.socket_dir, &data).await {
            tracing::info!(
                "adopted the PostgreSQL that was left running in {}",
                dir.display()
            );
            let address = PostgresAddress {
                socket_dir: pid_file.socket_dir,
            };
            return Some(Cluster {
                dir: dir.into(),
                address,
                pid: pid_file.pid,
                child: None,
            });
        }
        if !pid_file.is_starting_or_stopping() {
            // The process may belong to another Postgres by now, so it is not adopted.
            return None;
        }
        tokio::time::sleep(STATE_POLL_INTERVAL).await;
    }
    None
}

/// Returns whether the Postgres that answers on this socket serves the data directory `data`.
async fn socket_serves_data_dir(socket_dir: &Path, data: &Path) -> bool {
    let Ok(mut connection) = PgConnection::connect_with(&options(socket_dir, "postgres")).await
    else {
        return false;
    };
    let output = sqlx::query_scalar!(r#"select current_setting('data_directory') as "dir!""#)
        .fetch_one(&mut connection)
        .await;
    let _ = connection.close().await;
    output.is_ok_and(|output| Path::new(&output) == data)
}

/// Creates a data directory under a temporary name and then renames it. An interrupted first start
/// then leaves no incomplete data directory under the final name.
fn create_data_dir(
    binaries: &PostgresBinaries,
    dir: &Path,
    durability: Durability,
) -> Result<(), EmbeddedError> {
    let folder = |path: &Path, why| EmbeddedError::Folder {
        path: path.to_path_buf(),
        why,
    };
    let unfinished = dir.join("data.unfinished");
    if unfinished.exists() {
        fs::remove_dir_all(&unfinished).map_err(|why| folder(&unfinished, why))?;
    }
    let mut initdb = os_user::postgres_command(&binaries.folder.join("initdb"), dir);
    initdb.arg("-D").arg(&unfinished).args([
        "-U",
        DATABASE_ROLE,
        "-A",
        "trust",
        "-E",
        "UTF8",
        "--locale=C",
        "--data-checksums",
    ]);
    if durability == Durability::None {
        initdb.args(["--no-sync", "--wal-segsize=1"]);
    }
    let result = initdb
        .stdin(Stdio::null())
        .output()
        .map_err(|why| folder(&binaries.folder, why))?;
    if !result.status.success() {
        let output = String::from_utf8_lossy(&result.stderr);
        return Err(EmbeddedError::NotStarted {
            log: dir.join("data"),
            why: initdb_error_line(&output),
        });
    }
    let data = dir.join("data");
    fs::rename(&unfinished, &data).map_err(|why| folder(&data, why))
}

/// Returns the line of `initdb`'s output that names the error. The last line would not help,
/// because it only says that files are removed.
fn initdb_error_line(output: &str) -> String {
    let wrong = |line: &&str| {
        ["FATAL", "PANIC", "error:"]
            .iter()
            .any(|word| line.contains(word))
    };
    let line = output
        .lines()
        .find(wrong)
        .or_else(|| output.lines().rfind(|line| !line.trim().is_empty()));
    line.unwrap_or("initdb failed").to_string()
}

async fn launch_postgres(
    binaries: &PostgresBinaries,
    dir: &Path,
    durability: Durability,
) -> Result<Cluster, EmbeddedError> {
    let socket_dir = socket_dir(dir)?;
    let log = dir.join("postgres.log");
    let folder = |why| EmbeddedError::Folder {
        path: log.clone(),
        why,
    };
    let output = File::create(&log).map_err(folder)?;
    pid_file::replace_stale_pid(&PidFile::path(&dir.join("data"))).map_err(folder)?;
    pid_file::replace_stale_pid(&socket_dir.join(format!("{SOCKET_FILE_NAME}.lock")))
        .map_err(folder)?;
    let mut postgres = os_user::postgres_command(&binaries.folder.join("postgres"), dir);
    postgres
        .arg("-D")
        .arg(dir.join("data"))
        .arg("-k")
        .arg(&socket_dir);
    add_settings(&mut postgres, durability);
    postgres
        .stdin(Stdio::null())
        .stdout(output.try_clone().map_err(folder)?)
        .stderr(output);
    let mut child = postgres.spawn().map_err(folder)?;
    let pid = Pid::from_raw(child.id().cast_signed());
    let deadline = Instant::now() + Duration::from_secs(POSTGRES_START_SECONDS_MAX);
    loop {
        if socket_serves_data_dir(&socket_dir, &dir.join("data")).await {
            return Ok(Cluster {
                dir: dir.into(),
                address: PostgresAddress { socket_dir },
                pid,
                child: Some(child),
            });
        }
        let ended = child.try_wait().map_err(folder)?.is_some();
        if ended || Instant::now() > deadline {
            return Err(EmbeddedError::NotStarted {
                why: last_log_error(&log),
                log,
            });
        }
        tokio::time::sleep(STATE_POLL_INTERVAL).await;
    }
}

fn add_settings(postgres: &mut Command, durability: Durability) {
    let mut set = |setting: &str| {
        postgres.arg("-c").arg(setting);
    };
    set("listen_addresses=");
    // Connections need no password, because only root and the user that runs Postgres can open the
    // socket.
    set("unix_socket_permissions=0700");
    set("max_connections=200");
    set("timezone=UTC");
    set("shared_buffers=128MB");
    set("max_wal_size=2GB");
    set("checkpoint_timeout=15min");
    set("jit=off");
    // After `kill -9`, Postgres syncs the whole data directory before it replays the WAL. One
    // `syncfs` takes a twelfth of the time of syncing a thousand files. Commits are as durable with
    // `syncfs` as without.
    if cfg!(target_os = "linux") {
        set("recovery_init_sync_method=syncfs");
    }
    if durability == Durability::None {
        set("fsync=off");
        set("full_page_writes=off");
        set("synchronous_commit=off");
        set("autovacuum=off");
        set("shared_buffers=32MB");
    }
}

/// Returns the socket's folder: beside the data, or under `/tmp` when the socket's path would
/// exceed the system's limit of 107 bytes.
fn socket_dir(dir: &Path) -> Result<PathBuf, EmbeddedError> {
    const SOCKET_FOLDER_BYTES_MAX: usize = 107 - "/".len() - SOCKET_FILE_NAME.len() - ".lock".len();
    if dir.as_os_str().len() <= SOCKET_FOLDER_BYTES_MAX {
        return Ok(dir.to_path_buf());
    }
    os_user::create_postgres_folder(&PathBuf::from(format!(
        "/tmp/football-doubles-{:016x}",
        os_user::path_hash(dir)
    )))
}

fn last_log_error(log: &Path) -> String {
    let output = fs::read_to_string(log).unwrap_or_default();
    let line = output
        .lines()
        .rfind(|line| line.contains("FATAL") || line.contains("PANIC"));
    line.or_else(|| output.lines().last())
        .unwrap_or("no answer, no log")
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::initdb_error_line;

    #[test]
    fn error_line_is_reported_instead_of_the_cleanup_line() {
        let full = "creating configuration files ... ok\n\
            2026-11-21 UTC [1] FATAL:  could not write to file: No space left on device\n\
            child process exited with exit code 1\n\
            initdb: removing data directory \"/x\"\n";
        assert_eq!(
            initdb_error_line(full),
            "2026-11-21 UTC [1] FATAL:  could not write to file: No space left on device"
        );
        assert_eq!(
            initdb_error_line("initdb: error: could not access directory\n"),
            "initdb: error: could not access directory"
        );
        assert_eq!(initdb_error_line(""), "initdb failed");
    }
}
