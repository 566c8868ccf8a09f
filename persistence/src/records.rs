//! What no actor owns: clubs, listings, settings, sessions, footers, offers, payouts. Straight from request to row.

use std::sync::Arc;

use domain::{ClubId, Timestamp};
use sqlx::{Execute, PgConnection, PgPool};
use time::OffsetDateTime;

use crate::integrity::Violation;
use crate::records::audit::Entry;
use crate::{Failure, Postgres};

pub mod admins;
pub mod audit;
pub mod bundles;
pub mod claims;
pub mod clock;
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
pub mod listings;
pub mod notices;
pub mod offer_edits;
pub mod offers;
pub mod pages;
pub mod payouts;
pub mod proofs;
pub mod refunds;
pub mod rehearsal;
pub mod second_factor;
pub mod sessions;
pub mod settings;
pub mod terms;
pub mod ticket_links;
pub mod tickets;
pub mod tries;
pub mod uploads;
pub mod waitlist;

/// Who did what was typed on the machine itself.
const COMMAND_LINE: &str = "command line";

/// The rows nobody owns, and read-only views of those that actors own. Cheap to clone.
#[derive(Clone)]
pub struct Records {
    postgres: Postgres,
    act: Option<Arc<Entry>>,
}

impl Records {
    pub fn new(postgres: Postgres) -> Records {
        Records {
            postgres,
            act: None,
        }
    }

    /// A handle that signs: what it changes stands in the audit log with the entry, in the same transaction, or neither does.
    /// What changes nothing leaves none.
    #[must_use]
    pub fn by(&self, act: Entry) -> Records {
        Records {
            act: Some(Arc::new(act)),
            ..self.clone()
        }
    }

    /// The database answers, and takes writes: what the readiness check asks. One that may only be read is as good as down, though
    /// pages are still read from it.
    ///
    /// # Errors
    /// It does not.
    pub async fn reachable(&self) -> Result<(), Failure> {
        let asked = sqlx::query_scalar("select current_setting('transaction_read_only')::boolean");
        let reads_only = self
            .read(async move |pool: PgPool| asked.fetch_one(&pool).await)
            .await?;
        if reads_only {
            Err(Failure::NotWritten("the database is read-only".into()))
        } else {
            Ok(())
        }
    }

    /// The promises that are broken, if any: see [`Postgres::violations`]. Looks at everything.
    ///
    /// # Errors
    /// The books could not be read.
    pub async fn violations(&self) -> Result<Vec<Violation>, Failure> {
        self.postgres.violations().await
    }

    /// The catalogue's revision: while it stays, everything prepared from clubs, draws' fixed facts and footers is current.
    ///
    /// # Errors
    /// The books could not be read.
    pub async fn catalogue_revision(&self) -> Result<i64, Failure> {
        self.read(async |pool: PgPool| {
            sqlx::query_scalar("select revision from catalogue")
                .fetch_one(&pool)
                .await
        })
        .await
    }

    /// Words that only this service reads again, as text for a row: a link in a queued mail opens an account.
    pub fn seal(&self, purpose: &str, id: &str, words: &str) -> String {
        hex::encode(self.postgres.sealer().seal(purpose, id, words.as_bytes()))
    }

    /// # Errors
    /// `Corrupt`: sealed with another key, for another purpose or id, or changed.
    pub fn unseal(&self, purpose: &str, id: &str, sealed: &str) -> Result<String, Failure> {
        let damaged = || Failure::Corrupt(format!("{purpose}:{id} is not sealed text"));
        let sealed = hex::decode(sealed).map_err(|_| damaged())?;
        String::from_utf8(self.postgres.sealer().open(purpose, id, &sealed)?).map_err(|_| damaged())
    }

    /// Runs a read to its end on the database threads.
    async fn read<T, W>(&self, work: impl FnOnce(PgPool) -> W) -> Result<T, Failure>
    where
        T: Send + 'static,
        W: Future<Output = Result<T, sqlx::Error>> + Send + 'static,
    {
        let work = work(self.postgres.reads().clone());
        self.postgres
            .run(async move { work.await.map_err(Failure::from_read) })
            .await
    }

