//! The Stripe keys: their mode and kind, the platform's profile, whether accounts can be created, and
//! the permissions of a restricted key.

use actors::payments::stripe::inspection::{StripeAnswer, StripeInspector};
use actors::{AccountsApi, GatewayError};
use domain::AccountId;

use super::{Finding, readable};
use crate::config::{Config, Stage};

const SUBJECT: &str = "keys";
const PLATFORM: &str = "platform";
const STRIPE_REMEDY: &str = "complete it in Stripe's dashboard (server/deploy/stripe.md, step 2)";

/// Whose objects a permission is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    Platform,
    ConnectedAccount,
}

/// A call that shows whether a key has a permission: a read, or a write that Stripe must refuse
/// because of its parameters.
struct PermissionProbe {
    /// The permission as `server/deploy/stripe.md` names it.
    name: &'static str,
    owner: Owner,
    writes: bool,
    path: &'static str,
}

const fn probe(
    name: &'static str,
    owner: Owner,
    writes: bool,
    path: &'static str,
) -> PermissionProbe {
    PermissionProbe {
        name,
        owner,
        writes,
        path,
    }
}

/// The permissions that the product needs, as in `server/deploy/stripe.md`.
const PROBES: [PermissionProbe; 9] = [
    probe(
        "payment intents: write",
        Owner::ConnectedAccount,
        true,
        "/payment_intents",
    ),
    probe(
        "payment methods: write",
        Owner::ConnectedAccount,
        true,
        "/payment_methods",
    ),
    probe(
        "charges: read",
        Owner::ConnectedAccount,
        false,
        "/charges?limit=1",
    ),
    probe(
        "balance transactions: read",
        Owner::ConnectedAccount,
        false,
        "/balance_transactions?limit=1",
    ),
    probe("refunds: write", Owner::ConnectedAccount, true, "/refunds"),
    probe(
        "payment method domains: write",
        Owner::ConnectedAccount,
        true,
        "/payment_method_domains",
    ),
    probe(
        "application fees: write",
        Owner::Platform,
        true,
        "/application_fees/fee_doctor/refunds",
    ),
    probe("accounts: write", Owner::Platform, true, "/accounts"),
    probe(
        "account links: write",
        Owner::Platform,
        true,
        "/account_links",
    ),
];

/// What a key's prefix says about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyForm {
    pub is_live: bool,
    pub kind: KeyKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyKind {
    Secret,
    Restricted,
    Publishable,
}

impl KeyForm {
    /// Returns the form of a key. `None`: it is no Stripe key.
    pub fn of(key: &str) -> Option<KeyForm> {
        let (kind, rest) = match key.split_once('_')? {
            ("sk", rest) => (KeyKind::Secret, rest),
            ("rk", rest) => (KeyKind::Restricted, rest),
            ("pk", rest) => (KeyKind::Publishable, rest),
            _ => return None,
        };
        let is_live = match rest.split_once('_')? {
            ("live", body) if !body.is_empty() => true,
            ("test", body) if !body.is_empty() => false,
            _ => return None,
        };
        Some(KeyForm { is_live, kind })
    }

    fn mode(self) -> &'static str {
        if self.is_live { "live" } else { "test" }
    }
}

/// Judges the forms of the two keys.
pub fn judge_keys(secret: &str, publishable: &str, stage: Stage) -> Vec<Finding> {
    let (secret, publishable) = (KeyForm::of(secret), KeyForm::of(publishable));
    let mut findings = Vec::new();
    match secret {
        Some(key) if key.kind != KeyKind::Publishable => {}
        _ => findings.push(Finding::red(
            SUBJECT,
            "STRIPE_SECRET_KEY is no secret or restricted key",
            "set it to the key that begins with sk_ or rk_",
        )),
    }
    match publishable {
        Some(key) if key.kind == KeyKind::Publishable => {}
        _ => findings.push(Finding::red(
            SUBJECT,
            "STRIPE_PUBLISHABLE_KEY is no publishable key",
            "set it to the key that begins with pk_",
        )),
    }
    let (Some(secret), Some(publishable)) = (secret, publishable) else {
        return findings;
    };
    if secret.is_live != publishable.is_live {
        findings.push(Finding::red(
            SUBJECT,
            format!(
                "the secret key is of {} mode, the publishable key of {} mode",
                secret.mode(),
                publishable.mode()
            ),
            "take both keys from the same mode of Stripe's dashboard",
        ));
    }
    if findings.is_empty() {
        let demo = if stage == Stage::Demo {
            ", the demo's own"
        } else {
            ""
        };
        let kind = match secret.kind {
            KeyKind::Restricted => "restricted",
            KeyKind::Secret | KeyKind::Publishable => "secret",
        };
        let mode = secret.mode();
        let what = format!("a {kind} key and a publishable key of {mode} mode{demo}");
        findings.push(Finding::green(SUBJECT, what));
    }
    findings
}

