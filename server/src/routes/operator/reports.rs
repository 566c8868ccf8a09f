//! What the operator takes home on paper: a draw (C:70), and what the platform earned (C:80).

use actix_web::{HttpResponse, web};
use serde_json::json;

use super::fees::{self, Period};
use crate::error::Problem;
use crate::identity::Caller;
use crate::render::{fee_report, press};
use crate::routes::club::reports::{answer, for_console};
use crate::state::State;

/// Buyers stand in it, so that the download stands in the audit log (decision F-6).
pub async fn draw(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    for_console(&state, caller, &path).await
}

/// The figures of the screen, with every reading of the fee (decision D-1); all time unless days are given (decision I-9).
///
/// # Errors
/// 400 for a day that is none.
pub async fn platform_fees(
    state: web::Data<State>,
    caller: Caller,
    period: web::Query<Period>,
) -> Result<HttpResponse, Problem> {
    let report = fees::report(&state, period.into_inner()).await?;
    let now = state.clock.now();
    let day = |day: &Option<String>, otherwise: &str| {
        day.clone().unwrap_or_else(|| otherwise.to_string())
    };
    let name = match (&report.from, &report.to) {
        (None, None) => "platform-fees-all-time.pdf".to_string(),
        (from, to) => format!(
            "platform-fees-{}-to-{}.pdf",
            day(from, "begin"),
            day(to, "today")
        ),
    };
    let (actor, detail) = (
        caller.name(),
        json!({ "from": report.from, "to": report.to }),
    );
    let fee_note = state.config.fee_note.clone();
    let body = press::run(move || fee_report::pdf(&report, &fee_note, now))
        .await?
        .ok_or_else(Problem::unavailable)?;
    state
        .records
        .audit(
            caller.act(&actor, None, "download-platform-fees", "system"),
            &detail,
        )
        .await?;
    Ok(answer("application/pdf", &name, body))
}
