//! Connected accounts, and the single-use links by which a club completes its onboarding.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::api_call::{ApiCall, PLATFORM_APPLICATION_ID};
use super::failure::StripeError;
use super::form::StripeForm;
use super::id;
use super::journal_record::RecordRef;
use super::refund;
use super::state::SandboxState;
use super::table::{ObjectKey, StripeObject};

/// Lifetime of an onboarding link in seconds. Stripe's links also expire within minutes.
const ONBOARDING_LINK_SECONDS: i64 = 300;

/// What happens to refunds of an account. Variant names are stored in the journal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RefundFunding {
    /// The balance covers them.
    #[default]
    Covered,
    /// The balance is too low, and refunds are accepted as pending.
    Pending,
    /// The balance is too low, and refunds are refused.
    Refused,
}

/// The id of the platform's own account.
pub const PLATFORM_ACCOUNT_ID: &str = "acct_platform";
/// The statement descriptor of an onboarded account. Stripe asks for one during onboarding.
const DEFAULT_STATEMENT_DESCRIPTOR: &str = "FOOTBALL CLUB";
/// The days after which a payment is paid out, in Australia.
const PAYOUT_DELAY_DAYS: i64 = 2;
/// The capabilities of each account.
const CAPABILITIES: [&str; 2] = ["card_payments", "transfers"];

/// When an account's balance is paid out. Variant names are Stripe's, and stored in the journal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PayoutInterval {
    #[default]
    Daily,
    Manual,
    Monthly,
    Weekly,
}

/// A change of an account's state that Stripe's risk team or the club itself makes. `None` changes
/// nothing. Also the body of `POST /sandbox/accounts/{id}`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct AccountChange {
    #[serde(alias = "charges_enabled")]
    pub charges_enabled: Option<bool>,
    pub payouts_enabled: Option<bool>,
    /// Whether the capability `card_payments` is active.
    pub card_payments: Option<bool>,
    /// Empty: the account has none.
    pub statement_descriptor: Option<String>,
    pub payout_interval: Option<PayoutInterval>,
    /// Fields that Stripe wants from the club now.
    pub currently_due: Option<Vec<String>>,
}

/// A connected account of a club. The platform's own account is not stored.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Account {
    pub id: String,
    pub created: i64,
    pub kind: String,
    pub country: String,
    pub email: Option<String>,
    pub business_name: Option<String>,
    pub business_type: Option<String>,
    pub details_submitted: bool,
    pub charges_enabled: bool,
    pub payouts_enabled: bool,
    #[serde(default)]
    pub refund_funding: RefundFunding,
    pub metadata: BTreeMap<String, String>,
    /// Whether Stripe has switched off the capability `card_payments`, while other payments go on.
    #[serde(default)]
    pub card_payments_inactive: bool,
    /// The text on the statements of buyers.
    #[serde(default)]
    pub statement_descriptor: Option<String>,
    #[serde(default)]
    pub payout_interval: PayoutInterval,
    /// Fields that Stripe wants from the club now, although onboarding is complete.
    #[serde(default)]
    pub currently_due: Vec<String>,
    /// Whether the club has disconnected its account from the platform.
    #[serde(default)]
    pub disconnected: bool,
}

/// A single-use link to an account's onboarding page.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AccountLink {
    pub token: String,
    pub account: String,
    pub expires_at: i64,
    pub refresh_url: String,
    pub return_url: String,
    pub used: bool,
}

impl Account {
    pub fn new(id: String, created: i64) -> Self {
        Self {
            id,
            created,
            kind: "standard".to_owned(),
            country: "AU".to_owned(),
            email: None,
            business_name: None,
            business_type: None,
            details_submitted: false,
            charges_enabled: false,
            payouts_enabled: false,
            refund_funding: RefundFunding::Covered,
            metadata: BTreeMap::new(),
            card_payments_inactive: false,
            statement_descriptor: None,
            payout_interval: PayoutInterval::default(),
            currently_due: Vec::new(),
            disconnected: false,
        }
    }

    fn apply_form(&mut self, form: &StripeForm) {
        let replace = |field: &mut Option<String>, name: &str| {
            if let Some(value) = form.get_or_empty(name) {
                *field = Some(value.to_owned()).filter(|text| !text.is_empty());
            }
        };
        replace(&mut self.email, "email");
        replace(&mut self.business_name, "business_profile[name]");
        replace(&mut self.business_type, "business_type");
        replace(
            &mut self.statement_descriptor,
            "settings[payments][statement_descriptor]",
        );
        self.metadata.extend(form.get_map("metadata"));
    }

