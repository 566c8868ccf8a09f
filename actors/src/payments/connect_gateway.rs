//! The interface for connecting clubs to the payment provider. Each club has its own account at the
//! provider (decision C-24).

use async_trait::async_trait;
use domain::AccountId;

use super::gateway::GatewayError;

/// The state of a club's account at the provider. It can take payments if `charges_enabled &&
/// details_submitted` (decision B-13).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AccountStatus {
    pub charges_enabled: bool,
    pub payouts_enabled: bool,
    pub details_submitted: bool,
}

/// Whether wallet buttons may appear on a web host, for payments to an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WalletDomainStatus {
    Active,
    /// At least one wallet is not shown. The text is the provider's reason.
    Inactive {
        reason: String,
    },
}

/// Creates and reads the clubs' accounts at the payment provider.
#[async_trait]
pub trait ConnectGateway: Send + Sync {
    /// Creates a connected account for a club. A retry under the same idempotency key returns the
    /// same account.
    async fn create_account(&self, key: &str, email: &str) -> Result<AccountId, GatewayError>;
    /// Returns a single-use link to the provider's onboarding page. When the club has finished, the
    /// page leads to `return_url`. A link that was used before leads to `refresh_url`.
    async fn onboarding_link(
        &self,
        account: &AccountId,
        refresh_url: &str,
        return_url: &str,
    ) -> Result<String, GatewayError>;
    /// Returns the current state of an account.
    async fn account_status(&self, account: &AccountId) -> Result<AccountStatus, GatewayError>;
    /// Registers a web host for wallet buttons on an account. A host that is registered already is
    /// enabled and checked again.
    async fn register_wallet_domain(
        &self,
        account: &AccountId,
        host: &str,
    ) -> Result<WalletDomainStatus, GatewayError>;
}
