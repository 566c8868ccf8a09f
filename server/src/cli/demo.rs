//! The demo: the whole product on one machine, without external services.

use std::fmt::Write as _;
use std::io::{ErrorKind, Write as _};
use std::path::Path;
use std::sync::Arc;

use actors::Clock;
use anyhow::{Context, ensure};
use persistence::Postgres;
use persistence::records::Records;

use crate::app::{self, Provider, RunningServer, ServerParts};
use crate::config::Config;
use crate::http::routes::machine::webhooks;
use crate::ops::database::{Database, RunningInstance};
use crate::ops::private_files;
use crate::render::web_build::{self, WebBuild};
use sandbox::authenticator;
use sandbox::clock::SandboxClock;
use sandbox::{RateLimits, Sandbox, SandboxOptions};
use seed::SeedState;

pub mod anomalies;
pub mod buyers;
mod club_staff;
pub mod plan;
mod prizes;
pub mod season;
pub mod seed;

/// The password of every demo account.
pub const PASSWORD: &str = "demo-password";

/// A running demo.
pub struct Demo {
    pub running: RunningServer,
    database: Database,
    season: tokio::task::JoinHandle<()>,
}

/// Starts the demo, prints its URLs and logins, and stops the demo in an orderly way on SIGINT or
/// SIGTERM.
///
/// # Errors
///
/// One line that says what is missing, such as a program, and how to get it.
pub async fn run(config: Config) -> anyhow::Result<()> {
    let port = config.listen.port();
    // Check the port before anything is built or started, because a taken port is the most likely
    // problem. The listener is dropped here, and the server binds the port again later.
    drop(app::listen(config.listen, "PORT")?);
    let web = Path::new(env!("CARGO_MANIFEST_DIR")).join("../web");
    let site = match &config.web_dir {
        Some(dist) => WebBuild::read(dist)?,
        None => WebBuild::read(&web_build::ensure_built(&web)?)?,
    };
    let demo = start_unless_stopped(config, site, app::wait_for_shutdown_signal()).await?;
    print_addresses(&demo.running, port);
    app::wait_for_shutdown_signal().await?;
    eprintln!("Stopping …");
    demo.stop().await
}

/// Starts the demo without printing its URLs. The browser tests use it too.
///
/// # Errors
///
/// One line that says what is missing, such as a program, and how to get it.
pub async fn start(config: Config, site: WebBuild) -> anyhow::Result<Demo> {
    start_unless_stopped(config, site, std::future::pending::<()>()).await
}

/// Starts the demo unless `stop` completes first. Seeding takes a while, and an interrupted start
/// must not leave Postgres running.
async fn start_unless_stopped(
    mut config: Config,
    site: WebBuild,
    stop: impl Future,
) -> anyhow::Result<Demo> {
    private_files::protect_data_dir(&config.data_dir)
        .with_context(|| format!("cannot make the folder {}", config.data_dir.display()))?;
    config.data_dir = config.data_dir.canonicalize()?;
    Database::check_free_disk_space(&config.data_dir)?;
    let database = Database::open(&config).await?;
    let opened = tokio::select! {
        opened = open_demo(config, site, &database) => opened,
        _ = stop => Err(anyhow::anyhow!("stopped before it was ready; the next start begins anew")),
    };
    match opened {
        Ok((running, season)) => Ok(Demo {
            running,
            database,
            season,
        }),
        Err(failure) => {
            database.close().await;
            Err(failure)
        }
    }
}

