//! The command line. Without a command it runs the demo, if it is compiled in.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::ensure;
use clap::{Parser, Subcommand};
use domain::AccountId;
use mimalloc::MiMalloc;
use persistence::records::audit_chain::AuditAnchor;
#[cfg(feature = "demo")]
use server::cli::demo;
use server::cli::doctor::{self, DoctorOptions, Finding};
use server::cli::{audit, command, serve};
use server::config::{Config, Environment, Stage};
use server::ops::{backup, telemetry};
use server::render::renderer::child;

/// Cheaper than the system's allocator for memory that one thread allocates and another frees
/// (loadtest/PERFORMANCE.md).
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// Football Doubles: ticket draws for rugby league clubs.
#[derive(Parser)]
#[command(name = "server", version)]
#[cfg_attr(
    feature = "demo",
    command(
        about = "Football Doubles: ticket draws for rugby league clubs. Without a command: the demo."
    )
)]
#[cfg_attr(not(feature = "demo"), command(subcommand_required = true))]
struct Arguments {
    /// For a command: use the demo's private Postgres in `FD_DATA_DIR`, not the one `DATABASE_URL`
    /// names
    #[cfg(feature = "demo")]
    #[arg(long, global = true)]
    demo: bool,
    #[command(subcommand)]
    command: Option<ServerCommand>,
}

#[derive(Subcommand)]
enum ServerCommand {
    /// Serve in production: all settings come from the environment (.env.example)
    Serve,
    /// Migrate the database
    Migrate,
    /// Manage operators' accounts
    Operator {
        #[command(subcommand)]
        command: OperatorCommand,
    },
    /// Put a season's games on sale: all of the file, or none of it
    ImportFixtures(ImportArguments),
    /// Print the `OpenAPI` description of every call as JSON
    Openapi,
    /// Write the private Postgres into one new file; the sealing key is not included
    Backup { file: PathBuf },
    /// Replace the data folder's database with a backup; the old one is moved aside
    Restore { file: PathBuf },
    /// After a failover or a restore, and before a server starts: refuse writes of servers started
    /// before it, and close sales until the database was compared with Stripe
    /// (server/deploy/README.md)
    Fence,
    /// Compare the database with itself and with Stripe; exits 1 when anything disagrees
    Audit {
        /// An anchor of the audit log that was kept outside the database, as the daily mail and the
        /// log line write it
        #[arg(long)]
        anchor: Option<AuditAnchor>,
    },
    /// Check the configuration against Stripe, the DNS and the database; exits 1 when anything is
    /// wrong. Changes nothing, unless --rehearse is given
    Doctor(DoctorArguments),
    /// Decode one untrusted picture within limits; the server starts it for each upload
    #[command(hide = true)]
    RenderPicture {
        #[arg(long)]
        limited: bool,
    },
}

#[derive(Subcommand)]
enum OperatorCommand {
    /// Create an account; the password is read from standard input
    Create {
        #[arg(long)]
        email: String,
        #[arg(long, default_value = "Operator")]
        name: String,
    },
    /// For a lost phone: the account enrols a new authenticator at its next sign-in, and all its
    /// sessions end
    ForgetSecondFactor { email: String },
}

#[derive(clap::Args)]
struct DoctorArguments {
    /// Print the findings as a JSON array
    #[arg(long)]
    json: bool,
    /// With a test key only: make payments and check each answer of Stripe
    #[arg(long)]
    rehearse: bool,
    /// The connected account for --rehearse, `acct_…`; the first club's by default
    #[arg(long, requires = "rehearse")]
    account: Option<String>,
    /// The selector of the mail server's DKIM key, which the DNS cannot list
    #[arg(long)]
    dkim_selector: Option<String>,
    /// The DNS server to ask, 127.0.0.1:53 say; the system's by default
    #[arg(long)]
    dns_server: Option<SocketAddr>,
}

#[derive(clap::Args)]
struct ImportArguments {
    /// CSV with a header line
    file: PathBuf,
    /// The selling club's slug
    #[arg(long)]
    club: String,
    /// Ticket price in dollars
    #[arg(long)]
    price: String,
    /// Prize percentage, 1 to 100
    #[arg(long)]
    prize: u8,
    /// Contact shown to buyers on every draw's page; the club's own name by default
    #[arg(long)]
    contact_name: Option<String>,
    /// Phone shown to buyers; the club's own by default
    #[arg(long)]
    contact_phone: Option<String>,
    /// Report what would be put on sale, and write nothing
    #[arg(long)]
    dry_run: bool,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    // Run the picture renderer before any runtime starts, because the runtime's threads would count
    // against the renderer's resource limits.
    if let Some(ServerCommand::RenderPicture { limited }) = arguments.command {
        return child::run_picture_renderer(limited);
    }
    actix_web::rt::System::new().block_on(run_and_report(arguments))
}

