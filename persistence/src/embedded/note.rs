//! What a running Postgres notes in its data directory, and whether the process it names is that Postgres still.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::{fs, io};

use nix::sys::signal::kill;
use nix::unistd::Pid;

/// As Postgres itself is called, and each of its processes.
const PROGRAM: &str = "postgres";

pub(super) struct Note {
    pub(super) pid: Pid,
    pub(super) socket_dir: PathBuf,
    status: String,
}

impl Note {
    pub(super) fn of(data: &Path) -> PathBuf {
        data.join("postmaster.pid")
    }

    /// Taken away by Postgres last of all, when it ends in order; left where it was killed.
    pub(super) fn read(data: &Path) -> Option<Note> {
        let text = fs::read_to_string(Note::of(data)).ok()?;
        let mut lines = text.lines();
        let pid = Pid::from_raw(lines.next()?.trim().parse().ok()?);
        let socket_dir = PathBuf::from(lines.nth(3).unwrap_or_default());
        let status = lines.nth(2).unwrap_or_default().trim().to_string();
        Some(Note {
            pid,
            socket_dir,
            status,
        })
    }

    pub(super) fn is_changing(&self) -> bool {
        matches!(self.status.as_str(), "starting" | "stopping" | "")
    }

    pub(super) fn lives(&self) -> bool {
        kill(self.pid, None).is_ok() && !is_another(self.pid)
    }
}

/// Postgres does not start while any process has the number in its note, or in the one beside its socket: be it another program,
/// as after a power cut, or what is left of the killed one where nobody waits for orphans (a container whose first process is not
/// made for it). Under its parent's number it takes a note for a dead one's, and sees for itself whether anybody still uses
/// that one's memory.
pub(super) fn disown(note: &Path) -> io::Result<()> {
    let Ok(text) = fs::read_to_string(note) else {
        return Ok(());
    };
    let Some((pid, rest)) = text.split_once('\n') else {
        return Ok(());
    };
    if !pid
        .trim()
        .parse()
        .is_ok_and(|pid| is_another(Pid::from_raw(pid)))
    {
        return Ok(());
    }
    let text = format!("{}\n{rest}", std::process::id());
    // Never empty, not even for a moment: an empty note keeps Postgres out for good.
    let mut file = fs::OpenOptions::new().write(true).open(note)?;
    file.write_all(text.as_bytes())?;
    file.set_len(text.len() as u64)
}

/// Where nobody has that number, or the system does not tell, nobody is suspected.
fn is_another(pid: Pid) -> bool {
    // The name stands in brackets and may hold any; the state follows.
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let Some((name, rest)) = stat
        .split_once('(')
        .and_then(|(_, named)| named.rsplit_once(')'))
    else {
        return false;
    };
    name != PROGRAM || rest.trim_start().starts_with(['Z', 'X'])
}
