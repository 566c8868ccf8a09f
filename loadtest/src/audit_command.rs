//! The command `audit`: audits the database of a running demo.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Args;
use serde::Deserialize;

use crate::database_audit::{self, DatabaseAccess};
use crate::report::Report;
use crate::test_run::TestRun;

#[derive(Args, Clone, Debug)]
pub struct Audit {
    /// The data folder of the running demo. Its `running.json` holds the server's address and the
    /// database URL.
    #[arg(long, default_value = ".data")]
    data: PathBuf,
    /// Address of another running demo. Its database is audited only with `--database`.
    #[arg(long)]
    base: Option<String>,
    /// Database URL, as `postgres://…`.
    #[arg(long)]
    database: Option<String>,
}

/// Content of `running.json`, which a demo writes into its data folder for other commands.
#[derive(Deserialize)]
struct RunningDemoFile {
    address: String,
    database: String,
}

impl Audit {
    /// Returns the demo's address, and the access to its database where that is known.
    fn locate(&self) -> Result<(String, Option<DatabaseAccess>)> {
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

pub async fn run(audit: &Audit) -> Result<Report> {
    let (base, access) = audit.locate()?;
    let test_run = TestRun::open(Some(&base), 0, Duration::from_secs(10)).await?;
    let mut report = Report {
        title: "Football Doubles: the audit".to_owned(),
        ..Report::default()
    };
    // Anomalies from before this run are shown, but do not fail the audit.
    let known = match &access {
        Some(access) => database_audit::anomalies(access).await?,
        None => Vec::new(),
    };
    for (kind, count) in &known {
        report.fact(&format!("open anomalies: {kind}"), count);
    }
    database_audit::audit_database(&test_run.site, access.as_ref(), &known, &mut report).await?;
    Ok(report)
}
