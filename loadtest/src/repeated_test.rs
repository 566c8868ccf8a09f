//! Runs tests of `server/tests` with more rounds than usual, and reports the measurements that they
//! print.

use std::process::Stdio;

use anyhow::{Context, Result};
use clap::Args;
use tokio::process::Command;

use crate::audit::AuditCheck;
use crate::report::Report;

#[derive(Args, Clone, Debug)]
pub struct RepeatedTestArgs {
    /// Number of rounds: of each kind of race, or of the 28 kills.
    #[arg(long)]
    rounds: Option<usize>,
}

/// A test for this command, with its default number of rounds.
#[derive(Clone, Copy, Debug)]
pub struct RepeatedTest {
    pub title: &'static str,
    pub test: &'static str,
    pub rounds: usize,
    /// Whether the test also runs in an optimised build. Tests with fail points do not, because
    /// only debug builds contain fail points.
    pub optimised: bool,
}

pub const LAST_TICKET_RACES_TEST: RepeatedTest = RepeatedTest {
    title: "Football Doubles: races for the last tickets",
    test: "races",
    rounds: 1_000,
    optimised: true,
};
pub const KILL_AT_EVERY_STEP_TEST: RepeatedTest = RepeatedTest {
    title: "Football Doubles: a kill at every step",
    test: "kills",
    rounds: 7,
    optimised: false,
};

pub async fn run_subcommand(
    test_args: &RepeatedTestArgs,
    repeated_test: RepeatedTest,
) -> Result<Report> {
    let rounds = test_args.rounds.unwrap_or(repeated_test.rounds);
    let mut cargo = Command::new("cargo");
    // The packages are selected as for `cargo test`. With another selection, features would differ
    // and everything would be built again.
    cargo.args([
        "test",
        "--quiet",
        "--workspace",
        "--test",
        repeated_test.test,
    ]);
    if repeated_test.optimised && !cfg!(debug_assertions) {
        cargo.arg("--release");
    }
    cargo.args(["--", "--nocapture", "--test-threads=1"]);
    cargo
        .env("ROUNDS", rounds.to_string())
        .env("RUST_BACKTRACE", "0")
        .stderr(Stdio::inherit());
    let output = cargo.output().await.context("running cargo")?;
    let stdout_text = String::from_utf8_lossy(&output.stdout);
    let mut report = Report {
        title: repeated_test.title.to_owned(),
        ..Report::default()
    };
    report.add_fact("rounds", rounds);
    // A measurement is a line "name: number …". Other lines come from the test runner.
    for (what, figures) in stdout_text
        .lines()
        .filter_map(|line| line.trim_start_matches(['.', ' ']).split_once(": "))
    {
        if figures.starts_with(|first: char| first.is_ascii_digit()) {
            report.add_fact(what, figures);
        }
    }
    let failed: Vec<String> = if output.status.success() {
        Vec::new()
    } else {
        stdout_text
            .lines()
            .filter(|line| line.contains("panicked") || line.contains("FAILED"))
            .map(String::from)
            .collect()
    };
    let failed = if failed.is_empty() && !output.status.success() {
        vec![stdout_text.into_owned()]
    } else {
        failed
    };
    report.checks.push(AuditCheck::new(
        format!(
            "the test `{}` holds, its negative control included",
            repeated_test.test
        ),
        rounds,
        failed,
    ));
    Ok(report)
}
