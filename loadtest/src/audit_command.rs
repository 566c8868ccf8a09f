//! The command `audit`, which audits the database of a running demo.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Args;
use serde::Deserialize;

use crate::database_audit::{self, DatabaseAccess};
use crate::report::Report;
use crate::test_run::TestRun;

#[derive(Args, Clone, Debug)]
pub struct AuditArgs {
    /// The running demo's data folder. The file `running.json` in it holds the server's address and
    /// the database URL.
    #[arg(long, default_value = ".data")]
    data: PathBuf,
    /// The address of a running demo, instead of the one in the data folder. Its database is
    /// audited only if `--database` is given.
    #[arg(long)]
    base: Option<String>,
    /// Database URL, as `postgres://…`.
    #[arg(long)]
    database: Option<String>,
}

/// The file `running.json` in a demo's data folder, from which other commands learn the demo's
/// address.
#[derive(Deserialize)]
struct RunningDemoFile {
    address: String,
    database: String,
}

impl AuditArgs {
    /// Returns the demo's address, and the access to its database. `None` if the database URL is
    /// not known.
    fn locate_demo_and_database(&self) -> Result<(String, Option<DatabaseAccess>)> {
        let access = |url: &String| DatabaseAccess::new(url.clone(), &self.data);
        if let Some(base) = &self.base {
            return Ok((base.clone(), self.database.as_ref().map(access)));
        }
        let file = self.data.join("running.json");
        let demo_file = std::fs::read_to_string(&file)
            .with_context(|| format!("no demo runs on {}", self.data.display()))?;
        let demo_file: RunningDemoFile = serde_json::from_str(&demo_file)
            .with_context(|| format!("reading {}", file.display()))?;
        let base = if demo_file.address.contains("://") {
            demo_file.address
        } else {
            format!("http://{}", demo_file.address)
        };
        Ok((
            base,
            Some(access(
                self.database.as_ref().unwrap_or(&demo_file.database),
            )),
        ))
    }
}

pub async fn run_subcommand(audit: &AuditArgs) -> Result<Report> {
    let (base, access) = audit.locate_demo_and_database()?;
    let test_run = TestRun::open(Some(&base), 0, Duration::from_secs(10)).await?;
    let mut report = Report {
        title: "Football Doubles: the audit".to_owned(),
        ..Report::default()
    };
    // Anomalies that were open before this command are shown, but do not make the audit fail.
    let known = match &access {
        Some(access) => database_audit::count_open_anomalies(access).await?,
        None => Vec::new(),
    };
    for (kind, count) in &known {
        report.add_fact(&format!("open anomalies: {kind}"), count);
    }
    database_audit::audit_database(&test_run.site, access.as_ref(), &known, &mut report).await?;
    Ok(report)
}
