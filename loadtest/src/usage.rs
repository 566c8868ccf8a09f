//! What processes used, as the system counts it: the server (the sandbox is inside it) and its Postgres with all its children.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use tokio::sync::{Mutex, watch};

use crate::report::Table;
use crate::subject::Subject;

/// The system counts processor time in hundredths of a second, whatever its clock does (`USER_HZ`).
const MS_PER_TICK: u64 = 10;
/// Work that goes on behind an answer (mails, notices) is over when hardly anything is used for so long.
const LOOK: Duration = Duration::from_millis(300);
const IDLE_MS_MAX: u64 = 20;
const SECOND: Duration = Duration::from_secs(1);
const CALM_MAX: Duration = Duration::from_secs(60);

/// Whose use is measured.
#[derive(Clone, Debug)]
pub struct Meter {
    server: u32,
    postmaster: Option<u32>,
}

/// Milliseconds of processor time since the processes began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cpu {
    pub server: u64,
    pub postgres: u64,
}

impl Cpu {
    pub fn since(self, earlier: Cpu) -> Cpu {
        Cpu {
            server: self.server.saturating_sub(earlier.server),
            postgres: self.postgres.saturating_sub(earlier.postgres),
        }
    }

    pub fn all(self) -> u64 {
        self.server + self.postgres
    }
}

impl Meter {
    pub fn of(subject: &Subject) -> Result<Meter> {
        Ok(Meter {
            server: subject.pid().context("the server is not ours")?,
            postmaster: subject.postmaster_pid(),
        })
    }

    /// The same Postgres, and this process in the server's place.
    pub fn of_this_process(&self) -> Meter {
        Meter {
            server: std::process::id(),
            ..self.clone()
        }
    }

    pub fn cpu(&self) -> Result<Cpu> {
        let (own, _) = spent(self.server).context("the server's own figures")?;
        let postgres = self.postmaster.map_or(0, |postmaster| {
            let family = children(postmaster)
                .into_iter()
                .filter_map(|child| spent(child).map(|(own, _)| own));
            // What ended children used is counted with their parent.
            family.sum::<u64>() + spent(postmaster).map_or(0, |(own, ended)| own + ended)
        });
        Ok(Cpu {
            server: own,
            postgres,
        })
    }

    /// Waits until what went on behind the answers is done.
    pub async fn calm(&self) -> Result<()> {
        let began = Instant::now();
        loop {
            let before = self.cpu()?;
            tokio::time::sleep(LOOK).await;
            if self.cpu()?.since(before).all() <= IDLE_MS_MAX || began.elapsed() > CALM_MAX {
                return Ok(());
            }
        }
    }

    /// Kilobytes that the server keeps in memory.
    pub fn resident_kb(&self) -> Result<f64> {
        resident_kb(self.server)
    }
}

/// What our own server keeps in memory, looked at once a second until told to stop: seconds since the start, megabytes. While
/// it is dead, and for somebody else's server, there is nothing to see.
pub async fn remember(
    subject: Arc<Mutex<Subject>>,
    started: Instant,
    mut stop: watch::Receiver<bool>,
) -> Vec<(f64, f64)> {
    let mut seen = Vec::new();
    while tokio::time::timeout(SECOND, stop.wait_for(|stop| *stop))
        .await
        .is_err()
    {
        let server = subject.lock().await.pid();
        if let Some(resident) = server.and_then(|server| resident_kb(server).ok()) {
            seen.push((started.elapsed().as_secs_f64(), resident / 1024.0));
        }
    }
    seen
}

/// What `remember` saw at the start, at each quarter of the time and at most; nothing for a server that is not ours.
pub fn memory_table(seen: &[(f64, f64)]) -> Option<Table> {
    let last = seen.len().checked_sub(1)?;
    let head = [
        "",
        "start",
        "quarter",
        "half",
        "three quarters",
        "end",
        "most",
    ];
    let mut table = Table::new("Memory (MB)", &head);
    let most = seen
        .iter()
        .map(|(_, megabytes)| *megabytes)
        .fold(0.0, f64::max);
    let quarters = (0..=4)
        .map(|quarter| seen[last * quarter / 4].1)
        .chain([most]);
    table.row(
        ["server".to_owned()]
            .into_iter()
            .chain(quarters.map(|megabytes| format!("{megabytes:.0}"))),
    );
    Some(table)
}

/// What a process keeps in memory, in kilobytes.
fn resident_kb(pid: u32) -> Result<f64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .context("no VmRSS")?;
    Ok(line.trim().trim_end_matches(" kB").parse()?)
}

/// Milliseconds a process used, and those its ended children did.
fn spent(pid: u32) -> Option<(u64, u64)> {
    read_stat(&std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// The name in parentheses may hold anything; what follows it are numbers, the state first.
fn read_stat(stat: &str) -> Option<(u64, u64)> {
    let rest = &stat[stat.rfind(')')? + 1..];
    let ticks: Vec<u64> = rest
        .split_whitespace()
        .skip(11)
        .take(4)
        .filter_map(|field| field.parse().ok())
        .collect();
    let [user, system, ended_user, ended_system] = ticks[..] else {
        return None;
    };
    Some((
        (user + system) * MS_PER_TICK,
        (ended_user + ended_system) * MS_PER_TICK,
    ))
}

fn children(parent: u32) -> Vec<u32> {
    let threads = std::fs::read_dir(format!("/proc/{parent}/task"))
        .into_iter()
        .flatten()
        .flatten();
    let lists =
        threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok());
    let all: Vec<String> = lists.collect();
    all.iter()
        .flat_map(|list| list.split_whitespace())
        .filter_map(|pid| pid.parse().ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_blanks_and_parentheses_does_not_move_the_figures() {
        let stat = "42 (postgres: w (x) y) S 1 42 42 0 -1 4194560 9 8 7 6 150 50 3 2 20 0 1 0 100";
        assert_eq!(read_stat(stat), Some((2_000, 50)));
        assert_eq!(read_stat("42 (cut"), None);
    }

    #[test]
    fn memory_is_told_by_quarters_and_at_its_most() {
        let seen = [1.0, 2.0, 9.0, 4.0, 5.0].map(|megabytes| (0.0, megabytes));
        let table = memory_table(&seen).expect("a table");
        assert_eq!(table.rows[1], ["server", "1", "2", "9", "4", "5", "9"]);
        assert!(memory_table(&[]).is_none());
    }

    #[test]
    fn this_process_is_found() {
        assert!(resident_kb(std::process::id()).expect("our own") > 0.0);
    }
}
