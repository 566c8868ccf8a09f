//! Settings of the whole service (decision G-15).

use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use persistence::records::settings::{
    CLUB_REGISTRATION_ENABLED, FEE_PASSTHROUGH_ALLOWED, HIDE_TEST_DRAWS, MAINTENANCE_MODE,
};
use serde::Deserialize;
use serde_json::json;
use utoipa::ToSchema;

use crate::access::caller::Caller;
use crate::api::console::system::{InFlight, Maintenance, Setting, SettingForm};
use crate::api::error::Problem;
use crate::http::routes::body::Body;
use crate::state::State;

/// Keys of the settings that operators may change. Other keys are internal to the server.
const EDITABLE_SETTINGS: [&str; 3] = [
    CLUB_REGISTRATION_ENABLED,
    HIDE_TEST_DRAWS,
    FEE_PASSTHROUGH_ALLOWED,
];
const DESCRIPTION_CHARS_MAX: usize = 200;

/// The body of a maintenance switch. `updatedBy` is ignored: the operator's name is taken from the
/// session (decision G-7).
#[derive(Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct MaintenanceForm {
    pub enabled: Option<bool>,
}

/// Handles `POST /api/admin/maintenance-mode`.
pub async fn set_maintenance_mode(
    state: web::Data<State>,
    caller: Caller,
    body: Body<MaintenanceForm>,
) -> Result<HttpResponse, Problem> {
    let missing = || Problem::bad_request("enabled-missing", "Failed to update maintenance mode");
    let enabled = body.0.enabled.ok_or_else(missing)?;
    let setting =
        store_setting(&state, caller, MAINTENANCE_MODE, &enabled.to_string(), None).await?;
    Ok(HttpResponse::Ok().json(Maintenance {
        maintenance_mode: enabled,
        updated_at: setting.updated_at,
        updated_by: setting.updated_by,
    }))
}

/// Lists the settings that have a stored value.
pub async fn list(state: web::Data<State>) -> Result<HttpResponse, Problem> {
    let rows = state.records.setting_rows().await?.into_iter();
    let is_known = |key: &str| key == MAINTENANCE_MODE || EDITABLE_SETTINGS.contains(&key);
    Ok(HttpResponse::Ok().json(
        rows.filter(|row| is_known(&row.key))
            .map(Setting::from)
            .collect::<Vec<_>>(),
    ))
}

/// Handles `GET /api/admin/system-settings/{key}`.
pub async fn show(
    state: web::Data<State>,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let key = path.into_inner();
    let is_known = key == MAINTENANCE_MODE || EDITABLE_SETTINGS.contains(&key.as_str());
    let setting = if is_known {
        find_setting(&state, &key).await?
    } else {
        None
    };
    let not_set = || {
        Problem::new(
            StatusCode::NOT_FOUND,
            "setting-unset",
            "Failed to load setting",
        )
    };
    Ok(HttpResponse::Ok().json(setting.ok_or_else(not_set)?))
}

/// Handles `POST /api/admin/system-settings/{key}`.
pub async fn change(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
    body: Body<SettingForm>,
) -> Result<HttpResponse, Problem> {
    let key = path.into_inner();
    if key == MAINTENANCE_MODE {
        return Err(Problem::conflict(
            "use-maintenance-mode",
            "Maintenance has a switch of its own.",
        ));
    }
    if !EDITABLE_SETTINGS.contains(&key.as_str()) {
        return Err(Problem::bad_request(
            "setting-unknown",
            "There is no such setting.",
        ));
    }
    let value = body.0.value.as_deref().map(str::trim).unwrap_or_default();
    if !["true", "false"].contains(&value) {
        // The error text for the setting `club_registration_enabled` is specified (section C:314 of
        // the specification).
        let registration = key == CLUB_REGISTRATION_ENABLED;
        let message = if registration {
            "Failed to update club registration setting."
        } else {
            "A switch is true or false."
        };
        return Err(Problem::bad_request("value-refused", message));
    }
    let description: Option<String> = body
        .0
        .description
        .as_ref()
        .map(|text| text.trim().chars().take(DESCRIPTION_CHARS_MAX).collect());
    Ok(HttpResponse::Ok()
        .json(store_setting(&state, caller, &key, value, description.as_deref()).await?))
}

async fn store_setting(
    state: &State,
    caller: Caller,
    key: &str,
    value: &str,
    description: Option<&str>,
) -> Result<Setting, Problem> {
    let before = find_setting(state, key).await?.map(|setting| setting.value);
    let (actor, object) = (caller.audit_name(), format!("setting:{key}"));
    let entry = caller
        .audit_action(&actor, None, "set", &object)
        .entry(json!({ "before": before, "after": value }));
    state
        .records
        .change_setting(key, value, description, &actor, entry)
        .await?;
    state.catalogue.reload().await?;
    find_setting(state, key)
        .await?
        .ok_or_else(Problem::unavailable)
}

async fn find_setting(state: &State, key: &str) -> Result<Option<Setting>, Problem> {
    let rows = state.records.setting_rows().await?;
    Ok(rows
        .into_iter()
        .find(|row| row.key == key)
        .map(Setting::from))
}

/// Responds with the numbers of reservations, held tickets and payments in progress. They continue
/// during maintenance.
pub async fn show_in_flight_counts(state: web::Data<State>) -> Result<HttpResponse, Problem> {
    let (reservations, tickets_held, payments_in_flight) =
        state.records.count_reservations_tickets_payments().await?;
    Ok(HttpResponse::Ok().json(InFlight {
        reservations,
        tickets_held,
        payments_in_flight,
    }))
}
