//! A club's account at the payment provider: its state, and the single-use link that completes it (decision B-13).

use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use actors::GatewayError;
use domain::{AccountId, ClubId};
use persistence::records::clubs::Club;
use serde_json::json;

use crate::error::Problem;
use crate::identity::Caller;
use crate::standing;
use crate::state::State;
use crate::wire::desk::{ConnectStatus, Onboarding};

async fn own(state: &State, caller: Caller, path: &str) -> Result<Club, Problem> {
    let club = path.parse().map(ClubId).map_err(|_| Problem::not_found())?;
    caller.must_own(club)?;
    state
        .records
        .club(club)
        .await?
        .ok_or_else(Problem::not_found)
}

/// As the provider said when `account.updated` came; while it is not connected the provider is asked too, for a notice may be late.
pub async fn status(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let mut club = own(&state, caller, &path).await?;
    if let Some(account) = club.account.clone().filter(|_| !club.connected)
        && standing::learn(&state, &account).await?
    {
        club = own(&state, caller, &path).await?;
    }
    Ok(HttpResponse::Ok().json(ConnectStatus {
        connected: club.connected,
        account_id: club.account.map(|account| account.0),
        charges_enabled: club.charges_enabled,
        payouts_enabled: club.payouts_enabled,
        details_submitted: club.details_submitted,
    }))
}

/// Makes the account if there is none yet, or none any more, and a fresh link: the old ones open nothing. What was paid to a lost
/// account stays its: orders name their own.
pub async fn begin(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let club = own(&state, caller, &path).await?;
    let account = match &club.account {
        Some(account) if club.connected || !standing::is_lost(&state, account).await => {
            account.clone()
        }
        _ => make(&state, caller, &club).await?,
    };
    let page = |name: &str| format!("{}/admin/stripe-connect/{name}", state.config.public_url);
    let link = state
        .connect
        .onboarding_link(&account, &page("refresh"), &page("complete"))
        .await;
    let onboarding_url = link.map_err(refused)?;
    Ok(HttpResponse::Ok().json(Onboarding { onboarding_url }))
}

/// One account a club, however often the button is pressed: the key names the club, and the account that it lost. It also names the
/// ten minutes, because the provider remembers its own failures under a key, and a club must be able to try again.
async fn make(state: &State, caller: Caller, club: &Club) -> Result<AccountId, Problem> {
    const KEY_MS: i64 = 10 * 60 * 1000;
    let lost = club
        .account
        .as_ref()
        .map(|account| format!("-after-{}", account.0))
        .unwrap_or_default();
    let key = format!(
        "connect-club-{}{lost}-{}",
        club.id,
        state.clock.now().0 / KEY_MS
    );
    let account = state
        .connect
        .create_account(&key, Some(&club.email))
        .await
        .map_err(refused)?;
    let (actor, object) = (caller.name(), format!("club:{}", club.id));
    let act = caller.act(&actor, Some(club.id), "connect-account", &object);
    state
        .records
        .by(act.entry(json!({ "account": account.0 })))
        .connect_account(club.id, &account)
        .await?;
    state.catalogue.reload().await?;
    Ok(account)
}

/// The provider said no, and will again: the platform itself is not set up for connected accounts. Or it is away.
fn refused(error: GatewayError) -> Problem {
    tracing::warn!(%error, "the provider did not open its door to a club");
    match error {
        GatewayError::Refused { .. } => {
            let words = "Stripe Platform Setup Required";
            Problem::new(StatusCode::SERVICE_UNAVAILABLE, "setup-required", words)
                .with("setupRequired", true)
        }
        GatewayError::Unavailable(_) | GatewayError::Unknown(_) | GatewayError::Failed(_) => {
            Problem::new(StatusCode::BAD_GATEWAY, "setup-failed", "Setup failed")
        }
    }
}
