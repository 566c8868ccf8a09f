//! The waitlist: clubs that asked to join while registration is turned off.

use domain::Timestamp;
use sqlx::PgPool;

use super::audit::AuditEntry;
use super::{Records, timestamp};
use crate::Failure;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitlistEntry {
    pub id: i64,
    pub club_name: String,
    pub contact_name: String,
    pub contact_email: String,
    pub contact_phone: String,
    pub created_at: Timestamp,
}

impl Records {
    pub async fn join_waitlist(
        &self,
        club: &str,
        name: &str,
        email: &str,
        phone: &str,
    ) -> Result<i64, Failure> {
        let [club, name, email, phone] = [club, name, email, phone].map(str::to_string);
        let work = async move |pool: PgPool| {
            let write = sqlx::query_scalar!(
                "insert into waitlist (club_name, contact_name, contact_email, contact_phone)
             values ($1, $2, $3, $4) returning id",
                club,
                name,
                email,
                phone
            );
            write.fetch_one(&pool).await
        };
        self.run_write(work).await
    }

    /// Removes a club from the waitlist. Returns `false` when the waitlist has no such entry.
    pub async fn remove_from_waitlist(&self, id: i64, entry: AuditEntry) -> Result<bool, Failure> {
        self.write_with_audit_entry(
            sqlx::query!("delete from waitlist where id = $1", id),
            entry,
            false,
        )
        .await
    }

    pub async fn waitlist(&self) -> Result<Vec<WaitlistEntry>, Failure> {
        let read = sqlx::query!(
            "select id, club_name, contact_name, contact_email, contact_phone, created_at from waitlist order by id"
        );
        let rows = self
            .run_read(async move |pool: PgPool| read.fetch_all(&pool).await)
            .await?;
        Ok(rows
            .into_iter()
            .map(|row| WaitlistEntry {
                id: row.id,
                club_name: row.club_name,
                contact_name: row.contact_name,
                contact_email: row.contact_email,
                contact_phone: row.contact_phone,
                created_at: timestamp(row.created_at),
            })
            .collect())
    }
}
