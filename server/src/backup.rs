//! The private Postgres in one file, and back.

use std::path::{Path, PathBuf};

use anyhow::{bail, ensure};
use persistence::embedded::{backup, restore};
use persistence::records::Records;

use crate::config::Config;
use crate::database::Database;

/// Files that belong to the books, where there are any: what clubs upload today is in the books themselves.
const UPLOADS: &str = "uploads";

/// Draws that may have been made since a backup, and more: their numbers are public, each with its promise (decision K-1), and
/// payments name them at the provider.
pub(crate) const NUMBERS_SKIPPED: i64 = 10_000;

/// Writes the books as they are now into a new file; a demo may be running beside.
///
/// # Errors
/// One line; nothing is left behind.
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
    let database = Database::reach(config).await?;
    let uploads = config.data_dir.join(UPLOADS);
    let written = backup::back_up(database.url.expose(), &[(UPLOADS, &uploads)], file).await;
    database.close().await;
    println!(
        "Written: {} ({} kB).",
        file.display(),
        written?.div_ceil(1024)
    );
    println!(
        "The key that opens its seals is not in it. Keep a copy elsewhere: {}",
        key(config)
    );
    Ok(())
}

/// Puts a backup in the place of what the data folder holds, brings its shape up to date and checks it.
///
/// # Errors
/// One line; until the file has been read whole, nothing changes.
pub async fn restore(config: &Config, file: &Path) -> anyhow::Result<()> {
    ensure!(
        config.database_url.is_none(),
        "DATABASE_URL names a PostgreSQL of its own: restore it with its own programs, \
         for example pg_restore --clean --if-exists --dbname=\"$DATABASE_URL\" {0}, \
         then pg_restore --clean --if-exists --dbname=\"$BANK_DATABASE_URL\" {0}.bank, then server migrate, then server fence",
        file.display()
    );
    std::fs::create_dir_all(&config.data_dir)?;
    let data_dir = config.data_dir.canonicalize()?;
    let uploads = data_dir.join(UPLOADS);
    let aside = restore::restore(&data_dir.join("postgres"), &[(UPLOADS, &uploads)], file).await?;
    let checked = check(&Config {
        data_dir,
        ..config.clone()
    })
    .await;
    for folder in &aside {
        println!(
            "What was there before is in {}; remove it when it is not needed.",
            folder.display()
        );
    }
    let broken = checked?;
    ensure!(broken.is_empty(), "restored, but:\n{}", broken.join("\n"));
    println!(
        "Restored from {}. Now start the server, or look first: server audit",
        file.display()
    );
    Ok(())
}

/// Every invariant over what was restored. A wrong key shows as a deal that its commitment does not fit.
async fn check(config: &Config) -> anyhow::Result<Vec<String>> {
    let is_keyed = config.seal_key.is_some() || PathBuf::from(key(config)).is_file();
    let database = Database::open(config).await?;
    let checked = async {
        if !is_keyed {
            bail!(
                "restored, but the key that opens its seals is missing: put it back into {}",
                key(config)
            );
        }
        let postgres = database.connect(config).await?;
        postgres.migrate().await?;
        Records::new(postgres.clone())
            .skip_draw_numbers(NUMBERS_SKIPPED)
            .await?;
        Ok(postgres.violations().await?)
    };
    let checked = checked.await;
    database.close().await;
    let broken = checked?;
    let sealed = broken
        .iter()
        .filter(|found| found.invariant == persistence::integrity::COMMITMENT)
        .count();
    if sealed > 0 {
        bail!(
            "restored, but {} does not open {sealed} of its deals: put the key of that time there",
            key(config)
        );
    }
    Ok(broken
        .into_iter()
        .map(|found| format!("{}  {}", found.invariant, found.object))
        .collect())
}

/// Where the sealing key is.
fn key(config: &Config) -> String {
    match config.seal_key {
        Some(_) => "SEAL_KEY".to_string(),
        None => config.data_dir.join("seal.key").display().to_string(),
    }
}
