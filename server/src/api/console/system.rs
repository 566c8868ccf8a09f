//! Settings, limits and the configuration in effect.

use persistence::records::settings::SettingRow;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::format_timestamp;

/// A stored setting of the service.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Setting {
    pub id: i64,
    pub key: String,
    pub value: String,
    pub description: Option<String>,
    pub updated_at: String,
    /// Who changed the setting last: `Super Admin` for an operator (decision G-7).
    pub updated_by: Option<String>,
}

impl From<SettingRow> for Setting {
    fn from(row: SettingRow) -> Setting {
        let display = |by: String| {
            if by.starts_with("operator") {
                "Super Admin".to_string()
            } else {
                by
            }
        };
        Setting {
            id: row.id,
            key: row.key,
            value: row.value,
            description: row.description,
            updated_at: format_timestamp(row.updated_at),
            updated_by: row.updated_by.map(display),
        }
    }
}

/// A new value for a setting. `updatedBy` is ignored, because the operator is known from the
/// session.
#[derive(Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct SettingForm {
    pub value: Option<String>,
    pub description: Option<String>,
}

/// Reservations and payments in progress.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct InFlight {
    pub reservations: i64,
    pub tickets_held: i64,
    pub payments_in_flight: i64,
}

/// The form of a footer menu.
#[derive(Default, Deserialize, ToSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct FooterMenuForm {
    pub heading: Option<String>,
    #[serde(deserialize_with = "crate::api::lenient_numbers::deserialize_whole_number")]
    pub display_order: Option<i64>,
    pub is_visible: Option<bool>,
}

/// The form of a footer item.
#[derive(Default, Deserialize, ToSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct FooterItemForm {
    #[serde(deserialize_with = "crate::api::lenient_numbers::deserialize_whole_number")]
    pub menu_id: Option<i64>,
    pub label: Option<String>,
    pub url: Option<String>,
    #[serde(deserialize_with = "crate::api::lenient_numbers::deserialize_whole_number")]
    pub display_order: Option<i64>,
    pub is_visible: Option<bool>,
}

/// Idle timeout of sessions, in seconds.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct SessionIdle {
    pub operator: i32,
    pub club: i32,
}

/// Versions of the server, the database and its schema.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Versions {
    pub server: String,
    pub database: String,
    /// The newest migration of the database schema.
    pub schema: String,
}

/// The configuration in effect, read only (decision B-18).
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Configuration {
    pub fee_rate_bps: u32,
    pub fee_cap_cents: i64,
    pub card_fee_bps: u32,
    pub card_fee_fixed_cents: i64,
    /// How the card fee of a cart is passed on: once per line (`per_line`) or once per payment
    /// (`per_charge`).
    pub surcharge_mode: &'static str,
    pub fee_passthrough_allowed: bool,
    pub currency: &'static str,
    pub country: &'static str,
    pub timezone: &'static str,
    pub tickets_per_draw: u16,
    pub max_per_purchase: u16,
    pub reservation_seconds: i64,
    pub release_after_seconds: i64,
    pub extension_seconds: i64,
    pub extensions_max: u8,
    pub intents_per_session_per_minute: u32,
    pub intents_per_address_per_minute: u32,
    pub session_idle_seconds: SessionIdle,
    pub terms_version: String,
    pub versions: Versions,
}

/// The state of maintenance mode.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Maintenance {
    pub maintenance_mode: bool,
    pub updated_at: String,
    pub updated_by: Option<String>,
}
