//! Memory and processor time of processes, read from `/proc`: the server with its sandbox, and
//! Postgres with its child processes.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use tokio::sync::{Mutex, watch};

use crate::report::Table;
use crate::server_process::ServerProcess;

/// Milliseconds in one tick of processor time. The kernel counts in hundredths of a second
/// (`USER_HZ`).
const MS_PER_TICK: u64 = 10;
/// Interval between two readings of the processor time. If the processor time has hardly grown
/// between them, background work such as mails is done.
const IDLE_CHECK_INTERVAL: Duration = Duration::from_millis(300);
const IDLE_CPU_MS_MAX: u64 = 20;
const MEMORY_SAMPLE_INTERVAL: Duration = Duration::from_secs(1);
const IDLE_WAIT_MAX: Duration = Duration::from_secs(60);

/// The processes whose resources are measured.
#[derive(Clone, Debug)]
pub struct ProcessMeter {
    server: u32,
    postmaster: Option<u32>,
}

/// Processor time in milliseconds since the processes started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CpuTime {
    pub server: u64,
    pub postgres: u64,
}

impl CpuTime {
    pub fn since(self, earlier: CpuTime) -> CpuTime {
        CpuTime {
            server: self.server.saturating_sub(earlier.server),
            postgres: self.postgres.saturating_sub(earlier.postgres),
        }
    }

    pub fn total_ms(self) -> u64 {
        self.server + self.postgres
    }
}

impl ProcessMeter {
    pub fn of_server(server_process: &ServerProcess) -> Result<ProcessMeter> {
        Ok(ProcessMeter {
            server: server_process.pid().context("the server is external")?,
            postmaster: server_process.postmaster_pid(),
        })
    }

    /// Returns a meter for this process in place of the server, and the same Postgres.
    pub fn of_this_process(&self) -> ProcessMeter {
        ProcessMeter {
            server: std::process::id(),
            ..self.clone()
        }
    }

    pub fn cpu_time(&self) -> Result<CpuTime> {
        let (own, _) = cpu_ms(self.server).context("the server's own figures")?;
        let postgres = self.postmaster.map_or(0, |postmaster| {
            let process_tree = child_processes(postmaster)
                .into_iter()
                .filter_map(|child| cpu_ms(child).map(|(own, _)| own));
            // The time of child processes that have ended is included in their parent's.
            process_tree.sum::<u64>() + cpu_ms(postmaster).map_or(0, |(own, ended)| own + ended)
        });
        Ok(CpuTime {
            server: own,
            postgres,
        })
    }

    /// Waits until the processes use hardly any processor time, because background work is then
    /// done.
    pub async fn wait_until_idle(&self) -> Result<()> {
        let started_at = Instant::now();
        loop {
            let before = self.cpu_time()?;
            tokio::time::sleep(IDLE_CHECK_INTERVAL).await;
            if self.cpu_time()?.since(before).total_ms() <= IDLE_CPU_MS_MAX
                || started_at.elapsed() > IDLE_WAIT_MAX
            {
                return Ok(());
            }
        }
    }

    /// Returns the resident memory of the server's process in kilobytes.
    pub fn resident_kb(&self) -> Result<f64> {
        resident_kb(self.server)
    }
}

/// Records the memory of the server once a second until `stop` is set, as pairs of seconds since
/// the start and megabytes. Records nothing while the server is down, or if it is external.
pub async fn record_memory(
    server_process: Arc<Mutex<ServerProcess>>,
    started: Instant,
    mut stop: watch::Receiver<bool>,
) -> Vec<(f64, f64)> {
    let mut samples = Vec::new();
    while tokio::time::timeout(MEMORY_SAMPLE_INTERVAL, stop.wait_for(|stop| *stop))
        .await
        .is_err()
    {
        let server = server_process.lock().await.pid();
        if let Some(resident) = server.and_then(|server| resident_kb(server).ok()) {
            samples.push((started.elapsed().as_secs_f64(), resident / 1024.0));
        }
    }
    samples
}

/// Returns a table of the server's memory: at the start, after each quarter of the run, and the
/// maximum. `None` for an external server.
pub fn memory_table(samples: &[(f64, f64)]) -> Option<Table> {
    let last = samples.len().checked_sub(1)?;
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
    let most = samples
        .iter()
        .map(|(_, megabytes)| *megabytes)
        .fold(0.0, f64::max);
    let quarters = (0..=4)
        .map(|quarter| samples[last * quarter / 4].1)
        .chain([most]);
    table.add_row(
        ["server".to_owned()]
            .into_iter()
            .chain(quarters.map(|megabytes| format!("{megabytes:.0}"))),
    );
    Some(table)
}

/// Returns the resident memory of a process in kilobytes, read from `/proc`.
fn resident_kb(pid: u32) -> Result<f64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .context("no VmRSS")?;
    Ok(line.trim().trim_end_matches(" kB").parse()?)
}

/// Returns the processor time of a process and that of its ended child processes, in milliseconds.
fn cpu_ms(pid: u32) -> Option<(u64, u64)> {
    parse_cpu_ms(&std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// Parses `/proc/PID/stat` and returns processor milliseconds: of the process, and of its ended
/// child processes. The process name is in parentheses and may contain anything. After it come the
/// state and then numbers.
fn parse_cpu_ms(stat: &str) -> Option<(u64, u64)> {
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

fn child_processes(parent: u32) -> Vec<u32> {
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
    fn process_name_with_spaces_does_not_shift_fields() {
        let stat = "42 (postgres: w (x) y) S 1 42 42 0 -1 4194560 9 8 7 6 150 50 3 2 20 0 1 0 100";
        assert_eq!(parse_cpu_ms(stat), Some((2_000, 50)));
        assert_eq!(parse_cpu_ms("42 (cut"), None);
    }

    #[test]
    fn memory_table_shows_quarters_and_maximum() {
        let samples = [1.0, 2.0, 9.0, 4.0, 5.0].map(|megabytes| (0.0, megabytes));
        let table = memory_table(&samples).expect("a table");
        assert_eq!(table.rows[1], ["server", "1", "2", "9", "4", "5", "9"]);
        assert!(memory_table(&[]).is_none());
    }

    #[test]
    fn memory_of_this_process_is_read() {
        assert!(resident_kb(std::process::id()).expect("our own") > 0.0);
    }
}
