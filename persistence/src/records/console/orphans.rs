//! Paid tickets whose buyer left no e-mail address (decisions C-11, F-3).

use domain::{DrawId, Serial};
use sqlx::PgPool;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::Failure;
use crate::records::Records;

#[derive(Clone, Debug)]
pub struct SoldTicketWithBuyer {
    pub draw_id: i64,
    pub serial: i16,
    pub home_team: String,
    pub away_team: String,
    pub unit_price_cents: i64,
    pub payment_intent_id: Option<String>,
    pub sold_at: OffsetDateTime,
    pub order_id: Uuid,
    pub club_name: Option<String>,
    pub buyer_name: Option<String>,
    pub buyer_email: Option<String>,
}

/// A query for sold tickets `t` with the buyer of their order `o`. `$rest` is the `where`
/// clause and what follows.
macro_rules! query_sold_tickets {
    ($rest:literal $(, $argument:expr)*) => {
        sqlx::query_as!(
            SoldTicketWithBuyer,
            r#"select t.draw_id, t.serial, d.home_team, d.away_team, l.unit_price_cents, o.payment_intent_id, t.sold_at,
                 o.id as order_id, c.name as "club_name?", o.buyer_name, o.buyer_email
             from tickets t join order_lines l on l.id = t.order_line_id join orders o on o.id = l.order_id
                 join draws d on d.id = t.draw_id left join clubs c on c.id = o.club_id
             "# + $rest,
            $($argument),*
        )
    };
}

impl Records {
    /// Returns paid tickets whose buyer left no e-mail address, newest first.
    pub async fn tickets_without_buyer_email(&self) -> Result<Vec<SoldTicketWithBuyer>, Failure> {
        let read = query_sold_tickets!(
            "where o.buyer_email is null order by t.sold_at desc, t.draw_id, t.serial limit 5000"
        );
        self.run_read(async move |pool: PgPool| read.fetch_all(&pool).await)
            .await
    }

    /// Returns a sold ticket with the details of its buyer, if the buyer left any. `None` when the
    /// ticket is not sold.
    pub async fn ticket_owner(
        &self,
        draw: DrawId,
        serial: Serial,
    ) -> Result<Option<SoldTicketWithBuyer>, Failure> {
        let read = query_sold_tickets!(
            "where t.draw_id = $1 and t.serial = $2",
            draw.0,
            serial.number() as i16
        );
        self.run_read(async move |pool: PgPool| read.fetch_optional(&pool).await)
            .await
    }
}
