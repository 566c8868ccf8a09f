//! Where browsers report to by themselves. Nobody waits for the answer, so it is always the same, and nothing is ever shown.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::error::Problem;
use crate::identity::address;
use crate::routes::body::Body;
use crate::state::State;

#[derive(Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct Diagnostics {
    #[schema(value_type = Option<String>)]
    level: Value,
    #[schema(value_type = Option<String>)]
    message: Value,
    /// Kept as one line of text, without what speaks of a person.
    #[schema(value_type = Option<Object>)]
    data: Value,
}

/// A browser's diagnostics: always 204, a few a minute, never during maintenance (decision B-23).
pub async fn debug_log(
    request: HttpRequest,
    state: web::Data<State>,
    body: Result<Body<Diagnostics>, Problem>,
) -> HttpResponse {
    let quiet = state.catalogue.facts().maintenance_mode();
    if let (false, Ok(Body(said))) = (quiet, body)
        && state.limits.may_log(address(&request, &state.config))
    {
        state
            .heard
            .diagnostic(&said.level, &said.message, &said.data);
    }
    HttpResponse::NoContent().finish()
}

#[derive(Default, Deserialize, ToSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct Happening {
    /// `offer_view`, `offer_share` or `offer_add_to_cart`.
    #[schema(value_type = Option<String>)]
    event: Value,
    #[schema(value_type = Option<String>)]
    club_slug: Value,
    #[schema(value_type = Option<String>)]
    bundle_slug: Value,
}

/// First-party counting of what happens to offers, without anything personal (decision B-10).
pub async fn track(
    request: HttpRequest,
    state: web::Data<State>,
    body: Result<Body<Happening>, Problem>,
) -> HttpResponse {
    if let Ok(Body(Happening {
        event,
        club_slug,
        bundle_slug,
    })) = body
        && state.limits.may_log(address(&request, &state.config))
    {
        state.heard.offer_event(&event, &club_slug, &bundle_slug);
    }
    HttpResponse::NoContent().finish()
}

/// A report as older browsers send it; newer ones send a list of them, in words of their own.
#[derive(ToSchema)]
#[allow(
    dead_code,
    reason = "it says what is sent; what is sent is read word by word"
)]
pub struct PolicyReport {
    #[schema(value_type = Option<Object>, rename = "csp-report")]
    csp_report: Value,
}

/// What a page was kept from doing (ASVS 3.4.7): always 204, a few a minute, never during maintenance.
pub async fn policy(
    request: HttpRequest,
    state: web::Data<State>,
    body: Result<web::Bytes, actix_web::Error>,
) -> HttpResponse {
    let quiet = state.catalogue.facts().maintenance_mode();
    if let (false, Ok(body)) = (quiet, body)
        && state.limits.may_log(address(&request, &state.config))
    {
        state
            .heard
            .breaches(&serde_json::from_slice(&body).unwrap_or_default());
    }
    HttpResponse::NoContent().finish()
}
