//! Taking a draw from an owner that nobody reaches, and whose last transaction nobody may ever end.

use std::pin::pin;
use std::time::Duration;

use domain::DrawId;
use sqlx::postgres::PgPool;
use tokio::time::timeout;

use super::claims::claim;
use crate::error::Failure;
use crate::ledger::Claims;
use crate::nodes::Boot;
use crate::seal::Sealer;

/// Between two statements of one of our transactions lies a moment, not this.
const STANDS_STILL_MS: i64 = 500;
/// So often it is looked whether somebody does, while the draw's row is waited for.
const LOOK: Duration = Duration::from_millis(200);
/// A row that somebody holds who does not stand still is waited for so many times as long as any lock.
const TURNS: usize = 3;

/// Like a claim, from that owner whatever lease runs. Its link may be so bad that a transaction of its stands still for seconds
/// between two statements, and the draw's row with it. It is ended: it would be fenced if it came back, and who never sent
/// `COMMIT` was told nothing. Whose `COMMIT` is under way will not know what became of it, and reads the books.
pub(super) async fn take_over(
    pool: &PgPool,
    sealer: &Sealer,
    me: Boot,
    draw: DrawId,
    from: Boot,
) -> Result<Claims, Failure> {
    let mut turns_left = TURNS;
    loop {
        turns_left -= 1;
        match claim_through(pool, sealer, me, draw, from).await {
            Err(Failure::NotWritten(why) | Failure::Collided(why)) if turns_left > 0 => {
                tracing::debug!(draw.id = %draw, why, "it is tried again");
            }
            done => return done,
        }
    }
}

/// A claim, while whoever holds the draw's row and stands still is ended.
async fn claim_through(
    pool: &PgPool,
    sealer: &Sealer,
    me: Boot,
    draw: DrawId,
    from: Boot,
) -> Result<Claims, Failure> {
    let draws = [draw];
    let mut claim = pin!(claim(pool, sealer, me, &draws, Some(from)));
    loop {
        end_what_stands_still(pool, draw).await?;
        if let Ok(claimed) = timeout(LOOK, &mut claim).await {
            return claimed;
        }
    }
}

/// Ends whoever holds a draw's row in a transaction and says nothing. Only a session of our own login: others are none of ours.
async fn end_what_stands_still(pool: &PgPool, draw: DrawId) -> Result<(), Failure> {
    let ended: Vec<bool> = sqlx::query_scalar(
        "select pg_terminate_backend(a.pid)
         from draws d
         join pg_locks l on l.locktype = 'transactionid' and l.granted and l.transactionid = d.xmax
         join pg_stat_activity a on a.pid = l.pid
         where d.id = $1 and a.usename = current_user and a.state like 'idle in transaction%'
           and a.state_change < clock_timestamp() - $2 * interval '1 millisecond'",
    )
    .bind(draw.0)
    .bind(STANDS_STILL_MS)
    .fetch_all(pool)
    .await
    .map_err(Failure::from_read)?;
    if !ended.is_empty() {
        tracing::warn!(draw.id = %draw, "a transaction that stood still on a draw is ended");
    }
    Ok(())
}
