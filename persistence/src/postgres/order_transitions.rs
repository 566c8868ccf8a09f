//! State transitions that happen at most once for each order: refuse, release, void, refund. Each
//! transition is one transaction. [`OrderTransition`] decides whether it is allowed.

use domain::{Cents, OrderId, OrderState, OrderTransition, Timestamp};
use sqlx::postgres::PgConnection;
use uuid::Uuid;

use super::orders::lock_order;
use super::{codec, instant, outbox};
use crate::error::Failure;
use crate::stores::{FAST_PATH_EXCLUSIVE_MS, NotifyBuyer};

/// A state in which an order ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FinalState {
    Released,
    Void,
}

impl FinalState {
    fn state(self) -> OrderState {
        match self {
            FinalState::Released => OrderState::Released,
            FinalState::Void => OrderState::Void,
        }
    }

    fn transition(self) -> OrderTransition {
        match self {
            FinalState::Released => OrderTransition::Release,
            FinalState::Void => OrderTransition::Void,
        }
    }
}

pub(super) async fn reject_order(
    connection: &mut PgConnection,
    order: OrderId,
    reason: &str,
    at: Timestamp,
) -> Result<(), Failure> {
    let locked = lock_order(connection, order).await?;
    if !locked.check_transition(OrderTransition::Reject)? {
        return Ok(());
    }
    sqlx::query!(
        "update orders set state = 'rejecting', reason = coalesce(reason, $2) where id = $1",
        codec::order_uuid(order),
        reason
    )
    .execute(&mut *connection)
    .await
    .map_err(Failure::from_error_before_commit)?;
    drop_pending_operations(connection, order, &["create", "update", "capture"]).await?;
    sqlx::query!(
        "insert into payment_ops (order_id, kind, key, due_at) values ($1, 'cancel', 'cancel-' || $1::uuid, $2)
         on conflict (key) do update set state = 'pending', attempts = 0, due_at = excluded.due_at, ended_at = null
           where payment_ops.state in ('dropped', 'failed')",
        codec::order_uuid(order),
        instant::to_stored_time(at.plus_ms(FAST_PATH_EXCLUSIVE_MS))
    )
    .execute(connection)
    .await
    .map_err(Failure::from_error_before_commit)?;
    Ok(())
}

pub(super) async fn end_order(
    connection: &mut PgConnection,
    order: OrderId,
    becomes: FinalState,
    reason: &str,
    tell: NotifyBuyer,
    at: Timestamp,
) -> Result<(), Failure> {
    let locked = lock_order(connection, order).await?;
    if !locked.check_transition(becomes.transition())? {
        return Ok(());
    }
    write_final_state(connection, order, becomes, reason, Some(at)).await?;
    match tell {
        NotifyBuyer::Nobody => Ok(()),
        NotifyBuyer::Buyer => outbox::queue_not_charged_mail(connection, order).await,
    }
}

/// Queues the refund and voids the order in one transaction. With two transactions, another node
/// could give tickets to the order between them.
///
/// For a captured order, [`super::fees::queue_fee_refunds_of_draw`] decides which fee is refunded.
/// For an order that was never captured, this function queues a fee refund of `fee`.
pub(super) async fn queue_refund_and_void_order(
    connection: &mut PgConnection,
    order: OrderId,
    amount: Cents,
    fee: Cents,
    reason: &str,
) -> Result<(), Failure> {
    let locked = lock_order(connection, order).await?;
    let inserted = sqlx::query!(
        "insert into refunds (order_id, amount_cents, fee_cents, reason) values ($1, $2, $3, $4)
         on conflict (order_id) do nothing",
        codec::order_uuid(order),
        amount.0,
        fee.0,
        reason
    )
    .execute(&mut *connection)
    .await
    .map_err(Failure::from_error_before_commit)?;
    if inserted.rows_affected() == 0 {
        return Ok(());
    }
    let is_open = locked.check_transition(OrderTransition::Refund)?;
    queue_refund_operation(
        connection,
        codec::order_uuid(order),
        "refund",
        format!("refund-{order}"),
        amount.0,
    )
    .await?;
    if locked.state != OrderState::Captured && fee > Cents::ZERO {
        queue_refund_operation(
            connection,
            codec::order_uuid(order),
            "fee_refund",
            format!("fee-{order}"),
            fee.0,
        )
        .await?;
    }
    if is_open {
        write_final_state(connection, order, FinalState::Void, reason, None).await?;
    }
    Ok(())
}

