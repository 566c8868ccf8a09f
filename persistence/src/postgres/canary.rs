//! A sealed test value (canary) in the database. It shows whether the configured sealing key is the
//! one that the database was sealed with, before any secret is sealed or opened.

use super::Postgres;
use crate::error::Failure;
use crate::seal::SEED_SEAL_PURPOSE;

const CANARY_PURPOSE: &str = "seal-canary";
const CANARY_ID: i64 = 1;
const CANARY_PLAINTEXT: &[u8] = b"football-doubles";

/// The result of checking the sealing key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SealingKeyCheck {
    Opens,
    WrongKey,
    /// The database has no canary yet. The key opens the seed of the newest draw, if there is a
    /// draw.
    Missing,
}

impl Postgres {
    /// Checks the sealing key by opening the canary. If the database has no canary, checks whether
    /// the key opens the newest draw's seed.
    ///
    /// # Errors
    ///
    /// The database could not be read.
    pub async fn check_sealing_key(&self) -> Result<SealingKeyCheck, Failure> {
        if self.has_table("seal_canary").await? {
            let pool = self.reads_pool().clone();
            let read = async move {
                sqlx::query_scalar!("select sealed from seal_canary")
                    .fetch_optional(&pool)
                    .await
                    .map_err(Failure::from_read_error)
            };
            if let Some(sealed) = self.run_on_database_threads(read).await? {
                let opens = self
                    .sealer()
                    .open(CANARY_PURPOSE, CANARY_ID, &sealed)
                    .is_ok_and(|text| text == CANARY_PLAINTEXT);
                return Ok(if opens {
                    SealingKeyCheck::Opens
                } else {
                    SealingKeyCheck::WrongKey
                });
            }
        }
        if !self.has_table("draws").await? {
            return Ok(SealingKeyCheck::Missing);
        }
        let pool = self.reads_pool().clone();
        let read = async move {
            sqlx::query!("select id, seed_sealed from draws order by id desc limit 1")
                .fetch_optional(&pool)
                .await
                .map_err(Failure::from_read_error)
        };
        let opens = self
            .run_on_database_threads(read)
            .await?
            .is_none_or(|draw| {
                self.sealer()
                    .open(SEED_SEAL_PURPOSE, draw.id, &draw.seed_sealed)
                    .is_ok()
            });
        Ok(if opens {
            SealingKeyCheck::Missing
        } else {
            SealingKeyCheck::WrongKey
        })
    }

    /// Writes the canary, sealed with this server's sealing key, unless the database has a canary.
    /// Another server may write a canary first, so the caller must call
    /// [`Postgres::check_sealing_key`] afterwards.
    ///
    /// # Errors
    ///
    /// The database could not be written.
    pub async fn plant_seal_canary(&self) -> Result<(), Failure> {
        let (pool, sealed) = (
            self.inner.background.clone(),
            self.sealer()
                .seal(CANARY_PURPOSE, CANARY_ID, CANARY_PLAINTEXT),
        );
        let write = async move {
            sqlx::query!(
                "insert into seal_canary (sealed) values ($1) on conflict (id) do nothing",
                sealed
            )
            .execute(&pool)
            .await
            .map_err(Failure::from_read_error)?;
            Ok(())
        };
        self.run_on_database_threads(write).await
    }

    /// Checks that the login for bank details can connect.
    ///
    /// # Errors
    ///
    /// The login is missing or refused, or the database does not answer.
    pub async fn check_bank_login(&self) -> Result<(), Failure> {
        let bank = self.bank_pool()?.clone();
        self.run_on_database_threads(async move {
            bank.acquire()
                .await
                .map(|_| ())
                .map_err(Failure::from_read_error)
        })
        .await
    }

    async fn has_table(&self, name: &'static str) -> Result<bool, Failure> {
        let pool = self.reads_pool().clone();
        let read = async move {
            // A table for which the login has no rights counts as missing.
            sqlx::query_scalar!(
                r#"select coalesce(has_table_privilege(to_regclass('public.' || $1), 'select'), false) as "exists!""#,
                name
            )
            .fetch_one(&pool)
            .await
            .map_err(Failure::from_read_error)
        };
        self.run_on_database_threads(read).await
    }
}
