//! The audit log: one row for every write of an operator or a club (integrity rule A1). The rows
//! are chained by hashes, so that a change to an earlier row is noticed (`records/audit_chain.rs`).

use std::net::IpAddr;

use domain::ClubId;
use sqlx::PgConnection;

use crate::nodes::has_older_node;
use crate::seal::Sealer;

const AUDIT_CHAIN_PURPOSE: &str = "audit-chain";
/// Stands for the previous entry's hash in the first entry of the log, which has no previous entry.
pub(crate) const FIRST_ENTRY_PREVIOUS_HASH: [u8; 32] = [0; 32];

/// One action for the audit log. `actor` is the identity of the session, never a name that the
/// client sends (decision G-7).
#[derive(Clone, Copy, Debug)]
pub struct AuditAction<'a> {
    pub actor: &'a str,
    pub club: Option<ClubId>,
    /// The action as a verb phrase, such as `enter-results`.
    pub action: &'a str,
    /// The id of the changed object with its type, such as `draw:1042`.
    pub object: &'a str,
    pub ip: Option<IpAddr>,
}

/// An entry for the audit log: an action with its details. It is written in the transaction that
/// writes the action's effect.
#[derive(Clone, Debug)]
pub struct AuditEntry {
    actor: String,
    club: Option<ClubId>,
    action: String,
    object: String,
    ip: Option<IpAddr>,
    detail: serde_json::Value,
}

impl AuditAction<'_> {
    pub fn entry(&self, detail: serde_json::Value) -> AuditEntry {
        AuditEntry {
            actor: self.actor.to_string(),
            club: self.club,
            action: self.action.to_string(),
            object: self.object.to_string(),
            ip: self.ip,
            detail,
        }
    }
}

impl AuditEntry {
    /// Appends to the entry's object an id that is assigned only now: `footer-menu:` becomes
    /// `footer-menu:7`.
    #[must_use]
    pub fn with_object_id(mut self, id: impl std::fmt::Display) -> AuditEntry {
        if self.object.ends_with(':') {
            self.object = format!("{}{id}", self.object);
        }
        self
    }

    /// Returns the action and its details, for example for the application's log.
    pub fn action_and_detail(&self) -> (AuditAction<'_>, &serde_json::Value) {
        let act = AuditAction {
            actor: &self.actor,
            club: self.club,
            action: &self.action,
            object: &self.object,
            ip: self.ip,
        };
        (act, &self.detail)
    }

    /// Returns a copy of the entry with another action and other details.
    pub(crate) fn with_action(&self, action: &str, detail: serde_json::Value) -> AuditEntry {
        AuditEntry {
            action: action.to_string(),
            detail,
            ..self.clone()
        }
    }

    /// Returns a copy of the entry whose details also contain the draw's new revision, and the
    /// draw's new status if there is one. The journal holds the events of that revision.
    pub(crate) fn with_draw_revision(&self, revision: u64, status: Option<&str>) -> AuditEntry {
        let mut entry = self.clone();
        if let Some(detail) = entry.detail.as_object_mut() {
            detail.insert("revision".into(), revision.into());
            detail.extend(status.map(|status| ("status".to_string(), status.into())));
        }
        entry
    }
}

/// Writes an audit entry in the caller's transaction.
pub(crate) async fn write_entry(
    connection: &mut PgConnection,
    sealer: &Sealer,
    entry: &AuditEntry,
) -> Result<(), sqlx::Error> {
    let written = sqlx::query!(
        "insert into audit_log (actor, club_id, action, object, ip, detail) values ($1, $2, $3, $4, $5::text::inet, $6)
         returning id, hash",
        entry.actor,
        entry.club.map(|club| club.0),
        entry.action,
        entry.object,
        entry.ip.map(|ip| ip.to_string()),
        entry.detail
    )
    .fetch_one(&mut *connection)
    .await?;
    store_keyed_hash(connection, sealer, written.id, &written.hash).await
}

/// Returns the keyed hash of an audit entry, given the entry's plain hash and `previous`, the keyed
/// hash of the entry before it.
pub(crate) fn keyed_hash(sealer: &Sealer, previous: &[u8; 32], hash: &[u8]) -> [u8; 32] {
    sealer.fingerprint(
        AUDIT_CHAIN_PURPOSE,
        &format!("{}:{}", hex::encode(previous), hex::encode(hash)),
    )
}

/// Adds the keyed hash to a new entry. The caller's transaction has inserted the entry and holds
/// the lock of the audit log.
///
/// A node with an earlier version of the program writes entries without a keyed hash. New entries
/// get one only once no such node is alive.
async fn store_keyed_hash(
    connection: &mut PgConnection,
    sealer: &Sealer,
    entry: i64,
    hash: &[u8],
) -> Result<(), sqlx::Error> {
    // The entry before the new one is read by a separate statement. The insert may have waited for
    // the lock of the audit log, and its own snapshot is older than that wait.
    let previous = sqlx::query_scalar!(
        "select keyed_hash from public.audit_log where id = $1::bigint - 1",
        entry
    )
    .fetch_optional(&mut *connection)
    .await?;
    let previous = previous.flatten();
    if previous.is_none() && has_older_node(&mut *connection).await? {
        return Ok(());
    }
    let previous = previous
        .and_then(|hash| hash.try_into().ok())
        .unwrap_or(FIRST_ENTRY_PREVIOUS_HASH);
    sqlx::query!(
        "update public.audit_log set keyed_hash = $2 where id = $1",
        entry,
        keyed_hash(sealer, &previous, hash).to_vec()
    )
    .execute(connection)
    .await?;
    Ok(())
}
