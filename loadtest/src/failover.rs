//! Runs two nodes on one Postgres and injects faults into one of them while people buy. Measures
//! how long it takes until the other node answers for the draws. Checks that no stale write was
//! accepted and no purchase failed.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use persistence::auditor::Auditor;

use crate::audit::AuditCheck;
use crate::latency::{Percentiles, duration_ms};
use crate::report::{Report, Table};
use buyer::FailoverBuyer;
use cluster::Cluster;
use network::PacketLoss;

mod board;
mod buyer;
mod cluster;
mod network;
mod smtp_sink;

/// Time limit of a purchase. A purchase that takes longer counts as failed.
pub const RETRY_TIMEOUT: Duration = Duration::from_secs(30);
/// Pause after packet loss, before the next fault.
const PAUSE_AFTER_PACKET_LOSS: Duration = Duration::from_secs(5);
/// How long after the load an order may stay undecided.
const ORDER_OUTCOME_TIMEOUT: Duration = Duration::from_secs(60);
/// Maximum milliseconds until a node answers after a crash (reliability.md, section 6.5).
const CRASH_RECOVERY_MS_MAX: f64 = 1_000.0;
/// Maximum milliseconds until a node answers after a hang or a network fault (reliability.md,
/// section 6.5).
const HANG_OR_NETWORK_RECOVERY_MS_MAX: f64 = 6_500.0;

