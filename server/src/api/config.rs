//! The public configuration that a browser needs before checkout (decision B-6).

use domain::{SurchargeMode, TICKETS_PER_ORDER_MAX};
use serde::Serialize;
use utoipa::ToSchema;

use crate::config::{CardFeePassing, Config, Stage};
use crate::services::catalogue::CatalogueFacts;

/// Stripe's script, in the release that the pages are written for.
const STRIPE_JS: &str = "https://js.stripe.com/endive/stripe.js";

/// The public configuration.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PublicConfig {
    pub publishable_key: String,
    pub support_email: String,
    pub support_sms: String,
    pub build_version: String,
    pub currency: &'static str,
    pub max_per_purchase: u16,
    pub fee_rate_bps: u32,
    pub fee_cap_cents: i64,
    /// Clubs may pass the card fee on to buyers (decision D-14).
    pub fee_passthrough_allowed: bool,
    /// How the card fee of a cart is passed on: once per line (`per_line`) or once per payment
    /// (`per_charge`), decision D-6.
    pub surcharge_mode: &'static str,
    /// The current version of the terms of service for clubs.
    pub terms_version: &'static str,
    /// Demo mode: cards are simulated, and mails stay in a mailbox page.
    pub demo: bool,
    pub stripe_js: &'static str,
}

impl PublicConfig {
    /// Combines the environment with the settings of the operator.
    pub fn new(config: &Config, facts: &CatalogueFacts) -> PublicConfig {
        let demo = config.stage == Stage::Demo;
        PublicConfig {
            publishable_key: config.stripe.publishable_key.clone(),
            support_email: config.support.email.clone(),
            support_sms: config.support.sms.clone(),
            build_version: config.build_version.clone(),
            currency: "aud",
            max_per_purchase: TICKETS_PER_ORDER_MAX,
            fee_rate_bps: config.fees.policy.rate_bps,
            fee_cap_cents: config.fees.policy.cap.0,
            fee_passthrough_allowed: facts.card_fee_passing(config.fees.card_fee)
                == CardFeePassing::Allowed,
            surcharge_mode: match facts.surcharge_mode(config.fees.surcharge) {
                SurchargeMode::PerLine => "per_line",
                SurchargeMode::PerCharge => "per_charge",
            },
            terms_version: crate::text::terms::SERVICE.version,
            demo,
            stripe_js: if demo {
                "/sandbox/stripe.js"
            } else {
                STRIPE_JS
            },
        }
    }
}
