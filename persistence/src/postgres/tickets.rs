//! Tickets on their way to an order and back, with everything that must happen in the same instant: the line's serials and
//! fee, the fee ledger's step, the order's state, and the operation that takes the money or must not.

use sqlx::Row;
use sqlx::postgres::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::group::Commit;
use super::writer::Trouble;
use super::{instant, words};
use crate::books::FAST_PATH_MS;
use crate::change::Handover;
use crate::error::Failure;

/// One handover and the commit it is part of.
struct Moved<'a> {
    commit: &'a Commit,
    handover: &'a Handover,
}

fn moved<'a>(commits: &[&'a Commit], which: fn(&Commit) -> &[Handover]) -> Vec<Moved<'a>> {
    commits
        .iter()
        .copied()
        .flat_map(|commit| {
            which(commit)
                .iter()
                .map(move |handover| Moved { commit, handover })
        })
        .collect()
}

fn guilty<T>() -> Result<T, Trouble> {
    Err(Trouble::Refused(Failure::NotFound))
}

/// Tickets go to their lines, and each order counts its lines under its own lock, so that exactly one commit finds itself the
/// last: then the order is allocated, and its capture is due. A sale is only for an order that is quoted; a repair also for one
/// that was refused, which is quoted again until it has all its tickets. One round trip: whatever is written by itself waits for
/// the database by itself.
const ALLOCATE: &str = "with line as (
       update order_lines l set serials = a.serials::smallint[], application_fee_cents = a.fee
       from unnest($1::bigint[], $2::uuid[], $3::text[], $4::bigint[], $5::bigint[]) as a (draw_id, order_id, serials, fee, epoch)
       where l.order_id = a.order_id and l.draw_id = a.draw_id and l.serials is null
         and l.count = cardinality(a.serials::smallint[])
       returning l.id, l.draw_id, l.serials, a.epoch
     ), given as (
       insert into tickets (draw_id, serial, order_line_id, epoch)
       select line.draw_id, s.serial, line.id, line.epoch
       from line cross join lateral unnest(line.serials) as s (serial)
     ), counted as (
       update orders o set
         lines_allocated = o.lines_allocated + a.lines,
         application_fee_cents = o.application_fee_cents + a.fee,
         state = case when o.lines_allocated + a.lines = o.lines then 'allocated' else 'quoted' end,
         authorised_at = coalesce(o.authorised_at, a.authorised),
         allocated_at = case when o.lines_allocated + a.lines = o.lines then a.at else o.allocated_at end,
         reason = case when o.lines_allocated + a.lines = o.lines then null else o.reason end,
         ended_at = null
       from (
         select order_id, count(*)::smallint as lines, sum(fee)::bigint as fee, max(at) as at, bool_or(sells) as sells,
           min(authorised) as authorised
         from unnest($2::uuid[], $4::bigint[], $6::timestamptz[], $7::boolean[], $8::timestamptz[])
           as u (order_id, fee, at, sells, authorised)
         group by order_id
       ) a
       where o.id = a.order_id
         and (o.state = 'quoted' or (not a.sells and o.state in ('rejecting', 'released', 'anomaly')))
       returning o.id, o.state = 'allocated' as complete, a.at
     ), due as (
       insert into payment_ops (order_id, kind, key, due_at)
       select id, 'capture', 'cap-' || id, at + $9 * interval '1 millisecond' from counted where complete
       on conflict (key) do update set state = 'pending', attempts = 0, due_at = excluded.due_at, ended_at = null
         where payment_ops.state in ('dropped', 'failed')
     )
     select (select count(*) from line), (select count(*) from counted)";

/// Gives tickets to order lines. An order whose last line this was is `allocated`, and its capture is due.
pub(super) async fn allocate(
    connection: &mut PgConnection,
    commits: &[&Commit],
) -> Result<(), Trouble> {
    let given = moved(commits, |commit| &commit.change.allocated);
    if given.is_empty() {
        return Ok(());
    }
    hand_over(connection, &given).await?;
    let repaired = given.iter().filter(|given| !given.commit.append.sells);
    let repaired: Vec<Uuid> = repaired
        .map(|given| words::uuid(given.handover.order))
        .collect();
    if repaired.is_empty() {
        Ok(())
    } else {
        drop_pending(connection, &repaired, "cancel").await
    }
}

async fn hand_over(connection: &mut PgConnection, given: &[Moved<'_>]) -> Result<(), Trouble> {
    let (mut draws, mut orders, mut serials, mut fees, mut epochs) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut at, mut sells, mut authorised) = (Vec::new(), Vec::new(), Vec::new());
    for Moved { commit, handover } in given {
        draws.push(commit.append.draw.0);
        orders.push(words::uuid(handover.order));
        // Arrays of arrays must be rectangular; text may be ragged.
        let numbers: Vec<String> = handover
            .serials
            .iter()
            .map(|serial| serial.number().to_string())
            .collect();
        serials.push(format!("{{{}}}", numbers.join(",")));
        fees.push(handover.step.fee_delta.0);
        epochs.push(commit.append.epoch);
        at.push(instant::stored(commit.append.at));
        sells.push(commit.append.sells);
        authorised.push(commit.authorised(handover.order).map(instant::stored));
    }
    let distinct: std::collections::BTreeSet<&Uuid> = orders.iter().collect();
    let distinct = distinct.len() as i64;
    let query = sqlx::query_as(ALLOCATE)
        .bind(draws)
        .bind(&orders)
        .bind(serials)
        .bind(fees)
        .bind(epochs);
    let query = query
        .bind(at)
        .bind(sells)
        .bind(authorised)
        .bind(FAST_PATH_MS as f64);
    let done: (i64, i64) = query.fetch_one(connection).await?;
    if done == (given.len() as i64, distinct) {
        Ok(())
    } else {
        guilty()
    }
}

