//! Drills that need the engine itself are tests; this plays them longer and shows the figures they print.

use std::process::Stdio;

use anyhow::{Context, Result};
use clap::Args;
use tokio::process::Command;

use crate::audit::Check;
use crate::report::Report;

#[derive(Args, Clone, Debug)]
pub struct Drill {
    /// How often each shape of a race, or each of the 28 kills, is played.
    #[arg(long)]
    rounds: Option<usize>,
}

/// Which test plays it, and how often when nobody says.
#[derive(Clone, Copy, Debug)]
pub struct Played {
    pub title: &'static str,
    pub test: &'static str,
    pub rounds: usize,
    /// Whether it may be played by an optimised build, if this is one: fail points are in debug builds only.
    pub optimised: bool,
}

pub const RACES: Played = Played {
    title: "Football Doubles: races for the last tickets",
    test: "races",
    rounds: 1_000,
    optimised: true,
};
pub const KILLS: Played = Played {
    title: "Football Doubles: a kill at every step",
    test: "kills",
    rounds: 7,
    optimised: false,
};

pub async fn run(drill: &Drill, played: Played) -> Result<Report> {
    let rounds = drill.rounds.unwrap_or(played.rounds);
    let mut cargo = Command::new("cargo");
    // As `cargo test` builds it: another choice of packages is another choice of features, and all is built once more.
    cargo.args(["test", "--quiet", "--workspace", "--test", played.test]);
    if played.optimised && !cfg!(debug_assertions) {
        cargo.arg("--release");
    }
    cargo.args(["--", "--nocapture", "--test-threads=1"]);
    cargo
        .env("ROUNDS", rounds.to_string())
        .env("RUST_BACKTRACE", "0")
        .stderr(Stdio::inherit());
    let output = cargo.output().await.context("running cargo")?;
    let said = String::from_utf8_lossy(&output.stdout);
    let mut report = Report {
        title: played.title.to_owned(),
        ..Report::default()
    };
    report.fact("rounds", rounds);
    // A figure is a line "what: how many of it"; the rest is the test runner's.
    for (what, figures) in said
        .lines()
        .filter_map(|line| line.trim_start_matches(['.', ' ']).split_once(": "))
    {
        if figures.starts_with(|first: char| first.is_ascii_digit()) {
            report.fact(what, figures);
        }
    }
    let failed: Vec<String> = match output.status.success() {
        true => Vec::new(),
        false => said
            .lines()
            .filter(|line| line.contains("panicked") || line.contains("FAILED"))
            .map(String::from)
            .collect(),
    };
    let failed = if failed.is_empty() && !output.status.success() {
        vec![said.into_owned()]
    } else {
        failed
    };
    report.checks.push(Check::new(
        format!(
            "the test `{}` holds, its negative control included",
            played.test
        ),
        rounds,
        failed,
    ));
    Ok(report)
}