/// Reads the platform's account and probes the permissions.
pub async fn examine(
    inspector: &StripeInspector,
    config: &Config,
    account: Option<&AccountId>,
) -> Vec<Finding> {
    let key = KeyForm::of(config.stripe.secret_key.expose());
    let is_restricted = key.is_some_and(|key| key.kind == KeyKind::Restricted);
    let platform = inspector.read(None, "/account").await;
    if let Ok(answer) = &platform
        && answer.status == 401
    {
        return vec![Finding::red(
            SUBJECT,
            format!("Stripe refuses the secret key: {}", answer.error_message()),
            "take the key anew from Stripe's dashboard, and restart",
        )];
    }
    let mut findings = match readable(PLATFORM, "the platform's profile", platform) {
        Ok(answer) => judge_platform(&answer),
        Err(unknown) => vec![unknown],
    };
    findings.push(account_creation(inspector, config.stripe.accounts_api, is_restricted).await);
    if is_restricted {
        findings.extend(examine_permissions(inspector, account).await);
    } else {
        findings.push(Finding::green(
            "permissions",
            "the key is not restricted, so it may make every call",
        ));
    }
    findings
}

/// Judges the platform's own account.
pub fn judge_platform(answer: &StripeAnswer) -> Vec<Finding> {
    let account = &answer.body;
    let country = account["country"].as_str().unwrap_or("?");
    let mut findings = Vec::new();
    for (field, problem) in [
        (
            "details_submitted",
            "the platform's profile is not complete",
        ),
        (
            "charges_enabled",
            "the platform's account may not take payments",
        ),
    ] {
        if account[field] != true {
            findings.push(Finding::red(PLATFORM, problem, STRIPE_REMEDY));
        }
    }
    if country != "AU" {
        findings.push(Finding::yellow(
            PLATFORM,
            format!("the platform's account is in {country}, not in AU"),
            "clubs and prices are Australian: ask Stripe whether this platform may have them",
        ));
    }
    if findings.is_empty() {
        findings.push(Finding::green(
            PLATFORM,
            format!("the profile is complete, country {country}"),
        ));
    }
    findings
}

async fn account_creation(
    inspector: &StripeInspector,
    api: AccountsApi,
    is_restricted: bool,
) -> Finding {
    let answer = match api {
        AccountsApi::V1 => inspector.probe_write(None, "/accounts").await,
        AccountsApi::V2 => inspector.probe_write_v2("/core/accounts").await,
    };
    judge_account_creation(api, is_restricted, answer)
}

/// Judges the answer to an attempt to create an account with an unknown parameter.
fn judge_account_creation(
    api: AccountsApi,
    is_restricted: bool,
    answer: Result<StripeAnswer, GatewayError>,
) -> Finding {
    const SUBJECT: &str = "accounts";
    if api == AccountsApi::V2 && is_restricted {
        return Finding::red(
            SUBJECT,
            "version 2 of the Accounts API takes no restricted keys",
            "use a secret key, or set STRIPE_ACCOUNTS_API=v1 if the platform may still use version 1",
        );
    }
    let answer = match answer {
        Ok(answer) => answer,
        Err(why) => return Finding::unknown(SUBJECT, format!("creating accounts: {why}")),
    };
    match (answer.status, answer.error_code()) {
        (400, "parameter_unknown") => Finding::green(
            SUBJECT,
            "accounts can be created by version 1 of the API (Stripe refused only the probe's parameter)",
        ),
        (400, _) if api == AccountsApi::V2 => Finding::green(
            SUBJECT,
            "version 2 of the Accounts API answers (Stripe refused only the probe's parameter)",
        ),
        (400..=404, _) => Finding::red(
            SUBJECT,
            format!("no account can be created: {}", answer.error_message()),
            "set STRIPE_ACCOUNTS_API to the version that the platform has, and complete the Connect profile",
        ),
        (status, _) => Finding::unknown(SUBJECT, format!("creating accounts: status {status}")),
    }
}

