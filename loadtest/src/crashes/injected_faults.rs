//! Fault injection for the crash loop: chooses which fault is injected when, and measures the
//! recovery time.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use nix::sys::signal::Signal;
use tokio::sync::Mutex;

use super::connection_faults::ConnectionFaults;
use super::ms_since;
use crate::crowd_plan::SeededRng;
use crate::latency::duration_ms;
use crate::server_process::ServerProcess;

/// Time limit for the recovery from a fault. A server that is not ready by then counts as failed.
const READY_SECONDS_MAX: u64 = 90;
/// Pause between a stop of Postgres and the readiness check, because the server needs a moment to
/// notice the stop.
const PAUSE_UNTIL_FAULT_IS_NOTICED: Duration = Duration::from_millis(300);
const POSTGRES_PAUSE_DURATION: Duration = Duration::from_secs(4);
const CONNECTIONS_TAKEN_DURATION: Duration = Duration::from_secs(3);

/// The faults that are injected in one round, and their timing.
#[derive(Clone, Copy, Debug)]
pub struct CrashSchedule {
    pub kills: u32,
    pub every: Duration,
    pub seed: u64,
}

/// A fault of the crash loop. The first three kinds end the server or Postgres. The others leave
/// both processes alive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum InjectedFault {
    Server,
    /// `kill -9` of the main Postgres process. Its child processes end, its memory is lost, and its
    /// log is replayed at the next start.
    Postgres,
    /// Immediate shutdown of Postgres: without a checkpoint, and without a message to clients.
    PostgresImmediateStop,
    /// All database connections are ended, several times.
    CutConnections,
    /// Another client occupies every free database connection.
    TakeConnections,
    /// Postgres is paused: it keeps all connections and answers none.
    PausePostgres,
}

impl InjectedFault {
    const KILLING_FAULTS: [InjectedFault; 12] = [
        InjectedFault::Server,
        InjectedFault::Server,
        InjectedFault::Postgres,
        InjectedFault::Server,
        InjectedFault::Server,
        InjectedFault::Server,
        InjectedFault::Server,
        InjectedFault::Server,
        InjectedFault::PostgresImmediateStop,
        InjectedFault::Server,
        InjectedFault::Server,
        InjectedFault::Server,
    ];
    const FAULTS_WITHOUT_KILL: [InjectedFault; 3] = [
        InjectedFault::CutConnections,
        InjectedFault::TakeConnections,
        InjectedFault::PausePostgres,
    ];
}

/// Numbers of injected faults, with their recovery times.
#[derive(Clone, Debug, Default)]
pub struct CrashStats {
    pub server: u32,
    pub postgres: u32,
    pub cut: u32,
    pub crowded: u32,
    pub frozen: u32,
    /// For each kill of the server, the milliseconds from its restart until it was ready.
    pub server_ready_ms: Vec<f64>,
    pub postgres_ready_ms: Vec<f64>,
    pub disturbance_ready_ms: Vec<f64>,
}

impl CrashStats {
    pub fn kill_count(&self) -> u32 {
        self.server + self.postgres
    }

    pub fn describe_other_faults(&self) -> String {
        format!(
            "{} × every connection cut, {} × none left, {} × Postgres hung",
            self.cut, self.crowded, self.frozen
        )
    }
}

/// Injects faults until the planned number of kills is reached. Every eighth kill is followed by a
/// fault that kills nothing.
pub async fn inject_faults(
    server_process: &Arc<Mutex<ServerProcess>>,
    plan: CrashSchedule,
    crash_stats: &mut CrashStats,
) -> Result<()> {
    let mut rng = SeededRng::new(plan.seed, 0xC4A5);
    let every = u64::try_from(plan.every.as_millis())?;
    for kill in 0..plan.kills {
        tokio::time::sleep(Duration::from_millis(
            rng.random_between(every * 3 / 4, every * 5 / 4),
        ))
        .await;
        let injected_fault = InjectedFault::KILLING_FAULTS
            [rng.random_below(InjectedFault::KILLING_FAULTS.len() as u64) as usize];
        inject_fault(
            &mut *server_process.lock().await,
            injected_fault,
            crash_stats,
        )
        .await
        .with_context(|| format!("{injected_fault:?}"))?;
        if kill % 8 == 7 {
            tokio::time::sleep(Duration::from_millis(
                rng.random_between(every / 4, every / 2),
            ))
            .await;
            let extra_fault = InjectedFault::FAULTS_WITHOUT_KILL
                [rng.random_below(InjectedFault::FAULTS_WITHOUT_KILL.len() as u64) as usize];
            inject_fault(&mut *server_process.lock().await, extra_fault, crash_stats)
                .await
                .with_context(|| format!("{extra_fault:?}"))?;
        }
    }
    Ok(())
}

async fn inject_fault(
    server_process: &mut ServerProcess,
    injected_fault: InjectedFault,
    crash_stats: &mut CrashStats,
) -> Result<()> {
    let ready_timeout = Duration::from_secs(READY_SECONDS_MAX);
    let started_at = Instant::now();
    match injected_fault {
        InjectedFault::Server => {
            server_process.kill().await?;
            crash_stats.server += 1;
            crash_stats
                .server_ready_ms
                .push(duration_ms(server_process.restart(ready_timeout).await?));
            return Ok(());
        }
        InjectedFault::Postgres | InjectedFault::PostgresImmediateStop => {
            let signal = if injected_fault == InjectedFault::Postgres {
                Signal::SIGKILL
            } else {
                Signal::SIGQUIT
            };
            if !server_process.signal_postgres(signal)? {
                bail!("no Postgres to kill: is the server's database in its own folder?");
            }
            crash_stats.postgres += 1;
            tokio::time::sleep(PAUSE_UNTIL_FAULT_IS_NOTICED).await;
            server_process.wait_until_ready(ready_timeout).await?;
            crash_stats.postgres_ready_ms.push(ms_since(started_at));
            return Ok(());
        }
        InjectedFault::CutConnections => {
            crash_stats.cut += 1;
            connection_faults(server_process)?
                .end_all_connections(20, Duration::from_millis(100))
                .await?;
        }
        InjectedFault::TakeConnections => {
            crash_stats.crowded += 1;
            connection_faults(server_process)?
                .occupy_connections(CONNECTIONS_TAKEN_DURATION)
                .await?;
        }
        InjectedFault::PausePostgres => {
            crash_stats.frozen += 1;
            server_process
                .pause_postgres(POSTGRES_PAUSE_DURATION)
                .await?;
        }
    }
    let started_at = Instant::now();
    server_process.wait_until_ready(ready_timeout).await?;
    crash_stats.disturbance_ready_ms.push(ms_since(started_at));
    Ok(())
}

fn connection_faults(server_process: &ServerProcess) -> Result<ConnectionFaults> {
    ConnectionFaults::from_url(
        &server_process
            .database_access()
            .context("the server's database")?
            .url,
    )
}
