//! The administration commands: migrate, create an operator, fence, import and others.

use std::io::BufRead;
use std::path::Path;

use anyhow::{Context, anyhow, ensure};
use domain::{Cents, TICKET_PRICE_MAX};
use persistence::records::Records;

use crate::config::Config;
use crate::ops::backup::DRAW_NUMBERS_SKIPPED;
use crate::ops::database::Database;
use crate::render::date_time_text;
use crate::services::fixtures::{self, Contact, ImportPlan, ImportRefusal, ImportedDrawTerms};
use crate::services::identity::password::{self, PASSWORD_BYTES_MAX, PASSWORD_CHARS_MIN};
use crate::services::identity::password_strength::{EASY_PASSWORD_MESSAGE, is_easy_to_guess};
use crate::text::plain_text;

/// Migrates the database.
///
/// # Errors
///
/// The database cannot be reached, or a migration fails. Each migration is one transaction.
pub async fn migrate(config: &Config) -> anyhow::Result<()> {
    let database = Database::open_for_command(config).await?;
    let migrated = async {
        let postgres = database.connect(config).await?;
        Database::migrate(&postgres, config).await?;
        Ok::<_, anyhow::Error>(postgres.has_bank_login())
    };
    let migrated = migrated.await;
    database.close().await;
    let has_bank_login = migrated?;
    println!("The database is up to date.");
    if !has_bank_login {
        println!(
            "Without BANK_DATABASE_URL no bank details can be kept: set it, and migrate once more (.env.example)."
        );
    }
    Ok(())
}

/// Creates an operator's account. The password is the first line of standard input, so that it
/// never enters a shell history.
///
/// # Errors
///
/// The password is too short or too easy to guess, or the e-mail already has an account.
pub async fn create_operator(config: &Config, email: &str, name: &str) -> anyhow::Result<()> {
    ensure!(email.contains('@'), "{email} is no e-mail address");
    let mut password = String::new();
    eprintln!("Password (at least {PASSWORD_CHARS_MIN} characters), then Enter:");
    std::io::stdin().lock().read_line(&mut password)?;
    let password = password.trim_end_matches(['\r', '\n']);
    ensure!(
        password.chars().count() >= PASSWORD_CHARS_MIN,
        "a password has at least {PASSWORD_CHARS_MIN} characters"
    );
    ensure!(
        password.len() <= PASSWORD_BYTES_MAX,
        "a password has at most {PASSWORD_BYTES_MAX} bytes"
    );
    let about = vec![email.to_string(), name.to_string()];
    ensure!(
        !is_easy_to_guess(password.to_string(), about)
            .await
            .map_err(|_| anyhow!("stopping"))?,
        "{EASY_PASSWORD_MESSAGE}"
    );
    let hash = password::hash(password);
    let database = Database::open_for_command(config).await?;
    let created = async {
        let records = Records::new(database.connect_if_migrated(config).await?);
        ensure!(
            !records.is_email_taken(email).await?,
            "{email} has an account already"
        );
        Ok(records
            .create_admin(email, &plain_text::sanitise_line(name), &hash)
            .await?)
    };
    let created = created.await;
    database.close().await;
    created?;
    println!("Operator {email} can log in.");
    Ok(())
}

/// Lets an operator who lost the phone enrol a new authenticator. The password stays the same.
///
/// # Errors
///
/// No operator has this e-mail.
pub async fn forget_second_factor(config: &Config, email: &str) -> anyhow::Result<()> {
    let database = Database::open_for_command(config).await?;
    let forgotten = async {
        let records = Records::new(database.connect_if_migrated(config).await?);
        ensure!(
            records.forget_second_factor(email).await?,
            "no operator has the e-mail {email}"
        );
        Ok(())
    };
    let forgotten = forgotten.await;
    database.close().await;
    forgotten?;
    println!("{email} sets up a new authenticator at the next sign-in; every session has ended.");
    Ok(())
}

/// Makes the database refuse the writes of all servers that started before now. It is needed after
/// a failover or a restore, because such servers may rely on commits that the database has lost.
///
/// # Errors
///
/// The database cannot be reached, or the outcome is unknown. Run the command again.
pub async fn fence(config: &Config) -> anyhow::Result<()> {
    let database = Database::open_for_command(config).await?;
    let fenced = async {
        let records = Records::new(database.connect_if_migrated(config).await?);
        Ok::<_, anyhow::Error>(records.fence_all_draws(DRAW_NUMBERS_SKIPPED).await?)
    };
    let fenced = fenced.await;
    database.close().await;
    println!(
        "{} draws are fenced: writes of servers started before are refused.",
        fenced?
    );
    println!(
        "Sales are closed. Start the servers: they find payments of unknown orders. When `server audit` says that nothing \
         disagrees, and no anomaly is open, switch maintenance off in the console."
    );
    Ok(())
}

