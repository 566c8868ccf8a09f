//! Settings of the whole service. Each has a key and a text value.

use std::collections::BTreeMap;

use sqlx::PgPool;
use time::OffsetDateTime;

use super::Records;
use super::audit::AuditEntry;
use crate::Failure;

/// Key: whether new payment intents are refused, while everything else works (decision I-5).
pub const MAINTENANCE_MODE: &str = "maintenance_mode";
/// Key: whether clubs may register. On when the setting is absent (decision I-6).
pub const CLUB_REGISTRATION_ENABLED: &str = "club_registration_enabled";
/// Key: whether the console's lists leave out test draws. On when the setting is absent (decision
/// E-15).
pub const HIDE_TEST_DRAWS: &str = "hide_test_draws";
/// Key: how card fees are computed, `per_line` (the default) or `per_charge` (decision D-6).
pub const SURCHARGE_MODE: &str = "surcharge_mode";
/// Key: whether clubs may let buyers pay the card fee, `true` or `false`. When absent, the
/// environment variable decides (decision D-14).
pub const FEE_PASSTHROUGH_ALLOWED: &str = "fee_passthrough_allowed";

/// A setting with its current value, and the person who set it last.
#[derive(Clone, Debug)]
pub struct SettingRow {
    pub id: i64,
    pub key: String,
    pub value: String,
    pub description: Option<String>,
    pub updated_at: OffsetDateTime,
    pub updated_by: Option<String>,
}

impl Records {
    /// Returns all settings, sorted by key.
    pub async fn setting_rows(&self) -> Result<Vec<SettingRow>, Failure> {
        let read = sqlx::query_as!(
            SettingRow,
            "select id, key, value, description, updated_at, updated_by from system_settings order by key"
        );
        self.run_read(async move |pool: PgPool| read.fetch_all(&pool).await)
            .await
    }

    /// Sets a value and, if given, a description. Writes the audit entry.
    pub async fn change_setting(
        &self,
        key: &str,
        value: &str,
        description: Option<&str>,
        by: &str,
        entry: AuditEntry,
    ) -> Result<(), Failure> {
        let write = sqlx::query!(
            "insert into system_settings (key, value, description, updated_by) values ($1, $2, $3, $4)
             on conflict (key) do update set value = $2, description = coalesce($3, system_settings.description),
                 updated_by = $4, updated_at = transaction_instant()",
            key,
            value,
            description,
            by
        );
        self.write_with_audit_entry(write, entry, false).await?;
        Ok(())
    }

    pub async fn settings(&self) -> Result<BTreeMap<String, String>, Failure> {
        let read = sqlx::query!("select key, value from system_settings");
        let rows = self
            .run_read(async move |pool: PgPool| read.fetch_all(&pool).await)
            .await?;
        Ok(rows.into_iter().map(|row| (row.key, row.value)).collect())
    }

    pub async fn set_setting(&self, key: &str, value: &str, by: &str) -> Result<(), Failure> {
        let write = sqlx::query!(
            "insert into system_settings (key, value, updated_by) values ($1, $2, $3)
             on conflict (key) do update set value = $2, updated_by = $3, updated_at = transaction_instant()",
            key,
            value,
            by
        );
        self.execute(write).await?;
        Ok(())
    }
}
