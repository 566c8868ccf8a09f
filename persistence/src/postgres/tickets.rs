//! Gives tickets to orders and takes tickets back. The same SQL statements write the order line's
//! serials and fee, the order's state, and the operation that captures or cancels the payment.

use sqlx::postgres::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::ledger::PreparedCommit;
use super::writer::TransactionError;
use super::{codec, instant};
use crate::change::TicketChange;
use crate::error::Failure;
use crate::stores::FAST_PATH_EXCLUSIVE_MS;

/// A ticket change, and the draw's commit that contains it.
struct CommittedTicketChange<'a> {
    commit: &'a PreparedCommit,
    ticket_change: &'a TicketChange,
}

fn ticket_changes_of_commits<'a>(
    commits: &[&'a PreparedCommit],
    which: fn(&PreparedCommit) -> &[TicketChange],
) -> Vec<CommittedTicketChange<'a>> {
    commits
        .iter()
        .copied()
        .flat_map(|commit| {
            which(commit)
                .iter()
                .map(move |ticket_change| CommittedTicketChange {
                    commit,
                    ticket_change,
                })
        })
        .collect()
}

fn refuse_as_not_found<T>() -> Result<T, TransactionError> {
    Err(TransactionError::Refused(Failure::NotFound))
}

/// Gives tickets to order lines. When all lines of an order have tickets, the order becomes
/// `allocated` and its capture is queued.
pub(super) async fn allocate_tickets(
    connection: &mut PgConnection,
    commits: &[&PreparedCommit],
) -> Result<(), TransactionError> {
    let moves = ticket_changes_of_commits(commits, |commit| &commit.change.allocated);
    if moves.is_empty() {
        return Ok(());
    }
    write_allocations(connection, &moves).await?;
    let repaired = moves.iter().filter(|moves| !moves.commit.append.sells);
    let repaired: Vec<Uuid> = repaired
        .map(|moves| codec::order_uuid(moves.ticket_change.order))
        .collect();
    if repaired.is_empty() {
        Ok(())
    } else {
        drop_pending_operations(connection, &repaired, "cancel").await
    }
}

/// Writes tickets to their order lines.
///
/// The statement locks the order's row and counts the order's lines that have tickets, so exactly
/// one commit completes the order. That commit sets the state `allocated` and queues the capture. A
/// sale needs a `quoted` order. A repair also accepts a refused order, which becomes `quoted` until
/// it has all its tickets. A single statement saves round trips.
async fn write_allocations(
    connection: &mut PgConnection,
    moves: &[CommittedTicketChange<'_>],
) -> Result<(), TransactionError> {
    let (mut draws, mut orders, mut serials, mut fees, mut epochs) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut at, mut sells) = (Vec::new(), Vec::new());
    let mut authorised: Vec<Option<OffsetDateTime>> = Vec::new();
    for CommittedTicketChange {
        commit,
        ticket_change,
    } in moves
    {
        draws.push(commit.append.draw.0);
        orders.push(codec::order_uuid(ticket_change.order));
        // The serials of each line are joined to one text, because Postgres accepts only
        // rectangular arrays of arrays.
        let numbers: Vec<String> = ticket_change
            .serials
            .iter()
            .map(|serial| serial.number().to_string())
            .collect();
        serials.push(format!("{{{}}}", numbers.join(",")));
        fees.push(ticket_change.step.fee_delta.0);
        epochs.push(commit.append.epoch);
        at.push(instant::to_stored_time(commit.append.at));
        sells.push(commit.append.sells);
        authorised.push(
            commit
                .authorised_at(ticket_change.order)
                .map(instant::to_stored_time),
        );
    }
    let distinct: std::collections::BTreeSet<&Uuid> = orders.iter().collect();
    let distinct = distinct.len() as i64;
    let updated = sqlx::query_file!(
        "src/postgres/allocate_tickets.sql",
        &draws[..],
        &orders[..],
        &serials[..],
        &fees[..],
        &epochs[..],
        &at[..],
        &sells[..],
        &authorised as _,
        FAST_PATH_EXCLUSIVE_MS as f64
    )
    .fetch_one(connection)
    .await?;
    if (updated.lines, updated.orders) == (moves.len() as i64, distinct) {
        Ok(())
    } else {
        refuse_as_not_found()
    }
}

/// Orders that have just become `rejecting`, with the time of the change.
#[derive(Default)]
struct RejectedOrders {
    orders: Vec<Uuid>,
    at: Vec<OffsetDateTime>,
}

/// Takes tickets back. Drops pending captures. Orders that were `allocated` become `rejecting`.
pub(super) async fn void_tickets(
    connection: &mut PgConnection,
    commits: &[&PreparedCommit],
) -> Result<(), TransactionError> {
    let moves = ticket_changes_of_commits(commits, |commit| &commit.change.voided);
    if moves.is_empty() {
        return Ok(());
    }
    let (mut draws, mut orders) = (Vec::new(), Vec::new());
    for CommittedTicketChange {
        commit,
        ticket_change,
    } in &moves
    {
        draws.push(commit.append.draw.0);
        orders.push(codec::order_uuid(ticket_change.order));
    }
    delete_tickets(connection, &moves).await?;
    let rejected = decrement_allocated_lines(connection, &draws, &orders, &moves).await?;
    let lines = sqlx::query!(
        "update order_lines l set
           serials = null,
           application_fee_cents = case when o.captured_at is null then 0 else l.application_fee_cents end
         from unnest($1::bigint[], $2::uuid[]) as a (draw_id, order_id) join orders o on o.id = a.order_id
         where l.order_id = a.order_id and l.draw_id = a.draw_id",
        &draws[..],
        &orders[..]
    )
    .execute(&mut *connection)
    .await?;
    if lines.rows_affected() != moves.len() as u64 {
        return refuse_as_not_found();
    }
    drop_pending_operations(connection, &orders, "capture").await?;
    queue_cancellations(connection, &rejected).await
}

