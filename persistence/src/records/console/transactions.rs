//! Recent payments for the operator's console, from our copy of the provider's data (decision
//! C-24).

use domain::{ClubId, Timestamp};
use sqlx::PgPool;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::Failure;
use crate::records::{Records, to_column_time};

#[derive(Clone, Debug)]
pub struct TransactionRow {
    pub order_id: Uuid,
    pub payment_intent_id: String,
    pub status: String,
    pub account_id: String,
    pub created_at: OffsetDateTime,
    pub club_id: i64,
    pub club_name: Option<String>,
    pub buyer_name: Option<String>,
    pub buyer_email: Option<String>,
    /// The amount charged. For an order that was never captured, the amount that a capture would
    /// have charged.
    pub amount_cents: i64,
    pub provider_fee_cents: Option<i64>,
    pub application_fee_cents: i64,
    pub application_fee_refunded_cents: i64,
    pub refunded_cents: i64,
    /// The payment method: `card` or the name of a wallet. `None` while the provider has not
    /// reported it.
    pub payment_method: Option<String>,
    pub refund_state: Option<String>,
    /// Stripe's error code of a refund that waits or was refused, or its reason for a refund that
    /// failed.
    pub refund_refusal: Option<String>,
    pub disputed: bool,
    pub draws: Vec<i64>,
    pub counts: Vec<i16>,
    pub prices: Vec<i64>,
    pub home_team: String,
    pub away_team: String,
}

/// Successful payments with equal charges and equal provider fees, counted together.
#[derive(Clone, Debug)]
pub struct TransactionGroup {
    pub count: i64,
    /// The amount charged for each payment of the group.
    pub amount_cents: i64,
    /// The provider's fee for each payment of the group. `None` while the provider has not reported
    /// it.
    pub provider_fee_cents: Option<i64>,
    /// The platform's fees of all payments of the group, less fee refunds.
    pub platform_fee_cents: i64,
    /// The refunds of all payments of the group.
    pub refunded_cents: i64,
}

/// The maximum number of payments in the list. The sums still include all payments.
pub const TRANSACTIONS_LISTED_MAX: i64 = 5000;

impl Records {
    /// Returns the successful payments of one club or of all, in groups with equal charge and
    /// provider fee.
    pub async fn transaction_groups(
        &self,
        club: Option<ClubId>,
        since: Timestamp,
    ) -> Result<Vec<TransactionGroup>, Failure> {
        let read = sqlx::query_as!(
            TransactionGroup,
            r#"select count(*) as "count!", p.amount_cents, p.provider_fee_cents,
                 sum(p.application_fee_cents - p.application_fee_refunded_cents)::bigint as "platform_fee_cents!",
                 sum(p.amount_refunded_cents)::bigint as "refunded_cents!"
             from orders o join payments p on p.payment_intent_id = o.payment_intent_id
             where p.status = 'succeeded' and o.opened_at >= $1 and ($2::bigint is null or o.club_id = $2)
             group by p.amount_cents, p.provider_fee_cents"#,
            to_column_time(since),
            club.map(|club| club.0)
        );
        self.run_read(async move |pool: PgPool| read.fetch_all(&pool).await)
            .await
    }

    /// Returns payments of one club, or of all clubs if `None`, newest first. Returns at most
    /// [`TRANSACTIONS_LISTED_MAX`].
    pub async fn transactions(
        &self,
        club: Option<ClubId>,
        since: Timestamp,
    ) -> Result<Vec<TransactionRow>, Failure> {
        let read = sqlx::query_as!(
            TransactionRow,
            r#"select o.id as order_id, o.payment_intent_id as "payment_intent_id!", p.status, p.account_id, o.opened_at as created_at,
                 o.club_id, c.name as "club_name?", o.buyer_name, o.buyer_email, p.amount_cents, p.provider_fee_cents,
                 p.application_fee_cents, p.application_fee_refunded_cents, p.amount_refunded_cents as refunded_cents,
                 p.payment_method, r.state as "refund_state?",
                 case when r.state in ('pending', 'failed') then
                   (select w.why from payment_ops w where w.order_id = o.id and w.kind = 'refund' and w.state <> 'done'
                    order by w.id desc limit 1) end as refund_refusal,
                 p.disputed, l.draws as "draws!", l.counts as "counts!", l.prices as "prices!",
                 d.home_team, d.away_team
             from orders o join payments p on p.payment_intent_id = o.payment_intent_id
                 left join clubs c on c.id = o.club_id left join refunds r on r.order_id = o.id
                 join lateral (
                     select array_agg(draw_id order by draw_id) as draws, array_agg(count order by draw_id) as counts,
                         array_agg(unit_price_cents order by draw_id) as prices
                     from order_lines where order_id = o.id
                 ) l on true
                 join draws d on d.id = l.draws[1]
             where o.opened_at >= $1 and ($2::bigint is null or o.club_id = $2)
             order by o.opened_at desc, o.id limit $3"#,
            to_column_time(since),
            club.map(|club| club.0),
            TRANSACTIONS_LISTED_MAX
        );
        self.run_read(async move |pool: PgPool| read.fetch_all(&pool).await)
            .await
    }
}
