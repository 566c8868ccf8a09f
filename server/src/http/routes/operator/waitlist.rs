//! The waitlist of clubs that want to register.

use actix_web::{HttpResponse, web};
use serde_json::json;

use crate::access::caller::Caller;
use crate::api::console::club::WaitlistEntry;
use crate::api::error::Problem;
use crate::state::State;

/// Lists the waitlist, newest first.
pub async fn list(state: web::Data<State>) -> Result<HttpResponse, Problem> {
    let entries = state.records.waitlist().await?;
    Ok(HttpResponse::Ok().json(
        entries
            .into_iter()
            .rev()
            .map(WaitlistEntry::from)
            .collect::<Vec<_>>(),
    ))
}

/// Handles `DELETE /api/admin/waitlist/{entry}`.
pub async fn remove(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let unknown = || Problem::unknown_object("entry-unknown");
    let id = path.parse().map_err(|_| unknown())?;
    let (actor, object) = (caller.audit_name(), format!("waitlist:{id}"));
    let entry = caller
        .audit_action(&actor, None, "remove-from-waitlist", &object)
        .entry(json!({}));
    if state.records.remove_from_waitlist(id, entry).await? {
        Ok(HttpResponse::NoContent().finish())
    } else {
        Err(unknown())
    }
}