    /// Marks the account as fully onboarded.
    fn mark_complete(&mut self) {
        self.details_submitted = true;
        self.charges_enabled = true;
        self.payouts_enabled = true;
        self.statement_descriptor
            .get_or_insert_with(|| DEFAULT_STATEMENT_DESCRIPTOR.to_owned());
    }

    fn apply_change(&mut self, change: &AccountChange) {
        self.charges_enabled = change.charges_enabled.unwrap_or(self.charges_enabled);
        self.payouts_enabled = change.payouts_enabled.unwrap_or(self.payouts_enabled);
        if let Some(active) = change.card_payments {
            self.card_payments_inactive = !active;
        }
        if let Some(descriptor) = &change.statement_descriptor {
            self.statement_descriptor = Some(descriptor.clone()).filter(|text| !text.is_empty());
        }
        self.payout_interval = change.payout_interval.unwrap_or(self.payout_interval);
        if let Some(due) = &change.currently_due {
            self.currently_due.clone_from(due);
        }
    }

    /// Returns the status of a capability.
    fn capability_status(&self, capability: &str) -> &'static str {
        let switched_off = capability == "card_payments" && self.card_payments_inactive;
        if self.charges_enabled && !switched_off {
            "active"
        } else {
            "inactive"
        }
    }

    fn fields_due(&self) -> Vec<&str> {
        if self.details_submitted {
            self.currently_due.iter().map(String::as_str).collect()
        } else {
            vec!["external_account", "representative", "tos_acceptance.date"]
        }
    }

    fn render_capability(&self, capability: &str) -> Value {
        let due = self.fields_due();
        let status = self.capability_status(capability);
        json!({
            "id": capability, "object": "capability", "account": self.id, "requested": true,
            "requested_at": self.created, "status": status,
            "requirements": { "alternatives": [], "current_deadline": null, "currently_due": due,
                "disabled_reason": (status == "inactive").then_some("requirements.fields_needed"), "errors": [],
                "eventually_due": due, "past_due": [], "pending_verification": [] },
        })
    }

    fn render_settings(&self) -> Value {
        let mut schedule =
            json!({ "delay_days": PAYOUT_DELAY_DAYS, "interval": self.payout_interval });
        match self.payout_interval {
            PayoutInterval::Weekly => schedule["weekly_anchor"] = "monday".into(),
            PayoutInterval::Monthly => schedule["monthly_anchor"] = 1.into(),
            PayoutInterval::Daily | PayoutInterval::Manual => {}
        }
        json!({
            "branding": { "icon": null, "logo": null, "primary_color": null, "secondary_color": null },
            "card_payments": { "decline_on": { "avs_failure": false, "cvc_failure": false },
                "statement_descriptor_prefix": null, "statement_descriptor_prefix_kana": null,
                "statement_descriptor_prefix_kanji": null },
            "dashboard": { "display_name": self.business_name, "timezone": "Australia/Sydney" },
            "payments": { "statement_descriptor": self.statement_descriptor, "statement_descriptor_kana": null,
                "statement_descriptor_kanji": null, "statement_descriptor_prefix_kana": null,
                "statement_descriptor_prefix_kanji": null },
            "payouts": { "debit_negative_balances": true, "schedule": schedule, "statement_descriptor": null },
        })
    }

    fn save_and_emit_event(self, state: &mut SandboxState) -> Value {
        let (response, id) = (self.render(), self.id.clone());
        state.save(self);
        state.emit_event("account.updated", &id, &id);
        response
    }
}

impl StripeObject for Account {
    const OBJECT_NAME: &'static str = "account";

