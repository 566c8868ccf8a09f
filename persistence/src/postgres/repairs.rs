//! SQL statements for operators' repairs. Of the two kinds of repair (give tickets, refund), only
//! one runs at a time for a payment.

use domain::{PaymentIntentId, Timestamp};
use sqlx::postgres::PgPool;

use super::{codec, instant};
use crate::error::Failure;
use crate::stores::{PaymentRepair, REPAIR_BLOCK_MS};

pub(super) async fn begin(
    pool: &PgPool,
    id: &PaymentIntentId,
    repair: PaymentRepair,
    at: Timestamp,
) -> Result<bool, Failure> {
    let begun = sqlx::query!(
        "insert into repairs (payment_intent_id, repair, until) values ($1, $2, $3)
         on conflict (payment_intent_id) do update set repair = excluded.repair, until = excluded.until
           where repairs.repair = excluded.repair or repairs.until <= $4",
        id.0,
        codec::repair_text(repair),
        instant::to_stored_time(at.plus_ms(REPAIR_BLOCK_MS)),
        instant::to_stored_time(at)
    )
    .execute(pool)
    .await
    .map_err(Failure::from_commit_error)?;
    Ok(begun.rows_affected() == 1)
}

pub(super) async fn end(
    pool: &PgPool,
    id: &PaymentIntentId,
    repair: PaymentRepair,
) -> Result<(), Failure> {
    sqlx::query!(
        "delete from repairs where payment_intent_id = $1 and repair = $2",
        id.0,
        codec::repair_text(repair)
    )
    .execute(pool)
    .await
    .map_err(Failure::from_commit_error)?;
    Ok(())
}
