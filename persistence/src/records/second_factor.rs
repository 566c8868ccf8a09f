//! The operators' second factor: a secret shared with an authenticator, sealed at rest, whose every code serves once
//! (issue of the operator's console; RFC 6238).

use domain::Timestamp;
use sqlx::PgPool;

use super::audit::{self, Act};
use super::{COMMAND_LINE, Records, column};
use crate::Failure;

/// What the secret is sealed for; its id is the operator's.
const PURPOSE: &str = "operator-second-factor";

#[derive(Clone, PartialEq, Eq)]
pub struct SecondFactor {
    pub secret: Vec<u8>,
    /// Once a code of it has been shown.
    pub enrolled: bool,
    /// The newest step whose code was used.
    pub last_step: i64,
}

impl Records {
    /// An operator's second factor, if enrolment has begun.
    pub async fn second_factor(&self, admin: i64) -> Result<Option<SecondFactor>, Failure> {
        let read =
            "select totp_secret_sealed, totp_enrolled_at is not null, totp_last_step from admins
             where id = $1 and totp_secret_sealed is not null";
        let read = sqlx::query_as(read).bind(admin);
        let row: Option<(Vec<u8>, bool, i64)> = self
            .read(async move |pool: PgPool| read.fetch_optional(&pool).await)
            .await?;
        row.map(|(sealed, enrolled, last_step)| {
            let secret = self.postgres.sealer().open(PURPOSE, admin, &sealed)?;
            Ok(SecondFactor {
                secret,
                enrolled,
                last_step,
            })
        })
        .transpose()
    }

    /// Stores a secret for an operator who has none. Whoever has one keeps it, so that a repeated enrolment shows the same.
    pub async fn begin_second_factor(&self, admin: i64, secret: &[u8]) -> Result<(), Failure> {
        let sealed = self.postgres.sealer().seal(PURPOSE, admin, secret);
        let write = "update admins set totp_secret_sealed = $2 where id = $1 and totp_secret_sealed is null";
        self.execute(sqlx::query(write).bind(admin).bind(sealed))
            .await?;
        Ok(())
    }

    /// Uses up the code of a step; `false` when it, or a later one, was used before. The first use completes enrolment.
    pub async fn use_step(&self, admin: i64, step: i64, at: Timestamp) -> Result<bool, Failure> {
        let write = "update admins set totp_last_step = $2, totp_enrolled_at = coalesce(totp_enrolled_at, $3)
             where id = $1 and totp_last_step < $2";
        let write = sqlx::query(write).bind(admin).bind(step).bind(column(at));
        Ok(self.execute(write).await? > 0)
    }

    /// For a lost phone: the operator enrols again at the next sign-in, and every session ends; it stands in the audit log.
    /// Whether there is one of that e-mail.
    pub async fn forget_second_factor(&self, email: &str) -> Result<bool, Failure> {
        let write = "with forgotten as (
                 update admins set totp_secret_sealed = null, totp_enrolled_at = null where lower(email) = lower($1)
                 returning id
             ), closed as (delete from sessions where admin_id in (select id from forgotten))
             select id from forgotten";
        let email = email.to_string();
        let work = async move |pool: PgPool| {
            let mut transaction = pool.begin().await?;
            let found: Option<i64> = sqlx::query_scalar(write)
                .bind(email)
                .fetch_optional(&mut *transaction)
                .await?;
            if let Some(id) = found {
                let (action, object) = ("forget-second-factor", format!("admin:{id}"));
                let act = Act {
                    actor: COMMAND_LINE,
                    club: None,
                    action,
                    object: &object,
                    ip: None,
                };
                audit::write(&mut transaction, &act.entry(serde_json::json!({}))).await?;
            }
            transaction.commit().await?;
            Ok(found.is_some())
        };
        self.write(work).await
    }
}
