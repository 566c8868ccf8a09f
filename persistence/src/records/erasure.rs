//! Buyers are forgotten in time (decision F-8): who somebody was goes some months after the game; that tickets were sold, for
//! how much, and to whose account, stays.
//!
//! Orders are the payment engine's, but only finished ones are touched, of games long over, and nothing of them that it decides
//! by. Every row is locked before it is read, and a draw that another node works on is passed by, so any number of nodes may do
//! it at once.

use domain::{DrawId, Timestamp};
use sqlx::{PgConnection, PgPool, query, query_as};
use uuid::Uuid;

use super::{Records, column};
use crate::Failure;

/// How long details are kept after the game, unless it is said otherwise (decision F-8).
pub const KEPT_MONTHS: u8 = 13;
/// What stands where a name was. Nobody's name may be empty while there is an address (decision F-2).
pub const ERASED_NAME: &str = "Details erased";
/// What stands where an address was, so that a sold ticket is a sold ticket in every view. Nothing is ever sent below `invalid`.
pub const ERASED_EMAIL: &str = "erased@invalid";
/// Orders of one transaction.
pub const AT_ONCE: i64 = 100;
/// What the keyed hash of an address is for.
const PURPOSE: &str = "buyer-email";

/// What one step did to one draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Erased {
    pub draw: DrawId,
    pub orders: u64,
    /// Nobody of this draw is left; `false`: more orders than one step takes, or one that somebody has still to see to.
    pub whole: bool,
}

impl Records {
    /// One step: the details of at most [`AT_ONCE`] orders of one draw after `after`, the first whose kick-off is `months` ago
    /// and of which something can be forgotten. A cart's go with its last game. `None`: there is no further such draw.
    ///
    /// # Errors
    /// The books could not be written; the step is begun anew the next time.
    pub async fn erase_buyers(
        &self,
        after: DrawId,
        months: u8,
        at: Timestamp,
    ) -> Result<Option<Erased>, Failure> {
        let postgres = self.postgres.clone();
        let hash = move |email: String| {
            postgres
                .sealer()
                .fingerprint(PURPOSE, &email.to_lowercase())
                .to_vec()
        };
        let work = async move |pool: PgPool| {
            let mut transaction = pool.begin().await?;
            let Some(draw) = due(&mut transaction, after, months, at).await? else {
                return Ok(None);
            };
            let found = finished(&mut transaction, draw, months, at).await?;
            let orders: Vec<Uuid> = found.iter().map(|(order, _)| *order).collect();
            let hashes: Vec<Option<Vec<u8>>> = found
                .into_iter()
                .map(|(_, email)| email.map(&hash))
                .collect();
            forget_orders(&mut transaction, &orders, &hashes, at).await?;
            forget_winner(&mut transaction, draw, at).await?;
            let whole = close(&mut transaction, draw, months, at).await?;
            transaction.commit().await?;
            Ok(Some(Erased {
                draw,
                orders: orders.len() as u64,
                whole,
            }))
        };
        self.write(work).await
    }

    /// By what an erased order's address is known again: the same for the same address in whatever case.
    pub(super) fn email_hash(&self, email: &str) -> Vec<u8> {
        self.postgres
            .sealer()
            .fingerprint(PURPOSE, &email.trim().to_lowercase())
            .to_vec()
    }
}

