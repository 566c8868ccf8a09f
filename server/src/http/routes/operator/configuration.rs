//! Responds with the configuration in effect, read only (decision B-18).

use actix_web::{HttpResponse, web};
use domain::reservation::{
    ACTUAL_RESERVATION_SECONDS, EXTENSIONS_PER_RESERVATION_MAX, SHOWN_RESERVATION_SECONDS,
};
use domain::{SurchargeMode, TICKETS, TICKETS_PER_ORDER_MAX, fee};

use crate::access::caller::{CLUB_SESSION_LIFETIME, OPERATOR_SESSION_LIFETIME};
use crate::api::console::system::{Configuration, SessionIdle, Versions};
use crate::api::error::Problem;
use crate::config::CardFeePassing;
use crate::services::limits::{INTENTS_PER_ADDRESS_AND_MINUTE, INTENTS_PER_SESSION_AND_MINUTE};
use crate::state::State;
use crate::text::terms;

/// Handles `GET /api/admin/configuration`.
pub async fn show(state: web::Data<State>) -> Result<HttpResponse, Problem> {
    let vitals = state.records.background_work_health().await?;
    let (facts, fees) = (state.catalogue.facts(), state.config.fees);
    Ok(HttpResponse::Ok().json(Configuration {
        fee_rate_bps: fees.policy.rate_bps,
        fee_cap_cents: fees.policy.cap.0,
        card_fee_bps: fee::CARD_FEE_BPS,
        card_fee_fixed_cents: fee::CARD_FEE_FIXED.0,
        surcharge_mode: match facts.surcharge_mode(fees.surcharge) {
            SurchargeMode::PerLine => "per_line",
            SurchargeMode::PerCharge => "per_charge",
        },
        fee_passthrough_allowed: facts.card_fee_passing(fees.card_fee) == CardFeePassing::Allowed,
        currency: "AUD",
        country: "AU",
        timezone: "Australia/Brisbane",
        tickets_per_draw: TICKETS,
        max_per_purchase: TICKETS_PER_ORDER_MAX,
        reservation_seconds: SHOWN_RESERVATION_SECONDS,
        release_after_seconds: ACTUAL_RESERVATION_SECONDS,
        extension_seconds: SHOWN_RESERVATION_SECONDS,
        extensions_max: EXTENSIONS_PER_RESERVATION_MAX,
        intents_per_session_per_minute: INTENTS_PER_SESSION_AND_MINUTE,
        intents_per_address_per_minute: INTENTS_PER_ADDRESS_AND_MINUTE,
        session_idle_seconds: SessionIdle {
            operator: OPERATOR_SESSION_LIFETIME.idle_seconds,
            club: CLUB_SESSION_LIFETIME.idle_seconds,
        },
        terms_version: terms::SALE_TERMS.version.to_string(),
        versions: Versions {
            server: state.config.build_version.clone(),
            database: vitals.database,
            schema: vitals.schema.to_string(),
        },
    }))
}