async fn examine_permissions(
    inspector: &StripeInspector,
    account: Option<&AccountId>,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    for probe in &PROBES {
        if probe.owner == Owner::ConnectedAccount && account.is_none() {
            findings.push(Finding::unknown(
                "permissions",
                format!("{}: not told, because no club has an account", probe.name),
            ));
            continue;
        }
        let on_account = account.filter(|_| probe.owner == Owner::ConnectedAccount);
        let answer = if probe.writes {
            inspector.probe_write(on_account, probe.path).await
        } else {
            inspector.read(on_account, probe.path).await
        };
        findings.push(judge_permission(probe.name, answer));
    }
    findings
}

/// Judges the answer to a probe. Stripe checks the permission before the parameters.
fn judge_permission(name: &str, answer: Result<StripeAnswer, GatewayError>) -> Finding {
    const SUBJECT: &str = "permissions";
    match answer {
        Ok(answer) if answer.status == 403 && answer.error_code() == "account_invalid" => {
            Finding::unknown(
                SUBJECT,
                format!("{name}: not told, because the club disconnected its account"),
            )
        }
        Ok(answer) if answer.status == 403 => Finding::red(
            SUBJECT,
            format!("{name}: missing. Stripe says: {}", answer.error_message()),
            "add the permission to the restricted key in Stripe's dashboard",
        ),
        Ok(answer) if answer.is_success() || matches!(answer.status, 400 | 404) => {
            Finding::green(SUBJECT, format!("{name}: granted"))
        }
        Ok(answer) => Finding::unknown(
            SUBJECT,
            format!("{name}: Stripe answered {}", answer.status),
        ),
        Err(why) => Finding::unknown(SUBJECT, format!("{name}: {why}")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::FindingState::{self, Green, Red, Unknown, Yellow};
    use super::*;

    fn states(findings: &[Finding]) -> Vec<FindingState> {
        findings.iter().map(|finding| finding.state).collect()
    }

    #[test]
    fn keys_must_match_in_mode_and_kind() {
        for (secret, publishable, expected) in [
            ("sk_test_a", "pk_test_a", vec![Green]),
            ("rk_live_a", "pk_live_a", vec![Green]),
            ("sk_live_a", "pk_test_a", vec![Red]),
            ("sk_test_a", "pk_live_a", vec![Red]),
            ("pk_test_a", "pk_test_a", vec![Red]),
            ("sk_test_a", "sk_test_a", vec![Red]),
            ("sk_test_", "pk_test_a", vec![Red]),
            ("whsec_a", "x", vec![Red, Red]),
        ] {
            let findings = judge_keys(secret, publishable, Stage::Production);
            assert_eq!(states(&findings), expected, "{secret} {publishable}");
        }
    }

    fn answer(status: u16, body: serde_json::Value) -> StripeAnswer {
        StripeAnswer {
            status,
            date: None,
            body,
        }
    }

    #[test]
    fn incomplete_platform_is_red_and_foreign_one_is_to_be_looked_at() {
        let platform = |details: bool, charges: bool, country: &str| {
            let body = json!({ "details_submitted": details, "charges_enabled": charges, "country": country });
            states(&judge_platform(&answer(200, body)))
        };
        assert_eq!(platform(true, true, "AU"), [Green]);
        assert_eq!(platform(false, true, "AU"), [Red]);
        assert_eq!(platform(true, false, "AU"), [Red]);
        assert_eq!(platform(true, true, "NZ"), [Yellow]);
    }

    #[test]
    fn refused_probe_tells_permission_and_account_creation() {
        let error =
            |status: u16, code: &str| Ok(answer(status, json!({ "error": { "code": code } })));
        let permission =
            |status, code: &str| judge_permission("refunds", error(status, code)).state;
        assert_eq!(permission(403, ""), Red);
        assert_eq!(permission(403, "account_invalid"), Unknown);
        assert_eq!(permission(400, "parameter_unknown"), Green);
        assert_eq!(permission(404, "resource_missing"), Green);
        assert_eq!(permission(500, ""), Unknown);
        let lost = Err(GatewayError::unknown("no answer"));
        assert_eq!(judge_permission("refunds", lost).state, Unknown);
        let creation = |api, restricted, status, code: &str| {
            judge_account_creation(api, restricted, error(status, code)).state
        };
        assert_eq!(creation(AccountsApi::V2, false, 400, ""), Green);
        assert_eq!(creation(AccountsApi::V2, true, 400, ""), Red);
        assert_eq!(creation(AccountsApi::V2, false, 404, ""), Red);
        assert_eq!(
            creation(AccountsApi::V1, true, 400, "parameter_unknown"),
            Green
        );
        assert_eq!(creation(AccountsApi::V1, true, 400, ""), Red);
        assert_eq!(creation(AccountsApi::V1, false, 503, ""), Unknown);
    }
}
