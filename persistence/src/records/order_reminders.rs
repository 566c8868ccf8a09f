//! The mails that a buyer asked for: one before kick-off and one when the result is in.

use domain::{OrderId, Timestamp};
use sqlx::PgPool;
use uuid::Uuid;

use super::{Records, to_column_time};
use crate::Failure;

/// How long before kick-off the reminder is mailed, in seconds.
pub const KICK_OFF_REMINDER_SECONDS: i64 = 2 * 3600;
/// How long a result must stand before it is mailed, in seconds. A result that is entered wrongly
/// is usually corrected within minutes.
pub const RESULT_MAIL_DELAY_SECONDS: i64 = 10 * 60;
/// Age in seconds after which a result is no longer mailed.
const RESULT_MAIL_AGE_SECONDS_MAX: i64 = 2 * 86_400;

impl Records {
    /// Stores whether the buyer of an order wants the two mails. Repeating a call changes nothing.
    pub async fn set_order_reminder(
        &self,
        order: OrderId,
        wanted: bool,
        at: Timestamp,
    ) -> Result<(), Failure> {
        let id = Uuid::from_u128(order.0);
        if wanted {
            self.execute(sqlx::query!(
                "insert into order_reminders (order_id, asked_at) values ($1, $2) on conflict do nothing",
                id,
                to_column_time(at)
            ))
            .await?;
        } else {
            self.execute(sqlx::query!(
                "delete from order_reminders where order_id = $1",
                id
            ))
            .await?;
        }
        Ok(())
    }

    /// Returns whether the buyer of an order wants the two mails.
    pub async fn has_order_reminder(&self, order: OrderId) -> Result<bool, Failure> {
        let read = sqlx::query_scalar!(
            r#"select exists (select from order_reminders where order_id = $1) as "wanted!""#,
            Uuid::from_u128(order.0)
        );
        self.run_read(async move |pool: PgPool| read.fetch_one(&pool).await)
            .await
    }

    /// Queues the mails that are due: before kick-off, and once a result is public. The dedupe key
    /// names draw and order, so each mail is queued once. A refunded order gets none. Returns how
    /// many were queued.
    pub async fn queue_due_reminders(&self, now: Timestamp) -> Result<u64, Failure> {
        self.execute(sqlx::query!(
            "insert into email_outbox (dedupe_key, kind, order_id, to_address, data)
             select due.kind || '-' || due.draw || '-' || due.id, due.kind, due.id, due.buyer_email,
               json_build_object('draw', due.draw)::text
             from (
               select o.id, o.buyer_email, d.id as draw,
                 case when d.status = 'completed' then 'result-notice' else 'kick-off-reminder' end as kind
               from order_reminders r
               join orders o on o.id = r.order_id
               join order_lines l on l.order_id = o.id
               join draws d on d.id = l.draw_id
               where o.state = 'captured' and o.buyer_email is not null
                 and (d.status in ('active', 'closed') and d.kick_off > $1 and d.kick_off <= $2
                   or d.status = 'completed' and d.kick_off <= $1 and d.completed_at between $3 and $4)
             ) due
             on conflict (dedupe_key) do nothing",
            to_column_time(now),
            to_column_time(now.plus_seconds(KICK_OFF_REMINDER_SECONDS)),
            to_column_time(now.plus_seconds(-RESULT_MAIL_AGE_SECONDS_MAX)),
            to_column_time(now.plus_seconds(-RESULT_MAIL_DELAY_SECONDS))
        ))
        .await
    }
}
