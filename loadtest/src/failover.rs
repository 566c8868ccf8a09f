//! Two nodes on one Postgres, and what may happen to one of them while people buy: how long until the other answers for its
//! draws, whether a ghost ever wrote, and whether anybody's purchase failed.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use persistence::auditor::Auditor;

use crate::audit::Check;
use crate::latency::{Percentiles, millis};
use crate::report::{Report, Table};
use net::Loses;
use shopper::Shopper;
use town::Town;

mod board;
mod net;
mod post_office;
mod shopper;
mod town;

/// Whoever is not served within this long has a purchase that failed.
pub const PATIENCE: Duration = Duration::from_secs(30);
/// What a node's line lost is made good, and forgotten, after this.
const WELL_AGAIN: Duration = Duration::from_secs(5);
/// Nothing may be undecided after so much calm.
const CALM: Duration = Duration::from_secs(60);
/// The goals of reliability.md, section 6.5.
const CRASH_MS_MAX: f64 = 1_000.0;
const OTHERS_MS_MAX: f64 = 6_500.0;

#[derive(Args, Clone, Debug)]
pub struct Failover {
    /// How often each fault strikes.
    #[arg(long, default_value_t = 3)]
    rounds: u32,
    /// People who buy all the time.
    #[arg(long, default_value_t = 3)]
    buyers: usize,
    /// Only these faults.
    #[arg(long, value_enum)]
    only: Vec<Fault>,
    /// Keeps what the nodes logged, in this folder.
    #[arg(long)]
    logs: Option<PathBuf>,
    #[arg(long, default_value = "failover.html")]
    report: PathBuf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Fault {
    /// `kill -9` of the owner.
    Kill,
    /// SIGSTOP of the owner, and SIGCONT when another has taken over.
    Hang,
    /// The owner's link is down, and up again.
    Link,
    /// The owner's link loses three packets in ten and, where the kernel has netem, takes 200 ms.
    Loss,
    /// Postgres stops and starts again.
    Database,
    /// Each node gets SIGTERM and a successor, one after the other.
    Roll,
}

impl Failover {
    pub fn page(&self) -> &PathBuf {
        &self.report
    }
}

/// What became of one strike.
struct Struck {
    fault: Fault,
    answered: Duration,
    boards: Duration,
    /// What was said until somebody answered.
    denied: Vec<String>,
}

impl Struck {
    fn is_late(&self) -> bool {
        millis(self.answered) > limit_ms(self.fault)
    }
}

pub async fn run(failover: &Failover) -> Result<Report> {
    let mut town = Town::build().await?;
    let doubted = doubt(failover, &mut town).await;
    town.close(failover.logs.as_deref()).await?;
    doubted
}

async fn doubt(failover: &Failover, town: &mut Town) -> Result<Report> {
    let mut faults = vec![
        Fault::Kill,
        Fault::Hang,
        Fault::Link,
        Fault::Loss,
        Fault::Database,
        Fault::Roll,
    ];
    if !town.has_links() {
        println!("Without CAP_NET_ADMIN there are no links to cut: link and loss are left out.");
        faults.retain(|fault| !matches!(fault, Fault::Link | Fault::Loss));
    }
    if town.has_links() && town.loses().is_none() {
        println!("Neither netem nor nft is here, so no link loses packets: loss is left out.");
        faults.retain(|fault| *fault != Fault::Loss);
    }
    faults.retain(|fault| failover.only.is_empty() || failover.only.contains(fault));
    let crowd = Crowd::gather(town, failover.buyers)?;
    let mut struck = Vec::new();
    for round in 1..=failover.rounds {
        for fault in &faults {
            let one = town
                .strike(*fault)
                .await
                .with_context(|| format!("round {round}, {fault:?}"))?;
            println!(
                "{round:>3} {fault:?}: answered after {:.0} ms, boards after {:.0} ms",
                millis(one.answered),
                millis(one.boards)
            );
            if one.is_late() {
                one.denied.iter().for_each(|said| println!("      {said}"));
            }
            struck.push(one);
        }
    }
    let (bought, failed) = crowd.goes_home().await;
    let mut report = Report {
        title: "Fail-over of two nodes".to_owned(),
        ..Report::default()
    };
    report.fact("rounds", failover.rounds);
    report.fact("purchases and reservations served", bought);
    if faults.contains(&Fault::Loss) {
        let delay = if town.loses() == Some(Loses::Netem) {
            "the rest 200 ms late"
        } else {
            "none late: no netem"
        };
        report.fact("lost packets", format!("three in ten each way, {delay}"));
    }
    tell(&mut report, &faults, &struck);
    let looked_at = bought as usize + failed.len();
    report
        .checks
        .push(Check::new("no purchase failed", looked_at, failed));
    audit(town, &mut report).await?;
    Ok(report)
}

impl Town {
    /// One fault on the node that owns the draws; back when everything stands again.
    async fn strike(&mut self, fault: Fault) -> Result<Struck> {
        let begun = Instant::now();
        let victim = self.owner;
        if fault == Fault::Roll {
            self.roll().await?;
            return Ok(Struck {
                fault,
                answered: Duration::ZERO,
                boards: Duration::ZERO,
                denied: Vec::new(),
            });
        }
        self.hit(victim, fault).await?;
        let survivor = if fault == Fault::Database {
            victim
        } else {
            1 - victim
        };
        let (revision, denied) = self.is_answered_by(survivor).await?;
        let answered = begun.elapsed();
        let boards = self.boards.show(revision, begun).await?;
        self.heal(victim, fault).await?;
        self.find_owner().await?;
        if fault == Fault::Loss {
            // Who was struck is the next one's survivor. It blames nobody else until it has heard the books well for a while.
            tokio::time::sleep(WELL_AGAIN).await;
        }
        Ok(Struck {
            fault,
            answered,
            boards,
            denied,
        })
    }
}

impl Town {
    /// Asks a node for the probe's draw, as another browser each time, until it does something for it; and what it said before.
    async fn is_answered_by(&self, node: usize) -> Result<(u64, Vec<String>)> {
        let (begun, mut denied) = (Instant::now(), Vec::new());
        loop {
            match self
                .shopper(&[node])?
                .touches(self.probe, Duration::ZERO)
                .await
            {
                Ok(revision) => return Ok((revision, denied)),
                Err(why) if begun.elapsed() > PATIENCE * 2 => return Err(why),
                Err(why) => denied.push(format!("{:.0} ms: {why:#}", millis(begun.elapsed()))),
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }
}

/// People who buy until they are told to go home.
struct Crowd {
    stop: Arc<AtomicBool>,
    served: Arc<AtomicU32>,
    people: Vec<tokio::task::JoinHandle<Vec<String>>>,
}

impl Crowd {
    fn gather(town: &Town, buyers: usize) -> Result<Crowd> {
        let (stop, served) = (
            Arc::new(AtomicBool::new(false)),
            Arc::new(AtomicU32::new(0)),
        );
        let mut people = Vec::new();
        for number in 0..buyers {
            let (stop, served, draws, place) = (
                stop.clone(),
                served.clone(),
                town.draws.clone(),
                town.place(),
            );
            people.push(tokio::spawn(async move {
                let mut failed = Vec::new();
                for turn in number.. {
                    if stop.load(Ordering::Relaxed) {
                        break;
                    }
                    let draw = draws[turn % draws.len()];
                    let shops = async {
                        Shopper::new(&place, &[turn % 2, (turn + 1) % 2])?
                            .shops(draw, turn, PATIENCE)
                            .await
                    };
                    match shops.await {
                        Ok(()) => _ = served.fetch_add(1, Ordering::Relaxed),
                        Err(why) => failed.push(format!("buyer {number}: {why:#}")),
                    }
                    // The provider's and the product's limits are for one address; ours are all behind one.
                    tokio::time::sleep(Duration::from_millis(400)).await;
                }
                failed
            }));
        }
        Ok(Crowd {
            stop,
            served,
            people,
        })
    }

    async fn goes_home(self) -> (u32, Vec<String>) {
        self.stop.store(true, Ordering::Relaxed);
        let mut failed = Vec::new();
        for person in self.people {
            failed.extend(person.await.unwrap_or_else(|why| vec![why.to_string()]));
        }
        (self.served.load(Ordering::Relaxed), failed)
    }
}

/// How long a database takes to start is not ours to promise.
fn limit_ms(fault: Fault) -> f64 {
    match fault {
        Fault::Kill => CRASH_MS_MAX,
        Fault::Hang | Fault::Link | Fault::Loss => OTHERS_MS_MAX,
        Fault::Database | Fault::Roll => f64::INFINITY,
    }
}

fn tell(report: &mut Report, faults: &[Fault], struck: &[Struck]) {
    let mut table = Table::new(
        "Until another answered (milliseconds)",
        &["", "times", "p50", "p99", "longest", "boards"],
    );
    for fault in faults.iter().filter(|fault| **fault != Fault::Roll) {
        let of: Vec<&Struck> = struck.iter().filter(|one| one.fault == *fault).collect();
        let figures = Percentiles::of(of.iter().map(|one| millis(one.answered)).collect());
        let boards = of.iter().map(|one| millis(one.boards)).fold(0.0, f64::max);
        table.row([
            format!("{fault:?}"),
            figures.count.to_string(),
            format!("{:.0}", figures.p50),
            format!("{:.0}", figures.p99),
            format!("{:.0}", figures.most),
            format!("{boards:.0}"),
        ]);
        let limit = limit_ms(*fault);
        let late = of.iter().filter(|one| one.is_late());
        let late = late
            .map(|one| format!("{fault:?}: {:.0} ms", millis(one.answered)))
            .collect();
        report.checks.push(Check::new(
            format!("after {fault:?} another answered within {limit} ms"),
            of.len(),
            late,
        ));
        let dark = of.iter().filter(|one| one.boards > Duration::from_secs(30));
        let dark = dark
            .map(|one| format!("{fault:?}: {:.0} ms", millis(one.boards)))
            .collect();
        report.checks.push(Check::new(
            format!("after {fault:?} boards were back within 30 s"),
            of.len(),
            dark,
        ));
    }
    report.tables.push(table);
}

/// Both books, when calm has come.
async fn audit(town: &Town, report: &mut Report) -> Result<()> {
    let auditor = Auditor::open(&town.database_url()).await?;
    let calm = Instant::now();
    while !auditor.undecided().await?.is_empty() && calm.elapsed() < CALM {
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    let undecided = auditor.undecided().await?;
    let lines = undecided
        .iter()
        .map(|(order, state, age)| format!("order {order} is {state} since {age} s"))
        .collect();
    report.checks.push(Check::new(
        "no authorised order is undecided",
        undecided.len(),
        lines,
    ));
    let ghosts = auditor.ghosts().await?;
    report.fact("zombie writes accepted", ghosts.len());
    let lines = ghosts
        .iter()
        .map(|(draw, revision)| format!("FD-{draw}, revision {revision}"))
        .collect();
    report.checks.push(Check::new(
        "nobody wrote after a newer owner",
        ghosts.len(),
        lines,
    ));
    let draws = auditor.draws().await?;
    let differs = draws
        .iter()
        .filter(|draw| draw.tickets != draw.sold)
        .map(|draw| format!("{draw:?}"))
        .collect();
    report.checks.push(Check::new(
        "each draw has as many tickets as it says",
        draws.len(),
        differs,
    ));
    let books = town.books().await?;
    let rows = books.violations().await?;
    let lines = rows
        .into_iter()
        .map(|row| format!("{}: {}", row.invariant, row.object))
        .collect();
    report.checks.push(Check::new(
        "every invariant has zero rows",
        draws.len(),
        lines,
    ));
    Ok(())
}
