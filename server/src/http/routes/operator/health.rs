//! Health of the service for the operator console.

use std::time::Instant;

use actix_web::{HttpResponse, web};

use crate::api::console::health::{Checks, ConsoleHealth, DatabaseCheck};
use crate::api::error::Problem;
use crate::api::time_format::rfc3339;
use crate::http::routes::machine::health::INTEGRITY_RESULT_AGE_SECONDS_MAX;
use crate::live::operator_console::{health_checks, overall_status};
use crate::ops::console_health;
use crate::state::State;

/// Handles `GET /api/admin/health`.
pub async fn show(state: web::Data<State>) -> Result<HttpResponse, Problem> {
    let started = Instant::now();
    let reachable = state.records.check_reachable().await.is_ok();
    let latency_ms = started.elapsed().as_millis() as i64;
    let (vitals, off_ms) = console_health::read_vitals(&*state.clock, &state.records).await?;
    let violations = state
        .recent_invariant_violations(INTEGRITY_RESULT_AGE_SECONDS_MAX)
        .await?;
    let database = DatabaseCheck {
        ok: reachable,
        latency_ms,
    };
    let checks = Checks {
        database,
        ..health_checks(&state, &vitals, off_ms, violations)
    };
    Ok(HttpResponse::Ok().json(ConsoleHealth {
        status: overall_status(&checks),
        checked_at: rfc3339(state.clock.now()),
        started_at: rfc3339(state.started_at),
        build_version: state.config.build_version.clone(),
        checks,
    }))
}
