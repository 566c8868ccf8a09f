//! Another Postgres in the place of the one that was written, which may lack its last commits: a copy that was promoted, or a
//! backup that was restored.

use sqlx::PgPool;

use super::audit::{self, Act};
use super::settings::MAINTENANCE_MODE;
use super::{COMMAND_LINE, Records, catalogue_changed};
use crate::Failure;

/// Far more than anybody can have claimed in commits that were lost. A claim that was lost is made again under the same number:
/// two owners would have the same epoch, and the fence would let both write.
const EPOCHS_SKIPPED: i64 = 1_000_000;

impl Records {
    /// Nobody who owned a draw owns it any more, and what they still write is refused for good. Sales are closed (maintenance
    /// mode), so that what was forgotten is found before anything is sold; draws' numbers skip so many that may have been given
    /// out. It stands in the audit log. How many draws there are.
    ///
    /// # Errors
    /// `Unknown`, or `NotWritten`: ask again; twice does no harm.
    pub async fn fence(&self, numbers_skipped: i64) -> Result<u64, Failure> {
        let work = async move |pool: PgPool| {
            let mut transaction = pool.begin().await?;
            let fenced =
                sqlx::query("update draws set owner_epoch = owner_epoch + $1, owner_boot = null");
            let draws = fenced
                .bind(EPOCHS_SKIPPED)
                .execute(&mut *transaction)
                .await?
                .rows_affected();
            sqlx::query("delete from nodes")
                .execute(&mut *transaction)
                .await?;
            let skipped = sqlx::query("select setval('draw_number', nextval('draw_number') + $1)");
            skipped
                .bind(numbers_skipped)
                .execute(&mut *transaction)
                .await?;
            let closed = "insert into system_settings (key, value, updated_by) values ($1, 'true', $2)
                 on conflict (key) do update set value = 'true', updated_by = $2, updated_at = now()";
            sqlx::query(closed)
                .bind(MAINTENANCE_MODE)
                .bind(COMMAND_LINE)
                .execute(&mut *transaction)
                .await?;
            let act = Act {
                actor: COMMAND_LINE,
                club: None,
                action: "fence",
                object: "draws",
                ip: None,
            };
            let detail = serde_json::json!({ "draws": draws, "epochsSkipped": EPOCHS_SKIPPED });
            audit::write(&mut transaction, &act.entry(detail)).await?;
            catalogue_changed(&mut transaction).await?;
            transaction.commit().await?;
            Ok(draws)
        };
        self.write(work).await
    }
}
