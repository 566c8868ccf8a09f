//! Erases buyers' personal data some months after the game (decision F-8). The number of tickets
//! sold, their price and the account that received the payment remain.
//!
//! Only finished orders of past games are changed, and only in columns that the payment engine does
//! not use. Several nodes may run this at the same time: every row is locked before it is read, and
//! a draw that another node has locked is skipped.

use domain::{DrawId, Timestamp};
use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

use super::{Records, to_column_time};
use crate::Failure;

/// After how many months buyer details are erased, if the configuration does not say otherwise
/// (decision F-8).
pub const BUYER_DETAILS_KEPT_MONTHS: u8 = 13;
/// The text that replaces a buyer's name. It is not empty, because an e-mail address without a name
/// is not allowed (decision F-2).
pub const ERASED_NAME: &str = "Details erased";
/// The text that replaces a buyer's e-mail address. It is not empty, because every view counts a
/// ticket with an address as sold. Mail to the domain `invalid` is never delivered.
pub const ERASED_EMAIL: &str = "erased@invalid";
/// The maximum number of orders that one transaction erases.
pub const ORDERS_PER_ERASURE_MAX: i64 = 100;
/// The purpose for which the keyed hash of a buyer's address is derived.
const EMAIL_HASH_PURPOSE: &str = "buyer-email";

/// What one erasure transaction did to one draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ErasureProgress {
    pub draw: DrawId,
    pub orders: u64,
    /// Whether all buyers of the draw are erased. `false` when more orders are left than one
    /// transaction erases, or when an order is unfinished.
    pub whole: bool,
}

impl Records {
    /// Erases the buyers of at most [`ORDERS_PER_ERASURE_MAX`] orders of one draw: the first draw
    /// after `after` that is due. A draw is due when its kick-off was `months` ago and some of its
    /// orders can be erased. An order with several games is erased after its last game. Returns
    /// `None` when no draw is due.
    ///
    /// # Errors
    ///
    /// The database could not be written. The next call repeats the transaction.
    pub async fn erase_buyers(
        &self,
        after: DrawId,
        months: u8,
        at: Timestamp,
    ) -> Result<Option<ErasureProgress>, Failure> {
        let postgres = self.postgres.clone();
        let hash = move |email: String| {
            postgres
                .sealer()
                .fingerprint(EMAIL_HASH_PURPOSE, &email.to_lowercase())
                .to_vec()
        };
        let work = async move |pool: PgPool| {
            let mut transaction = pool.begin().await?;
            let Some(draw) = lock_due_draw(&mut transaction, after, months, at).await? else {
                return Ok(None);
            };
            let rows = erasable_orders(&mut transaction, draw, months, at).await?;
            let orders: Vec<Uuid> = rows.iter().map(|(order, _)| *order).collect();
            let hashes: Vec<Option<Vec<u8>>> = rows
                .into_iter()
                .map(|(_, email)| email.map(&hash))
                .collect();
            erase_orders(&mut transaction, &orders, &hashes, at).await?;
            erase_winner(&mut transaction, draw, at).await?;
            let whole = mark_draw_erased(&mut transaction, draw, months, at).await?;
            transaction.commit().await?;
            Ok(Some(ErasureProgress {
                draw,
                orders: orders.len() as u64,
                whole,
            }))
        };
        self.run_write(work).await
    }

    /// Returns the keyed hash of an e-mail address. The search finds an erased order by this hash.
    /// Letter case does not matter.
    pub(super) fn email_hash(&self, email: &str) -> Vec<u8> {
        self.postgres
            .sealer()
            .fingerprint(EMAIL_HASH_PURPOSE, &email.trim().to_lowercase())
            .to_vec()
    }
}

/// Locks the next draw that is due and has an order that can be erased, or no order left to erase.
/// Skips a draw whose remaining orders are all unfinished (open, or waiting for a refund), because
/// it would block the draws after it. Months are calendar months in UTC. The additional condition
/// on `kick_off` lets the query use the index.
async fn lock_due_draw(
    connection: &mut PgConnection,
    after: DrawId,
    months: u8,
    at: Timestamp,
) -> Result<Option<DrawId>, sqlx::Error> {
    let id = sqlx::query_scalar!(
        "select id from draws due
         where erased_at is null and id > $1 and kick_off <= $3::timestamptz - make_interval(days => $2 * 28)
           and kick_off at time zone 'UTC' + make_interval(months => $2) <= $3::timestamptz at time zone 'UTC'
           and (
             exists (
               select from orders o
               where o.id in (select order_id from order_lines where draw_id = due.id) and o.erased_at is null
                 and not exists (
                   select from order_lines l join draws d on d.id = l.draw_id
                   where l.order_id = o.id
                     and d.kick_off at time zone 'UTC' + make_interval(months => $2) > $3::timestamptz at time zone 'UTC')
                 and not o.unfinished)
             or not exists (
               select from orders o
               where o.id in (select order_id from order_lines where draw_id = due.id) and o.erased_at is null
                 and not exists (
                   select from order_lines l join draws d on d.id = l.draw_id
                   where l.order_id = o.id
                     and d.kick_off at time zone 'UTC' + make_interval(months => $2) > $3::timestamptz at time zone 'UTC')))
         order by id limit 1 for update skip locked",
        after.0,
        i32::from(months),
        to_column_time(at)
    )
    .fetch_optional(connection)
    .await?;
    Ok(id.map(DrawId))
}

