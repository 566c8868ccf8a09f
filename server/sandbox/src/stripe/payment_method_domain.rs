//! Payment method domains: the web hosts on which an account's wallet buttons may appear.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::api_call::ApiCall;
use super::failure::StripeError;
use super::id;
use super::journal_record::RecordRef;
use super::state::SandboxState;
use super::table::{ObjectKey, StripeObject};

/// Hosts below this domain never pass the check of Apple Pay. For tests.
const UNREACHABLE_SUFFIX: &str = ".unreachable.test";
const DOMAIN_NAME_BYTES_MAX: usize = 253;

/// A registered domain of an account. Its id begins with `pmd_`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PaymentMethodDomain {
    pub id: String,
    pub account: String,
    pub created: i64,
    pub domain_name: String,
    pub enabled: bool,
}

impl StripeObject for PaymentMethodDomain {
    const OBJECT_NAME: &'static str = "payment_method_domain";

    fn key(&self) -> ObjectKey<'_> {
        ObjectKey {
            id: &self.id,
            account: &self.account,
            created: self.created,
        }
    }

    fn render(&self) -> Value {
        let active = json!({ "status": "active" });
        let apple_pay = if self.domain_name.ends_with(UNREACHABLE_SUFFIX) {
            json!({ "status": "inactive", "status_details": {
                "error_message": "The domain could not be reached to verify it." } })
        } else {
            active.clone()
        };
        json!({
            "id": self.id, "object": "payment_method_domain", "amazon_pay": active, "apple_pay": apple_pay,
            "created": self.created, "domain_name": self.domain_name, "enabled": self.enabled, "google_pay": active,
            "klarna": active, "link": active, "livemode": false, "paypal": active,
        })
    }

    fn as_record(&self) -> RecordRef<'_> {
        RecordRef::PaymentMethodDomain(self)
    }
}

/// Handles `POST /v1/payment_method_domains`.
pub fn create(state: &mut SandboxState, call: &ApiCall) -> Result<Value, StripeError> {
    let domain_name = call.form.get_required("domain_name")?;
    let refused = |message: &str| {
        Err(StripeError::invalid_request(message.to_owned()).with_param("domain_name"))
    };
    if !is_public_host_name(domain_name) {
        return refused("The domain name must be a public host name without scheme, port or path.");
    }
    if find_domain(state, &call.account, domain_name).is_some() {
        return refused("The domain is already registered on this account.");
    }
    let domain = PaymentMethodDomain {
        id: id::generate("pmd"),
        account: call.account.clone(),
        created: state.now(),
        domain_name: domain_name.to_owned(),
        enabled: call.form.get_flag("enabled")?.unwrap_or(true),
    };
    Ok(save_and_render(state, domain))
}

/// Handles `POST /v1/payment_method_domains/{id}`.
pub fn update(state: &mut SandboxState, call: &ApiCall, id: &str) -> Result<Value, StripeError> {
    let mut domain = state.find::<PaymentMethodDomain>(&call.account, id)?;
    domain.enabled = call.form.get_flag("enabled")?.unwrap_or(domain.enabled);
    Ok(save_and_render(state, domain))
}

fn save_and_render(state: &mut SandboxState, domain: PaymentMethodDomain) -> Value {
    let response = domain.render();
    state.save(domain);
    response
}

/// Handles `GET /v1/elements/sessions` of Stripe.js: whether wallet buttons may appear on a page of
/// the host in the parameter `host`. Stripe's own answer has other fields.
pub fn find_wallets(state: &SandboxState, call: &ApiCall) -> Result<Value, StripeError> {
    let host = call.form.get_required("host")?;
    let domain = find_domain(state, &call.account, host).filter(|domain| domain.enabled);
    let is_active =
        |wallet: &str| domain.is_some_and(|domain| domain.render()[wallet]["status"] == "active");
    Ok(json!({ "apple_pay": is_active("apple_pay"), "google_pay": is_active("google_pay") }))
}

fn find_domain<'a>(
    state: &'a SandboxState,
    account: &str,
    domain_name: &str,
) -> Option<&'a PaymentMethodDomain> {
    state
        .domains
        .rows()
        .find(|domain| domain.account == account && domain.domain_name == domain_name)
}

/// Whether a text is a host name with a dot, and no IP address.
fn is_public_host_name(text: &str) -> bool {
    let is_label = |label: &str| {
        let is_plain =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        !label.is_empty() && label.bytes().all(is_plain)
    };
    let labels: Vec<&str> = text.split('.').collect();
    let last_is_a_word = labels
        .last()
        .is_some_and(|last| last.bytes().all(|byte| byte.is_ascii_lowercase()));
    labels.len() > 1
        && text.len() <= DOMAIN_NAME_BYTES_MAX
        && last_is_a_word
        && labels.into_iter().all(is_label)
}
