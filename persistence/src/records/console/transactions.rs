//! Payments of the last days, from our own mirror of the provider (decision C-24).

use domain::{ClubId, Timestamp};
use sqlx::PgPool;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::Failure;
use crate::records::{Records, column};

#[derive(Clone, Debug, sqlx::FromRow)]
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
    /// What was charged; for one that was never captured, what would have been.
    pub amount_cents: i64,
    pub provider_fee_cents: Option<i64>,
    pub application_fee_cents: i64,
    pub application_fee_refunded_cents: i64,
    pub refunded_cents: i64,
    /// `card` or a wallet; unknown while the provider has not said.
    pub payment_method: Option<String>,
    pub refund_state: Option<String>,
    pub disputed: bool,
    pub draws: Vec<i64>,
    pub counts: Vec<i16>,
    pub prices: Vec<i64>,
    pub home_team: String,
    pub away_team: String,
}

/// Successful payments of which each was charged the same and cost the same at the provider.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct AlikeTransactions {
    pub count: i64,
    /// Each.
    pub amount_cents: i64,
    /// Each; unknown while the provider has not said.
    pub provider_fee_cents: Option<i64>,
    /// Together, less what was given back.
    pub platform_fee_cents: i64,
    /// Together.
    pub refunded_cents: i64,
}

/// How many payments the list holds at most; their sums are about all of them.
pub const LISTED_MAX: i64 = 5000;

impl Records {
    /// The successful ones, of one club or of all, for their sums.
    pub async fn alike_transactions(
        &self,
        club: Option<ClubId>,
        since: Timestamp,
    ) -> Result<Vec<AlikeTransactions>, Failure> {
        let read = sqlx::query_as(
            "select count(*), p.amount_cents, p.provider_fee_cents,
                 sum(p.application_fee_cents - p.application_fee_refunded_cents)::bigint as platform_fee_cents,
                 sum(p.amount_refunded_cents)::bigint as refunded_cents
             from orders o join payments p on p.payment_intent_id = o.payment_intent_id
             where p.status = 'succeeded' and o.opened_at >= $1 and ($2::bigint is null or o.club_id = $2)
             group by p.amount_cents, p.provider_fee_cents",
        )
        .bind(column(since))
        .bind(club.map(|club| club.0));
        self.read(async move |pool: PgPool| read.fetch_all(&pool).await)
            .await
    }

    /// Newest first, of one club or of all; [`LISTED_MAX`] at most.
    pub async fn transactions(
        &self,
        club: Option<ClubId>,
        since: Timestamp,
    ) -> Result<Vec<TransactionRow>, Failure> {
        let read = sqlx::query_as(
            "select o.id as order_id, o.payment_intent_id, p.status, p.account_id, o.opened_at as created_at, o.club_id,
                 c.name as club_name, o.buyer_name, o.buyer_email, p.amount_cents, p.provider_fee_cents,
                 p.application_fee_cents, p.application_fee_refunded_cents, p.amount_refunded_cents as refunded_cents,
                 p.payment_method, r.state as refund_state, p.disputed, l.draws, l.counts, l.prices, d.home_team, d.away_team
             from orders o join payments p on p.payment_intent_id = o.payment_intent_id
                 left join clubs c on c.id = o.club_id left join refunds r on r.order_id = o.id
                 join lateral (
                     select array_agg(draw_id order by draw_id) as draws, array_agg(count order by draw_id) as counts,
                         array_agg(unit_price_cents order by draw_id) as prices
                     from order_lines where order_id = o.id
                 ) l on true
                 join draws d on d.id = l.draws[1]
             where o.opened_at >= $1 and ($2::bigint is null or o.club_id = $2)
             order by o.opened_at desc, o.id limit $3",
        )
        .bind(column(since))
        .bind(club.map(|club| club.0))
        .bind(LISTED_MAX);
        self.read(async move |pool: PgPool| read.fetch_all(&pool).await)
            .await
    }
}
