//! Writes audit log entries together with the changes that [`Records`] makes, and lists the log.

use domain::{ClubId, Timestamp};
use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;

use super::{Records, Statement, bump_catalogue_revision, repeatable_statement, timestamp};
use crate::{Failure, Sealer};

pub(crate) use crate::audit_log::write_entry;
pub use crate::audit_log::{AuditAction, AuditEntry};

/// An entry of the audit log, as read from the database.
#[derive(Clone, Debug)]
pub struct StoredAuditEntry {
    pub id: i64,
    pub at: Timestamp,
    pub actor: String,
    /// Name and current e-mail address of the club member who acted. `None` when no member did, or
    /// the member no longer exists.
    pub person: Option<String>,
    pub club: Option<ClubId>,
    pub action: String,
    pub object: String,
    pub detail: serde_json::Value,
    pub ip: Option<String>,
    pub hash: Vec<u8>,
    pub previous_hash: Vec<u8>,
}

/// An audit entry together with the sealer that computes its keyed hash.
/// [`Records::with_audit_entry`] stores one.
#[derive(Debug)]
pub(super) struct SignedAuditEntry {
    pub entry: AuditEntry,
    pub sealer: Sealer,
}

impl SignedAuditEntry {
    /// Returns a copy of the entry with an action and details that are known only inside the
    /// transaction.
    pub fn with_action_and_detail(
        &self,
        action: &str,
        detail: serde_json::Value,
    ) -> SignedAuditEntry {
        SignedAuditEntry {
            entry: self.entry.with_action(action, detail),
            sealer: self.sealer.clone(),
        }
    }
}

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

impl From<AuditRow> for StoredAuditEntry {
    fn from(row: AuditRow) -> StoredAuditEntry {
        StoredAuditEntry {
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
    /// Writes an entry for an action that changes nothing else in the database, such as a look-up
    /// or a request to the provider.
    pub async fn record_audit_entry(
        &self,
        act: AuditAction<'_>,
        detail: &serde_json::Value,
    ) -> Result<(), Failure> {
        let entry = act.entry(detail.clone());
        let sealer = self.postgres.sealer().clone();
        let work = async move |pool: PgPool| {
            let mut transaction = pool.begin().await?;
            write_entry(&mut transaction, &sealer, &entry).await?;
            transaction.commit().await
        };
        self.run_write(work).await
    }

    /// Runs one statement and writes the audit entry in the same transaction. Returns whether the
    /// statement changed a row. If it changed none, no entry is written.
    pub(super) async fn write_with_audit_entry(
        &self,
        statement: Statement,
        entry: AuditEntry,
        listed: bool,
    ) -> Result<bool, Failure> {
        let (statement, sealer) = (
            repeatable_statement(statement)?,
            self.postgres.sealer().clone(),
        );
        let work = async move |pool: PgPool| {
            let mut transaction = pool.begin().await?;
            let found = statement()
                .execute(&mut *transaction)
                .await?
                .rows_affected()
                > 0;
            if found {
                write_entry(&mut transaction, &sealer, &entry).await?;
                if listed {
                    bump_catalogue_revision(&mut transaction).await?;
                }
            }
            transaction.commit().await?;
            Ok(found)
        };
        self.run_write(work).await
    }

    /// Returns audit entries before the entry `before`, newest first. `objects` limits the entries
    /// to those about the listed objects. An object such as `footer-item:*` stands for every object
    /// of that kind.
    pub async fn audit_trail(
        &self,
        objects: &[String],
        before: Option<i64>,
        limit: i64,
    ) -> Result<Vec<StoredAuditEntry>, Failure> {
        let kinds = objects.iter().filter_map(|object| object.strip_suffix('*'));
        let kinds: Vec<String> = kinds
            .map(|kind| format!("{}%", kind.replace(['%', '_', '\\'], "")))
            .collect();
        let read = sqlx::query_as!(
            AuditRow,
            "select id, at, actor, club_id, action, object, detail, host(ip) as ip, hash, previous_hash,
                 (select format('%s <%s>', u.name, u.email) from club_users u
                  where u.id = substring(actor from 'member ([0-9]+)$')::bigint) as person
             from audit_log where ($1 or object = any($2) or object like any($5)) and ($3::bigint is null or id < $3)
             order by id desc limit $4",
            objects.is_empty(),
            objects,
            before,
            limit,
            &kinds
        );
        let rows: Vec<AuditRow> = self
            .run_read(async move |pool: PgPool| read.fetch_all(&pool).await)
            .await?;
        Ok(rows.into_iter().map(StoredAuditEntry::from).collect())
    }
}

/// Writes the audit entry of the person who acts, if there is one, in the caller's transaction. If
/// the entry's object ends with a colon, `id` is appended to it. The caller increments the
/// catalogue's revision after this call, because every writer locks the audit log before the
/// catalogue.
pub(super) async fn write_signed_audit_entry(
    connection: &mut PgConnection,
    signer: Option<&SignedAuditEntry>,
    id: impl std::fmt::Display,
) -> Result<(), sqlx::Error> {
    match signer {
        Some(signer) => {
            write_entry(
                connection,
                &signer.sealer,
                &signer.entry.clone().with_object_id(id),
            )
            .await
        }
        None => Ok(()),
    }
}
