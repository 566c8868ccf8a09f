//! Keeps the status of clubs' Stripe accounts up to date. The status is read from Stripe's API,
//! never taken from a webhook event (decisions B-1, B-13).

use std::sync::Arc;

use actors::payments::connect_gateway::{AccountStatus, ConnectGateway};
use actors::{GatewayError, Outbox};
use domain::AccountId;
use persistence::Failure;
use persistence::records::Records;
use persistence::records::clubs::{AccountChange, Club};
use serde_json::json;
use uuid::Uuid;

use crate::services::catalogue::Catalogue;

/// Maximum number of API calls with which one refresh reads an account's status. A refresh ends
/// earlier when two responses in a row agree.
const CONCURRENT_STATUS_READS_MAX: usize = 4;
/// Stripe's error code for an account that this platform may not, or may no longer, access.
const ACCOUNT_INVALID_CODE: &str = "account_invalid";

/// Reads the status of clubs' Stripe accounts from Stripe and stores it.
pub struct ConnectedAccounts<'a> {
    pub connect: &'a dyn ConnectGateway,
    pub records: &'a Records,
    pub catalogue: &'a Catalogue,
    pub outbox: &'a Outbox,
}

impl ConnectedAccounts<'_> {
    /// Reads an account's status from Stripe and stores it. Returns `false` when Stripe cannot
    /// answer now.
    ///
    /// After a change the status is read again, because a concurrent call may have stored an older
    /// answer.
    ///
    /// # Errors
    /// The database could not be written.
    pub async fn refresh_status(&self, account: &AccountId) -> Result<bool, Failure> {
        for _ in 0..CONCURRENT_STATUS_READS_MAX {
            let Some(status) = self.read_status(account).await else {
                return Ok(false);
            };
            let moved = self.records.update_connected_account_state(
                account,
                status.charges_enabled,
                status.details_submitted,
                status.payouts_enabled,
            );
            match moved.await? {
                AccountChange::Nothing => return Ok(true),
                AccountChange::Something => {}
                AccountChange::Lost => {
                    tracing::warn!(
                        account = account.0,
                        "a club's Stripe account can no longer take payments"
                    );
                    self.outbox.wake_mailer();
                    self.mail_operators(account).await?;
                }
            }
            if let Err(failure) = self.catalogue.reload().await {
                tracing::warn!(%failure, account = account.0, "catalogue reload after an account change failed");
            }
        }
        Ok(false)
    }

    /// Tells each operator that a club can no longer sell. The club itself is told by a mail that was
    /// queued together with the change.
    async fn mail_operators(&self, account: &AccountId) -> Result<(), Failure> {
        let facts = self.catalogue.facts();
        let is_of_account = |club: &&Arc<Club>| club.account.as_ref() == Some(account);
        let Some(club) = facts.clubs().find(is_of_account) else {
            return Ok(());
        };
        let data = json!({ "club": club.id.0, "account": account.0 }).to_string();
        let change = Uuid::new_v4();
        for admin in self.records.admins().await? {
            let key = format!("account-lost-operator-{change}-{}", admin.id);
            self.outbox
                .queue_mail_now(&key, "account-lost-operator", None, &admin.email, &data)
                .await?;
        }
        Ok(())
    }

    /// Whether this platform cannot access the account: the account does not belong to the
    /// platform, or the club disconnected it.
    pub async fn is_disconnected(&self, account: &AccountId) -> bool {
        self.connect
            .account_status(account)
            .await
            .is_err_and(|error| is_account_invalid(&error))
    }

    async fn read_status(&self, account: &AccountId) -> Option<AccountStatus> {
        match self.connect.account_status(account).await {
            Ok(status) => Some(status),
            // An inaccessible account cannot be charged, so all status flags are false.
            Err(error) if is_account_invalid(&error) => Some(AccountStatus::default()),
            Err(error) => {
                tracing::warn!(%error, account = account.0, "reading an account's status from Stripe failed");
                None
            }
        }
    }
}

fn is_account_invalid(error: &GatewayError) -> bool {
    matches!(error, GatewayError::Refused { code, .. } if code == ACCOUNT_INVALID_CODE)
}
