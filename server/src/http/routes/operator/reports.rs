//! PDF reports for the operator: a draw, and the platform fees.

use actix_web::{HttpResponse, web};
use serde_json::json;

use super::fees::{self, FeeReportPeriod};
use crate::access::caller::Caller;
use crate::api::error::Problem;
use crate::http::routes::club::reports::{download_draw_report_for_console, download_response};
use crate::render::{blocking_jobs, fee_report};
use crate::state::State;

/// Responds with the PDF report of a draw. The report contains buyers' data, so the download is
/// audited (decision F-6).
pub async fn download_draw_report(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    download_draw_report_for_console(&state, caller, &path).await
}

/// Responds with the platform fees with every reading of the fee rule (decision D-1), for all time
/// unless days are given (decision I-9).
///
/// # Errors
/// 400 for an invalid day.
pub async fn download_platform_fees(
    state: web::Data<State>,
    caller: Caller,
    period: web::Query<FeeReportPeriod>,
) -> Result<HttpResponse, Problem> {
    let report = fees::build_fee_report(&state, period.into_inner()).await?;
    let now = state.clock.now();
    let day =
        |day: &Option<String>, fallback: &str| day.clone().unwrap_or_else(|| fallback.to_string());
    let name = match (&report.from, &report.to) {
        (None, None) => "platform-fees-all-time.pdf".to_string(),
        (from, to) => format!(
            "platform-fees-{}-to-{}.pdf",
            day(from, "begin"),
            day(to, "today")
        ),
    };
    let (actor, detail) = (
        caller.audit_name(),
        json!({ "from": report.from, "to": report.to }),
    );
    let fee_note = state.config.fee_note.clone();
    let body = blocking_jobs::run_job(move || fee_report::pdf(&report, &fee_note, now))
        .await?
        .ok_or_else(Problem::unavailable)?;
    state
        .records
        .record_audit_entry(
            caller.audit_action(&actor, None, "download-platform-fees", "system"),
            &detail,
        )
        .await?;
    Ok(download_response("application/pdf", &name, body))
}