async fn run_and_report(arguments: Arguments) -> ExitCode {
    match dispatch_command(arguments).await {
        Ok(code) => code,
        Err(failure) => {
            eprintln!("{failure:#}");
            ExitCode::FAILURE
        }
    }
}

async fn dispatch_command(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let environment = Environment::from_process_variables();
    #[cfg(feature = "demo")]
    let uses_demo = arguments.demo;
    #[cfg(not(feature = "demo"))]
    let uses_demo = false;
    let Some(command) = arguments.command else {
        return run_without_command(&environment).await;
    };
    if let ServerCommand::Openapi = command {
        println!("{:#}", server::http::openapi::document());
        return Ok(ExitCode::SUCCESS);
    }
    if let ServerCommand::Serve = command {
        ensure!(
            !uses_demo,
            "serve takes no --demo: start the demo without a command"
        );
        telemetry::start(Stage::Production);
        serve::run(Config::for_production(&environment)?).await?;
        return Ok(ExitCode::SUCCESS);
    }
    telemetry::start(Stage::Demo);
    let config = if uses_demo {
        Config::for_demo(&environment)?
    } else {
        Config::for_database_tool(&environment)?
    };
    match command {
        ServerCommand::Serve | ServerCommand::Openapi | ServerCommand::RenderPicture { .. } => {}
        ServerCommand::Migrate => command::migrate(&config).await?,
        ServerCommand::Operator {
            command: OperatorCommand::Create { email, name },
        } => {
            command::create_operator(&config, &email, &name).await?;
        }
        ServerCommand::Operator {
            command: OperatorCommand::ForgetSecondFactor { email },
        } => {
            command::forget_second_factor(&config, &email).await?;
        }
        ServerCommand::ImportFixtures(import) => {
            let terms = command::ImportTerms {
                club: import.club,
                price: import.price,
                prize_percentage: import.prize,
                contact_name: import.contact_name,
                contact_phone: import.contact_phone,
            };
            let mode = if import.dry_run {
                command::ImportMode::DryRun
            } else {
                command::ImportMode::Write
            };
            command::import_fixtures(&config, &import.file, &terms, mode).await?;
        }
        ServerCommand::Fence => command::fence(&config).await?,
        ServerCommand::Backup { file } => backup::back_up(&config, &file).await?,
        ServerCommand::Restore { file } => backup::restore(&config, &file).await?,
        ServerCommand::Doctor(doctor) => return run_doctor(&config, doctor).await,
        ServerCommand::Audit { anchor } => {
            let findings = audit::run(&config, anchor.as_ref()).await?;
            print!("{findings}");
            return Ok(if findings.is_clean() {
                ExitCode::SUCCESS
            } else {
                ExitCode::FAILURE
            });
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn run_doctor(config: &Config, arguments: DoctorArguments) -> anyhow::Result<ExitCode> {
    let report = if arguments.rehearse {
        let account = arguments.account.map(AccountId);
        // A rehearsal takes seconds, so each step is printed as it ends.
        let print_step = |finding: &Finding| {
            if !arguments.json {
                print!("{}", finding.to_lines(0));
            }
        };
        doctor::rehearse(config, account, print_step).await?
    } else {
        let options = DoctorOptions {
            dns_server: arguments.dns_server,
            dkim_selector: arguments.dkim_selector,
        };
        doctor::examine(config, &options).await?
    };
    if arguments.json {
        println!("{}", report.to_json());
    } else if !arguments.rehearse {
        print!("{report}");
    }
    Ok(if report.is_healthy() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

#[cfg(feature = "demo")]
async fn run_without_command(environment: &Environment) -> anyhow::Result<ExitCode> {
    telemetry::start(Stage::Demo);
    demo::run(Config::for_demo(environment)?).await?;
    Ok(ExitCode::SUCCESS)
}

/// Returns an error. In a build without the demo the argument parser already requires a command.
#[cfg(not(feature = "demo"))]
#[expect(clippy::unused_async, reason = "the demo's variant waits")]
async fn run_without_command(_: &Environment) -> anyhow::Result<ExitCode> {
    anyhow::bail!("a command is missing: see --help")
}
