//! Effects outside: claimed before they are tried, recorded after.

use std::collections::BTreeMap;

use domain::{Cents, OrderId, Timestamp};
use sqlx::Row;
use sqlx::postgres::{PgConnection, PgPool, PgRow};
use uuid::Uuid;

use super::entries::{Answers, Entry, Said};
use super::writer::Trouble;
use super::{instant, words};
use crate::books::{Attempt, Operation};
use crate::error::Failure;

fn read(row: &PgRow) -> Result<Operation, Failure> {
    let kind = words::read_operation(row.try_get("kind").map_err(Failure::from_read)?)?;
    let operation = || {
        Ok(Operation {
            id: row.try_get("id")?,
            order: OrderId(row.try_get::<Uuid, _>("order_id")?.as_u128()),
            kind,
            key: row.try_get("key")?,
            amount: row.try_get::<Option<i64>, _>("amount_cents")?.map(Cents),
            attempts: row.try_get::<i32, _>("attempts")?.cast_unsigned(),
        })
    };
    operation().map_err(Failure::from_read)
}

/// Captures before the rest, then oldest first; those that somebody else is claiming are passed over. An order's fee refunds
/// go one after the other: what one without an answer came to is judged by the sum that went back, and that must be its own.
pub(super) async fn claim(
    pool: &PgPool,
    now: Timestamp,
    lease_ms: i64,
    limit: u32,
) -> Result<Vec<Operation>, Failure> {
    let rows = sqlx::query(
        "with due as (
           select id from payment_ops o where ended_at is null and due_at <= $1
             and not (kind = 'fee_refund' and exists (
               select from payment_ops e
               where e.order_id = o.order_id and e.kind = 'fee_refund' and e.ended_at is null and e.id < o.id))
           order by kind <> 'capture', id limit $3 for update skip locked
         )
         update payment_ops p set attempts = p.attempts + 1, due_at = $2 from due where p.id = due.id
         returning p.id, p.order_id, p.kind, p.key, p.amount_cents, p.attempts",
    )
    .bind(instant::stored(now))
    .bind(instant::stored(now.plus_ms(lease_ms)))
    .bind(i64::from(limit))
    .fetch_all(pool)
    .await
    .map_err(Failure::at_commit)?;
    let mut claimed = rows
        .iter()
        .map(read)
        .collect::<Result<Vec<Operation>, Failure>>()?;
    claimed.sort_by_key(|operation| {
        (
            operation.kind != crate::books::OperationKind::Capture,
            operation.id,
        )
    });
    Ok(claimed)
}

/// The fast path: an order's own operation of a kind, unless somebody else has it.
pub(super) async fn claim_each(
    connection: &mut PgConnection,
    asks: &[&Entry],
    answers: &mut Answers,
) -> Result<(), Trouble> {
    let mut places = Vec::new();
    let (mut orders, mut kinds, mut nows, mut untils) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (place, ask) in asks.iter().enumerate() {
        if let Entry::Claim {
            order,
            kind,
            now,
            lease_ms,
        } = ask
        {
            places.push(place as i64);
            orders.push(words::uuid(*order));
            kinds.push(words::operation(*kind));
            nows.push(instant::stored(*now));
            untils.push(instant::stored(now.plus_ms(*lease_ms)));
            answers[place] = Some(Ok(Said::Claimed(None)));
        }
    }
    if places.is_empty() {
        return Ok(());
    }
    let rows = sqlx::query(
        "with wanted as (
           select distinct on (a.place) a.place, a.now, a.until, p.id
           from unnest($1::bigint[], $2::uuid[], $3::text[], $4::timestamptz[], $5::timestamptz[])
               as a (place, order_id, kind, now, until)
             join payment_ops p on p.order_id = a.order_id and p.kind = a.kind and p.state = 'pending'
               and (p.attempts = 0 or p.due_at <= a.now)
           order by a.place, p.id
         )
         update payment_ops p set attempts = p.attempts + 1, due_at = w.until from wanted w
         where p.id = w.id and p.state = 'pending' and (p.attempts = 0 or p.due_at <= w.now)
         returning w.place, p.id, p.order_id, p.kind, p.key, p.amount_cents, p.attempts",
    )
    .bind(places)
    .bind(orders)
    .bind(kinds)
    .bind(nows)
    .bind(untils)
    .fetch_all(connection)
    .await?;
    for row in rows {
        let place: i64 = row.try_get(0)?;
        answers[place as usize] = Some(read(&row).map(|operation| Said::Claimed(Some(operation))));
    }
    Ok(())
}

