//! Changes that only the demo's seed data needs: they move a sold draw into the past.

use domain::DrawId;
use sqlx::postgres::types::PgInterval;
use sqlx::{PgConnection, PgPool};

use super::{Records, bump_catalogue_revision};
use crate::Failure;

impl Records {
    /// Moves a draw with its sales and orders into the past by `by_ms` milliseconds. The draw's
    /// actor must not be running, because it would not see the change.
    pub async fn backdate_draw(&self, draw: DrawId, by_ms: i64) -> Result<(), Failure> {
        let work = async move |pool: PgPool| {
            let mut transaction = pool.begin().await?;
            let by = PgInterval {
                months: 0,
                days: 0,
                microseconds: by_ms * 1000,
            };
            move_into_past(&mut transaction, draw, &by).await?;
            bump_catalogue_revision(&mut transaction).await?;
            transaction.commit().await?;
            Ok(())
        };
        self.run_write(work).await
    }
}

/// Moves all times of a draw into the past. Also moves the times of orders that contain only this
/// draw.
async fn move_into_past(
    connection: &mut PgConnection,
    draw: DrawId,
    by: &PgInterval,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update draws set kick_off = kick_off - $2::interval, opens_at = opens_at - $2, closed_at = closed_at - $2,
             completed_at = completed_at - $2, created_at = created_at - $2 where id = $1",
        draw.0,
        by
    )
    .execute(&mut *connection)
    .await?;
    sqlx::query!(
        "update draw_events set at = at - $2::interval where draw_id = $1",
        draw.0,
        by
    )
    .execute(&mut *connection)
    .await?;
    sqlx::query!(
        "update tickets set sold_at = sold_at - $2::interval where draw_id = $1",
        draw.0,
        by
    )
    .execute(&mut *connection)
    .await?;
    sqlx::query!(
        "update fee_ledger set at = at - $2::interval where draw_id = $1",
        draw.0,
        by
    )
    .execute(&mut *connection)
    .await?;
    sqlx::query!(
        "update orders o set opened_at = opened_at - $2::interval, consent_at = consent_at - $2,
             authorised_at = authorised_at - $2, allocated_at = allocated_at - $2,
             captured_at = captured_at - $2, ended_at = ended_at - $2
         where o.lines = 1 and exists (select 1 from order_lines l where l.order_id = o.id and l.draw_id = $1)",
        draw.0,
        by
    )
    .execute(&mut *connection)
    .await?;
    sqlx::query!(
        "update winner_claims set respond_by = respond_by - $2::interval, received_at = received_at - $2, paid_at = paid_at - $2,
             created_at = created_at - $2 where draw_id = $1",
        draw.0,
        by
    )
    .execute(&mut *connection)
    .await?;
    // The added hours make a payout appear recorded after the game, and completed on the day after
    // the game.
    sqlx::query!(
        "update payouts set created_at = created_at - $2::interval + interval '4 hours',
             completed_at = completed_at - $2 + interval '28 hours' where draw_id = $1",
        draw.0,
        by
    )
    .execute(&mut *connection)
    .await?;
    Ok(())
}
