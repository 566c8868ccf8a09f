//! What is read for each scrape: from the books, and from who is awake.

use domain::Timestamp;

use super::Page;
use crate::error::Problem;
use crate::routes::machine::health::violations_within;
use crate::state::State;
use crate::vitals;

/// The five types there are (C:180), so that one that never happened is a zero and not a gap.
const TYPES: [&str; 5] = [
    "missing_ticket",
    "duplicate_payment",
    "failed_allocation",
    "mismatched_amount",
    "orphaned_ticket",
];
/// Checking every promise looks at every row: so often at most for a scrape.
const INTEGRITY_SECONDS: i64 = 300;

/// What the books say is left out while they cannot be read.
pub(super) async fn write(page: &mut Page, state: &State) {
    let round = state.payments.tally().last_round().unwrap_or(Timestamp(0));
    page.gauge(
        "fd_draws_awake",
        "Draws whose actor is awake.",
        state.draws.views().len(),
    );
    page.gauge(
        "fd_draws_paused",
        "Draws that wait for an operator because they failed.",
        state.draws.paused(),
    );
    let name = "fd_reconciler_last_round_timestamp_seconds";
    page.gauge(
        name,
        "When the reconciler last ended a round; 0: not yet.",
        round.0 / 1000,
    );
    let read = from_books(page, state).await;
    let up = read.is_ok() && state.records.reachable().await.is_ok();
    page.gauge(
        "fd_database_up",
        "Whether the books can be read and written.",
        u8::from(up),
    );
}

async fn from_books(page: &mut Page, state: &State) -> Result<(), Problem> {
    let (reservations, held, payments) = state.records.in_flight().await?;
    let open = state.records.open_anomalies().await?;
    let (vitals, off_ms) = vitals::read(state).await?;
    let name = "fd_clock_off_seconds";
    page.gauge(
        name,
        "How far this node's clock is ahead of the database's; negative: behind.",
        off_ms as f64 / 1000.0,
    );
    page.gauge(
        "fd_reservations_active",
        "Reservations that claim tickets.",
        reservations,
    );
    page.gauge("fd_tickets_held", "Tickets that reservations claim.", held);
    page.gauge(
        "fd_payments_in_flight",
        "Orders with a payment intent that are not decided.",
        payments,
    );
    page.family(
        "fd_payment_anomalies_open",
        "gauge",
        "Anomalies that nobody has resolved.",
    );
    for kind in TYPES {
        let count = open
            .iter()
            .find(|(open, _)| open == kind)
            .map_or(0, |(_, count)| *count);
        page.sample("fd_payment_anomalies_open", &[("type", kind)], count);
    }
    page.gauge(
        "fd_provider_work_overdue",
        "Effects at the provider that wait for two minutes.",
        vitals.provider_overdue,
    );
    page.gauge(
        "fd_webhooks_overdue",
        "Notices that wait for a minute.",
        vitals.webhooks_overdue,
    );
    page.gauge(
        "fd_mails_overdue",
        "Mails that wait for five minutes.",
        vitals.mails_overdue,
    );
    page.gauge(
        "fd_mails_dead",
        "Mails of the last four days that were given up.",
        vitals.mails_dead,
    );
    let broken: u64 = violations_within(state, INTEGRITY_SECONDS)
        .await?
        .values()
        .sum();
    page.gauge(
        "fd_invariant_violations",
        "Rows that break a promise.",
        broken,
    );
    Ok(())
}
