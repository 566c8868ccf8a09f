//! Application fees on their way back: what a draw's orders hold more than its ledger says is due goes back from those that
//! were captured, as fee refunds (decision D-3).

use domain::DrawId;
use sqlx::Row;
use sqlx::postgres::{PgConnection, PgPool, PgRow};
use uuid::Uuid;

use super::endings;
use crate::error::Failure;

/// Draws with a fee that has still to go back.
pub(super) async fn owing(pool: &PgPool) -> Result<Vec<DrawId>, Failure> {
    let ids: Vec<i64> =
        sqlx::query_scalar("select id from draws where fee_to_return_cents > 0 order by id")
            .fetch_all(pool)
            .await
            .map_err(Failure::from_read)?;
    Ok(ids.into_iter().map(DrawId).collect())
}

/// A captured line that still holds a part of its draw's fee.
struct Carrier {
    line: i64,
    order: Uuid,
    holds: i64,
}

/// Queues fee refunds for as much as captured orders of the draw can give; the rest waits for captures in flight. The draw's
/// row is locked first, like in a commit.
pub(super) async fn give_back(connection: &mut PgConnection, draw: DrawId) -> Result<(), Failure> {
    let owed: Option<i64> =
        sqlx::query_scalar("select fee_to_return_cents from draws where id = $1 for update")
            .bind(draw.0)
            .fetch_optional(&mut *connection)
            .await
            .map_err(Failure::before_commit)?;
    let mut left = owed.ok_or(Failure::NotFound)?;
    if left == 0 {
        return Ok(());
    }
    for carrier in carriers(connection, draw).await? {
        let part = carrier.holds.min(left);
        if part > 0 {
            take(connection, draw, &carrier, part).await?;
            left -= part;
        }
    }
    Ok(())
}

/// Refunded orders first, then by age, locked.
async fn carriers(connection: &mut PgConnection, draw: DrawId) -> Result<Vec<Carrier>, Failure> {
    let rows = sqlx::query(
        "select l.id, o.id, l.application_fee_cents - l.fee_refunded_cents
         from order_lines l join orders o on o.id = l.order_id
         where l.draw_id = $1 and o.captured_at is not null and l.application_fee_cents > l.fee_refunded_cents
         order by (o.state = 'void') desc, o.captured_at, o.id
         for update of o",
    )
    .bind(draw.0)
    .fetch_all(connection)
    .await
    .map_err(Failure::before_commit)?;
    let read = |row: &PgRow| {
        Ok(Carrier {
            line: row.try_get(0)?,
            order: row.try_get(1)?,
            holds: row.try_get(2)?,
        })
    };
    rows.iter()
        .map(|row| read(row).map_err(Failure::before_commit))
        .collect()
}

async fn take(
    connection: &mut PgConnection,
    draw: DrawId,
    carrier: &Carrier,
    part: i64,
) -> Result<(), Failure> {
    let refunded: i64 = sqlx::query_scalar(
        "with line as (
           update order_lines set fee_refunded_cents = fee_refunded_cents + $3 where id = $2 returning fee_refunded_cents
         ), whole as (
           update orders set fee_refunded_cents = fee_refunded_cents + $3 where id = $4
         ), owed as (
           update draws set fee_to_return_cents = fee_to_return_cents - $3 where id = $1
         )
         select fee_refunded_cents from line",
    )
    .bind(draw.0)
    .bind(carrier.line)
    .bind(part)
    .bind(carrier.order)
    .fetch_one(&mut *connection)
    .await
    .map_err(Failure::before_commit)?;
    // The line's total only grows, so no two of its refunds share a key.
    let key = format!("fee-{}-{draw}-{refunded}", carrier.order);
    endings::queue(connection, carrier.order, "fee_refund", key, part).await
}