/// Writes the order's final state, and drops all its pending operations. `at` is the time at which
/// the order ended. `None` means the time of the transaction.
async fn write_final_state(
    connection: &mut PgConnection,
    order: OrderId,
    becomes: FinalState,
    reason: &str,
    at: Option<Timestamp>,
) -> Result<(), Failure> {
    sqlx::query!(
        "update orders set state = $2, reason = coalesce(reason, $3), ended_at = coalesce($4, transaction_instant()) where id = $1",
        codec::order_uuid(order),
        becomes.state().name(),
        reason,
        at.map(instant::to_stored_time)
    )
    .execute(&mut *connection)
    .await
    .map_err(Failure::from_error_before_commit)?;
    drop_pending_operations(
        connection,
        order,
        &["create", "update", "capture", "cancel"],
    )
    .await
}

async fn drop_pending_operations(
    connection: &mut PgConnection,
    order: OrderId,
    kinds: &[&str],
) -> Result<(), Failure> {
    sqlx::query!(
        "update payment_ops set state = 'dropped', ended_at = transaction_instant()
         where order_id = $1 and kind = any($2) and state = 'pending'",
        codec::order_uuid(order),
        kinds as _
    )
    .execute(connection)
    .await
    .map_err(Failure::from_error_before_commit)?;
    Ok(())
}

/// Queues a payment operation that refunds a payment or an application fee.
pub(super) async fn queue_refund_operation(
    connection: &mut PgConnection,
    order: Uuid,
    kind: &str,
    key: String,
    amount: i64,
) -> Result<(), Failure> {
    sqlx::query!(
        "insert into payment_ops (order_id, kind, key, amount_cents) values ($1, $2, $3, $4)",
        order,
        kind,
        key,
        amount
    )
    .execute(connection)
    .await
    .map_err(Failure::from_error_before_commit)?;
    Ok(())
}

/// Some SQL statements change many orders at once and check the orders' states in SQL. These tests
/// compare the states in that SQL with the domain's transition table.
#[cfg(test)]
mod tests {
    use domain::{OrderState, OrderTransition, TransitionDecision};

    const ALLOCATE_TICKETS_SQL: &str = include_str!("allocate_tickets.sql");
    const RECORD_INTENT_OR_CAPTURE_SQL: &str = include_str!("record_intent_or_capture.sql");

    /// Returns the names of the states in which a transition is allowed, quoted for SQL.
    fn states_allowing(transition: OrderTransition) -> Vec<String> {
        OrderState::ALL
            .into_iter()
            .filter(|state| transition.decide(*state, false) == TransitionDecision::Allowed)
            .map(|state| format!("'{state}'"))
            .collect()
    }

    #[test]
    fn allocate_sql_accepts_states_that_may_allocate() {
        let sale = states_allowing(OrderTransition::Allocate { is_sale: true });
        let mut repair = states_allowing(OrderTransition::Allocate { is_sale: false });
        assert!(sale.iter().all(|state| repair.contains(state)));
        repair.retain(|state| !sale.contains(state));
        let condition = format!(
            "(o.state = {} or (not a.sells and o.state in ({})))",
            sale.join(", "),
            repair.join(", ")
        );
        assert!(ALLOCATE_TICKETS_SQL.contains(&condition), "{condition}");
    }

    #[test]
    fn capture_sql_accepts_states_that_may_capture() {
        let capture = OrderTransition::Capture {
            was_captured: false,
        };
        let condition = format!(
            "when a.captured is not null then o.state = {}\n",
            states_allowing(capture).join(", ")
        );
        assert!(
            RECORD_INTENT_OR_CAPTURE_SQL.contains(&condition),
            "{condition}"
        );
    }
}
