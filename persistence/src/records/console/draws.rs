//! The sums and open problems of each draw, which the operator's console shows beside the draw.

use sqlx::PgPool;
use time::OffsetDateTime;

use crate::Failure;
use crate::records::Records;

#[derive(Clone, Debug, Default)]
pub struct DrawFigures {
    pub id: i64,
    pub revenue_cents: i64,
    pub fee_cents: i64,
    pub orders: i64,
    pub created_at: Option<OffsetDateTime>,
    /// The status of the payout to the winner. `None` when no payout was recorded.
    pub payout_status: Option<String>,
    pub winners_notified: bool,
    /// Number of sold tickets whose buyer left no e-mail address (decision C-11).
    pub orphaned_tickets: i64,
}

impl Records {
    /// Returns the sums and open problems of every draw, sorted by the draw's id.
    pub async fn list_draw_figures(&self) -> Result<Vec<DrawFigures>, Failure> {
        let read = sqlx::query_as!(
            DrawFigures,
            r#"select d.id, d.revenue_cents, d.fee_cents, d.created_at,
                 coalesce(s.orders, 0) as "orders!", coalesce(s.orphaned, 0)::bigint as "orphaned_tickets!",
                 (select p.status from payouts p where p.draw_id = d.id and p.type = 'winner' order by p.id desc limit 1)
                     as payout_status,
                 exists (select from email_outbox m where m.dedupe_key like 'winner:' || d.id || ':%') as "winners_notified!"
             from draws d left join (
                 select l.draw_id, count(*) as orders,
                     sum(l.count) filter (where o.buyer_email is null) as orphaned
                 from order_lines l join orders o on o.id = l.order_id
                 where l.serials is not null and o.state in ('allocated', 'captured') group by l.draw_id
             ) s on s.draw_id = d.id order by d.id"#
        );
        self.run_read(async move |pool: PgPool| read.fetch_all(&pool).await)
            .await
    }

    /// Returns three numbers: reservations, tickets that these reservations hold, and payments
    /// whose outcome is undecided.
    pub async fn count_reservations_tickets_payments(&self) -> Result<(i64, i64, i64), Failure> {
        let read = sqlx::query!(
            r#"select (select count(*) from reservations) as "reservations!",
                 (select coalesce(sum(count), 0)::bigint from reservations) as "tickets!",
                 (select count(*) from orders where unfinished and payment_intent_id is not null) as "payments!""#
        ).map(|row| (row.reservations, row.tickets, row.payments));
        self.run_read(async move |pool: PgPool| read.fetch_one(&pool).await)
            .await
    }
}
