//! Takes a draw from an unreachable owner. The owner's last transaction may still be open and lock
//! the draw's row.

use std::pin::pin;
use std::time::Duration;

use domain::DrawId;
use sqlx::postgres::PgPool;
use tokio::time::timeout;

use super::claims::claim_draws;
use crate::error::Failure;
use crate::ledger::DrawClaims;
use crate::nodes::InstanceId;
use crate::seal::Sealer;

/// How long a transaction that locks the draw's row may be idle before it is ended, in
/// milliseconds. Our transactions pause much less between two statements.
const IDLE_TRANSACTION_MS_MAX: i64 = 500;
/// How often idle transactions are searched for while the claim waits for the lock of the draw's
/// row.
const IDLE_CHECK_INTERVAL: Duration = Duration::from_millis(200);
/// Maximum number of attempts to claim the draw. Each attempt waits up to the lock timeout for a
/// transaction that is not idle.
const CLAIM_TRIES_MAX: usize = 3;

/// Claims a draw from the given owner, even if the owner's lease has not ended.
///
/// The owner's connection may be so slow that its transaction is idle for seconds and keeps the
/// draw's row locked. That transaction is ended. No acknowledged commit is lost: before `COMMIT`
/// was sent, the owner has acknowledged nothing. After that, the owner gets an unknown outcome and
/// reads the database.
pub(super) async fn take_over(
    pool: &PgPool,
    sealer: &Sealer,
    me: InstanceId,
    draw: DrawId,
    from: InstanceId,
) -> Result<DrawClaims, Failure> {
    let mut tries_left = CLAIM_TRIES_MAX;
    loop {
        tries_left -= 1;
        match claim_past_idle_transactions(pool, sealer, me, draw, from).await {
            Err(Failure::NotWritten(why) | Failure::Collided(why)) if tries_left > 0 => {
                tracing::debug!(draw.id = %draw, why, "takeover failed and is tried again");
            }
            done => return done,
        }
    }
}

/// Claims a draw. While the claim waits for the draw's row, ends idle transactions that lock this
/// row.
async fn claim_past_idle_transactions(
    pool: &PgPool,
    sealer: &Sealer,
    me: InstanceId,
    draw: DrawId,
    from: InstanceId,
) -> Result<DrawClaims, Failure> {
    let draws = [draw];
    let mut claim = pin!(claim_draws(pool, sealer, me, &draws, Some(from)));
    loop {
        end_idle_transactions(pool, draw).await?;
        if let Ok(claims) = timeout(IDLE_CHECK_INTERVAL, &mut claim).await {
            return claims;
        }
    }
}

/// Ends the database sessions of our own login that have an idle transaction which locks the draw's
/// row.
async fn end_idle_transactions(pool: &PgPool, draw: DrawId) -> Result<(), Failure> {
    let ended = sqlx::query_scalar!(
        "select pg_terminate_backend(a.pid)
         from draws d
         join pg_locks l on l.locktype = 'transactionid' and l.granted and l.transactionid = d.xmax
         join pg_stat_activity a on a.pid = l.pid
         where d.id = $1 and a.usename = current_user and a.state like 'idle in transaction%'
           and a.state_change < clock_timestamp() - $2 * interval '1 millisecond'",
        draw.0,
        IDLE_TRANSACTION_MS_MAX as f64
    )
    .fetch_all(pool)
    .await
    .map_err(Failure::from_read_error)?;
    if !ended.is_empty() {
        tracing::warn!(draw.id = %draw, "ended an idle transaction that locked a draw");
    }
    Ok(())
}
