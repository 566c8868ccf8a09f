//! The server under doubt: a process of our own in a folder of our own, killed and started again at will; or somebody
//! else's server, which is only talked to.

use std::fs::{File, OpenOptions};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use nix::errno::Errno;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tokio::process::{Child, Command};

use crate::books::Access;

/// Where the doubted server is.
pub struct Subject {
    pub base: String,
    /// Where the provider's stand-in is reached: the server's own base, unless it is apart.
    pub provider: String,
    own: Option<Own>,
}

struct Own {
    binary: PathBuf,
    /// Temporary; removed at the end.
    dir: PathBuf,
    port: u16,
    /// What else its environment says.
    variables: Vec<(&'static str, String)>,
    child: Option<Child>,
}

impl Subject {
    /// Talks to a server somebody else runs; it is never killed.
    pub fn elsewhere(base: &str) -> Self {
        let base = base.trim_end_matches('/').to_owned();
        Self {
            provider: base.clone(),
            base,
            own: None,
        }
    }

    /// Starts the workspace's server in demo mode on a free port in a temporary folder, and waits until it is ready.
    pub async fn start() -> Result<Self> {
        Self::start_in(Self::folder()?, Vec::new()).await
    }

    /// A new temporary folder for a server and its data.
    pub fn folder() -> Result<PathBuf> {
        let dir =
            std::env::temp_dir().join(format!("fd-loadtest-{}", uuid::Uuid::new_v4().simple()));
        std::fs::create_dir_all(&dir).with_context(|| format!("making {}", dir.display()))?;
        Ok(dir)
    }

