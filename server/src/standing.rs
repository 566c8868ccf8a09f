//! What the provider lets a club's account do: asked of it, never taken from what a notice says (decisions B-1, B-13).

use actors::GatewayError;
use actors::payment::connect::AccountStatus;
use domain::AccountId;
use persistence::Failure;
use persistence::records::clubs::Moved;

use crate::state::State;

/// Questions until the answer stays the same.
const ASKED_MAX: usize = 4;
/// The provider's word for an account that gave this platform no access, or took it away.
const NOT_OURS: &str = "account_invalid";

/// Asks the provider about an account and writes what it says. After a change it asks once more: whoever asked at the same time
/// may have written an older answer, and the last to write has looked again. `false`: the provider does not say just now.
///
/// # Errors
/// The books could not be written.
pub async fn learn(state: &State, account: &AccountId) -> Result<bool, Failure> {
    for _ in 0..ASKED_MAX {
        let Some(said) = ask(state, account).await else {
            return Ok(false);
        };
        let records = &state.records;
        let moved = records.account_updated(
            account,
            said.charges_enabled,
            said.details_submitted,
            said.payouts_enabled,
        );
        match moved.await? {
            Moved::Nothing => return Ok(true),
            Moved::Something => {}
            Moved::Lost => {
                tracing::warn!(
                    account = account.0,
                    "a club's account takes no payments any more"
                );
                state.outbox.nudge();
            }
        }
        if let Err(failure) = state.catalogue.reload().await {
            tracing::warn!(%failure, account = account.0, "what an account may do is not shown yet");
        }
    }
    Ok(false)
}

/// The provider says that an account is not this platform's, or is no longer: its club took its leave, and nothing opens it again.
pub async fn is_lost(state: &State, account: &AccountId) -> bool {
    state
        .connect
        .account_status(account)
        .await
        .is_err_and(|error| is_not_ours(&error))
}

fn is_not_ours(error: &GatewayError) -> bool {
    matches!(error, GatewayError::Refused { code, .. } if code == NOT_OURS)
}

async fn ask(state: &State, account: &AccountId) -> Option<AccountStatus> {
    match state.connect.account_status(account).await {
        Ok(said) => Some(said),
        // Nothing can be charged there.
        Err(error) if is_not_ours(&error) => Some(AccountStatus::default()),
        Err(error) => {
            tracing::warn!(%error, account = account.0, "the provider does not say what an account may do");
            None
        }
    }
}
