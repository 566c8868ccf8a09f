//! Payments that were begun and came to nothing: what the payment integrity page lists (B:121).

use domain::{Cents, ClubId, Timestamp};
use sqlx::PgPool;
use time::OffsetDateTime;

use super::{Records, column, timestamp};
use crate::Failure;

#[derive(Clone, Debug)]
pub struct FailedPayment {
    pub payment_intent: String,
    pub status: String,
    pub at: Timestamp,
    pub amount: Cents,
    pub buyer_email: Option<String>,
    pub draws: Vec<i64>,
    pub tickets: i64,
    pub reason: Option<String>,
}

type Row = (String, String, OffsetDateTime, i64, Option<String>, Vec<i64>, i64, Option<String>);

impl Records {
    /// Refused by the provider after the buyer authorised, let go by us, or in need of somebody's eye; newest first.
    pub async fn failed_payments(&self, club: Option<ClubId>, since: Timestamp) -> Result<Vec<FailedPayment>, Failure> {
        let read = sqlx::query_as(
            "select o.payment_intent_id, coalesce(p.status, o.state), o.opened_at, o.total_cents, o.buyer_email,
                 array_agg(l.draw_id order by l.draw_id), sum(l.count)::bigint, o.reason
             from orders o join order_lines l on l.order_id = o.id
                 left join payments p on p.payment_intent_id = o.payment_intent_id
             where o.payment_intent_id is not null and o.captured_at is null and o.opened_at >= $1
                 and ($2::bigint is null or o.club_id = $2)
                 and (o.state in ('rejecting', 'void', 'anomaly') or (o.state = 'released' and o.authorised_at is not null))
             group by o.id, p.payment_intent_id order by o.opened_at desc limit 2000",
        )
        .bind(column(since))
        .bind(club.map(|club| club.0));
        let rows: Vec<Row> = self.read(async move |pool: PgPool| read.fetch_all(&pool).await).await?;
        let failed = |(payment_intent, status, at, amount, buyer_email, draws, tickets, reason): Row| FailedPayment {
            payment_intent,
            status,
            at: timestamp(at),
            amount: Cents(amount),
            buyer_email,
            draws,
            tickets,
            reason,
        };
        Ok(rows.into_iter().map(failed).collect())
    }
}
