//! Refunds of the application fee. A draw's orders may hold more application fee than the draw's
//! fee ledger says is due, for example after a void. The excess is refunded from captured orders
//! (decision D-3).

use domain::{Cents, DrawId};
use sqlx::postgres::{PgConnection, PgPool};
use uuid::Uuid;

use super::order_transitions;
use crate::error::Failure;

/// Returns the draws that owe a refund of their application fee.
pub(super) async fn draws_owing_fee_refunds(pool: &PgPool) -> Result<Vec<DrawId>, Failure> {
    let ids = sqlx::query_scalar!("select id from draws where fee_to_return_cents > 0 order by id")
        .fetch_all(pool)
        .await
        .map_err(Failure::from_read_error)?;
    Ok(ids.into_iter().map(DrawId).collect())
}

/// A captured order line that holds a part of its draw's fee.
struct FeeHolder {
    line: i64,
    order: Uuid,
    holds: i64,
}

/// Queues the refunds of a draw's excess application fee, up to the fee that its captured orders
/// hold. A later call queues the rest, once the pending captures are done. Locks the draw's row
/// first, as every commit does.
pub(super) async fn queue_fee_refunds_of_draw(
    connection: &mut PgConnection,
    draw: DrawId,
) -> Result<(), Failure> {
    let to_return = sqlx::query_scalar!(
        "select fee_to_return_cents from draws where id = $1 for update",
        draw.0
    )
    .fetch_optional(&mut *connection)
    .await
    .map_err(Failure::from_error_before_commit)?;
    let mut left = to_return.ok_or(Failure::NotFound)?;
    if left == 0 {
        return Ok(());
    }
    for holder in lock_fee_holders(connection, draw).await? {
        let part = holder.holds.min(left);
        if part > 0 {
            queue_fee_refund(connection, draw, &holder, part).await?;
            left -= part;
        }
    }
    Ok(())
}

/// Returns the draw's captured order lines that hold application fee, and locks their orders.
/// Refunded orders come first, then the earliest captured.
async fn lock_fee_holders(
    connection: &mut PgConnection,
    draw: DrawId,
) -> Result<Vec<FeeHolder>, Failure> {
    sqlx::query_as!(
        FeeHolder,
        r#"select l.id as line, o.id as "order", l.application_fee_cents - l.fee_refunded_cents as "holds!"
         from order_lines l join orders o on o.id = l.order_id
         where l.draw_id = $1 and o.captured_at is not null and l.application_fee_cents > l.fee_refunded_cents
         order by (o.state = 'void') desc, o.captured_at, o.id
         for update of o"#,
        draw.0
    )
    .fetch_all(connection)
    .await
    .map_err(Failure::from_error_before_commit)
}

async fn queue_fee_refund(
    connection: &mut PgConnection,
    draw: DrawId,
    holder: &FeeHolder,
    part: i64,
) -> Result<(), Failure> {
    let refunded = sqlx::query_scalar!(
        "with line as (
           update order_lines set fee_refunded_cents = fee_refunded_cents + $3 where id = $2 returning fee_refunded_cents
         ), whole as (
           update orders set fee_refunded_cents = fee_refunded_cents + $3 where id = $4
         ), owed as (
           update draws set fee_to_return_cents = fee_to_return_cents - $3 where id = $1
         )
         select fee_refunded_cents from line",
        draw.0,
        holder.line,
        part,
        holder.order
    )
    .fetch_one(&mut *connection)
    .await
    .map_err(Failure::from_error_before_commit)?;
    // The key contains the line's refunded total, which only grows. So no two fee refunds of a line
    // have the same key.
    let key = format!("fee-{}-{draw}-{refunded}", holder.order);
    order_transitions::queue_refund_operation(connection, holder.order, "fee_refund", key, part)
        .await
}

/// Returns the application fee that voids took back from an order. It is the sum over the draws
/// whose last fee step for this order is a void.
pub(super) async fn fee_to_refund_for_voided_tickets(
    pool: &PgPool,
    order: Uuid,
) -> Result<Cents, Failure> {
    sqlx::query_scalar!(
        r#"select coalesce(sum(-s.fee_delta), 0)::bigint as "cents!"
         from order_lines l cross join lateral (
           select revenue_delta, fee_delta from fee_ledger f
           where f.draw_id = l.draw_id and f.order_id = l.order_id order by f.revision desc limit 1
         ) s
         where l.order_id = $1 and s.revenue_delta < 0"#,
        order
    )
    .fetch_one(pool)
    .await
    .map(Cents)
    .map_err(Failure::from_read_error)
}

/// Returns the sum of an order's fee refunds that are done.
pub(super) async fn fee_refunded_so_far(pool: &PgPool, order: Uuid) -> Result<Cents, Failure> {
    sqlx::query_scalar!(
        r#"select coalesce(sum(amount_cents), 0)::bigint as "cents!" from payment_ops
         where order_id = $1 and kind = 'fee_refund' and state = 'done'"#,
        order
    )
    .fetch_one(pool)
    .await
    .map(Cents)
    .map_err(Failure::from_read_error)
}
