//! What must go with a result that is taken back: payouts that were not made, the winner's claim, and the winner's belief.

use domain::DrawId;
use sqlx::postgres::PgConnection;

use super::group::Commit;
use super::writer::Trouble;
use crate::error::Failure;

/// Money that reached a winner cannot be taken back, and neither can its result (decision E-6).
pub(super) async fn write(
    connection: &mut PgConnection,
    commits: &[&Commit],
) -> Result<(), Trouble> {
    for commit in commits
        .iter()
        .filter(|commit| commit.change.outcome == Some(None))
    {
        let draw = commit.append.draw;
        drop_payouts(connection, draw).await?;
        sqlx::query("delete from winner_claims where draw_id = $1")
            .bind(draw.0)
            .execute(&mut *connection)
            .await?;
        correct(connection, draw, commit.append.after + 1).await?;
    }
    Ok(())
}

/// Deleting waits for whoever is completing one at this moment; what is left then decides. The club's own share only says what
/// the provider paid out (decision D-17): it goes with the result, and the next result says it anew.
async fn drop_payouts(connection: &mut PgConnection, draw: DrawId) -> Result<(), Trouble> {
    sqlx::query(
        "delete from payouts where draw_id = $1 and (status = 'pending' or type = 'club_share')",
    )
    .bind(draw.0)
    .execute(&mut *connection)
    .await?;
    let paid = "select exists (select from payouts where draw_id = $1 and type = 'winner' and status = 'completed')";
    let paid: bool = sqlx::query_scalar(paid)
        .bind(draw.0)
        .fetch_one(connection)
        .await?;
    if paid {
        Err(Trouble::Refused(Failure::PaidOut))
    } else {
        Ok(())
    }
}

/// A winner's mail that nobody tried to send yet never leaves; whoever may have read one hears that it no longer holds. The
/// old keys are set aside, so that a result entered again is told again (decision E-7).
async fn correct(
    connection: &mut PgConnection,
    draw: DrawId,
    revision: u64,
) -> Result<(), Trouble> {
    sqlx::query(
        "with gone as (
           update email_outbox set
             dedupe_key = dedupe_key || ':undone:' || $2,
             why = case when state = 'pending' then 'the result was taken back' else why end,
             state = case when state = 'pending' then 'dead' else state end
           where kind = 'winner' and (data::jsonb ->> 'draw')::bigint = $1 and dedupe_key not like '%:undone:%'
           returning dedupe_key, order_id, to_address, attempts
         )
         insert into email_outbox (dedupe_key, kind, order_id, to_address, data)
         select 'correction:' || dedupe_key, 'correction', order_id, to_address, json_build_object('draw', $1)::text
         from gone where attempts > 0",
    )
    .bind(draw.0)
    .bind(revision.to_string())
    .execute(connection)
    .await?;
    Ok(())
}