/// Locks and returns the draw's orders that can be erased. They still contain buyer details, are
/// finished, and all their games started at least `months` ago.
async fn erasable_orders(
    connection: &mut PgConnection,
    draw: DrawId,
    months: u8,
    at: Timestamp,
) -> Result<Vec<(Uuid, Option<String>)>, sqlx::Error> {
    let rows = sqlx::query!(
        "select o.id, o.buyer_email from orders o
         where o.id in (select order_id from order_lines where draw_id = $1) and o.erased_at is null
           and not exists (
             select from order_lines l join draws d on d.id = l.draw_id
             where l.order_id = o.id
               and d.kick_off at time zone 'UTC' + make_interval(months => $2) > $3::timestamptz at time zone 'UTC')
           and not o.unfinished
         order by o.id limit $4 for update of o",
        draw.0,
        i32::from(months),
        to_column_time(at),
        ORDERS_PER_ERASURE_MAX
    )
    .fetch_all(connection)
    .await?;
    Ok(rows
        .into_iter()
        .map(|row| (row.id, row.buyer_email))
        .collect())
}

async fn erase_orders(
    connection: &mut PgConnection,
    orders: &[Uuid],
    hashes: &[Option<Vec<u8>>],
    at: Timestamp,
) -> Result<(), sqlx::Error> {
    // The columns that these statements clear may contain personal data. An operator's note about a
    // refund or anomaly may name a person, and the provider's events name the payer. The draw
    // number of a mail stays, because undoing a result finds its mails by that number.
    sqlx::query!(
        "update orders o set reason = $2 from refunds r
         where r.order_id = o.id and o.id = any($1) and o.reason is not null",
        orders,
        ERASED_NAME
    )
    .execute(&mut *connection)
    .await?;
    sqlx::query!(
        "update refunds set reason = $2 where order_id = any($1)",
        orders,
        ERASED_NAME
    )
    .execute(&mut *connection)
    .await?;
    sqlx::query!(
        "update anomalies set resolution = $2 where order_id = any($1) and resolved_by is not null",
        orders,
        ERASED_NAME
    )
    .execute(&mut *connection)
    .await?;
    sqlx::query!(
        "update webhook_events w set payload = '{}' from orders o
         where o.id = any($1) and w.payment_intent_id = o.payment_intent_id and w.handled_at is not null",
        orders
    )
    .execute(&mut *connection)
    .await?;
    sqlx::query!(
        "update email_outbox set to_address = case when to_address is null then null else $2 end, why = null,
           data = (select coalesce(jsonb_object_agg(key, value), '{}') from jsonb_each(data::jsonb)
                   where jsonb_typeof(value) = 'number')::text
         where order_id = any($1)",
        orders,
        ERASED_EMAIL
    )
    .execute(&mut *connection)
    .await?;
    sqlx::query!(
        "update orders o set buyer_name = case when o.buyer_email is null then null else $3 end,
           buyer_email = case when o.buyer_email is null then null else $4 end,
           buyer_phone = null, consent_ip = null, buyer_email_hash = e.hash, erased_at = $5
         from unnest($1::uuid[], $2::bytea[]) as e (id, hash) where o.id = e.id",
        orders,
        hashes as &[Option<Vec<u8>>],
        ERASED_NAME,
        ERASED_EMAIL,
        to_column_time(at)
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Erases the winner's name and e-mail address. Bank details need the login for bank details, so
/// `purge_expired_bank_details` deletes them.
async fn erase_winner(
    connection: &mut PgConnection,
    draw: DrawId,
    at: Timestamp,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update payouts set recipient_name = $2, recipient_email = $3, note = null, failure_reason = null
         where draw_id = $1 and type = 'winner'",
        draw.0,
        ERASED_NAME,
        ERASED_EMAIL
    )
    .execute(&mut *connection)
    .await?;
    sqlx::query!(
        "update winner_claims set erased_at = $2 where draw_id = $1 and erased_at is null",
        draw.0,
        to_column_time(at)
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Marks the draw as erased when none of its orders contains buyer details any more. An order that
/// also contains a later game is erased with that game, so it does not count here.
async fn mark_draw_erased(
    connection: &mut PgConnection,
    draw: DrawId,
    months: u8,
    at: Timestamp,
) -> Result<bool, sqlx::Error> {
    let remaining = sqlx::query!(
        "select 1 as found from orders o
         where o.id in (select order_id from order_lines where draw_id = $1) and o.erased_at is null
           and not exists (
             select from order_lines l join draws d on d.id = l.draw_id
             where l.order_id = o.id
               and d.kick_off at time zone 'UTC' + make_interval(months => $2) > $3::timestamptz at time zone 'UTC')
         limit 1",
        draw.0,
        i32::from(months),
        to_column_time(at)
    )
    .fetch_optional(&mut *connection)
    .await?;
    if remaining.is_none() {
        sqlx::query!(
            "update draws set erased_at = $2 where id = $1",
            draw.0,
            to_column_time(at)
        )
        .execute(connection)
        .await?;
    }
    Ok(remaining.is_none())
}
