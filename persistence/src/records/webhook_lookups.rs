//! Lookups of stored webhook events. The payment engine writes these rows.

use sqlx::PgPool;
use time::OffsetDateTime;

use super::Records;
use crate::Failure;

/// A webhook event in which the buyer's bank says something about a payment: a dispute, or an early
/// fraud warning.
#[derive(Clone, Debug)]
pub struct BankNoticeRow {
    pub kind: String,
    /// The event as the provider sent it, as JSON text.
    pub payload: String,
    pub received_at: OffsetDateTime,
}

impl Records {
    /// Returns what the buyer's bank said about a payment, newest first, at most 50 events.
    pub async fn bank_notices(&self, payment_intent: &str) -> Result<Vec<BankNoticeRow>, Failure> {
        // The list of kinds is that of the index `webhook_events_bank_notices`.
        let read = sqlx::query_as!(
            BankNoticeRow,
            "select kind, payload, received_at from webhook_events
             where payment_intent_id = $1 and kind in ('charge.dispute.created', 'charge.dispute.updated',
               'charge.dispute.closed', 'charge.dispute.funds_withdrawn', 'charge.dispute.funds_reinstated',
               'radar.early_fraud_warning.created')
             order by received_at desc, event_id limit 50",
            payment_intent
        );
        self.run_read(async move |pool: PgPool| read.fetch_all(&pool).await)
            .await
    }

    /// Returns whether this webhook event is already stored. A stored event was handled or will be
    /// handled.
    pub async fn is_webhook_event_known(&self, event_id: &str) -> Result<bool, Failure> {
        let read = sqlx::query_scalar!(
            r#"select exists (select from webhook_events where event_id = $1) as "is_known!""#,
            event_id
        );
        self.run_read(async move |pool: PgPool| read.fetch_one(&pool).await)
            .await
    }
}
