//! Who did what: one row for every write of an operator or a club (integrity rule A1), chained by hash so that nobody can
//! rewrite it unnoticed.

use std::net::IpAddr;
use std::sync::Arc;

use domain::{ClubId, Timestamp};
use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;

use super::{Records, Statement, catalogue_changed, repeatable, timestamp};
use crate::Failure;

/// One act. `actor` is the session's identity, never what the client says it is (decision G-7).
#[derive(Clone, Copy, Debug)]
pub struct Act<'a> {
    pub actor: &'a str,
    pub club: Option<ClubId>,
    /// A verb phrase: `enter-results`.
    pub action: &'a str,
    /// What it was done to: `draw:1042`.
    pub object: &'a str,
    pub ip: Option<IpAddr>,
}

/// An act with what explains it, ready to be written beside its effect.
#[derive(Clone, Debug)]
pub struct Entry {
    actor: String,
    club: Option<ClubId>,
    action: String,
    object: String,
    ip: Option<IpAddr>,
    detail: serde_json::Value,
}

impl Act<'_> {
    pub fn entry(&self, detail: serde_json::Value) -> Entry {
        Entry {
            actor: self.actor.to_string(),
            club: self.club,
            action: self.action.to_string(),
            object: self.object.to_string(),
            ip: self.ip,
            detail,
        }
    }
}

impl Entry {
    /// The same about an object whose id is known only now: `footer-menu:` becomes `footer-menu:7`.
    #[must_use]
    pub fn named(mut self, id: impl std::fmt::Display) -> Entry {
        if self.object.ends_with(':') {
            self.object = format!("{}{id}", self.object);
        }
        self
    }

    /// What it says, to be said elsewhere.
    pub fn told(&self) -> (Act<'_>, &serde_json::Value) {
        let act = Act {
            actor: &self.actor,
            club: self.club,
            action: &self.action,
            object: &self.object,
            ip: self.ip,
        };
        (act, &self.detail)
    }

    /// The same with the revision its draw came to, at which the journal says what it did, and the status if that changed.
    pub(crate) fn at_revision(&self, revision: u64, status: Option<&str>) -> Entry {
        let mut entry = self.clone();
        if let Some(detail) = entry.detail.as_object_mut() {
            detail.insert("revision".into(), revision.into());
            detail.extend(status.map(|status| ("status".to_string(), status.into())));
        }
        entry
    }
}

/// An entry as it stands in the log.
#[derive(Clone, Debug)]
pub struct Written {
    pub id: i64,
    pub at: Timestamp,
    pub actor: String,
    /// Of one of a club's people: name and address, as they are today.
    pub person: Option<String>,
    pub club: Option<ClubId>,
    pub action: String,
    pub object: String,
    pub detail: serde_json::Value,
    pub ip: Option<String>,
    pub hash: Vec<u8>,
    pub previous_hash: Vec<u8>,
}

/// The log as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    pub length: i64,
    /// The newest entry's hash; empty when nothing was ever written.
    pub head: Vec<u8>,
    /// The first entry that does not follow from the one before it.
    pub broken_at: Option<i64>,
}

#[derive(sqlx::FromRow)]
struct Row {
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

impl From<Row> for Written {
    fn from(row: Row) -> Written {
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
    /// Writes an entry that has no effect in the books beside it: somebody looked, or asked the provider for something.
    pub async fn audit(&self, act: Act<'_>, detail: &serde_json::Value) -> Result<(), Failure> {
        let entry = act.entry(detail.clone());
        self.write(async move |pool: PgPool| write(&mut *pool.acquire().await?, &entry).await)
            .await
    }

    /// One statement and its entry, both or neither; whether the statement found a row. Nothing found, nothing written.
    pub(super) async fn act(
        &self,
        statement: Statement,
        entry: Entry,
        listed: bool,
    ) -> Result<bool, Failure> {
        let statement = repeatable(statement)?;
        let work = async move |pool: PgPool| {
            let mut transaction = pool.begin().await?;
            let found = statement()
                .execute(&mut *transaction)
                .await?
                .rows_affected()
                > 0;
            if found {
                write(&mut transaction, &entry).await?;
                if listed {
                    catalogue_changed(&mut transaction).await?;
                }
            }
            transaction.commit().await?;
            Ok(found)
        };
        self.write(work).await
    }

    /// The newest entries first, of these objects or of all, older than `before`. `footer-item:*` is every object of its kind.
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
        let rows: Vec<Row> = self
            .read(async move |pool: PgPool| read.fetch_all(&pool).await)
            .await?;
        Ok(rows.into_iter().map(Written::from).collect())
    }

    /// Computes every hash again.
    pub async fn audit_chain(&self) -> Result<Chain, Failure> {
        let read = "select (select count(*) from audit_log),
                 coalesce((select hash from audit_log order by id desc limit 1), ''::bytea),
                 (select min(id) from audit_breaks)";
        let read = sqlx::query_as(read);
        let row: (i64, Vec<u8>, Option<i64>) = self
            .read(async move |pool: PgPool| read.fetch_one(&pool).await)
            .await?;
        Ok(Chain {
            length: row.0,
            head: row.1,
            broken_at: row.2,
        })
    }
}

/// Part of a transaction.
pub(crate) async fn write(connection: &mut PgConnection, entry: &Entry) -> Result<(), sqlx::Error> {
    sqlx::query(
        "insert into audit_log (actor, club_id, action, object, ip, detail) values ($1, $2, $3, $4, $5::inet, $6)",
    )
    .bind(&entry.actor)
    .bind(entry.club.map(|club| club.0))
    .bind(&entry.action)
    .bind(&entry.object)
    .bind(entry.ip.map(|ip| ip.to_string()))
    .bind(&entry.detail)
    .execute(connection)
    .await?;
    Ok(())
}

/// Part of a transaction: the entry of whoever signs it, if anybody does, about `id` where its object ends with a colon. Before
/// the catalogue is touched: writers queue for the log first.
pub(super) async fn sign(
    connection: &mut PgConnection,
    act: &Option<Arc<Entry>>,
    id: impl std::fmt::Display,
) -> Result<(), sqlx::Error> {
    match act {
        Some(act) => write(connection, &act.as_ref().clone().named(id)).await,
        None => Ok(()),
    }
}
