//! Numbers over time for the small charts of the operator's console.

use domain::Timestamp;
use sqlx::PgPool;

use crate::Failure;
use crate::records::{Records, to_column_time};

/// One interval of a time series. `at` is the start of the interval, in seconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeriesInterval {
    pub at: i64,
    pub tickets: i64,
    pub payments: i64,
    pub revenue_cents: i64,
    pub anomalies: i64,
}

impl Records {
    /// Returns every interval from `from` up to `to`. Intervals without sales are included.
    pub async fn sales_series(
        &self,
        from: Timestamp,
        to: Timestamp,
        step_seconds: i64,
    ) -> Result<Vec<SeriesInterval>, Failure> {
        let read = sqlx::query_as!(
            SeriesInterval,
            r#"with steps as (
                 select s as at, s + make_interval(secs => $3) as until
                 from generate_series($1::timestamptz, $2::timestamptz - interval '1 millisecond',
                     make_interval(secs => $3)) s
             ), paid as (
                 select date_bin(make_interval(secs => $3), o.captured_at, $1) as at, count(*) as payments,
                     sum(o.subtotal_cents) as revenue, sum((select sum(l.count) from order_lines l where l.order_id = o.id))
                         as tickets
                 from orders o where o.captured_at >= $1 and o.captured_at < $2 group by 1
             ), odd as (
                 select date_bin(make_interval(secs => $3), a.detected_at, $1) as at, count(*) as anomalies
                 from anomalies a where a.detected_at >= $1 and a.detected_at < $2 group by 1
             )
             select extract(epoch from s.at)::bigint as "at!", coalesce(p.tickets, 0)::bigint as "tickets!",
                 coalesce(p.payments, 0)::bigint as "payments!", coalesce(p.revenue, 0)::bigint as "revenue_cents!",
                 coalesce(o.anomalies, 0)::bigint as "anomalies!"
             from steps s left join paid p on p.at = s.at left join odd o on o.at = s.at order by s.at"#,
            to_column_time(from),
            to_column_time(to),
            step_seconds as f64
        );
        self.run_read(async move |pool: PgPool| read.fetch_all(&pool).await)
            .await
    }
}
