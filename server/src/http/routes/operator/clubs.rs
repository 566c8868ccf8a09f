//! Lists, archives and restores clubs (decision H-3).

use actix_web::{HttpResponse, web};
use domain::ClubId;
use serde_json::json;

use crate::access::caller::Caller;
use crate::api::console::club::{ConsoleClub, StripeAccount};
use crate::api::error::Problem;
use crate::state::State;

/// Handles `GET /api/admin/clubs`.
pub async fn list(state: web::Data<State>) -> Result<HttpResponse, Problem> {
    list_clubs(&state, false).await
}

/// Handles `GET /api/admin/clubs/archived`.
pub async fn list_archived_clubs(state: web::Data<State>) -> Result<HttpResponse, Problem> {
    list_clubs(&state, true).await
}

async fn list_clubs(state: &State, archived: bool) -> Result<HttpResponse, Problem> {
    let rows = state.records.club_rows(Some(archived), None).await?;
    Ok(HttpResponse::Ok().json(rows.iter().map(ConsoleClub::from).collect::<Vec<_>>()))
}

/// Handles `POST /api/admin/clubs/{club}/archive`.
pub async fn archive(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    set_archived(&state, caller, &path, true).await
}

/// Handles `POST /api/admin/clubs/{club}/unarchive`.
pub async fn unarchive(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    set_archived(&state, caller, &path, false).await
}

/// Archives or restores a club. Repeating the call changes nothing.
async fn set_archived(
    state: &State,
    caller: Caller,
    path: &str,
    archived: bool,
) -> Result<HttpResponse, Problem> {
    let club = ClubId(path.parse().map_err(|_| unknown_club_problem())?);
    let (actor, object) = (caller.audit_name(), format!("club:{club}"));
    let action = if archived {
        "archive-club"
    } else {
        "restore-club"
    };
    let entry = caller
        .audit_action(&actor, Some(club), action, &object)
        .entry(json!({}));
    if state
        .records
        .set_club_archived(club, archived, entry)
        .await?
    {
        state.catalogue.reload().await?;
    }
    let rows = state.records.club_rows(None, Some(club)).await?;
    Ok(HttpResponse::Ok().json(ConsoleClub::from(
        rows.first().ok_or_else(unknown_club_problem)?,
    )))
}

fn unknown_club_problem() -> Problem {
    Problem::unknown_object("club-unknown")
}

/// Lists the clubs' Stripe accounts (decision B-17).
pub async fn list_stripe_accounts(state: web::Data<State>) -> Result<HttpResponse, Problem> {
    let rows = state.records.club_rows(None, None).await?;
    Ok(HttpResponse::Ok().json(rows.iter().map(StripeAccount::from).collect::<Vec<_>>()))
}
