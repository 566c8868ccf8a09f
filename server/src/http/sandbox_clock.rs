//! The demo's routes below `/sandbox` that the sandbox itself does not have: `POST /sandbox/clock`,
//! which moves the demo's clock, and the page with all components.

use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::web::{self, Data, Json, JsonConfig, ServiceConfig};
use domain::{Command, Status};
use serde::{Deserialize, Serialize};

use crate::api::error::Problem;
use crate::api::time_format::rfc3339;
use crate::http::housekeeping;
use crate::http::routes::pages_route;
use crate::state::State;
use sandbox::{SANDBOX_BODY_BYTES_MAX, Sandbox};

/// Maximum seconds by which one request may advance the clock: two years.
const ADVANCE_SECONDS_MAX: i64 = 2 * 366 * 86_400;

/// Registers the routes. Call this function before the sandbox's routes
/// are registered, because their scope matches every path below `/sandbox`.
pub fn configure(cfg: &mut ServiceConfig, sandbox: Arc<Sandbox>) {
    cfg.service(
        web::resource("/sandbox/clock")
            .app_data(Data::from(sandbox))
            .app_data(JsonConfig::default().limit(SANDBOX_BODY_BYTES_MAX))
            .route(web::post().to(advance)),
    );
    cfg.service(web::resource("/sandbox/gallery").default_service(pages_route()));
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ClockAdvance {
    advance_seconds: i64,
}

#[derive(Debug, Serialize)]
struct ClockReading {
    now: String,
}

/// Handles `POST /sandbox/clock {"advanceSeconds": n}`. Moves the demo's clock ahead, closes the
/// draws whose sale has ended, and runs every periodic task once. With zero seconds it only closes
/// draws and runs the tasks.
async fn advance(
    sandbox: Data<Sandbox>,
    state: Option<Data<State>>,
    advance: Json<ClockAdvance>,
) -> Result<HttpResponse, Problem> {
    let state = state
        .filter(|_| sandbox.has_movable_clock())
        .ok_or_else(Problem::not_found)?;
    if !(0..=ADVANCE_SECONDS_MAX).contains(&advance.advance_seconds) {
        let message = format!("advanceSeconds is between 0 and {ADVANCE_SECONDS_MAX}.");
        return Err(Problem::bad_request("clock-move-invalid", message));
    }
    sandbox
        .clock()
        .advance(&state.records, advance.advance_seconds * 1000)
        .await?;
    run_due_tasks(&state).await;
    Ok(HttpResponse::Ok().json(ClockReading {
        now: rfc3339(state.clock.now()),
    }))
}

/// Runs every task that is due at the new time. Timers follow the machine's clock, so each draw
/// gets a tick message, at which it reads the moved clock and sets its timer again.
async fn run_due_tasks(state: &State) {
    for view in state
        .draws
        .views()
        .into_iter()
        .filter(|view| view.status == Status::Active)
    {
        if let Err(denied) = state.draws.execute(view.draw, Command::Tick, None).await {
            tracing::warn!(draw.id = view.draw.0, %denied, "draw did not close at the moved clock's time");
        }
    }
    state.reconciler.run_pass_without_comparison().await;
    housekeeping::run_periodic_tasks(state).await;
    state.outbox.wake_mailer();
}
