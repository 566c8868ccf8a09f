//! Lists, archives and restores clubs (decision H-3).

use actix_web::{HttpResponse, web};
use domain::{AccountId, ClubId};
use persistence::records::console::clubs::ClubRow;
use serde_json::json;

use crate::access::caller::Caller;
use crate::api::console::club::{ConsoleClub, StripeAccount};
use crate::api::error::Problem;
use crate::services::wallet_domains::WalletDomainState;
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
    Ok(HttpResponse::Ok().json(
        rows.iter()
            .map(|row| console_club(state, row))
            .collect::<Vec<_>>(),
    ))
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
    let row = rows.first().ok_or_else(unknown_club_problem)?;
    Ok(HttpResponse::Ok().json(console_club(state, row)))
}

/// Builds a club's entry with the state of this site's domain on its Stripe account.
fn console_club(state: &State, row: &ClubRow) -> ConsoleClub {
    let account = row.account_id.clone().map(AccountId);
    let domain = account.and_then(|account| state.wallet_domains.state(&account));
    let domain = domain.map(|domain| match domain {
        WalletDomainState::Active => ("active", None),
        WalletDomainState::Inactive(reason) => ("inactive", Some(reason)),
        WalletDomainState::Failed(reason) => ("failed", Some(reason)),
    });
    ConsoleClub::new(row, domain)
}

fn unknown_club_problem() -> Problem {
    Problem::unknown_object("club-unknown")
}

/// Lists the clubs' Stripe accounts (decision B-17).
pub async fn list_stripe_accounts(state: web::Data<State>) -> Result<HttpResponse, Problem> {
    let rows = state.records.club_rows(None, None).await?;
    Ok(HttpResponse::Ok().json(rows.iter().map(StripeAccount::from).collect::<Vec<_>>()))
}
