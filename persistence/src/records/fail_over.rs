//! Recovery after the primary database was replaced by a promoted replica or a restored backup. The
//! new database may lack the last commits.

use sqlx::PgPool;

use super::audit::{self, AuditAction};
use super::settings::MAINTENANCE_MODE;
use super::{COMMAND_LINE_ACTOR, Records, bump_catalogue_revision};
use crate::Failure;

/// By how much the epoch of each draw is increased. The increase far exceeds the number of claims
/// that the new database can lack. Otherwise a new claim could get the epoch of a lost claim, and
/// both owners could write.
const EPOCHS_SKIPPED: i64 = 1_000_000;

impl Records {
    /// Removes the owner of every draw, so that later writes of earlier owners are refused.
    ///
    /// Also turns on maintenance mode, because lost payments must be found before anything is sold.
    /// Skips draw numbers that may have been assigned, and writes an audit entry. Returns the
    /// number of draws.
    ///
    /// # Errors
    ///
    /// [`Failure::Unknown`] or [`Failure::NotWritten`]. The caller may call again, because a
    /// repeated call is harmless.
    pub async fn fence_all_draws(&self, numbers_skipped: i64) -> Result<u64, Failure> {
        let sealer = self.postgres.sealer().clone();
        let work = async move |pool: PgPool| {
            let mut transaction = pool.begin().await?;
            let fenced = sqlx::query!(
                "update draws set owner_epoch = owner_epoch + $1, owner_boot = null",
                EPOCHS_SKIPPED
            );
            let draws = fenced.execute(&mut *transaction).await?.rows_affected();
            sqlx::query!("delete from nodes")
                .execute(&mut *transaction)
                .await?;
            let skipped = sqlx::query!(
                "select from setval('draw_number', nextval('draw_number') + $1)",
                numbers_skipped
            );
            skipped.execute(&mut *transaction).await?;
            sqlx::query!(
                "insert into system_settings (key, value, updated_by) values ($1, 'true', $2)
                 on conflict (key) do update set value = 'true', updated_by = $2, updated_at = now()",
                MAINTENANCE_MODE,
                COMMAND_LINE_ACTOR
            )
            .execute(&mut *transaction)
            .await?;
            let action = AuditAction {
                actor: COMMAND_LINE_ACTOR,
                club: None,
                action: "fence",
                object: "draws",
                ip: None,
            };
            let detail = serde_json::json!({ "draws": draws, "epochsSkipped": EPOCHS_SKIPPED });
            audit::write_entry(&mut transaction, &sealer, &action.entry(detail)).await?;
            bump_catalogue_revision(&mut transaction).await?;
            transaction.commit().await?;
            Ok(draws)
        };
        self.run_write(work).await
    }
}
