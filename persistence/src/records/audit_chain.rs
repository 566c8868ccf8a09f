//! Checks whether the audit log is complete and unchanged.
//!
//! Each entry has two hashes that depend on the entry before it. The plain hash can be recomputed
//! by anybody who owns the table. The keyed hash needs the sealing key. Neither hash shows that the
//! newest entries were deleted. For that purpose, the newest keyed hash (the anchor) is also stored
//! outside the database.

use std::fmt;
use std::str::FromStr;

use sqlx::PgPool;

use super::Records;
use crate::audit_log::{FIRST_ENTRY_PREVIOUS_HASH, keyed_hash};
use crate::{Failure, Sealer};

/// The number of audit entries that one statement of a check reads.
const CHAIN_PAGE_ROWS: i64 = 5_000;

/// The result of checking the hashes of the whole audit log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditChainReport {
    pub length: i64,
    /// The hash of the newest entry. Empty when the log is empty.
    pub head: Vec<u8>,
    /// The first entry whose hash does not match the entry before it, or that lost its keyed hash.
    /// `None` when the log is intact.
    pub broken_at: Option<i64>,
}

/// The number and keyed hash of one entry, as text such as `42:9f…`. It is stored outside the
/// database. A later check compares it with the log, and so detects that this entry or an earlier
/// one was changed or removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditAnchor {
    pub entry: i64,
    pub keyed_hash: [u8; 32],
}

impl fmt::Display for AuditAnchor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.entry, hex::encode(self.keyed_hash))
    }
}

impl FromStr for AuditAnchor {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<AuditAnchor, &'static str> {
        let unreadable = "an anchor is an entry's number, a colon and 64 hexadecimal digits";
        let (entry, digits) = text.trim().split_once(':').ok_or(unreadable)?;
        let mut keyed_hash = [0; 32];
        hex::decode_to_slice(digits, &mut keyed_hash).map_err(|_| unreadable)?;
        Ok(AuditAnchor {
            entry: entry.parse().map_err(|_| unreadable)?,
            keyed_hash,
        })
    }
}

struct KeyedEntryRow {
    id: i64,
    hash: Vec<u8>,
    keyed_hash: Option<Vec<u8>>,
}

impl Records {
    /// Recomputes every plain and keyed hash of the audit log, and reports the first entry with a
    /// wrong hash.
    pub async fn verify_audit_chain(&self) -> Result<AuditChainReport, Failure> {
        let read = sqlx::query!(
            r#"select (select count(*) from audit_log) as "length!",
                 coalesce((select hash from audit_log order by id desc limit 1), ''::bytea) as "head!",
                 (select min(id) from audit_breaks) as plain_break"#
        );
        let summary = self
            .run_read(async move |pool: PgPool| read.fetch_one(&pool).await)
            .await?;
        let first_mismatched_keyed_hash = self.first_mismatched_keyed_hash().await?;
        let broken_at = summary
            .plain_break
            .into_iter()
            .chain(first_mismatched_keyed_hash)
            .min();
        Ok(AuditChainReport {
            length: summary.length,
            head: summary.head,
            broken_at,
        })
    }

    async fn first_mismatched_keyed_hash(&self) -> Result<Option<i64>, Failure> {
        let mut walk = KeyedHashCheck {
            previous: None,
            after: 0,
        };
        loop {
            let read = sqlx::query_as!(
                KeyedEntryRow,
                "select id, hash, keyed_hash from audit_log where id > $1 order by id limit $2",
                walk.after,
                CHAIN_PAGE_ROWS
            );
            let page: Vec<KeyedEntryRow> = self
                .run_read(async move |pool: PgPool| read.fetch_all(&pool).await)
                .await?;
            if let Some(entry) = walk.first_mismatched_entry(self.postgres.sealer(), &page) {
                return Ok(Some(entry));
            }
            if page.len() < CHAIN_PAGE_ROWS as usize {
                return Ok(None);
            }
        }
    }

    /// Returns the anchor of the newest entry. `None` when no entry has a keyed hash yet.
    pub async fn audit_anchor(&self) -> Result<Option<AuditAnchor>, Failure> {
        let read = sqlx::query!("select id, keyed_hash from audit_log order by id desc limit 1");
        let newest = self
            .run_read(async move |pool: PgPool| read.fetch_optional(&pool).await)
            .await?;
        Ok(newest.and_then(|row| {
            Some(AuditAnchor {
                entry: row.id,
                keyed_hash: row.keyed_hash?.try_into().ok()?,
            })
        }))
    }

    /// Returns whether the audit log still contains the anchor's entry unchanged.
    /// [`Records::verify_audit_chain`] checks the entries before that one.
    pub async fn audit_log_contains_anchor(&self, anchor: &AuditAnchor) -> Result<bool, Failure> {
        let read = sqlx::query_scalar!(
            r#"select exists (select from audit_log where id = $1 and keyed_hash = $2) as "exists!""#,
            anchor.entry,
            &anchor.keyed_hash
        );
        self.run_read(async move |pool: PgPool| read.fetch_one(&pool).await)
            .await
    }
}

/// The state of a check that follows the keyed hashes from entry to entry.
struct KeyedHashCheck {
    /// The keyed hash of the previous entry. `None` while no entry had one.
    previous: Option<[u8; 32]>,
    after: i64,
}

impl KeyedHashCheck {
    fn first_mismatched_entry(&mut self, sealer: &Sealer, page: &[KeyedEntryRow]) -> Option<i64> {
        for row in page {
            self.after = row.id;
            if row.keyed_hash.is_none() && self.previous.is_none() {
                continue;
            }
            let expected = keyed_hash(
                sealer,
                &self.previous.unwrap_or(FIRST_ENTRY_PREVIOUS_HASH),
                &row.hash,
            );
            if row.keyed_hash.as_deref() != Some(&expected[..]) {
                return Some(row.id);
            }
            self.previous = Some(expected);
        }
        None
    }
}
