//! SQL statements for webhook events, which are stored once and handled later.

use std::collections::BTreeMap;

use domain::{PaymentIntentId, Timestamp};
use sqlx::postgres::{PgConnection, PgPool};

use super::purchase_writes::{PurchaseWrite, WriteOutcome, WriteOutcomes};
use super::writer::TransactionError;
use super::{instant, nodes};
use crate::error::Failure;
use crate::link_secrets::without_client_secrets;
use crate::nodes::{GONE_AFTER_LEASE_END_MS, InstanceId};
use crate::stores::StoredWebhookEvent;

/// Stores webhook events. The primary key prevents a second row for the same event.
pub(super) async fn store_events_once(
    connection: &mut PgConnection,
    batch: &[&PurchaseWrite],
    outcomes: &mut WriteOutcomes,
) -> Result<(), TransactionError> {
    let mut positions = BTreeMap::new();
    let (mut ids, mut accounts, mut kinds, mut intents) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut payloads, mut received, mut receivers) = (Vec::new(), Vec::new(), Vec::new());
    for (position, write) in batch.iter().enumerate() {
        if let PurchaseWrite::StoreWebhookEvent {
            event,
            receiver,
            at,
        } = write
        {
            positions.insert(event.event_id.clone(), position);
            ids.push(event.event_id.as_str());
            accounts.push(event.account.as_deref());
            kinds.push(event.kind.as_str());
            intents.push(event.payment_intent.as_ref().map(|id| id.0.as_str()));
            payloads.push(without_client_secrets(&event.payload));
            received.push(instant::to_stored_time(*at));
            receivers.push(nodes::instance_uuid(*receiver));
            outcomes[position] = Some(Ok(WriteOutcome::IsNewEvent(false)));
        }
    }
    if ids.is_empty() {
        return Ok(());
    }
    let new = sqlx::query_scalar!(
        "insert into webhook_events (event_id, account_id, kind, payment_intent_id, payload, received_at, taker_boot)
         select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[], $7::uuid[])
         on conflict (event_id) do nothing returning event_id",
        &ids as _,
        &accounts as _,
        &kinds as _,
        &intents as _,
        &payloads as _,
        &received[..],
        &receivers[..]
    )
    .fetch_all(connection)
    .await?;
    for id in new {
        outcomes[positions[&id]] = Some(Ok(WriteOutcome::IsNewEvent(true)));
    }
    Ok(())
}

pub(super) async fn mark_handled(
    connection: &mut PgConnection,
    batch: &[&PurchaseWrite],
    outcomes: &mut WriteOutcomes,
) -> Result<(), TransactionError> {
    let mut positions = BTreeMap::new();
    let (mut ids, mut at) = (Vec::new(), Vec::new());
    for (position, write) in batch.iter().enumerate() {
        if let PurchaseWrite::MarkEventHandled {
            event_id,
            at: handled_at,
        } = write
        {
            positions.insert(event_id.clone(), position);
            ids.push(event_id.as_str());
            at.push(instant::to_stored_time(*handled_at));
        }
    }
    if ids.is_empty() {
        return Ok(());
    }
    let handled_ids = sqlx::query_scalar!(
        "update webhook_events w set handled_at = coalesce(w.handled_at, a.at)
         from unnest($1::text[], $2::timestamptz[]) as a (event_id, at)
         where w.event_id = a.event_id returning w.event_id",
        &ids as _,
        &at[..]
    )
    .fetch_all(connection)
    .await?;
    for id in handled_ids {
        outcomes[positions[&id]] = Some(Ok(WriteOutcome::Done));
    }
    Ok(())
}

/// Returns the unhandled webhook events for a node, oldest first.
pub(super) async fn find_unhandled_events(
    pool: &PgPool,
    receiver: InstanceId,
    overdue: Timestamp,
    limit: u32,
) -> Result<Vec<StoredWebhookEvent>, Failure> {
    let rows = sqlx::query!(
        "select event_id, account_id, kind, payment_intent_id, payload from webhook_events w
         where handled_at is null and (taker_boot is null or taker_boot = $2 or received_at < $3
           or not exists (select from nodes n where n.boot_id = w.taker_boot
             and n.lease_until > clock_timestamp() - $4 * interval '1 millisecond'))
         order by received_at, event_id limit $1",
        i64::from(limit),
        nodes::instance_uuid(receiver),
        instant::to_stored_time(overdue),
        GONE_AFTER_LEASE_END_MS as f64
    )
    .fetch_all(pool)
    .await
    .map_err(Failure::from_read_error)?;
    Ok(rows
        .into_iter()
        .map(|row| StoredWebhookEvent {
            event_id: row.event_id,
            account: row.account_id,
            kind: row.kind,
            payment_intent: row.payment_intent_id.map(PaymentIntentId),
            payload: row.payload,
        })
        .collect())
}
