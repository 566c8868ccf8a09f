//! Writes entries of the audit log together with the changes of [`Records`], and lists the log.

use domain::{ClubId, Timestamp};
use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;

use super::{Records, Statement, catalogue_changed, repeatable, timestamp};
use crate::{Failure, Sealer};

pub(crate) use crate::audit_log::write;
pub use crate::audit_log::{AuditAction, AuditEntry};

/// An entry as it is stored in the log.
#[derive(Clone, Debug)]
pub struct Written {
    pub id: i64,
    pub at: Timestamp,
    pub actor: String,
    /// The name and current address of the club member who acted.
    pub person: Option<String>,
    pub club: Option<ClubId>,
    pub action: String,
    pub object: String,
    pub detail: serde_json::Value,
    pub ip: Option<String>,
    pub hash: Vec<u8>,
    pub previous_hash: Vec<u8>,
}

/// An entry with the key of the chain. [`Records::by`] holds one.
#[derive(Debug)]
pub(super) struct SignedEntry {
    pub entry: AuditEntry,
    pub sealer: Sealer,
}

impl SignedEntry {
    /// Returns the same entry with an action and a detail that are known only inside the
    /// transaction.
    pub fn recording(&self, action: &str, detail: serde_json::Value) -> SignedEntry {
        SignedEntry {
            entry: self.entry.with_action(action, detail),
            sealer: self.sealer.clone(),
        }
    }
}

#[derive(sqlx::FromRow)]
struct AuditRow {
    id: i64,
    at: OffsetDateTime,
    actor: String,
    person: Option<String>,
    club_id: Option<i64>,
    action: String,
    object: String,
    detail: serde_json::Value,
    ip: Option<String>,
    hash: Vec<u8>,
    previous_hash: Vec<u8>,
}

impl From<AuditRow> for Written {
    fn from(row: AuditRow) -> Written {
        Written {
            id: row.id,
            at: timestamp(row.at),
            actor: row.actor,
            person: row.person,
            club: row.club_id.map(ClubId),
            action: row.action,
            object: row.object,
            detail: row.detail,
            ip: row.ip,
            hash: row.hash,
            previous_hash: row.previous_hash,
        }
    }
}

impl Records {
    /// Writes an entry without another change in the database: somebody looked something up, or
    /// sent a request to the provider.
    pub async fn audit(
        &self,
        act: AuditAction<'_>,
        detail: &serde_json::Value,
    ) -> Result<(), Failure> {
        let entry = act.entry(detail.clone());
        let sealer = self.postgres.sealer().clone();
        let work = async move |pool: PgPool| {
            let mut transaction = pool.begin().await?;
            write(&mut transaction, &sealer, &entry).await?;
            transaction.commit().await
        };
        self.write(work).await
    }

    /// Runs one statement and writes its entry in the same transaction. Returns whether the
    /// statement changed a row. If it did not, no entry is written.
    pub(super) async fn write_audited(
        &self,
        statement: Statement,
        entry: AuditEntry,
        listed: bool,
    ) -> Result<bool, Failure> {
        let (statement, sealer) = (repeatable(statement)?, self.postgres.sealer().clone());
        let work = async move |pool: PgPool| {
            let mut transaction = pool.begin().await?;
            let found = statement()
                .execute(&mut *transaction)
                .await?
                .rows_affected()
                > 0;
            if found {
                write(&mut transaction, &sealer, &entry).await?;
                if listed {
                    catalogue_changed(&mut transaction).await?;
                }
            }
            transaction.commit().await?;
            Ok(found)
        };
        self.write(work).await
    }

    /// Returns the newest entries first, about the given objects or all, older than `before`.
    /// `footer-item:*` matches every object of that kind.
    pub async fn audit_trail(
        &self,
        objects: &[String],
        before: Option<i64>,
        limit: i64,
    ) -> Result<Vec<Written>, Failure> {
        let read = "select id, at, actor, club_id, action, object, detail, host(ip) as ip, hash, previous_hash,
                 (select format('%s <%s>', u.name, u.email) from club_users u
                  where u.id = substring(actor from 'member ([0-9]+)$')::bigint) as person
             from audit_log where ($1 or object = any($2) or object like any($5)) and ($3::bigint is null or id < $3)
             order by id desc limit $4";
        let kinds = objects.iter().filter_map(|object| object.strip_suffix('*'));
        let kinds: Vec<String> = kinds
            .map(|kind| format!("{}%", kind.replace(['%', '_', '\\'], "")))
            .collect();
        let read = sqlx::query_as(read)
            .bind(objects.is_empty())
            .bind(objects.to_vec())
            .bind(before)
            .bind(limit)
            .bind(kinds);
        let rows: Vec<AuditRow> = self
            .read(async move |pool: PgPool| read.fetch_all(&pool).await)
            .await?;
        Ok(rows.into_iter().map(Written::from).collect())
    }
}

/// Writes the entry of the signing person, if any, in the caller's transaction. `id` completes an
/// object that ends with a colon. Call it before the catalogue changes: writers lock the log first.
pub(super) async fn write_signed(
    connection: &mut PgConnection,
    signer: Option<&SignedEntry>,
    id: impl std::fmt::Display,
) -> Result<(), sqlx::Error> {
    match signer {
        Some(signer) => write(connection, &signer.sealer, &signer.entry.clone().named(id)).await,
        None => Ok(()),
    }
}
