//! Creates the clubs' connected accounts, returns links to Stripe's onboarding, and reads the
//! accounts' state.
//!
//! Whichever version of the Accounts API creates an account, the account pays Stripe's fees, bears
//! its own losses, has Stripe's full dashboard, and is onboarded by Stripe (decision C-24).

use async_trait::async_trait;
use domain::AccountId;
use serde::Deserialize;
use serde_json::json;
use stripe_client_core::{RequestBuilder, StripeMethod};
use stripe_connect::account::{
    CreateAccount, CreateAccountCapabilities, CreateAccountCapabilitiesCardPayments,
    CreateAccountCapabilitiesTransfers, CreateAccountController, CreateAccountControllerFees,
    CreateAccountControllerFeesPayer, CreateAccountControllerLosses,
    CreateAccountControllerLossesPayments, CreateAccountControllerStripeDashboard,
    CreateAccountControllerStripeDashboardType, RetrieveAccount,
};
use stripe_connect::account_link::{CreateAccountLink, CreateAccountLinkType};

use super::{Stripe, send, send_customized_request};
use crate::payments::connect_gateway::{AccountStatus, ConnectGateway, WalletDomainStatus};
use crate::payments::gateway::GatewayError;

/// The version of Stripe's Accounts API that creates accounts and onboarding links. Stripe refuses
/// version 1 to platforms that are new (<https://docs.stripe.com/connect/accounts-v2>).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AccountsApi {
    V1,
    #[default]
    V2,
}

/// The part of an account of version 2 that is used.
#[derive(Deserialize)]
struct CreatedAccount {
    id: String,
}

/// The part of an account link of version 2 that is used.
#[derive(Deserialize)]
struct CreatedLink {
    url: String,
}

impl Stripe {
    async fn create_account_v1(&self, key: &str, email: &str) -> Result<AccountId, GatewayError> {
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
        let create = CreateAccount::new()
            .country("AU")
            .controller(controller)
            .capabilities(capabilities)
            .email(email);
        let account = send(&self.platform, &create, Some(key)).await?;
        Ok(AccountId(account.id.as_str().to_owned()))
    }

    async fn create_account_v2(&self, key: &str, email: &str) -> Result<AccountId, GatewayError> {
        let account = json!({
            "contact_email": email,
            "dashboard": "full",
            "identity": { "country": "AU" },
            "configuration": { "merchant": { "capabilities": { "card_payments": { "requested": true } } } },
            "defaults": { "responsibilities": { "fees_collector": "stripe", "losses_collector": "stripe" } },
        });
        let created: CreatedAccount = self
            .platform
            .post_v2("/core/accounts", &account, Some(key))
            .await?;
        Ok(AccountId(created.id))
    }

    async fn onboarding_link_v1(
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

    async fn onboarding_link_v2(
        &self,
        account: &AccountId,
        refresh_url: &str,
        return_url: &str,
    ) -> Result<String, GatewayError> {
        let link = json!({
            "account": account.0,
            "use_case": {
                "type": "account_onboarding",
                "account_onboarding": { "refresh_url": refresh_url, "return_url": return_url },
            },
        });
        let created: CreatedLink = self
            .platform
            .post_v2("/core/account_links", &link, None)
            .await?;
        Ok(created.url)
    }
}

#[async_trait]
impl ConnectGateway for Stripe {
    async fn create_account(&self, key: &str, email: &str) -> Result<AccountId, GatewayError> {
        match self.accounts_api {
            AccountsApi::V1 => self.create_account_v1(key, email).await,
            AccountsApi::V2 => self.create_account_v2(key, email).await,
        }
    }

    async fn onboarding_link(
        &self,
        account: &AccountId,
        refresh_url: &str,
        return_url: &str,
    ) -> Result<String, GatewayError> {
        match self.accounts_api {
            AccountsApi::V1 => {
                self.onboarding_link_v1(account, refresh_url, return_url)
                    .await
            }
            AccountsApi::V2 => {
                self.onboarding_link_v2(account, refresh_url, return_url)
                    .await
            }
        }
    }

    /// Reads the account through version 1, which answers for accounts of both versions
    /// (<https://docs.stripe.com/connect/accounts-v2>).
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

    async fn register_wallet_domain(
        &self,
        account: &AccountId,
        host: &str,
    ) -> Result<WalletDomainStatus, GatewayError> {
        let http = self.platform.for_account(&account.0)?;
        let list = RequestBuilder::new(StripeMethod::Get, DOMAINS_PATH)
            .query(&json!({ "domain_name": host, "limit": 1 }));
        let listed: DomainList = send_customized_request(&http, list.customize(), None).await?;
        let change = match listed.data.into_iter().next() {
            None => RequestBuilder::new(StripeMethod::Post, DOMAINS_PATH)
                .form(&json!({ "domain_name": host })),
            Some(domain) if !domain.enabled => {
                RequestBuilder::new(StripeMethod::Post, format!("{DOMAINS_PATH}/{}", domain.id))
                    .form(&json!({ "enabled": true }))
            }
            Some(domain) if domain.status() == WalletDomainStatus::Active => {
                return Ok(WalletDomainStatus::Active);
            }
            Some(domain) => RequestBuilder::new(
                StripeMethod::Post,
                format!("{DOMAINS_PATH}/{}/validate", domain.id),
            ),
        };
        let domain: Domain = send_customized_request(&http, change.customize(), None).await?;
        Ok(domain.status())
    }
}

/// async-stripe's types of these calls are in a crate that is otherwise not needed.
const DOMAINS_PATH: &str = "/payment_method_domains";

#[derive(miniserde::Deserialize)]
struct DomainList {
    data: Vec<Domain>,
}

#[derive(miniserde::Deserialize)]
struct Domain {
    id: String,
    enabled: bool,
    apple_pay: WalletOnDomain,
    google_pay: WalletOnDomain,
}

#[derive(miniserde::Deserialize)]
struct WalletOnDomain {
    status: String,
    status_details: Option<WalletProblem>,
}

#[derive(miniserde::Deserialize)]
struct WalletProblem {
    error_message: String,
}

impl Domain {
    fn status(&self) -> WalletDomainStatus {
        let wallets = [
            ("Apple Pay", &self.apple_pay),
            ("Google Pay", &self.google_pay),
        ];
        match wallets
            .into_iter()
            .find(|(_, wallet)| wallet.status != "active")
        {
            None => WalletDomainStatus::Active,
            Some((name, wallet)) => WalletDomainStatus::Inactive {
                reason: wallet.status_details.as_ref().map_or_else(
                    || format!("{name} is {}", wallet.status),
                    |problem| format!("{name}: {}", problem.error_message),
                ),
            },
        }
    }
}