    /// The same in a folder that somebody prepared, with more to tell it.
    pub async fn start_in(dir: PathBuf, variables: Vec<(&'static str, String)>) -> Result<Self> {
        Self::start_at(dir, free_port()?, variables).await
    }

    /// The same on a port that somebody chose.
    pub async fn start_at(
        dir: PathBuf,
        port: u16,
        variables: Vec<(&'static str, String)>,
    ) -> Result<Self> {
        let binary = binary().await?;
        let base = format!("http://127.0.0.1:{port}");
        let own = Some(Own {
            binary,
            dir,
            port,
            variables,
            child: None,
        });
        let mut subject = Self {
            provider: base.clone(),
            base,
            own,
        };
        subject.restart(Duration::from_secs(180)).await?;
        Ok(subject)
    }

    pub fn is_ours(&self) -> bool {
        self.own.is_some()
    }

    /// Our own server's process.
    pub fn pid(&self) -> Option<u32> {
        self.own.as_ref()?.child.as_ref()?.id()
    }

    /// Its embedded Postgres's first process.
    pub fn postmaster_pid(&self) -> Option<u32> {
        u32::try_from(postmaster(self.dir()?)?.as_raw()).ok()
    }

    /// The data folder of our own server.
    pub fn dir(&self) -> Option<&Path> {
        self.own.as_ref().map(|own| own.dir.as_path())
    }

    /// Starts the process (again) and waits until it answers that it is ready; says how long that took.
    pub async fn restart(&mut self, limit: Duration) -> Result<Duration> {
        let started = Instant::now();
        let own = self
            .own
            .as_mut()
            .context("only our own server can be started")?;
        let log = OpenOptions::new()
            .create(true)
            .append(true)
            .open(own.dir.join("server.log"))?;
        let child = Command::new(&own.binary)
            .env("PORT", own.port.to_string())
            .env("FD_DATA_DIR", own.dir.join("data"))
            .envs(own.variables.iter().cloned())
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .kill_on_drop(true)
            .spawn()
            .with_context(|| format!("starting {}", own.binary.display()))?;
        own.child = Some(child);
        self.ready(limit).await?;
        Ok(started.elapsed())
    }

    /// Waits until the server says that it is ready; a server that has ended by itself is reported with its last words.
    pub async fn ready(&mut self, limit: Duration) -> Result<Duration> {
        let started = Instant::now();
        let http = reqwest::Client::builder()
            .timeout(Duration::from_secs(3))
            .build()?;
        let url = format!("{}/api/health/ready", self.base);
        loop {
            if http
                .get(&url)
                .send()
                .await
                .is_ok_and(|answer| answer.status().is_success())
            {
                return Ok(started.elapsed());
            }
            if let Some(own) = &mut self.own
                && let Some(child) = &mut own.child
                && let Some(status) = child.try_wait()?
            {
                bail!(
                    "the server ended by itself ({status}):\n{}",
                    last_words(&own.dir.join("server.log"))
                );
            }
            if started.elapsed() > limit {
                bail!(
                    "the server was not ready within {} s at {}",
                    limit.as_secs(),
                    self.base
                );
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
    }

    /// SIGKILL: no goodbye, no flushing.
    pub async fn kill(&mut self) -> Result<()> {
        let own = self
            .own
            .as_mut()
            .context("only our own server can be killed")?;
        if let Some(mut child) = own.child.take() {
            child.kill().await.context("killing the server")?;
        }
        Ok(())
    }

    /// SIGTERM, and its Postgres with it.
    pub async fn end(&mut self) -> Result<()> {
        let own = self
            .own
            .as_mut()
            .context("only our own server can be ended")?;
        let Some(mut child) = own.child.take() else {
            return Ok(());
        };
        if let Some(pid) = child.id().and_then(|pid| i32::try_from(pid).ok()) {
            signal(Pid::from_raw(pid), Signal::SIGTERM);
        }
        if tokio::time::timeout(Duration::from_secs(40), child.wait())
            .await
            .is_err()
        {
            child.kill().await?;
        }
        Ok(())
    }

    /// One of the server's other commands on the same folder, to its end.
    pub async fn command(&self, arguments: &[&str]) -> Result<std::process::Output> {
        let own = self
            .own
            .as_ref()
            .context("only our own server's folder is touched")?;
        let mut command = Command::new(&own.binary);
        command
            .args(arguments)
            .env("FD_DATA_DIR", own.dir.join("data"))
            .envs(own.variables.iter().cloned());
        command
            .output()
            .await
            .with_context(|| format!("running {arguments:?}"))
    }

    /// SIGKILL for the embedded Postgres; false when none runs.
    pub fn kill_postgres(&self) -> Result<bool> {
        self.signal_postgres(Signal::SIGKILL)
    }

    /// A signal for the embedded Postgres; false when none runs.
    pub fn signal_postgres(&self, which: Signal) -> Result<bool> {
        let own = self
            .own
            .as_ref()
            .context("only our own Postgres can be killed")?;
        Ok(postmaster(&own.dir).is_some_and(|postmaster| signal(postmaster, which)))
    }

    /// Stops our Postgres in the middle of whatever it does, every process of it, and lets it go on after a while.
    pub async fn freeze_postgres(&self, for_so_long: Duration) -> Result<()> {
        let own = self
            .own
            .as_ref()
            .context("only our own Postgres can be stopped")?;
        let Some(postmaster) = postmaster(&own.dir) else {
            bail!("no Postgres runs")
        };
        let family = family(postmaster);
        let tell = |which| {
            family
                .iter()
                .filter(|process| signal(**process, which))
                .count()
        };
        tell(Signal::SIGSTOP);
        tokio::time::sleep(for_so_long).await;
        tell(Signal::SIGCONT);
        Ok(())
    }

    /// How the auditor reaches our own server's books: by the socket that Postgres notes in its data folder.
    pub fn access(&self) -> Option<Access> {
        let note = std::fs::read_to_string(postmaster_note(self.dir()?, 3)?).ok()?;
        let socket_dir = note.lines().nth(4)?;
        let url = format!("postgres://app@localhost/football_doubles?host={socket_dir}");
        Some(Access::new(url, &self.dir()?.join("data")))
    }

    /// Everything the server wrote to its log.
    pub fn log(&self) -> String {
        let read = |own: &Own| std::fs::read(own.dir.join("server.log")).unwrap_or_default();
        self.own
            .as_ref()
            .map(|own| String::from_utf8_lossy(&read(own)).into_owned())
            .unwrap_or_default()
    }

    /// Ends our own server politely, then whatever Postgres it left behind, and removes the folder.
    pub async fn stop(mut self, keep: bool) -> Result<()> {
        if !self.is_ours() {
            return Ok(());
        }
        self.end().await?;
        let Some(own) = &mut self.own else {
            return Ok(());
        };
        if let Some(postmaster) = postmaster(&own.dir) {
            signal(postmaster, Signal::SIGINT);
            let asked = Instant::now();
            while kill(postmaster, None) != Err(Errno::ESRCH)
                && asked.elapsed() < Duration::from_secs(20)
            {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
        if !keep {
            std::fs::remove_dir_all(&own.dir)
                .with_context(|| format!("removing {}", own.dir.display()))?;
        }
        Ok(())
    }
}

fn signal(process: Pid, signal: Signal) -> bool {
    kill(process, signal).is_ok()
}

/// The server beside our own executable. Under `cargo run` it is built first (nothing happens when it is fresh), so that
/// nobody doubts yesterday's server; otherwise only when it is missing.
pub async fn binary() -> Result<PathBuf> {
    let own = std::env::current_exe()?;
    let folder = own.parent().context("our own executable has no folder")?;
    // A test's executable lies one folder deeper. It takes the server that was built with the other tests' and never builds one
    // in its place, because theirs has fail points.
    let is_test = folder.ends_with("deps");
    let folder = if is_test {
        folder.parent().context("no folder above")?
    } else {
        folder
    };
    let beside = folder.join("server");
    if (is_test || std::env::var_os("CARGO").is_none()) && beside.is_file() {
        return Ok(beside);
    }
    let mut build = Command::new("cargo");
    build.args(["build", "--quiet", "-p", "server", "--bin", "server"]);
    if folder.ends_with("release") {
        build.arg("--release");
    }
    if !build.status().await?.success() || !beside.is_file() {
        bail!("no server at {} and building one failed", beside.display());
    }
    Ok(beside)
}

/// Below the ports the system hands out by itself, so that nobody takes it while the server is dead.
pub fn free_port() -> Result<u16> {
    let from = 20_000 + u16::try_from(std::process::id() % 9_000).unwrap_or(0);
    (from..from + 2_000)
        .find(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok())
        .context("no free port between 20000 and 31000")
}

/// `postmaster.pid` in a data folder at most so many levels down.
fn postmaster_note(dir: &Path, depth: u8) -> Option<PathBuf> {
    let here = dir.join("postmaster.pid");
    if here.is_file() {
        return Some(here);
    }
    let folders = std::fs::read_dir(dir)
        .ok()?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.is_dir());
    if depth == 0 {
        None
    } else {
        folders
            .into_iter()
            .find_map(|folder| postmaster_note(&folder, depth - 1))
    }
}

/// The running postmaster's process id, from the first line of its note.
fn postmaster(dir: &Path) -> Option<Pid> {
    let note = std::fs::read_to_string(postmaster_note(dir, 3)?).ok()?;
    let pid = Pid::from_raw(note.lines().next()?.trim().parse().ok()?);
    kill(pid, None).is_ok().then_some(pid)
}

/// A process and its children.
fn family(parent: Pid) -> Vec<Pid> {
    let is_child = |pid: &Pid| {
        let about = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let after_name = about.rsplit(") ").next().unwrap_or_default();
        after_name.split(' ').nth(1) == Some(&parent.to_string())
    };
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = processes
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .map(Pid::from_raw);
    std::iter::once(parent)
        .chain(pids.filter(is_child))
        .collect()
}

fn last_words(log: &Path) -> String {
    let read = File::open(log)
        .and_then(std::io::read_to_string)
        .unwrap_or_default();
    let lines: Vec<&str> = read.lines().collect();
    lines[lines.len().saturating_sub(30)..].join("\n")
}
