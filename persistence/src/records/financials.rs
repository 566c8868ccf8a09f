//! What a draw brought in, from our own rows.

use domain::{Cents, DrawId};
use sqlx::PgPool;

use super::Records;
use crate::Failure;

/// Sums over a draw's orders that have their tickets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DrawFinancials {
    /// Ticket revenue without passed-on card fees (decision D-4).
    pub revenue: Cents,
    pub application_fee: Cents,
    /// Card fees that buyers paid.
    pub card_fees_passed_on: Cents,
    /// The provider's own fees as far as they are known, each order's split over its lines by their share.
    pub provider_fees_known: Cents,
    pub orders: i64,
    /// Orders whose provider fee is not known yet (decision D-18).
    pub orders_without_provider_fee: i64,
    /// Line totals of those orders: what the provider's fee is estimated from.
    pub subtotal_without_provider_fee: Cents,
}

type Sums = (i64, i64, i64, i64, i64, i64, i64);

impl Records {
    pub async fn draw_financials(&self, draw: DrawId) -> Result<DrawFinancials, Failure> {
        let read = sqlx::query_as(
            "select coalesce(sum(l.count * l.unit_price_cents), 0)::bigint,
                 coalesce(sum(l.application_fee_cents), 0)::bigint,
                 coalesce(sum(l.card_fee_cents), 0)::bigint,
                 coalesce(sum(round(p.provider_fee_cents::numeric * (l.count * l.unit_price_cents + l.card_fee_cents)
                     / nullif(o.total_cents, 0))), 0)::bigint,
                 count(*),
                 count(*) filter (where p.provider_fee_cents is null),
                 coalesce(sum(l.count * l.unit_price_cents + l.card_fee_cents)
                     filter (where p.provider_fee_cents is null), 0)::bigint
             from order_lines l join orders o on o.id = l.order_id
                 left join payments p on p.payment_intent_id = o.payment_intent_id
             where l.draw_id = $1 and o.state in ('allocated', 'captured')",
        )
        .bind(draw.0);
        let sums: Sums = self.read(async move |pool: PgPool| read.fetch_one(&pool).await).await?;
        let (revenue, fee, passed_on, known, orders, unknown, unknown_subtotal) = sums;
        Ok(DrawFinancials {
            revenue: Cents(revenue),
            application_fee: Cents(fee),
            card_fees_passed_on: Cents(passed_on),
            provider_fees_known: Cents(known),
            orders,
            orders_without_provider_fee: unknown,
            subtotal_without_provider_fee: Cents(unknown_subtotal),
        })
    }
}
