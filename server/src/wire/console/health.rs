//! How the machine is, in place of fixed words (decision B-19).

use std::collections::BTreeMap;

use serde::Serialize;
use utoipa::ToSchema;

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

#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DatabaseCheck {
    pub ok: bool,
    pub latency_ms: i64,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProviderCheck {
    pub ok: bool,
    pub last_answer_at: Option<String>,
    pub last_failure_at: Option<String>,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebhookCheck {
    pub ok: bool,
    pub last_received_at: Option<String>,
    pub waiting: i64,
    /// Signed as the provider signs, and refused for their time, since the process began: then a clock is wrong.
    pub out_of_time: u64,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MailCheck {
    pub ok: bool,
    pub pending: i64,
    pub dead: i64,
    pub last_sent_at: Option<String>,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct SocketsCheck {
    pub ok: bool,
    pub sessions: usize,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ActorsCheck {
    pub ok: bool,
    /// Draws whose actor is awake.
    pub awake: usize,
    /// Draws that failed again and again, and wait for an operator.
    pub paused: usize,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReconcilerCheck {
    pub ok: bool,
    /// When it last ended a round.
    pub last_run_at: Option<String>,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClockCheck {
    pub ok: bool,
    /// How far this node's clock is ahead of the database's; negative: behind.
    pub off_ms: i64,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct IntegrityCheck {
    pub ok: bool,
    /// How many rows break each promise.
    pub violations: BTreeMap<String, u64>,
}

/// What moves on the console's socket: badges, and which lists to read again.
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

/// Counters that rise when that list changed.
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
