//! The server under test. It is either a child process in a separate folder, which can be killed
//! and restarted, or an external server.

use std::fs::{File, OpenOptions};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use nix::errno::Errno;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tokio::process::{Child, Command};

use crate::database_audit::DatabaseAccess;

/// The server's addresses, and its process unless it is an external server.
pub struct ServerProcess {
    pub base: String,
    /// Address of the payment sandbox. The server contains one, unless the sandbox runs separately.
    pub provider: String,
    own: Option<OwnedServerProcess>,
}

struct OwnedServerProcess {
    binary: PathBuf,
    /// Temporary folder of the server. It is removed at the end.
    dir: PathBuf,
    port: u16,
    /// Environment variables in addition to the usual ones, as pairs of name and value.
    variables: Vec<(&'static str, String)>,
    child: Option<Child>,
}

impl ServerProcess {
    /// Returns an external server at this address. It is never killed.
    pub fn external(base: &str) -> Self {
        let base = base.trim_end_matches('/').to_owned();
        Self {
            provider: base.clone(),
            base,
            own: None,
        }
    }

    /// Starts the server of this workspace in demo mode, on a free port and in a temporary folder.
    /// Waits until it is ready.
    pub async fn start() -> Result<Self> {
        Self::start_in_folder(Self::create_folder()?, Vec::new()).await
    }

    /// Creates a temporary folder for a server and its data.
    pub fn create_folder() -> Result<PathBuf> {
        let dir =
            std::env::temp_dir().join(format!("fd-loadtest-{}", uuid::Uuid::new_v4().simple()));
        std::fs::create_dir_all(&dir).with_context(|| format!("making {}", dir.display()))?;
        Ok(dir)
    }

