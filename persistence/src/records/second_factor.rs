//! The second factor of operators (RFC 6238): a secret that the operator's authenticator app
//! shares, sealed in the database. Each code works once.

use domain::Timestamp;
use sqlx::PgPool;

use super::audit::{self, AuditAction};
use super::{COMMAND_LINE_ACTOR, Records, to_column_time};
use crate::Failure;

/// The purpose under which the second factor's secret is sealed. Its sealing id is the operator's
/// id.
const SECOND_FACTOR_PURPOSE: &str = "operator-second-factor";

#[derive(Clone, PartialEq, Eq)]
pub struct SecondFactor {
    pub secret: Vec<u8>,
    /// Whether enrolment is complete, which means that a code was accepted.
    pub enrolled: bool,
    /// The newest time step whose code was accepted. This code and older ones are refused.
    pub last_step: i64,
}

impl Records {
    /// Returns an operator's second factor. `None` when enrolment has not begun.
    pub async fn second_factor(&self, admin: i64) -> Result<Option<SecondFactor>, Failure> {
        let read = sqlx::query!(
            r#"select totp_secret_sealed as "sealed!", totp_enrolled_at is not null as "enrolled!", totp_last_step
             from admins where id = $1 and totp_secret_sealed is not null"#,
            admin
        );
        let row = self
            .run_read(async move |pool: PgPool| read.fetch_optional(&pool).await)
            .await?;
        row.map(|row| {
            let secret = self
                .postgres
                .sealer()
                .open(SECOND_FACTOR_PURPOSE, admin, &row.sealed)?;
            Ok(SecondFactor {
                secret,
                enrolled: row.enrolled,
                last_step: row.totp_last_step,
            })
        })
        .transpose()
    }

    /// Stores a second-factor secret for an operator who has none. An existing secret is not
    /// replaced, so that a repeated enrolment page shows the same secret.
    pub async fn begin_second_factor(&self, admin: i64, secret: &[u8]) -> Result<(), Failure> {
        let sealed = self
            .postgres
            .sealer()
            .seal(SECOND_FACTOR_PURPOSE, admin, secret);
        self.execute(sqlx::query!(
            "update admins set totp_secret_sealed = $2 where id = $1 and totp_secret_sealed is null",
            admin,
            sealed
        ))
            .await?;
        Ok(())
    }

    /// Marks the code of a time step as used. Returns `false` when this code, or a later one, was
    /// used before. The first use completes the enrolment.
    pub async fn mark_code_step_used(
        &self,
        admin: i64,
        step: i64,
        at: Timestamp,
    ) -> Result<bool, Failure> {
        let write = sqlx::query!(
            "update admins set totp_last_step = $2, totp_enrolled_at = coalesce(totp_enrolled_at, $3)
             where id = $1 and totp_last_step < $2",
            admin,
            step,
            to_column_time(at)
        );
        Ok(self.execute(write).await? > 0)
    }

    /// Deletes the second factor of an operator who lost the phone, ends all sessions and writes an
    /// audit entry. The operator enrols again at the next sign-in. Returns `false` when no operator
    /// has the e-mail address.
    pub async fn forget_second_factor(&self, email: &str) -> Result<bool, Failure> {
        let email = email.to_string();
        let sealer = self.postgres.sealer().clone();
        let work = async move |pool: PgPool| {
            let mut transaction = pool.begin().await?;
            let found: Option<i64> = sqlx::query_scalar!(
                "with forgotten as (
                 update admins set totp_secret_sealed = null, totp_enrolled_at = null where lower(email) = lower($1)
                 returning id
             ), closed as (delete from sessions where admin_id in (select id from forgotten))
             select id from forgotten",
                email
            )
            .fetch_optional(&mut *transaction)
            .await?;
            if let Some(id) = found {
                let (action, object) = ("forget-second-factor", format!("admin:{id}"));
                let action = AuditAction {
                    actor: COMMAND_LINE_ACTOR,
                    club: None,
                    action,
                    object: &object,
                    ip: None,
                };
                audit::write_entry(
                    &mut transaction,
                    &sealer,
                    &action.entry(serde_json::json!({})),
                )
                .await?;
            }
            transaction.commit().await?;
            Ok(found.is_some())
        };
        self.run_write(work).await
    }
}
