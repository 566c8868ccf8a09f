//! Creates the clubs' connected accounts, returns links to Stripe's onboarding, and reads the
//! accounts' state.

use async_trait::async_trait;
use domain::AccountId;
use stripe_connect::account::{
    CreateAccount, CreateAccountCapabilities, CreateAccountCapabilitiesCardPayments,
    CreateAccountCapabilitiesTransfers, CreateAccountController, CreateAccountControllerFees,
    CreateAccountControllerFeesPayer, CreateAccountControllerLosses,
    CreateAccountControllerLossesPayments, CreateAccountControllerStripeDashboard,
    CreateAccountControllerStripeDashboardType, RetrieveAccount,
};
use stripe_connect::account_link::{CreateAccountLink, CreateAccountLinkType};

use super::{Stripe, send};
use crate::payments::connect_gateway::{AccountStatus, ConnectGateway};
use crate::payments::gateway::GatewayError;

#[async_trait]
impl ConnectGateway for Stripe {
    /// The account pays Stripe's fees, bears its own losses, has Stripe's full dashboard, and is
    /// onboarded by Stripe (decision C-24).
    async fn create_account(
        &self,
        key: &str,
        email: Option<&str>,
    ) -> Result<AccountId, GatewayError> {
        let mut controller = CreateAccountController::new();
        controller.fees = Some(CreateAccountControllerFees {
            payer: Some(CreateAccountControllerFeesPayer::Account),
        });
        controller.losses = Some(CreateAccountControllerLosses {
            payments: Some(CreateAccountControllerLossesPayments::Stripe),
        });
        controller.stripe_dashboard = Some(CreateAccountControllerStripeDashboard {
            type_: Some(CreateAccountControllerStripeDashboardType::Full),
        });
        let mut capabilities = CreateAccountCapabilities::new();
        capabilities.card_payments = Some(CreateAccountCapabilitiesCardPayments {
            requested: Some(true),
        });
        capabilities.transfers = Some(CreateAccountCapabilitiesTransfers {
            requested: Some(true),
        });
        let mut create = CreateAccount::new()
            .country("AU")
            .controller(controller)
            .capabilities(capabilities);
        if let Some(email) = email {
            create = create.email(email);
        }
        let account = send(&self.platform, &create, Some(key)).await?;
        Ok(AccountId(account.id.as_str().to_owned()))
    }

    async fn onboarding_link(
        &self,
        account: &AccountId,
        refresh_url: &str,
        return_url: &str,
    ) -> Result<String, GatewayError> {
        let link =
            CreateAccountLink::new(account.0.as_str(), CreateAccountLinkType::AccountOnboarding)
                .refresh_url(refresh_url)
                .return_url(return_url);
        Ok(send(&self.platform, &link, None).await?.url)
    }

    async fn account_status(&self, account: &AccountId) -> Result<AccountStatus, GatewayError> {
        let account = send(
            &self.platform,
            &RetrieveAccount::new(account.0.as_str()),
            None,
        )
        .await?;
        Ok(AccountStatus {
            charges_enabled: account.charges_enabled.unwrap_or(false),
            payouts_enabled: account.payouts_enabled.unwrap_or(false),
            details_submitted: account.details_submitted.unwrap_or(false),
        })
    }
}
