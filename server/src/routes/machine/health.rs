//! Whether the server lives, may be sent buyers, and keeps its promises (decision B-24).

use std::collections::BTreeMap;

use actix_web::{HttpResponse, web};
use domain::Timestamp;
use serde::Deserialize;
use tokio::sync::Mutex;

use crate::app::Phase;
use crate::error::Problem;
use crate::state::State;
use crate::wire::health as wire;

pub async fn live() -> HttpResponse {
    HttpResponse::Ok().json(wire::Live { status: "live" })
}

/// How a load balancer wants to be told.
#[derive(Deserialize)]
pub struct Told {
    /// The status while the server drains: HAProxy takes 404 for "finish what it has, and send no more" and 503 for "it is down".
    draining: Option<u16>,
}

/// 503 while starting, stopping or without a database.
pub async fn ready(state: web::Data<State>, told: web::Query<Told>) -> HttpResponse {
    let phase = *state.phase.borrow();
    let books = state.records.reachable().await.is_ok();
    let ready = phase == Phase::Ready && books && state.draws.may_serve();
    let drains = phase >= Phase::Draining && told.draining == Some(404);
    let mut response = match (ready, drains) {
        (true, _) => HttpResponse::Ok(),
        (false, true) => HttpResponse::NotFound(),
        (false, false) => HttpResponse::ServiceUnavailable(),
    };
    response.json(wire::Ready {
        ready,
        database: books,
    })
}

/// The check looks at every row: whoever asks more often is told what was found last.
const CHECK_SECONDS: i64 = 10;

/// What the last check of the invariants found: how many rows break each.
#[derive(Default)]
pub struct Integrity(Mutex<Option<(Timestamp, BTreeMap<String, u64>)>>);

/// Every promise that is broken, by name and count; 500 when there is any.
pub async fn integrity(state: web::Data<State>) -> Result<HttpResponse, Problem> {
    let found = violations(&state).await?;
    let mut response = if found.is_empty() {
        HttpResponse::Ok()
    } else {
        HttpResponse::InternalServerError()
    };
    Ok(response.json(wire::Integrity {
        healthy: found.is_empty(),
        violations: found,
    }))
}

/// The broken promises as of the last ten seconds, by name and count.
///
/// # Errors
/// The books could not be read.
pub async fn violations(state: &State) -> Result<BTreeMap<String, u64>, Problem> {
    violations_within(state, CHECK_SECONDS).await
}

/// The same as of the last so many seconds.
///
/// # Errors
/// The books could not be read.
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
