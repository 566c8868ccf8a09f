//! Mails that remind a club of a due result, queued by an operator.

use domain::{DrawId, Timestamp};

use super::audit::AuditEntry;
use super::{Records, to_column_time};
use crate::Failure;

impl Records {
    /// Queues the mail `results-due` for the club and writes the audit entry. Returns `false`, and
    /// changes nothing, when such a mail of this draw was queued within the last hour, by an
    /// operator or by the periodic task.
    ///
    /// The number of earlier mails is part of the key. Of two simultaneous calls, both compute the
    /// same key, and only one inserts it.
    pub async fn queue_result_reminder(
        &self,
        draw: DrawId,
        to: &str,
        at: Timestamp,
        entry: AuditEntry,
    ) -> Result<bool, Failure> {
        let write = sqlx::query!(
            "insert into email_outbox (dedupe_key, kind, to_address, data, due_at, queued_at)
             select 'results-due-' || $1::bigint || '-asked-' || count(*), 'results-due', $2::text,
               json_build_object('draw', $1::bigint)::text, $3::timestamptz, $3::timestamptz
             from email_outbox where dedupe_key like 'results-due-' || $1::bigint || '-%'
             having coalesce(max(queued_at), 'epoch') <= $3::timestamptz - interval '1 hour'
             on conflict (dedupe_key) do nothing",
            draw.0,
            to,
            to_column_time(at)
        );
        self.write_with_audit_entry(write, entry, false).await
    }
}
