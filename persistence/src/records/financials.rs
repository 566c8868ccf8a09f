//! The revenue and fees of draws, computed from the database.

use std::collections::BTreeMap;

use domain::{Cents, ClubId, DrawId};
use sqlx::PgPool;

use super::Records;
use crate::Failure;

/// The sums of a draw's orders that have tickets. The provider's fees of refunded orders are
/// included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DrawFinancials {
    /// Revenue from tickets, without the card fees that buyers paid (decision D-4).
    pub revenue: Cents,
    /// The platform's fee for the draw, less fee refunds.
    pub application_fee: Cents,
    /// The card fees that buyers paid in addition to the ticket price.
    pub card_fees_passed_on: Cents,
    /// The sum of the known provider fees. An order's provider fee is split over the order's lines
    /// in proportion to their totals, so that the parts add up to the exact fee.
    pub provider_fees_known: Cents,
    pub orders: i64,
    /// Number of paid tickets whose buyer left no e-mail address. They do not count as sold (decision
    /// F-3).
    pub tickets_without_buyer: i64,
    /// Number of orders whose provider fee is not known yet (decision D-18).
    pub orders_without_provider_fee: i64,
    /// The sum of the line totals of orders whose provider fee is unknown. Their provider fees are
    /// estimated from this sum.
    pub subtotal_without_provider_fee: Cents,
}

struct FinancialsRow {
    draw_id: i64,
    revenue: i64,
    application_fee: i64,
    passed_on: i64,
    known: i64,
    orders: i64,
    without_buyer: i64,
    orders_unknown: i64,
    gross_unknown: i64,
}

impl From<FinancialsRow> for DrawFinancials {
    fn from(row: FinancialsRow) -> DrawFinancials {
        DrawFinancials {
            revenue: Cents(row.revenue),
            application_fee: Cents(row.application_fee),
            card_fees_passed_on: Cents(row.passed_on),
            provider_fees_known: Cents(row.known),
            orders: row.orders,
            tickets_without_buyer: row.without_buyer,
            orders_without_provider_fee: row.orders_unknown,
            subtotal_without_provider_fee: Cents(row.gross_unknown),
        }
    }
}

/// The statements below and the one of `Records::draw_takings` use the same formula for the part of
/// the provider's fee that belongs to an order line. `upto` is the order's total up to this line,
/// `whole` the complete total. A part is the difference of two rounded shares, so that rounding
/// never adds or loses a cent.
///
/// The provider keeps its fee when a payment is refunded. The platform's fee is taken from the
/// draw's fee ledger, because a refunded order can keep a part of that fee (decision D-3).
/// A query for the sums of draws. `$condition` selects order lines `l` of orders `o`.
///
/// `upto` is an order's total up to the line, `whole` the order's complete total. A line's part of
/// the provider's fee is the difference of two rounded shares, so that rounding never adds or loses
/// a cent. `Records::draw_takings` uses the same formula.
///
/// The provider keeps its fee when a payment is refunded. The platform's fee is taken from the
/// draw's fee ledger, because a refunded order can keep a part of that fee (decision D-3).
macro_rules! query_draw_sums {
    ($condition:literal $(, $argument:expr)*) => {
        sqlx::query_as!(
            FinancialsRow,
            "with lines as (
                 select l.draw_id, o.state in ('allocated', 'captured') as stands, l.card_fee_cents,
                     case when o.buyer_email is null and l.serials is not null then l.count else 0 end as without_buyer,
                     l.count * l.unit_price_cents as revenue, l.count * l.unit_price_cents + l.card_fee_cents as gross,
                     p.provider_fee_cents::numeric as fee,
                     sum(l.count * l.unit_price_cents + l.card_fee_cents) over (partition by l.order_id order by l.draw_id) as upto,
                     sum(l.count * l.unit_price_cents + l.card_fee_cents) over (partition by l.order_id) as whole
                 from order_lines l join orders o on o.id = l.order_id
                     left join payments p on p.payment_intent_id = o.payment_intent_id
                 where (o.state = 'allocated' or o.captured_at is not null)
                     and " + $condition + r#"
             )
             select lines.draw_id, d.fee_cents as application_fee,
                 coalesce(sum(revenue) filter (where stands), 0)::bigint as "revenue!",
                 coalesce(sum(card_fee_cents) filter (where stands), 0)::bigint as "passed_on!",
                 coalesce(sum(round(fee * upto / whole) - round(fee * (upto - gross) / whole)), 0)::bigint as "known!",
                 count(*) filter (where stands) as "orders!",
                 coalesce(sum(without_buyer) filter (where stands), 0)::bigint as "without_buyer!",
                 count(*) filter (where stands and fee is null) as "orders_unknown!",
                 coalesce(sum(gross) filter (where stands and fee is null), 0)::bigint as "gross_unknown!"
             from lines join draws d on d.id = lines.draw_id group by lines.draw_id, d.fee_cents"#,
            $($argument),*
        )
    };
}

impl Records {
    pub async fn draw_financials(&self, draw: DrawId) -> Result<DrawFinancials, Failure> {
        let read = query_draw_sums!(
            "l.order_id in (select m.order_id from order_lines m where m.draw_id = $1)",
            draw.0
        );
        let rows = self
            .run_read(async move |pool: PgPool| read.fetch_all(&pool).await)
            .await?;
        let row = rows.into_iter().find(|row| row.draw_id == draw.0);
        Ok(row.map(DrawFinancials::from).unwrap_or_default())
    }

    /// Returns the sums of every draw of a club that has sold tickets.
    pub async fn club_financials(
        &self,
        club: ClubId,
    ) -> Result<BTreeMap<DrawId, DrawFinancials>, Failure> {
        let read = query_draw_sums!("o.club_id = $1", club.0);
        let rows = self
            .run_read(async move |pool: PgPool| read.fetch_all(&pool).await)
            .await?;
        Ok(rows
            .into_iter()
            .map(|row| (DrawId(row.draw_id), row.into()))
            .collect())
    }
}
