//! The hand of the crash loop: which blow falls when, and how long the house needs to stand again.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use nix::sys::signal::Signal;
use persistence::disturbance::Disturbance;
use tokio::sync::Mutex;

use super::since;
use crate::latency::millis;
use crate::plan::Dice;
use crate::subject::Subject;

/// A server that does not stand after this long stands no more.
const STANDS_SECONDS_MAX: u64 = 90;
/// Readiness may need a moment to notice what happened to Postgres.
const NOTICES: Duration = Duration::from_millis(300);
const FROZEN: Duration = Duration::from_secs(4);
const CROWDED: Duration = Duration::from_secs(3);

/// One round's blows.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    pub kills: u32,
    pub every: Duration,
    pub seed: u64,
}

/// What falls on the house. The first three kill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Blow {
    Server,
    /// `kill -9` of the postmaster: its children go, its memory is lost, its log is replayed.
    Postgres,
    /// "Immediate" stop: nobody says goodbye, nothing is written down.
    PostgresAtOnce,
    /// Every connection is cut, again and again.
    Cut,
    /// Somebody else takes every connection there is.
    Crowded,
    /// Postgres hangs: it holds every connection and answers nobody.
    Frozen,
}

impl Blow {
    const KILLS: [Blow; 12] = [
        Blow::Server,
        Blow::Server,
        Blow::Postgres,
        Blow::Server,
        Blow::Server,
        Blow::Server,
        Blow::Server,
        Blow::Server,
        Blow::PostgresAtOnce,
        Blow::Server,
        Blow::Server,
        Blow::Server,
    ];
    const STORMS: [Blow; 3] = [Blow::Cut, Blow::Crowded, Blow::Frozen];
}

/// What the hand did, and how long the house needed.
#[derive(Clone, Debug, Default)]
pub struct Struck {
    pub server: u32,
    pub postgres: u32,
    pub cut: u32,
    pub crowded: u32,
    pub frozen: u32,
    /// Milliseconds from the blow to ready.
    pub server_ready_ms: Vec<f64>,
    pub postgres_ready_ms: Vec<f64>,
    pub storm_ready_ms: Vec<f64>,
}

impl Struck {
    pub fn kills(&self) -> u32 {
        self.server + self.postgres
    }

    pub fn storms(&self) -> String {
        format!(
            "{} × every connection cut, {} × none left, {} × Postgres hung",
            self.cut, self.crowded, self.frozen
        )
    }
}

/// Strikes until there were so many kills; a storm after every eighth.
pub async fn strike(subject: &Arc<Mutex<Subject>>, plan: Plan, struck: &mut Struck) -> Result<()> {
    let mut dice = Dice::of(plan.seed, 0xC4A5);
    let every = u64::try_from(plan.every.as_millis())?;
    for kill in 0..plan.kills {
        tokio::time::sleep(Duration::from_millis(
            dice.between(every * 3 / 4, every * 5 / 4),
        ))
        .await;
        let blow = Blow::KILLS[dice.below(Blow::KILLS.len() as u64) as usize];
        land(&mut *subject.lock().await, blow, struck)
            .await
            .with_context(|| format!("{blow:?}"))?;
        if kill % 8 == 7 {
            tokio::time::sleep(Duration::from_millis(dice.between(every / 4, every / 2))).await;
            let storm = Blow::STORMS[dice.below(Blow::STORMS.len() as u64) as usize];
            land(&mut *subject.lock().await, storm, struck)
                .await
                .with_context(|| format!("{storm:?}"))?;
        }
    }
    Ok(())
}

async fn land(subject: &mut Subject, blow: Blow, struck: &mut Struck) -> Result<()> {
    let stands = Duration::from_secs(STANDS_SECONDS_MAX);
    let began = Instant::now();
    match blow {
        Blow::Server => {
            subject.kill().await?;
            struck.server += 1;
            struck
                .server_ready_ms
                .push(millis(subject.restart(stands).await?));
            return Ok(());
        }
        Blow::Postgres | Blow::PostgresAtOnce => {
            let signal = if blow == Blow::Postgres {
                Signal::SIGKILL
            } else {
                Signal::SIGQUIT
            };
            if !subject.signal_postgres(signal)? {
                bail!("no Postgres to kill: is the server's database in its own folder?");
            }
            struck.postgres += 1;
            tokio::time::sleep(NOTICES).await;
            subject.ready(stands).await?;
            struck.postgres_ready_ms.push(since(began));
            return Ok(());
        }
        Blow::Cut => {
            struck.cut += 1;
            disturbance(subject)?
                .cut(20, Duration::from_millis(100))
                .await?;
        }
        Blow::Crowded => {
            struck.crowded += 1;
            disturbance(subject)?.crowd(CROWDED).await?;
        }
        Blow::Frozen => {
            struck.frozen += 1;
            subject.freeze_postgres(FROZEN).await?;
        }
    }
    let began = Instant::now();
    subject.ready(stands).await?;
    struck.storm_ready_ms.push(since(began));
    Ok(())
}

fn disturbance(subject: &Subject) -> Result<Disturbance> {
    Ok(Disturbance::of(
        &subject.access().context("our own books")?.url,
    )?)
}
