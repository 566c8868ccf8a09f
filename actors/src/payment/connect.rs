//! What we need of the payment provider before a club can sell: an account of its own (decision C-24).

use async_trait::async_trait;
use domain::AccountId;

use super::gateway::GatewayError;

/// Whether a connected account may sell. Connected means `charges_enabled && details_submitted` (decision B-13).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AccountStatus {
    pub charges_enabled: bool,
    pub payouts_enabled: bool,
    pub details_submitted: bool,
}

/// Onboarding of clubs at the provider.
#[async_trait]
pub trait Connect: Send + Sync {
    /// Makes a connected account for a club; `key` makes a retried call answer the first one's account.
    async fn create_account(
        &self,
        key: &str,
        email: Option<&str>,
    ) -> Result<AccountId, GatewayError>;
    /// A single-use page at the provider: it sends the club to `return_url` when done, to `refresh_url` when the link is used up.
    async fn onboarding_link(
        &self,
        account: &AccountId,
        refresh_url: &str,
        return_url: &str,
    ) -> Result<String, GatewayError>;
    async fn account_status(&self, account: &AccountId) -> Result<AccountStatus, GatewayError>;
}