async fn open_demo(
    config: Config,
    site: WebBuild,
    database: &Database,
) -> anyhow::Result<(RunningServer, tokio::task::JoinHandle<()>)> {
    let data_dir = config.data_dir.clone();
    let postgres = database.connect(&config).await?;
    Database::migrate(&postgres, &config).await?;
    ensure!(
        postgres.has_bank_login(),
        "the login of FD_DEMO_DATABASE_URL may not create roles, and the demo needs one for bank details"
    );
    let seed_state = prepare_database(&postgres, database, &data_dir).await?;
    let moved_clock = SandboxClock::load(&Records::new(postgres.clone())).await?;
    let options = SandboxOptions {
        webhook_events: webhooks::SUBSCRIBED_EVENT_TYPES.map(String::from).to_vec(),
        clock: Some(moved_clock.clone()),
        // A season's sales are seeded within seconds. The limits apply once the demo runs.
        rate_limits: None,
        ..SandboxOptions::default()
    };
    let sandbox =
        Sandbox::open(Some(data_dir.join("sandbox")), options).context("the sandbox's journal")?;
    let site = Arc::new(site);
    let clock: Arc<dyn Clock> = moved_clock.clone();
    let parts = |config: Config, provider: Provider| ServerParts {
        config,
        postgres: postgres.clone(),
        clock: clock.clone(),
        site: site.clone(),
        provider,
    };
    if seed_state != SeedState::Complete {
        eprintln!("Seeding three clubs and their draws …");
        let private_config = Config {
            listen: (config.listen.ip(), 0).into(),
            metrics: None,
            ..config.clone()
        };
        run_seed_server(
            parts(private_config, Provider::Rehearsal(sandbox.clone())),
            &postgres,
            &sandbox,
        )
        .await?;
    }
    // The database may be older than the stand-in's journal.
    for club in Records::new(postgres.clone()).clubs().await? {
        if let Some(account) = club.account {
            sandbox.ensure_account(&account.0, &club.name)?;
        }
    }
    sandbox.set_rate_limits(Some(RateLimits::STRIPE));
    let running = app::start(parts(config, Provider::Sandbox(sandbox.clone()))).await?;
    let instance = RunningInstance {
        address: running.url(),
        database: database.url.expose().to_string(),
    };
    instance
        .write(&data_dir)
        .context("cannot write into the data folder")?;
    let season = season::start_season_updater(&running, moved_clock);
    Ok((running, season))
}

/// Determines whether the database is seeded. Erases a partial seed, but only in the demo's own
/// Postgres, never in a configured database.
async fn prepare_database(
    postgres: &Postgres,
    database: &Database,
    data_dir: &Path,
) -> anyhow::Result<SeedState> {
    let records = Records::new(postgres.clone());
    let seed_state = seed::read_seed_state(&records).await?;
    if seed_state == SeedState::Partial {
        ensure!(
            database.uses_private_postgres(),
            "FD_DEMO_DATABASE_URL names a database with clubs of its own; the demo seeds only an empty one"
        );
        postgres.drop_all_tables().await?;
        postgres.migrate().await?;
        match std::fs::remove_dir_all(data_dir.join("sandbox")) {
            Err(failure) if failure.kind() != ErrorKind::NotFound => return Err(failure.into()),
            _ => {}
        }
    }
    Ok(seed_state)
}

/// Seeds the demo's sales on a server that is not yet reachable, stops that server, and then moves
/// the dates of the played games into the past.
async fn run_seed_server(
    parts: ServerParts,
    postgres: &Postgres,
    sandbox: &Sandbox,
) -> anyhow::Result<()> {
    let now = parts.clock.now();
    let running = app::start(parts).await?;
    let played = seed::SeedRun {
        running: &running,
        sandbox,
        now,
    }
    .seed_all()
    .await;
    running.stop().await?;
    seed::finish_seeding(postgres, played.context("seeding")?).await
}

impl Demo {
    /// Drains and stops the demo, so that the next start finds complete data.
    ///
    /// # Errors
    ///
    /// The server had already failed.
    pub async fn stop(self) -> anyhow::Result<()> {
        self.season.abort();
        let data_dir = self.running.state.config.data_dir.clone();
        self.running.stop().await?;
        RunningInstance::remove(&data_dir);
        self.database.close().await;
        Ok(())
    }
}

/// Prints the demo's URLs and logins on one screen. All of it is one write call, and a failed write
/// is ignored, so that a reader that closes the pipe early does not stop the demo.
fn print_addresses(running: &RunningServer, configured_port: u16) {
    let config = &running.state.config;
    let (url, data_dir) = (&config.public_url, config.data_dir.display());
    let mut logins = format!(
        "    {:<22} {}\n",
        "operator",
        authenticator::DEMO_OPERATOR_EMAIL
    );
    for club in &plan::CLUBS {
        let _ = writeln!(logins, "    {:<22} {}@demo.test", club.name, club.slug);
        let staff = plan::STAFF
            .iter()
            .filter(|_| club.slug == plan::CLUBS[0].slug);
        for (role, _) in staff {
            let what = format!("  its {}", role.name());
            let login = club_staff::staff_email(*role, club.slug);
            let _ = writeln!(logins, "    {what:<22} {login}");
        }
    }
    let chosen = if configured_port == 0 {
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
{chosen}  The mailbox page shows the operator's six-digit code.
  Cards: 4242 4242 4242 4242 pays, 4000 0000 0000 0002 is declined. Ctrl-C stops; data stay in {data_dir}.

",
        plan::CLUBS[0].slug
    );
    let _ = std::io::stdout().lock().write_all(greeting.as_bytes());
}
