//! Health of the service for the operator console, and the console's WebSocket frame.

use std::collections::BTreeMap;

use persistence::records::console::anomalies::AnomalyCounts;
use persistence::records::console::vitals::{BackgroundWorkHealth, ConsoleCounters};

use super::SESSIONS_MAX;
use crate::api::console::format_timestamp;
use crate::api::console::health::{
    ActorsCheck, Checks, ClockCheck, DatabaseCheck, IntegrityCheck, MailCheck, OpsNow,
    ProviderCheck, ReconcilerCheck, Revisions, SocketsCheck, WebhookCheck,
};
use crate::api::error::Problem;
use crate::api::time_format::rfc3339;
use crate::ops::console_health::{self, CLOCK_OFFSET_SECONDS_MAX};
use crate::state::State;

/// Maximum age of the cached integrity result in WebSocket frames, in seconds.
const INTEGRITY_RESULT_AGE_SECONDS_MAX: i64 = 300;
/// Maximum milliseconds since the reconciler's last pass for it to count as healthy. It passes
/// every 30 seconds, so three missed passes count as unhealthy.
const RECONCILER_PASS_AGE_MS_MAX: i64 = 90_000;

/// Builds the health checks of the console. The database check is always ok, because the caller has
/// just read from the database.
pub fn health_checks(
    state: &State,
    vitals: &BackgroundWorkHealth,
    off_ms: i64,
    violations: BTreeMap<String, u64>,
) -> Checks {
    let last_round = state.payments.metrics().last_reconciler_pass_at();
    // Before the reconciler's first pass has ended, measure from the start of the server.
    let since = last_round.unwrap_or(state.started_at);
    let (paused, sessions) = (
        state.draws.paused_draw_count(),
        state.live.open_socket_count(),
    );
    Checks {
        database: DatabaseCheck {
            ok: true,
            latency_ms: 0,
        },
        provider: provider_check(vitals),
        webhook: WebhookCheck {
            ok: vitals.webhooks_overdue == 0,
            last_received_at: vitals.webhook_received_at.map(format_timestamp),
            waiting: vitals.webhooks_waiting,
            out_of_time: state.metrics.webhooks_with_bad_timestamp(),
        },
        mail: MailCheck {
            ok: vitals.mails_overdue == 0 && vitals.mails_dead == 0,
            pending: vitals.mails_pending,
            dead: vitals.mails_dead,
            last_sent_at: vitals.mail_sent_at.map(format_timestamp),
        },
        sockets: SocketsCheck {
            ok: sessions < SESSIONS_MAX,
            sessions,
        },
        actors: ActorsCheck {
            ok: paused == 0,
            awake: state.draws.views().len(),
            paused,
        },
        reconciler: ReconcilerCheck {
            ok: state.clock.now().ms_since(since) < RECONCILER_PASS_AGE_MS_MAX,
            last_run_at: last_round.map(rfc3339),
        },
        clock: ClockCheck {
            ok: off_ms.abs() < CLOCK_OFFSET_SECONDS_MAX * 1000,
            off_ms,
        },
        integrity: IntegrityCheck {
            ok: violations.is_empty(),
            violations,
        },
    }
}

fn provider_check(vitals: &BackgroundWorkHealth) -> ProviderCheck {
    ProviderCheck {
        ok: vitals.provider_overdue == 0,
        last_answer_at: vitals.provider_answered_at.map(format_timestamp),
        last_failure_at: vitals.provider_failed_at.map(format_timestamp),
    }
}

/// Returns the overall status: `down` for a violated invariant or a lost database, `degraded` for
/// overdue work or a wrong clock.
pub fn overall_status(checks: &Checks) -> &'static str {
    let waits = [
        checks.provider.ok,
        checks.webhook.ok,
        checks.mail.ok,
        checks.sockets.ok,
        checks.actors.ok,
    ];
    let well = waits.into_iter().all(|ok| ok) && checks.reconciler.ok && checks.clock.ok;
    match (checks.database.ok && checks.integrity.ok, well) {
        (false, _) => "down",
        (true, false) => "degraded",
        (true, true) => "ok",
    }
}

/// Builds the console's WebSocket frame.
///
/// # Errors
/// The database could not be read.
pub async fn read_console_state(state: &State) -> Result<OpsNow, Problem> {
    let (pulse, (vitals, off_ms)) = (
        state.records.console_counters().await?,
        console_health::read_vitals(&*state.clock, &state.records).await?,
    );
    // Accept an integrity result of the last five minutes, because an integrity check reads every
    // row.
    let violations = state
        .recent_invariant_violations(INTEGRITY_RESULT_AGE_SECONDS_MAX)
        .await?;
    let health = overall_status(&health_checks(state, &vitals, off_ms, violations));
    let changed = state.draws.view_change_count() as i64;
    Ok(OpsNow {
        anomalies: total_and_unresolved_anomalies(&pulse).into(),
        waitlist: pulse.waitlist,
        orphaned_tickets: pulse.orphans,
        maintenance_mode: state.catalogue.facts().maintenance_mode(),
        health,
        revisions: Revisions {
            anomalies: pulse.anomalies_total * 2 - pulse.anomalies_unresolved,
            orphans: pulse.orphans,
            // Count anomalies too, because a dispute changes the list of transactions and is stored
            // as an anomaly.
            transactions: pulse.captured + pulse.refunds + pulse.anomalies_total,
            settings: pulse.settings,
            clubs: pulse.catalogue,
            draws: pulse.catalogue + changed,
            waitlist: pulse.waitlist_newest + pulse.waitlist,
            footer: pulse.catalogue,
            audit: pulse.audit,
        },
    })
}

fn total_and_unresolved_anomalies(pulse: &ConsoleCounters) -> AnomalyCounts {
    AnomalyCounts {
        total: pulse.anomalies_total,
        unresolved: pulse.anomalies_unresolved,
        oldest_unresolved_at: pulse.oldest_unresolved_at,
    }
}
