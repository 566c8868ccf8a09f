//! SQL statements for payment operations. An operation is claimed before it is tried, and its
//! outcome is recorded afterwards.

use std::collections::BTreeMap;

use domain::{Cents, OrderId, Timestamp};
use sqlx::postgres::{PgConnection, PgPool};
use uuid::Uuid;

use super::purchase_writes::{PurchaseWrite, WriteOutcome, WriteOutcomes};
use super::writer::TransactionError;
use super::{codec, instant};
use crate::error::Failure;
use crate::stores::{AttemptOutcome, Operation, OperationKind};

/// A row of a claimed operation.
struct OperationRow {
    id: i64,
    order_id: Uuid,
    kind: String,
    key: String,
    amount_cents: Option<i64>,
    attempts: i32,
}

impl OperationRow {
    fn into_operation(self) -> Result<Operation, Failure> {
        Ok(Operation {
            id: self.id,
            order: OrderId(self.order_id.as_u128()),
            kind: codec::parse_operation_kind(&self.kind)?,
            key: self.key,
            amount: self.amount_cents.map(Cents),
            attempts: self.attempts.cast_unsigned(),
        })
    }
}

/// Claims due operations: captures first, then oldest first. Skips operations that another worker
/// is claiming.
///
/// Fee refunds of one order run one after the other. When a response is lost, only the total
/// refunded shows whether that refund happened. So no other fee refund of the order may run at the
/// same time.
pub(super) async fn claim_due_operations(
    pool: &PgPool,
    now: Timestamp,
    lease_ms: i64,
    limit: u32,
) -> Result<Vec<Operation>, Failure> {
    let rows = sqlx::query_as!(
        OperationRow,
        "with due as (
           select id from payment_ops o where ended_at is null and due_at <= $1
             and not (kind = 'fee_refund' and exists (
               select from payment_ops e
               where e.order_id = o.order_id and e.kind = 'fee_refund' and e.ended_at is null and e.id < o.id))
           order by kind <> 'capture', id limit $3 for update skip locked
         )
         update payment_ops p set attempts = p.attempts + 1, due_at = $2 from due where p.id = due.id
         returning p.id, p.order_id, p.kind, p.key, p.amount_cents, p.attempts",
        instant::to_stored_time(now),
        instant::to_stored_time(now.plus_ms(lease_ms)),
        i64::from(limit)
    )
    .fetch_all(pool)
    .await
    .map_err(Failure::from_commit_error)?;
    let mut claimed = rows
        .into_iter()
        .map(OperationRow::into_operation)
        .collect::<Result<Vec<Operation>, Failure>>()?;
    claimed.sort_by_key(|operation| (operation.kind != OperationKind::Capture, operation.id));
    Ok(claimed)
}

/// Claims one pending operation for each given order, right after the commit that queued it. Claims
/// none if another worker has tried the operation and it is not due again.
pub(super) async fn claim_operations_of_orders(
    connection: &mut PgConnection,
    batch: &[&PurchaseWrite],
    outcomes: &mut WriteOutcomes,
) -> Result<(), TransactionError> {
    let mut positions = Vec::new();
    let (mut orders, mut kinds, mut nows, mut untils) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (position, write) in batch.iter().enumerate() {
        if let PurchaseWrite::ClaimOperation {
            order,
            kind,
            now,
            lease_ms,
        } = write
        {
            positions.push(position as i64);
            orders.push(codec::order_uuid(*order));
            kinds.push(codec::operation_kind_text(*kind));
            nows.push(instant::to_stored_time(*now));
            untils.push(instant::to_stored_time(now.plus_ms(*lease_ms)));
            outcomes[position] = Some(Ok(WriteOutcome::Claimed(None)));
        }
    }
    if positions.is_empty() {
        return Ok(());
    }
    let rows = sqlx::query!(
        r#"with wanted as (
           select distinct on (a.place) a.place, a.now, a.until, p.id
           from unnest($1::bigint[], $2::uuid[], $3::text[], $4::timestamptz[], $5::timestamptz[])
               as a (place, order_id, kind, now, until)
             join payment_ops p on p.order_id = a.order_id and p.kind = a.kind and p.state = 'pending'
               and (p.attempts = 0 or p.due_at <= a.now)
           order by a.place, p.id
         )
         update payment_ops p set attempts = p.attempts + 1, due_at = w.until from wanted w
         where p.id = w.id and p.state = 'pending' and (p.attempts = 0 or p.due_at <= w.now)
         returning w.place as "place!", p.id, p.order_id, p.kind, p.key, p.amount_cents, p.attempts"#,
        &positions[..],
        &orders[..],
        &kinds as _,
        &nows[..],
        &untils[..]
    )
    .fetch_all(connection)
    .await?;
    for row in rows {
        let operation = OperationRow {
            id: row.id,
            order_id: row.order_id,
            kind: row.kind,
            key: row.key,
            amount_cents: row.amount_cents,
            attempts: row.attempts,
        };
        outcomes[row.place as usize] = Some(
            operation
                .into_operation()
                .map(|operation| WriteOutcome::Claimed(Some(operation))),
        );
    }
    Ok(())
}

