//! SQL statements for anomalies. At most one open anomaly of each kind exists for the same payment.

use std::collections::BTreeSet;

use domain::{
    AccountId, Anomaly, AnomalyKind, Cents, ClubId, DrawId, DrawPause, OrderId, PaymentIntentId,
    Serial, Timestamp,
};
use sqlx::postgres::PgPool;
use uuid::Uuid;

use super::{codec, instant};
use crate::error::Failure;
use crate::stores::AnomalyRecord;

pub(super) async fn raise_anomaly_once(
    pool: &PgPool,
    anomaly: &Anomaly,
    amount: Option<Cents>,
    at: Timestamp,
) -> Result<bool, Failure> {
    let raised = sqlx::query!(
        "insert into anomalies (kind, payment_intent_id, order_id, amount_cents, note, detected_at)
         select $1, $2, $3, $4, $5, $6
         where $2::text is null or not exists (
           select from anomalies where payment_intent_id = $2 and kind = $1 and note = $5 and resolution <> 'healed')
         on conflict (kind, subject) where resolved_at is null do nothing",
        codec::anomaly_kind_text(anomaly.kind),
        anomaly.payment_intent.as_ref().map(|id| id.0.as_str()),
        anomaly.order.map(codec::order_uuid),
        amount.map(|amount| amount.0),
        anomaly.note,
        instant::to_stored_time(at)
    )
    .execute(pool)
    .await
    .map_err(Failure::from_commit_error)?;
    Ok(raised.rows_affected() == 1)
}

pub(super) async fn replace_anomaly_note(
    pool: &PgPool,
    payment_intent: &PaymentIntentId,
    kind: AnomalyKind,
    from: &str,
    to: &str,
) -> Result<bool, Failure> {
    let replaced = sqlx::query!(
        "update anomalies set note = $4
         where payment_intent_id = $1 and kind = $2 and note = $3 and resolved_at is null",
        payment_intent.0,
        codec::anomaly_kind_text(kind),
        from,
        to
    )
    .execute(pool)
    .await
    .map_err(Failure::from_commit_error)?;
    Ok(replaced.rows_affected() > 0)
}

pub(super) async fn resolve_healed_anomalies(
    pool: &PgPool,
    payment_intent: &PaymentIntentId,
    kind: AnomalyKind,
    at: Timestamp,
) -> Result<u64, Failure> {
    let healed = sqlx::query!(
        "update anomalies set resolved_at = $3, resolution = 'healed'
         where kind = $2 and resolved_at is null and (payment_intent_id = $1
           or payment_intent_id is null and order_id = (select id from orders where payment_intent_id = $1))",
        payment_intent.0,
        codec::anomaly_kind_text(kind),
        instant::to_stored_time(at)
    )
    .execute(pool)
    .await
    .map_err(Failure::from_commit_error)?;
    Ok(healed.rows_affected())
}

/// Returns the open anomalies about a payment. An anomaly names either that payment, or no payment
/// and the order of that payment.
pub(super) async fn open_anomaly_ids_of_payment(
    pool: &PgPool,
    payment_intent: &PaymentIntentId,
) -> Result<Vec<u128>, Failure> {
    let open = sqlx::query_scalar!(
        "select id from anomalies where resolved_at is null and (payment_intent_id = $1
           or payment_intent_id is null and order_id = (select id from orders where payment_intent_id = $1))",
        payment_intent.0
    )
    .fetch_all(pool)
    .await
    .map_err(Failure::from_read_error)?;
    Ok(open.into_iter().map(|id| id.as_u128()).collect())
}

pub(super) async fn payments_with_open_anomalies(
    pool: &PgPool,
    among: &[PaymentIntentId],
) -> Result<BTreeSet<PaymentIntentId>, Failure> {
    let among: Vec<String> = among.iter().map(|id| id.0.clone()).collect();
    let reported = sqlx::query_scalar!(
        r#"select w.id as "id!" from anomalies a
         left join orders o on a.payment_intent_id is null and o.id = a.order_id
         join unnest($1::text[]) as w (id) on w.id = coalesce(a.payment_intent_id, o.payment_intent_id)
         where a.resolved_at is null"#,
        &among[..]
    )
    .fetch_all(pool)
    .await
    .map_err(Failure::from_read_error)?;
    Ok(reported.into_iter().map(PaymentIntentId).collect())
}