    fn key(&self) -> ObjectKey<'_> {
        ObjectKey {
            id: &self.id,
            account: "",
            created: self.created,
        }
    }

    fn render(&self) -> Value {
        let due = self.fields_due();
        let reason = (!self.charges_enabled).then_some("requirements.past_due");
        json!({
            "id": self.id, "object": "account",
            "business_profile": { "minority_owned_business_designation": null,
                "specified_commercial_transactions_act_url": null, "mcc": null, "name": self.business_name, "product_description": null,
                "support_address": null, "support_email": null, "support_phone": null, "support_url": null,
                "url": null },
            "business_type": self.business_type,
            "capabilities": { "card_payments": self.capability_status("card_payments"),
                "transfers": self.capability_status("transfers") },
            "charges_enabled": self.charges_enabled, "country": self.country, "created": self.created,
            "default_currency": "aud", "details_submitted": self.details_submitted, "email": self.email,
            "external_accounts": { "object": "list", "data": [], "has_more": false, "total_count": 0,
                "url": format!("/v1/accounts/{}/external_accounts", self.id) },
            "future_requirements": { "alternatives": [], "current_deadline": null, "currently_due": [],
                "disabled_reason": null, "errors": [], "eventually_due": [], "past_due": [],
                "pending_verification": [] },
            "metadata": self.metadata, "payouts_enabled": self.payouts_enabled,
            "requirements": { "alternatives": [], "current_deadline": null, "currently_due": due,
                "disabled_reason": reason, "errors": [], "eventually_due": due, "past_due": due,
                "pending_verification": [] },
            "settings": self.render_settings(), "type": self.kind,
        })
    }

    fn as_record(&self) -> RecordRef<'_> {
        RecordRef::Account(self)
    }
}

impl SandboxState {
    /// Returns an error unless the account may take payments.
    pub fn check_charges_enabled(&self, account: &str) -> Result<(), StripeError> {
        match self.accounts.get(account) {
            // Stripe has no code for this error.
            Some(found) if !found.charges_enabled => Err(StripeError::refused_by_state(
                "This Connect account cannot currently make charges. The `requirements.disabled_reason` property on \
                 the account will provide information about why this account is currently disabled.",
            )),
            Some(found) if found.card_payments_inactive => Err(StripeError::refused_by_state(
                "Your account cannot currently make live charges: the `card_payments` capability is inactive.",
            )),
            _ => Ok(()),
        }
    }

    /// Creates a fully onboarded account with this id unless it exists. Used for seeds, and for
    /// accounts that the product's database names although the sandbox's journal lacks them.
    pub fn create_account_if_missing(&mut self, id: &str, name: Option<&str>) {
        if self.accounts.get(id).is_some() {
            return;
        }
        let mut account = Account::new(id.to_owned(), self.now());
        account.business_name = name.map(str::to_owned);
        account.mark_complete();
        self.save(account);
    }

    /// Changes an account, as Stripe's risk team or the club would.
    pub fn change_account(
        &mut self,
        id: &str,
        change: &AccountChange,
    ) -> Result<Value, StripeError> {
        let mut account = self.find::<Account>("", id)?;
        account.apply_change(change);
        Ok(account.save_and_emit_event(self))
    }

    /// Sets what happens to an account's refunds. When money arrives, the refunds that waited for it
    /// succeed.
    pub fn set_refund_funding(
        &mut self,
        id: &str,
        refund_funding: RefundFunding,
    ) -> Result<Value, StripeError> {
        let mut account = self.find::<Account>("", id)?;
        account.refund_funding = refund_funding;
        let response = account.render();
        self.save(account);
        if refund_funding == RefundFunding::Covered {
            refund::settle_waiting_refunds(self, id);
        }
        Ok(response)
    }

    /// Disconnects an account from the platform, as a club does in its dashboard. From then on, the
    /// platform has no access to it.
    pub fn disconnect_account(&mut self, id: &str) -> Result<Value, StripeError> {
        let mut account = self.find::<Account>("", id)?;
        account.disconnected = true;
        self.save(account);
        self.emit_event(
            "account.application.deauthorized",
            id,
            PLATFORM_APPLICATION_ID,
        );
        Ok(render_application())
    }

    /// Whether the platform has access to an account.
    pub fn is_connected(&self, id: &str) -> bool {
        self.accounts
            .get(id)
            .is_some_and(|account| !account.disconnected)
    }

    /// Returns an account to which the platform has access.
    pub fn find_connected(&self, id: &str) -> Result<Account, StripeError> {
        self.find::<Account>("", id)
            .ok()
            .filter(|account| !account.disconnected)
            .ok_or_else(|| StripeError::inaccessible_account(id))
    }

    /// Completes an account's onboarding through its link. Returns the URL of the club's page to
    /// which the browser returns.
    pub fn complete_onboarding(&mut self, id: &str, token: &str) -> Result<String, StripeError> {
        let mut link = self.find_valid_link(id, token)?;
        let mut account = self.find::<Account>("", id)?;
        account.mark_complete();
        account.save_and_emit_event(self);
        link.used = true;
        let address = link.return_url.clone();
        self.save_link(link);
        Ok(address)
    }

