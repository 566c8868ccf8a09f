//! One data directory and the Postgres that serves it.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{ConnectOptions, Connection};

use super::binaries::{self, Binaries};
use super::note::Note;
use super::{EmbeddedError, note, owner};

/// The role of everything that connects.
const ROLE: &str = "app";
/// As Postgres names its socket.
const SOCKET: &str = ".s.PGSQL.5432";
const START_SECONDS_MAX: u64 = 60;
const STOP_SECONDS_MAX: u64 = 60;
const LOOK_AGAIN: Duration = Duration::from_millis(10);

/// Whether an acknowledged commit must survive a power cut. Tests can do without.
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
    door: Door,
    pid: Pid,
    /// `None` when it was left running by a server that was killed.
    child: Option<Child>,
}

impl Cluster {
    /// `dir` belongs to the owner of Postgres already.
    pub(crate) async fn start(
        dir: &Path,
        durability: Durability,
    ) -> Result<Cluster, EmbeddedError> {
        let data = dir.join("data");
        if let Some(running) = adopt(dir).await {
            return Ok(running);
        }
        let wrote = fs::read_to_string(data.join("PG_VERSION"))
            .ok()
            .map(|text| text.trim().to_string());
        let binaries = binaries::choose(dir, wrote.as_deref())?;
        if wrote.is_none() {
            initialise(&binaries, dir, durability)?;
        }
        launch(&binaries, dir, durability).await
    }

    /// Stops a Postgres that a killed server left running on a folder, if there is one.
    pub(super) async fn stop_left_behind(dir: &Path) {
        if let Some(running) = adopt(dir).await {
            running.stop().await;
        }
    }

    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    pub(crate) fn adopted(&self) -> bool {
        self.child.is_none()
    }

    #[cfg_attr(
        not(feature = "testing"),
        allow(dead_code, reason = "only the tests' guardian asks")
    )]
    pub(crate) fn pid(&self) -> i32 {
        self.pid.as_raw()
    }

    /// The same after every start.
    pub(super) fn door(&self) -> Door {
        self.door.clone()
    }

    #[cfg(feature = "testing")]
    pub(crate) fn options(&self, database: &str) -> PgConnectOptions {
        self.door.options(database)
    }

    #[cfg(feature = "testing")]
    pub(crate) fn url_as(&self, login: Option<&str>, database: &str) -> String {
        self.door.url_as(login.unwrap_or(ROLE), database)
    }

    /// Fast shutdown: open transactions are rolled back, everything committed is written down.
    pub(crate) async fn stop(mut self) {
        if !self.lives() || kill(self.pid, Signal::SIGINT).is_err() {
            return;
        }
        let give_up = Instant::now() + Duration::from_secs(STOP_SECONDS_MAX);
        while self.lives() && Instant::now() < give_up {
            tokio::time::sleep(LOOK_AGAIN).await;
        }
    }

    pub(super) fn lives(&mut self) -> bool {
        match &mut self.child {
            Some(child) => matches!(child.try_wait(), Ok(None)),
            None => Note::read(&self.dir.join("data")).is_some_and(|note| note.lives()),
        }
    }
}

/// Where a data directory's Postgres is reached, whether it runs or not.
#[derive(Clone)]
pub(super) struct Door {
    socket_dir: PathBuf,
}

impl Door {
    pub(super) fn options(&self, database: &str) -> PgConnectOptions {
        options(&self.socket_dir, database)
    }

    pub(super) fn url(&self, database: &str) -> String {
        self.url_as(ROLE, database)
    }

    fn url_as(&self, login: &str, database: &str) -> String {
        format!(
            "postgres://{login}@localhost/{database}?host={}",
            self.socket_dir.display()
        )
    }
}

fn options(socket_dir: &Path, database: &str) -> PgConnectOptions {
    PgConnectOptions::new_without_pgpass()
        .socket(socket_dir)
        .username(ROLE)
        .database(database)
        .log_statements(
            // What is said to the database holds personal data; it is never logged.
            "off".parse().expect("a level filter"),
        )
}

/// A Postgres of this very data directory that a killed server left behind.
async fn adopt(dir: &Path) -> Option<Cluster> {
    let data = dir.join("data");
    let give_up = Instant::now() + Duration::from_secs(START_SECONDS_MAX);
    // It may be starting or stopping at this very moment: then a moment later there is an answer.
    while Instant::now() < give_up {
        let note = Note::read(&data)?;
        if !note.lives() {
            return None;
        }
        if answers(&note.socket_dir, &data).await {
            tracing::info!(
                "adopted the PostgreSQL that was left running in {}",
                dir.display()
            );
            let door = Door {
                socket_dir: note.socket_dir,
            };
            return Some(Cluster {
                dir: dir.into(),
                door,
                pid: note.pid,
                child: None,
            });
        }
        if !note.is_changing() {
            // The number may be another Postgres's by now; this one sees for itself.
            return None;
        }
        tokio::time::sleep(LOOK_AGAIN).await;
    }
    None
}

