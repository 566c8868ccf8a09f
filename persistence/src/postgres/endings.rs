//! How an order is refused, released, made void, refunded: the turns that happen once in its life, one transaction each.

use domain::{Cents, OrderId, Timestamp};
use sqlx::postgres::PgConnection;
use uuid::Uuid;

use super::orders::{cannot, lock};
use super::{instant, outbox, words};
use crate::books::{FAST_PATH_MS, Tell};
use crate::error::Failure;

/// An order's way out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    Released,
    Void,
}

pub(super) async fn reject(
    connection: &mut PgConnection,
    order: OrderId,
    reason: &str,
    at: Timestamp,
) -> Result<(), Failure> {
    let found = lock(connection, order).await?;
    match found.state.as_str() {
        "quoted" | "rejecting" => {}
        "released" | "void" => return Ok(()),
        other => return Err(cannot(other, "rejected")),
    }
    sqlx::query(
        "update orders set state = 'rejecting', reason = coalesce(reason, $2) where id = $1",
    )
    .bind(words::uuid(order))
    .bind(reason)
    .execute(&mut *connection)
    .await
    .map_err(Failure::before_commit)?;
    drop_pending(connection, order, &["create", "update", "capture"]).await?;
    sqlx::query(
        "insert into payment_ops (order_id, kind, key, due_at) values ($1, 'cancel', 'cancel-' || $1, $2)
         on conflict (key) do update set state = 'pending', attempts = 0, due_at = excluded.due_at, ended_at = null
           where payment_ops.state in ('dropped', 'failed')",
    )
    .bind(words::uuid(order))
    .bind(instant::stored(at.plus_ms(FAST_PATH_MS)))
    .execute(connection)
    .await
    .map_err(Failure::before_commit)?;
    Ok(())
}

pub(super) async fn end(
    connection: &mut PgConnection,
    order: OrderId,
    ending: Ending,
    reason: &str,
    tell: Tell,
    at: Timestamp,
) -> Result<(), Failure> {
    let found = lock(connection, order).await?;
    let may = match (found.state.as_str(), ending) {
        ("void", _) | ("released", Ending::Released) => return Ok(()),
        ("quoted" | "rejecting", Ending::Released) | (_, Ending::Void) => {
            found.lines_allocated == 0
        }
        _ => false,
    };
    if !may {
        return Err(cannot(&found.state, ending.word()));
    }
    write_ending(connection, order, ending, reason, Some(at)).await?;
    match tell {
        Tell::Nobody => Ok(()),
        Tell::Buyer => outbox::not_charged(connection, order).await,
    }
}

/// The money goes back; which fees do is for the draws (`fees::give_back`), if they know of any.
pub(super) async fn refund(
    connection: &mut PgConnection,
    order: OrderId,
    amount: Cents,
    fee: Cents,
    reason: &str,
) -> Result<(), Failure> {
    let found = lock(connection, order).await?;
    let new = sqlx::query(
        "insert into refunds (order_id, amount_cents, fee_cents, reason) values ($1, $2, $3, $4)
         on conflict (order_id) do nothing",
    )
    .bind(words::uuid(order))
    .bind(amount.0)
    .bind(fee.0)
    .bind(reason)
    .execute(&mut *connection)
    .await
    .map_err(Failure::before_commit)?;
    if new.rows_affected() == 0 {
        return Ok(());
    }
    if found.lines_allocated > 0 {
        return Err(cannot(&found.state, "refunded while it has tickets"));
    }
    queue(
        connection,
        words::uuid(order),
        "refund",
        format!("refund-{order}"),
        amount.0,
    )
    .await?;
    if found.state == "captured" {
        write_ending(connection, order, Ending::Void, reason, None).await?;
    } else if fee > Cents::ZERO {
        queue(
            connection,
            words::uuid(order),
            "fee_refund",
            format!("fee-{order}"),
            fee.0,
        )
        .await?;
    }
    Ok(())
}

impl Ending {
    fn word(self) -> &'static str {
        match self {
            Ending::Released => "released",
            Ending::Void => "void",
        }
    }
}

/// The order is over; what was still to be done outside for it is not needed any more.
async fn write_ending(
    connection: &mut PgConnection,
    order: OrderId,
    ending: Ending,
    reason: &str,
    at: Option<Timestamp>,
) -> Result<(), Failure> {
    sqlx::query(
        "update orders set state = $2, reason = coalesce(reason, $3), ended_at = coalesce($4, now()) where id = $1",
    )
    .bind(words::uuid(order))
    .bind(ending.word())
    .bind(reason)
    .bind(at.map(instant::stored))
    .execute(&mut *connection)
    .await
    .map_err(Failure::before_commit)?;
    drop_pending(
        connection,
        order,
        &["create", "update", "capture", "cancel"],
    )
    .await
}

async fn drop_pending(
    connection: &mut PgConnection,
    order: OrderId,
    kinds: &[&str],
) -> Result<(), Failure> {
    sqlx::query(
        "update payment_ops set state = 'dropped', ended_at = now()
         where order_id = $1 and kind = any($2) and state = 'pending'",
    )
    .bind(words::uuid(order))
    .bind(kinds)
    .execute(connection)
    .await
    .map_err(Failure::before_commit)?;
    Ok(())
}

pub(super) async fn queue(
    connection: &mut PgConnection,
    order: Uuid,
    kind: &str,
    key: String,
    amount: i64,
) -> Result<(), Failure> {
    sqlx::query(
        "insert into payment_ops (order_id, kind, key, amount_cents) values ($1, $2, $3, $4)",
    )
    .bind(order)
    .bind(kind)
    .bind(key)
    .bind(amount)
    .execute(connection)
    .await
    .map_err(Failure::before_commit)?;
    Ok(())
}
