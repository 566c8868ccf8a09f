//! SQL statements for anomalies. At most one open anomaly of each kind exists for the same payment.

use std::collections::BTreeSet;

use domain::{
    AccountId, Anomaly, AnomalyKind, Cents, ClubId, DrawId, DrawPause, OrderId, PaymentIntentId,
    Serial, Timestamp,
};
use sqlx::Row;
use sqlx::postgres::{PgPool, PgRow};
use time::OffsetDateTime;
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
    let raised = sqlx::query(
        "insert into anomalies (kind, payment_intent_id, order_id, amount_cents, note, detected_at)
         select $1, $2, $3, $4, $5, $6
         where $2::text is null or not exists (
           select from anomalies where payment_intent_id = $2 and kind = $1 and note = $5 and resolution <> 'healed')
         on conflict (kind, subject) where resolved_at is null do nothing",
    )
    .bind(codec::anomaly_kind_text(anomaly.kind))
    .bind(anomaly.payment_intent.as_ref().map(|id| id.0.as_str()))
    .bind(anomaly.order.map(codec::order_uuid))
    .bind(amount.map(|amount| amount.0))
    .bind(&anomaly.note)
    .bind(instant::to_stored_time(at))
    .execute(pool)
    .await
    .map_err(Failure::from_commit_error)?;
    Ok(raised.rows_affected() == 1)
}

/// SQL condition for an open anomaly about the payment `$1`. The anomaly names either that payment,
/// or no payment and the order of that payment.
macro_rules! open_about {
    () => {
        "resolved_at is null and (payment_intent_id = $1
           or payment_intent_id is null and order_id = (select id from orders where payment_intent_id = $1))"
    };
}

pub(super) async fn resolve_healed_anomalies(
    pool: &PgPool,
    payment_intent: &PaymentIntentId,
    kind: AnomalyKind,
    at: Timestamp,
) -> Result<u64, Failure> {
    let healed = sqlx::query(concat!(
        "update anomalies set resolved_at = $3, resolution = 'healed' where kind = $2 and ",
        open_about!()
    ))
    .bind(&payment_intent.0)
    .bind(codec::anomaly_kind_text(kind))
    .bind(instant::to_stored_time(at))
    .execute(pool)
    .await
    .map_err(Failure::from_commit_error)?;
    Ok(healed.rows_affected())
}

pub(super) async fn open_anomaly_ids_of_payment(
    pool: &PgPool,
    payment_intent: &PaymentIntentId,
) -> Result<Vec<u128>, Failure> {
    let open: Vec<Uuid> =
        sqlx::query_scalar(concat!("select id from anomalies where ", open_about!()))
            .bind(&payment_intent.0)
            .fetch_all(pool)
            .await
            .map_err(Failure::from_read_error)?;
    Ok(open.into_iter().map(|id| id.as_u128()).collect())
}

pub(super) async fn payments_with_open_anomalies(
    pool: &PgPool,
    among: &[PaymentIntentId],
) -> Result<BTreeSet<PaymentIntentId>, Failure> {
    let among: Vec<&str> = among.iter().map(|id| id.0.as_str()).collect();
    let reported: Vec<String> = sqlx::query_scalar(
        "select w.id from anomalies a
         left join orders o on a.payment_intent_id is null and o.id = a.order_id
         join unnest($1::text[]) as w (id) on w.id = coalesce(a.payment_intent_id, o.payment_intent_id)
         where a.resolved_at is null",
    )
    .bind(among)
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
    let healed = sqlx::query(
        "update anomalies set resolved_at = $2, resolution = 'healed' where id = any($1) and resolved_at is null",
    )
    .bind(ids)
    .bind(instant::to_stored_time(at))
    .execute(pool)
    .await
    .map_err(Failure::from_commit_error)?;
    Ok(healed.rows_affected())
}

pub(super) async fn count_raised_and_open_anomalies(pool: &PgPool) -> Result<(u64, u64), Failure> {
    let counts: (i64, i64) = sqlx::query_as(
        "select count(*), count(*) filter (where resolved_at is null) from anomalies",
    )
    .fetch_one(pool)
    .await
    .map_err(Failure::from_read_error)?;
    Ok((counts.0.cast_unsigned(), counts.1.cast_unsigned()))
}

pub(super) async fn close_anomaly_by_person(
    pool: &PgPool,
    id: u128,
    resolution: &str,
    at: Timestamp,
) -> Result<bool, Failure> {
    let resolved =
        sqlx::query("update anomalies set resolved_at = $2, resolution = $3 where id = $1 and resolved_at is null")
            .bind(Uuid::from_u128(id))
            .bind(instant::to_stored_time(at))
            .bind(resolution)
            .execute(pool)
            .await
            .map_err(Failure::from_commit_error)?;
    Ok(resolved.rows_affected() == 1)
}

pub(super) async fn account_of_payment(
    pool: &PgPool,
    id: &PaymentIntentId,
) -> Result<Option<AccountId>, Failure> {
    let account: Option<String> =
        sqlx::query_scalar("select account_id from provider_pi where payment_intent_id = $1")
            .bind(&id.0)
            .fetch_optional(pool)
            .await
            .map_err(Failure::from_read_error)?;
    Ok(account.map(AccountId))
}

pub(super) async fn club_of_account(
    pool: &PgPool,
    account: &AccountId,
) -> Result<Option<ClubId>, Failure> {
    let club: Option<i64> =
        sqlx::query_scalar("select id from clubs where stripe_connect_account_id = $1")
            .bind(&account.0)
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
    let order: Option<Uuid> = sqlx::query_scalar(
        "select l.order_id from tickets t join order_lines l on l.id = t.order_line_id
         where t.draw_id = $1 and t.serial = $2",
    )
    .bind(draw.0)
    .bind(serial.number().cast_signed())
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
    let rows = sqlx::query(
        "select id, kind, payment_intent_id, order_id, note, amount_cents, detected_at, resolved_at from anomalies
         where not $1 or resolved_at is null order by detected_at desc, id limit $2",
    )
    .bind(only_open)
    .bind(i64::from(limit))
    .fetch_all(pool)
    .await
    .map_err(Failure::from_read_error)?;
    rows.iter().map(read_anomaly_row).collect()
}

fn read_anomaly_row(row: &PgRow) -> Result<AnomalyRecord, Failure> {
    let kind = codec::parse_anomaly_kind(row.try_get("kind").map_err(Failure::from_read_error)?)?;
    let record = || {
        let note: String = row.try_get("note")?;
        Ok(AnomalyRecord {
            pause: DrawPause::from_note(&note),
            id: row.try_get::<Uuid, _>("id")?.as_u128(),
            anomaly: Anomaly {
                kind,
                payment_intent: row
                    .try_get::<Option<String>, _>("payment_intent_id")?
                    .map(PaymentIntentId),
                order: row
                    .try_get::<Option<Uuid>, _>("order_id")?
                    .map(|id| OrderId(id.as_u128())),
                note,
            },
            amount: row.try_get::<Option<i64>, _>("amount_cents")?.map(Cents),
            detected_at: instant::from_stored_time(row.try_get("detected_at")?),
            resolved_at: row
                .try_get::<Option<OffsetDateTime>, _>("resolved_at")?
                .map(instant::from_stored_time),
        })
    };
    record().map_err(Failure::from_read_error)
}
