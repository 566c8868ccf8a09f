//! Backs up the private Postgres into one file, and restores it.

use std::path::{Path, PathBuf};

use anyhow::{bail, ensure};
use persistence::embedded::{backup, restore};
use persistence::records::Records;

use crate::config::Config;
use crate::ops::database::Database;
use crate::ops::private_files;

/// Folder of uploaded files, if there is one. New uploads are stored in the database.
const UPLOADS_FOLDER: &str = "uploads";

/// How many draw numbers are skipped after a restore. Draws created after the backup may have
/// published their numbers and commitments (decision K-1), and payments at Stripe name them. So the
/// numbers must not be used again.
pub(crate) const DRAW_NUMBERS_SKIPPED: i64 = 10_000;

/// Writes the current database into a new file. A demo may be running at the same time.
///
/// # Errors
///
/// A one-line error. No partial file is left behind.
pub async fn back_up(config: &Config, file: &Path) -> anyhow::Result<()> {
    ensure!(
        config.database_url.is_none(),
        "DATABASE_URL names a PostgreSQL of its own: back it up with its own programs, \
         for example pg_dump --format=custom --exclude-schema=bank --file={0} \"$DATABASE_URL\", \
         and bank details apart: pg_dump --format=custom --schema=bank --file={0}.bank \"$BANK_DATABASE_URL\"",
        file.display()
    );
    ensure!(
        config.data_dir.is_dir(),
        "there is no data folder {} to back up",
        config.data_dir.display()
    );
    let database = Database::open_for_command(config).await?;
    let uploads = config.data_dir.join(UPLOADS_FOLDER);
    let size = backup::back_up(database.url.expose(), &[(UPLOADS_FOLDER, &uploads)], file).await;
    database.close().await;
    println!("Written: {} ({} kB).", file.display(), size?.div_ceil(1024));
    println!(
        "The sealing key is not included. Keep a copy elsewhere: {}",
        sealing_key_location(config)
    );
    Ok(())
}

/// Replaces the database in the data folder with a backup, migrates it and checks it.
///
/// # Errors
///
/// A one-line error. The current database stays until the whole backup file has been read.
pub async fn restore(config: &Config, file: &Path) -> anyhow::Result<()> {
    ensure!(
        config.database_url.is_none(),
        "DATABASE_URL names a PostgreSQL of its own: restore it with its own programs, \
         for example pg_restore --clean --if-exists --dbname=\"$DATABASE_URL\" {0}, \
         then pg_restore --clean --if-exists --dbname=\"$BANK_DATABASE_URL\" {0}.bank, then server migrate, then server fence",
        file.display()
    );
    private_files::protect_data_dir(&config.data_dir)?;
    let data_dir = config.data_dir.canonicalize()?;
    let uploads = data_dir.join(UPLOADS_FOLDER);
    let moved_aside = restore::restore(
        &data_dir.join("postgres"),
        &[(UPLOADS_FOLDER, &uploads)],
        file,
    )
    .await?;
    let checked = check_invariants(&Config {
        data_dir,
        ..config.clone()
    })
    .await;
    for folder in &moved_aside {
        println!(
            "The previous data are in {}; remove them when they are not needed.",
            folder.display()
        );
    }
    let violations = checked?;
    ensure!(
        violations.is_empty(),
        "restored, but:\n{}",
        violations.join("\n")
    );
    println!(
        "Restored from {}. Start the server, or check first: server audit",
        file.display()
    );
    Ok(())
}

/// Checks every invariant of the restored database. This also finds a wrong sealing key, because
/// deals then do not match their commitments.
async fn check_invariants(config: &Config) -> anyhow::Result<Vec<String>> {
    let has_key =
        config.seal_key.is_some() || PathBuf::from(sealing_key_location(config)).is_file();
    let database = Database::open(config).await?;
    let checked = async {
        if !has_key {
            bail!(
                "restored, but the sealing key is missing: put it back into {}",
                sealing_key_location(config)
            );
        }
        let postgres = database.connect(config).await?;
        Database::migrate(&postgres, config).await?;
        Records::new(postgres.clone())
            .skip_draw_numbers(DRAW_NUMBERS_SKIPPED)
            .await?;
        Ok(postgres.violations().await?)
    };
    let checked = checked.await;
    database.close().await;
    let violations = checked?;
    let unopened_deals = violations
        .iter()
        .filter(|found| found.invariant == persistence::integrity::SEED_COMMITMENT_INVARIANT)
        .count();
    if unopened_deals > 0 {
        bail!(
            "restored, but {} does not open {unopened_deals} deals: put the key of the backup's time there",
            sealing_key_location(config)
        );
    }
    Ok(violations
        .into_iter()
        .map(|found| format!("{}  {}", found.invariant, found.object))
        .collect())
}

/// Describes where the sealing key is configured: in an environment variable or in a file.
fn sealing_key_location(config: &Config) -> String {
    match config.seal_key {
        Some(_) => "SEAL_KEY".to_string(),
        None => config.data_dir.join("seal.key").display().to_string(),
    }
}