    /// Returns an onboarding link that is still valid. The error for an expired or used link
    /// contains the link's `refresh_url`.
    pub fn find_valid_link(&self, account: &str, token: &str) -> Result<AccountLink, StripeError> {
        let link = self
            .links
            .get(token)
            .filter(|link| link.account == account)
            .cloned();
        let link = link.ok_or_else(|| StripeError::not_found("account link", account))?;
        if link.used || link.expires_at < self.now() {
            return Err(
                StripeError::invalid_request("This link was used or has expired.")
                    .with_field("refresh_url", link.refresh_url),
            );
        }
        Ok(link)
    }
}

/// Handles `POST /v1/accounts`.
pub fn create(state: &mut SandboxState, call: &ApiCall) -> Value {
    let mut account = Account::new(id::generate("acct"), state.now());
    account.kind = call.form.get("type").unwrap_or("standard").into();
    account.country = call.form.get("country").unwrap_or("AU").into();
    account.apply_form(&call.form);
    let response = account.render();
    state.save(account);
    response
}

/// Handles `POST /v1/accounts/{id}`.
pub fn update(state: &mut SandboxState, call: &ApiCall, id: &str) -> Result<Value, StripeError> {
    let mut account = state.find_connected(id)?;
    account.apply_form(&call.form);
    Ok(account.save_and_emit_event(state))
}

/// Handles `GET /v1/accounts/{id}`, and `GET /v1/account` for the account that the request's header
/// names.
pub fn retrieve(
    state: &SandboxState,
    call: &ApiCall,
    id: Option<&str>,
) -> Result<Value, StripeError> {
    match id.unwrap_or(&call.account) {
        "" => {
            let mut platform = Account::new(PLATFORM_ACCOUNT_ID.to_owned(), state.now());
            platform.mark_complete();
            Ok(platform.render())
        }
        id => state.find_connected(id).map(|account| account.render()),
    }
}

/// Handles `GET /v1/accounts/{id}/capabilities`, and with `/{capability}` the retrieval of one.
pub fn retrieve_capabilities(
    state: &SandboxState,
    id: &str,
    capability: Option<&str>,
) -> Result<Value, StripeError> {
    let account = state.find_connected(id)?;
    match capability {
        None => {
            let data = CAPABILITIES.map(|name| account.render_capability(name));
            let url = format!("/v1/accounts/{id}/capabilities");
            Ok(json!({ "object": "list", "data": data, "has_more": false, "url": url }))
        }
        Some(name) if CAPABILITIES.contains(&name) => Ok(account.render_capability(name)),
        Some(name) => Err(StripeError::not_found("capability", name)),
    }
}

/// Renders the platform's application, which events about a disconnected account contain.
pub fn render_application() -> Value {
    json!({ "id": PLATFORM_APPLICATION_ID, "object": "application", "name": "Football Doubles" })
}

/// Handles `POST /v1/account_links`.
pub fn create_link(state: &mut SandboxState, call: &ApiCall) -> Result<Value, StripeError> {
    let account = state.find_connected(call.form.get_required("account")?)?;
    call.form.get_required("type")?;
    let refresh_url = call.form.get_required("refresh_url")?.to_owned();
    let return_url = call.form.get_required("return_url")?.to_owned();
    let link = save_new_link(state, call, &account.id, refresh_url, return_url);
    Ok(
        json!({ "object": "account_link", "created": state.now(), "expires_at": link.expires_at, "url": link.url }),
    )
}

/// The address of a new onboarding link, and the time in seconds at which it expires.
pub struct LinkAddress {
    pub url: String,
    pub expires_at: i64,
}

/// Saves a new onboarding link of an account.
pub fn save_new_link(
    state: &mut SandboxState,
    call: &ApiCall,
    account: &str,
    refresh_url: String,
    return_url: String,
) -> LinkAddress {
    let link = AccountLink {
        token: id::generate("link"),
        expires_at: state.now() + ONBOARDING_LINK_SECONDS,
        refresh_url,
        return_url,
        account: account.to_owned(),
        used: false,
    };
    let address = LinkAddress {
        url: format!(
            "{}/sandbox/onboarding/{account}?link={}",
            call.base, link.token
        ),
        expires_at: link.expires_at,
    };
    state.save_link(link);
    address
}
