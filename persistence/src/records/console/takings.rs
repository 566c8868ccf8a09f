//! The revenue of all draws, computed from the fee ledger.

use domain::Timestamp;
use sqlx::PgPool;

use crate::Failure;
use crate::records::{Records, to_column_time};

/// The sums of one draw, in cents. A test draw is one whose league contains "test" (decision E-15).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DrawTakings {
    pub draw_id: i64,
    pub club_name: String,
    pub status: String,
    pub tickets_sold: i64,
    pub revenue_cents: i64,
    pub fee_cents: i64,
    pub fee_cap_cents: i64,
    pub card_fees_cents: i64,
    pub provider_fees_cents: i64,
    pub orders_without_provider_fee: i64,
    /// The amount charged for orders whose provider fee is unknown. Their provider fees are
    /// estimated from this amount (decision D-18).
    pub charged_without_provider_fee_cents: i64,
    pub refunded_cents: i64,
    /// The prize that the draw owes. A draw on sale owes the prize for the tickets sold so far. A
    /// completed draw owes a prize only if its winning ticket was sold. Before kick-off, every
    /// completed draw counts as owing the prize, because the sum would otherwise reveal whether the
    /// winning ticket was sold (decision E-6).
    pub prize_cents: i64,
}

impl Records {
    /// Returns the sums of every draw, sorted by kick-off. The two instants limit the kick-off;
    /// `None` means no limit.
    pub async fn draw_takings(
        &self,
        from: Option<Timestamp>,
        to: Option<Timestamp>,
        without_tests: bool,
        now: Timestamp,
    ) -> Result<Vec<DrawTakings>, Failure> {
        let read = sqlx::query_as!(
            DrawTakings,
            r#"select d.id as draw_id, c.name as club_name, d.status, d.sold::bigint as "tickets_sold!", d.revenue_cents,
                 d.fee_cents, d.fee_cap_cents,
                 coalesce(s.card_fees, 0)::bigint as "card_fees_cents!",
                 coalesce(s.provider_fees, 0)::bigint as "provider_fees_cents!",
                 coalesce(s.unknown, 0)::bigint as "orders_without_provider_fee!",
                 coalesce(s.unknown_charged, 0)::bigint as "charged_without_provider_fee_cents!",
                 coalesce(s.refunded, 0)::bigint as "refunded_cents!",
                 case when d.status = 'cancelled' then 0
                      when d.status = 'completed' then case when d.kick_off > $4 or exists (select from tickets t
                          where t.draw_id = d.id and t.serial = d.winning_serial) then d.prize_cents else 0 end
                      else prize_of(d.revenue_cents, d.prize_percentage, d.round_up_prize) end as "prize_cents!"
             from draws d join clubs c on c.id = d.club_id left join (
                 select draw_id,
                     sum(card_fee_cents) filter (where stands) as card_fees,
                     sum(round(fee * upto / whole) - round(fee * (upto - gross) / whole)) as provider_fees,
                     count(*) filter (where stands and fee is null) as unknown,
                     sum(gross) filter (where stands and fee is null) as unknown_charged,
                     sum(gross) filter (where refunded) as refunded
                 from (
                     select l.draw_id, o.state in ('allocated', 'captured') as stands, l.card_fee_cents,
                         l.count * l.unit_price_cents as revenue, l.count * l.unit_price_cents + l.card_fee_cents as gross,
                         p.provider_fee_cents::numeric as fee,
                         sum(l.count * l.unit_price_cents + l.card_fee_cents) over (partition by l.order_id order by l.draw_id) as upto,
                         sum(l.count * l.unit_price_cents + l.card_fee_cents) over (partition by l.order_id) as whole,
                         r.state = 'succeeded' as refunded
                     from order_lines l join orders o on o.id = l.order_id
                         left join payments p on p.payment_intent_id = o.payment_intent_id and o.captured_at is not null
                         left join refunds r on r.order_id = o.id
                 ) lines group by draw_id
             ) s on s.draw_id = d.id
             where ($1::timestamptz is null or d.kick_off >= $1) and ($2::timestamptz is null or d.kick_off < $2)
                 and not ($3 and coalesce(d.league, '') ilike '%test%')
             order by d.kick_off, d.id"#,
            from.map(to_column_time),
            to.map(to_column_time),
            without_tests,
            to_column_time(now)
        );
        self.run_read(async move |pool: PgPool| read.fetch_all(&pool).await)
            .await
    }
}
