//! The `serve` command, which runs the server in production with settings from the environment.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use actors::SystemClock;
use anyhow::{Context, ensure};
use persistence::records::Records;

use crate::app::{self, Provider, ServerParts};
use crate::config::Config;
use crate::ops::clock::DatabaseClock;
use crate::ops::database::Database;
use crate::render::web_build::WebBuild;

/// Serves until the process receives a stop signal, then finishes requests in flight and returns.
///
/// # Errors
///
/// A one-line error that says what cannot be used.
pub async fn run(config: Config) -> anyhow::Result<()> {
    if config.lacks_trusted_proxies() {
        tracing::warn!(
            variable = "TRUSTED_PROXIES",
            "PUBLIC_URL is https and TRUSTED_PROXIES is empty: all callers count as one; set it to your proxy's addresses"
        );
    }
    let site = Arc::new(WebBuild::read(&web_dir(&config))?);
    let database = Database::open(&config).await?;
    let postgres = database.connect_for_production(&config).await?;
    let (clock, records) = (
        Arc::new(DatabaseClock::new(Arc::new(SystemClock))),
        Records::new(postgres.clone()),
    );
    refuse_moved_clock(&records).await?;
    clock
        .sync(&records)
        .await
        .context("cannot read the database's clock")?;
    let clock_task = tokio::spawn(clock.clone().follow_database_time(records));
    let running = app::start(ServerParts {
        config,
        postgres,
        clock,
        site,
        provider: Provider::Real,
    })
    .await?;
    tracing::info!(address = %running.address, "serving");
    app::wait_for_shutdown_signal().await?;
    tracing::info!("draining");
    let stopped = running.stop().await;
    clock_task.abort();
    stopped
}

/// Refuses a database whose clock was moved ahead. Only a demo moves its clock, so such a database
/// contains demo data.
///
/// # Errors
///
/// The database's clock was moved, or could not be read.
pub async fn refuse_moved_clock(records: &Records) -> anyhow::Result<()> {
    let ahead_ms = records
        .clock_ahead_ms()
        .await
        .context("cannot read the database's clock offset")?;
    ensure!(
        ahead_ms == 0,
        "the clock of this database was moved ahead by {} s, as only a demo's is: set DATABASE_URL to a database that no demo has used",
        ahead_ms / 1000
    );
    Ok(())
}

/// Returns the folder of the built web pages: `FD_WEB_DIR`, or else `web/dist` in the working
/// directory. Without built pages there, returns `web/dist` of the source tree.
fn web_dir(config: &Config) -> PathBuf {
    let beside_sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../web/dist");
    let here = PathBuf::from("web/dist");
    config
        .web_dir
        .clone()
        .unwrap_or(if here.join("index.html").exists() {
            here
        } else {
            beside_sources
        })
}
