//! Who did what, and whether the log is whole.

use actix_web::{HttpResponse, web};
use serde::Deserialize;

use crate::error::Problem;
use crate::state::State;
use crate::wire::console::audit::{AuditEntry, AuditTrail};

const ENTRIES_DEFAULT: i64 = 50;
const ENTRIES_MAX: i64 = 500;

#[derive(Deserialize)]
pub struct Asked {
    /// Comma separated: `draw:1042,order:…`; none means all.
    #[serde(default)]
    object: String,
    limit: Option<i64>,
    before: Option<i64>,
}

pub async fn trail(
    state: web::Data<State>,
    asked: web::Query<Asked>,
) -> Result<HttpResponse, Problem> {
    let words = asked
        .object
        .split(',')
        .map(str::trim)
        .filter(|word| !word.is_empty());
    let objects: Vec<String> = words.map(str::to_string).collect();
    let limit = asked.limit.unwrap_or(ENTRIES_DEFAULT).clamp(1, ENTRIES_MAX);
    let entries = state
        .records
        .audit_trail(&objects, asked.before, limit)
        .await?;
    let next = entries
        .last()
        .map(|entry| entry.id)
        .filter(|_| entries.len() as i64 == limit);
    let chain = state.records.audit_chain().await?.into();
    let entries = entries.into_iter().map(AuditEntry::from).collect();
    Ok(HttpResponse::Ok().json(AuditTrail {
        entries,
        next,
        chain,
    }))
}
