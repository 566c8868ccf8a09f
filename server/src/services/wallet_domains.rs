//! Registers this site's host with the clubs' Stripe accounts, because wallet buttons appear only
//! on a registered domain of the account that takes the payment.

use std::net::IpAddr;

use actors::{ConnectGateway, WalletDomainStatus};
use dashmap::DashMap;
use domain::{AccountId, Timestamp};

/// Seconds after which an active registration is checked again.
const RECHECK_SECONDS: i64 = 86_400;
/// Seconds until the first retry. Each further failure doubles the wait.
const RETRY_SECONDS_MIN: i64 = 60;
const RETRY_SECONDS_MAX: i64 = 3600;

/// The state of this site's domain on an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WalletDomainState {
    Active,
    /// Stripe shows no wallet on this site. The text is Stripe's reason.
    Inactive(String),
    /// The last call to Stripe failed. The text says why.
    Failed(String),
}

struct Registration {
    state: WalletDomainState,
    failures: u32,
    next_check: Timestamp,
}

/// The registrations that this process made or checked. Not stored: after a restart each account
/// is checked once, which registers nothing twice.
#[derive(Default)]
pub struct WalletDomains {
    by_account: DashMap<AccountId, Registration>,
}

impl WalletDomains {
    /// Returns what this process last learnt about an account. `None`: not checked yet.
    pub fn state(&self, account: &AccountId) -> Option<WalletDomainState> {
        let registration = self.by_account.get(account)?;
        Some(registration.state.clone())
    }

    /// Registers the host with each account that is new, or due for a retry or check.
    pub async fn register_due(
        &self,
        connect: &dyn ConnectGateway,
        host: &str,
        accounts: impl Iterator<Item = AccountId>,
        now: Timestamp,
    ) {
        for account in accounts {
            let failures = match self.by_account.get(&account) {
                Some(registration) if registration.next_check > now => continue,
                Some(registration) => registration.failures,
                None => 0,
            };
            let state = match connect.register_wallet_domain(&account, host).await {
                Ok(WalletDomainStatus::Active) => WalletDomainState::Active,
                Ok(WalletDomainStatus::Inactive { reason }) => {
                    tracing::warn!(
                        account = account.0,
                        host,
                        reason,
                        "no wallet on this domain"
                    );
                    WalletDomainState::Inactive(reason)
                }
                Err(error) => {
                    tracing::warn!(account = account.0, host, %error, "wallet domain registration failed, will retry");
                    WalletDomainState::Failed(error.to_string())
                }
            };
            let (failures, wait) = if state == WalletDomainState::Active {
                (0, RECHECK_SECONDS)
            } else {
                (failures.saturating_add(1), retry_seconds(failures))
            };
            let registration = Registration {
                state,
                failures,
                next_check: now.plus_seconds(wait),
            };
            self.by_account.insert(account, registration);
        }
    }
}

fn retry_seconds(failures: u32) -> i64 {
    let doubled = RETRY_SECONDS_MIN.saturating_mul(1 << failures.min(10));
    doubled.min(RETRY_SECONDS_MAX)
}

/// Returns the host of a public URL that Stripe registers. `None` for `localhost` and IP addresses,
/// where wallets need no registration.
pub fn registrable_host(public_url: &str) -> Option<&str> {
    let (_, rest) = public_url.split_once("://")?;
    let authority = rest.split('/').next()?;
    let host = authority.split(':').next()?;
    let is_name = host.contains('.') && host.parse::<IpAddr>().is_err();
    is_name.then_some(host)
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use actors::{AccountStatus, GatewayError};
    use async_trait::async_trait;

    use super::*;

    /// Answers with the given results one after another, and records each call.
    struct ScriptedConnect {
        answers: Mutex<Vec<Result<WalletDomainStatus, GatewayError>>>,
        calls: Mutex<Vec<(AccountId, String)>>,
    }

    #[async_trait]
    impl ConnectGateway for ScriptedConnect {
        async fn create_account(
            &self,
            _key: &str,
            _email: &str,
        ) -> Result<AccountId, GatewayError> {
            unreachable!("no account is created")
        }

        async fn onboarding_link(
            &self,
            _account: &AccountId,
            _refresh_url: &str,
            _return_url: &str,
        ) -> Result<String, GatewayError> {
            unreachable!("no link is created")
        }

        async fn account_status(&self, _: &AccountId) -> Result<AccountStatus, GatewayError> {
            unreachable!("no status is read")
        }

        async fn register_wallet_domain(
            &self,
            account: &AccountId,
            host: &str,
        ) -> Result<WalletDomainStatus, GatewayError> {
            let call = (account.clone(), host.to_string());
            self.calls.lock().expect("never poisoned").push(call);
            self.answers.lock().expect("never poisoned").remove(0)
        }
    }

    #[actix_web::test]
    async fn failed_registration_is_retried_and_active_one_rests() {
        let connect = ScriptedConnect {
            answers: Mutex::new(vec![
                Err(GatewayError::unavailable("429")),
                Ok(WalletDomainStatus::Inactive {
                    reason: "unverified".into(),
                }),
                Ok(WalletDomainStatus::Active),
                Ok(WalletDomainStatus::Active),
            ]),
            calls: Mutex::default(),
        };
        let (domains, account) = (WalletDomains::default(), AccountId("acct_1".into()));
        assert_eq!(domains.state(&account), None);
        // Each row: seconds since the start, the number of calls so far, and the state.
        let failed = WalletDomainState::Failed("provider unavailable: 429".into());
        let inactive = WalletDomainState::Inactive("unverified".into());
        for (seconds, calls, state) in [
            (0, 1, &failed),
            (59, 1, &failed),
            (60, 2, &inactive),
            (179, 2, &inactive),
            (180, 3, &WalletDomainState::Active),
            (180 + 86_399, 3, &WalletDomainState::Active),
            (180 + 86_400, 4, &WalletDomainState::Active),
        ] {
            let now = Timestamp(0).plus_seconds(seconds);
            let accounts = std::iter::once(account.clone());
            domains
                .register_due(&connect, "doubles.example.com", accounts, now)
                .await;
            let made = connect.calls.lock().expect("never poisoned").len();
            assert_eq!(
                (made, domains.state(&account).as_ref()),
                (calls, Some(state))
            );
        }
        assert_eq!(retry_seconds(40), RETRY_SECONDS_MAX);
    }

    #[test]
    fn only_public_host_names_are_registrable() {
        for (url, host) in [
            ("https://doubles.example.com", Some("doubles.example.com")),
            (
                "https://doubles.example.com:8443/x",
                Some("doubles.example.com"),
            ),
            ("http://localhost:8080", None),
            ("http://127.0.0.1:8080", None),
            ("", None),
        ] {
            assert_eq!(registrable_host(url), host, "{url}");
        }
    }
}
