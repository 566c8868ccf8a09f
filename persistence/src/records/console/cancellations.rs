//! Counts for the operator's console: what the cancellation of a draw refunds (decision E-9), and
//! what undoing a result deletes or corrects.

use domain::DrawId;
use sqlx::PgPool;

use crate::Failure;
use crate::records::Records;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CancellationRow {
    /// Number of orders that have a ticket of the draw, or had one when the draw was cancelled. An
    /// order is refunded as a whole (decision C-10). Orders refunded before the cancellation do not
    /// count.
    pub orders: i64,
    pub tickets: i64,
    pub refund_cents: i64,
    pub fee_cents: i64,
    pub pending: i64,
    pub succeeded: i64,
    pub failed: i64,
}

impl Records {
    pub async fn cancellation_totals(&self, draw: DrawId) -> Result<CancellationRow, Failure> {
        let read = sqlx::query_as!(
            CancellationRow,
            r#"select count(*) as "orders!", coalesce(sum(l.count), 0)::bigint as "tickets!",
                 coalesce(sum(coalesce(r.amount_cents, o.total_cents)), 0)::bigint as "refund_cents!",
                 coalesce(sum(coalesce(r.fee_cents, o.application_fee_cents)), 0)::bigint as "fee_cents!",
                 count(*) filter (where r.state = 'pending') as "pending!",
                 count(*) filter (where r.state = 'succeeded') as "succeeded!",
                 count(*) filter (where r.state = 'failed') as "failed!"
             from order_lines l join orders o on o.id = l.order_id left join refunds r on r.order_id = o.id
             where l.draw_id = $1 and o.captured_at is not null and (o.state = 'captured' or exists (
                 select 1 from fee_ledger f where f.draw_id = $1 and f.order_id = o.id and f.revenue_delta < 0
                     and f.revision > (select min(e.revision) from draw_events e
                         where e.draw_id = $1 and e.events -> 'events' @> '[{"event": "cancelled"}]')
             ))"#,
            draw.0
        );
        self.run_read(async move |pool: PgPool| read.fetch_one(&pool).await)
            .await
    }

    /// Returns the reason that the operator gave when cancelling the draw. `None` when the draw is not
    /// cancelled.
    pub async fn cancellation_reason(&self, draw: DrawId) -> Result<Option<String>, Failure> {
        let object = format!("draw:{draw}");
        let read = sqlx::query_scalar!(
            "select detail ->> 'reason' from audit_log where object = $1 and action = 'cancel-draw' order by id desc limit 1",
            object
        );
        let reason = self
            .run_read(async move |pool: PgPool| read.fetch_optional(&pool).await)
            .await?;
        Ok(reason.flatten())
    }

    /// Returns two counts for a draw: the payouts that undoing the result deletes, and the queued
    /// mails that correct an earlier result.
    pub async fn count_payouts_and_mails_affected_by_undo(
        &self,
        draw: DrawId,
    ) -> Result<(i64, i64), Failure> {
        let read = sqlx::query!(
            r#"select (select count(*) from payouts where draw_id = $1 and (status = 'pending' or type = 'club_share')) as "payouts!",
                 (select count(*) from email_outbox where kind = 'correction' and dedupe_key like '%winner:' || $1 || ':%') as "mails!""#,
            draw.0
        ).map(|row| (row.payouts, row.mails));
        self.run_read(async move |pool: PgPool| read.fetch_one(&pool).await)
            .await
    }
}