/// Records the outcomes of attempts. Skips operations that are no longer pending, because their
/// effect was already recorded in another way.
pub(super) async fn record_attempts(
    connection: &mut PgConnection,
    batch: &[&PurchaseWrite],
    outcomes: &mut WriteOutcomes,
) -> Result<(), TransactionError> {
    let mut positions = BTreeMap::new();
    let (mut ids, mut becomes, mut due, mut keys, mut whys, mut tries) = (
        Vec::new(),
        Vec::new(),
        Vec::new(),
        Vec::new(),
        Vec::new(),
        Vec::new(),
    );
    for (position, write) in batch.iter().enumerate() {
        if let PurchaseWrite::RecordAttempt { operation, attempt } = write {
            positions.insert(*operation, position);
            ids.push(*operation);
            let (state, at, key, why, attempts) = match attempt {
                AttemptOutcome::Done => ("done", None, None, None, None),
                AttemptOutcome::Again {
                    attempts,
                    at,
                    new_key,
                    why,
                } => (
                    "pending",
                    Some(instant::to_stored_time(*at)),
                    new_key.as_deref(),
                    why.as_deref(),
                    Some(*attempts as i32),
                ),
                AttemptOutcome::Failed { why } => ("failed", None, None, Some(why.as_str()), None),
            };
            becomes.push(state);
            due.push(at);
            keys.push(key);
            whys.push(why);
            tries.push(attempts);
        }
    }
    if ids.is_empty() {
        return Ok(());
    }
    let existing = sqlx::query_scalar!("select id from payment_ops where id = any($1)", &ids[..])
        .fetch_all(&mut *connection)
        .await?;
    for id in existing {
        outcomes[positions[&id]] = Some(Ok(WriteOutcome::Done));
    }
    let rows = sqlx::query!(
        "update payment_ops p set state = a.becomes, due_at = coalesce(a.due, p.due_at), key = coalesce(a.key, p.key),
           why = coalesce(a.why, p.why), ended_at = case when a.becomes = 'pending' then null else transaction_instant() end
         from unnest($1::bigint[], $2::text[], $3::timestamptz[], $4::text[], $5::text[], $6::integer[])
           as a (id, becomes, due, key, why, attempts)
         where p.id = a.id and p.state = 'pending' and p.attempts = coalesce(a.attempts, p.attempts)
         returning p.id, p.kind",
        &ids[..],
        &becomes as _,
        &due as _,
        &keys as _,
        &whys as _,
        &tries as _
    )
    .fetch_all(&mut *connection)
    .await?;
    let mut refunds = Vec::new();
    for row in rows {
        let kind = codec::parse_operation_kind(&row.kind).map_err(TransactionError::Refused)?;
        let is_refund = matches!(kind, OperationKind::Refund | OperationKind::FeeRefund);
        let has_ended = matches!(
            batch[positions[&row.id]],
            PurchaseWrite::RecordAttempt {
                attempt: AttemptOutcome::Done | AttemptOutcome::Failed { .. },
                ..
            }
        );
        if is_refund && has_ended {
            refunds.push(row.id);
        }
    }
    if refunds.is_empty() {
        Ok(())
    } else {
        record_refunds(connection, refunds).await
    }
}

/// Updates the refund's row and the payment's row for refund operations that have just ended.
async fn record_refunds(
    connection: &mut PgConnection,
    operations: Vec<i64>,
) -> Result<(), TransactionError> {
    sqlx::query!(
        "update refunds r set
           state = case when p.state <> 'done' then 'failed'
                        when r.provider_status in ('pending', 'requires_action') then 'pending' else 'succeeded' end,
           ended_at = case when p.state = 'done' and r.provider_status in ('pending', 'requires_action') then null
                           else transaction_instant() end
         from payment_ops p where p.id = any($1) and p.kind = 'refund' and r.order_id = p.order_id",
        &operations[..]
    )
    .execute(&mut *connection)
    .await?;
    sqlx::query!(
        "update payments m set amount_refunded_cents = m.amount_refunded_cents + a.amount,
           application_fee_refunded_cents = m.application_fee_refunded_cents + a.fee
         from (
           select order_id, sum(amount_cents) filter (where kind = 'refund') as amount,
             sum(amount_cents) filter (where kind = 'fee_refund') as fee
           from payment_ops where id = any($1) and state = 'done' group by order_id
         ) o cross join lateral (select coalesce(o.amount, 0) as amount, coalesce(o.fee, 0) as fee) a
         where m.order_id = o.order_id",
        &operations[..]
    )
    .execute(connection)
    .await?;
    Ok(())
}