    /// Starts the server in an existing folder, with additional environment variables. Waits until
    /// it is ready.
    pub async fn start_in_folder(
        dir: PathBuf,
        variables: Vec<(&'static str, String)>,
    ) -> Result<Self> {
        Self::start_on_port(dir, free_port()?, variables).await
    }

    /// Starts the server in an existing folder, on a given port. Waits until it is ready.
    pub async fn start_on_port(
        dir: PathBuf,
        port: u16,
        variables: Vec<(&'static str, String)>,
    ) -> Result<Self> {
        let binary = server_binary().await?;
        let base = format!("http://127.0.0.1:{port}");
        let own = Some(OwnedServerProcess {
            binary,
            dir,
            port,
            variables,
            child: None,
        });
        let mut server_process = Self {
            provider: base.clone(),
            base,
            own,
        };
        server_process.restart(Duration::from_secs(180)).await?;
        Ok(server_process)
    }

    pub fn is_owned(&self) -> bool {
        self.own.is_some()
    }

    /// Returns the process id of the server, or `None` for an external server.
    pub fn pid(&self) -> Option<u32> {
        self.own.as_ref()?.child.as_ref()?.id()
    }

    /// Returns the process id of the server's private Postgres (its main process). `None` if none
    /// runs.
    pub fn postmaster_pid(&self) -> Option<u32> {
        u32::try_from(running_postmaster(self.folder_path()?)?.as_raw()).ok()
    }

    /// Returns the server's data folder, or `None` for an external server.
    pub fn folder_path(&self) -> Option<&Path> {
        self.own.as_ref().map(|own| own.dir.as_path())
    }

    /// Starts the server's process and waits until it is ready. Returns how long that took.
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
        self.wait_until_ready(limit).await?;
        Ok(started.elapsed())
    }

    /// Waits until the server is ready. If its process has exited, the error contains the end of
    /// its log.
    pub async fn wait_until_ready(&mut self, limit: Duration) -> Result<Duration> {
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
                // The crowd is larger than Stripe's limits allow, and the product is what is measured.
                let lift = format!("{}/sandbox/rate-limits", self.base);
                let _ = http.delete(&lift).send().await;
                return Ok(started.elapsed());
            }
            if let Some(own) = &mut self.own
                && let Some(child) = &mut own.child
                && let Some(status) = child.try_wait()?
            {
                bail!(
                    "the server ended by itself ({status}):\n{}",
                    log_tail(&own.dir.join("server.log"))
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

    /// Sends SIGKILL to the server, so that it cannot clean up or write anything.
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

    /// Sends SIGTERM to the server, which then also stops its Postgres.
    pub async fn terminate(&mut self) -> Result<()> {
        let own = self
            .own
            .as_mut()
            .context("only our own server can be ended")?;
        let Some(mut child) = own.child.take() else {
            return Ok(());
        };
        if let Some(pid) = child.id().and_then(|pid| i32::try_from(pid).ok()) {
            send_signal(Pid::from_raw(pid), Signal::SIGTERM);
        }
        if tokio::time::timeout(Duration::from_secs(40), child.wait())
            .await
            .is_err()
        {
            child.kill().await?;
        }
        Ok(())
    }

    /// Runs another command of the server's program in the same folder.
    pub async fn run_server_command(&self, arguments: &[&str]) -> Result<std::process::Output> {
        let own = self
            .own
            .as_ref()
            .context("only our own server's folder is touched")?;
        let mut command = Command::new(&own.binary);
        command
            .args(arguments)
            .arg("--demo")
            .env("FD_DATA_DIR", own.dir.join("data"))
            .envs(own.variables.iter().cloned());
        command
            .output()
            .await
            .with_context(|| format!("running {arguments:?}"))
    }

    /// Sends SIGKILL to the server's private Postgres. Returns `false` when none runs.
    pub fn kill_postgres(&self) -> Result<bool> {
        self.signal_postgres(Signal::SIGKILL)
    }

    /// Sends a signal to the server's private Postgres. Returns `false` when none runs.
    pub fn signal_postgres(&self, which: Signal) -> Result<bool> {
        let own = self
            .own
            .as_ref()
            .context("only our own Postgres can be killed")?;
        Ok(running_postmaster(&own.dir).is_some_and(|postmaster| send_signal(postmaster, which)))
    }

    /// Stops all Postgres processes (SIGSTOP) and continues them after the given time.
    pub async fn pause_postgres(&self, duration: Duration) -> Result<()> {
        let own = self
            .own
            .as_ref()
            .context("only our own Postgres can be stopped")?;
        let Some(postmaster) = running_postmaster(&own.dir) else {
            bail!("no Postgres runs")
        };
        let process_tree = process_tree(postmaster);
        let tell = |which| {
            process_tree
                .iter()
                .filter(|process| send_signal(**process, which))
                .count()
        };
        tell(Signal::SIGSTOP);
        tokio::time::sleep(duration).await;
        tell(Signal::SIGCONT);
        Ok(())
    }

    /// Returns the access to the server's database, through the socket that `postmaster.pid` names.
    /// `None` for an external server.
    pub fn database_access(&self) -> Option<DatabaseAccess> {
        let note = std::fs::read_to_string(postmaster_pid_file(self.folder_path()?, 3)?).ok()?;
        let socket_dir = note.lines().nth(4)?;
        let url = format!("postgres://app@localhost/football_doubles?host={socket_dir}");
        Some(DatabaseAccess::new(url, &self.folder_path()?.join("data")))
    }

    /// Returns the whole text of the server's log.
    pub fn read_log(&self) -> String {
        let read = |own: &OwnedServerProcess| {
            std::fs::read(own.dir.join("server.log")).unwrap_or_default()
        };
        self.own
            .as_ref()
            .map(|own| String::from_utf8_lossy(&read(own)).into_owned())
            .unwrap_or_default()
    }

    /// Stops the server and any Postgres that it left running. Removes the folder unless `keep` is
    /// set.
    pub async fn stop(mut self, keep: bool) -> Result<()> {
        if !self.is_owned() {
            return Ok(());
        }
        self.terminate().await?;
        let Some(own) = &mut self.own else {
            return Ok(());
        };
        if let Some(postmaster) = running_postmaster(&own.dir) {
            send_signal(postmaster, Signal::SIGINT);
            let stop_started = Instant::now();
            while kill(postmaster, None) != Err(Errno::ESRCH)
                && stop_started.elapsed() < Duration::from_secs(20)
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

fn send_signal(process: Pid, signal: Signal) -> bool {
    kill(process, signal).is_ok()
}

/// Returns the path of the server's program, which is in the folder of this program. Under `cargo
/// run` the server is built first, so that it is current. Otherwise it is built only if it is
/// missing.
pub async fn server_binary() -> Result<PathBuf> {
    let own = std::env::current_exe()?;
    let folder = own.parent().context("our own executable has no folder")?;
    // The executable of a test is one folder deeper. A test never builds the server: it uses the
    // one that was built with the tests, because that one contains fail points.
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

/// Returns a free port below the range from which the system assigns ports. So no other process
/// gets it while the server is down. Each call returns another port, so that concurrent tests in
/// one process do not collide.
pub fn free_port() -> Result<u16> {
    static NEXT_PORT_OFFSET: AtomicU16 = AtomicU16::new(0);
    let from = 20_000 + u16::try_from(std::process::id() % 9_000).unwrap_or(0);
    (0..2_000)
        .map(|_| from + NEXT_PORT_OFFSET.fetch_add(1, Ordering::Relaxed) % 2_000)
        .find(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok())
        .context("no free port between 20000 and 31000")
}

/// Searches a folder for `postmaster.pid`, at most `depth` levels deep.
fn postmaster_pid_file(dir: &Path, depth: u8) -> Option<PathBuf> {
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
            .find_map(|folder| postmaster_pid_file(&folder, depth - 1))
    }
}

/// Returns the process id in the first line of `postmaster.pid`, if that process runs.
fn running_postmaster(dir: &Path) -> Option<Pid> {
    let note = std::fs::read_to_string(postmaster_pid_file(dir, 3)?).ok()?;
    let pid = Pid::from_raw(note.lines().next()?.trim().parse().ok()?);
    kill(pid, None).is_ok().then_some(pid)
}

/// Returns a process and its child processes.
fn process_tree(parent: Pid) -> Vec<Pid> {
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

fn log_tail(log: &Path) -> String {
    let read = File::open(log)
        .and_then(std::io::read_to_string)
        .unwrap_or_default();
    let lines: Vec<&str> = read.lines().collect();
    lines[lines.len().saturating_sub(30)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_ports_of_one_process_differ() {
        let (first, second) = (free_port().expect("a port"), free_port().expect("a port"));
        assert_ne!(first, second, "although the first is not in use yet");
    }
}
