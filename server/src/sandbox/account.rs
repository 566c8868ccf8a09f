//! Connected accounts and the single-use links by which a club completes its own.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::call::Call;
use super::failure::Failure;
use super::form::Form;
use super::id;
use super::record::RecordRef;
use super::state::State;
use super::table::{Key, Row};

/// How long an onboarding link may be opened; the real ones live for minutes too.
const LINK_SECONDS: i64 = 300;

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
    pub metadata: BTreeMap<String, String>,
}

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
    fn new(id: String) -> Self {
        Self {
            id,
            created: id::now(),
            kind: "standard".to_owned(),
            country: "AU".to_owned(),
            email: None,
            business_name: None,
            business_type: None,
            details_submitted: false,
            charges_enabled: false,
            payouts_enabled: false,
            metadata: BTreeMap::new(),
        }
    }

    fn fill(&mut self, form: &Form) {
        let replace = |field: &mut Option<String>, name: &str| {
            if let Some(value) = form.given(name) {
                *field = Some(value.to_owned()).filter(|text| !text.is_empty());
            }
        };
        replace(&mut self.email, "email");
        replace(&mut self.business_name, "business_profile[name]");
        replace(&mut self.business_type, "business_type");
        self.metadata.extend(form.map("metadata"));
    }

    /// Sets everything onboarding would have asked for.
    fn complete(&mut self) {
        self.details_submitted = true;
        self.charges_enabled = true;
        self.payouts_enabled = true;
    }

    fn announce(self, state: &mut State) -> Value {
        let (shown, id) = (self.render(), self.id.clone());
        state.save(self);
        state.emit("account.updated", &id, &id);
        shown
    }
}

impl Row for Account {
    const OBJECT: &'static str = "account";

    fn key(&self) -> Key<'_> {
        Key {
            id: &self.id,
            account: "",
            created: self.created,
        }
    }

    fn render(&self) -> Value {
        let due: &[&str] = if self.details_submitted {
            &[]
        } else {
            &["external_account", "representative", "tos_acceptance.date"]
        };
        let reason = (!self.charges_enabled).then_some("requirements.past_due");
        let capability = if self.charges_enabled {
            "active"
        } else {
            "inactive"
        };
        json!({
            "id": self.id, "object": "account",
            "business_profile": { "mcc": null, "name": self.business_name, "product_description": null,
                "support_address": null, "support_email": null, "support_phone": null, "support_url": null,
                "url": null },
            "business_type": self.business_type,
            "capabilities": { "card_payments": capability, "transfers": capability },
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
            "type": self.kind,
        })
    }

    fn record(&self) -> RecordRef<'_> {
        RecordRef::Account(self)
    }
}

impl State {
    /// Whether money may be charged on this account.
    pub fn may_charge(&self, account: &str) -> Result<(), Failure> {
        match self.accounts.get(account) {
            Some(found) if !found.charges_enabled => Err(Failure::state(
                "charges_not_enabled",
                "Your account cannot currently make charges. Complete its onboarding, or contact support.",
            )),
            _ => Ok(()),
        }
    }

    /// Makes sure that a complete account of this id exists: for seeds, and for a database older than this journal.
    pub fn adopt_account(&mut self, id: &str, name: Option<&str>) {
        if self.accounts.get(id).is_some() {
            return;
        }
        let mut account = Account::new(id.to_owned());
        account.business_name = name.map(str::to_owned);
        account.complete();
        self.save(account);
    }

    /// Switches an account's right to charge, as the provider's risk team would.
    pub fn restrict_account(&mut self, id: &str, may_charge: bool) -> Result<Value, Failure> {
        let mut account = self.find::<Account>("", id)?;
        account.charges_enabled = may_charge;
        Ok(account.announce(self))
    }

    /// Completes an account's onboarding by its link; gives the address to return to.
    pub fn complete_onboarding(&mut self, id: &str, token: &str) -> Result<String, Failure> {
        let mut link = self.open_link(id, token)?;
        let mut account = self.find::<Account>("", id)?;
        account.complete();
        account.announce(self);
        link.used = true;
        let address = link.return_url.clone();
        self.save_link(link);
        Ok(address)
    }

    /// A link that may still be used. The error of a stale one is where to fetch a new one.
    pub fn open_link(&self, account: &str, token: &str) -> Result<AccountLink, Failure> {
        let link = self
            .links
            .get(token)
            .filter(|link| link.account == account)
            .cloned();
        let link = link.ok_or_else(|| Failure::unknown("account link", account))?;
        if link.used || link.expires_at < id::now() {
            return Err(Failure::invalid("This link was used or has expired.")
                .detail("refresh_url", link.refresh_url));
        }
        Ok(link)
    }
}

/// `POST /v1/accounts`
pub fn create(state: &mut State, call: &Call) -> Result<Value, Failure> {
    let mut account = Account::new(id::fresh("acct"));
    account.kind = call.form.get("type").unwrap_or("standard").to_owned();
    account.country = call.form.get("country").unwrap_or("AU").to_owned();
    account.fill(&call.form);
    let shown = account.render();
    state.save(account);
    Ok(shown)
}

/// `POST /v1/accounts/{id}`
pub fn update(state: &mut State, call: &Call, id: &str) -> Result<Value, Failure> {
    let mut account = state.find::<Account>("", id)?;
    account.fill(&call.form);
    Ok(account.announce(state))
}

/// `GET /v1/accounts/{id}`, and `GET /v1/account` for the one the request is scoped to.
pub fn retrieve(state: &State, call: &Call, id: Option<&str>) -> Result<Value, Failure> {
    match id.unwrap_or(&call.account) {
        "" => {
            let mut platform = Account::new("acct_platform".to_owned());
            platform.complete();
            Ok(platform.render())
        }
        id => state
            .find::<Account>("", id)
            .map(|account| account.render())
            .map_err(|_| Failure::foreign_account(id)),
    }
}

/// `POST /v1/account_links`
pub fn create_link(state: &mut State, call: &Call) -> Result<Value, Failure> {
    let account = state.find::<Account>("", call.form.required("account")?)?;
    call.form.required("type")?;
    let link = AccountLink {
        token: id::fresh("link"),
        expires_at: id::now() + LINK_SECONDS,
        refresh_url: call.form.required("refresh_url")?.to_owned(),
        return_url: call.form.required("return_url")?.to_owned(),
        account: account.id,
        used: false,
    };
    let url = format!(
        "{}/sandbox/onboarding/{}?link={}",
        call.base, link.account, link.token
    );
    let shown = json!({ "object": "account_link", "created": id::now(), "expires_at": link.expires_at, "url": url });
    state.save_link(link);
    Ok(shown)
}
