//! Trouble made on purpose: the sandbox's faults, and a hand that kills the server and its Postgres.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::json;
use tokio::sync::{Mutex, watch};

use crate::browser::{Browser, Request};
use crate::latency::{Call, millis};
use crate::plan::Dice;
use crate::subject::Subject;

/// What the sandbox does wrong; all figures are percentages.
#[derive(Clone, Copy, Debug, Default)]
pub struct SandboxFaults {
    pub webhooks_lost: u32,
    pub webhooks_doubled: u32,
    pub webhooks_late: u32,
    /// Answers of the provider that never arrive although the effect happened, or fail before it did.
    pub timeouts: u32,
    pub errors: u32,
}

impl SandboxFaults {
    /// Ordinary bad luck: the provider answers, but its webhooks get lost, doubled and overtaken.
    pub fn of_webhooks() -> Self {
        Self {
            webhooks_lost: 20,
            webhooks_doubled: 20,
            webhooks_late: 10,
            ..Self::default()
        }
    }

    /// A bad day: the provider itself breaks connections and answers with errors, too.
    pub fn everywhere() -> Self {
        Self {
            timeouts: 2,
            errors: 2,
            ..Self::of_webhooks()
        }
    }
}

/// Tells the sandbox what to do wrong from now on.
pub async fn set(browser: &Browser, seed: u64, faults: SandboxFaults) -> Result<()> {
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
        .ask(Call::Club, &Request::post("/sandbox/faults", body))
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

/// How often the hand strikes.
#[derive(Clone, Copy, Debug)]
pub struct Blows {
    pub every: Duration,
    /// How often Postgres is hit; every second blow until done.
    pub postgres: u32,
    pub seed: u64,
}

/// What the hand did, and how long the house needed to stand again.
#[derive(Clone, Debug, Default)]
pub struct Struck {
    pub server: u32,
    pub postgres: u32,
    /// Milliseconds from the restart to ready.
    pub server_ready_ms: Vec<f64>,
    pub postgres_ready_ms: Vec<f64>,
    /// The server did not get over Postgres' death by itself and had to be started again.
    pub stuck_after_postgres: u32,
}

/// Strikes until `stop`, and then until Postgres has had its blows.
pub async fn strike(
    subject: Arc<Mutex<Subject>>,
    blows: Blows,
    stop: watch::Receiver<bool>,
) -> Result<Struck> {
    let mut struck = Struck::default();
    let mut dice = Dice::of(blows.seed, 0xB10);
    let every = u64::try_from(blows.every.as_millis())?;
    for blow in 1_u32.. {
        let pause = Duration::from_millis(dice.between(every * 3 / 4, every * 5 / 4));
        let mut stopping = stop.clone();
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            _ = stopping.wait_for(|stop| *stop), if struck.postgres >= blows.postgres => break,
        }
        let mut subject = subject.lock().await;
        if blow % 2 == 0 && struck.postgres < blows.postgres {
            strike_postgres(&mut subject, &mut struck).await?;
        } else {
            subject.kill().await?;
            struck.server += 1;
            struck
                .server_ready_ms
                .push(millis(subject.restart(Duration::from_secs(60)).await?));
        }
    }
    Ok(struck)
}

async fn strike_postgres(subject: &mut Subject, struck: &mut Struck) -> Result<()> {
    if !subject.kill_postgres()? {
        bail!("no Postgres to kill: is the server's database in its own folder?");
    }
    struck.postgres += 1;
    let started = Instant::now();
    // Readiness may need a moment to notice; only what comes after the notice counts.
    tokio::time::sleep(Duration::from_millis(300)).await;
    if subject.ready(Duration::from_secs(20)).await.is_err() {
        struck.stuck_after_postgres += 1;
        subject.kill().await?;
        subject.restart(Duration::from_secs(60)).await?;
    }
    struck.postgres_ready_ms.push(millis(started.elapsed()));
    Ok(())
}