/// Arguments of the `import-fixtures` command, as typed.
#[derive(Clone, Debug)]
pub struct ImportTerms {
    /// The selling club's slug.
    pub club: String,
    /// The ticket price in dollars.
    pub price: String,
    pub prize_percentage: u8,
    /// The contact shown to buyers. `None` uses the club's name.
    pub contact_name: Option<String>,
    pub contact_phone: Option<String>,
}

/// Whether an import writes the draws or only checks the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportMode {
    /// Report what would be imported, and write nothing.
    DryRun,
    Write,
}

/// Puts a season's games on sale: all games of the file that are not on sale yet, or none.
///
/// # Errors
///
/// Every invalid line with its number. No draw was written.
pub async fn import_fixtures(
    config: &Config,
    file: &Path,
    terms: &ImportTerms,
    mode: ImportMode,
) -> anyhow::Result<()> {
    let table =
        std::fs::read(file).with_context(|| format!("{} cannot be read", file.display()))?;
    let price = Cents::parse(&terms.price).filter(|price| *price >= Cents(1));
    let price = price.with_context(|| format!("{} is no price in dollars", terms.price))?;
    ensure!(
        price <= TICKET_PRICE_MAX,
        "a ticket costs at most {TICKET_PRICE_MAX}"
    );
    ensure!(
        (1..=100).contains(&terms.prize_percentage),
        "a prize percentage lies between 1 and 100"
    );
    let database = Database::open_for_command(config).await?;
    let imported = async {
        let records = Records::new(database.connect_if_migrated(config).await?);
        let club = records
            .clubs()
            .await?
            .into_iter()
            .find(|club| club.slug.eq_ignore_ascii_case(&terms.club));
        let club = club.with_context(|| format!("no club has the slug {}", terms.club))?;
        let contact = Contact::from_input_or_club(
            &club,
            terms.contact_name.as_deref(),
            terms.contact_phone.as_deref(),
        );
        let contact =
            contact.map_err(|error| anyhow!("{}", error.first_message().unwrap_or_default()))?;
        let (prize_percentage, fee_policy) = (terms.prize_percentage, config.fees.policy);
        let common = ImportedDrawTerms {
            price,
            prize_percentage,
            fee_policy,
            contact,
        };
        let plan = fixtures::plan_import(
            &records,
            club.id,
            &table,
            &common,
            records.database_time().await?,
        )
        .await;
        let plan = plan.map_err(|refusal| import_error(refusal, file))?;
        if !plan.problems.is_empty() {
            return Err(import_error(ImportRefusal::Lines(plan.problems), file));
        }
        let numbers = match mode {
            ImportMode::DryRun => Vec::new(),
            ImportMode::Write => records.create_draws(&plan.rows).await?,
        };
        Ok::<_, anyhow::Error>((plan, numbers))
    };
    let imported = imported.await;
    database.close().await;
    let (plan, numbers) = imported?;
    print_import_plan(&plan, &terms.club);
    match (mode, numbers.first(), numbers.last()) {
        (ImportMode::DryRun, _, _) => println!("Dry run: nothing was written."),
        (ImportMode::Write, Some(first), Some(last)) => {
            println!("{} draws are on sale: {first} to {last}.", numbers.len());
        }
        (ImportMode::Write, _, _) => println!("Nothing new."),
    }
    Ok(())
}

fn import_error(refusal: ImportRefusal, file: &Path) -> anyhow::Error {
    match refusal {
        ImportRefusal::Lines(lines) => {
            let lines: Vec<String> = lines
                .iter()
                .map(|error| format!("{}:{}: {}", file.display(), error.line, error.message))
                .collect();
            anyhow!("{}\nNothing was imported.", lines.join("\n"))
        }
        ImportRefusal::Failed(failure) => failure.into(),
    }
}

fn print_import_plan(plan: &ImportPlan, club: &str) {
    for row in &plan.rows {
        println!(
            "{}  {} v {}",
            date_time_text::date_time_with_zone(row.kick_off, &row.zone),
            row.home_team,
            row.away_team
        );
    }
    println!(
        "{} games for {club}, {} on sale already.",
        plan.rows.len(),
        plan.known
    );
}
