//! A club's connected account at Stripe: its status, and the single-use onboarding link (decision
//! B-13).

use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use actors::GatewayError;
use domain::AccountId;
use persistence::records::clubs::Club;
use serde_json::json;

use super::own_club_id;
use crate::access::caller::Caller;
use crate::api::club_admin::{ConnectStatus, OnboardingLink};
use crate::api::error::Problem;
use crate::state::State;

async fn own_club(state: &State, caller: Caller, path: &str) -> Result<Club, Problem> {
    let club = own_club_id(caller, path)?;
    state
        .records
        .club(club)
        .await?
        .ok_or_else(Problem::not_found)
}

/// Responds with the account status. The stored status is updated by `account.updated` events.
/// While the account is not connected, the status is also read from Stripe, because the event may
/// be late.
pub async fn show_connect_status(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let mut club = own_club(&state, caller, &path).await?;
    if let Some(account) = club.account.clone().filter(|_| !club.connected)
        && state.connected_accounts().refresh_status(&account).await?
    {
        club = own_club(&state, caller, &path).await?;
    }
    Ok(HttpResponse::Ok().json(ConnectStatus {
        connected: club.connected,
        account_id: club.account.map(|account| account.0),
        charges_enabled: club.charges_enabled,
        payouts_enabled: club.payouts_enabled,
        details_submitted: club.details_submitted,
    }))
}

/// Creates the account if the club has none or can no longer use its account, and returns a new
/// onboarding link. Older links become invalid.
///
/// Orders paid to the earlier account are not affected, because each order stores its account.
pub async fn start_onboarding(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let club = own_club(&state, caller, &path).await?;
    let account = match &club.account {
        Some(account)
            if club.connected || !state.connected_accounts().is_disconnected(account).await =>
        {
            account.clone()
        }
        _ => create_account(&state, caller, &club).await?,
    };
    let page = |name: &str| format!("{}/admin/stripe-connect/{name}", state.config.public_url);
    let link = state
        .connect
        .onboarding_link(&account, &page("refresh"), &page("complete"))
        .await;
    let onboarding_url = link.map_err(stripe_setup_problem)?;
    Ok(HttpResponse::Ok().json(OnboardingLink { onboarding_url }))
}

/// Creates the club's account at Stripe. Repeated calls create only one account, because the
/// idempotency key is made of the club and its earlier account.
///
/// The key also contains the current ten-minute window, because Stripe replays a failure under the
/// same key and the club must be able to retry later.
async fn create_account(state: &State, caller: Caller, club: &Club) -> Result<AccountId, Problem> {
    const ACCOUNT_CREATION_RETRY_WINDOW_MS: i64 = 10 * 60 * 1000;
    let lost = club
        .account
        .as_ref()
        .map(|account| format!("-after-{}", account.0))
        .unwrap_or_default();
    let key = format!(
        "connect-club-{}{lost}-{}",
        club.id,
        state.clock.now().0 / ACCOUNT_CREATION_RETRY_WINDOW_MS
    );
    let account = state
        .connect
        .create_account(&key, &club.email)
        .await
        .map_err(stripe_setup_problem)?;
    let (actor, object) = (caller.audit_name(), format!("club:{}", club.id));
    let act = caller.audit_action(&actor, Some(club.id), "connect-account", &object);
    state
        .records
        .with_audit_entry(act.entry(json!({ "account": account.0 })))
        .connect_account(club.id, &account)
        .await?;
    state.catalogue.reload().await?;
    Ok(account)
}

/// Builds the error response. A refusal by Stripe means that the platform is not set up for
/// connected accounts, so a retry does not help; other errors mean that Stripe is unavailable.
fn stripe_setup_problem(error: GatewayError) -> Problem {
    tracing::warn!(%error, "Stripe onboarding failed");
    match error {
        GatewayError::Refused { .. } => {
            let message = "Stripe Platform Setup Required";
            Problem::new(StatusCode::SERVICE_UNAVAILABLE, "setup-required", message)
                .with_field("setupRequired", true)
        }
        GatewayError::Unavailable { .. }
        | GatewayError::Unknown { .. }
        | GatewayError::Failed { .. } => {
            Problem::new(StatusCode::BAD_GATEWAY, "setup-failed", "Setup failed")
        }
    }
}
