//! The audit log: its entries, its hash chain, and the daily mail that anchors it outside the
//! database.

use actix_web::{HttpResponse, web};
use domain::Timestamp;
use persistence::Failure;
use persistence::records::audit::AuditFilter;
use serde::Deserialize;
use serde_json::json;

use crate::api::console::audit::{AuditEntry, AuditTrail};
use crate::api::error::Problem;
use crate::api::form::trimmed_or_none;
use crate::api::time_format::rfc3339;
use crate::state::State;

const AUDIT_ENTRIES_DEFAULT: i64 = 50;
const AUDIT_ENTRIES_MAX: i64 = 500;
/// Latest start of a period, the year 2100. A later one selects nothing useful and is ignored.
const SINCE_MS_MAX: i64 = 4_102_444_800_000;

/// Query parameters of the audit log.
#[derive(Deserialize)]
pub struct AuditTrailQuery {
    /// Audited objects, separated by commas: `draw:1042,order:…`. Empty means all objects.
    #[serde(default)]
    object: String,
    /// Actions, separated by commas. Empty means all actions.
    #[serde(default)]
    action: String,
    /// One actor, or `operator`, `club` or `system`.
    actor: Option<String>,
    /// First moment of the period, in milliseconds since 1970.
    since: Option<i64>,
    /// Text that object, action or details contain.
    q: Option<String>,
    limit: Option<i64>,
    before: Option<i64>,
}

/// Handles `GET /api/admin/audit`.
pub async fn list_audit_entries(
    state: web::Data<State>,
    query: web::Query<AuditTrailQuery>,
) -> Result<HttpResponse, Problem> {
    let filter = AuditFilter {
        objects: split_at_commas(&query.object),
        actions: split_at_commas(&query.action),
        actor: trimmed_or_none(query.actor.as_deref()),
        since: query
            .since
            .filter(|since| (0..=SINCE_MS_MAX).contains(since))
            .map(Timestamp),
        text: trimmed_or_none(query.q.as_deref()),
    };
    let limit = query
        .limit
        .unwrap_or(AUDIT_ENTRIES_DEFAULT)
        .clamp(1, AUDIT_ENTRIES_MAX);
    let entries = state
        .records
        .audit_trail(&filter, query.before, limit)
        .await?;
    let total = state.records.count_audit_entries(&filter).await?;
    let next = entries
        .last()
        .map(|entry| entry.id)
        .filter(|_| entries.len() as i64 == limit);
    let chain = state.records.verify_audit_chain().await?.into();
    let entries = entries.into_iter().map(AuditEntry::from).collect();
    Ok(HttpResponse::Ok().json(AuditTrail {
        entries,
        next,
        total,
        chain,
    }))
}

fn split_at_commas(list: &str) -> Vec<String> {
    let parts = list
        .split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty());
    parts.map(str::to_string).collect()
}

/// Characters of the date in an RFC 3339 text.
const RFC3339_DATE_CHARS: usize = 10;

/// Runs once a minute. Mails the anchor, the hash of the audit log's newest entry, to each operator
/// once a day, and logs the anchor.
///
/// With the anchor, a change of older entries in the database is detected.
pub async fn mail_audit_anchor(state: &State) {
    if let Err(failure) = queue_audit_anchor_mail(state).await {
        tracing::warn!(%failure, "queueing the audit log anchor failed, will retry");
    }
}

async fn queue_audit_anchor_mail(state: &State) -> Result<(), Failure> {
    let Some(anchor) = state.records.audit_anchor().await? else {
        return Ok(());
    };
    let date: String = rfc3339(state.clock.now())
        .chars()
        .take(RFC3339_DATE_CHARS)
        .collect();
    let data = json!({ "anchor": anchor.to_string(), "date": date }).to_string();
    let mut is_new = false;
    for admin in state.records.admins().await? {
        let key = format!("audit-anchor-{date}-{}", admin.id);
        is_new |= state
            .outbox
            .queue_mail_now(&key, "audit-anchor", None, &admin.email, &data)
            .await?;
    }
    if is_new {
        tracing::info!(%anchor, "audit log anchor");
    }
    Ok(())
}
