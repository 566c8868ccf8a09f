//! Switches of the whole service.

use actix_web::{HttpResponse, web};
use persistence::records::audit::Act;
use persistence::records::settings::MAINTENANCE_MODE;
use serde::Deserialize;
use serde_json::json;
use utoipa::ToSchema;

use crate::error::Problem;
use crate::identity::Caller;
use crate::routes::body::Body;
use crate::state::State;
use crate::wire::site::MaintenanceMode;

/// `updatedBy` in the body is ignored: the session says who it was (decision G-7).
#[derive(Deserialize, ToSchema)]
#[schema(as = SetMaintenanceMode)]
pub struct Wanted {
    enabled: Option<bool>,
}

pub async fn maintenance_mode(
    state: web::Data<State>,
    caller: Caller,
    body: Body<Wanted>,
) -> Result<HttpResponse, Problem> {
    let missing = || Problem::bad_request("enabled-missing", "Failed to update maintenance mode");
    let enabled = body.0.enabled.ok_or_else(missing)?;
    let (actor, value) = (caller.name(), enabled.to_string());
    state.records.set_setting(MAINTENANCE_MODE, &value, &actor).await?;
    let act = Act { actor: &actor, club: None, action: "set-maintenance-mode", object: "system" };
    state.records.audit(act, &json!({ "enabled": enabled })).await?;
    state.catalogue.reload().await?;
    Ok(HttpResponse::Ok().json(MaintenanceMode { maintenance_mode: enabled }))
}
