//! The demo: the whole product on one machine, without asking anybody for anything.

use std::io::{ErrorKind, Write};
use std::path::Path;
use std::sync::Arc;

use actors::{Clock, SystemClock};
use anyhow::{Context, ensure};
use persistence::Postgres;
use persistence::records::Records;

use crate::app::{self, Parts, Provider, Running};
use crate::config::Config;
use crate::database::{Database, Sign};
use crate::routes::machine::webhooks;
use crate::sandbox::{Options, Sandbox};
use crate::site::{self, Site};
use seed::Found;

pub mod crowd;
mod people;
pub mod plan;
mod prizes;
pub mod season;
pub mod seed;
pub mod trouble;

/// Of every account of the demo.
pub const PASSWORD: &str = "demo-password";

/// A running demo.
pub struct Demo {
    pub running: Running,
    database: Database,
    season: tokio::task::JoinHandle<()>,
}

/// Starts the demo, says where it is, and stops it in order when told to.
///
/// # Errors
/// One line: what is missing and how to get it.
pub async fn run(config: Config) -> anyhow::Result<()> {
    let port = config.listen.port();
    // Before anything is built or started: a taken port is the likeliest trouble. It is taken for good a moment later.
    drop(app::listen(config.listen)?);
    let web = Path::new(env!("CARGO_MANIFEST_DIR")).join("../web");
    let site = match &config.web_dir {
        Some(dist) => Site::read(dist)?,
        None => Site::read(&site::ensure_built(&web)?)?,
    };
    let demo = start_unless(config, site, app::told_to_stop()).await?;
    greet(&demo.running, port);
    app::told_to_stop().await?;
    eprintln!("Stopping …");
    demo.stop().await
}

/// Everything but the greeting: what the browser tests start as well.
///
/// # Errors
/// One line: what is missing and how to get it.
pub async fn start(config: Config, site: Site) -> anyhow::Result<Demo> {
    start_unless(config, site, std::future::pending::<()>()).await
}

/// Seeding takes a while; whoever loses patience finds no Postgres left behind.
async fn start_unless(mut config: Config, site: Site, told: impl Future) -> anyhow::Result<Demo> {
    std::fs::create_dir_all(&config.data_dir)
        .with_context(|| format!("cannot make the folder {}", config.data_dir.display()))?;
    config.data_dir = config.data_dir.canonicalize()?;
    Database::check_room(&config.data_dir)?;
    let database = Database::open(&config).await?;
    let opened = tokio::select! {
        opened = open(config, site, &database) => opened,
        _ = told => Err(anyhow::anyhow!("stopped before it was ready; the next start begins anew")),
    };
    match opened {
        Ok((running, season)) => Ok(Demo {
            running,
            season,
            database,
        }),
        Err(failure) => {
            database.close().await;
            Err(failure)
        }
    }
}

async fn open(
    config: Config,
    site: Site,
    database: &Database,
) -> anyhow::Result<(Running, tokio::task::JoinHandle<()>)> {
    let data_dir = config.data_dir.clone();
    let postgres = database.connect(&config).await?;
    postgres.migrate().await?;
    ensure!(
        postgres.reaches_bank(),
        "with this DATABASE_URL the demo needs BANK_DATABASE_URL too, the login of bank details (.env.example)"
    );
    let found = prepare(&postgres, database, &data_dir).await?;
    let wanted = Options {
        webhook_events: webhooks::KINDS.map(String::from).to_vec(),
        ..Options::default()
    };
    let sandbox =
        Sandbox::open(Some(data_dir.join("sandbox")), wanted).context("the sandbox's journal")?;
    let site = Arc::new(site);
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let parts = |config: Config, provider: Provider| Parts {
        config,
        postgres: postgres.clone(),
        clock: clock.clone(),
        site: site.clone(),
        provider,
    };
    if found != Found::Whole {
        eprintln!("Seeding three clubs and their draws …");
        let private = Config {
            listen: (config.listen.ip(), 0).into(),
            metrics: None,
            ..config.clone()
        };
        rehearse(
            parts(private, Provider::Rehearsal(sandbox.clone())),
            &postgres,
            &sandbox,
        )
        .await?;
    }
    let running = app::start(parts(config, Provider::Sandbox(sandbox.clone()))).await?;
    let sign = Sign {
        address: running.url(),
        database: database.url.expose().to_string(),
    };
    sign.hang_out(&data_dir)
        .context("cannot write into the data folder")?;
    let season = season::keep(&running, clock);
    Ok((running, season))
}

/// Looks at what is there. Half a seed is thrown away, and only ever in the demo's own Postgres.
async fn prepare(
    postgres: &Postgres,
    database: &Database,
    data_dir: &Path,
) -> anyhow::Result<Found> {
    let records = Records::new(postgres.clone());
    let found = seed::look(&records).await?;
    if found == Found::Half {
        ensure!(
            database.is_private(),
            "DATABASE_URL names a database with clubs of its own; the demo seeds only an empty one"
        );
        postgres.forget_everything().await?;
        postgres.migrate().await?;
        match std::fs::remove_dir_all(data_dir.join("sandbox")) {
            Err(failure) if failure.kind() != ErrorKind::NotFound => return Err(failure.into()),
            _ => {}
        }
    }
    Ok(found)
}

/// Sells what the demo shows as sold, on a server nobody knows of, and moves the games that have been played into the
/// past once nothing runs.
async fn rehearse(parts: Parts, postgres: &Postgres, sandbox: &Sandbox) -> anyhow::Result<()> {
    let now = parts.clock.now();
    let running = app::start(parts).await?;
    let played = seed::Seeding {
        running: &running,
        sandbox,
        now,
    }
    .run()
    .await;
    running.stop().await?;
    seed::finish(postgres, played.context("seeding")?).await
}

impl Demo {
    /// Drains, stops, and leaves everything ready for the next start.
    ///
    /// # Errors
    /// The server had failed before.
    pub async fn stop(self) -> anyhow::Result<()> {
        self.season.abort();
        let data_dir = self.running.state.config.data_dir.clone();
        self.running.stop().await?;
        Sign::take_down(&data_dir);
        self.database.close().await;
        Ok(())
    }
}

/// Addresses and logins, on one screen. Written at once: whoever reads only the first lines does not stop the demo.
fn greet(running: &Running, port_wanted: u16) {
    let config = &running.state.config;
    let (url, data_dir) = (&config.public_url, config.data_dir.display());
    let mut logins = format!("    {:<22} {}\n", "operator", seed::OPERATOR);
    for club in &plan::CLUBS {
        logins += &format!("    {:<22} {}@demo.test\n", club.name, club.slug);
        let helpers = plan::HELPERS
            .iter()
            .filter(|_| club.slug == plan::CLUBS[0].slug);
        for (role, _) in helpers {
            let what = format!("  its {}", role.word());
            logins += &format!("    {what:<22} {}\n", people::login(*role, club.slug));
        }
    }
    let chosen = if port_wanted == 0 {
        "  PORT=0: this port was free.\n"
    } else {
        ""
    };
    let greeting = format!(
        "
  Football Doubles         {url}
  Draws                    {url}/draw/1001
  Big screen               {url}/draw/1001/display
  Club page                {url}/club/{}
  Mailbox                  {url}/sandbox/mailbox

  Log in at {url}/admin/login with password {PASSWORD}:
{logins}
{chosen}  Cards: 4242 4242 4242 4242 pays, 4000 0000 0000 0002 is declined. Ctrl-C stops; data stay in {data_dir}.

",
        plan::CLUBS[0].slug
    );
    let _ = std::io::stdout().lock().write_all(greeting.as_bytes());
}
