//! Health of the service (decision B-19).

use std::collections::BTreeMap;

use serde::Serialize;
use utoipa::ToSchema;

/// Overall health of the service, and the result of each check.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConsoleHealth {
    /// `ok`, `degraded` or `down`.
    pub status: &'static str,
    pub checked_at: String,
    pub started_at: String,
    pub build_version: String,
    pub checks: Checks,
}

/// The results of all health checks. Each has a field `ok`, true if the check passed.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Checks {
    pub database: DatabaseCheck,
    pub provider: ProviderCheck,
    pub webhook: WebhookCheck,
    pub mail: MailCheck,
    pub sockets: SocketsCheck,
    pub actors: ActorsCheck,
    pub reconciler: ReconcilerCheck,
    pub clock: ClockCheck,
    pub integrity: IntegrityCheck,
}

/// Whether the database answers.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DatabaseCheck {
    pub ok: bool,
    pub latency_ms: i64,
}

/// Whether the payment provider answers.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProviderCheck {
    pub ok: bool,
    pub last_answer_at: Option<String>,
    pub last_failure_at: Option<String>,
}

/// Whether webhook events are processed in time.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebhookCheck {
    pub ok: bool,
    pub last_received_at: Option<String>,
    pub waiting: i64,
    /// Webhook events since the process started that had a valid signature but a timestamp out of
    /// range. More than zero means a wrong clock.
    pub out_of_time: u64,
}

/// Whether mails are sent in time.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MailCheck {
    pub ok: bool,
    pub pending: i64,
    pub dead: i64,
    pub last_sent_at: Option<String>,
}

/// Whether more `WebSockets` can be opened.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct SocketsCheck {
    pub ok: bool,
    pub sessions: usize,
}

/// Whether all draw actors run.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ActorsCheck {
    pub ok: bool,
    /// Draws with a running actor.
    pub awake: usize,
    /// Draws that are paused after repeated failures, until an operator acts.
    pub paused: usize,
}

/// Whether the reconciler runs in time.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReconcilerCheck {
    pub ok: bool,
    /// When the reconciler's last pass over all payments ended.
    pub last_run_at: Option<String>,
}

/// Whether this node's clock agrees with the database's clock.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClockCheck {
    pub ok: bool,
    /// Milliseconds that this node's clock is ahead of the database's; negative when behind.
    pub off_ms: i64,
}

/// Whether all invariants hold.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct IntegrityCheck {
    pub ok: bool,
    /// Number of violating rows by invariant.
    pub violations: BTreeMap<String, u64>,
}

/// The console's WebSocket frame: badge counts, and which lists to reload.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpsNow {
    pub anomalies: super::anomaly::AnomalyStats,
    pub waitlist: i64,
    pub orphaned_tickets: i64,
    pub maintenance_mode: bool,
    pub health: &'static str,
    pub revisions: Revisions,
}

/// Counters of the console's lists. Each rises when its list changes, so that the console reloads
/// the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Revisions {
    pub anomalies: i64,
    pub orphans: i64,
    pub transactions: i64,
    pub settings: i64,
    pub clubs: i64,
    pub draws: i64,
    pub waitlist: i64,
    pub footer: i64,
    pub audit: i64,
}