pub(super) async fn resolve_healed_anomalies_by_id(
    pool: &PgPool,
    anomalies: &[u128],
    at: Timestamp,
) -> Result<u64, Failure> {
    let ids: Vec<Uuid> = anomalies.iter().map(|id| Uuid::from_u128(*id)).collect();
    let healed = sqlx::query!(
        "update anomalies set resolved_at = $2, resolution = 'healed' where id = any($1) and resolved_at is null",
        &ids[..],
        instant::to_stored_time(at)
    )
    .execute(pool)
    .await
    .map_err(Failure::from_commit_error)?;
    Ok(healed.rows_affected())
}

pub(super) async fn count_raised_and_open_anomalies(pool: &PgPool) -> Result<(u64, u64), Failure> {
    let counts = sqlx::query!(
        r#"select count(*) as "raised!", count(*) filter (where resolved_at is null) as "open!" from anomalies"#
    )
    .fetch_one(pool)
    .await
    .map_err(Failure::from_read_error)?;
    Ok((counts.raised.cast_unsigned(), counts.open.cast_unsigned()))
}

pub(super) async fn close_anomaly_by_person(
    pool: &PgPool,
    id: u128,
    resolution: &str,
    at: Timestamp,
) -> Result<bool, Failure> {
    let resolved = sqlx::query!(
        "update anomalies set resolved_at = $2, resolution = $3 where id = $1 and resolved_at is null",
        Uuid::from_u128(id),
        instant::to_stored_time(at),
        resolution
    )
    .execute(pool)
    .await
    .map_err(Failure::from_commit_error)?;
    Ok(resolved.rows_affected() == 1)
}

pub(super) async fn account_of_payment(
    pool: &PgPool,
    id: &PaymentIntentId,
) -> Result<Option<AccountId>, Failure> {
    let account = sqlx::query_scalar!(
        "select account_id from provider_pi where payment_intent_id = $1",
        id.0
    )
    .fetch_optional(pool)
    .await
    .map_err(Failure::from_read_error)?;
    Ok(account.map(AccountId))
}

pub(super) async fn club_of_account(
    pool: &PgPool,
    account: &AccountId,
) -> Result<Option<ClubId>, Failure> {
    let club = sqlx::query_scalar!(
        "select id from clubs where stripe_connect_account_id = $1",
        account.0
    )
    .fetch_optional(pool)
    .await
    .map_err(Failure::from_read_error)?;
    Ok(club.map(ClubId))
}

pub(super) async fn ticket_owner(
    pool: &PgPool,
    draw: DrawId,
    serial: Serial,
) -> Result<Option<OrderId>, Failure> {
    let order = sqlx::query_scalar!(
        "select l.order_id from tickets t join order_lines l on l.id = t.order_line_id
         where t.draw_id = $1 and t.serial = $2",
        draw.0,
        serial.number().cast_signed()
    )
    .fetch_optional(pool)
    .await
    .map_err(Failure::from_read_error)?;
    Ok(order.map(|id| OrderId(id.as_u128())))
}

/// Returns anomalies, newest first, at most `limit`.
pub(super) async fn newest_anomalies(
    pool: &PgPool,
    only_open: bool,
    limit: u32,
) -> Result<Vec<AnomalyRecord>, Failure> {
    let rows = sqlx::query!(
        "select id, kind, payment_intent_id, order_id, note, amount_cents, detected_at, resolved_at from anomalies
         where not $1 or resolved_at is null order by detected_at desc, id limit $2",
        only_open,
        i64::from(limit)
    )
    .fetch_all(pool)
    .await
    .map_err(Failure::from_read_error)?;
    rows.into_iter()
        .map(|row| {
            Ok(AnomalyRecord {
                pause: DrawPause::from_note(&row.note),
                id: row.id.as_u128(),
                anomaly: Anomaly {
                    kind: codec::parse_anomaly_kind(&row.kind)?,
                    payment_intent: row.payment_intent_id.map(PaymentIntentId),
                    order: row.order_id.map(|id| OrderId(id.as_u128())),
                    note: row.note,
                },
                amount: row.amount_cents.map(Cents),
                detected_at: instant::from_stored_time(row.detected_at),
                resolved_at: row.resolved_at.map(instant::from_stored_time),
            })
        })
        .collect()
}
