//! The demo's clock: the machine's clock plus an offset that only grows.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use actix_web::HttpResponse;
use actix_web::web::{self, Data, Json, ServiceConfig};
use actors::{Clock, SystemClock};
use domain::{Command, Status, Timestamp};
use persistence::Failure;
use persistence::records::Records;
use serde::{Deserialize, Serialize};

use super::Sandbox;
use crate::api::error::Problem;
use crate::api::instant::rfc3339;
use crate::http::routes;
use crate::state::State;

/// The longest single move: two years.
const ADVANCE_SECONDS_MAX: i64 = 2 * 366 * 86_400;

/// The demo's clock. The server, the Stripe stand-in, the mailbox and the database share it.
#[derive(Debug, Default)]
pub struct SandboxClock {
    ahead_ms: AtomicI64,
    /// Held while the clock moves, so that moves run one at a time.
    moving: tokio::sync::Mutex<()>,
}

impl SandboxClock {
    /// Reads the clock's offset from the database.
    ///
    /// # Errors
    ///
    /// The database could not be read.
    pub async fn read(records: &Records) -> Result<Arc<SandboxClock>, Failure> {
        let clock = SandboxClock::default();
        clock
            .ahead_ms
            .store(records.clock_ahead_ms().await?, Ordering::Relaxed);
        Ok(Arc::new(clock))
    }

    /// Whether the clock was ever moved.
    pub fn is_moved(&self) -> bool {
        self.ahead_ms.load(Ordering::Relaxed) > 0
    }

    /// Seconds since 1970.
    pub fn unix_seconds(&self) -> i64 {
        self.now().0 / 1000
    }

    /// Moves the database's clock, then this one. The caller must wake tasks that sleep until a
    /// deadline.
    async fn advance(&self, records: &Records, by_ms: i64) -> Result<(), Failure> {
        let _guard = self.moving.lock().await;
        let ahead_ms = records
            .move_clock_ahead(self.ahead_ms.load(Ordering::Relaxed) + by_ms)
            .await?;
        self.ahead_ms.fetch_max(ahead_ms, Ordering::Relaxed);
        Ok(())
    }
}

impl Clock for SandboxClock {
    fn now(&self) -> Timestamp {
        SystemClock
            .now()
            .plus_ms(self.ahead_ms.load(Ordering::Relaxed))
    }
}

pub fn configure(cfg: &mut ServiceConfig) {
    cfg.route("/clock", web::post().to(advance));
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
/// draws whose sale has ended, and runs every periodic task once. Zero only runs the tasks.
async fn advance(
    sandbox: Data<Sandbox>,
    state: Option<Data<State>>,
    advance: Json<ClockAdvance>,
) -> Result<HttpResponse, Problem> {
    let state = state
        .filter(|_| sandbox.options.clock.is_some())
        .ok_or_else(Problem::not_found)?;
    if !(0..=ADVANCE_SECONDS_MAX).contains(&advance.advance_seconds) {
        let message = format!("advanceSeconds is between 0 and {ADVANCE_SECONDS_MAX}.");
        return Err(Problem::bad_request("clock-move-invalid", message));
    }
    sandbox
        .clock
        .advance(&state.records, advance.advance_seconds * 1000)
        .await?;
    run_due_tasks(&state).await;
    Ok(HttpResponse::Ok().json(ClockReading {
        now: rfc3339(state.clock.now()),
    }))
}

/// Runs everything that is due at the new time. Timers follow the machine's clock, so a tick makes
/// each draw read the moved clock and set its timer again.
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
    state.reconciler.run_partial_pass().await;
    routes::sweep(state).await;
    state.outbox.wake_mailer();
}
