//! The health of background work for the operator's console: how much work waits, and when work
//! last succeeded. Also counters of what has changed.

use sqlx::PgPool;
use time::OffsetDateTime;

use crate::Failure;
use crate::records::Records;

#[derive(Clone, Debug)]
pub struct BackgroundWorkHealth {
    pub provider_answered_at: Option<OffsetDateTime>,
    /// When a payment operation last failed for good. `None` when none has.
    pub provider_failed_at: Option<OffsetDateTime>,
    /// Number of payment operations that have been due for more than two minutes.
    pub provider_overdue: i64,
    pub webhook_received_at: Option<OffsetDateTime>,
    pub webhooks_waiting: i64,
    /// Number of webhook events that have waited for more than a minute.
    pub webhooks_overdue: i64,
    pub mails_pending: i64,
    pub mails_overdue: i64,
    /// Number of mails that were given up in the last three days. A mail is given up a day after it
    /// was queued.
    pub mails_dead: i64,
    pub mail_sent_at: Option<OffsetDateTime>,
    pub witnessed_at: Option<OffsetDateTime>,
    pub database: String,
    pub schema: i64,
}

/// Counters that change when a list of the operator's console changes, and the numbers that its
/// menu shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsoleCounters {
    pub anomalies_total: i64,
    pub anomalies_unresolved: i64,
    pub oldest_unresolved_at: Option<OffsetDateTime>,
    pub waitlist: i64,
    pub orphans: i64,
    pub catalogue: i64,
    pub captured: i64,
    pub refunds: i64,
    pub settings: i64,
    pub waitlist_newest: i64,
    pub audit: i64,
}

impl Records {
    pub async fn background_work_health(&self) -> Result<BackgroundWorkHealth, Failure> {
        let read = sqlx::query_as!(
            BackgroundWorkHealth,
            r#"select (select max(synced_at) from payments) as provider_answered_at,
                 (select max(ended_at) from payment_ops where state = 'failed') as provider_failed_at,
                 (select count(*) from payment_ops where ended_at is null and created_at < transaction_instant() - interval '2 minutes')
                     as "provider_overdue!",
                 (select max(received_at) from webhook_events) as webhook_received_at,
                 (select count(*) from webhook_events where handled_at is null) as "webhooks_waiting!",
                 (select count(*) from webhook_events where handled_at is null and received_at < transaction_instant() - interval '1 minute')
                     as "webhooks_overdue!",
                 (select count(*) from email_outbox where state = 'pending' and to_address is not null) as "mails_pending!",
                 (select count(*) from email_outbox where state = 'pending' and to_address is not null
                     and queued_at < transaction_instant() - interval '5 minutes') as "mails_overdue!",
                 (select count(*) from email_outbox where state = 'dead' and why is distinct from 'the result was taken back'
                     and queued_at > transaction_instant() - interval '4 days') as "mails_dead!",
                 (select max(sent_at) from email_outbox) as mail_sent_at,
                 (select max(synced_at) from provider_pi) as witnessed_at,
                 current_setting('server_version') as "database!",
                 (select max(version) from _sqlx_migrations where success) as "schema!""#
        );
        self.run_read(async move |pool: PgPool| read.fetch_one(&pool).await)
            .await
    }

    pub async fn console_counters(&self) -> Result<ConsoleCounters, Failure> {
        let read = sqlx::query_as!(
            ConsoleCounters,
            r#"select (select count(*) from anomalies) as "anomalies_total!",
                 (select count(*) from anomalies where resolved_at is null) as "anomalies_unresolved!",
                 (select min(detected_at) from anomalies where resolved_at is null) as oldest_unresolved_at,
                 (select count(*) from waitlist) as "waitlist!",
                 (select count(*) from orders o join order_lines l on l.order_id = o.id
                     where o.buyer_email is null and l.serials is not null) as "orphans!",
                 (select revision from catalogue) as "catalogue!",
                 (select count(*) from orders where captured_at is not null) as "captured!",
                 (select count(*) + count(ended_at) from refunds) as "refunds!",
                 (select coalesce(sum(extract(epoch from updated_at)::bigint), 0)::bigint from system_settings) as "settings!",
                 (select coalesce(max(id), 0) from waitlist) as "waitlist_newest!",
                 (select coalesce(max(id), 0) from audit_log) as "audit!""#
        );
        self.run_read(async move |pool: PgPool| read.fetch_one(&pool).await)
            .await
    }
}
