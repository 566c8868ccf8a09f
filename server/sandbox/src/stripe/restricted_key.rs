//! Restricted API keys. Each has a list of permissions, and calls outside of it are refused.

use std::collections::HashMap;

use super::failure::StripeError;
use super::id;

/// The prefix of a restricted key of test mode.
pub const RESTRICTED_KEY_PREFIX: &str = "rk_test_";
/// Number of the last characters of a key that Stripe's error messages show.
const SHOWN_KEY_CHARS: usize = 6;

/// The restricted keys that exist, with their permissions such as `charge_read`.
#[derive(Debug, Default)]
pub struct RestrictedKeys(HashMap<String, Vec<String>>);

impl RestrictedKeys {
    /// Creates a key with these permissions. A permission to write includes the one to read.
    pub fn create(&mut self, permissions: &[&str]) -> String {
        let key = format!(
            "{RESTRICTED_KEY_PREFIX}{}",
            id::generate("key").replace('_', "")
        );
        let permissions = permissions.iter().map(|name| (*name).to_owned()).collect();
        self.0.insert(key.clone(), permissions);
        key
    }

    /// Checks whether a key may make a call. Keys that are not restricted may make every call.
    ///
    /// # Errors
    ///
    /// 401 for a restricted key that does not exist, 403 for a call without permission.
    pub fn check(
        &self,
        key: &str,
        method: &str,
        path: &str,
        account: &str,
    ) -> Result<(), StripeError> {
        if !key.starts_with(RESTRICTED_KEY_PREFIX) {
            return Ok(());
        }
        let Some(permissions) = self.0.get(key) else {
            return Err(StripeError::unauthorized("Invalid API Key provided."));
        };
        let resource = resource_of_path(path);
        let is_granted = |access: &str| {
            let name = format!("{resource}_{access}");
            permissions.contains(&name)
        };
        let access = if method == "GET" { "read" } else { "write" };
        if is_granted("write") || is_granted(access) {
            return Ok(());
        }
        Err(StripeError::permission_missing(
            &masked_key(key),
            account,
            &format!("rak_{resource}_{access}"),
        ))
    }
}

/// Returns the name of a path's resource in the names of permissions.
fn resource_of_path(path: &str) -> &'static str {
    match path.split('/').next().unwrap_or_default() {
        "payment_intents" => "payment_intent",
        "payment_methods" | "tokens" | "confirmation_tokens" => "payment_method",
        // One permission covers charges and refunds.
        "charges" | "refunds" => "charge",
        "balance" | "balance_transactions" => "balance_transaction_source",
        "application_fees" => "application_fee",
        "payment_method_domains" => "payment_method_domain",
        "account" | "accounts" => "connected_account",
        "account_links" => "account_link",
        "webhook_endpoints" => "webhook",
        "payouts" => "payout",
        "disputes" => "dispute",
        "events" => "event",
        _ => "other_resource",
    }
}

/// Returns the key as Stripe's messages show it: all but its end replaced by asterisks.
fn masked_key(key: &str) -> String {
    let hidden = key.len() - RESTRICTED_KEY_PREFIX.len() - SHOWN_KEY_CHARS;
    format!(
        "{RESTRICTED_KEY_PREFIX}{}{}",
        "*".repeat(hidden),
        &key[key.len() - SHOWN_KEY_CHARS..]
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn restricted_key_makes_only_permitted_calls() {
        let mut keys = RestrictedKeys::default();
        let key = keys.create(&["charge_read", "payment_intent_write"]);
        let status = |method: &str, path: &str| {
            keys.check(&key, method, path, "acct_1")
                .map_err(|refusal| refusal.status)
        };
        assert_eq!(status("GET", "charges/ch_1"), Ok(()));
        assert_eq!(status("POST", "refunds"), Err(403));
        assert_eq!(status("GET", "payment_intents"), Ok(()));
        assert_eq!(status("POST", "payment_intents"), Ok(()));
        assert_eq!(status("GET", "webhook_endpoints"), Err(403));
        let unknown = keys.check("rk_test_unknown", "GET", "charges", "");
        assert_eq!(unknown.map_err(|refusal| refusal.status), Err(401));
        assert!(keys.check("sk_test_1", "POST", "refunds", "").is_ok());
        let refusal = keys.check(&key, "POST", "refunds", "acct_1").unwrap_err();
        let message = refusal.error_object()["message"].to_string();
        assert!(!message.contains(&key), "{message}");
        assert!(message.contains("'rak_charge_write'"), "{message}");
    }
}
