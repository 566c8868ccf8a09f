//! Injected faults: wrong behaviour of the payment sandbox, and kills of the server and its
//! Postgres.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::json;
use tokio::sync::{Mutex, watch};

use crate::browser::{Browser, Request};
use crate::crowd_plan::SeededRng;
use crate::latency::{CallKind, duration_ms};
use crate::server_process::ServerProcess;

/// How often the sandbox misbehaves in each way, in percent.
#[derive(Clone, Copy, Debug, Default)]
pub struct SandboxFaults {
    pub webhooks_lost: u32,
    pub webhooks_doubled: u32,
    pub webhooks_late: u32,
    /// Percentage of provider calls that time out, before or after their effect.
    pub timeouts: u32,
    pub errors: u32,
}

impl SandboxFaults {
    /// Returns rates with which only webhooks are lost, doubled or delayed.
    pub fn webhook_faults() -> Self {
        Self {
            webhooks_lost: 20,
            webhooks_doubled: 20,
            webhooks_late: 10,
            ..Self::default()
        }
    }

    /// Returns rates with which the provider also times out and responds with errors.
    pub fn all_faults() -> Self {
        Self {
            timeouts: 2,
            errors: 2,
            ..Self::webhook_faults()
        }
    }
}

/// Sets the fault rates of the sandbox.
pub async fn set_sandbox_faults(browser: &Browser, seed: u64, faults: SandboxFaults) -> Result<()> {
    let share = |percent: u32| f64::from(percent) / 100.0;
    let body = json!({
        "seed": seed,
        "rates": {
            "timeout-before": share(faults.timeouts) / 2.0,
            "timeout-after": share(faults.timeouts) / 2.0,
            "error-500": share(faults.errors) / 2.0,
            "rate-limit": share(faults.errors) / 2.0,
        },
        "hang_ms": 500,
        "webhook": {
            "lost": share(faults.webhooks_lost),
            "doubled": share(faults.webhooks_doubled),
            "reordered": share(faults.webhooks_late),
            "late_ms": if faults.webhooks_late > 0 { 3000 } else { 0 },
        },
    });
    let answer = browser
        .send_with_retries(CallKind::Club, &Request::post("/sandbox/faults", body))
        .await
        .context("no sandbox")?;
    if !answer.ok() {
        bail!(
            "the sandbox refused the faults: {} {}",
            answer.status,
            answer.body
        );
    }
    Ok(())
}

/// How often the server and Postgres are killed.
#[derive(Clone, Copy, Debug)]
pub struct KillSchedule {
    pub every: Duration,
    /// Number of kills of Postgres. Until this number is reached, every second kill is a kill of
    /// Postgres.
    pub postgres: u32,
    pub seed: u64,
}

/// Numbers of kills, with the recovery times.
#[derive(Clone, Debug, Default)]
pub struct KillStats {
    pub server: u32,
    pub postgres: u32,
    /// For each kill of the server, the milliseconds from its restart until it was ready.
    pub server_ready_ms: Vec<f64>,
    pub postgres_ready_ms: Vec<f64>,
    /// How often the server did not recover from a kill of Postgres, so that it had to be
    /// restarted.
    pub stuck_after_postgres: u32,
}

/// Kills processes until `stop` is set and Postgres was killed as often as planned.
pub async fn kill_processes_repeatedly(
    server_process: Arc<Mutex<ServerProcess>>,
    kill_schedule: KillSchedule,
    stop: watch::Receiver<bool>,
) -> Result<KillStats> {
    let mut kill_stats = KillStats::default();
    let mut rng = SeededRng::new(kill_schedule.seed, 0xB10);
    let every = u64::try_from(kill_schedule.every.as_millis())?;
    for kill_number in 1_u32.. {
        let pause = Duration::from_millis(rng.random_between(every * 3 / 4, every * 5 / 4));
        let mut stop_receiver = stop.clone();
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            _ = stop_receiver.wait_for(|stop| *stop), if kill_stats.postgres >= kill_schedule.postgres => break,
        }
        let mut server_process = server_process.lock().await;
        if kill_number % 2 == 0 && kill_stats.postgres < kill_schedule.postgres {
            kill_postgres_once(&mut server_process, &mut kill_stats).await?;
        } else {
            server_process.kill().await?;
            kill_stats.server += 1;
            kill_stats.server_ready_ms.push(duration_ms(
                server_process.restart(Duration::from_secs(60)).await?,
            ));
        }
    }
    Ok(kill_stats)
}

async fn kill_postgres_once(
    server_process: &mut ServerProcess,
    kill_stats: &mut KillStats,
) -> Result<()> {
    if !server_process.kill_postgres()? {
        bail!("no Postgres to kill: is the server's database in its own folder?");
    }
    kill_stats.postgres += 1;
    let started = Instant::now();
    // The server needs a moment to notice that Postgres is gone. Only the time after this pause
    // counts.
    tokio::time::sleep(Duration::from_millis(300)).await;
    if server_process
        .wait_until_ready(Duration::from_secs(20))
        .await
        .is_err()
    {
        kill_stats.stuck_after_postgres += 1;
        server_process.kill().await?;
        server_process.restart(Duration::from_secs(60)).await?;
    }
    kill_stats
        .postgres_ready_ms
        .push(duration_ms(started.elapsed()));
    Ok(())
}