/// Orders that something has become of, and when.
#[derive(Default)]
struct Reached {
    orders: Vec<Uuid>,
    at: Vec<OffsetDateTime>,
}

/// Takes tickets back. Nothing may be captured for them any more; an order that was allocated is now being refused.
pub(super) async fn void(
    connection: &mut PgConnection,
    commits: &[&Commit],
) -> Result<(), Trouble> {
    let taken = moved(commits, |commit| &commit.change.voided);
    if taken.is_empty() {
        return Ok(());
    }
    let (mut draws, mut orders) = (Vec::new(), Vec::new());
    for Moved { commit, handover } in &taken {
        draws.push(commit.append.draw.0);
        orders.push(words::uuid(handover.order));
    }
    take_back(connection, &taken).await?;
    let refused = uncount_lines(connection, &draws, &orders, &taken).await?;
    let lines = sqlx::query(
        "update order_lines l set
           serials = null,
           application_fee_cents = case when o.captured_at is null then 0 else l.application_fee_cents end
         from unnest($1::bigint[], $2::uuid[]) as a (draw_id, order_id) join orders o on o.id = a.order_id
         where l.order_id = a.order_id and l.draw_id = a.draw_id",
    )
    .bind(&draws)
    .bind(&orders)
    .execute(&mut *connection)
    .await?;
    if lines.rows_affected() != taken.len() as u64 {
        return guilty();
    }
    drop_pending(connection, &orders, "capture").await?;
    cancel(connection, &refused).await
}

async fn take_back(connection: &mut PgConnection, taken: &[Moved<'_>]) -> Result<(), Trouble> {
    let (mut draws, mut serials, mut orders) = (Vec::new(), Vec::new(), Vec::new());
    for Moved { commit, handover } in taken {
        for serial in &handover.serials {
            draws.push(commit.append.draw.0);
            serials.push(serial.number().cast_signed());
            orders.push(words::uuid(handover.order));
        }
    }
    let wanted = serials.len() as u64;
    let gone = sqlx::query(
        "delete from tickets t
         using unnest($1::bigint[], $2::smallint[], $3::uuid[]) as a (draw_id, serial, order_id)
           join order_lines l on l.order_id = a.order_id and l.draw_id = a.draw_id
         where t.draw_id = a.draw_id and t.serial = a.serial and t.order_line_id = l.id",
    )
    .bind(draws)
    .bind(serials)
    .bind(orders)
    .execute(connection)
    .await?;
    if gone.rows_affected() == wanted {
        Ok(())
    } else {
        guilty()
    }
}

/// Answers the orders that are being refused. The fee of an order that was captured stays on it: it was taken.
async fn uncount_lines(
    connection: &mut PgConnection,
    draws: &[i64],
    orders: &[Uuid],
    taken: &[Moved<'_>],
) -> Result<Reached, Trouble> {
    let at: Vec<OffsetDateTime> = taken
        .iter()
        .map(|moved| instant::stored(moved.commit.append.at))
        .collect();
    let charged: Vec<bool> = taken.iter().map(|moved| moved.handover.charged).collect();
    let distinct: std::collections::BTreeSet<&Uuid> = orders.iter().collect();
    let rows = sqlx::query(
        "update orders o set
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
         returning o.id, o.state = 'rejecting', a.at",
    )
    .bind(draws)
    .bind(orders)
    .bind(at)
    .bind(charged)
    .fetch_all(connection)
    .await?;
    // Captured meanwhile, or never: whoever decided on this did not know, and its fee step would be wrong.
    if rows.len() != distinct.len() {
        return guilty();
    }
    let mut refused = Reached::default();
    for row in rows {
        if row.try_get(1)? {
            refused.orders.push(row.try_get(0)?);
            refused.at.push(row.try_get(2)?);
        }
    }
    Ok(refused)
}

async fn drop_pending(
    connection: &mut PgConnection,
    orders: &[Uuid],
    kind: &str,
) -> Result<(), Trouble> {
    sqlx::query(
        "update payment_ops set state = 'dropped', ended_at = now()
         where order_id = any($1) and kind = $2 and state = 'pending'",
    )
    .bind(orders)
    .bind(kind)
    .execute(connection)
    .await?;
    Ok(())
}

/// A pending cancellation for each order: a new one, or the dropped or failed one again.
async fn cancel(connection: &mut PgConnection, reached: &Reached) -> Result<(), Trouble> {
    if reached.orders.is_empty() {
        return Ok(());
    }
    sqlx::query(
        "insert into payment_ops (order_id, kind, key, due_at)
         select order_id, 'cancel', 'cancel-' || order_id, at + $3 * interval '1 millisecond'
         from unnest($1::uuid[], $2::timestamptz[]) as a (order_id, at)
         on conflict (key) do update set state = 'pending', attempts = 0, due_at = excluded.due_at, ended_at = null
           where payment_ops.state in ('dropped', 'failed')",
    )
    .bind(&reached.orders)
    .bind(&reached.at)
    .bind(FAST_PATH_MS as f64)
    .execute(connection)
    .await?;
    Ok(())
}
