//! Production: everything from the environment, nothing made up.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use actors::SystemClock;
use anyhow::Context;
use persistence::records::Records;

use crate::app::{self, Parts, Provider};
use crate::clock::BooksClock;
use crate::config::Config;
use crate::database::Database;
use crate::site::Site;

/// Serves until the process is told to stop, then drains.
///
/// # Errors
/// What cannot be used, in one line.
pub async fn run(config: Config) -> anyhow::Result<()> {
    let site = Arc::new(Site::read(&built(&config))?);
    let database = Database::open(&config).await?;
    let postgres = database.connect_apart(&config).await?;
    let (clock, records) = (
        Arc::new(BooksClock::over(Arc::new(SystemClock))),
        Records::new(postgres.clone()),
    );
    clock
        .look(&records)
        .await
        .context("the database does not say what time it is")?;
    let following = tokio::spawn(clock.clone().follow(records));
    let running = app::start(Parts {
        config,
        postgres,
        clock,
        site,
        provider: Provider::Real,
    })
    .await?;
    tracing::info!(address = %running.address, "serving");
    app::told_to_stop().await?;
    tracing::info!("draining");
    let stopped = running.stop().await;
    following.abort();
    stopped
}

/// Where the built pages are: `FD_WEB_DIR`, else beside the working directory, else beside the sources.
fn built(config: &Config) -> PathBuf {
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
