//! Health checks: liveness, readiness and integrity of the data (decision B-24).

use std::collections::BTreeMap;

use actix_web::{HttpResponse, web};
use domain::Timestamp;
use serde::Deserialize;
use tokio::sync::Mutex;

use crate::api::error::Problem;
use crate::api::health as wire;
use crate::ops::lifecycle::Phase;
use crate::state::State;

/// Handles `GET /api/health/live`.
pub async fn live() -> HttpResponse {
    HttpResponse::Ok().json(wire::Liveness { status: "live" })
}

/// Query of the readiness check.
#[derive(Deserialize)]
pub struct ReadinessQuery {
    /// The status to answer while the server drains. HAProxy reads 404 as "send no new traffic" and
    /// 503 as "down".
    draining: Option<u16>,
}

/// Answers 503 while the server starts, stops or has no database.
pub async fn ready(state: web::Data<State>, query: web::Query<ReadinessQuery>) -> HttpResponse {
    let phase = *state.phase.borrow();
    let database_ok = state.records.reachable().await.is_ok();
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

/// The check reads every row, so its result is cached for this time.
const CHECK_SECONDS: i64 = 10;

/// Cached result of the invariant check: the number of violating rows by invariant.
#[derive(Default)]
pub struct IntegrityCache(Mutex<Option<(Timestamp, BTreeMap<String, u64>)>>);

/// Answers every violated invariant with its number of rows; 500 when there is any.
pub async fn integrity(state: web::Data<State>) -> Result<HttpResponse, Problem> {
    let found = violations(&state).await?;
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

/// Returns the violated invariants, at most ten seconds old.
///
/// # Errors
/// The database could not be read.
pub async fn violations(state: &State) -> Result<BTreeMap<String, u64>, Problem> {
    violations_within(state, CHECK_SECONDS).await
}

/// Returns the violated invariants. The check ran at most `seconds` ago.
///
/// # Errors
/// The database could not be read.
pub async fn violations_within(
    state: &State,
    seconds: i64,
) -> Result<BTreeMap<String, u64>, Problem> {
    let mut last = state.integrity.0.lock().await;
    let now = state.clock.now();
    if let Some((_, found)) = last
        .as_ref()
        .filter(|(at, _)| now < at.plus_seconds(seconds))
    {
        return Ok(found.clone());
    }
    let mut found = BTreeMap::new();
    for violation in state.records.violations().await? {
        *found.entry(violation.invariant).or_default() += 1;
    }
    Ok(last.insert((now, found)).1.clone())
}
