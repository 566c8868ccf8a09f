//! Webhook endpoints as the platform's settings list them. Events are delivered only to the address
//! of [`crate::Sandbox::set_webhook`], which is listed as two endpoints.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::api_call::{ApiCall, PLATFORM_APPLICATION_ID};
use super::failure::StripeError;
use super::id;
use super::journal_record::RecordRef;
use super::state::SandboxState;
use super::table::{ObjectKey, StripeObject};

/// A webhook endpoint. Its id begins with `we_`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WebhookEndpoint {
    pub id: String,
    pub created: i64,
    pub url: String,
    pub enabled_events: Vec<String>,
    /// Whether the endpoint receives the events of connected accounts instead of the platform's.
    pub is_connect: bool,
    pub disabled: bool,
    pub api_version: Option<String>,
    pub description: Option<String>,
    pub metadata: BTreeMap<String, String>,
    /// A deleted endpoint is kept, because the journal only adds and replaces objects.
    pub deleted: bool,
}

impl StripeObject for WebhookEndpoint {
    const OBJECT_NAME: &'static str = "webhook_endpoint";

    fn key(&self) -> ObjectKey<'_> {
        ObjectKey {
            id: &self.id,
            account: "",
            created: self.created,
        }
    }

    /// Renders the endpoint without its secret, which only the answer to its creation contains.
    fn render(&self) -> Value {
        json!({
            "id": self.id, "object": "webhook_endpoint", "api_version": self.api_version,
            "application": self.is_connect.then_some(PLATFORM_APPLICATION_ID), "created": self.created,
            "description": self.description, "enabled_events": self.enabled_events, "livemode": false,
            "metadata": self.metadata, "status": if self.disabled { "disabled" } else { "enabled" }, "url": self.url,
        })
    }

    fn as_record(&self) -> RecordRef<'_> {
        RecordRef::WebhookEndpoint(self)
    }
}

/// Handles `POST /v1/webhook_endpoints`.
pub fn create(state: &mut SandboxState, call: &ApiCall) -> Result<Value, StripeError> {
    let url = call.form.get_required("url")?.to_owned();
    check_url(&url)?;
    let enabled_events = owned(call.form.get_list("enabled_events"));
    if enabled_events.is_empty() {
        return Err(StripeError::missing_parameter("enabled_events"));
    }
    let endpoint = WebhookEndpoint {
        id: id::generate("we"),
        created: state.now(),
        url,
        enabled_events,
        is_connect: call.form.get_flag("connect")?.unwrap_or(false),
        disabled: false,
        api_version: call.form.get_owned("api_version"),
        description: call.form.get_owned("description"),
        metadata: call.form.get_map("metadata"),
        deleted: false,
    };
    let mut response = endpoint.render();
    response["secret"] = id::generate("whsec").into();
    state.save(endpoint);
    Ok(response)
}

/// Handles `POST /v1/webhook_endpoints/{id}`.
pub fn update(state: &mut SandboxState, call: &ApiCall, id: &str) -> Result<Value, StripeError> {
    let mut endpoint = find(state, id)?;
    if let Some(url) = call.form.get("url") {
        check_url(url)?;
        url.clone_into(&mut endpoint.url);
    }
    let enabled_events = owned(call.form.get_list("enabled_events"));
    if !enabled_events.is_empty() {
        endpoint.enabled_events = enabled_events;
    }
    if let Some(description) = call.form.get_or_empty("description") {
        endpoint.description = Some(description.to_owned()).filter(|text| !text.is_empty());
    }
    endpoint.disabled = call.form.get_flag("disabled")?.unwrap_or(endpoint.disabled);
    endpoint.metadata.extend(call.form.get_map("metadata"));
    let response = endpoint.render();
    state.save(endpoint);
    Ok(response)
}

/// Handles `DELETE /v1/webhook_endpoints/{id}`.
pub fn delete(state: &mut SandboxState, id: &str) -> Result<Value, StripeError> {
    let mut endpoint = find(state, id)?;
    endpoint.deleted = true;
    state.save(endpoint);
    Ok(json!({ "id": id, "object": "webhook_endpoint", "deleted": true }))
}

/// Finds an endpoint that was not deleted.
pub fn find(state: &SandboxState, id: &str) -> Result<WebhookEndpoint, StripeError> {
    state
        .find::<WebhookEndpoint>("", id)
        .ok()
        .filter(|endpoint| !endpoint.deleted)
        .ok_or_else(|| StripeError::not_found("webhook endpoint", id))
}

/// Lists one address twice: for the platform's events, and for those of connected accounts. Empty
/// `kinds` stands for all types of events.
pub fn list_address(state: &mut SandboxState, url: &str, kinds: &[String], api_version: &str) {
    for (id, is_connect) in [("we_sandboxplatform", false), ("we_sandboxconnect", true)] {
        let enabled_events = if kinds.is_empty() {
            vec!["*".to_owned()]
        } else {
            kinds.to_vec()
        };
        state.save(WebhookEndpoint {
            id: id.to_owned(),
            created: state.now(),
            url: url.to_owned(),
            enabled_events,
            is_connect,
            disabled: false,
            api_version: Some(api_version.to_owned()),
            description: None,
            metadata: BTreeMap::new(),
            deleted: false,
        });
    }
}

/// Stripe requires HTTPS only in live mode, which the stand-in does not have.
fn check_url(url: &str) -> Result<(), StripeError> {
    if url.starts_with("https://") || url.starts_with("http://") {
        return Ok(());
    }
    Err(StripeError::invalid_request(
        "Invalid URL: An explicit scheme (such as https) must be provided.",
    )
    .with_code("url_invalid")
    .with_param("url"))
}

fn owned(texts: Vec<&str>) -> Vec<String> {
    texts.into_iter().map(str::to_owned).collect()
}
