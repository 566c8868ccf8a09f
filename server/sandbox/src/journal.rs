//! An append-only file of JSON lines. One line holds all changes of one request. If several lines
//! hold the same object, the last one is valid.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// File permissions: only the owner may read the files, because they hold cards, mails and secrets.
const JOURNAL_FILE_MODE: u32 = 0o600;
const LOCK_ATTEMPTS_MAX: u32 = 50;
const LOCK_RETRY_DELAY: Duration = Duration::from_millis(100);

/// An open journal file. Its lines survive a crash of the process. They may be lost in a crash of
/// the machine, because `fsync` is not called.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    // Keeps the file lock until the journal is dropped. Two processes that append to one journal
    // would corrupt it.
    _lock: File,
}

impl Journal {
    /// Opens the file `name` in `dir` and passes every complete line to `replay`. A last line that
    /// a crash cut short is dropped, because its request was never answered.
    pub fn open(dir: &Path, name: &str, mut replay: impl FnMut(&str)) -> io::Result<Self> {
        fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(dir)?;
        let lock = lock_file(&dir.join(format!("{name}.lock")))?;
        let path = dir.join(format!("{name}.jsonl"));
        let mut complete_bytes = 0;
        if let Ok(file) = File::open(&path) {
            let mut lines = BufReader::new(file);
            let mut line = String::new();
            while lines.read_line(&mut line)? > 0 && line.ends_with('\n') {
                complete_bytes += line.len() as u64;
                replay(line.trim_end());
                line.clear();
            }
        }
        let file = OpenOptions::new()
            .mode(JOURNAL_FILE_MODE)
            .create(true)
            .append(true)
            .open(&path)?;
        file.set_len(complete_bytes)?;
        Ok(Self {
            path,
            file,
            _lock: lock,
        })
    }

    /// Appends a line with one write call. Afterwards the line survives a crash of the process, so
    /// the request may be answered.
    pub fn append_line(&mut self, line: &[u8]) -> io::Result<()> {
        debug_assert!(line.ends_with(b"\n"), "a journal line ends with a newline");
        self.file.write_all(line)
    }

    /// Replaces the contents of the journal file by what `write` writes.
    pub fn rewrite(
        &mut self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        let temporary = self.path.with_extension("fresh");
        let mut out = BufWriter::new(
            OpenOptions::new()
                .mode(JOURNAL_FILE_MODE)
                .create(true)
                .truncate(true)
                .write(true)
                .open(&temporary)?,
        );
        write(&mut out)?;
        out.flush()?;
        fs::rename(&temporary, &self.path)?;
        self.file = OpenOptions::new().append(true).open(&self.path)?;
        Ok(())
    }
}

/// Locks the lock file of a journal. Retries for some seconds, because a previous process may still
/// be exiting.
fn lock_file(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new()
        .mode(JOURNAL_FILE_MODE)
        .create(true)
        .truncate(false)
        .write(true)
        .open(path)?;
    for _ in 0..LOCK_ATTEMPTS_MAX {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) => std::thread::sleep(LOCK_RETRY_DELAY),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
    Err(io::Error::new(
        io::ErrorKind::WouldBlock,
        format!("another process keeps {} open", path.display()),
    ))
}
