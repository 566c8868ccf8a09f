//! Writes audit log entries together with the changes that [`Records`] makes, and lists the log.

use domain::{ClubId, Timestamp};
use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;

use super::{
    Records, Statement, bump_catalogue_revision, repeatable_statement, timestamp, to_column_time,
};
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
    /// Name of the operator, club member or club that acted. `None` when the name is not known.
    pub name: Option<String>,
    pub club: Option<ClubId>,
    pub action: String,
    pub object: String,
    pub detail: serde_json::Value,
    pub ip: Option<String>,
    pub hash: Vec<u8>,
    pub previous_hash: Vec<u8>,
}

/// Selects entries of the audit log. The default selects all.
#[derive(Clone, Debug, Default)]
pub struct AuditFilter {
    /// The objects that the entries are about; empty means all. An object such as `footer-item:*`
    /// stands for every object of that kind.
    pub objects: Vec<String>,
    /// Actions such as `refund-order`; empty means all.
    pub actions: Vec<String>,
    /// One actor, such as `operator 1`; or all actors of a kind: `operator`, `club` or `system`.
    pub actor: Option<String>,
    /// Entries at or after this time.
    pub since: Option<Timestamp>,
    /// Text that object, action or details contain, in any letter case.
    pub text: Option<String>,
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
    name: Option<String>,
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
            name: row.name,
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

    /// Returns the selected audit entries before the entry `before`, newest first.
    pub async fn audit_trail(
        &self,
        filter: &AuditFilter,
        before: Option<i64>,
        limit: i64,
    ) -> Result<Vec<StoredAuditEntry>, Failure> {
        let read = sqlx::query_as!(
            AuditRow,
            "select id, at, actor, club_id, action, object, detail, host(ip) as ip, hash, previous_hash,
                 (select format('%s <%s>', u.name, u.email) from club_users u
                  where u.id = substring(actor from 'member ([0-9]+)$')::bigint) as person,
                 coalesce((select a.name from admins a where actor = 'operator ' || a.id),
                   (select u.name from club_users u where u.id = substring(actor from 'member ([0-9]+)$')::bigint),
                   (select c.name from clubs c where actor = 'club ' || c.id)) as name
             from audit_log where ($1 or object = any($2) or object like any($5)) and ($3::bigint is null or id < $3)
               and ($6 or action = any($7)) and ($8::timestamptz is null or at >= $8)
               and ($9::text is null or actor = $9 or actor like $9 || ' %'
                 or $9 = 'system' and actor not like 'operator %' and actor not like 'club %')
               and ($10::text is null or position(lower($10) in lower(object || ' ' || action || ' ' || detail::text)) > 0)
             order by id desc limit $4",
            filter.objects.is_empty(),
            &filter.objects,
            before,
            limit,
            &filter.object_kinds(),
            filter.actions.is_empty(),
            &filter.actions,
            filter.since.map(to_column_time),
            filter.actor,
            filter.text
        );
        let rows: Vec<AuditRow> = self
            .run_read(async move |pool: PgPool| read.fetch_all(&pool).await)
            .await?;
        Ok(rows.into_iter().map(StoredAuditEntry::from).collect())
    }

    /// Returns how many audit entries are selected.
    pub async fn count_audit_entries(&self, filter: &AuditFilter) -> Result<i64, Failure> {
        let read = sqlx::query_scalar!(
            r#"select count(*) as "count!" from audit_log where ($1 or object = any($2) or object like any($3))
               and ($4 or action = any($5)) and ($6::timestamptz is null or at >= $6)
               and ($7::text is null or actor = $7 or actor like $7 || ' %'
                 or $7 = 'system' and actor not like 'operator %' and actor not like 'club %')
               and ($8::text is null or position(lower($8) in lower(object || ' ' || action || ' ' || detail::text)) > 0)"#,
            filter.objects.is_empty(),
            &filter.objects,
            &filter.object_kinds(),
            filter.actions.is_empty(),
            &filter.actions,
            filter.since.map(to_column_time),
            filter.actor,
            filter.text
        );
        self.run_read(async move |pool: PgPool| read.fetch_one(&pool).await)
            .await
    }
}

impl AuditFilter {
    /// Selects the entries about one object.
    #[must_use]
    pub fn about(object: impl Into<String>) -> AuditFilter {
        AuditFilter {
            objects: vec![object.into()],
            ..AuditFilter::default()
        }
    }

    /// Returns the SQL patterns of the objects that stand for a whole kind.
    fn object_kinds(&self) -> Vec<String> {
        let kinds = self
            .objects
            .iter()
            .filter_map(|object| object.strip_suffix('*'));
        kinds
            .map(|kind| format!("{}%", kind.replace(['%', '_', '\\'], "")))
            .collect()
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
