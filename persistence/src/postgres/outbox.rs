//! SQL statements for queued mails.

use std::collections::BTreeMap;

use domain::{OrderId, Timestamp};
use sqlx::postgres::{PgConnection, PgPool};

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
    let queued = sqlx::query!(
        "insert into email_outbox (dedupe_key, kind, order_id, to_address, data, due_at) values ($1, $2, $3, $4, $5, $6)
         on conflict (dedupe_key) do nothing",
        mail.dedupe_key,
        mail.kind,
        mail.order.map(codec::order_uuid),
        mail.to,
        mail.data,
        instant::to_stored_time(mail.at)
    )
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
    sqlx::query!(
        "insert into email_outbox (dedupe_key, kind, order_id, to_address)
         select 'not-charged-' || id, 'not-charged', id, buyer_email from orders
         where id = $1 and buyer_email is not null and captured_at is null
         on conflict (dedupe_key) do nothing",
        codec::order_uuid(order)
    )
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
    let rows = sqlx::query!(
        r#"with due as (
           select id from email_outbox o where state = 'pending' and to_address is not null and (due_at <= $1
             or o.sender_boot <> $4 and not exists (select from nodes n where n.boot_id = o.sender_boot
               and n.lease_until > clock_timestamp() - $5 * interval '1 millisecond'))
           order by id limit $3 for update skip locked
         )
         update email_outbox e set attempts = e.attempts + 1, due_at = $2, sender_boot = $4
         from due where e.id = due.id
         returning e.id, e.kind, e.order_id, e.to_address as "to_address!", e.data, e.message_id, e.attempts"#,
        instant::to_stored_time(now),
        instant::to_stored_time(now.plus_ms(lease_ms)),
        i64::from(limit),
        nodes::instance_uuid(sender),
        GONE_AFTER_LEASE_END_MS as f64
    )
    .fetch_all(pool)
    .await
    .map_err(Failure::from_commit_error)?;
    let mut claimed: Vec<Mail> = rows
        .into_iter()
        .map(|row| Mail {
            id: row.id,
            kind: row.kind,
            order: row.order_id.map(|id| OrderId(id.as_u128())),
            to: row.to_address,
            data: row.data,
            message_id: row.message_id,
            attempts: row.attempts.cast_unsigned(),
        })
        .collect();
    claimed.sort_by_key(|mail| mail.id);
    Ok(claimed)
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
    let updated = sqlx::query_scalar!(
        "update email_outbox e set state = 'sent', sent_at = coalesce(e.sent_at, a.at)
         from unnest($1::bigint[], $2::timestamptz[]) as a (id, at) where e.id = a.id returning e.id",
        &ids[..],
        &at[..]
    )
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
    let updated = sqlx::query!(
        "update email_outbox set why = $2, due_at = coalesce($3, due_at), sender_boot = null,
           state = case when state = 'pending' and $3 is null then 'dead' else state end
         where id = $1",
        mail,
        why,
        again.map(instant::to_stored_time)
    )
    .execute(pool)
    .await
    .map_err(Failure::from_commit_error)?;
    if updated.rows_affected() == 1 {
        Ok(())
    } else {
        Err(Failure::NotFound)
    }
}
