//! Endpoints for automatic reports of browsers. The response is always an empty 204, and users
//! notice nothing.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::api::error::Problem;
use crate::http::routes::body::Body;
use crate::services::identity::client_address;
use crate::state::State;

/// A diagnostic message of a browser.
#[derive(Default, Deserialize, ToSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct Diagnostics {
    #[schema(value_type = Option<String>)]
    level: Value,
    #[schema(value_type = Option<String>)]
    message: Value,
    /// Additional data, logged as one line of text without personal data.
    #[schema(value_type = Option<Object>)]
    data: Value,
    /// The call of Stripe.js that threw an exception: `elements`, `element`, `submit`, `confirm`,
    /// `confirmation_token` or `next_action`.
    #[schema(value_type = Option<String>)]
    stripe_js_step: Value,
}

/// Logs a browser's diagnostics. Always responds 204; only a few per minute are logged, and none
/// during maintenance (decision B-23).
pub async fn receive_diagnostics(
    request: HttpRequest,
    state: web::Data<State>,
    body: Result<Body<Diagnostics>, Problem>,
) -> HttpResponse {
    let in_maintenance = state.catalogue.facts().maintenance_mode();
    if let (false, Ok(Body(diagnostics))) = (in_maintenance, body)
        && state
            .limits
            .may_send_diagnostic(client_address(&request, &state.config))
    {
        state.client_reports.record_diagnostic(
            &diagnostics.level,
            &diagnostics.message,
            &diagnostics.data,
        );
        state
            .client_reports
            .count_stripe_js_exception(&diagnostics.stripe_js_step);
    }
    HttpResponse::NoContent().finish()
}

/// An event that a page reports about an offer, such as a view, for this site's own statistics.
#[derive(Default, Deserialize, ToSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct ClientEvent {
    /// `offer_view`, `offer_share` or `offer_add_to_cart`.
    #[schema(value_type = Option<String>)]
    event: Value,
    #[schema(value_type = Option<String>)]
    club_slug: Value,
    #[schema(value_type = Option<String>)]
    bundle_slug: Value,
}

/// Counts an event that a page reports about an offer, without personal data (decision B-10).
pub async fn track_offer_event(
    request: HttpRequest,
    state: web::Data<State>,
    body: Result<Body<ClientEvent>, Problem>,
) -> HttpResponse {
    if let Ok(Body(ClientEvent {
        event,
        club_slug,
        bundle_slug,
    })) = body
        && state
            .limits
            .may_send_diagnostic(client_address(&request, &state.config))
    {
        state
            .client_reports
            .record_offer_event(&event, &club_slug, &bundle_slug);
    }
    HttpResponse::NoContent().finish()
}

/// A CSP violation report as older browsers send it. Newer browsers send a list with other field
/// names.
#[derive(ToSchema)]
#[allow(
    dead_code,
    reason = "only documents the body in OpenAPI; the body is parsed as a JSON value"
)]
pub struct PolicyReport {
    #[schema(value_type = Option<Object>, rename = "csp-report")]
    csp_report: Value,
}

/// Logs CSP violation reports (ASVS 3.4.7). Always responds 204; only a few per minute are logged,
/// and none during maintenance.
pub async fn receive_csp_reports(
    request: HttpRequest,
    state: web::Data<State>,
    body: Result<web::Bytes, actix_web::Error>,
) -> HttpResponse {
    let in_maintenance = state.catalogue.facts().maintenance_mode();
    if let (false, Ok(body)) = (in_maintenance, body)
        && state
            .limits
            .may_send_diagnostic(client_address(&request, &state.config))
    {
        state
            .client_reports
            .record_csp_violations(&serde_json::from_slice(&body).unwrap_or_default());
    }
    HttpResponse::NoContent().finish()
}
