//! Deletes or corrects what followed from a result that is undone: unpaid payouts, the winner's
//! claim, and the winner's mails.

use domain::DrawId;
use sqlx::postgres::PgConnection;

use super::ledger::PreparedCommit;
use super::writer::TransactionError;
use crate::error::Failure;

/// Reverts the consequences of results. Refused when a winner was already paid (decision E-6).
pub(super) async fn revert_results(
    connection: &mut PgConnection,
    commits: &[&PreparedCommit],
) -> Result<(), TransactionError> {
    for commit in commits
        .iter()
        .filter(|commit| commit.change.outcome == Some(None))
    {
        let draw = commit.append.draw;
        delete_payouts(connection, draw).await?;
        sqlx::query!("delete from winner_claims where draw_id = $1", draw.0)
            .execute(&mut *connection)
            .await?;
        correct_winner_mails(connection, draw, commit.append.after + 1).await?;
    }
    Ok(())
}

/// Deletes pending payouts and the share of the club. The delete waits for a concurrent transaction
/// that completes a payout. If the payout to the winner is completed, the undo is refused. The
/// club's share only records what the provider paid out (decision D-17), so the next result can
/// record it again.
async fn delete_payouts(
    connection: &mut PgConnection,
    draw: DrawId,
) -> Result<(), TransactionError> {
    sqlx::query!(
        "delete from payouts where draw_id = $1 and (status = 'pending' or type = 'club_share')",
        draw.0
    )
    .execute(&mut *connection)
    .await?;
    let paid = sqlx::query_scalar!(
        r#"select exists (
           select from payouts where draw_id = $1 and type = 'winner' and status = 'completed') as "paid!""#,
        draw.0
    )
    .fetch_one(connection)
    .await?;
    if paid {
        Err(TransactionError::Refused(Failure::PaidOut))
    } else {
        Ok(())
    }
}

/// Corrects the mails to winners. A mail that was never tried is cancelled. For a mail that may
/// have been read, a correction is queued. The old dedupe keys are renamed, so that the next result
/// can be mailed (decision E-7). A winner who got several mails gets one correction.
async fn correct_winner_mails(
    connection: &mut PgConnection,
    draw: DrawId,
    revision: u64,
) -> Result<(), TransactionError> {
    sqlx::query!(
        "with gone as (
           update email_outbox set
             dedupe_key = dedupe_key || ':undone:' || $2,
             why = case when state = 'pending' then 'the result was taken back' else why end,
             state = case when state = 'pending' then 'dead' else state end
           where kind = 'winner' and (data::jsonb ->> 'draw')::bigint = $1 and dedupe_key not like '%:undone:%'
           returning dedupe_key, order_id, to_address, attempts
         )
         insert into email_outbox (dedupe_key, kind, order_id, to_address, data)
         select distinct on (order_id, to_address) 'correction:' || dedupe_key, 'correction', order_id, to_address,
             json_build_object('draw', $1)::text
         from gone where attempts > 0 order by order_id, to_address, dedupe_key",
        draw.0,
        revision.to_string()
    )
    .execute(connection)
    .await?;
    Ok(())
}
