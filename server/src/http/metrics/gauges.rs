//! Gauges whose values are read from the database and from memory at each Prometheus scrape.

use domain::Timestamp;

use super::MetricsText;
use crate::api::error::Problem;
use crate::ops::console_health;
use crate::state::State;

/// The anomaly types (specification C, line 180, disputes and owed refunds), listed so that a type
/// without anomalies is written as 0 rather than left out.
const ANOMALY_TYPES: [&str; 7] = [
    "missing_ticket",
    "duplicate_payment",
    "failed_allocation",
    "mismatched_amount",
    "orphaned_ticket",
    "dispute",
    "owed_refund",
];
/// Minimum seconds between two integrity checks for metrics, because a check reads every row.
const INTEGRITY_CHECK_INTERVAL_SECONDS: i64 = 300;

/// Writes the gauges. Gauges from the database are left out while the database cannot be read.
pub(super) async fn write_gauges(page: &mut MetricsText, state: &State) {
    let last_pass = state
        .payments
        .metrics()
        .last_reconciler_pass_at()
        .unwrap_or(Timestamp(0));
    page.write_gauge(
        "fd_draws_awake",
        "Draws whose actor is awake.",
        state.draws.views().len(),
    );
    page.write_gauge(
        "fd_draws_paused",
        "Draws that wait for an operator because they failed.",
        state.draws.paused_draw_count(),
    );
    let name = "fd_reconciler_last_round_timestamp_seconds";
    page.write_gauge(
        name,
        "When the reconciler last ended a round; 0: not yet.",
        last_pass.0 / 1000,
    );
    let result = write_database_gauges(page, state).await;
    let is_up = result.is_ok() && state.records.check_reachable().await.is_ok();
    page.write_gauge(
        "fd_database_up",
        "Whether the books can be read and written.",
        u8::from(is_up),
    );
}

async fn write_database_gauges(page: &mut MetricsText, state: &State) -> Result<(), Problem> {
    let (reservations, held, payments) =
        state.records.count_reservations_tickets_payments().await?;
    let open = state.records.count_open_anomalies_by_kind().await?;
    let (vitals, off_ms) = console_health::read_vitals(&*state.clock, &state.records).await?;
    let name = "fd_clock_off_seconds";
    page.write_gauge(
        name,
        "How far this node's clock is ahead of the database's; negative: behind.",
        off_ms as f64 / 1000.0,
    );
    page.write_gauge(
        "fd_reservations_active",
        "Reservations that claim tickets.",
        reservations,
    );
    page.write_gauge("fd_tickets_held", "Tickets that reservations claim.", held);
    page.write_gauge(
        "fd_payments_in_flight",
        "Orders with a payment intent that are not decided.",
        payments,
    );
    page.write_family(
        "fd_payment_anomalies_open",
        "gauge",
        "Anomalies that nobody has resolved.",
    );
    for kind in ANOMALY_TYPES {
        let count = open
            .iter()
            .find(|(open, _)| open == kind)
            .map_or(0, |(_, count)| *count);
        page.write_sample("fd_payment_anomalies_open", &[("type", kind)], count);
    }
    page.write_gauge(
        "fd_provider_work_overdue",
        "Effects at the provider that wait for two minutes.",
        vitals.provider_overdue,
    );
    page.write_gauge(
        "fd_webhooks_overdue",
        "Notices that wait for a minute.",
        vitals.webhooks_overdue,
    );
    page.write_gauge(
        "fd_mails_overdue",
        "Mails that wait for five minutes.",
        vitals.mails_overdue,
    );
    page.write_gauge(
        "fd_mails_dead",
        "Mails of the last four days that were given up.",
        vitals.mails_dead,
    );
    let broken: u64 = state
        .recent_invariant_violations(INTEGRITY_CHECK_INTERVAL_SECONDS)
        .await?
        .values()
        .sum();
    page.write_gauge(
        "fd_invariant_violations",
        "Rows that break a promise.",
        broken,
    );
    Ok(())
}
