//! Reads and writes rows that no actor owns: clubs, listings, settings, sessions, footers, offers,
//! payouts. An HTTP request uses them directly.

use std::sync::Arc;

use domain::{ClubId, Timestamp};
use sqlx::{Execute, PgConnection, PgPool};
use time::OffsetDateTime;

use crate::integrity::Violation;
use crate::link_secrets::{LinkKind, link_id};
use crate::records::audit::{AuditEntry, SignedAuditEntry};
use crate::{Failure, Postgres};

pub mod admins;
pub mod audit;
pub mod audit_chain;
pub mod bank_changes;
pub mod bundles;
pub mod claims;
pub mod clock;
pub mod club_dashboard;
pub mod club_users;
pub mod clubs;
pub mod console;
pub mod credentials;
pub mod draws;
pub mod erasure;
pub mod fail_over;
pub mod failed_payments;
pub mod financials;
pub mod footers;
pub mod inspection;
pub mod listings;
pub mod offer_edits;
pub mod offers;
pub mod order_reminders;
pub mod pages;
pub mod payouts;
pub mod proofs;
pub mod refunds;
pub mod rehearsal;
pub mod result_reminders;
pub mod second_factor;
pub mod sessions;
pub mod settings;
pub mod terms;
pub mod ticket_history;
pub mod ticket_links;
pub mod tickets;
pub mod tries;
pub mod uploads;
pub mod waitlist;
pub mod webhook_lookups;
pub mod winner_progress;

/// The name under which the audit log records a command that was typed on the machine itself.
const COMMAND_LINE_ACTOR: &str = "command line";

/// Reads and writes the rows that no actor owns. Also reads rows that actors own. Clones are cheap.
#[derive(Clone)]
pub struct Records {
    postgres: Postgres,
    signer: Option<Arc<SignedAuditEntry>>,
}

impl Records {
    pub fn new(postgres: Postgres) -> Records {
        Records {
            postgres,
            signer: None,
        }
    }

    /// Returns a copy of this handle that writes the audit entry `act` in the transaction of every
    /// change. A call that changes nothing writes no entry.
    #[must_use]
    pub fn with_audit_entry(&self, act: AuditEntry) -> Records {
        let sealer = self.postgres.sealer().clone();
        Records {
            signer: Some(Arc::new(SignedAuditEntry { entry: act, sealer })),
            ..self.clone()
        }
    }

    /// Checks that the database answers and accepts writes. The readiness check calls it. A
    /// read-only database counts as failed, although pages can still be read from it.
    ///
    /// # Errors
    ///
    /// The database does not answer, or is read-only.
    pub async fn check_reachable(&self) -> Result<(), Failure> {
        let query = sqlx::query_scalar!(
            r#"select current_setting('transaction_read_only')::boolean as "reads_only!""#
        );
        let reads_only = self
            .run_read(async move |pool: PgPool| query.fetch_one(&pool).await)
            .await?;
        if reads_only {
            Err(Failure::NotWritten("the database is read-only".into()))
        } else {
            Ok(())
        }
    }

    /// Returns the database's violated invariants: see [`Postgres::violations`]. Reads all tables.
    ///
    /// # Errors
    ///
    /// The database could not be read.
    pub async fn violations(&self) -> Result<Vec<Violation>, Failure> {
        self.postgres.violations().await
    }

    /// Returns the catalogue's revision, which grows when lists of clubs or draws change. While it
    /// is unchanged, a cached page made from clubs, draws' fixed facts and footers is current.
    ///
    /// # Errors
    ///
    /// The database could not be read.
    pub async fn catalogue_revision(&self) -> Result<i64, Failure> {
        self.run_read(async |pool: PgPool| {
            sqlx::query_scalar!("select revision from catalogue")
                .fetch_one(&pool)
                .await
        })
        .await
    }

    /// Seals a secret and returns it as hexadecimal text, such as the account link in a queued
    /// mail.
    pub fn seal(&self, purpose: &str, id: &str, words: &str) -> String {
        hex::encode(self.postgres.sealer().seal(purpose, id, words.as_bytes()))
    }

    /// Derives a key for one purpose from the sealing key. The key is the same on every node.
    pub fn derive_key(&self, purpose: &str) -> [u8; 32] {
        self.postgres.sealer().derive(purpose)
    }

    /// Opens text that [`Records::seal`] returned.
    ///
    /// # Errors
    /// [`Failure::Corrupt`] when it was sealed with another key, for another purpose or id, or was
    /// changed.
    pub fn unseal(&self, purpose: &str, id: &str, sealed: &str) -> Result<String, Failure> {
        let damaged = || Failure::Corrupt(format!("{purpose}:{id} is not sealed text"));
        let sealed = hex::decode(sealed).map_err(|_| damaged())?;
        String::from_utf8(self.postgres.sealer().open(purpose, id, &sealed)?).map_err(|_| damaged())
    }

    /// Returns the hash to store for a new link, given the SHA-256 of its secret.
    fn link_hash(&self, kind: LinkKind, sha256: &[u8; 32]) -> Vec<u8> {
        self.postgres.secrets().link_hash(kind, sha256)
    }

    /// Returns both hashes under which a row may store a link: the keyed hash and the plain SHA-256
    /// hash.
    fn link_hashes(&self, kind: LinkKind, sha256: &[u8; 32]) -> Vec<Vec<u8>> {
        self.postgres.secrets().link_hashes(kind, sha256)
    }

    /// Returns a short id of a link, used in the dedupe key of the link's mail. It reveals nothing
    /// about the link's secret.
    pub fn link_id(&self, kind: LinkKind, sha256: &[u8; 32]) -> String {
        link_id(&self.link_hash(kind, sha256))
    }