    /// Runs a write to its end on the database threads, once more when it collided with another. A lost answer is unknown, even
    /// when the write had not begun.
    async fn write<T, W, F>(&self, work: W) -> Result<T, Failure>
    where
        T: Send + 'static,
        W: FnOnce(PgPool) -> F + Clone + Send + 'static,
        F: Future<Output = Result<T, sqlx::Error>> + Send + 'static,
    {
        let pool = self.postgres.reads().clone();
        self.postgres
            .write(async move || work(pool).await.map_err(Failure::at_commit))
            .await
    }
}

impl Records {
    /// As `read` and `write`, by the login that alone reaches bank details (decision F-7).
    async fn read_bank<T, W>(&self, work: impl FnOnce(PgPool) -> W) -> Result<T, Failure>
    where
        T: Send + 'static,
        W: Future<Output = Result<T, sqlx::Error>> + Send + 'static,
    {
        let work = work(self.postgres.bank()?.clone());
        self.postgres
            .run(async move { work.await.map_err(Failure::from_read) })
            .await
    }

    async fn write_bank<T, W, F>(&self, work: W) -> Result<T, Failure>
    where
        T: Send + 'static,
        W: FnOnce(PgPool) -> F + Clone + Send + 'static,
        F: Future<Output = Result<T, sqlx::Error>> + Send + 'static,
    {
        let pool = self.postgres.bank()?.clone();
        self.postgres
            .write(async move || work(pool).await.map_err(Failure::at_commit))
            .await
    }
}

/// One statement with all its values.
type Statement = sqlx::query::Query<'static, sqlx::Postgres, sqlx::postgres::PgArguments>;

/// Makes the same statement as often as it is wanted: a write that collided with another is tried again.
fn repeatable(
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
    /// One statement that changes what lists show; whether it found a row.
    async fn change(&self, statement: Statement) -> Result<bool, Failure> {
        let (statement, act) = (repeatable(statement)?, self.act.clone());
        let work = async move |pool: PgPool| {
            let mut transaction = pool.begin().await?;
            let done = statement().execute(&mut *transaction).await?;
            if done.rows_affected() > 0 {
                audit::sign(&mut transaction, &act, "").await?;
            }
            catalogue_changed(&mut transaction).await?;
            transaction.commit().await?;
            Ok(done.rows_affected() > 0)
        };
        self.write(work).await
    }

    /// One statement that lists do not show; how many rows it found.
    async fn execute(&self, statement: Statement) -> Result<u64, Failure> {
        let (statement, act) = (repeatable(statement)?, self.act.clone());
        let work = async move |pool: PgPool| {
            if act.is_none() {
                return statement()
                    .execute(&pool)
                    .await
                    .map(|done| done.rows_affected());
            }
            let mut transaction = pool.begin().await?;
            let found = statement()
                .execute(&mut *transaction)
                .await?
                .rows_affected();
            if found > 0 {
                audit::sign(&mut transaction, &act, "").await?;
            }
            transaction.commit().await?;
            Ok(found)
        };
        self.write(work).await
    }
}

/// Part of a transaction: what lists show has changed.
async fn catalogue_changed(connection: &mut PgConnection) -> Result<(), sqlx::Error> {
    sqlx::query("update catalogue set revision = revision + 1")
        .execute(connection)
        .await?;
    Ok(())
}

/// Part of a transaction: waits until no other that does the same for this club is open.
async fn take_turn(
    connection: &mut PgConnection,
    what: &str,
    club: ClubId,
) -> Result<(), sqlx::Error> {
    let turn = "select pg_advisory_xact_lock(hashtext($1), $2)";
    sqlx::query(turn)
        .bind(what)
        .bind(club.0 as i32)
        .execute(connection)
        .await?;
    Ok(())
}

fn timestamp(at: OffsetDateTime) -> Timestamp {
    crate::postgres::instant::read(at)
}

fn column(at: Timestamp) -> OffsetDateTime {
    crate::postgres::instant::stored(at)
}
