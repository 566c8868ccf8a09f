//! The public configuration that a browser needs before checkout (decision B-6).

use serde::Serialize;
use utoipa::ToSchema;

/// The public configuration.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PublicConfig {
    pub publishable_key: String,
    pub support_email: String,
    pub support_sms: String,
    pub build_version: String,
    /// The address of the source code, which the AGPL requires to offer.
    pub source_url: Option<String>,
    pub currency: &'static str,
    pub max_per_purchase: u16,
    pub fee_rate_bps: u32,
    pub fee_cap_cents: i64,
    /// Whether clubs may pass the card fee on to buyers (decision D-14).
    pub fee_passthrough_allowed: bool,
    /// How the card fee of a cart is passed on: once per line (`per_line`) or once per payment
    /// (`per_charge`), decision D-6.
    pub surcharge_mode: &'static str,
    /// The current version of the terms of service for clubs.
    pub terms_version: &'static str,
    /// Whether the server is a demo: cards are simulated, and mails are shown on a mailbox page.
    pub demo: bool,
    pub stripe_js: &'static str,
}
