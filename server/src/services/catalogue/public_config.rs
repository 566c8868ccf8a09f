//! Builds the public configuration from the environment and the operator's settings.

use domain::{SurchargeMode, TICKETS_PER_ORDER_MAX};

use super::CatalogueFacts;
use crate::api::config::PublicConfig;
use crate::config::{CardFeePassing, Config, Stage};

/// URL of Stripe.js, in the release that the pages are written for.
const STRIPE_JS_URL: &str = "https://js.stripe.com/endive/stripe.js";

impl CatalogueFacts {
    /// Builds the public configuration, in which the operator's settings override the environment.
    pub fn public_config(&self, config: &Config) -> PublicConfig {
        let demo = config.stage == Stage::Demo;
        PublicConfig {
            publishable_key: config.stripe.publishable_key.clone(),
            support_email: config.support.email.clone(),
            support_sms: config.support.sms.clone(),
            build_version: config.build_version.clone(),
            source_url: config.source_url.clone(),
            currency: "aud",
            max_per_purchase: TICKETS_PER_ORDER_MAX,
            fee_rate_bps: config.fees.policy.rate_bps,
            fee_cap_cents: config.fees.policy.cap.0,
            fee_passthrough_allowed: self.card_fee_passing(config.fees.card_fee)
                == CardFeePassing::Allowed,
            surcharge_mode: match self.surcharge_mode(config.fees.surcharge) {
                SurchargeMode::PerLine => "per_line",
                SurchargeMode::PerCharge => "per_charge",
            },
            terms_version: crate::text::terms::SERVICE_TERMS.version,
            demo,
            stripe_js: match config.stage {
                #[cfg(feature = "demo")]
                Stage::Demo => "/sandbox/stripe.js",
                _ => STRIPE_JS_URL,
            },
        }
    }
}
