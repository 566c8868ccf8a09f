//! Sold tickets of a draw with their buyers, as the club and the operator see them.

use domain::{DrawId, OrderId, Serial, Timestamp};
use sqlx::PgPool;
use time::OffsetDateTime;
use uuid::Uuid;

use super::{Records, timestamp};
use crate::Failure;

/// A sold ticket with its buyer. This is personal data, shown only to the club of the draw and to
/// operators (decision F-1).
#[derive(Clone, Debug)]
pub struct SoldTicket {
    pub serial: Serial,
    pub order: OrderId,
    pub payment_intent: Option<String>,
    pub sold_at: Timestamp,
    pub buyer_name: Option<String>,
    pub buyer_email: Option<String>,
    pub buyer_phone: Option<String>,
}

struct SoldTicketRow {
    serial: i16,
    order_id: Uuid,
    payment_intent_id: Option<String>,
    sold_at: OffsetDateTime,
    buyer_name: Option<String>,
    buyer_email: Option<String>,
    buyer_phone: Option<String>,
}

impl SoldTicketRow {
    fn into_ticket(self) -> Result<SoldTicket, Failure> {
        let damaged = || Failure::Corrupt(format!("ticket serial {}", self.serial));
        Ok(SoldTicket {
            serial: Serial::new(self.serial as u16).ok_or_else(damaged)?,
            order: OrderId(self.order_id.as_u128()),
            payment_intent: self.payment_intent_id,
            sold_at: timestamp(self.sold_at),
            buyer_name: self.buyer_name,
            buyer_email: self.buyer_email,
            buyer_phone: self.buyer_phone,
        })
    }
}

impl Records {
    /// Returns the serials of a draw's sold tickets, ascending.
    pub async fn sold_serials(&self, draw: DrawId) -> Result<Vec<Serial>, Failure> {
        let read = sqlx::query_scalar!(
            "select serial from tickets where draw_id = $1 order by serial",
            draw.0
        );
        let rows: Vec<i16> = self
            .run_read(async move |pool: PgPool| read.fetch_all(&pool).await)
            .await?;
        Ok(rows
            .into_iter()
            .filter_map(|serial| Serial::new(serial as u16))
            .collect())
    }

    /// Returns a draw's sold tickets with their buyers, ascending by serial.
    pub async fn sold_tickets(&self, draw: DrawId) -> Result<Vec<SoldTicket>, Failure> {
        let read = sqlx::query_as!(
            SoldTicketRow,
            "select t.serial, o.id as order_id, o.payment_intent_id, t.sold_at,
                 o.buyer_name, o.buyer_email, o.buyer_phone
             from tickets t join order_lines l on l.id = t.order_line_id join orders o on o.id = l.order_id
             where t.draw_id = $1 order by t.serial",
            draw.0
        );
        let rows: Vec<SoldTicketRow> = self
            .run_read(async move |pool: PgPool| read.fetch_all(&pool).await)
            .await?;
        rows.into_iter().map(SoldTicketRow::into_ticket).collect()
    }
}
