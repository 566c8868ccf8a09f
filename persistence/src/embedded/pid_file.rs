//! Reads the file `postmaster.pid` of a data directory, and checks whether the process id in it
//! still belongs to that Postgres.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::{fs, io};

use nix::sys::signal::kill;
use nix::unistd::Pid;

/// The process name of Postgres on every system.
const POSTGRES_PROCESS_NAME: &str = "postgres";

pub(super) struct PidFile {
    pub(super) pid: Pid,
    pub(super) socket_dir: PathBuf,
    status: String,
}

impl PidFile {
    pub(super) fn path(data: &Path) -> PathBuf {
        data.join("postmaster.pid")
    }

    /// Reads `postmaster.pid`. `None` when the file does not exist: Postgres removes it last during
    /// a shutdown. A killed Postgres leaves the file behind.
    pub(super) fn read(data: &Path) -> Option<PidFile> {
        let text = fs::read_to_string(PidFile::path(data)).ok()?;
        let mut lines = text.lines();
        let pid = Pid::from_raw(lines.next()?.trim().parse().ok()?);
        let socket_dir = PathBuf::from(lines.nth(3).unwrap_or_default());
        let status = lines.nth(2).unwrap_or_default().trim().to_string();
        Some(PidFile {
            pid,
            socket_dir,
            status,
        })
    }

    pub(super) fn is_starting_or_stopping(&self) -> bool {
        matches!(self.status.as_str(), "starting" | "stopping" | "")
    }

    pub(super) fn is_running(&self) -> bool {
        kill(self.pid, None).is_ok() && !is_zombie_or_other_program(self.pid)
    }
}

/// Replaces the process id in a stale `postmaster.pid` by the id of this process.
///
/// Postgres does not start while any process has the id in this file or in the socket's lock file.
/// After a power cut, another program may have that id. In a container whose first process does not
/// reap ended children, a zombie of the killed Postgres has it. Postgres ignores the id of its
/// parent process, and then checks itself whether the shared memory is in use.
pub(super) fn replace_stale_pid(pid_file: &Path) -> io::Result<()> {
    let Ok(text) = fs::read_to_string(pid_file) else {
        return Ok(());
    };
    let Some((pid, after_name)) = text.split_once('\n') else {
        return Ok(());
    };
    if !pid
        .trim()
        .parse()
        .is_ok_and(|pid| is_zombie_or_other_program(Pid::from_raw(pid)))
    {
        return Ok(());
    }
    let text = format!("{}\n{after_name}", std::process::id());
    // The new text is written over the old text in place, because Postgres refuses to start when
    // the file is empty.
    let mut file = fs::OpenOptions::new().write(true).open(pid_file)?;
    file.write_all(text.as_bytes())?;
    file.set_len(text.len() as u64)
}

/// Returns whether the process with this id is a zombie or another program than Postgres. Returns
/// `false` when there is no such process, or `/proc` does not show it.
fn is_zombie_or_other_program(pid: Pid) -> bool {
    // In `/proc/PID/stat` the process name is in parentheses and may contain any character. The
    // state follows the name.
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let Some((name, after_name)) = stat
        .split_once('(')
        .and_then(|(_, named)| named.rsplit_once(')'))
    else {
        return false;
    };
    name != POSTGRES_PROCESS_NAME || after_name.trim_start().starts_with(['Z', 'X'])
}
