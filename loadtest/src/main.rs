//! What doubts: an impatient crowd, then an auditor. README.md says what each command proves.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use report::Report;

mod amnesia;
mod audit;
mod bench;
mod books;
mod browser;
mod buyer;
mod club;
mod crashes;
mod crowd;
mod drill;
mod failover;
mod faults;
mod fixtures;
mod fresh;
mod house;
mod latency;
mod plan;
mod provider;
mod proxy;
mod report;
mod rush;
mod season;
mod stand_in;
mod subject;
mod timing;
mod told;
mod usage;
mod watcher;

#[derive(Parser)]
#[command(
    name = "loadtest",
    about = "Sends an impatient crowd to the demo on this machine, then audits the books."
)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Everybody wants the same draws at once; optionally while the server and Postgres are being killed.
    Rush(rush::Rush),
    /// Kills the server and its Postgres again and again while people buy, and audits every few kills.
    Crashes(crashes::Crashes),
    /// Everything that a line can do wrong, on each of the three lines between browser, server, Postgres and provider.
    Proxy(proxy::Proxy),
    /// Many want the last tickets at the same moment, on a real Postgres, without HTTP between.
    Races(drill::Drill),
    /// `kill -9` before and after the effect of each of a purchase's fourteen steps.
    Kills(drill::Drill),
    /// The books are restored from a backup, and the provider remembers.
    Amnesia(amnesia::Amnesia),
    /// Whether the time an answer takes tells who has an account.
    Timing(timing::Timing),
    /// A real season: imports a fixture list, sells it, closes it, enters the results, pays the winners.
    Season(season::Season),
    /// Two nodes on one Postgres: one is killed, hung, cut off or replaced while people buy.
    Failover(failover::Failover),
    /// How fast we are beside the raw limits and beside what one would write first. Build it with `--release`.
    Bench(bench::Bench),
    /// What the bench measures us beside; it starts this itself.
    #[command(hide = true)]
    BenchRival(bench::rival::Rival),
    /// Only the audit of a running demo: invariants, and our books against the sandbox's.
    Audit(books::Audit),
}

#[tokio::main]
async fn main() -> ExitCode {
    match run(CommandLine::parse().command).await {
        Ok(report) if report.passed() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(why) => {
            eprintln!("{why:#}");
            ExitCode::from(2)
        }
    }
}

async fn run(command: Command) -> anyhow::Result<Report> {
    let (report, page) = match command {
        Command::Rush(rush) => (rush::run(&rush).await?, Some(rush.page().clone())),
        Command::Crashes(crashes) => (crashes::run(&crashes).await?, Some(crashes.page().clone())),
        Command::Proxy(proxy) => (proxy::run(&proxy).await?, Some(proxy.page().clone())),
        Command::Races(drill) => (drill::run(&drill, drill::RACES).await?, None),
        Command::Kills(drill) => (drill::run(&drill, drill::KILLS).await?, None),
        Command::Amnesia(amnesia) => (amnesia::run(&amnesia).await?, Some(amnesia.page().clone())),
        Command::Timing(timing) => (timing::run(&timing).await?, Some(timing.page().clone())),
        Command::Season(season) => (season::run(&season).await?, Some(season.page().clone())),
        Command::Failover(failover) => (
            failover::run(&failover).await?,
            Some(failover.page().clone()),
        ),
        Command::Bench(bench) => (bench::run(&bench).await?, Some(bench.page().clone())),
        Command::BenchRival(rival) => {
            bench::rival::run(&rival).await?;
            return Ok(Report::default());
        }
        Command::Audit(audit) => (books::run(&audit).await?, None),
    };
    match page {
        Some(page) => report.publish(&page)?,
        None => println!("{}", report.to_text()),
    }
    Ok(report)
}