#[derive(Args, Clone, Debug)]
pub struct FailoverArgs {
    /// How often each fault is injected.
    #[arg(long, default_value_t = 3)]
    rounds: u32,
    /// Number of concurrent buyers.
    #[arg(long, default_value_t = 3)]
    buyers: usize,
    /// Faults to inject. All if none are given.
    #[arg(long, value_enum)]
    only: Vec<Fault>,
    /// Folder to which the logs of the nodes are copied.
    #[arg(long)]
    logs: Option<PathBuf>,
    #[arg(long, default_value = "failover.html")]
    report: PathBuf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Fault {
    /// `kill -9` of the node that owns the draws.
    Kill,
    /// The owning node is stopped by SIGSTOP. It continues by SIGCONT after another node has taken
    /// over.
    Hang,
    /// The network link of the owning node goes down, and later up again.
    Link,
    /// The link of the owning node loses 30 % of its packets. If the kernel has netem, the others
    /// are delayed by 200 ms.
    Loss,
    /// Postgres is stopped and started again.
    Database,
    /// Each node in turn gets SIGTERM and is replaced by a new one.
    Roll,
}

impl FailoverArgs {
    pub fn report_file(&self) -> &PathBuf {
        &self.report
    }
}

/// The outcome of one injected fault.
struct FailoverOutcome {
    fault: Fault,
    answered: Duration,
    boards: Duration,
    /// The failed attempts before a node answered, as text.
    refusals: Vec<String>,
}

impl FailoverOutcome {
    fn exceeds_recovery_limit(&self) -> bool {
        duration_ms(self.answered) > recovery_limit_ms(self.fault)
    }
}

pub async fn run_subcommand(failover: &FailoverArgs) -> Result<Report> {
    let mut cluster = Cluster::build().await?;
    let outcome = run_failover(failover, &mut cluster).await;
    cluster.close(failover.logs.as_deref()).await?;
    outcome
}

async fn run_failover(failover: &FailoverArgs, cluster: &mut Cluster) -> Result<Report> {
    let mut faults = vec![
        Fault::Kill,
        Fault::Hang,
        Fault::Link,
        Fault::Loss,
        Fault::Database,
        Fault::Roll,
    ];
    if !cluster.has_linked_network() {
        println!("Without CAP_NET_ADMIN there are no links to cut: link and loss are left out.");
        faults.retain(|fault| !matches!(fault, Fault::Link | Fault::Loss));
    }
    if cluster.has_linked_network() && cluster.packet_loss().is_none() {
        println!("Neither netem nor nft is here, so no link loses packets: loss is left out.");
        faults.retain(|fault| *fault != Fault::Loss);
    }
    faults.retain(|fault| failover.only.is_empty() || failover.only.contains(fault));
    let crowd = BuyerTasks::start(cluster, failover.buyers);
    let mut outcomes = Vec::new();
    for round in 1..=failover.rounds {
        for fault in &faults {
            let one = cluster
                .inject_and_recover(*fault)
                .await
                .with_context(|| format!("round {round}, {fault:?}"))?;
            println!(
                "{round:>3} {fault:?}: answered after {:.0} ms, boards after {:.0} ms",
                duration_ms(one.answered),
                duration_ms(one.boards)
            );
            if one.exceeds_recovery_limit() {
                one.refusals
                    .iter()
                    .for_each(|message| println!("      {message}"));
            }
            outcomes.push(one);
        }
    }
    let (bought, failed) = crowd.stop_and_collect().await;
    let mut report = Report {
        title: "Fail-over of two nodes".to_owned(),
        ..Report::default()
    };
    report.add_fact("rounds", failover.rounds);
    report.add_fact("purchases and reservations served", bought);
    if faults.contains(&Fault::Loss) {
        let delay = if cluster.packet_loss() == Some(PacketLoss::Netem) {
            "the rest 200 ms late"
        } else {
            "none late: no netem"
        };
        report.add_fact("lost packets", format!("three in ten each way, {delay}"));
    }
    report_outcomes(&mut report, &faults, &outcomes);
    let examined = bought as usize + failed.len();
    report
        .checks
        .push(AuditCheck::new("no purchase failed", examined, failed));
    audit_cluster(cluster, &mut report).await?;
    Ok(report)
}

impl Cluster {
    /// Injects one fault into the node that owns the draws, and waits for recovery. Returns what
    /// was measured.
    async fn inject_and_recover(&mut self, fault: Fault) -> Result<FailoverOutcome> {
        let started = Instant::now();
        let victim = self.owner;
        if fault == Fault::Roll {
            self.restart_each_node().await?;
            return Ok(FailoverOutcome {
                fault,
                answered: Duration::ZERO,
                boards: Duration::ZERO,
                refusals: Vec::new(),
            });
        }
        self.inject_fault(victim, fault).await?;
        let survivor = if fault == Fault::Database {
            victim
        } else {
            1 - victim
        };
        let (revision, refusals) = self.wait_for_answer(survivor).await?;
        let answered = started.elapsed();
        let boards = self
            .boards
            .wait_until_revision_shown(revision, started)
            .await?;
        self.undo_fault(victim, fault)?;
        self.find_draw_owner().await?;
        if fault == Fault::Loss {
            // The node that had packet loss must survive the next fault. It reports no other node
            // as dead until its own database link has worked for a while.
            tokio::time::sleep(PAUSE_AFTER_PACKET_LOSS).await;
        }
        Ok(FailoverOutcome {
            fault,
            answered,
            boards,
            refusals,
        })
    }
}

impl Cluster {
    /// Requests the probe draw (used only for measuring) from a node until it succeeds. Each
    /// attempt has a new browser. Returns the draw's revision, and the failed attempts.
    async fn wait_for_answer(&self, node: usize) -> Result<(u64, Vec<String>)> {
        let (started, mut refusals) = (Instant::now(), Vec::new());
        loop {
            match self
                .new_buyer(&[node])?
                .reserve_and_release(self.probe, Duration::ZERO)
                .await
            {
                Ok(revision) => return Ok((revision, refusals)),
                Err(why) if started.elapsed() > RETRY_TIMEOUT * 2 => return Err(why),
                Err(why) => {
                    refusals.push(format!("{:.0} ms: {why:#}", duration_ms(started.elapsed())));
                }
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }
}

/// The tasks of buyers who keep buying until they are stopped.
struct BuyerTasks {
    stop: Arc<AtomicBool>,
    served: Arc<AtomicU32>,
    tasks: Vec<tokio::task::JoinHandle<Vec<String>>>,
}

impl BuyerTasks {
    fn start(cluster: &Cluster, buyers: usize) -> BuyerTasks {
        let (stop, served) = (
            Arc::new(AtomicBool::new(false)),
            Arc::new(AtomicU32::new(0)),
        );
        let mut tasks = Vec::new();
        for number in 0..buyers {
            let (stop, served, draws, addresses) = (
                stop.clone(),
                served.clone(),
                cluster.draws.clone(),
                cluster.addresses(),
            );
            tasks.push(tokio::spawn(async move {
                let mut failed = Vec::new();
                for turn in number.. {
                    if stop.load(Ordering::Relaxed) {
                        break;
                    }
                    let draw = draws[turn % draws.len()];
                    let shop = async {
                        FailoverBuyer::new(&addresses, &[turn % 2, (turn + 1) % 2])?
                            .buy_or_release(draw, turn, RETRY_TIMEOUT)
                            .await
                    };
                    match shop.await {
                        Ok(()) => _ = served.fetch_add(1, Ordering::Relaxed),
                        Err(why) => failed.push(format!("buyer {number}: {why:#}")),
                    }
                    // A pause, because the server's rate limits count by client address and all
                    // these buyers have the same one.
                    tokio::time::sleep(Duration::from_millis(400)).await;
                }
                failed
            }));
        }
        BuyerTasks {
            stop,
            served,
            tasks,
        }
    }

    async fn stop_and_collect(self) -> (u32, Vec<String>) {
        self.stop.store(true, Ordering::Relaxed);
        let mut failed = Vec::new();
        for buyer_task in self.tasks {
            failed.extend(buyer_task.await.unwrap_or_else(|why| vec![why.to_string()]));
        }
        (self.served.load(Ordering::Relaxed), failed)
    }
}

/// Returns the maximum recovery time for a fault, in milliseconds. There is no limit for the
/// database, because the product does not control how fast it starts.
fn recovery_limit_ms(fault: Fault) -> f64 {
    match fault {
        Fault::Kill => CRASH_RECOVERY_MS_MAX,
        Fault::Hang | Fault::Link | Fault::Loss => HANG_OR_NETWORK_RECOVERY_MS_MAX,
        Fault::Database | Fault::Roll => f64::INFINITY,
    }
}

fn report_outcomes(report: &mut Report, faults: &[Fault], outcomes: &[FailoverOutcome]) {
    let mut table = Table::new(
        "Until another answered (milliseconds)",
        &["", "times", "p50", "p99", "longest", "boards"],
    );
    for fault in faults.iter().filter(|fault| **fault != Fault::Roll) {
        let struck: Vec<&FailoverOutcome> =
            outcomes.iter().filter(|one| one.fault == *fault).collect();
        let figures =
            Percentiles::of_sample(struck.iter().map(|one| duration_ms(one.answered)).collect());
        let boards = struck
            .iter()
            .map(|one| duration_ms(one.boards))
            .fold(0.0, f64::max);
        table.add_row([
            format!("{fault:?}"),
            figures.count.to_string(),
            format!("{:.0}", figures.p50),
            format!("{:.0}", figures.p99),
            format!("{:.0}", figures.most),
            format!("{boards:.0}"),
        ]);
        let limit = recovery_limit_ms(*fault);
        let late = struck.iter().filter(|one| one.exceeds_recovery_limit());
        let late = late
            .map(|one| format!("{fault:?}: {:.0} ms", duration_ms(one.answered)))
            .collect();
        report.checks.push(AuditCheck::new(
            format!("after {fault:?} another answered within {limit} ms"),
            struck.len(),
            late,
        ));
        let dark = struck
            .iter()
            .filter(|one| one.boards > Duration::from_secs(30));
        let dark = dark
            .map(|one| format!("{fault:?}: {:.0} ms", duration_ms(one.boards)))
            .collect();
        report.checks.push(AuditCheck::new(
            format!("after {fault:?} boards were back within 30 s"),
            struck.len(),
            dark,
        ));
    }
    report.tables.push(table);
}

/// Audits the database after the load has ended.
async fn audit_cluster(cluster: &Cluster, report: &mut Report) -> Result<()> {
    let auditor = Auditor::open(&cluster.database_url()).await?;
    let waiting_since = Instant::now();
    while !auditor.paid_orders_in_progress().await?.is_empty()
        && waiting_since.elapsed() < ORDER_OUTCOME_TIMEOUT
    {
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    let undecided = auditor.paid_orders_in_progress().await?;
    let lines = undecided
        .iter()
        .map(|(order, state, age)| format!("order {order} is {state} since {age} s"))
        .collect();
    report.checks.push(AuditCheck::new(
        "no authorised order is undecided",
        undecided.len(),
        lines,
    ));
    let stale_writes = auditor.commits_with_stale_epoch().await?;
    report.add_fact("zombie writes accepted", stale_writes.len());
    let lines = stale_writes
        .iter()
        .map(|(draw, revision)| format!("FD-{draw}, revision {revision}"))
        .collect();
    report.checks.push(AuditCheck::new(
        "no write after a newer owner's",
        stale_writes.len(),
        lines,
    ));
    let draws = auditor.draw_totals().await?;
    let differs = draws
        .iter()
        .filter(|draw| draw.tickets != draw.sold)
        .map(|draw| format!("{draw:?}"))
        .collect();
    report.checks.push(AuditCheck::new(
        "each draw has as many tickets as it says",
        draws.len(),
        differs,
    ));
    let store = cluster.open_store().await?;
    let rows = store.violations().await?;
    let lines = rows
        .into_iter()
        .map(|row| format!("{}: {}", row.invariant, row.object))
        .collect();
    report.checks.push(AuditCheck::new(
        "every invariant has zero rows",
        draws.len(),
        lines,
    ));
    Ok(())
}