/// Orders of a draw that still name somebody, and whose every game was so many months ago; the draw is said in SQL. Binds
/// months as `$2` and now as `$3`.
macro_rules! still_named {
    ($draw:literal) => {
        concat!(
            " from orders o
          where o.id in (select order_id from order_lines where draw_id = ",
            $draw,
            ") and o.erased_at is null
            and not exists (
              select from order_lines l join draws d on d.id = l.draw_id
              where l.order_id = o.id and d.kick_off at time zone 'UTC' + make_interval(months => $2) > $3 at time zone 'UTC')"
        )
    };
}

/// Locks the next draw that is due and of which something can be forgotten: those whose every order still waits for somebody
/// would else be looked at for ever, before the others. Months are the calendar's, in UTC; the condition on `kick_off` alone is
/// there for the index.
async fn due(
    connection: &mut PgConnection,
    after: DrawId,
    months: u8,
    at: Timestamp,
) -> Result<Option<DrawId>, sqlx::Error> {
    let id: Option<(i64,)> = query_as(concat!(
        "select id from draws due
         where erased_at is null and id > $1 and kick_off <= $3 - make_interval(days => $2 * 28)
           and kick_off at time zone 'UTC' + make_interval(months => $2) <= $3 at time zone 'UTC'
           and (exists (select",
        still_named!("due.id"),
        " and not o.unfinished) or not exists (select",
        still_named!("due.id"),
        "))
         order by id limit 1 for update skip locked"
    ))
    .bind(after.0)
    .bind(i32::from(months))
    .bind(column(at))
    .fetch_optional(connection)
    .await?;
    Ok(id.map(|(id,)| DrawId(id)))
}

/// Orders of the draw that still name somebody, that nobody has to see to any more, and whose every game is as long ago.
async fn finished(
    connection: &mut PgConnection,
    draw: DrawId,
    months: u8,
    at: Timestamp,
) -> Result<Vec<(Uuid, Option<String>)>, sqlx::Error> {
    query_as(concat!(
        "select o.id, o.buyer_email",
        still_named!("$1"),
        " and not o.unfinished order by o.id limit $4 for update of o"
    ))
    .bind(draw.0)
    .bind(i32::from(months))
    .bind(column(at))
    .bind(AT_ONCE)
    .fetch_all(connection)
    .await
}

async fn forget_orders(
    connection: &mut PgConnection,
    orders: &[Uuid],
    hashes: &[Option<Vec<u8>>],
    at: Timestamp,
) -> Result<(), sqlx::Error> {
    // What an operator wrote of a refund or an anomaly may name anybody. The provider's notices name the payer; a mail's
    // numbers stay, because a result that is taken back looks for its mails by them.
    for statement in [
        "update orders o set reason = $2 from refunds r
         where r.order_id = o.id and o.id = any($1) and o.reason is not null",
        "update refunds set reason = $2 where order_id = any($1)",
        "update anomalies set resolution = $2 where order_id = any($1) and resolved_by is not null",
    ] {
        query(statement)
            .bind(orders)
            .bind(ERASED_NAME)
            .execute(&mut *connection)
            .await?;
    }
    query(
        "update webhook_events w set payload = '{}' from orders o
         where o.id = any($1) and w.payment_intent_id = o.payment_intent_id and w.handled_at is not null",
    )
    .bind(orders)
    .execute(&mut *connection)
    .await?;
    query(
        "update email_outbox set to_address = case when to_address is null then null else $2 end, why = null,
           data = (select coalesce(jsonb_object_agg(key, value), '{}') from jsonb_each(data::jsonb)
                   where jsonb_typeof(value) = 'number')::text
         where order_id = any($1)",
    )
    .bind(orders)
    .bind(ERASED_EMAIL)
    .execute(&mut *connection)
    .await?;
    query(
        "update orders o set buyer_name = case when o.buyer_email is null then null else $3 end,
           buyer_email = case when o.buyer_email is null then null else $4 end,
           buyer_phone = null, consent_ip = null, buyer_email_hash = e.hash, erased_at = $5
         from unnest($1::uuid[], $2::bytea[]) as e (id, hash) where o.id = e.id",
    )
    .bind(orders)
    .bind(hashes)
    .bind(ERASED_NAME)
    .bind(ERASED_EMAIL)
    .bind(column(at))
    .execute(connection)
    .await?;
    Ok(())
}

/// Whom the prize went to, and where to: bank details themselves go by the bank's login (`purge_claims`).
async fn forget_winner(
    connection: &mut PgConnection,
    draw: DrawId,
    at: Timestamp,
) -> Result<(), sqlx::Error> {
    query(
        "update payouts set recipient_name = $2, recipient_email = $3, note = null, failure_reason = null
         where draw_id = $1 and type = 'winner'",
    )
    .bind(draw.0)
    .bind(ERASED_NAME)
    .bind(ERASED_EMAIL)
    .execute(&mut *connection)
    .await?;
    query("update winner_claims set erased_at = $2 where draw_id = $1 and erased_at is null")
        .bind(draw.0)
        .bind(column(at))
        .execute(connection)
        .await?;
    Ok(())
}

/// Says that the draw names nobody any more, if so. A cart with a later game is that game's to forget.
async fn close(
    connection: &mut PgConnection,
    draw: DrawId,
    months: u8,
    at: Timestamp,
) -> Result<bool, sqlx::Error> {
    let left: Option<(i32,)> = query_as(concat!("select 1", still_named!("$1"), " limit 1"))
        .bind(draw.0)
        .bind(i32::from(months))
        .bind(column(at))
        .fetch_optional(&mut *connection)
        .await?;
    if left.is_none() {
        query("update draws set erased_at = $2 where id = $1")
            .bind(draw.0)
            .bind(column(at))
            .execute(connection)
            .await?;
    }
    Ok(left.is_none())
}
