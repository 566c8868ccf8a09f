//! Load tests with an audit: a crowd of simulated buyers, then checks of everything that the server
//! told them. README.md says what each command proves.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use report::Report;

mod amnesia;
mod audit;
mod audit_command;
mod bench;
mod boards;
mod browser;
mod buyer;
mod club;
mod crashes;
mod crowd;
mod crowd_plan;
mod database_audit;
mod draw_creation;
mod failover;
mod faults;
mod fixtures;
mod latency;
mod provider;
mod proxy;
mod repeated_test;
mod report;
mod resource_usage;
mod rush;
mod sandbox_server;
mod season;
mod server_process;
mod test_run;
mod timing;
mod transcript;

#[derive(Parser)]
#[command(
    name = "loadtest",
    about = "Sends an impatient crowd to the demo on this machine, then audits the database."
)]
struct LoadtestArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Sends all buyers to the same draws at once, optionally while the server and Postgres are
    /// killed.
    Rush(rush::RushArgs),
    /// Kills the server and its Postgres repeatedly while people buy, and audits after every few
    /// kills.
    Crashes(crashes::CrashesArgs),
    /// Injects network faults between browser, server, Postgres and provider.
    Proxy(proxy::ProxyArgs),
    /// Races for the last tickets on a real Postgres, without HTTP.
    Races(repeated_test::RepeatedTestArgs),
    /// Sends `kill -9` to the server before and after the effect of each of the fourteen steps of a
    /// purchase.
    Kills(repeated_test::RepeatedTestArgs),
    /// Restores the database from an old backup while the provider still knows every payment.
    Amnesia(amnesia::AmnesiaArgs),
    /// Checks that response times do not reveal which email addresses have an account.
    Timing(timing::TimingArgs),
    /// Plays a real season: imports fixtures, sells, closes, enters results and pays the winners.
    Season(season::SeasonArgs),
    /// Runs two nodes on one Postgres. One of them is killed, hung, cut off or replaced while
    /// people buy.
    Failover(failover::FailoverArgs),
    /// Compares the product's speed with simpler implementations. Needs a build with `--release`.
    Bench(bench::BenchArgs),
    /// The rival server that `bench` compares the product with. `bench` starts this command itself.
    #[command(hide = true)]
    BenchRival(bench::rival::RivalArgs),
    /// Audits a running demo without load: its invariants, and its database against the payment
    /// sandbox.
    Audit(audit_command::AuditArgs),
}

#[tokio::main]
async fn main() -> ExitCode {
    match dispatch(LoadtestArgs::parse().command).await {
        Ok(report) if report.has_passed() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(why) => {
            eprintln!("{why:#}");
            ExitCode::from(2)
        }
    }
}

async fn dispatch(command: Command) -> anyhow::Result<Report> {
    let (report, report_file) = match command {
        Command::Rush(rush) => (
            rush::run_subcommand(&rush).await?,
            Some(rush.report_file().clone()),
        ),
        Command::Crashes(crashes) => (
            crashes::run_subcommand(&crashes).await?,
            Some(crashes.report_file().clone()),
        ),
        Command::Proxy(proxy) => (
            proxy::run_subcommand(&proxy).await?,
            Some(proxy.report_file().clone()),
        ),
        Command::Races(test_args) => (
            repeated_test::run_subcommand(&test_args, repeated_test::LAST_TICKET_RACES_TEST)
                .await?,
            None,
        ),
        Command::Kills(test_args) => (
            repeated_test::run_subcommand(&test_args, repeated_test::KILL_AT_EVERY_STEP_TEST)
                .await?,
            None,
        ),
        Command::Amnesia(amnesia) => (
            amnesia::run_subcommand(&amnesia).await?,
            Some(amnesia.report_file().clone()),
        ),
        Command::Timing(timing) => (
            timing::run_subcommand(&timing).await?,
            Some(timing.report_file().clone()),
        ),
        Command::Season(season) => (
            season::run_subcommand(&season).await?,
            Some(season.report_file().clone()),
        ),
        Command::Failover(failover) => (
            failover::run_subcommand(&failover).await?,
            Some(failover.report_file().clone()),
        ),
        Command::Bench(bench) => (
            bench::run_subcommand(&bench).await?,
            Some(bench.report_file().clone()),
        ),
        Command::BenchRival(rival) => {
            bench::rival::run_subcommand(&rival).await?;
            return Ok(Report::default());
        }
        Command::Audit(audit) => (audit_command::run_subcommand(&audit).await?, None),
    };
    match report_file {
        Some(report_file) => report.print_and_save(&report_file)?,
        None => println!("{}", report.to_text()),
    }
    Ok(report)
}