    /// Converts secrets that an earlier version stored: see [`Postgres::convert_link_secrets`].
    ///
    /// # Errors
    ///
    /// The database could not be read or written.
    pub async fn convert_link_secrets(&self) -> Result<u64, Failure> {
        self.postgres.convert_link_secrets().await
    }

    /// Runs a read on the database threads. The read completes even if the caller is cancelled.
    async fn run_read<T, W>(&self, work: impl FnOnce(PgPool) -> W) -> Result<T, Failure>
    where
        T: Send + 'static,
        W: Future<Output = Result<T, sqlx::Error>> + Send + 'static,
    {
        let work = work(self.postgres.reads_pool().clone());
        self.postgres
            .run_on_database_threads(async move { work.await.map_err(Failure::from_read_error) })
            .await
    }

    /// Runs a write on the database threads, and runs it again when it collides with another
    /// transaction. When the connection to the database is lost, the result is
    /// [`Failure::Unknown`], even if the write had not begun.
    async fn run_write<T, W, F>(&self, work: W) -> Result<T, Failure>
    where
        T: Send + 'static,
        W: FnOnce(PgPool) -> F + Clone + Send + 'static,
        F: Future<Output = Result<T, sqlx::Error>> + Send + 'static,
    {
        let pool = self.postgres.reads_pool().clone();
        self.postgres
            .write_with_retries(async move || work(pool).await.map_err(Failure::from_commit_error))
            .await
    }
}

impl Records {
    /// Runs a read like `Records::run_read`, but with the login for bank details, the only one that
    /// has access to them (decision F-7).
    async fn run_bank_read<T, W>(&self, work: impl FnOnce(PgPool) -> W) -> Result<T, Failure>
    where
        T: Send + 'static,
        W: Future<Output = Result<T, sqlx::Error>> + Send + 'static,
    {
        let work = work(self.postgres.bank_pool()?.clone());
        self.postgres
            .run_on_database_threads(async move { work.await.map_err(Failure::from_read_error) })
            .await
    }

    async fn run_bank_write<T, W, F>(&self, work: W) -> Result<T, Failure>
    where
        T: Send + 'static,
        W: FnOnce(PgPool) -> F + Clone + Send + 'static,
        F: Future<Output = Result<T, sqlx::Error>> + Send + 'static,
    {
        let pool = self.postgres.bank_pool()?.clone();
        self.postgres
            .write_with_retries(async move || work(pool).await.map_err(Failure::from_commit_error))
            .await
    }
}

/// An SQL statement with its bound values.
type Statement = sqlx::query::Query<'static, sqlx::Postgres, sqlx::postgres::PgArguments>;

/// Turns a statement into a function that builds the same statement again, because a write is
/// repeated after a deadlock or serialization failure.
fn repeatable_statement(
    mut statement: Statement,
) -> Result<impl FnOnce() -> Statement + Clone + Send + 'static, Failure> {
    let values = statement
        .take_arguments()
        .map_err(|why| Failure::NotWritten(why.to_string()))?
        .unwrap_or_default();
    let words = statement.sql();
    Ok(move || sqlx::query_with(words, values))
}

impl Records {
    /// Runs one statement that changes a row which lists of clubs or draws show. Also increments
    /// the catalogue's revision, so that cached lists are discarded. Returns whether a row was
    /// changed.
    async fn change_row_shown_in_lists(&self, statement: Statement) -> Result<bool, Failure> {
        let (statement, signer) = (repeatable_statement(statement)?, self.signer.clone());
        let work = async move |pool: PgPool| {
            let mut transaction = pool.begin().await?;
            let done = statement().execute(&mut *transaction).await?;
            if done.rows_affected() > 0 {
                audit::write_signed_audit_entry(&mut transaction, signer.as_deref(), "").await?;
            }
            bump_catalogue_revision(&mut transaction).await?;
            transaction.commit().await?;
            Ok(done.rows_affected() > 0)
        };
        self.run_write(work).await
    }

    /// Runs one statement that changes no row which lists of clubs or draws show. Returns how many
    /// rows were changed.
    async fn execute(&self, statement: Statement) -> Result<u64, Failure> {
        let (statement, signer) = (repeatable_statement(statement)?, self.signer.clone());
        let work = async move |pool: PgPool| {
            if signer.is_none() {
                return statement()
                    .execute(&pool)
                    .await
                    .map(|done| done.rows_affected());
            }
            let mut transaction = pool.begin().await?;
            let rows = statement()
                .execute(&mut *transaction)
                .await?
                .rows_affected();
            if rows > 0 {
                audit::write_signed_audit_entry(&mut transaction, signer.as_deref(), "").await?;
            }
            transaction.commit().await?;
            Ok(rows)
        };
        self.run_write(work).await
    }
}

/// Increments the catalogue's revision in the caller's transaction, so that nodes discard cached
/// lists.
async fn bump_catalogue_revision(connection: &mut PgConnection) -> Result<(), sqlx::Error> {
    sqlx::query!("update catalogue set revision = revision + 1")
        .execute(connection)
        .await?;
    Ok(())
}

/// Takes an advisory lock for this club and purpose until the caller's transaction ends. Waits
/// while another transaction holds it.
async fn lock_club(
    connection: &mut PgConnection,
    what: &str,
    club: ClubId,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "select pg_advisory_xact_lock(hashtext($1), $2)",
        what,
        club.0 as i32
    )
    .execute(connection)
    .await?;
    Ok(())
}

fn timestamp(at: OffsetDateTime) -> Timestamp {
    crate::postgres::instant::from_stored_time(at)
}

fn to_column_time(at: Timestamp) -> OffsetDateTime {
    crate::postgres::instant::to_stored_time(at)
}
