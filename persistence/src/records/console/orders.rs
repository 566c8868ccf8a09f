//! One order as the operator sees it.

use domain::OrderId;
use sqlx::PgPool;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::Failure;
use crate::records::Records;

#[derive(Clone, Debug)]
pub struct OrderDetails {
    pub id: Uuid,
    pub state: String,
    pub payment_intent_id: Option<String>,
    pub club_id: i64,
    pub club_name: Option<String>,
    pub buyer_name: Option<String>,
    pub buyer_email: Option<String>,
    pub buyer_phone: Option<String>,
    pub subtotal_cents: i64,
    pub card_fee_cents: i64,
    pub total_cents: i64,
    pub application_fee_cents: i64,
    pub opened_at: OffsetDateTime,
    pub authorised_at: Option<OffsetDateTime>,
    pub allocated_at: Option<OffsetDateTime>,
    pub captured_at: Option<OffsetDateTime>,
    /// When the order was released or became void.
    pub ended_at: Option<OffsetDateTime>,
    /// Why the order ended.
    pub end_reason: Option<String>,
    /// The provider's fee. `None` while the provider has not reported it.
    pub provider_fee_cents: Option<i64>,
    pub payment_method: Option<String>,
    pub consented: bool,
    pub refund_state: Option<String>,
    pub refund_cents: Option<i64>,
    pub refund_fee_cents: Option<i64>,
    pub refund_reason: Option<String>,
    pub refunded_at: Option<OffsetDateTime>,
    /// The provider's status of the refund, and the reason of that status. `None` before the
    /// provider accepted the refund.
    pub refund_provider_status: Option<String>,
    pub refund_provider_reason: Option<String>,
    /// The provider's error code, if it refused the refund.
    pub refund_refusal: Option<String>,
}

#[derive(Clone, Debug)]
pub struct OrderDetailsLine {
    pub draw_id: i64,
    pub home_team: String,
    pub away_team: String,
    pub draw_status: String,
    pub count: i16,
    pub unit_price_cents: i64,
    /// Serials of the order line's tickets, ascending. Empty while the line has no tickets.
    pub serials: Vec<i16>,
}

/// A mail about an order.
#[derive(Clone, Debug)]
pub struct OrderMailRow {
    pub kind: String,
    /// `None` while the mail waits for the buyer's address.
    pub to_address: Option<String>,
    /// State of the mail: `pending`, `sent` or `dead`.
    pub state: String,
    pub queued_at: OffsetDateTime,
    pub sent_at: Option<OffsetDateTime>,
}

impl Records {
    /// Returns the mails about an order, oldest first.
    pub async fn mails_of_order(&self, order: OrderId) -> Result<Vec<OrderMailRow>, Failure> {
        let read = sqlx::query_as!(
            OrderMailRow,
            "select kind, to_address, state, queued_at, sent_at from email_outbox where order_id = $1 order by id",
            Uuid::from_u128(order.0)
        );
        self.run_read(async move |pool: PgPool| read.fetch_all(&pool).await)
            .await
    }

    pub async fn find_order_details(
        &self,
        order: OrderId,
    ) -> Result<Option<(OrderDetails, Vec<OrderDetailsLine>)>, Failure> {
        let id = Uuid::from_u128(order.0);
        let read = sqlx::query_as!(
            OrderDetails,
            r#"select o.id, o.state, o.payment_intent_id, o.club_id, c.name as "club_name?", o.buyer_name, o.buyer_email,
                 o.buyer_phone, o.subtotal_cents, o.card_fee_cents, o.total_cents, o.application_fee_cents, o.opened_at,
                 o.authorised_at, o.allocated_at, o.captured_at, o.ended_at, o.reason as end_reason,
                 p.provider_fee_cents as "provider_fee_cents?", p.payment_method as "payment_method?", o.consent_at is not null as "consented!", r.state as "refund_state?",
                 r.amount_cents as "refund_cents?", r.fee_cents as "refund_fee_cents?", r.reason as "refund_reason?",
                 r.created_at as "refunded_at?", r.provider_status as "refund_provider_status?",
                 r.provider_reason as "refund_provider_reason?",
                 (select p.why from payment_ops p where p.order_id = o.id and p.kind = 'refund' and p.state <> 'done'
                  order by p.id desc limit 1) as refund_refusal
             from orders o left join clubs c on c.id = o.club_id left join refunds r on r.order_id = o.id
                 left join payments p on p.payment_intent_id = o.payment_intent_id where o.id = $1"#,
            id
        );
        let found: Option<OrderDetails> = self
            .run_read(async move |pool: PgPool| read.fetch_optional(&pool).await)
            .await?;
        let Some(found) = found else {
            return Ok(None);
        };
        let read = sqlx::query_as!(
            OrderDetailsLine,
            r#"select l.draw_id, d.home_team, d.away_team, d.status as draw_status, l.count, l.unit_price_cents,
                 coalesce(l.serials, '{}') as "serials!"
             from order_lines l join draws d on d.id = l.draw_id where l.order_id = $1 order by l.draw_id"#,
            id
        );
        let lines = self
            .run_read(async move |pool: PgPool| read.fetch_all(&pool).await)
            .await?;
        Ok(Some((found, lines)))
    }
}
