//! The audit log.

use persistence::records::audit::StoredAuditEntry as WrittenEntry;
use persistence::records::audit_chain::AuditChainReport;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::api::time_format::rfc3339;

/// One entry of the audit log.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditEntry {
    pub id: i64,
    pub at: String,
    /// Who acted, by session: `operator 1`, `club 3`, `club 3 member 7`.
    pub actor: String,
    /// Who acted, for display: `Super Admin` for an operator, name and e-mail address of a club
    /// user, otherwise the value of `actor`.
    pub by: String,
    /// Name of the operator, club member or club that acted.
    pub name: Option<String>,
    pub action: String,
    /// The changed object: `draw:1042`, `order:…`, `setting:…`
    pub object: String,
    #[schema(value_type = Object)]
    pub detail: Value,
    pub ip: Option<String>,
    /// Hash over this entry and the previous entry's hash, in hexadecimal.
    pub hash: String,
    pub previous_hash: String,
}

impl From<WrittenEntry> for AuditEntry {
    fn from(entry: WrittenEntry) -> AuditEntry {
        let by = match entry.person {
            Some(person) => person,
            None if entry.actor.starts_with("operator") => "Super Admin".to_string(),
            None => entry.actor.clone(),
        };
        AuditEntry {
            id: entry.id,
            at: rfc3339(entry.at),
            by,
            name: entry.name,
            actor: entry.actor,
            action: entry.action,
            object: entry.object,
            detail: entry.detail,
            ip: entry.ip,
            hash: hex::encode(entry.hash),
            previous_hash: hex::encode(entry.previous_hash),
        }
    }
}

/// The state of the audit log's hash chain.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditChain {
    /// Whether each entry's hash follows from the one before.
    pub verified: bool,
    pub length: i64,
    pub head: String,
    pub broken_at: Option<i64>,
}

impl From<AuditChainReport> for AuditChain {
    fn from(chain: AuditChainReport) -> AuditChain {
        AuditChain {
            verified: chain.broken_at.is_none(),
            length: chain.length,
            head: hex::encode(chain.head),
            broken_at: chain.broken_at,
        }
    }
}

/// A page of audit entries.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditTrail {
    pub entries: Vec<AuditEntry>,
    /// Value of the query parameter `before` that requests the next page of older entries.
    pub next: Option<i64>,
    /// Number of entries that the filters select, on all pages.
    pub total: i64,
    pub chain: AuditChain,
}
