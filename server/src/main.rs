//! The command line. Without a command: the demo.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use mimalloc::MiMalloc;
use server::config::{Config, Environment, Stage};
use server::{audit, backup, command, demo, serve, telemetry};

/// Memory that one thread takes and another gives back is cheaper with it than with the system's (loadtest/PERFORMANCE.md).
#[global_allocator]
static MEMORY: MiMalloc = MiMalloc;

/// Football Doubles: ticket draws for rugby league clubs.
#[derive(Parser)]
#[command(
    name = "server",
    version,
    about = "Football Doubles: ticket draws for rugby league clubs. Without a command: the demo."
)]
struct Arguments {
    #[command(subcommand)]
    what: Option<What>,
}

#[derive(Subcommand)]
enum What {
    /// Serve for real: everything from the environment (.env.example), nothing made up
    Serve,
    /// Bring the database's shape up to date
    Migrate,
    /// Accounts of people who run the platform
    Operator {
        #[command(subcommand)]
        what: OperatorWhat,
    },
    /// Put a season's games on sale: all of the file, or none of it
    ImportFixtures(Import),
    /// Print the description of every call (OpenAPI, JSON)
    Openapi,
    /// Write the private Postgres, as it is now, into one new file; the sealing key is not in it
    Backup { file: PathBuf },
    /// Put a backup in the place of what the data folder holds, which is moved aside
    Restore { file: PathBuf },
    /// After Postgres failed over or was restored, and before a server starts: refuse what servers of before still write, and
    /// close sales until the books were compared with the provider (server/deploy/README.md)
    Fence,
    /// Compare the books with each other and with the provider; exits 1 when anything disagrees
    Audit,
}

#[derive(Subcommand)]
enum OperatorWhat {
    /// Make an account; the password is read from standard input
    Create {
        #[arg(long)]
        email: String,
        #[arg(long, default_value = "Operator")]
        name: String,
    },
    /// For a lost phone: the account enrols a new authenticator at its next sign-in, and every session of it ends
    ForgetSecondFactor { email: String },
}

#[derive(clap::Args)]
struct Import {
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
    /// Whom buyers ask, on every draw's page: the club's own name unless said
    #[arg(long)]
    contact_name: Option<String>,
    /// The phone they are given: the club's own unless said
    #[arg(long)]
    contact_phone: Option<String>,
    /// Say what would be put on sale, and write nothing
    #[arg(long)]
    dry_run: bool,
}

#[actix_web::main]
async fn main() -> ExitCode {
    match run(Arguments::parse()).await {
        Ok(code) => code,
        Err(failure) => {
            eprintln!("{failure:#}");
            ExitCode::FAILURE
        }
    }
}

async fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let environment = Environment::of_the_process();
    let Some(what) = arguments.what else {
        telemetry::start(Stage::Demo);
        demo::run(Config::demo(&environment)?).await?;
        return Ok(ExitCode::SUCCESS);
    };
    if let What::Openapi = what {
        println!("{:#}", server::openapi::document());
        return Ok(ExitCode::SUCCESS);
    }
    if let What::Serve = what {
        telemetry::start(Stage::Production);
        serve::run(Config::production(&environment)?).await?;
        return Ok(ExitCode::SUCCESS);
    }
    telemetry::start(Stage::Demo);
    let config = Config::tool(&environment)?;
    match what {
        What::Serve | What::Openapi => {}
        What::Migrate => command::migrate(&config).await?,
        What::Operator {
            what: OperatorWhat::Create { email, name },
        } => {
            command::create_operator(&config, &email, &name).await?;
        }
        What::Operator {
            what: OperatorWhat::ForgetSecondFactor { email },
        } => {
            command::forget_second_factor(&config, &email).await?;
        }
        What::ImportFixtures(import) => {
            let terms = command::Terms {
                club: import.club,
                price: import.price,
                prize_percentage: import.prize,
                contact_name: import.contact_name,
                contact_phone: import.contact_phone,
            };
            let writing = if import.dry_run {
                command::Writing::DryRun
            } else {
                command::Writing::ForReal
            };
            command::import_fixtures(&config, &import.file, &terms, writing).await?;
        }
        What::Fence => command::fence(&config).await?,
        What::Backup { file } => backup::back_up(&config, &file).await?,
        What::Restore { file } => backup::restore(&config, &file).await?,
        What::Audit => {
            let findings = audit::run(&config).await?;
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