/// How attempts ended. One that is no longer pending was settled meanwhile by a witness of its effect.
pub(super) async fn attempted(
    connection: &mut PgConnection,
    asks: &[&Entry],
    answers: &mut Answers,
) -> Result<(), Trouble> {
    let mut places = BTreeMap::new();
    let (mut ids, mut becomes, mut due, mut keys, mut whys, mut tries) = (
        Vec::new(),
        Vec::new(),
        Vec::new(),
        Vec::new(),
        Vec::new(),
        Vec::new(),
    );
    for (place, ask) in asks.iter().enumerate() {
        if let Entry::Attempted { operation, attempt } = ask {
            places.insert(*operation, place);
            ids.push(*operation);
            let (state, at, key, why, attempts) = match attempt {
                Attempt::Done => ("done", None, None, None, None),
                Attempt::Again {
                    attempts,
                    at,
                    new_key,
                } => (
                    "pending",
                    Some(instant::stored(*at)),
                    new_key.as_deref(),
                    None,
                    Some(*attempts as i32),
                ),
                Attempt::Failed { why } => ("failed", None, None, Some(why.as_str()), None),
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
    let known: Vec<i64> = sqlx::query_scalar("select id from payment_ops where id = any($1)")
        .bind(&ids)
        .fetch_all(&mut *connection)
        .await?;
    for id in known {
        answers[places[&id]] = Some(Ok(Said::Done));
    }
    let rows = sqlx::query(
        "update payment_ops p set state = a.becomes, due_at = coalesce(a.due, p.due_at), key = coalesce(a.key, p.key),
           why = coalesce(a.why, p.why), ended_at = case when a.becomes = 'pending' then null else now() end
         from unnest($1::bigint[], $2::text[], $3::timestamptz[], $4::text[], $5::text[], $6::integer[])
           as a (id, becomes, due, key, why, attempts)
         where p.id = a.id and p.state = 'pending' and p.attempts = coalesce(a.attempts, p.attempts)
         returning p.id, p.kind, p.state",
    )
    .bind(&ids)
    .bind(becomes)
    .bind(due)
    .bind(keys)
    .bind(whys)
    .bind(tries)
    .fetch_all(&mut *connection)
    .await?;
    let mut refunds = Vec::new();
    for row in rows {
        let (kind, state): (&str, &str) = (row.try_get(1)?, row.try_get(2)?);
        if matches!(kind, "refund" | "fee_refund") && state != "pending" {
            refunds.push(row.try_get::<i64, _>(0)?);
        }
    }
    if refunds.is_empty() {
        Ok(())
    } else {
        money_back(connection, refunds).await
    }
}

/// Refund operations that just ended: the refund says so, and the mirror shows what went back.
async fn money_back(connection: &mut PgConnection, operations: Vec<i64>) -> Result<(), Trouble> {
    sqlx::query(
        "update refunds r set state = case p.state when 'done' then 'succeeded' else 'failed' end, ended_at = now()
         from payment_ops p where p.id = any($1) and p.kind = 'refund' and r.order_id = p.order_id",
    )
    .bind(&operations)
    .execute(&mut *connection)
    .await?;
    sqlx::query(
        "update payments m set amount_refunded_cents = m.amount_refunded_cents + a.amount,
           application_fee_refunded_cents = m.application_fee_refunded_cents + a.fee
         from (
           select order_id, sum(amount_cents) filter (where kind = 'refund') as amount,
             sum(amount_cents) filter (where kind = 'fee_refund') as fee
           from payment_ops where id = any($1) and state = 'done' group by order_id
         ) o cross join lateral (select coalesce(o.amount, 0) as amount, coalesce(o.fee, 0) as fee) a
         where m.order_id = o.order_id",
    )
    .bind(operations)
    .execute(connection)
    .await?;
    Ok(())
}
