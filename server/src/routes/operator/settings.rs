//! Switches of the whole service (C:84, decision G-15).

use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use persistence::records::settings::{
    CLUB_REGISTRATION_ENABLED, FEE_PASSTHROUGH_ALLOWED, HIDE_TEST_DRAWS, MAINTENANCE_MODE,
};
use serde::Deserialize;
use serde_json::json;
use utoipa::ToSchema;

use crate::error::Problem;
use crate::identity::Caller;
use crate::routes::body::Body;
use crate::state::State;
use crate::wire::console::system::{InFlight, Maintenance, Setting, WantedSetting};

/// What the console may switch; everything else in the table belongs to the machine.
const SWITCHES: [&str; 3] = [
    CLUB_REGISTRATION_ENABLED,
    HIDE_TEST_DRAWS,
    FEE_PASSTHROUGH_ALLOWED,
];
const DESCRIPTION_CHARS_MAX: usize = 200;

/// `updatedBy` in the body is ignored: the session says who it was (decision G-7).
#[derive(Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct WantedMaintenance {
    pub enabled: Option<bool>,
}

pub async fn maintenance_mode(
    state: web::Data<State>,
    caller: Caller,
    body: Body<WantedMaintenance>,
) -> Result<HttpResponse, Problem> {
    let missing = || Problem::bad_request("enabled-missing", "Failed to update maintenance mode");
    let enabled = body.0.enabled.ok_or_else(missing)?;
    let setting = set(&state, caller, MAINTENANCE_MODE, &enabled.to_string(), None).await?;
    Ok(HttpResponse::Ok().json(Maintenance {
        maintenance_mode: enabled,
        updated_at: setting.updated_at,
        updated_by: setting.updated_by,
    }))
}

/// The switches that were ever set.
pub async fn list(state: web::Data<State>) -> Result<HttpResponse, Problem> {
    let rows = state.records.setting_rows().await?.into_iter();
    let known = |key: &str| key == MAINTENANCE_MODE || SWITCHES.contains(&key);
    Ok(HttpResponse::Ok().json(
        rows.filter(|row| known(&row.key))
            .map(Setting::from)
            .collect::<Vec<_>>(),
    ))
}

pub async fn show(
    state: web::Data<State>,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let key = path.into_inner();
    let known = key == MAINTENANCE_MODE || SWITCHES.contains(&key.as_str());
    let setting = if known {
        find(&state, &key).await?
    } else {
        None
    };
    let unset = || {
        Problem::new(
            StatusCode::NOT_FOUND,
            "setting-unset",
            "Failed to load setting",
        )
    };
    Ok(HttpResponse::Ok().json(setting.ok_or_else(unset)?))
}

pub async fn change(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
    body: Body<WantedSetting>,
) -> Result<HttpResponse, Problem> {
    let key = path.into_inner();
    if key == MAINTENANCE_MODE {
        return Err(Problem::conflict(
            "use-maintenance-mode",
            "Maintenance has a switch of its own.",
        ));
    }
    if !SWITCHES.contains(&key.as_str()) {
        return Err(Problem::bad_request(
            "setting-unknown",
            "There is no such setting.",
        ));
    }
    let value = body.0.value.as_deref().map(str::trim).unwrap_or_default();
    if !["true", "false"].contains(&value) {
        // The specification's words for this one (C:314).
        let registration = key == CLUB_REGISTRATION_ENABLED;
        let words = if registration {
            "Failed to update club registration setting."
        } else {
            "A switch is true or false."
        };
        return Err(Problem::bad_request("value-refused", words));
    }
    let description: Option<String> = body
        .0
        .description
        .as_ref()
        .map(|words| words.trim().chars().take(DESCRIPTION_CHARS_MAX).collect());
    Ok(HttpResponse::Ok().json(set(&state, caller, &key, value, description.as_deref()).await?))
}

async fn set(
    state: &State,
    caller: Caller,
    key: &str,
    value: &str,
    description: Option<&str>,
) -> Result<Setting, Problem> {
    let before = find(state, key).await?.map(|setting| setting.value);
    let (actor, object) = (caller.name(), format!("setting:{key}"));
    let entry = caller
        .act(&actor, None, "set", &object)
        .entry(json!({ "before": before, "after": value }));
    state
        .records
        .change_setting(key, value, description, &actor, entry)
        .await?;
    state.catalogue.reload().await?;
    find(state, key).await?.ok_or_else(Problem::unavailable)
}

async fn find(state: &State, key: &str) -> Result<Option<Setting>, Problem> {
    let rows = state.records.setting_rows().await?;
    Ok(rows
        .into_iter()
        .find(|row| row.key == key)
        .map(Setting::from))
}

/// What is under way when maintenance begins: it goes on.
pub async fn in_flight(state: web::Data<State>) -> Result<HttpResponse, Problem> {
    let (reservations, tickets_held, payments_in_flight) = state.records.in_flight().await?;
    Ok(HttpResponse::Ok().json(InFlight {
        reservations,
        tickets_held,
        payments_in_flight,
    }))
}