async fn delete_tickets(
    connection: &mut PgConnection,
    moves: &[CommittedTicketChange<'_>],
) -> Result<(), TransactionError> {
    let (mut draws, mut serials, mut orders) = (Vec::new(), Vec::new(), Vec::new());
    for CommittedTicketChange {
        commit,
        ticket_change,
    } in moves
    {
        for serial in &ticket_change.serials {
            draws.push(commit.append.draw.0);
            serials.push(serial.number().cast_signed());
            orders.push(codec::order_uuid(ticket_change.order));
        }
    }
    let ticket_count = serials.len() as u64;
    let deleted = sqlx::query!(
        "delete from tickets t
         using unnest($1::bigint[], $2::smallint[], $3::uuid[]) as a (draw_id, serial, order_id)
           join order_lines l on l.order_id = a.order_id and l.draw_id = a.draw_id
         where t.draw_id = a.draw_id and t.serial = a.serial and t.order_line_id = l.id",
        &draws[..],
        &serials[..],
        &orders[..]
    )
    .execute(&mut *connection)
    .await?;
    if deleted.rows_affected() != ticket_count {
        return refuse_as_not_found();
    }
    // Marks the serials as returned, because returned tickets are sold last (decision M-3).
    sqlx::query!(
        "update draws d set returned_serials =
           (select array_agg(distinct s order by s) from unnest(d.returned_serials || a.serials) as s)
         from (
           select draw_id, array_agg(serial) as serials from unnest($1::bigint[], $2::smallint[]) as v (draw_id, serial)
           group by draw_id
         ) a
         where d.id = a.draw_id",
        &draws[..],
        &serials[..]
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Decrements how many lines of each order have tickets, and returns the orders that became
/// `rejecting`. A captured order keeps its fee.
async fn decrement_allocated_lines(
    connection: &mut PgConnection,
    draws: &[i64],
    orders: &[Uuid],
    moves: &[CommittedTicketChange<'_>],
) -> Result<RejectedOrders, TransactionError> {
    let at: Vec<OffsetDateTime> = moves
        .iter()
        .map(|moved| instant::to_stored_time(moved.commit.append.at))
        .collect();
    let charged: Vec<bool> = moves
        .iter()
        .map(|moved| moved.ticket_change.charged)
        .collect();
    let distinct: std::collections::BTreeSet<&Uuid> = orders.iter().collect();
    let rows = sqlx::query!(
        r#"update orders o set
           lines_allocated = o.lines_allocated - a.lines,
           application_fee_cents = o.application_fee_cents - case when o.captured_at is null then a.fee else 0 end,
           state = case when o.state = 'allocated' then 'rejecting' else o.state end
         from (
           select l.order_id, count(*)::smallint as lines, sum(l.application_fee_cents)::bigint as fee, max(u.at) as at,
             bool_or(u.charged) as charged
           from unnest($1::bigint[], $2::uuid[], $3::timestamptz[], $4::boolean[]) as u (draw_id, order_id, at, charged)
             join order_lines l on l.order_id = u.order_id and l.draw_id = u.draw_id
           group by l.order_id
         ) a
         where o.id = a.order_id and (o.captured_at is not null) = a.charged
         returning o.id, o.state = 'rejecting' as "is_rejected!", a.at as "at!""#,
        draws,
        orders,
        &at[..],
        &charged[..]
    )
    .fetch_all(connection)
    .await?;
    // An order's state is not the one that the command assumed: the order was captured meanwhile,
    // or it was assumed to be captured and is not. The fee step would be wrong.
    if rows.len() != distinct.len() {
        return refuse_as_not_found();
    }
    let mut rejected = RejectedOrders::default();
    for row in rows {
        if row.is_rejected {
            rejected.orders.push(row.id);
            rejected.at.push(row.at);
        }
    }
    Ok(rejected)
}

async fn drop_pending_operations(
    connection: &mut PgConnection,
    orders: &[Uuid],
    kind: &str,
) -> Result<(), TransactionError> {
    sqlx::query!(
        "update payment_ops set state = 'dropped', ended_at = transaction_instant()
         where order_id = any($1) and kind = $2 and state = 'pending'",
        orders,
        kind
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Queues a `cancel` operation for each order. If the order has a `cancel` operation that was
/// dropped or failed, that operation becomes pending again.
async fn queue_cancellations(
    connection: &mut PgConnection,
    rejected: &RejectedOrders,
) -> Result<(), TransactionError> {
    if rejected.orders.is_empty() {
        return Ok(());
    }
    sqlx::query!(
        "insert into payment_ops (order_id, kind, key, due_at)
         select order_id, 'cancel', 'cancel-' || order_id, at + $3 * interval '1 millisecond'
         from unnest($1::uuid[], $2::timestamptz[]) as a (order_id, at)
         on conflict (key) do update set state = 'pending', attempts = 0, due_at = excluded.due_at, ended_at = null
           where payment_ops.state in ('dropped', 'failed')",
        &rejected.orders[..],
        &rejected.at[..],
        FAST_PATH_EXCLUSIVE_MS as f64
    )
    .execute(connection)
    .await?;
    Ok(())
}
