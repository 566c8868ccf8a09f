//! Mailed links that show a buyer all orders with one e-mail address. Receiving the mail proves
//! that the address belongs to the buyer.

use domain::{OrderId, Timestamp};
use sqlx::PgPool;

use super::erasure::ERASED_EMAIL;
use super::{Records, timestamp, to_column_time};
use crate::Failure;
use crate::link_secrets::LinkKind;

/// The maximum number of orders that one link shows. The newest are shown.
const ORDERS_PER_LINK_MAX: i64 = 100;

/// The e-mail address that a link belongs to, and the orders that it shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TicketLink {
    pub email: String,
    pub until: Timestamp,
    /// The orders that have tickets, or were captured and are being refunded. Newest first.
    pub orders: Vec<OrderId>,
}

impl Records {
    /// Stores the hash of a link, if tickets were ever bought with this e-mail address. Letter case
    /// does not matter. Returns the address as the newest order spells it, or `None` when no order
    /// has this address.
    pub async fn begin_ticket_link(
        &self,
        email: &str,
        token_hash: &[u8; 32],
        until: Timestamp,
    ) -> Result<Option<String>, Failure> {
        let (email, hash) = (
            email.to_lowercase(),
            self.link_hash(LinkKind::Tickets, token_hash),
        );
        let work = async move |pool: PgPool| {
            sqlx::query_scalar!(
                r#"with known as (
                   select buyer_email from orders
                   where lower(buyer_email) = $1 and (captured_at is not null or state = 'allocated') and erased_at is null
                   order by opened_at desc limit 1
                 ), kept as (
                   insert into ticket_links (token_hash, email, expires_at) select $2, $1, $3 from known
                 )
                 select buyer_email as "buyer_email!" from known"#,
                email,
                hash,
                to_column_time(until)
            )
            .fetch_optional(&pool)
            .await
        };
        self.run_write(work).await
    }

    /// Returns the orders of a link. `None` when the link is unknown or expired.
    pub async fn ticket_link(
        &self,
        token_hash: &[u8; 32],
        at: Timestamp,
    ) -> Result<Option<TicketLink>, Failure> {
        let hashes = self.link_hashes(LinkKind::Tickets, token_hash);
        let work = async move |pool: PgPool| {
            let link = sqlx::query!(
                "select email, expires_at from ticket_links where token_hash = any($1) and expires_at > $2",
                &hashes,
                to_column_time(at)
            )
            .fetch_optional(&pool)
            .await?;
            let Some(link) = link else {
                return Ok(None);
            };
            let orders = sqlx::query_scalar!(
                "select id from orders
                 where lower(buyer_email) = $1 and (captured_at is not null or state = 'allocated')
                 order by opened_at desc, id limit $2",
                link.email,
                ORDERS_PER_LINK_MAX
            )
            .fetch_all(&pool)
            .await?;
            Ok(Some(TicketLink {
                email: link.email,
                until: timestamp(link.expires_at),
                orders: orders.into_iter().map(|id| OrderId(id.as_u128())).collect(),
            }))
        };
        self.run_read(work).await
    }

    /// Deletes expired links, with the addresses to which they were mailed (decision F-8).
    pub async fn delete_expired_ticket_links(&self, at: Timestamp) -> Result<u64, Failure> {
        let write = sqlx::query!(
            "with over as (delete from ticket_links where expires_at <= $1 returning token_hash),
               mailed as (
                 update email_outbox set to_address = $2, data = '{}', why = null
                 where dedupe_key in (select 'my-tickets-' || encode(substring(token_hash from octet_length(token_hash) - 31 for 8), 'hex')
                   from over))
             select from over",
            to_column_time(at),
            ERASED_EMAIL
        );
        self.execute(write).await
    }
}