/// Whether whoever listens on the socket serves this data directory.
async fn answers(socket_dir: &Path, data: &Path) -> bool {
    let Ok(mut connection) = PgConnection::connect_with(&options(socket_dir, "postgres")).await
    else {
        return false;
    };
    let said: Result<String, _> = sqlx::query_scalar("show data_directory")
        .fetch_one(&mut connection)
        .await;
    let _ = connection.close().await;
    said.is_ok_and(|said| Path::new(&said) == data)
}

/// Into a folder beside it and then renamed, so that an interrupted first start leaves nothing half made.
fn initialise(
    binaries: &Binaries,
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
    let mut initdb = owner::command(&binaries.folder.join("initdb"), dir);
    initdb.arg("-D").arg(&unfinished).args([
        "-U",
        ROLE,
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
    let done = initdb
        .stdin(Stdio::null())
        .output()
        .map_err(|why| folder(&binaries.folder, why))?;
    if !done.status.success() {
        let said = String::from_utf8_lossy(&done.stderr);
        return Err(EmbeddedError::NotStarted {
            log: dir.join("data"),
            why: complaint(&said),
        });
    }
    let data = dir.join("data");
    fs::rename(&unfinished, &data).map_err(|why| folder(&data, why))
}

/// What went wrong, in one of its lines; the last one only says that it cleans up.
fn complaint(said: &str) -> String {
    let wrong = |line: &&str| {
        ["FATAL", "PANIC", "error:"]
            .iter()
            .any(|word| line.contains(word))
    };
    let line = said
        .lines()
        .find(wrong)
        .or_else(|| said.lines().rfind(|line| !line.trim().is_empty()));
    line.unwrap_or("initdb failed").to_string()
}

async fn launch(
    binaries: &Binaries,
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
    note::disown(&Note::of(&dir.join("data"))).map_err(folder)?;
    note::disown(&socket_dir.join(format!("{SOCKET}.lock"))).map_err(folder)?;
    let mut postgres = owner::command(&binaries.folder.join("postgres"), dir);
    postgres
        .arg("-D")
        .arg(dir.join("data"))
        .arg("-k")
        .arg(&socket_dir);
    settings(&mut postgres, durability);
    postgres
        .stdin(Stdio::null())
        .stdout(output.try_clone().map_err(folder)?)
        .stderr(output);
    let mut child = postgres.spawn().map_err(folder)?;
    let pid = Pid::from_raw(child.id().cast_signed());
    let give_up = Instant::now() + Duration::from_secs(START_SECONDS_MAX);
    loop {
        if answers(&socket_dir, &dir.join("data")).await {
            return Ok(Cluster {
                dir: dir.into(),
                door: Door { socket_dir },
                pid,
                child: Some(child),
            });
        }
        let ended = child.try_wait().map_err(folder)?.is_some();
        if ended || Instant::now() > give_up {
            return Err(EmbeddedError::NotStarted {
                why: last_words(&log),
                log,
            });
        }
        tokio::time::sleep(LOOK_AGAIN).await;
    }
}

fn settings(postgres: &mut Command, durability: Durability) {
    let mut set = |setting: &str| {
        postgres.arg("-c").arg(setting);
    };
    set("listen_addresses=");
    // Trust is for whoever may open the socket: the owner of Postgres, and root.
    set("unix_socket_permissions=0700");
    set("max_connections=200");
    set("timezone=UTC");
    set("shared_buffers=128MB");
    set("max_wal_size=2GB");
    set("checkpoint_timeout=15min");
    set("jit=off");
    // After a kill -9 Postgres makes sure of everything on the disk before it replays; asking the file system once is a
    // twelfth of asking for each of a thousand files. Commits are as durable as before.
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

/// Beside the data; or under `/tmp` when the name would be longer than the system's 107 bytes for a socket.
fn socket_dir(dir: &Path) -> Result<PathBuf, EmbeddedError> {
    const NAME_BYTES_MAX: usize = 107 - "/".len() - SOCKET.len() - ".lock".len();
    if dir.as_os_str().len() <= NAME_BYTES_MAX {
        return Ok(dir.to_path_buf());
    }
    owner::folder(&PathBuf::from(format!(
        "/tmp/football-doubles-{:016x}",
        owner::name_hash(dir)
    )))
}

fn last_words(log: &Path) -> String {
    let said = fs::read_to_string(log).unwrap_or_default();
    let line = said
        .lines()
        .rfind(|line| line.contains("FATAL") || line.contains("PANIC"));
    line.or_else(|| said.lines().last())
        .unwrap_or("no answer, no log")
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::complaint;

    #[test]
    fn the_line_that_says_why_is_told_and_not_the_one_that_cleans_up() {
        let full = "creating configuration files ... ok\n\
            2026-11-21 UTC [1] FATAL:  could not write to file: No space left on device\n\
            child process exited with exit code 1\n\
            initdb: removing data directory \"/x\"\n";
        assert_eq!(
            complaint(full),
            "2026-11-21 UTC [1] FATAL:  could not write to file: No space left on device"
        );
        assert_eq!(
            complaint("initdb: error: could not access directory\n"),
            "initdb: error: could not access directory"
        );
        assert_eq!(complaint(""), "initdb failed");
    }
}
