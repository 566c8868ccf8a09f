//! Whether the server lives, may be sent buyers, and keeps its promises (decision B-24).

use actix_web::{HttpResponse, web};
use serde_json::json;

use crate::app::Phase;
use crate::state::State;

pub async fn live() -> HttpResponse {
    HttpResponse::Ok().json(json!({ "status": "live" }))
}

/// 503 while starting, stopping or without a database.
pub async fn ready(state: web::Data<State>) -> HttpResponse {
    let phase = *state.phase.borrow();
    let books = state.records.reachable().await.is_ok();
    let ready = phase == Phase::Ready && books;
    let mut response = if ready { HttpResponse::Ok() } else { HttpResponse::ServiceUnavailable() };
    response.json(json!({ "ready": ready, "database": books }))
}
