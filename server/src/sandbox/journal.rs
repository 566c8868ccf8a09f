//! An append-only file of JSON lines: one line is one request's effects, whole or not at all; the last object wins.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

const LOCK_ATTEMPTS_MAX: u32 = 50;
const LOCK_PAUSE: Duration = Duration::from_millis(100);

/// Lines survive the death of the process, not of the machine: there is no `fsync`, this is a stand-in for tests and the demo.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    // Held open for its lock: two processes appending to one journal would ruin it.
    _lock: File,
}

impl Journal {
    /// Opens `name` in `dir`, gives every whole line to `replay`; a line cut by a crash is dropped, nobody was told of it.
    pub fn open(dir: &Path, name: &str, mut replay: impl FnMut(&str)) -> io::Result<Self> {
        fs::create_dir_all(dir)?;
        let lock = lock(&dir.join(format!("{name}.lock")))?;
        let path = dir.join(format!("{name}.jsonl"));
        let mut whole_bytes = 0;
        if let Ok(file) = File::open(&path) {
            let mut lines = BufReader::new(file);
            let mut line = String::new();
            while lines.read_line(&mut line)? > 0 && line.ends_with('\n') {
                whole_bytes += line.len() as u64;
                replay(line.trim_end());
                line.clear();
            }
        }
        let file = OpenOptions::new().create(true).append(true).open(&path)?;
        file.set_len(whole_bytes)?;
        Ok(Self {
            path,
            file,
            _lock: lock,
        })
    }

    /// One write call, so that the line is in the kernel's hands before the request is answered.
    pub fn append(&mut self, line: &[u8]) -> io::Result<()> {
        debug_assert!(line.ends_with(b"\n"), "a journal line ends with a newline");
        self.file.write_all(line)
    }

    /// Replaces the file by these lines alone.
    pub fn rewrite(
        &mut self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        let fresh = self.path.with_extension("fresh");
        let mut out = BufWriter::new(File::create(&fresh)?);
        write(&mut out)?;
        out.flush()?;
        fs::rename(&fresh, &self.path)?;
        self.file = OpenOptions::new().append(true).open(&self.path)?;
        Ok(())
    }
}

/// A predecessor that is just being killed may hold the lock for a moment longer.
fn lock(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(path)?;
    for _ in 0..LOCK_ATTEMPTS_MAX {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) => std::thread::sleep(LOCK_PAUSE),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
    Err(io::Error::new(
        io::ErrorKind::WouldBlock,
        format!("another process keeps {} open", path.display()),
    ))
}
