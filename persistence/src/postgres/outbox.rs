//! SQL statements for queued mails.

use std::collections::BTreeMap;

use domain::{OrderId, Timestamp};
use sqlx::Row;
use sqlx::postgres::{PgConnection, PgPool, PgRow};
use uuid::Uuid;

use super::purchase_writes::{PurchaseWrite, WriteOutcome, WriteOutcomes};
use super::writer::TransactionError;
use super::{codec, instant, nodes};
use crate::error::Failure;
use crate::nodes::{GONE_AFTER_LEASE_END_MS, InstanceId};
use crate::stores::Mail;

/// A mail to queue.
#[derive(Clone)]
pub(super) struct NewMail {
    pub dedupe_key: String,
    pub kind: String,
    pub order: Option<OrderId>,
    pub to: String,
    pub data: String,
    pub at: Timestamp,
}

pub(super) async fn queue_mail_once(pool: &PgPool, mail: &NewMail) -> Result<bool, Failure> {
    let queued = sqlx::query(
        "insert into email_outbox (dedupe_key, kind, order_id, to_address, data, due_at) values ($1, $2, $3, $4, $5, $6)
         on conflict (dedupe_key) do nothing",
    )
    .bind(&mail.dedupe_key)
    .bind(&mail.kind)
    .bind(mail.order.map(codec::order_uuid))
    .bind(&mail.to)
    .bind(&mail.data)
    .bind(instant::to_stored_time(mail.at))
    .execute(pool)
    .await
    .map_err(Failure::from_commit_error)?;
    Ok(queued.rows_affected() == 1)
}

/// Queues the mail that tells the buyer that nothing was charged, in the transaction that ends the
/// order. An order that was ever captured gets other mails instead.
pub(super) async fn queue_not_charged_mail(
    connection: &mut PgConnection,
    order: OrderId,
) -> Result<(), Failure> {
    sqlx::query(
        "insert into email_outbox (dedupe_key, kind, order_id, to_address)
         select 'not-charged-' || id, 'not-charged', id, buyer_email from orders
         where id = $1 and buyer_email is not null and captured_at is null
         on conflict (dedupe_key) do nothing",
    )
    .bind(codec::order_uuid(order))
    .execute(connection)
    .await
    .map_err(Failure::from_error_before_commit)?;
    Ok(())
}

/// Claims mails for sending, oldest first. A mail whose recipient's address is not known yet is not
/// claimed.
pub(super) async fn claim_due_mails(
    pool: &PgPool,
    sender: InstanceId,
    now: Timestamp,
    lease_ms: i64,
    limit: u32,
) -> Result<Vec<Mail>, Failure> {
    let rows = sqlx::query(concat!(
        "with due as (
           select id from email_outbox o where state = 'pending' and to_address is not null and (due_at <= $1
             or o.sender_boot <> $4 and ",
        nodes::is_gone!("o.sender_boot", "$5"),
        ") order by id limit $3 for update skip locked
         )
         update email_outbox e set attempts = e.attempts + 1, due_at = $2, sender_boot = $4
         from due where e.id = due.id
         returning e.id, e.kind, e.order_id, e.to_address, e.data, e.message_id, e.attempts",
    ))
    .bind(instant::to_stored_time(now))
    .bind(instant::to_stored_time(now.plus_ms(lease_ms)))
    .bind(i64::from(limit))
    .bind(nodes::instance_uuid(sender))
    .bind(GONE_AFTER_LEASE_END_MS)
    .fetch_all(pool)
    .await
    .map_err(Failure::from_commit_error)?;
    let mut claimed = rows
        .iter()
        .map(read_mail)
        .collect::<Result<Vec<Mail>, sqlx::Error>>()
        .map_err(Failure::from_read_error)?;
    claimed.sort_by_key(|mail| mail.id);
    Ok(claimed)
}

fn read_mail(row: &PgRow) -> Result<Mail, sqlx::Error> {
    Ok(Mail {
        id: row.try_get(0)?,
        kind: row.try_get(1)?,
        order: row
            .try_get::<Option<Uuid>, _>(2)?
            .map(|id| OrderId(id.as_u128())),
        to: row.try_get(3)?,
        data: row.try_get(4)?,
        message_id: row.try_get(5)?,
        attempts: row.try_get::<i32, _>(6)?.cast_unsigned(),
    })
}

pub(super) async fn mark_sent(
    connection: &mut PgConnection,
    batch: &[&PurchaseWrite],
    outcomes: &mut WriteOutcomes,
) -> Result<(), TransactionError> {
    let mut positions = BTreeMap::new();
    let (mut ids, mut at) = (Vec::new(), Vec::new());
    for (position, write) in batch.iter().enumerate() {
        if let PurchaseWrite::MarkMailSent { mail, at: sent_at } = write {
            positions.insert(*mail, position);
            ids.push(*mail);
            at.push(instant::to_stored_time(*sent_at));
        }
    }
    if ids.is_empty() {
        return Ok(());
    }
    let updated: Vec<i64> = sqlx::query_scalar(
        "update email_outbox e set state = 'sent', sent_at = coalesce(e.sent_at, a.at)
         from unnest($1::bigint[], $2::timestamptz[]) as a (id, at) where e.id = a.id returning e.id",
    )
    .bind(ids)
    .bind(at)
    .fetch_all(connection)
    .await?;
    for id in updated {
        outcomes[positions[&id]] = Some(Ok(WriteOutcome::Done));
    }
    Ok(())
}

pub(super) async fn record_send_failure(
    pool: &PgPool,
    mail: i64,
    why: &str,
    again: Option<Timestamp>,
) -> Result<(), Failure> {
    let updated = sqlx::query(
        "update email_outbox set why = $2, due_at = coalesce($3, due_at), sender_boot = null,
           state = case when state = 'pending' and $3 is null then 'dead' else state end
         where id = $1",
    )
    .bind(mail)
    .bind(why)
    .bind(again.map(instant::to_stored_time))
    .execute(pool)
    .await
    .map_err(Failure::from_commit_error)?;
    if updated.rows_affected() == 1 {
        Ok(())
    } else {
        Err(Failure::NotFound)
    }
}
