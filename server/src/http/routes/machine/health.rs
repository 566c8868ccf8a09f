//! Health checks: liveness, readiness and integrity of the data (decision B-24).

use actix_web::{HttpResponse, web};
use serde::Deserialize;

use crate::api::error::Problem;
use crate::api::health as wire;
use crate::ops::lifecycle::Phase;
use crate::state::State;

/// Handles `GET /api/health/live`.
pub async fn show_liveness() -> HttpResponse {
    HttpResponse::Ok().json(wire::Liveness { status: "live" })
}

/// Query parameters of the readiness check.
#[derive(Deserialize)]
pub struct ReadinessQuery {
    /// The status to answer while the server drains. `HAProxy` reads 404 as "send no new traffic" and
    /// 503 as "down".
    draining: Option<u16>,
}

/// Handles the readiness check: 503 while the server starts, stops or cannot reach its database.
pub async fn show_readiness(
    state: web::Data<State>,
    query: web::Query<ReadinessQuery>,
) -> HttpResponse {
    let phase = *state.phase.borrow();
    let database_ok = state.records.check_reachable().await.is_ok();
    let ready = phase == Phase::Ready && database_ok && state.draws.may_serve();
    let drains = phase >= Phase::Draining && query.draining == Some(404);
    let mut response = match (ready, drains) {
        (true, _) => HttpResponse::Ok(),
        (false, true) => HttpResponse::NotFound(),
        (false, false) => HttpResponse::ServiceUnavailable(),
    };
    response.json(wire::Readiness {
        ready,
        database: database_ok,
    })
}

/// Maximum age of a cached integrity result, in seconds. Results are cached, because the check
/// reads every row.
pub const INTEGRITY_RESULT_AGE_SECONDS_MAX: i64 = 10;

/// Responds with every violated invariant and its number of rows; status 500 if there is any.
pub async fn show_integrity(state: web::Data<State>) -> Result<HttpResponse, Problem> {
    let found = state
        .recent_invariant_violations(INTEGRITY_RESULT_AGE_SECONDS_MAX)
        .await?;
    let mut response = if found.is_empty() {
        HttpResponse::Ok()
    } else {
        HttpResponse::InternalServerError()
    };
    Ok(response.json(wire::IntegrityReport {
        healthy: found.is_empty(),
        violations: found,
    }))
}
