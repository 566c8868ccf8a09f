//! Failed payments, for the console's payment integrity page (specification B, line 121).

use domain::{Cents, ClubId, Timestamp};
use serde_json::Value;
use sqlx::PgPool;
use time::OffsetDateTime;

use super::{Records, timestamp, to_column_time};
use crate::Failure;

#[derive(Clone, Debug)]
pub struct FailedPayment {
    pub payment_intent: String,
    pub status: String,
    pub at: Timestamp,
    pub amount: Cents,
    pub draws: Vec<i64>,
    pub tickets: i64,
    pub reason: Option<String>,
    /// The payment method. `None` when the provider has not reported it.
    pub method: Option<String>,
}

/// The newest failed payments, and sums over all of them.
#[derive(Clone, Debug, Default)]
pub struct FailedPayments {
    /// The newest failed payments, at most [`FAILED_PAYMENTS_LISTED_MAX`].
    pub newest: Vec<FailedPayment>,
    pub count: i64,
    pub total: Cents,
    /// The number of different e-mail addresses among all failed payments.
    pub customers: i64,
}

/// The maximum number of failed payments in the list.
pub const FAILED_PAYMENTS_LISTED_MAX: i64 = 2000;

struct FailedPaymentRow {
    payment_intent_id: String,
    status: String,
    opened_at: OffsetDateTime,
    total_cents: i64,
    draws: Vec<i64>,
    tickets: i64,
    reason: Option<String>,
    payment_method: Option<String>,
    /// The provider's webhook event about the failure, as JSON text. `None` when there is none.
    payload: Option<String>,
    count: i64,
    total: i64,
    customers: i64,
}

impl Records {
    /// Returns failed payments, newest first: declined ones, ones that we refused or released after
    /// the authorisation, and ones that need attention. A decline is known only from the provider's
    /// event. Payments that were abandoned, or that succeeded in the end, are not included.
    pub async fn failed_payments(
        &self,
        club: Option<ClubId>,
        since: Timestamp,
    ) -> Result<FailedPayments, Failure> {
        let read = sqlx::query_as!(
            FailedPaymentRow,
            r#"with failed as (
                 select o.payment_intent_id,
                     coalesce(p.status, case o.state when 'quoted' then 'requires_payment_method'
                         when 'rejecting' then 'requires_capture' when 'anomaly' then 'anomaly' else 'canceled' end)
                         as status,
                     o.opened_at, o.total_cents, o.buyer_email, l.draws, l.tickets, o.reason,
                     coalesce(p.payment_method, w.payment_method) as payment_method, n.payload
                 from orders o
                     join lateral (
                         select array_agg(draw_id order by draw_id) as draws, sum(count)::bigint as tickets
                         from order_lines where order_id = o.id
                     ) l on true
                     left join payments p on p.payment_intent_id = o.payment_intent_id
                     left join provider_pi w on w.payment_intent_id = o.payment_intent_id
                     left join lateral (
                         select payload from webhook_events e
                         where e.payment_intent_id = o.payment_intent_id and e.kind = 'payment_intent.payment_failed'
                         order by e.received_at desc limit 1
                     ) n on true
                 where o.payment_intent_id is not null and o.captured_at is null and o.opened_at >= $1
                     and ($2::bigint is null or o.club_id = $2)
                     and (o.state in ('rejecting', 'void', 'anomaly')
                         or (o.state = 'released' and o.authorised_at is not null)
                         or (o.state in ('quoted', 'released') and o.authorised_at is null and n.payload is not null))
             )
             select payment_intent_id as "payment_intent_id!", status as "status!", opened_at as "opened_at!",
                 total_cents as "total_cents!", draws as "draws!", tickets as "tickets!", reason as "reason?",
                 payment_method as "payment_method?", payload as "payload?", sums.count as "count!",
                 sums.total as "total!", sums.customers as "customers!"
             from failed cross join (
                 select count(*), sum(total_cents)::bigint as total, count(distinct buyer_email) as customers from failed
             ) sums
             order by opened_at desc limit $3"#,
            to_column_time(since),
            club.map(|club| club.0),
            FAILED_PAYMENTS_LISTED_MAX
        );
        let rows: Vec<FailedPaymentRow> = self
            .run_read(async move |pool: PgPool| read.fetch_all(&pool).await)
            .await?;
        let Some(FailedPaymentRow {
            count,
            total,
            customers,
            ..
        }) = rows.first()
        else {
            return Ok(FailedPayments::default());
        };
        let (count, total, customers) = (*count, Cents(*total), *customers);
        Ok(FailedPayments {
            newest: rows.into_iter().map(failed_payment).collect(),
            count,
            total,
            customers,
        })
    }
}

fn failed_payment(row: FailedPaymentRow) -> FailedPayment {
    let notice = row
        .payload
        .and_then(|payload| serde_json::from_str::<Value>(&payload).ok())
        .unwrap_or_default();
    let error = &notice["data"]["object"]["last_payment_error"];
    let text = |value: &Value| value.as_str().map(str::to_string);
    let method = &error["payment_method"];
    let method = text(&method["card"]["wallet"]["type"]).or_else(|| text(&method["type"]));
    let declined = text(&error["decline_code"]).or_else(|| text(&error["code"]));
    FailedPayment {
        payment_intent: row.payment_intent_id,
        status: row.status,
        at: timestamp(row.opened_at),
        amount: Cents(row.total_cents),
        draws: row.draws,
        tickets: row.tickets,
        reason: declined.or(row.reason),
        method: row.payment_method.or(method),
    }
}
