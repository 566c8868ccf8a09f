//! SQL statements for the status of a refund at the payment provider, and its consequences.

use domain::{OrderId, ProviderRefund, RefundStatus, Timestamp};
use sqlx::postgres::{PgConnection, PgPool};
use uuid::Uuid;

use super::{codec, instant};
use crate::error::Failure;

/// A refund as it is stored. All fields are `None` before the provider accepted the refund.
#[expect(clippy::struct_field_names, reason = "named as the columns")]
struct StoredRefund {
    provider_refund_id: Option<String>,
    provider_status: Option<String>,
    provider_reason: Option<String>,
}

/// Stores the provider's status of an order's refund. Returns whether it was new.
pub(super) async fn record(
    connection: &mut PgConnection,
    order: OrderId,
    refund: &ProviderRefund,
    at: Timestamp,
) -> Result<bool, Failure> {
    let order = codec::order_uuid(order);
    // The operation is locked before the refund, as by the writes that end an operation.
    let operation = sqlx::query!(
        "select id, state from payment_ops where order_id = $1 and kind = 'refund' order by id for update",
        order
    )
    .fetch_optional(&mut *connection)
    .await
    .map_err(Failure::from_error_before_commit)?;
    let stored = sqlx::query_as!(
        StoredRefund,
        "select provider_refund_id, provider_status, provider_reason from refunds where order_id = $1 for update",
        order
    )
    .fetch_optional(&mut *connection)
    .await
    .map_err(Failure::from_error_before_commit)?;
    let (Some(operation), Some(stored)) = (operation, stored) else {
        return Ok(false);
    };
    if !replaces(&stored, refund) {
        return Ok(false);
    }
    let status = refund.status;
    // The refund of a pending operation stays pending: its worker ends the operation.
    let has_ended = operation.state != "pending";
    let state = match (has_ended, status.failure()) {
        (true, Some(_)) => "failed",
        (true, None) if !status.is_pending() => "succeeded",
        _ => "pending",
    };
    sqlx::query!(
        "update refunds set provider_refund_id = $2, provider_status = $3, provider_reason = $4, state = $5,
           ended_at = case when $5 = 'pending' then null else transaction_instant() end
         where order_id = $1",
        order,
        refund.id,
        status.name(),
        status.reason_name(),
        state
    )
    .execute(&mut *connection)
    .await
    .map_err(Failure::from_error_before_commit)?;
    if has_ended {
        correct_ended_operation(connection, operation.id, status).await?;
    }
    queue_mails(connection, order, refund, at).await?;
    Ok(true)
}

/// Whether the provider's refund is news about the stored one, or a later refund after the stored
/// one failed.
fn replaces(stored: &StoredRefund, refund: &ProviderRefund) -> bool {
    let (Some(id), Some(status)) = (&stored.provider_refund_id, &stored.provider_status) else {
        return true;
    };
    let reason = stored.provider_reason.as_deref();
    let Some(before) = RefundStatus::from_names(status, reason, reason) else {
        return true;
    };
    if *id == refund.id {
        before.may_become(refund.status)
    } else {
        before.failure().is_some()
    }
}

/// Makes an ended operation say whether its money is refunded, and the payment's row with it.
async fn correct_ended_operation(
    connection: &mut PgConnection,
    operation: i64,
    status: RefundStatus,
) -> Result<(), Failure> {
    let (becomes, why) = match status.failure() {
        Some(failure) => ("failed", Some(failure.name())),
        None => ("done", None),
    };
    sqlx::query!(
        "with changed as (
           update payment_ops set state = $2, why = $3, ended_at = transaction_instant()
           where id = $1 and state in ('done', 'failed') and state <> $2 returning order_id, amount_cents
         )
         update payments p set amount_refunded_cents = p.amount_refunded_cents
           + case when $2 = 'done' then c.amount_cents else -c.amount_cents end
         from changed c where p.order_id = c.order_id",
        operation,
        becomes,
        why
    )
    .execute(connection)
    .await
    .map_err(Failure::from_error_before_commit)?;
    Ok(())
}

/// Queues the mails that a new status causes. Each is queued once.
async fn queue_mails(
    connection: &mut PgConnection,
    order: Uuid,
    refund: &ProviderRefund,
    at: Timestamp,
) -> Result<(), Failure> {
    let (kind, key) = match refund.status {
        RefundStatus::Pending(_) | RefundStatus::RequiresAction => {
            ("refund-pending", format!("refund-pending-{order}"))
        }
        RefundStatus::Succeeded => ("refunded", format!("refunded-{order}")),
        RefundStatus::Failed(_) | RefundStatus::Canceled => {
            ("refund-failed", format!("refund-failed-{}", refund.id))
        }
    };
    sqlx::query!(
        "insert into email_outbox (dedupe_key, kind, order_id, to_address, due_at)
         select $2, $3, id, buyer_email, $4 from orders where id = $1 and buyer_email is not null
         on conflict (dedupe_key) do nothing",
        order,
        key,
        kind,
        instant::to_stored_time(at)
    )
    .execute(&mut *connection)
    .await
    .map_err(Failure::from_error_before_commit)?;
    if refund.status.failure().is_none() {
        return Ok(());
    }
    sqlx::query!(
        "insert into email_outbox (dedupe_key, kind, order_id, to_address, due_at)
         select $2::text || '-' || a.id, 'refund-failed-operator', $1, a.email, $3 from admins a
         on conflict (dedupe_key) do nothing",
        order,
        key,
        instant::to_stored_time(at)
    )
    .execute(connection)
    .await
    .map_err(Failure::from_error_before_commit)?;
    Ok(())
}

/// Returns the orders whose refund the provider has accepted but not completed, oldest first.
pub(super) async fn orders_with_pending_refunds(
    pool: &PgPool,
    limit: u32,
) -> Result<Vec<OrderId>, Failure> {
    let orders = sqlx::query_scalar!(
        "select order_id from refunds where state = 'pending' and provider_status is not null order by id limit $1",
        i64::from(limit)
    )
    .fetch_all(pool)
    .await
    .map_err(Failure::from_read_error)?;
    Ok(orders
        .into_iter()
        .map(|order| OrderId(order.as_u128()))
        .collect())
}
